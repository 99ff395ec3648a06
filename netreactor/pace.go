package netreactor

import "time"

// passTime is how long a pass may take, where handlers compute, before others have their turn. The clock is looked at between messages.
const passTime = time.Millisecond

// pace is how often a connection looks at the clock in a full pass. Where handlers are quick, the clock is read once for many messages, and
// not at all for a few. Where a pass was late, the next passes look more often. All of it belongs to the owner of a full pass.
type pace struct {
	began uint32 // when the pass has looked first, in microseconds
	looks uint8  // how often the pass has looked; no more than many are counted
	fine  uint8  // how often the span was halved
	late  bool   // the pass has taken its time
}

const (
	// widest is how many messages pass between two looks at most.
	widest = window
	// finest is how often widest is halved at most.
	finest = 7
	// A pass that is late after many looks has looked more often than needed, one that is late after few too seldom.
	many, few = 16, 4
)

// begin is the beginning of a pass.
func (p *pace) begin(c *connection) {
	if p.looks > 0 || p.fine > 0 {
		p.again(c)
	}
}

// again is begin where passes before have looked.
func (p *pace) again(c *connection) {
	switch {
	case p.late && p.looks <= few:
		p.fine = min(p.fine+2, finest)
	case p.fine > 0 && (!p.late || p.looks >= many):
		p.fine--
	}
	p.looks, p.late = 0, false
	if p.fine > 0 {
		p.look(c)
	}
}

// span is how many messages pass between two looks.
func (p *pace) span() int64 { return widest >> p.fine }

// look looks at the clock, and reports whether the pass has taken its time. A server that waits for nobody any more gives passes no time.
func (p *pace) look(c *connection) bool {
	if p.late || c.eng.cutting.Load() != nil && !c.leaving {
		return true
	}
	now := uint32(time.Duration(c.eng.expirer.elapsed()) / time.Microsecond)
	if p.looks == 0 {
		p.began = now
	}
	p.looks = min(p.looks+1, many)
	p.late = time.Duration(now-p.began)*time.Microsecond >= passTime
	return p.late
}
