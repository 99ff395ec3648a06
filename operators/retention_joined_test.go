package operators

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

// A combiner that panics leaves none of the tuples before with the subscription.
func TestZipEndsWithoutTheTupleBefore(t *testing.T) {
	var held *weighty
	p := askedFor(Zip2(Range(1, 2), Range(1, 2), func(n, _ int) *weighty {
		if n == 2 {
			panic(errBoom)
		}
		return held
	}), 0)
	assert.True(t, letGo(func(v *weighty) {
		held = v
		p.Request(reactor.Unbounded)
		held = nil
	}))
	p.Failed(t, errBoom, true)
	runtime.KeepAlive(p.Up)
}

func TestParallelLetsGoOfTheError(t *testing.T) {
	for name, stage := range map[string]func(src ParallelPublisher[int]) ParallelPublisher[int]{
		"parallel": func(src ParallelPublisher[int]) ParallelPublisher[int] { return src },
		"runOn": func(src ParallelPublisher[int]) ParallelPublisher[int] {
			return ParallelRunOn(src, schedulers.Immediate())
		},
	} {
		src := &puppet[int]{}
		ended := [2]bool{}
		first, second := &forgetful{over: &ended[0]}, &forgetful{over: &ended[1]}
		ParallelSubscribe(context.Background(), stage(Parallel(src, 2)), first, second)
		assert.True(t, letGo(func(v *weighty) { src.last().OnError(v) }), name)
		assert.Equal(t, [2]bool{true, true}, ended, name)
		runtime.KeepAlive(first)
		runtime.KeepAlive(second)
	}
}

func TestFirstWithValueLetsGoOfTheErrors(t *testing.T) {
	for _, won := range []bool{false, true} {
		a, b := &puppet[int]{}, &puppet[int]{}
		ended := false
		up := &forgetful{over: &ended}
		FirstWithValue(a, b).Subscribe(context.Background(), up)
		assert.True(t, letGo(func(v *weighty) {
			a.last().OnError(v)
			if won {
				b.last().OnNext(1)
			}
			b.last().OnComplete()
		}), "won: %v", won)
		assert.True(t, ended)
		runtime.KeepAlive(up)
	}
}

func TestWindowLetsGoOfTheError(t *testing.T) {
	for _, cancelled := range []bool{false, true} {
		src, up := &puppet[int]{}, &unhurried{}
		run(OnErrorComplete(Window(src, 3, func(w reactor.Publisher[int]) int {
			w.Subscribe(context.Background(), up)
			return 0
		})))
		src.last().OnNext(1)
		assert.True(t, letGo(func(v *weighty) {
			src.last().OnError(v)
			if cancelled {
				up.up.Cancel()
			} else {
				up.up.Request(1)
			}
		}), "cancelled: %v", cancelled)
		assert.Equal(t, !cancelled, *up.over)
		runtime.KeepAlive(up)
	}
}

func TestUntilChangedLetsGoOfTheKey(t *testing.T) {
	for _, err := range []error{nil, errBoom} {
		for name, stage := range map[string]func(reactor.Publisher[int], func(int) *weighty) reactor.Publisher[int]{
			"buffer": func(src reactor.Publisher[int], key func(int) *weighty) reactor.Publisher[int] {
				return Map(BufferUntilChanged(src, key), func([]int) int { return 0 })
			},
			"window": func(src reactor.Publisher[int], key func(int) *weighty) reactor.Publisher[int] {
				return WindowUntilChanged(src, key, func(reactor.Publisher[int]) int { return 0 })
			},
		} {
			src := &puppet[int]{}
			var key *weighty
			p := run(stage(src, func(int) *weighty { return key }))
			assert.True(t, letGo(func(v *weighty) {
				key = v
				src.last().OnNext(1)
				key = nil
				if err != nil {
					src.last().OnError(err)
				} else {
					src.last().OnComplete()
				}
			}), name)
			runtime.KeepAlive(p.Up)
		}
	}
}

func TestRetryWhenLetsGoOfWhatTheCompanionIgnores(t *testing.T) {
	for name, end := range map[string]func(src, companion *puppet[int], up *forgetful){
		"by the companion": func(_, companion *puppet[int], _ *forgetful) { companion.last().OnComplete() },
		"by the source": func(src, companion *puppet[int], _ *forgetful) {
			companion.last().OnNext(1)
			src.last().OnComplete()
		},
		"cancelled": func(_, _ *puppet[int], up *forgetful) { up.up.Cancel() },
	} {
		src, companion := &puppet[int]{}, &puppet[int]{}
		up := &forgetful{over: new(bool)}
		RetryWhen(src, RetryFrom(func(reactor.Publisher[RetrySignal]) reactor.Publisher[int] { return companion })).Subscribe(context.Background(), up)
		assert.True(t, letGo(func(v *weighty) {
			src.last().OnError(v)
			end(src, companion, up)
		}), name)
		assert.Equal(t, name != "cancelled", *up.over, name)
		runtime.KeepAlive(up)
	}
}

// The end of the context that comes while the first element is on its way is not reported: the call has returned the element.
func TestBlockFirstDuringWhichTheContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recorded, hooks := probe.Recorded()
		ctx, cancel := context.WithCancel(recorded)
		v, err := BlockFirst(ctx, Map(Hide(Range(1, 3)), func(n int) int {
			cancel()
			synctest.Wait()
			return n
		}))
		synctest.Wait()
		assert.True(t, v == 1 && err == nil)
		assert.Empty(t, hooks.Errs)
	})
}

// A rail without a subscriber costs no worker.
func TestRunOnOfNobodyLeavesNoWorker(t *testing.T) {
	h := &handScheduler{}
	rails := []reactor.Subscriber[int]{probeOf[int](0), nil}
	assert.Panics(t, func() { ParallelRunOn(Parallel(Range(0, 2), 2), h).SubscribeRails(context.Background(), rails) })
	h.assertReleased(t)
}
