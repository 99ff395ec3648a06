package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// twoSided is what stages have in common that take what src sends while something else,
// another publisher or a timer, says when something goes down. Either side may fail or
// complete, and downstream may cancel, at any time; the drain of the stage is what ends the
// stream.
type twoSided struct {
	ctx       context.Context
	down      protocol.Signals
	stage     twoSidedStage
	link      protocol.Deferred // to src
	other     protocol.Handle   // owns what says when
	demand    atomic.Int64      // open demand of downstream
	done      atomic.Bool       // no element of src counts any more: it has completed, or the other side has
	failures  protocol.Failures
	cancelled atomic.Bool
	drain     protocol.Drain

	over bool // terminal signal sent, failed downstream, or cancelled; owner of drain
}

// twoSidedStage is the stage itself.
type twoSidedStage interface {
	protocol.Drainer
	// drop discards all that waits. Called by the owner of drain when the stream is over, and
	// again when something has come after that.
	drop()
}

// OnSubscribe asks src for everything.
func (s *twoSided) OnSubscribe(up reactor.Subscription) {
	if s.link.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

// Cancel stops both sides and discards what waits.
func (s *twoSided) Cancel() {
	if s.cancelled.Swap(true) {
		return
	}
	s.stop()
	s.run()
}

func (s *twoSided) stop() {
	s.link.Cancel()
	s.other.Dispose()
}

func (s *twoSided) run() { s.drain.Run(s.stage) }

// fail ends the stream, of whichever side the failure is.
func (s *twoSided) fail(err error) {
	if s.cancelled.Load() || !s.failures.Add(err) {
		reactor.DropError(s.ctx, err)
		return
	}
	s.run()
}

// ended reports whether nothing more is to be delivered; if so, it has ended the stream: with
// the terminal signal, because of a failure or because there is nothing more (dry), or
// without one after a cancellation. Owner of drain, as are all below.
func (s *twoSided) ended(dry bool) bool {
	switch {
	case s.over:
		s.stage.drop()
	case s.cancelled.Load():
		s.release()
	case s.failures.Any() || dry:
		err := s.failures.Terminate()
		if s.done.Load() {
			s.link.Close()
		}
		s.stop()
		s.release()
		protocol.Finish(s.down, err)
	default:
		return false
	}
	return true
}

// crash is called when a pass has failed: downstream counts as cancelled. It reports whether
// the stream was over before.
func (s *twoSided) crash() (over bool) {
	over = s.over
	s.cancelled.Store(true)
	s.stop()
	s.release()
	return over
}

func (s *twoSided) release() {
	s.over = true
	s.stage.drop()
}
