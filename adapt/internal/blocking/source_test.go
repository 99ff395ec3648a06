package blocking

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// fake is a resource under the control of a test.
type fake struct {
	openErr, closeErr error
	next              func(n int) (int, error) // nil counts up
	block             chan struct{}            // Open waits for it, or its context, if it is not nil

	ctx                          context.Context
	n                            int
	opened, closed, interrupted  atomic.Int32
	inside                       atomic.Int32 // calls of read and Close under way
	overlap                      atomic.Bool
	stuck                        chan struct{} // read waits for it or an interruption, if it is not nil
	freed                        chan struct{}
	panicOpen, panicClose, inert bool
	single                       bool // the first element is the last
}

func newFake() *fake { return &fake{freed: make(chan struct{})} }

func (f *fake) Open(ctx context.Context) error {
	f.ctx = ctx
	if f.panicOpen {
		panic("open")
	}
	if f.block != nil {
		select {
		case <-f.block:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if f.openErr == nil {
		f.opened.Add(1)
	}
	return f.openErr
}

// Emit implements Source.
func (f *fake) Emit(out Out[int]) error {
	defer out.End()
	for {
		n, err := f.read()
		switch {
		case err != nil:
			return err
		case f.single:
			out.Last(n)
			return nil
		case out.Cancelled():
			return out.Refuse(n)
		}
		out.Send(n)
		if !out.More() {
			return nil
		}
	}
}

func (f *fake) read() (int, error) {
	if f.inside.Add(1) > 1 {
		f.overlap.Store(true)
	}
	defer f.inside.Add(-1)
	if f.stuck != nil {
		select {
		case <-f.stuck:
		case <-f.freed:
			return 0, io.ErrClosedPipe
		}
	}
	f.n++
	if f.next != nil {
		return f.next(f.n)
	}
	return f.n, nil
}

func (f *fake) Interrupt() {
	if f.interrupted.Add(1) == 1 && !f.inert {
		close(f.freed)
	}
}

func (f *fake) Close() error {
	if f.inside.Add(1) > 1 {
		f.overlap.Store(true)
	}
	defer f.inside.Add(-1)
	f.closed.Add(1)
	if f.panicClose {
		panic("close")
	}
	return f.closeErr
}

func upTo(last int, end error) func(int) (int, error) {
	return func(n int) (int, error) {
		if n > last {
			return 0, end
		}
		return n, nil
	}
}

func (f *fake) publisher(c Settings) reactor.Publisher[int] {
	c.Op = "fake.read"
	return New(c, func() Source[int] { return f })
}

// check is what holds for every subscription that has ended.
func (f *fake) check(t *testing.T) {
	t.Helper()
	assert.Equal(t, f.opened.Load(), f.closed.Load(), "opened and closed")
	assert.LessOrEqual(t, f.interrupted.Load(), int32(1))
	assert.False(t, f.overlap.Load(), "reading and Close do not overlap")
	assert.Error(t, f.ctx.Err(), "the context has ended")
}

var errBoom = errors.New("boom")

func TestSourceIsReadOnDemand(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		f := newFake()
		f.next = upTo(3, io.EOF)
		s := reactortest.Subscribe(t, f.publisher(Settings{}), reactortest.InitialRequest(0))
		s.ExpectNothing()
		assert.EqualValues(t, 1, f.opened.Load(), "opened at subscription")
		assert.Zero(t, f.n)
		s.Request(2)
		s.ExpectNext(1, 2)
		s.ExpectNothing()
		assert.Equal(t, 2, f.n)
		s.Request(2)
		s.ExpectNext(3)
		s.ExpectComplete()
		f.check(t)
	})
}

func TestSourceEnds(t *testing.T) {
	errClose := errors.New("close")
	for name, c := range map[string]struct {
		set      func(*fake)
		elements []int
		want     []error // nil: complete
		closed   int32
	}{
		"complete":               {func(f *fake) { f.next = upTo(2, io.EOF) }, []int{1, 2}, nil, 1},
		"fail":                   {func(f *fake) { f.next = upTo(2, errBoom) }, []int{1, 2}, []error{errBoom}, 1},
		"Open fails":             {func(f *fake) { f.openErr = errBoom }, nil, []error{errBoom}, 0},
		"Open fails with EOF":    {func(f *fake) { f.openErr = io.EOF }, nil, []error{io.EOF}, 0},
		"Close fails":            {func(f *fake) { f.next = upTo(1, io.EOF); f.closeErr = errClose }, []int{1}, []error{errClose}, 1},
		"both fail":              {func(f *fake) { f.next = upTo(1, errBoom); f.closeErr = errClose }, []int{1}, []error{errBoom, errClose}, 1},
		"reading panics":         {func(f *fake) { f.next = func(int) (int, error) { panic(errBoom) } }, nil, []error{errBoom}, 1},
		"both panic":             {func(f *fake) { f.next = func(int) (int, error) { panic(errBoom) }; f.panicClose = true }, nil, []error{errBoom}, 1},
		"reading ends goroutine": {func(f *fake) { f.next = func(int) (int, error) { runtime.Goexit(); return 0, nil } }, nil, []error{reactor.ErrGoexit}, 1},
		"an error that is EOF's": {func(f *fake) { f.next = upTo(0, errors.Join(errBoom, io.EOF)) }, nil, []error{errBoom, io.EOF}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			reactortest.Bubble(t, func(t *testing.T) {
				f := newFake()
				c.set(f)
				s := reactortest.Subscribe(t, f.publisher(Settings{}))
				s.AwaitEnd()
				assert.ElementsMatch(t, c.elements, s.Values())
				if c.want == nil {
					assert.NoError(t, s.Err())
				}
				for _, want := range c.want {
					assert.ErrorIs(t, s.Err(), want)
				}
				f.check(t)
				assert.Equal(t, c.closed, f.closed.Load())
			})
		})
	}
}

func TestPanicsNameTheAdapter(t *testing.T) {
	for name, set := range map[string]func(*fake){
		"open":  func(f *fake) { f.panicOpen = true },
		"next":  func(f *fake) { f.next = func(int) (int, error) { panic("next") } },
		"close": func(f *fake) { f.next = upTo(0, io.EOF); f.panicClose = true },
	} {
		for _, apart := range []bool{false, true} {
			reactortest.Bubble(t, func(t *testing.T) {
				f := newFake()
				set(f)
				s := reactortest.Subscribe(t, f.publisher(Settings{OpenApart: apart}))
				assert.EqualError(t, s.ExpectError(), "reactor: fake.read: panic: "+name)
				f.check(t)
			})
		}
	}
}

func TestSingleIsClosedBeforeItsElement(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		f := newFake()
		f.single = true
		s := reactortest.Subscribe(t, f.publisher(Settings{}))
		s.ExpectNext(1)
		s.ExpectComplete()
		f.check(t)
	})
	reactortest.Bubble(t, func(t *testing.T) {
		f := newFake()
		f.closeErr = errBoom
		f.single = true
		s := reactortest.Subscribe(t, f.publisher(Settings{}))
		s.ExpectErrorIs(errBoom)
		f.check(t)
	})
}

func TestCancelFreesWhatBlocks(t *testing.T) {
	for name, set := range map[string]func(*fake){
		"Open":     func(f *fake) { f.block = make(chan struct{}) },
		"Emit":     func(f *fake) { f.stuck = make(chan struct{}) },
		"not read": func(f *fake) {},
	} {
		for _, settings := range []Settings{{}, {CloseOnWorker: true}, {OpenApart: true}, {OpenApart: true, CloseOnWorker: true}} {
			reactortest.Bubble(t, func(t *testing.T) {
				f := newFake()
				set(f)
				n := int64(1)
				if name == "not read" {
					n = 0
				}
				s := reactortest.Subscribe(t, f.publisher(settings), reactortest.InitialRequest(n))
				synctest.Wait()
				s.Cancel()
				synctest.Wait()
				f.check(t)
				assert.Empty(t, s.Values())
				assert.False(t, s.IsTerminated())
				assert.Zero(t, schedulers.BoundedElastic().Stats().Busy, "the worker was given back")
			})
		}
	}
}

// A resource that can't be interrupted keeps its goroutine until it comes back by itself.
func TestCancelDoesNotWait(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		f := newFake()
		f.inert, f.stuck = true, make(chan struct{})
		s := reactortest.Subscribe(t, f.publisher(Settings{}))
		synctest.Wait()
		s.Cancel()
		synctest.Wait()
		assert.Zero(t, f.closed.Load(), "not while it is being read")
		close(f.stuck)
		synctest.Wait()
		f.check(t)
		assert.EqualValues(t, 1, f.closed.Load())
		assert.Empty(t, s.Values())
	})
}

func TestEndOfTheContextIsACancellation(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		f := newFake()
		f.stuck = make(chan struct{})
		s := reactortest.Subscribe(t, f.publisher(Settings{}), reactortest.InContext(ctx))
		synctest.Wait()
		cancel(errBoom)
		s.ExpectErrorIs(errBoom)
		synctest.Wait()
		f.check(t)
	})
}

func TestCloseErrorAfterCancelIsDropped(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		var dropped error
		ctx := reactor.WithHooks(t.Context(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { dropped = err }})
		f := newFake()
		f.closeErr = errBoom
		s := reactortest.Subscribe(t, f.publisher(Settings{}), reactortest.InContext(ctx), reactortest.InitialRequest(1))
		s.ExpectNext(1)
		s.Cancel()
		synctest.Wait()
		assert.ErrorIs(t, dropped, errBoom)
		f.check(t)
	})
}

func TestSchedulerThatRefuses(t *testing.T) {
	refusing := schedulers.NewSingle("refusing")
	refusing.Dispose()
	f := newFake()
	s := reactortest.Subscribe(t, f.publisher(Settings{On: refusing}))
	s.ExpectErrorIs(reactor.ErrRejected)
	assert.Zero(t, f.opened.Load())

	reactortest.Bubble(t, func(t *testing.T) {
		later := schedulers.NewSingle("later")
		f := newFake()
		s := reactortest.Subscribe(t, f.publisher(Settings{On: later}), reactortest.InitialRequest(1))
		s.ExpectNext(1)
		synctest.Wait()
		later.Dispose()
		s.Request(1)
		s.ExpectErrorIs(reactor.ErrRejected)
		f.check(t)
	})
}

func TestLongReadsTakeTurns(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		one := schedulers.NewSingle("one")
		defer one.Dispose()
		const n = 3*turn + 1
		f := newFake()
		f.next = upTo(n, io.EOF)
		others := 0
		var seen []int
		again := func() { _ = one.Execute(func(context.Context) { others++; seen = append(seen, f.n) }) }
		again()
		s := reactortest.NewTestSubscriber[int](t)
		f.publisher(Settings{On: one}).Subscribe(t.Context(), s)
		again()
		s.AwaitEnd()
		synctest.Wait()
		assert.Len(t, s.Values(), n)
		assert.Equal(t, 2, others)
		assert.LessOrEqual(t, seen[1], turn, "another task runs after a turn at the latest")
	})
}

// numbered is a source of the elements of a ledger.
type numbered struct {
	fake
	l *ledger.Ledger
}

func (n *numbered) Emit(out Out[*ledger.Element]) error {
	defer out.End()
	for {
		if _, err := n.read(); err != nil {
			return err
		}
		e := n.l.Produce()
		if out.Cancelled() {
			return out.Refuse(e)
		}
		out.Send(e)
		if !out.More() {
			return nil
		}
	}
}

func TestSourceRaces(t *testing.T) { raceSources(t, Settings{}) }

func TestSourceRacesWithItsOpening(t *testing.T) {
	raceSources(t, Settings{OpenApart: true, inStep: true})
}

func raceSources(t *testing.T, settings Settings) {
	pool, err := schedulers.NewBoundedElastic(4, 1000, "races")
	require.NoError(t, err)
	defer pool.Dispose()
	racetest.Repeat(racetest.Iterations(2000), func(race func(fns ...func())) {
		l := ledger.New(t)
		ctx, end := context.WithCancel(l.Context(context.Background()))
		src := &numbered{fake: fake{freed: make(chan struct{})}, l: l}
		src.next = upTo(6, io.EOF)
		sub := &delivered{l: l}
		settings.Op, settings.On = "race", pool
		New(settings, func() Source[*ledger.Element] { return src }).Subscribe(ctx, sub)
		race(
			func() { sub.up.Request(2); sub.up.Request(3) },
			func() { sub.up.Request(2) },
			func() { sub.up.Cancel() },
			end,
		)
		for pool.Stats().Busy > 0 {
			runtime.Gosched()
		}
		require.Equal(t, src.opened.Load(), src.closed.Load())
		require.LessOrEqual(t, src.closed.Load(), int32(1))
		require.False(t, src.overlap.Load())
		l.Check()
	})
}

type delivered struct {
	l  *ledger.Ledger
	up reactor.Subscription
}

func (d *delivered) OnSubscribe(up reactor.Subscription) { d.up = up }
func (d *delivered) OnNext(e *ledger.Element)            { d.l.Delivered(e) }
func (d *delivered) OnError(error)                       {}
func (d *delivered) OnComplete()                         {}

// What a resource makes of the end of its context is no failure: the stream fails with the cause of that, always.
func TestEndOfTheContextIsItsCause(t *testing.T) {
	why := errors.New("why")
	for range 300 {
		reactortest.Bubble(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			f := newFake()
			f.inert = true
			f.next = func(int) (int, error) {
				<-f.ctx.Done()
				return 0, f.ctx.Err()
			}
			s := reactortest.Subscribe(t, f.publisher(Settings{}), reactortest.InContext(ctx))
			synctest.Wait()
			cancel(why)
			synctest.Wait()
			require.Equal(t, why, s.Err())
			require.EqualValues(t, 1, f.closed.Load())
		})
	}
}

func TestContextHasTheDeadlineAndTheValues(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		type key struct{}
		ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, "v"), time.Second)
		defer cancel()
		f := newFake()
		s := reactortest.Subscribe(t, f.publisher(Settings{}), reactortest.InContext(ctx), reactortest.InitialRequest(1))
		synctest.Wait()
		want, _ := ctx.Deadline()
		got, ok := f.ctx.Deadline()
		assert.True(t, ok)
		assert.Equal(t, want, got)
		assert.Equal(t, "v", f.ctx.Value(key{}))
		assert.NoError(t, f.ctx.Err())
		s.Cancel()
		synctest.Wait()
		assert.ErrorIs(t, context.Cause(f.ctx), reactor.ErrCancelled)
	})
}
