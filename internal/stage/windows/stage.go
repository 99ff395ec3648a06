package windows

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/unicast"
)

// Chunk is how many elements the queue of a window grows by, at most.
const Chunk = 16

// Window is a window as a publisher.
type Window[T any] struct {
	unicast.Publisher[T]
}

// Discarded implements reactor.Discardable.
func (w *Window[T]) Discarded() { w.Abandon() }

// Count counts the open windows of a stage: what they are made of is cancelled when
// nobody is left who listens.
type Count struct {
	Live  atomic.Int64 // open windows, and one for the stream of windows itself
	Ended atomic.Bool  // there is nothing left to cancel
}

// Left takes one from the count and reports whether what the windows are made of is to be
// cancelled.
func (c *Count) Left() bool { return c.Live.Add(-1) == 0 && !c.Ended.Load() }

// New returns a new window, which size elements are expected for.
func New[T any](op string, ctx context.Context, size int64, of *Count, owner unicast.Owner) *Window[T] {
	of.Live.Add(1)
	w := &Window[T]{}
	w.Init(op, ctx, queue.NewLinked[T](int(min(size, Chunk))), owner)
	return w
}

// Stage is what the stages have in common whose windows, publishers of kind S, come from
// several goroutines. Windows outlive the stream of windows: its end, or that nobody wants it
// any more, is the outlet's, that of all is the stage's.
type Stage[T any, S protocol.Window, W any] struct {
	protocol.Inner
	protocol.WindowSender[S, W]
	Count
	Out  protocol.Outlet
	Wrap func(reactor.Publisher[T]) W
}

// Flow is what embeds a Stage.
type Flow interface {
	protocol.Flow
	CancelAll() // cancels what the windows are made of
}

// Init sets the stage up for down, which gets what window makes of each window.
func (s *Stage[T, S, W]) Init(ctx context.Context, down reactor.Subscriber[W], window func(reactor.Publisher[T]) W, flow Flow) {
	s.Wrap = window
	s.Live.Store(1)
	s.Attach(&s.Out, ctx, down, flow)
}

// Open returns a new window, which size elements are expected for.
func (s *Stage[T, S, W]) Open(op string, size int64) *Window[T] {
	return New[T](op, s.Out.Context(), size, &s.Count, s)
}

// Released implements unicast.Owner.
func (s *Stage[T, S, W]) Released(bool) {
	if s.Left() {
		s.Out.Stage().(Flow).CancelAll()
	}
}

// Stop implements protocol.Flow; the open windows go on.
func (s *Stage[T, S, W]) Stop() { s.Released(true) }

// AbandonAll gives up the windows in q.
func AbandonAll[W protocol.Window](q *queue.Linked[W]) {
	for w, ok := q.Poll(); ok; w, ok = q.Poll() {
		w.Abandon()
	}
}

// Events is a Stage that sends its windows when something happens, and fails if
// there is no demand then.
type Events[T any, S protocol.Window, W any] struct{ Stage[T, S, W] }

// Request adds to the demand for windows.
func (s *Events[T, S, W]) Request(n int64) { s.Out.AddDemand(n) }

// Cancel ends the stream of windows; the open ones go on.
func (s *Events[T, S, W]) Cancel() { s.Out.Cancel() }

// Emit sends down what was made of the window that Hold keeps, for which there is demand.
func (s *Events[T, S, W]) Emit(v W) {
	s.Send(&s.Out, v)
	s.Out.Produced(1)
}

// FinishDown ends the stream of windows. Owner of the outlet.
func (s *Events[T, S, W]) FinishDown(err error) {
	s.Out.End(err)
	s.Out.Open()
}

// Dry implements protocol.Flow: windows do not wait.
func (s *Events[T, S, W]) Dry() bool { return true }

// Drop implements protocol.Flow.
func (s *Events[T, S, W]) Drop() { s.Out.DropFailures() }
