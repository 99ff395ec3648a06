package operators

import (
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestConcat(t *testing.T) {
	run(Concat[int]()).Done(t)
	run(Concat(FromSlice([]int{1, 2}))).Done(t, 1, 2)
	run(Concat(FromSlice([]int{1, 2}), Empty[int](), Just(3))).Done(t, 1, 2, 3)
	run(Concat(failing(1), Just(3))).Failed(t, errBoom, 1)
	run(ConcatWith(Just(1), Just(2), Just(3))).Done(t, 1, 2, 3)
	run(ConcatWith(Just(1))).Done(t, 1)
	run(StartWith(Just(1), Just(2), Just(3))).Done(t, 2, 3, 1)
	run(StartWith(Just(1))).Done(t, 1)
}

// A source that ends the goroutine which subscribes it may complete on another one meanwhile; the race detector looks on.
func TestResubscribedSourceThatEndsTheGoroutineCompletesElsewhere(t *testing.T) {
	for name, operator := range map[string]func(src stream) stream{
		"concat": func(src stream) stream { return Concat(src, src, src) },
		"repeatWhen": func(src stream) stream {
			return RepeatWhen(src, RepeatFrom(func(ends reactor.Publisher[int64]) reactor.Publisher[int64] {
				return Take(ends, 2)
			}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := &puppet[int]{onSubscription: func(n int, s *puppetSubscription[int]) {
					if n == 2 {
						go s.OnComplete()
						runtime.Goexit()
					}
					s.OnComplete()
				}}
				p := probeOf[int](9)
				racetest.Aside(func() { operator(src).Subscribe(t.Context(), p) })
				synctest.Wait()
				p.Faultless(t)
				assert.True(t, p.Over())
			})
		})
	}
}

func TestConcatWithMakesOneStage(t *testing.T) {
	base := Concat(Just(1), Just(2))
	a, b := ConcatWith(base, Just(3)), ConcatWith(base, Just(4), Just(5))
	assert.Len(t, a.(*concatPublisher[int]).sources, 3)
	run(a).Done(t, 1, 2, 3)
	run(b).Done(t, 1, 2, 4, 5)
	run(base).Done(t, 1, 2)
}

func TestStartWith(t *testing.T) {
	src := &puppet[int]{}
	p := probeOf[int](2)
	StartWith(src, Range(1, 2), Just(3)).Subscribe(t.Context(), p)
	p.Open(t, 1, 2)
	assert.Zero(t, src.count(), "the others come first")
	p.Request(2)
	p.Open(t, 1, 2, 3)
	assert.EqualValues(t, 1, src.last().requested.Load(), "what is left of the demand")
	src.last().OnNext(4)
	src.last().OnComplete()
	p.Done(t, 1, 2, 3, 4)

	never := &puppet[int]{}
	run(StartWith(never, Error[int](errBoom))).Failed(t, errBoom)
	assert.Zero(t, never.count())
}
