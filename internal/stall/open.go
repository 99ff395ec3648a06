package stall

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor/internal/chaos"
)

// Open is a subscription that goes on while nobody waits for it in this library: its program waits in
// some way of its own, or serves. As long as there is one, one timer for all of them looks at the
// suspects every [Period]; while there are none it rests, so that the runtime still notices a
// program in which everything sleeps. Begin and End may be called at the same time. The zero value is
// not begun.
type Open struct{ state atomic.Int32 }

const (
	openNot = iota
	openBegun
	openEnded
)

// Begin says that the subscription goes on after the call that made it has returned. After End it does
// nothing.
func (o *Open) Begin() { o.begin(everybody) }

// End says that the subscription has ended, whether it has begun or not.
func (o *Open) End() { o.end(everybody) }

func (o *Open) begin(l *lookout) {
	if l.foreign() {
		return
	}
	l.join()
	chaos.Yield()
	if !o.state.CompareAndSwap(openNot, openBegun) {
		l.leave()
	}
}

func (o *Open) end(l *lookout) {
	if o.state.Swap(openEnded) == openBegun {
		l.leave()
	}
}

// IsOpen reports whether the subscription has begun and not ended.
func (o *Open) IsOpen() bool { return o.state.Load() == openBegun }

// Stir wakes the lookout if it rests: there is a new suspect. Sources call it.
func Stir() { everybody.stir() }

// everybody looks out for all subscriptions that are not in bubbles of testing/synctest: these
// can't share a timer with others.
var everybody = &lookout{foreign: func() bool { return time.Now().Before(programBegan) }}

// The clock of a bubble starts in the year 2000.
var programBegan = time.Now().Add(-era)

// lookout looks at the suspects while subscriptions are open. Its timer belongs to them: the last
// one to end stops it. It is one for all, and not registered with internal/live: a test that
// leaves a subscription open leaks none.
type lookout struct {
	foreign func() bool // reports whether the caller is in a bubble
	open    atomic.Int64
	resting atomic.Bool // there are subscriptions, and the last look saw no suspect; written under mu

	mu    sync.Mutex
	timer *time.Timer // guarded by mu
	set   bool        // guarded by mu
}

func (l *lookout) join() {
	if l.open.Add(1) == 1 {
		l.adjust()
	}
}

func (l *lookout) leave() {
	if l.open.Add(-1) == 0 {
		l.adjust()
	}
}

// adjust sets or stops the timer when the first subscription has come or the last one has gone: of several
// calls at a time the last one to get the lock sees how many there are.
func (l *lookout) adjust() {
	chaos.Yield()
	l.mu.Lock()
	defer l.mu.Unlock()
	switch some := l.open.Load() > 0; {
	case !some:
		l.resting.Store(false)
		if l.set && l.timer.Stop() {
			l.set = false
		}
	case !l.set && !l.resting.Load():
		l.arm()
	}
}

// arm sets the timer. The caller holds mu.
func (l *lookout) arm() {
	l.set = true
	if l.timer == nil {
		l.timer = time.AfterFunc(Period, l.ring)
		return
	}
	l.timer.Reset(Period)
}

func (l *lookout) ring() {
	look(context.Background(), time.Now())
	l.mu.Lock()
	defer l.mu.Unlock()
	l.set = false
	if l.open.Load() == 0 {
		return
	}
	l.resting.Store(true)
	chaos.Yield()
	if len(suspects()) > 0 { // also one that has come since the look and found nobody resting
		l.resting.Store(false)
		l.arm()
	}
}

// stir ends the rest.
func (l *lookout) stir() {
	if !l.resting.Load() || l.foreign() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.resting.Swap(false) && l.open.Load() > 0 && !l.set {
		l.arm()
	}
}
