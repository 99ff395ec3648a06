package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/unicast"
)

// windowChunk is how many elements the queue of a window grows by, at most.
const windowChunk = 16

// openWindow is a window as a publisher.
type openWindow[T any] struct {
	unicast.Publisher[T]
}

// Discarded implements reactor.Discardable.
func (w *openWindow[T]) Discarded() { w.Abandon() }

// windowCount counts the open windows of a stage: what they are made of is cancelled when
// nobody is left who listens.
type windowCount struct {
	live  atomic.Int64 // open windows, and one for the stream of windows itself
	ended atomic.Bool  // there is nothing left to cancel
}

// left takes one from the count and reports whether what the windows are made of is to be
// cancelled.
func (c *windowCount) left() bool { return c.live.Add(-1) == 0 && !c.ended.Load() }

// openOne returns a new window, which size elements are expected for.
func openOne[T any](op string, ctx context.Context, size int64, of *windowCount, owner unicast.Owner) *openWindow[T] {
	of.live.Add(1)
	w := &openWindow[T]{}
	w.Init(op, ctx, queue.NewLinked[T](int(min(size, windowChunk))), owner)
	return w
}

// windowStage is what the stages have in common whose windows, publishers of kind S, come from
// several goroutines. Windows outlive the stream of windows: its end, or that nobody wants it
// any more, is the outlet's, that of all is the stage's.
type windowStage[T any, S protocol.Window, W any] struct {
	protocol.Inner
	protocol.WindowSender[S, W]
	windowCount
	out  protocol.Outlet
	wrap func(reactor.Publisher[T]) W
}

// windowFlow is what embeds a windowStage.
type windowFlow interface {
	protocol.Flow
	cancelAll() // cancels what the windows are made of
}

func (s *windowStage[T, S, W]) init(ctx context.Context, down reactor.Subscriber[W], window func(reactor.Publisher[T]) W, flow windowFlow) {
	s.wrap = window
	s.live.Store(1)
	s.Attach(&s.out, ctx, down, flow)
}

// open returns a new window, which size elements are expected for.
func (s *windowStage[T, S, W]) open(op string, size int64) *openWindow[T] {
	return openOne[T](op, s.out.Context(), size, &s.windowCount, s)
}

// Released implements unicast.Owner.
func (s *windowStage[T, S, W]) Released(bool) {
	if s.left() {
		s.out.Stage().(windowFlow).cancelAll()
	}
}

// Stop implements protocol.Flow; the open windows go on.
func (s *windowStage[T, S, W]) Stop() { s.Released(true) }

// abandonAll gives up the windows in q.
func abandonAll[W protocol.Window](q *queue.Linked[W]) {
	for w, ok := q.Poll(); ok; w, ok = q.Poll() {
		w.Abandon()
	}
}

// windowEvents is a windowStage that sends its windows when something happens, and fails if
// there is no demand then.
type windowEvents[T any, S protocol.Window, W any] struct{ windowStage[T, S, W] }

// Request adds to the demand for windows.
func (s *windowEvents[T, S, W]) Request(n int64) { s.out.AddDemand(n) }

// Cancel ends the stream of windows; the open ones go on.
func (s *windowEvents[T, S, W]) Cancel() { s.out.Cancel() }

// send sends down what was made of the window that Hold keeps, for which there is demand.
func (s *windowEvents[T, S, W]) send(v W) {
	s.Send(&s.out, v)
	s.out.Produced(1)
}

// finishDown ends the stream of windows. Owner of the outlet.
func (s *windowEvents[T, S, W]) finishDown(err error) {
	s.out.End(err)
	s.out.Open()
}

// Dry implements protocol.Flow: windows do not wait.
func (s *windowEvents[T, S, W]) Dry() bool { return true }

// Drop implements protocol.Flow.
func (s *windowEvents[T, S, W]) Drop() { s.out.DropFailures() }
