package operators

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/internal/stage/windows"
	"github.com/goreactor/reactor/internal/unicast"
	"github.com/goreactor/reactor/schedulers"
)

// WindowTimeout splits src into streams of size elements each; a stream has fewer if d
// passes before.
//
//	src:  1 - 2 - 3 - 4 ------- 5 - |
//	      WindowTimeout(3, 8 steps)
//	out:  a ------- b ------- c ----|
//	a:    1 - 2 - 3|
//	b:              - 4 ----- |
//	c:                        - 5 - |
//
// The first window is emitted at once, and each further window when the one before is
// full or its time is over. A window may be empty. Its time starts when it opens.
//
// src is asked for everything; a window without demand fails the stream with
// reactor.ErrOverflow, after the window before it has completed. With
// [FairBackpressure] windows wait instead. An error of src comes behind the elements
// before it. Windows come on the goroutine of src or of the timer, which is one of
// schedulers.Parallel() unless [On] names another scheduler; if the timer is refused,
// everything ends with reactor.ErrRejected. A size or duration ≤ 0 panics.
//
// See [Window] for what all windows have in common.
func WindowTimeout[T, W any](src reactor.Publisher[T], size int, d time.Duration, window func(reactor.Publisher[T]) W, opts ...WindowTimeoutOption) reactor.Publisher[W] {
	argument.Positive("windowTimeout", "size", size)
	argument.Positive("windowTimeout", "duration", d)
	argument.Given("windowTimeout", "function", window != nil)
	var c windowTimeoutConfig
	for _, o := range argument.Options("windowTimeout", opts) {
		o.applyWindowTimeout(&c)
	}
	p := &windowTimeoutPublisher[T, W]{
		src: protocol.Trust("windowTimeout", src), size: int64(size), d: d, window: window,
		scheduler: timerOf("windowTimeout", c.on), verbatim: c.verbatim,
	}
	if c.fair {
		return &windowTimeoutFairPublisher[T, W]{windowTimeoutPublisher: p, timer: afterDelay("windowTimeout", d, p.scheduler)}
	}
	return p
}

// WindowTimeoutOption is an option of [WindowTimeout]: [FairBackpressure], [On] or
// [Verbatim].
type WindowTimeoutOption interface{ applyWindowTimeout(*windowTimeoutConfig) }

type windowTimeoutConfig struct {
	fair, verbatim bool
	on             []SchedulerOption
}

func (FairBackpressureOption) applyWindowTimeout(c *windowTimeoutConfig) { c.fair = true }
func (o SchedulerOption) applyWindowTimeout(c *windowTimeoutConfig)      { c.on = append(c.on, o) }
func (o VerbatimOption) applyWindowTimeout(c *windowTimeoutConfig)       { c.verbatim = bool(o) }

type windowTimeoutPublisher[T, W any] struct {
	protocol.Op
	src       reactor.Publisher[T]
	size      int64
	d         time.Duration
	window    func(reactor.Publisher[T]) W
	scheduler schedulers.Scheduler
	verbatim  bool
}

func (p *windowTimeoutPublisher[T, W]) Subscribe(ctx context.Context, sub reactor.Subscriber[W]) {
	s := &windowTimeout[T, W]{of: p, queue: queue.NewLinked[T](windows.Chunk)}
	s.due.Store(-1)
	s.Init(ctx, sub, p.window, s)
	p.src.Subscribe(ctx, s)
}

// windowTimeout is the subscriber of src and the subscription of downstream.
type windowTimeout[T, W any] struct {
	windows.Events[T, *windows.Window[T], W]
	of    *windowTimeoutPublisher[T, W]
	link  protocol.Deferred // to src
	timer protocol.Handle
	queue *queue.Linked[T] // what comes while somebody else has the outlet

	err  error            // of src; written before done, then taken by the owner of the outlet
	done atomic.Bool      // src has ended
	due  atomic.Int64     // the newest window whose time is over
	call protocol.Calling // in Next of a window, with the outlet taken; touched by the signals of src only

	// What follows belongs to the owner of the outlet.
	started bool               // the first window was opened
	over    bool               // the end was delivered, or all was cancelled
	window  *windows.Window[T] // nil if none is open
	index   int64              // its number
	count   int64              // elements in it
}

// CancelAll cancels src and the timer.
func (s *windowTimeout[T, W]) CancelAll() {
	if !s.of.verbatim {
		s.Ended.Store(true)
		defer s.timer.Dispose() // also if a function that hears of it ends the goroutine
		s.link.Cancel()
	}
}

func (s *windowTimeout[T, W]) OnSubscribe(up reactor.Subscription) {
	s.link.Set(up)
	first := s.Out.Run                                            // the first window
	failure.InTurn(func() { s.Out.BeginWith(s) }, first, func() { // each may end the goroutine
		if !s.link.IsCancelled() {
			up.Request(reactor.Unbounded)
		}
	})
}

func (s *windowTimeout[T, W]) OnNext(v T) {
	if s.done.Load() {
		reactor.DropNext(s.Out.Context(), v)
		return
	}
	if s.Out.TryEnter() {
		// The last element of a window leads to the next one, which needs a guard.
		direct := s.window != nil && s.count+1 < s.of.size && s.queue.IsEmpty()
		if direct {
			s.call.Begin()
			s.add(v)
			s.call.End()
		}
		if direct {
			s.Out.Leave()
		} else {
			s.queue.Offer(v) // before the pass, which a Goexit may end
			s.Out.Pass()
		}
		return
	}
	s.queue.Offer(v)
	chaos.Yield()
	s.Out.Run()
}

// Push implements protocol.Pusher.
func (s *windowTimeout[T, W]) Push() func(T) { return s.OnNext }

func (s *windowTimeout[T, W]) OnError(err error) {
	if s.call.Failed() { // a Goexit came by from there: the outlet was not left
		s.Out.Leave()
	}
	if s.done.Load() || !s.link.Close() {
		reactor.DropError(s.Out.Context(), err)
		return
	}
	s.err = reactor.NonNil(err)
	s.OnComplete()
}

func (s *windowTimeout[T, W]) OnComplete() {
	s.link.Close()
	s.done.Store(true)
	s.Out.Run()
}

// start starts the timer of the open window.
func (s *windowTimeout[T, W]) start() {
	index := s.index
	timer, err := s.of.scheduler.SchedulePeriodically(func(context.Context) { s.tick(index) }, s.of.d, s.of.d)
	if err != nil {
		s.fail(rejected(s.Out.Context(), "windowTimeout", err, nil))
		return
	}
	s.timer.Set(index, timer)
}

// tick says that time is over: that of the window that was opened when the timer was
// started, or of a window that follows it without having been filled.
func (s *windowTimeout[T, W]) tick(index int64) {
	newest(&s.due, index)
	chaos.Yield()
	s.Out.Run()
}

// Flow implements protocol.Flow.
func (s *windowTimeout[T, W]) Flow() {
	if !s.started {
		s.started = true
		if s.Out.Stopped() {
			s.over = true
			return
		}
		s.next(true)
	}
	for {
		if !s.over && s.due.Load() == s.index && !s.done.Load() {
			s.due.Store(-1)
			s.follow(false) // the timer goes on for the next
		}
		done := s.done.Load() // before the look at the queue
		v, ok := s.queue.Poll()
		switch {
		case !ok:
			if done {
				s.end()
			}
			return
		case s.over || s.window == nil:
			reactor.Discard(s.Out.Context(), v)
		default:
			s.add(v)
			if s.count == s.of.size {
				s.full()
				s.index++
				s.follow(true)
			}
		}
	}
}

func (s *windowTimeout[T, W]) add(v T) {
	s.count++
	s.window.Send(v)
}

// full closes the open window, which has got its last element.
func (s *windowTimeout[T, W]) full() {
	defer s.close() // also if a function that hears of what follows ends the goroutine
	s.timer.Clear(s.index)
}

func (s *windowTimeout[T, W]) close() {
	if w := s.window; w != nil {
		s.window = nil
		w.Complete()
	}
}

// follow closes the open window and opens the next one, if somebody wants it, and starts its timer
// if it needs one.
func (s *windowTimeout[T, W]) follow(start bool) {
	s.close()
	if !s.Out.Stopped() {
		s.next(start)
	} else if s.of.verbatim { // and it is not done, and src has not ended
		s.link.CancelAnd(func() {
			s.over = true
			s.timer.Dispose()
		})
	}
}

// next opens a window, or fails if there is no demand for it.
func (s *windowTimeout[T, W]) next(start bool) {
	if s.Out.Demand() == 0 {
		s.fail(reactor.OperatorError(s.Out.Context(), reactor.Failure("windowTimeout", reactor.ErrOverflow, "no demand for the next window"), nil))
		return
	}
	s.window, s.count = s.Open("windowTimeout", s.of.size), 0
	if start {
		defer s.start() // also if the window fails on its way down: it goes on
	}
	s.Hold(s.window)
	s.Emit(s.Wrap(s.window))
}

// fail cancels src and ends all.
func (s *windowTimeout[T, W]) fail(err error) {
	s.Ended.Store(true)
	defer s.finish(err) // also if a function that hears of it ends the goroutine
	s.link.Cancel()
}

// end takes the end of src, which may be too late: then nobody gets its error.
func (s *windowTimeout[T, W]) end() {
	err := pending.Take(&s.err)
	if !s.over {
		s.finish(err)
	} else if err != nil {
		reactor.DropError(s.Out.Context(), err)
	}
}

// finish ends the open window and the stream.
func (s *windowTimeout[T, W]) finish(err error) {
	s.over = true
	s.Ended.Store(true)
	defer s.told(err) // also if a function that hears of what follows ends the goroutine
	s.timer.Dispose()
}

// told passes the end on, to the open window and downstream.
func (s *windowTimeout[T, W]) told(err error) {
	w, end := pending.Take(&s.window), err
	failure.InTurn(func() { // who listens to the window may end the goroutine
		switch {
		case w == nil:
		case !s.Out.Stopped():
			w.End(end)
		default:
			err = nil // who listens gets it
			if w.EndOnly(end) != unicast.OK {
				err = end
			}
		}
	}, func() { s.FinishDown(err) })
}

// Drop implements protocol.Flow: the open window goes on, unless it has failed on its way down.
func (s *windowTimeout[T, W]) Drop() {
	if s.window != nil && s.window.IsAbandoned() {
		s.window = nil
	}
	s.Events.Drop()
}
