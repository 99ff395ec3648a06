package operators

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// goesOn is a stage that goes on with something else when its source has ended, which ends the
// goroutine: a guard of its own deals with that.
type goesOn struct {
	protocol.Inner
	ends int
}

func (s *goesOn) OnSubscribe(up reactor.Subscription) { up.Request(reactor.Unbounded) }
func (s *goesOn) OnNext(int)                          {}
func (s *goesOn) OnError(error)                       { s.end() }
func (s *goesOn) OnComplete()                         { s.end() }

func (s *goesOn) end() {
	if s.ends++; s.ends == 1 {
		failure.Guard(runtime.Goexit, func(error) {})
	}
}

// A source ends once, whatever becomes of the goroutine meanwhile: the subscriber may be at its next
// source by then.
func TestGoexitBelowTheEndOfASource(t *testing.T) {
	for name, src := range map[string]func() reactor.Publisher[int]{
		"just":      func() reactor.Publisher[int] { return Just(1) },
		"empty":     func() reactor.Publisher[int] { return Empty[int]() },
		"error":     func() reactor.Publisher[int] { return Error[int](assert.AnError) },
		"range":     func() reactor.Publisher[int] { return Range(1, 3) },
		"fromSlice": func() reactor.Publisher[int] { return FromSlice([]int{1, 2}) },
		"fromSeq":   func() reactor.Publisher[int] { return FromSeq(func(yield func(int) bool) { _ = yield(1) && yield(2) }) },
		"fromSeq2": func() reactor.Publisher[int] {
			return FromSeq2(func(yield func(int, error) bool) { yield(0, assert.AnError) })
		},
		"generate": func() reactor.Publisher[int] {
			return Generate(func() int { return 0 }, func(_ int, s *SyncSink[int]) int { s.Complete(); return 0 })
		},
		"generate, failing": func() reactor.Publisher[int] {
			return Generate(func() int { return 0 }, func(_ int, s *SyncSink[int]) int {
				s.Error(assert.AnError)
				return 0
			})
		},
		"generate, neither": func() reactor.Publisher[int] {
			return Generate(func() int { return 0 }, func(int, *SyncSink[int]) int { return 0 })
		},
		"fromCallable":  func() reactor.Publisher[int] { return FromSupplier(func() int { return 1 }) },
		"fromFunc":      func() reactor.Publisher[int] { return FromFunc(func(context.Context) (int, error) { return 1, nil }) },
		"fromRunnable":  func() reactor.Publisher[int] { return FromRunnable[int](func() error { return nil }) },
		"fromChan":      func() reactor.Publisher[int] { closed := make(chan int); close(closed); return FromChan(closed) },
		"create":        func() reactor.Publisher[int] { return Create(func(s *FluxSink[int]) { s.Next(1); s.Complete() }) },
		"create a mono": func() reactor.Publisher[int] { return MonoCreate(func(s *MonoSink[int]) { s.Success(1) }) },
		"repeat":        func() reactor.Publisher[int] { return Repeat(Hide(Range(1, 2)), Times(1)) },
		"concat":        func() reactor.Publisher[int] { return Concat(Range(1, 2), Range(1, 2)) },
		"merge":         func() reactor.Publisher[int] { return Merge(Range(1, 2), Hide(Range(1, 2))) },
		"concatMap":     func() reactor.Publisher[int] { return ConcatMap(Range(1, 2), Just[int]) },
		"flatMap": func() reactor.Publisher[int] {
			return FlatMap(Range(1, 2), func(n int) reactor.Publisher[int] { return Hide(Just(n)) })
		},
		"takeLast": func() reactor.Publisher[int] { return TakeLast(Range(1, 3), 1) },
		"zip": func() reactor.Publisher[int] {
			return ZipWith(Hide(Range(1, 2)), Hide(Range(1, 2)), func(a, b int) int { return a + b })
		},
		"rails": func() reactor.Publisher[int] { return ParallelSequential(Parallel(Range(1, 3), 2)) },
		"using": func() reactor.Publisher[int] {
			return Using(func(context.Context) (int, error) { return 1, nil }, func(int) reactor.Publisher[int] { return Range(1, 2) }, func(int) error { return nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}})
			synctest.Test(t, func(t *testing.T) {
				s := &goesOn{}
				go src().Subscribe(ctx, s)
				synctest.Wait()
				assert.Equal(t, 1, s.ends)
			})
		})
	}
}

// failsAtTheEnd is a subscriber whose OnComplete fails.
type failsAtTheEnd struct {
	*probe.Probe[int]
	fail func()
}

func (s failsAtTheEnd) OnComplete() { s.fail() }

// What is told of the end fails: all elements have arrived.
func TestFailureAtTheEndDiscardsNothing(t *testing.T) {
	for name, src := range map[string]reactor.Publisher[int]{
		"range": Range(1, 3), "fromSlice": FromSlice([]int{1, 2, 3}),
		"fromSeq":  FromSeq(func(yield func(int) bool) { yield(1) }),
		"generate": Generate(func() int { return 0 }, func(_ int, s *SyncSink[int]) int { s.Next(1); s.Complete(); return 0 }),
	} {
		for way, fail := range map[string]func(){"panics": func() { panic(assert.AnError) }, "ends the goroutine": runtime.Goexit} {
			ctx, hooks := probe.Recorded()
			p := probeOf[int](reactor.Unbounded)
			done := make(chan struct{})
			go func() {
				defer close(done)
				src.Subscribe(ctx, failsAtTheEnd{p, fail})
			}()
			<-done
			assert.Error(t, p.Failure(), "%s: %s", name, way)
			assert.Empty(t, hooks.Discarded, "%s: %s", name, way)
		}
	}
}
