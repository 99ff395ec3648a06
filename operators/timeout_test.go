package operators

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

func TestTimeout(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := run(Timeout(src, 10, On(h)))
	h.forward(9)
	src.last().OnNext(1)
	h.forward(9)
	src.last().OnNext(2)
	assert.Equal(t, 1, h.pending(), "one timer at a time")
	h.forward(9)
	p.Open(t, 1, 2)
	h.forward(1)
	p.Failed(t, reactor.ErrTimeout, 1, 2)
	assert.ErrorContains(t, p.Failure(), "no signal within 10ns")
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.Zero(t, h.pending())
}

func TestTimeoutPassesTheEnd(t *testing.T) {
	h := &handScheduler{}
	run(Timeout(Range(1, 3), 10, On(h))).Done(t, 1, 2, 3)
	run(Timeout(Empty[int](), 10, On(h))).Done(t)
	src := &puppet[int]{}
	p := run(Timeout(src, 10, On(h)))
	src.last().OnNext(1)
	src.last().OnError(errBoom)
	p.Failed(t, errBoom, 1)
	assert.Zero(t, h.pending())
}

func TestTimeoutLateSignals(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := runWith(ctx, Timeout(src, 10, On(h)))
	h.forward(10)
	src.last().OnNext(1)
	src.last().OnError(errBoom)
	src.last().OnComplete()
	p.Failed(t, reactor.ErrTimeout)
	assert.Equal(t, []any{1}, hooks.Dropped)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}

func TestTimeoutCancel(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := run(Timeout(src, 10, On(h)))
	p.Cancel()
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.Zero(t, h.pending())

	p = probeOf[int](0)
	p.Subscribed = func(up reactor.Subscription) { up.Cancel() }
	Timeout(src, 10, On(h)).Subscribe(context.Background(), p)
	assert.Zero(t, h.pending(), "no timer for a stream that nobody wants")
}

func TestTimeoutFallbackInheritsDemand(t *testing.T) {
	h := &handScheduler{}
	src, other := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](5)
	TimeoutFallback(src, 10, reactor.Publisher[int](other), On(h)).Subscribe(context.Background(), p)
	src.last().OnNext(1)
	src.last().OnNext(2)
	assert.Zero(t, other.count())
	h.forward(10)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.EqualValues(t, 3, other.last().requested.Load())
	p.Request(2)
	assert.EqualValues(t, 5, other.last().requested.Load())
	h.forward(100)
	other.last().OnNext(3)
	p.Open(t, 1, 2, 3)
	assert.Zero(t, h.pending(), "no limit for the fallback")
	p.Cancel()
	assert.EqualValues(t, 1, other.last().cancels.Load())
}

func TestTimeoutFallbackIsNotSubscribedAfterCancel(t *testing.T) {
	h := &handScheduler{}
	src, other := &puppet[int]{}, &puppet[int]{}
	p := run(TimeoutFallback(src, 10, reactor.Publisher[int](other), On(h)))
	src.onSubscription = nil
	src.last().Subscriber.OnNext(1)
	p.Cancel()
	h.forward(10)
	assert.Zero(t, other.count())
}

func TestTimeoutRejected(t *testing.T) {
	h := &handScheduler{}
	h.refuse(schedulers.ErrUnavailable)
	src := &puppet[int]{}
	p := run(Timeout(src, 10, On(h)))
	p.Failed(t, reactor.ErrRejected)
	assert.EqualValues(t, 1, src.last().cancels.Load())

	h.refuse(nil)
	p = run(Timeout(src, 10, On(h)))
	h.refuse(schedulers.ErrCapacity)
	src.last().OnNext(1)
	p.Failed(t, reactor.ErrRejected, 1)
	src.last().OnNext(2)
	p.Failed(t, reactor.ErrRejected, 1)
	run(Timeout(Just(1), 10, On(schedulers.Immediate()))).Failed(t, reactor.ErrRejected) // before it is asked
}

// The source is cancelled also if downstream ends the goroutine when it hears that there is no limit.
func TestTimeoutRejectedAndGoexit(t *testing.T) {
	h := &handScheduler{}
	h.refuse(schedulers.ErrUnavailable)
	for name, op := range map[string]func(stream) stream{
		"timeout":     func(src stream) stream { return Timeout(src, 10, On(h)) },
		"monoTimeout": func(src stream) stream { return MonoTimeout(src, 10, nil, On(h)) },
	} {
		src := &puppet[int]{}
		racetest.Aside(func() { op(src).Subscribe(t.Context(), exitsAtAnError{probeOf[int](1)}) })
		assert.EqualValues(t, 1, src.last().cancels.Load(), name)
	}
}

// exitsAtAnError ends the goroutine that tells of an error.
type exitsAtAnError struct{ *probe.Probe[int] }

func (s exitsAtAnError) OnError(err error) {
	s.Probe.OnError(err)
	runtime.Goexit()
}

func TestTimeoutFirst(t *testing.T) {
	for name, signal := range map[string]func(*puppetSubscription[string]){
		"element":    func(s *puppetSubscription[string]) { s.OnNext("now") },
		"completion": func(s *puppetSubscription[string]) { s.OnComplete() },
	} {
		t.Run(name, func(t *testing.T) {
			src, first := &puppet[int]{}, &puppet[string]{}
			p := run(TimeoutFirst(src, reactor.Publisher[string](first)))
			signal(first.last())
			p.Failed(t, reactor.ErrTimeout)
			assert.ErrorContains(t, p.Failure(), "no signal before the trigger")

			p = run(TimeoutFirst(src, reactor.Publisher[string](first)))
			src.last().OnNext(1)
			assert.EqualValues(t, 1, first.last().cancels.Load())
			signal(first.last())
			src.last().OnNext(2)
			src.last().OnComplete()
			p.Done(t, 1, 2)
		})
	}
	src, first := &puppet[int]{}, &puppet[string]{}
	p := run(TimeoutFirst(src, reactor.Publisher[string](first)))
	first.last().OnError(errBoom)
	p.Failed(t, errBoom)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	run(TimeoutFirstFallback[int, string](Never[int](), Empty[string](), Just(7))).Done(t, 7)
}

// What is there when it is asked for comes before the trigger, also through another limit.
func TestTimeoutFirstOfWhatIsThereAtOnce(t *testing.T) {
	once := TimeoutFirst(Range(1, 1), Empty[string]())
	run(once).Done(t, 1)
	run(TimeoutFirst(once, Empty[string]())).Done(t, 1)
}

func TestTimeoutWhen(t *testing.T) {
	src := &puppet[int]{}
	limits := map[int]*puppet[string]{1: {}, 2: {}}
	p := run(TimeoutWhen(src, Never[string](), func(v int) reactor.Publisher[string] { return limits[v] }))
	src.last().OnNext(1)
	src.last().OnNext(2)
	assert.EqualValues(t, 1, limits[1].last().cancels.Load())
	limits[1].last().OnNext("late")
	p.Open(t, 1, 2)
	limits[2].last().OnNext("now")
	p.Failed(t, reactor.ErrTimeout, 1, 2)
}

func TestTimeoutWhenTheTriggerIsThereAtOnce(t *testing.T) {
	p := run(TimeoutWhen(Range(1, 3), Never[int](), func(int) reactor.Publisher[int] { return Just(0) }))
	p.Failed(t, reactor.ErrTimeout, 1)
	run(TimeoutFirst(Never[int](), Empty[int]())).Failed(t, reactor.ErrTimeout)
	run(TimeoutFirst(Range(1, 2), Empty[int]())).Done(t, 1, 2)
}

func TestTimeoutWhenFunctionFails(t *testing.T) {
	ctx, hooks := probe.Recorded()
	for name, fn := range map[string]func(int) reactor.Publisher[int]{
		"panic": func(int) reactor.Publisher[int] { panic(errBoom) },
		"nil":   func(int) reactor.Publisher[int] { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			src := &puppet[int]{}
			p := runWith(ctx, TimeoutWhen(src, Never[int](), fn))
			src.last().OnNext(1)
			p.Items(t, 1)
			var failure *reactor.PanicError
			assert.ErrorAs(t, p.Failure(), &failure)
			assert.EqualValues(t, 1, src.last().cancels.Load())
		})
	}
	assert.Empty(t, hooks.Discarded, "the element was delivered")
}

func TestTimeoutDownstreamPanics(t *testing.T) {
	h := &handScheduler{}
	p := run(Map(Timeout(Range(1, 3), 10, On(h)), func(int) int { panic(errBoom) }))
	p.Failed(t, errBoom)
	assert.Zero(t, h.pending())
}

func TestMonoTimeoutLimitsTheFirstOnly(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := run(MonoTimeout(src, 10, nil, On(h)))
	src.last().OnNext(1)
	assert.Zero(t, h.pending())
	src.last().OnComplete()
	p.Done(t, 1)
	p = run(MonoTimeout(src, 10, Just(2), On(h)))
	h.forward(10)
	p.Done(t, 2)
}

func TestTimeoutBadArguments(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: timeout: duration must be positive, got 0s", func() { Timeout(Just(1), 0) })
	assert.PanicsWithValue(t, "reactor: timeout: the function is nil", func() {
		TimeoutWhen[int, int, int](Just(1), Just(1), nil)
	})
	assert.PanicsWithValue(t, "reactor: timeout: the scheduler is nil", func() { Timeout(Just(1), 1, On(nil)) })
}

func TestTimeoutRaces(t *testing.T) {
	for name, stage := range map[string]func(src elements, h *handScheduler) elements{
		"plain": func(src elements, h *handScheduler) elements { return Timeout(src, 2*time.Second, On(h)) },
		"fallback": func(src elements, h *handScheduler) elements {
			return TimeoutFallback(src, time.Second, Empty[element](), On(h))
		},
		"when": func(src elements, h *handScheduler) elements {
			return TimeoutWhen(src, Delay(time.Second, On(h)), func(element) reactor.Publisher[int64] { return Delay(time.Second, On(h)) })
		},
	} {
		t.Run(name, func(t *testing.T) { raceStage(t, 60, stage) })
	}
}

func TestTimeoutIsATimeout(t *testing.T) {
	h := &handScheduler{}
	p := run(Timeout(Never[int](), time.Second, On(h)))
	h.forward(time.Second)
	var timeout interface{ Timeout() bool }
	assert.True(t, errors.As(p.Failure(), &timeout) && timeout.Timeout())
}

// The limit runs before src is asked: a source that works in Request, where nobody else can
// be told of it, is cancelled in time.
func TestTimeoutOfASourceThatBlocksInRequest(t *testing.T) {
	schedulers.ShutdownNow() // the shared ones belong to this bubble, and to no other test
	synctest.Test(t, func(t *testing.T) {
		defer schedulers.ShutdownNow()
		var cause error
		src := FromFunc(func(ctx context.Context) (int, error) {
			select {
			case <-ctx.Done():
				cause = context.Cause(ctx)
				return 0, ctx.Err()
			case <-time.After(time.Hour):
				return 1, nil
			}
		})
		for name, limited := range map[string]reactor.Publisher[int]{
			"timeout":      Timeout(src, time.Second),
			"mono timeout": MonoTimeout(src, time.Second, nil),
		} {
			began, p := time.Now(), run(limited)
			synctest.Wait()
			p.Failed(t, reactor.ErrTimeout)
			assert.Equal(t, time.Second, time.Since(began), name)
			assert.ErrorIs(t, cause, reactor.ErrCancelled, name)
		}
		began, p := time.Now(), run(TimeoutFallback(src, time.Second, Just(7)))
		synctest.Wait()
		p.Done(t, 7)
		assert.Equal(t, time.Second, time.Since(began))
	})
}

func TestTimeoutFirstFallback(t *testing.T) {
	src, first := &puppet[int]{}, &puppet[string]{}
	p := run(TimeoutFirstFallback(src, reactor.Publisher[string](first), Just(9)))
	first.last().OnComplete()
	assert.EqualValues(t, 1, src.last().cancels.Load())
	p.Done(t, 9)

	p = run(TimeoutFirstFallback(src, reactor.Publisher[string](first), Just(9)))
	src.last().OnNext(1)
	assert.EqualValues(t, 1, first.last().cancels.Load(), "it is in time")
	src.last().OnComplete()
	p.Done(t, 1)
}

func TestTimeoutWhenFallback(t *testing.T) {
	src, second := &puppet[int]{}, &puppet[string]{}
	p := run(TimeoutWhenFallback(src, Never[string](), func(int) reactor.Publisher[string] { return second }, Just(9)))
	src.last().OnNext(1)
	p.Open(t, 1)
	second.last().OnNext("late")
	assert.EqualValues(t, 1, src.last().cancels.Load())
	p.Done(t, 1, 9)
}
