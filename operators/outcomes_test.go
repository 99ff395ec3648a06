package operators

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// Who counts the outcomes of a source by DoFinally must get one for each round, and the one
// that it had. What has ended is not cancelled by the stage that decides about the next round.
func TestOutcomesOfRounds(t *testing.T) {
	const failed, completed = reactor.KindError, reactor.KindComplete
	take := func(n int) func(p reactor.Publisher[RetrySignal]) reactor.Publisher[RetrySignal] {
		return func(p reactor.Publisher[RetrySignal]) reactor.Publisher[RetrySignal] { return Take(p, n) }
	}
	fail, empty := Error[int](errBoom), Empty[int]()
	for name, c := range map[string]struct {
		src   reactor.Publisher[int]
		stage func(reactor.Publisher[int], *handScheduler) reactor.Publisher[int]
		want  []reactor.SignalKind
	}{
		"RetryMax": {fail, func(p reactor.Publisher[int], _ *handScheduler) reactor.Publisher[int] {
			return RetryWhen(p, RetryMax(1))
		}, []reactor.SignalKind{failed, failed}},
		"RetryFixedDelay": {fail, func(p reactor.Publisher[int], h *handScheduler) reactor.Publisher[int] {
			return RetryWhen(p, RetryFixedDelay(1, time.Second).On(h))
		}, []reactor.SignalKind{failed, failed}},
		"RetryFrom": {fail, func(p reactor.Publisher[int], _ *handScheduler) reactor.Publisher[int] {
			return RetryWhen(p, RetryFrom(take(1)))
		}, []reactor.SignalKind{failed, failed}},
		"RepeatTimes": {Just(1), func(p reactor.Publisher[int], _ *handScheduler) reactor.Publisher[int] {
			return RepeatWhen(p, RepeatTimes(1))
		}, []reactor.SignalKind{completed, completed}},
		"RepeatFrom": {Just(1), func(p reactor.Publisher[int], _ *handScheduler) reactor.Publisher[int] {
			return RepeatWhen(p, RepeatFrom(func(p reactor.Publisher[int64]) reactor.Publisher[int64] { return Take(p, 1) }))
		}, []reactor.SignalKind{completed, completed}},
		"repeatWhenEmpty": {empty, func(p reactor.Publisher[int], _ *handScheduler) reactor.Publisher[int] {
			return MonoRepeatWhenEmpty(p, RepeatTimes(9), MaxRepeats(1))
		}, []reactor.SignalKind{completed, completed}},
		"firstWithValue": {fail, func(p reactor.Publisher[int], _ *handScheduler) reactor.Publisher[int] {
			return FirstWithValue(p, Empty[int]())
		}, []reactor.SignalKind{failed}},
		"switchMap queued": {fail, func(p reactor.Publisher[int], _ *handScheduler) reactor.Publisher[int] {
			return SwitchMap(p, Just[int], Prefetch(1))
		}, []reactor.SignalKind{failed}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []reactor.SignalKind
			cancels := 0
			h := &handScheduler{}
			src := DoFinally(DoOnCancel(c.src, func() { cancels++ }), func(k reactor.SignalKind) { got = append(got, k) })
			p := run(c.stage(src, h))
			h.forward(time.Minute)
			assert.True(t, p.Over())
			assert.Equal(t, c.want, got)
			assert.Zero(t, cancels)
		})
	}
	t.Run("to the letter", func(t *testing.T) {
		cancels := 0
		run(RepeatWhen(DoOnCancel(Just(1), func() { cancels++ }), RepeatTimes(1), Verbatim())).Done(t, 1, 1)
		run(RetryWhen(DoOnCancel(fail, func() { cancels++ }), RetryFrom(take(1)), Verbatim())).Done(t)
		run(MonoRepeatWhenEmpty(DoOnCancel(empty, func() { cancels++ }), RepeatTimes(1), Verbatim())).Done(t)
		assert.Equal(t, 3, cancels)
	})
	t.Run("a gate that is done", func(t *testing.T) {
		cancels := 0
		gate := func(RetrySignal) reactor.Publisher[struct{}] {
			return DoOnCancel(Empty[struct{}](), func() { cancels++ })
		}
		src := &puppet[int]{}
		p := run(RetryWhen(src, RetryMax(3).DoBeforeRetryAsync(gate)))
		src.last().OnError(errBoom)
		p.Cancel()
		assert.Zero(t, cancels)
		assert.EqualValues(t, 1, src.last().cancels.Load())
	})
}
