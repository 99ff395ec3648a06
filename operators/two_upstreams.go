package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// twoUpstreams is what stages have in common that take what src sends while something else,
// another publisher or a timer, says when something goes down. Either one may fail or
// complete, and downstream may cancel, at any time.
type twoUpstreams struct {
	out   protocol.Outlet
	link  protocol.Deferred // to src
	other protocol.Handle   // owns what says when
}

// OnSubscribe asks src for everything.
func (u *twoUpstreams) OnSubscribe(up reactor.Subscription) {
	if u.link.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

// OnError ends the stream at once.
func (u *twoUpstreams) OnError(err error) {
	u.link.Close()
	defer u.out.Fail(err) // also if a function that hears of what follows ends the goroutine
	u.other.Dispose()
}

// OnComplete ends the stream when nothing waits any more.
func (u *twoUpstreams) OnComplete() {
	u.link.Close()
	defer u.out.End(nil) // also if a function that hears of what follows ends the goroutine
	u.other.Dispose()
}

// Stop implements protocol.Flow: it cancels both.
func (u *twoUpstreams) Stop() {
	defer u.other.Dispose() // also if a function that hears of the first ends the goroutine
	u.link.Cancel()
}
