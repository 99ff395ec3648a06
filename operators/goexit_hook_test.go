package operators

import (
	"context"
	"iter"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

// leavingOnce returns hooks of which the one for discarded elements ends the goroutine, the first time, and the list of these
// elements.
func leavingOnce(t *testing.T) (context.Context, *[]any) {
	t.Helper()
	var discarded []any
	return reactor.WithHooks(t.Context(), reactor.Hooks{
		Discard: func(_ context.Context, v any) {
			if discarded = append(discarded, v); len(discarded) == 1 {
				runtime.Goexit()
			}
		},
		ErrorDropped: func(context.Context, error) {},
	}), &discarded
}

// leavingAtAnError returns hooks of which the one for dropped errors ends the goroutine.
func leavingAtAnError(t *testing.T) context.Context {
	t.Helper()
	return reactor.WithHooks(t.Context(), reactor.Hooks{ErrorDropped: func(context.Context, error) { runtime.Goexit() }})
}

// endsOfASource are the ends of a source, and what becomes of the stream.
var endsOfASource = map[string]struct {
	tell func(*puppetSubscription[int])
	err  error
}{
	"an error":   {func(s *puppetSubscription[int]) { s.OnError(errBoom) }, errBoom},
	"completion": {func(s *puppetSubscription[int]) { s.OnComplete() }, nil},
}

func TestMonoZipEndsBehindTheDiscardHook(t *testing.T) {
	for name, end := range endsOfASource {
		t.Run(name, func(t *testing.T) {
			ctx, discarded := leavingOnce(t)
			a, b, src := &puppet[int]{}, &puppet[int]{}, &puppet[int]{}
			p := runWith(ctx, MonoZip([]stream{a, b, src}, func([]int) int { return 0 }, DelayErrors()))
			a.last().OnNext(1)
			b.last().OnNext(2)
			racetest.Aside(func() { end.tell(src.last()) })
			p.Check(t, end.err, end.err == nil)
			assert.Equal(t, []any{1, 2}, *discarded)
		})
	}
	t.Run("several errors", func(t *testing.T) {
		ctx, discarded := leavingOnce(t)
		a, b, src := &puppet[int]{}, &puppet[int]{}, &puppet[int]{}
		p := runWith(ctx, MonoZip([]stream{a, b, src}, func([]int) int { return 0 }, DelayErrors()))
		a.last().OnNext(1)
		b.last().OnError(errOther)
		racetest.Aside(func() { src.last().OnError(errBoom) })
		p.Failed(t, errOther)
		p.Failed(t, errBoom)
		assert.Equal(t, []any{1}, *discarded)
	})
}

func TestMonoZipWhoseFunctionFailsEndsBehindTheDiscardHook(t *testing.T) {
	ctx, discarded := leavingOnce(t)
	a, b := &puppet[int]{}, &puppet[int]{}
	p := runWith(ctx, MonoZip([]stream{a, b}, func([]int) int { panic(errBoom) }))
	a.last().OnNext(1)
	racetest.Aside(func() { b.last().OnNext(2) })
	p.Failed(t, errBoom)
	assert.Equal(t, []any{1, 2}, *discarded)
}

func TestWithLatestFromEndsBehindTheDiscardHook(t *testing.T) {
	for name, end := range endsOfASource {
		t.Run(name, func(t *testing.T) {
			ctx, discarded := leavingOnce(t)
			src, other := &puppet[int]{}, &puppet[int]{}
			p := runWith(ctx, WithLatestFrom(src, other, func(a, b int) int { return a + b }))
			other.last().OnNext(1)
			racetest.Aside(func() { end.tell(src.last()) })
			p.Check(t, end.err, end.err == nil)
			assert.EqualValues(t, 1, other.last().cancels.Load())
			assert.Equal(t, []any{1}, *discarded)
		})
	}
}

// The element that is left of the other publisher when the function has failed is discarded before the end.
func TestWithLatestFromWhoseFunctionFailsEndsBehindTheDiscardHook(t *testing.T) {
	ctx, discarded := leavingOnce(t)
	other, p := &puppet[int]{}, probeOf[int](1)
	src := &puppet[int]{}
	WithLatestFrom(src, other, func(int, int) int { panic(errBoom) }).Subscribe(ctx, p)
	other.last().OnNext(1)
	racetest.Aside(func() {
		defer src.last().OnError(errBoom) // as the guard of a source does
		defer func() { assert.Equal(t, errBoom, recover()) }()
		src.last().OnNext(5)
	})
	p.Failed(t, errBoom)
	assert.Equal(t, []any{1}, *discarded)
}

func TestConcatMapToTheBoundaryEndsBehindTheDiscardHook(t *testing.T) {
	ctx, discarded := leavingOnce(t)
	src, inner := &puppet[int]{}, &puppet[int]{}
	p := runWith(ctx, ConcatMap(src, func(int) stream { return inner }, DelayErrorsToBoundary()))
	for v := range 3 {
		src.last().OnNext(v)
	}
	racetest.Aside(func() { inner.last().OnError(errBoom) })
	p.Failed(t, errBoom)
	assert.Equal(t, []any{1, 2}, *discarded)
}

func TestConcatMapEndsBehindTheHookForTheErrorOfItsSource(t *testing.T) {
	src, inner, p := &puppet[int]{}, &puppet[int]{}, probeOf[int](1)
	ConcatMap(src, func(int) stream { return inner }, Prefetch(0), DelayErrors()).Subscribe(leavingAtAnError(t), p)
	src.last().OnNext(0)
	inner.last().OnError(errBoom)
	racetest.Aside(func() { src.last().OnError(errOther) })
	p.Failed(t, errBoom)
}

func TestFlatMapCancelsBehindTheDiscardHook(t *testing.T) {
	ctx, discarded := leavingOnce(t)
	src, inner, p := &puppet[int]{}, &puppet[int]{}, probeOf[int](0)
	FlatMap(src, func(v int) stream {
		if v == 0 {
			return inner
		}
		return Just(v)
	}).Subscribe(ctx, p)
	for v := range 3 {
		src.last().OnNext(v)
	}
	inner.last().OnNext(10)
	racetest.Aside(p.Cancel)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.EqualValues(t, 1, inner.last().cancels.Load())
	assert.ElementsMatch(t, []any{1, 2, 10}, *discarded)
}

func TestOverflowEndsTheStreamBehindTheDiscardHook(t *testing.T) {
	first := func(int, int) int { return 0 }
	for name, use := range map[string]func(a, b stream) stream{
		"zip":               func(a, b stream) stream { return Zip2(a, b, first, Prefetch(1)) },
		"combineLatest":     func(a, b stream) stream { return CombineLatest2(a, b, first, Prefetch(1)) },
		"mergeComparing":    func(a, b stream) stream { return MergeComparing(first, []stream{a, b}, Prefetch(1)) },
		"flatMapSequential": func(a, b stream) stream { return MergeSequential([]stream{b, a}, Prefetch(1)) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, discarded := leavingOnce(t)
			a, b, p := &puppet[int]{}, &puppet[int]{}, probeOf[int](0)
			use(a, b).Subscribe(ctx, p)
			b.last().OnNext(-1)
			for v := 1; len(*discarded) == 0; v++ { // until there is no room
				racetest.Aside(func() { a.last().OnNext(v) })
			}
			p.Failed(t, reactor.ErrOverflow)
			assert.Subset(t, *discarded, []any{-1, 1})
		})
	}
}

func TestSequencesEndBehindTheDiscardHook(t *testing.T) {
	for name, use := range map[string]func(iter.Seq[int]) stream{
		"zipWithSeq": func(seq iter.Seq[int]) stream {
			return ZipWithSeq(Never[int](), seq, func(a, b int) int { return a + b })
		},
		"flatMapSeq": func(seq iter.Seq[int]) stream {
			return FlatMapSeq(Hide(Just(1)), func(int) iter.Seq[int] { return seq })
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, discarded := leavingOnce(t)
			ended, p := 0, probeOf[int](1)
			use(func(yield func(int) bool) {
				defer func() { ended++ }()
				for v := 0; yield(v); v++ {
				}
			}).Subscribe(ctx, p)
			racetest.Aside(p.Cancel)
			assert.Equal(t, 1, ended)
			assert.Len(t, *discarded, 1)
		})
	}
}

func TestFlatMapSliceDiscardsTheRestOnce(t *testing.T) {
	ctx, discarded := leavingOnce(t)
	src, p := &puppet[int]{}, probeOf[int](1)
	FlatMapSlice(src, func(int) []int { return []int{1, 2, 3} }).Subscribe(ctx, p)
	src.last().OnNext(0)
	racetest.Aside(p.Cancel)
	assert.Equal(t, []any{2, 3}, *discarded)
}

func TestAKnownElementFailsBehindTheDiscardHook(t *testing.T) {
	for name, use := range map[string]func(stream) stream{
		"flatMap": func(src stream) stream { return FlatMap(src, func(int) stream { panic(errBoom) }) },
		"tryFlatMapSlice": func(src stream) stream {
			return TryFlatMapSlice(src, func(int) ([]int, error) { return nil, errBoom })
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, discarded := leavingOnce(t)
			p := probeOf[int](1)
			racetest.Aside(func() { use(Just(1)).Subscribe(ctx, p) })
			p.Failed(t, errBoom)
			assert.Equal(t, []any{1}, *discarded)
		})
	}
}

// Both a failure of a source and a cancellation come while the function for the lifetime of an element runs: that failure is dropped,
// and the lifetimes end all the same.
func TestJoinEndsLifetimesBehindTheHookForErrors(t *testing.T) {
	left, right, life, p := &puppet[int]{}, &puppet[int]{}, &puppet[int]{}, probeOf[int](9)
	Join(left, right, func(int) stream { return life }, func(int) stream {
		right.last().OnError(errOther)
		p.Cancel()
		return Never[int]()
	}, func(a, b int) int { return a + b }).Subscribe(leavingAtAnError(t), p)
	left.last().OnNext(1)
	racetest.Aside(func() { right.last().OnNext(2) })
	assert.EqualValues(t, 1, life.last().cancels.Load())
}

// leavingAtTheEnd counts the ends it gets, and ends the goroutine at each.
type leavingAtTheEnd struct {
	probe.Probe[int]
	ends int
}

func (p *leavingAtTheEnd) OnError(err error) { p.ends++; p.Probe.OnError(err); runtime.Goexit() }

func (p *leavingAtTheEnd) OnComplete() { p.ends++; p.Probe.OnComplete(); runtime.Goexit() }

// The end is told once also if downstream ends the goroutine there.
func TestZipOfKnownSourcesTellsItsEndOnce(t *testing.T) {
	for name, end := range map[string]stream{"completion": Empty[int](), "an error": Error[int](errBoom)} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			p := &leavingAtTheEnd{}
			racetest.Aside(func() { Zip([]stream{Just(1), end}, func([]int) int { return 0 }).Subscribe(ctx, p) })
			p.Faultless(t)
			assert.Equal(t, 1, p.ends)
			assert.Equal(t, []any{1}, hooks.Discarded)
		})
	}
}

func TestZipOfKnownSourcesEndsBehindTheDiscardHook(t *testing.T) {
	ctx, discarded := leavingOnce(t)
	p := probeOf[int](1)
	racetest.Aside(func() {
		Zip([]stream{Just(1), Just(2), Error[int](errBoom)}, func([]int) int { return 0 }).Subscribe(ctx, p)
	})
	p.Failed(t, errBoom)
	assert.Equal(t, []any{1, 2}, *discarded)
}

// The hook for errors of operators ends the goroutine: the error goes down as it was, and the element is discarded.
func TestErrorsEndTheStreamBehindTheirHook(t *testing.T) {
	for name, op := range map[string]func(src stream) stream{
		"map":       func(src stream) stream { return Map(src, func(int) int { panic(errBoom) }) },
		"tryMap":    func(src stream) stream { return TryMap(src, func(int) (int, error) { return 0, errBoom }) },
		"tryFilter": func(src stream) stream { return TryFilter(src, func(int) (bool, error) { return false, errBoom }) },
		"doOnNext":  func(src stream) stream { return DoOnNext(src, func(int) { panic(errBoom) }) },
		"filter":    func(src stream) stream { return Filter(src, func(int) bool { panic(errBoom) }) },
		"concatMap": func(src stream) stream { return ConcatMap(src, func(int) stream { panic(errBoom) }) },
		"flatMap":   func(src stream) stream { return FlatMap(src, func(int) stream { panic(errBoom) }) },
		"handle":    func(src stream) stream { return Handle(src, func(_ int, s *SyncSink[int]) { s.Error(errBoom) }) },
		"publishOn, then map": func(src stream) stream {
			return Map(PublishOn(src, schedulers.Immediate()), func(int) int { panic(errBoom) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			var discarded []any
			ctx := reactor.WithHooks(t.Context(), reactor.Hooks{
				OperatorError: func(context.Context, error, any) error { runtime.Goexit(); return nil },
				Discard:       func(_ context.Context, v any) { discarded = append(discarded, v) },
				ErrorDropped:  func(context.Context, error) {},
			})
			p := probeOf[int](reactor.Unbounded)
			racetest.Aside(func() { op(Hide(Range(1, 3))).Subscribe(ctx, p) })
			p.Failed(t, errBoom)
			assert.Equal(t, []any{1}, discarded)
		})
	}
}

// The hook ends the goroutine at the first element of a buffer: it gets the others all the same.
func TestBuffersAreDiscardedBehindTheDiscardHook(t *testing.T) {
	for name, op := range map[string]func(src stream) reactor.Publisher[[]int]{
		"buffer":      func(src stream) reactor.Publisher[[]int] { return Buffer(src, 5) },
		"bufferUntil": func(src stream) reactor.Publisher[[]int] { return BufferUntil(src, func(int) bool { return false }) },
		"bufferTimeout, fair": func(src stream) reactor.Publisher[[]int] {
			return BufferTimeout(src, 5, time.Hour, FairBackpressure())
		},
		"bufferWhen": func(src stream) reactor.Publisher[[]int] {
			return BufferWhen(src, Just(1), func(int) reactor.Publisher[int] { return Never[int]() })
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, discarded := leavingOnce(t)
			src := &puppet[int]{}
			p := probeOf[[]int](3)
			op(src).Subscribe(ctx, p)
			for v := range 3 {
				src.last().OnNext(v)
			}
			racetest.Aside(p.Cancel)
			assert.Equal(t, []any{0, 1, 2}, *discarded)
		})
	}
}

// PublishOn of a mono is cancelled while its element waits for the scheduler, and the discard hook ends the goroutine: the source hears of it.
func TestMonoPublishOnIsCancelledBehindTheDiscardHook(t *testing.T) {
	ctx, discarded := leavingOnce(t)
	src := &puppet[int]{}
	p := runWith(ctx, MonoPublishOn(src, &handScheduler{}))
	src.last().OnNext(1)
	racetest.Aside(p.Cancel)
	assert.Equal(t, []any{1}, *discarded)
	assert.EqualValues(t, 1, src.last().cancels.Load())
}
