package operators

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

func TestTakeUntilOther(t *testing.T) {
	for name, signal := range map[string]func(*puppetSubscription[string]){
		"element":    func(s *puppetSubscription[string]) { s.OnNext("stop") },
		"completion": func(s *puppetSubscription[string]) { s.OnComplete() },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := recordHooks()
			src, other := &puppet[int]{}, &puppet[string]{}
			p := probeOf[int](5)
			TakeUntilOther(src, reactor.Publisher[string](other)).Subscribe(ctx, p)
			assert.EqualValues(t, 5, src.last().requested.Load())
			src.last().OnNext(1)
			signal(other.last())
			p.assertCompleted(t, 1)
			assert.EqualValues(t, 1, src.last().cancels.Load())
			src.last().OnNext(2)
			src.last().OnComplete()
			accounted(t, p, hooks, 1, 2)
		})
	}
}

func TestTakeUntilOtherSourceEnds(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[string]{}
	p := run(TakeUntilOther(src, reactor.Publisher[string](other)))
	src.last().OnNext(1)
	src.last().OnComplete()
	p.assertCompleted(t, 1)
	assert.EqualValues(t, 1, other.last().cancels.Load())
	other.last().OnNext("late")
	assert.Zero(t, src.last().cancels.Load(), "it has ended already")
	p.assertCompleted(t, 1)

	p = run(TakeUntilOther(src, reactor.Publisher[string](other)))
	src.last().OnError(errBoom)
	p.assertFailed(t, errBoom)
	assert.EqualValues(t, 1, other.last().cancels.Load())
}

func TestTakeUntilOtherFails(t *testing.T) {
	ctx, hooks := recordHooks()
	src, other := &puppet[int]{}, &puppet[string]{}
	p := runWith(ctx, TakeUntilOther(src, reactor.Publisher[string](other)))
	other.last().OnError(errBoom)
	p.assertFailed(t, errBoom)
	assert.EqualValues(t, 1, src.last().cancels.Load(), "the source is still live")
	src.last().OnError(errBoom)
	assert.Equal(t, []any{errBoom}, hooks.droppedErrors)
}

func TestTakeUntilOtherThatIsThereAtOnce(t *testing.T) {
	src := &puppet[int]{}
	run(TakeUntilOther(src, Just(1))).assertCompleted(t)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	run(TakeUntilOther(Range(1, 3), Error[int](errBoom))).assertFailed(t, errBoom)
}

// silent gives no subscription before it is told to.
type silent struct{ puppet[int] }

func (s *silent) Subscribe(context.Context, reactor.Subscriber[int]) {}

func TestTakeForEndsBeforeTheSourceHasBegun(t *testing.T) {
	h := &handScheduler{}
	p := run(TakeFor[int](From[int](&silent{}), 10, On(h)))
	h.forward(10)
	p.assertCompleted(t)
}

func TestTakeFor(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := run(TakeFor(src, 10, On(h)))
	src.last().OnNext(1)
	h.forward(9)
	src.last().OnNext(2)
	h.forward(1)
	p.assertCompleted(t, 1, 2)
	p = run(TakeFor(src, 10, On(h)))
	p.cancel()
	assert.Zero(t, h.pending())
	run(TakeFor(Range(1, 3), 0, On(h))).assertCompleted(t)
	h.refuse(schedulers.ErrUnavailable)
	run(TakeFor(Range(1, 3), 10, On(h))).assertFailed(t, reactor.ErrRejected)
	assert.PanicsWithValue(t, "reactor: takeFor: duration must not be negative, got -1ns", func() { TakeFor(Just(1), -1) })
}

func TestTakeForWithinAnElement(t *testing.T) {
	h := &handScheduler{}
	p := probeOf[int](reactor.Unbounded)
	p.onNext = func(int) {
		h.forward(10)
		assert.False(t, p.ended(), "the end waits for the element")
	}
	TakeFor(Range(1, 5), 10, On(h)).Subscribe(context.Background(), p)
	p.assertCompleted(t, 1)
}

func TestTakeForDownstreamPanics(t *testing.T) {
	h := &handScheduler{}
	run(Map(TakeFor(Range(1, 5), 10, On(h)), func(int) int { panic(errBoom) })).assertFailed(t, errBoom)
	assert.Zero(t, h.pending())
}

func TestSkipUntilOther(t *testing.T) {
	ctx, hooks := recordHooks()
	src, other := &puppet[int]{}, &puppet[string]{}
	p := probeOf[int](2)
	SkipUntilOther(src, reactor.Publisher[string](other)).Subscribe(ctx, p)
	src.last().OnNext(1)
	assert.EqualValues(t, 3, src.last().requested.Load(), "one more for the discarded one")
	other.last().OnNext("go")
	assert.EqualValues(t, 1, other.last().cancels.Load())
	src.last().OnNext(2)
	src.last().OnNext(3)
	src.last().OnComplete()
	p.assertCompleted(t, 2, 3)
	accounted(t, p, hooks, 1, 2, 3)
}

func TestSkipUntilOtherEnds(t *testing.T) {
	ctx, hooks := recordHooks()
	src, other := &puppet[int]{}, &puppet[string]{}
	p := runWith(ctx, SkipUntilOther(src, reactor.Publisher[string](other)))
	other.last().OnError(errBoom)
	p.assertFailed(t, errBoom)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	p = runWith(ctx, SkipUntilOther(src, reactor.Publisher[string](other)))
	src.last().OnComplete()
	p.assertCompleted(t)
	assert.EqualValues(t, 1, other.last().cancels.Load())
	p = runWith(ctx, SkipUntilOther(src, reactor.Publisher[string](other)))
	p.cancel()
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.EqualValues(t, 1, other.last().cancels.Load())
	assert.Empty(t, hooks.droppedErrors)
}

func TestSkipFor(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := run(SkipFor(src, 10, On(h)))
	h.forward(9)
	src.last().OnNext(1)
	h.forward(1)
	src.last().OnNext(2)
	p.assertOpen(t, 2)
	run(SkipFor(Range(1, 3), 0, On(h))).assertCompleted(t, 1, 2, 3)
	run(SkipFor(Range(1, 3), 10, On(h))).assertCompleted(t)
	h.refuse(schedulers.ErrUnavailable)
	run(SkipFor(Range(1, 3), 10, On(h))).assertFailed(t, reactor.ErrRejected)
}

func TestUntilOtherRaces(t *testing.T) {
	for name, stage := range map[string]func(src elements, h *handScheduler) elements{
		"take":      func(src elements, h *handScheduler) elements { return TakeFor(src, time.Second, On(h)) },
		"takeOther": func(src elements, h *handScheduler) elements { return TakeUntilOther(src, Delay(2*time.Second, On(h))) },
		"skip":      func(src elements, h *handScheduler) elements { return SkipFor(src, time.Second, On(h)) },
		"skipOther": func(src elements, h *handScheduler) elements { return SkipUntilOther(src, Delay(2*time.Second, On(h))) },
	} {
		t.Run(name, func(t *testing.T) { raceStage(t, 60, stage) })
	}
}

func TestTimes(t *testing.T) {
	h := &handScheduler{}
	h.forward(100)
	src := &puppet[string]{}
	elapsed := run(Elapsed(src, func(d time.Duration, v string) string { return v + d.String() }, On(h)))
	first := src.last()
	timestamp := run(Timestamp(src, func(at time.Time, v string) int64 { return at.UnixNano() }, On(h)))
	second := src.last()
	timed := run(Timed(src, func(t reactor.Timed[string]) string { return t.String() }, On(h)))
	third := src.last()
	for _, v := range []string{"a", "b"} {
		h.forward(7)
		first.OnNext(v)
		second.OnNext(v)
		third.OnNext(v)
	}
	elapsed.assertOpen(t, "a7ns", "b7ns")
	timestamp.assertOpen(t, 107, 114)
	timed.assertOpen(t, "a after 7ns (7ns)", "b after 7ns (14ns)")
	first.OnComplete()
	elapsed.assertCompleted(t, "a7ns", "b7ns")
	second.OnError(errBoom)
	timestamp.assertFailed(t, errBoom, 107, 114)
	run(Elapsed(Range(0, 3), func(time.Duration, int) int { panic(errBoom) }, On(h))).assertFailed(t, errBoom)
	assert.PanicsWithValue(t, "reactor: elapsed: the function is nil", func() { Elapsed[int, int](Just(1), nil) })
}
