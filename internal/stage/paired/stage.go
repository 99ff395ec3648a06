package paired

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// Stage is what stages have in common that take what src sends while something else,
// another publisher or a timer, says when something goes down. Either one may fail or
// complete, and downstream may cancel, at any time.
type Stage struct {
	Out   protocol.Outlet
	Link  protocol.Deferred // to src
	Other protocol.Handle   // owns what says when
}

// OnSubscribe asks src for everything.
func (u *Stage) OnSubscribe(up reactor.Subscription) {
	if u.Link.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

// OnError ends the stream at once.
func (u *Stage) OnError(err error) {
	u.Link.Close()
	defer u.Out.Fail(err) // also if a function that hears of what follows ends the goroutine
	u.Other.Dispose()
}

// OnComplete ends the stream when nothing waits any more.
func (u *Stage) OnComplete() {
	u.Link.Close()
	defer u.Out.End(nil) // also if a function that hears of what follows ends the goroutine
	u.Other.Dispose()
}

// Stop implements protocol.Flow: it cancels both.
func (u *Stage) Stop() {
	defer u.Other.Dispose() // also if a function that hears of the first ends the goroutine
	u.Link.Cancel()
}
