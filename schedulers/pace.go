package schedulers

const (
	// firstPause and longestPause are rounds of [slot.linger], of a third of a nanosecond or so each.
	firstPause   = 2000
	longestPause = 8000
	// leanLooks is how many looks have to find little, and none of them nothing, before the loop tries to wait.
	leanLooks = 16
	// vainLooks is how many more it takes after a try that was of no use: so many that fewer than one task in a hundred is late because of a try.
	vainLooks = 256
)

// pace is how long a loop waits before it looks for tasks again, so that more of them come together.
//
// A look moves the cache lines of the queue to the processor of the loop, and the next submission moves them back: a loop that
// keeps up with a submitter on another processor has both pay for that with each task. Whether it is of any use to wait can't
// be told before, since where a submitter waits for its task nothing else comes meanwhile. So the loop tries.
type pace struct {
	pause int32 // rounds before the next look
	lean  int32 // looks that found little since one found nothing; below 0 behind a try in vain
}

// found takes note of a look that found n tasks.
func (p *pace) found(n int) {
	switch {
	case p.pause > 0 && n <= chunkSize/16:
		p.pause, p.lean = 0, -vainLooks
	case p.pause > 0 && n < chunkSize/2:
		p.pause = min(2*p.pause, longestPause)
	case p.pause > 0:
	case n > chunkSize/8:
		p.lean = min(p.lean, 0)
	case p.lean == leanLooks-1:
		p.pause, p.lean = firstPause, 0
	default:
		p.lean++
	}
}

// nothing takes note of a look that found none: whoever submits is slower than the loop.
func (p *pace) nothing() {
	p.pause = 0
	p.lean = min(p.lean, 0)
}

// linger lets the time of the pause go by, unless the slot is killed meanwhile. It returns how many rounds are left then.
func (s *slot) linger() (left int32) {
	for left = s.pace.pause; left > 0 && !s.killed.Load(); {
		left--
	}
	return left
}
