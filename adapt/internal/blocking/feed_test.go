package blocking

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
	"github.com/goreactor/reactor/sinks"
)

// woken is a consumer of a Feed that does not wait in there.
type woken[T any] struct {
	*Feed[T]
	wake chan struct{}
}

func feedInStep[T any](ctx context.Context, src reactor.Publisher[T]) woken[T] {
	wake := make(chan struct{}, 1)
	return woken[T]{NewFeedInStep(ctx, "feed", src, wakes(wake)), wake}
}

// wakes returns what puts a token into wake, unless there is one.
func wakes(wake chan struct{}) func() {
	return func() {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

func (w woken[T]) Next() (T, error) {
	for {
		if v, ok, err := w.Take(); ok || err != nil {
			return v, err
		}
		<-w.wake
	}
}

// consumer is what takes the elements of a Feed.
type consumer[T any] interface {
	Next() (T, error)
	Close()
}

func drained[T any](f consumer[T]) (list []T, err error) {
	defer f.Close()
	for {
		v, err := f.Next()
		if err != nil {
			return list, err
		}
		list = append(list, v)
	}
}

func TestFeed(t *testing.T) {
	for _, prefetch := range []int{1, 2, 32} {
		list, err := drained[int](NewFeed(t.Context(), "feed", flux.Range(1, 100), prefetch))
		assert.Len(t, list, 100)
		assert.Equal(t, io.EOF, err)
		list, err = drained[int](NewFeed(t.Context(), "feed", flux.Range(1, 100).ConcatWith(flux.Error[int](errBoom)).PublishOn(schedulers.Parallel()), prefetch))
		assert.Len(t, list, 100)
		assert.Equal(t, errBoom, err)
	}
}

// A consumer that is woken gets what one gets that waits.
func TestFeedThatWakes(t *testing.T) {
	for _, prefetch := range []int{1, 2, 32} {
		for want, src := range map[error]flux.Flux[int]{
			io.EOF:  flux.Range(1, 100).PublishOn(schedulers.Parallel()),
			errBoom: flux.Range(1, 100).ConcatWith(flux.Error[int](errBoom)).PublishOn(schedulers.Parallel()),
		} {
			wake := make(chan struct{}, 1)
			list, err := drained(woken[int]{NewWokenFeed(t.Context(), "feed", src, prefetch, wakes(wake)), wake})
			assert.Len(t, list, 100)
			assert.Equal(t, want, err)
		}
	}
}

// Nobody is woken who has not found that there is nothing, and who has is woken once for what comes.
func TestFeedWakesOnce(t *testing.T) {
	p := reactortest.NewTestPublisher[int](t)
	calls := 0
	f := NewWokenFeed(t.Context(), "feed", p, 3, func() { calls++ })
	p.Next(1)
	assert.Zero(t, calls)
	v, ok, err := f.Take()
	require.NoError(t, err)
	assert.True(t, ok)
	assert.Equal(t, 1, v)
	_, ok, err = f.Take()
	require.NoError(t, err)
	assert.False(t, ok)
	p.Next(2, 3)
	assert.Equal(t, 1, calls)
	for range 2 {
		_, ok, _ = f.Take()
		assert.True(t, ok)
	}
	_, ok, _ = f.Take()
	assert.False(t, ok)
	p.Complete()
	assert.Equal(t, 2, calls)
	_, ok, err = f.Take()
	assert.False(t, ok)
	assert.Equal(t, io.EOF, err)
	f.Close()
	_, _, err = f.Take()
	assert.Equal(t, reactor.ErrCancelled, err)
}

// What comes while the consumer finds nothing wakes it.
func TestFeedThatWakesRaces(t *testing.T) {
	racetest.Repeat(racetest.Iterations(3000), func(race func(fns ...func())) {
		l := ledger.New(t)
		ctx, end := context.WithCancel(l.Context(context.Background()))
		defer end()
		wake := make(chan struct{}, 1)
		sink := sinks.Many().Unicast().OnBackpressureBuffer[*ledger.Element]()
		f := woken[*ledger.Element]{NewWokenFeed(ctx, "feed", sink, 2, wakes(wake)), wake}
		got := 0
		race(
			func() {
				for {
					e, err := f.Next()
					if err != nil {
						break
					}
					l.Delivered(e)
					got++
				}
				f.Close()
			},
			func() {
				for range 3 {
					sink.TryEmitNext(l.Produce())
				}
				sink.TryEmitComplete()
			},
		)
		assert.Equal(t, 3, got)
		l.Check()
	})
}

func TestFeedInStepReadsNothingAhead(t *testing.T) {
	src := newFake()
	src.next = upTo(2, io.EOF)
	f := feedInStep(t.Context(), src.publisher(Settings{}))
	assert.Zero(t, src.opened.Load(), "opened by the first request")
	for want := range 2 {
		v, err := f.Next()
		require.NoError(t, err)
		assert.Equal(t, want+1, v)
		assert.Equal(t, want+1, src.n)
	}
	assert.Zero(t, schedulers.BoundedElastic().Stats().Busy, "read by the goroutine that asks")
	_, err := f.Next()
	assert.Equal(t, io.EOF, err)
	f.Close()
	src.check(t)
	assert.EqualValues(t, 1, src.closed.Load())
}

func TestFeedInStepFails(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(*fake)
		want string
	}{
		"Open":  {func(f *fake) { f.openErr = errBoom }, "boom"},
		"Emit":  {func(f *fake) { f.next = upTo(0, errBoom) }, "boom"},
		"panic": {func(f *fake) { f.next = func(int) (int, error) { panic(errBoom) } }, "reactor: fake.read: panic: boom"},
	} {
		src := newFake()
		c.set(src)
		list, err := drained(feedInStep(t.Context(), src.publisher(Settings{})))
		assert.Empty(t, list)
		assert.EqualError(t, err, c.want, name)
		src.check(t)
	}
}

// What is not read on the default scheduler, or is something else, is asked for an element ahead.
func TestFeedInStepOfOthers(t *testing.T) {
	p := reactortest.NewTestPublisher[int](t)
	f := feedInStep(t.Context(), p)
	p.AssertRequested(1)
	f.Close()
	reactortest.Bubble(t, func(t *testing.T) {
		src := newFake()
		f := feedInStep(t.Context(), src.publisher(Settings{On: schedulers.Parallel()}))
		synctest.Wait()
		assert.Equal(t, 1, src.n)
		f.Close()
		src.check(t)
	})
}

func TestFeedInStepIsInterrupted(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		for _, interrupt := range []func(woken[int], func()){
			func(f woken[int], _ func()) { f.Interrupt() },
			func(_ woken[int], end func()) { end() },
		} {
			ctx, cancel := context.WithCancel(t.Context())
			src := newFake()
			src.stuck = make(chan struct{})
			f := feedInStep(ctx, src.publisher(Settings{}))
			var over atomic.Bool
			go func() {
				_, err := drained(f)
				assert.Error(t, err)
				over.Store(true)
			}()
			synctest.Wait()
			assert.False(t, over.Load())
			interrupt(f, cancel)
			synctest.Wait()
			assert.True(t, over.Load())
			src.check(t)
			cancel()
		}
	})
}

// Each element is taken or discarded, the source is closed once, and the consumer gets away.
func TestFeedInStepRaces(t *testing.T) {
	racetest.Repeat(racetest.Iterations(5000), func(race func(fns ...func())) {
		l := ledger.New(t)
		ctx, end := context.WithCancel(l.Context(context.Background()))
		src := &numbered{fake: fake{freed: make(chan struct{})}, l: l}
		src.next = upTo(3, io.EOF)
		f := feedInStep(ctx, New(Settings{Op: "race"}, func() Source[*ledger.Element] { return src }))
		race(
			func() {
				for range 4 {
					if e, err := f.Next(); err == nil {
						l.Delivered(e)
					}
				}
				f.Close()
			},
			f.Interrupt,
			end,
		)
		// The goroutine that hears of the end of ctx may be the one that closes it.
		for i := 0; i < 1_000_000 && src.opened.Load() != src.closed.Load(); i++ {
			runtime.Gosched()
		}
		require.Equal(t, src.opened.Load(), src.closed.Load())
		require.False(t, src.overlap.Load())
		l.Check()
	})
}

func TestFeedHoldsNoMoreThanThePrefetch(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		p := reactortest.NewTestPublisher[int](t)
		f := NewFeed(t.Context(), "feed", p, 2)
		p.Next(1, 2)
		p.AssertRequested(2)
		v, ok := f.Poll()
		assert.Equal(t, 1, v)
		assert.True(t, ok)
		f.Close()
		p.AssertCancelled(1)
	})
}

func TestFeedThatGetsTooMuchFails(t *testing.T) {
	p := reactortest.NewTestPublisher[int](t, reactortest.SendsWithoutDemand)
	f := NewFeed(t.Context(), "feed", p, 1)
	p.Next(1, 2)
	list, err := drained(f)
	assert.Equal(t, []int{1}, list)
	assert.ErrorIs(t, err, reactor.ErrOverflow)
}

// TestFeedWithALargePrefetch: its memory is for what waits, not for what may.
func TestFeedWithALargePrefetch(t *testing.T) {
	p := reactortest.NewTestPublisher[int](t, reactortest.SendsWithoutDemand)
	f := NewFeed(t.Context(), "feed", p, queue.MaxRing+1)
	p.AssertRequested(queue.MaxRing + 1)
	for i := range queue.MaxRing + 2 {
		p.Next(i)
	}
	list, err := drained(f)
	assert.Len(t, list, queue.MaxRing+1)
	assert.ErrorIs(t, err, reactor.ErrOverflow)
	assert.ErrorContains(t, err, fmt.Sprint(queue.MaxRing+1))
	f = NewFeed(t.Context(), "feed", flux.Just(1, 2).Source(), math.MaxInt)
	list, err = drained(f)
	assert.Equal(t, []int{1, 2}, list)
	assert.Equal(t, io.EOF, err)
}

func TestFeedIsInterrupted(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		for _, interrupt := range []func(*Feed[int], func()){
			func(f *Feed[int], _ func()) { f.Interrupt() },
			func(_ *Feed[int], end func()) { end() },
		} {
			ctx, cancel := context.WithCancel(t.Context())
			f := NewFeed(ctx, "feed", flux.Never[int](), 1)
			var over atomic.Bool
			go func() {
				_, err := drained(f)
				assert.Error(t, err)
				over.Store(true)
			}()
			synctest.Wait()
			assert.False(t, over.Load())
			interrupt(f, cancel)
			synctest.Wait()
			assert.True(t, over.Load())
			cancel()
		}
	})
}

// A source that ends the goroutine when it hears of its cancellation takes nothing with it: the consumer
// gets away, and what was not taken is discarded.
func TestFeedOfASourceThatEndsTheGoroutine(t *testing.T) {
	for name, c := range map[string]struct {
		cancel func(f *Feed[*ledger.Element], down reactor.Subscriber[*ledger.Element], v *ledger.Element, end func())
		err    error
	}{
		"interrupted": {func(f *Feed[*ledger.Element], _ reactor.Subscriber[*ledger.Element], _ *ledger.Element, _ func()) {
			f.Interrupt()
		}, reactor.ErrCancelled},
		"end of the context": {func(_ *Feed[*ledger.Element], _ reactor.Subscriber[*ledger.Element], _ *ledger.Element, end func()) {
			end()
		}, context.Canceled},
		"too much": {func(_ *Feed[*ledger.Element], down reactor.Subscriber[*ledger.Element], v *ledger.Element, _ func()) {
			down.OnNext(v)
		}, reactor.ErrOverflow},
	} {
		t.Run(name, func(t *testing.T) {
			reactortest.Bubble(t, func(t *testing.T) {
				l := ledger.New(t)
				ctx, end := context.WithCancel(l.Context(context.Background()))
				up := &handDriven[*ledger.Element]{onCancel: runtime.Goexit}
				f := NewFeed(ctx, "feed", up, 1)
				held, more := l.Produce(), l.Produce()
				up.down.OnNext(held)
				go c.cancel(f, up.down, more, end)
				synctest.Wait()
				if c.err != reactor.ErrOverflow {
					up.down.OnNext(more)
				}
				var err error
				go func() {
					defer f.Close()
					for err == nil {
						var v *ledger.Element
						if v, err = f.Next(); err == nil {
							l.Delivered(v)
						}
					}
				}()
				synctest.Wait()
				assert.ErrorIs(t, err, c.err)
				l.Check()
			})
		})
	}
}

// A producer, the consumer, an interruption and the end of the stream meet: each element is
// taken or discarded, and the consumer gets away.
func TestFeedRaces(t *testing.T) {
	racetest.Repeat(racetest.Iterations(5000), func(race func(fns ...func())) {
		l := ledger.New(t)
		up := &handDriven[*ledger.Element]{}
		f := NewFeed(l.Context(context.Background()), "feed", up, 3)
		down := up.down
		race(
			func() {
				for range 3 {
					down.OnNext(l.Produce())
				}
				down.OnComplete()
			},
			func() {
				for range 2 {
					if e, err := f.Next(); err == nil {
						l.Delivered(e)
					}
				}
				f.Close()
			},
			f.Interrupt,
		)
		require.True(t, up.cancelled.Load() || f.ended.Load())
		l.Check()
	})
}

// handDriven hands out its subscriber.
type handDriven[T any] struct {
	down      reactor.Subscriber[T]
	cancelled atomic.Bool
	onCancel  func() // nil is none
}

func (h *handDriven[T]) Subscribe(_ context.Context, s reactor.Subscriber[T]) {
	h.down = s
	s.OnSubscribe(h)
}
func (h *handDriven[T]) Request(int64) {}
func (h *handDriven[T]) Cancel() {
	h.cancelled.Store(true)
	if h.onCancel != nil {
		h.onCancel()
	}
}
