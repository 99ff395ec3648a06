package operators

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

// A scheduler refuses, and what hears of the cancellation that this causes ends the goroutine: the
// stream ends all the same.
func TestGoexitWhenASchedulerRefuses(t *testing.T) {
	s := schedulers.NewSingle("gone")
	s.Dispose()
	for name, build := range map[string]func(reactor.Publisher[int]) reactor.Publisher[int]{
		"publishOn":     func(src reactor.Publisher[int]) reactor.Publisher[int] { return PublishOn(src, s) },
		"delayElement":  func(src reactor.Publisher[int]) reactor.Publisher[int] { return MonoDelayElement(src, 1, On(s)) },
		"delaySequence": func(src reactor.Publisher[int]) reactor.Publisher[int] { return DelaySequence(src, 1, On(s)) },
		"delayElements": func(src reactor.Publisher[int]) reactor.Publisher[int] { return DelayElements(src, 1, On(s)) },
		"timeout":       func(src reactor.Publisher[int]) reactor.Publisher[int] { return Timeout(src, 1, On(s)) },
		"throttle":      func(src reactor.Publisher[int]) reactor.Publisher[int] { return Throttle(src, 1, 1, On(s)) },
		"sampleTimeout": func(src reactor.Publisher[int]) reactor.Publisher[int] { return SampleTimeoutFor(src, 1, On(s)) },
		"bufferTimeout": func(src reactor.Publisher[int]) reactor.Publisher[int] {
			return FlatMapSlice(BufferTimeout(src, 2, 1, On(s)), func(b []int) []int { return b })
		},
		"windowTimeout": func(src reactor.Publisher[int]) reactor.Publisher[int] {
			return MergeAll(WindowTimeout(src, 2, 1, func(w reactor.Publisher[int]) reactor.Publisher[int] { return w }, On(s)))
		},
		"rails": func(src reactor.Publisher[int]) reactor.Publisher[int] {
			return ParallelSequential(ParallelRunOn(Parallel(src, 2), s))
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}})
			heard := 0
			src := DoOnCancel(Concat(Just(1), Never[int]()), func() { heard++; runtime.Goexit() })
			p := probeOf[int](reactor.Unbounded)
			done := make(chan struct{})
			go func() {
				defer close(done)
				build(src).Subscribe(ctx, p)
			}()
			<-done
			assert.True(t, p.Over())
			assert.ErrorIs(t, p.Failure(), reactor.ErrRejected)
			assert.Equal(t, 1, heard)
		})
	}
}
