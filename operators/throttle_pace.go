package operators

import (
	"math"
	"math/bits"
	"time"
)

// latenessMadeUp is how late a timer may fire without a loss of rate. What it is
// late beyond that counts as a pause of the source.
const latenessMadeUp = 10 * time.Millisecond

// pace says when elements may be emitted: n per interval, evenly spaced. It is a
// token bucket that holds as many tokens as there may be elements in a burst, kept as
// the time at which the next element is due (generic cell rate algorithm). Times count
// from any fixed point.
type pace struct {
	step      time.Duration // interval / n
	rest, n   uint64        // what that division leaves over, of n
	allowance time.Duration // how far a burst may be ahead

	due   time.Duration // of the next element
	part  uint64        // what due has lost by rounding, less than n
	wake  time.Duration // when a timer fired last
	awake bool          // one has
}

func newPace(n int, interval time.Duration, burst int) pace {
	p := pace{
		step: interval / time.Duration(n),
		rest: uint64(interval % time.Duration(n)),
		n:    uint64(n),
	}
	high, low := bits.Mul64(uint64(interval), uint64(burst-1))
	p.allowance = math.MaxInt64
	if high < p.n {
		ahead, _ := bits.Div64(high, low, p.n)
		p.allowance = time.Duration(min(ahead, math.MaxInt64))
	}
	p.due = -p.allowance // a burst may come at the start
	return p
}

// take returns how long the element that is ready now has to wait; if it need not,
// it is counted as emitted.
func (p *pace) take(now time.Duration) time.Duration {
	ahead := p.allowance
	if p.awake && p.due <= p.wake && now-p.wake <= latenessMadeUp {
		ahead = max(ahead, latenessMadeUp)
	}
	if earliest := now - ahead; p.due < earliest {
		p.due, p.part = earliest, 0
	}
	if p.due > now {
		return p.due - now
	}
	p.part += p.rest
	if p.part >= p.n {
		p.part -= p.n
		p.due++
	}
	if p.due > math.MaxInt64-p.step {
		p.due = math.MaxInt64
	} else {
		p.due += p.step
	}
	return 0
}

// woken is called when the timer for an element that had to wait has fired.
func (p *pace) woken(now time.Duration) { p.wake, p.awake = now, true }
