package operators

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

// An error of the source that nobody gets is reported as dropped, whether it comes after the cancellation or has waited
// behind elements when that came. Not with DelaySequence, as the golden vectors show.
func TestErrorsThatACancellationKeepsBack(t *testing.T) {
	for name, op := range map[string]func(src stream) stream{
		"bufferTimeout": func(src stream) stream {
			fair := BufferTimeout(src, 2, time.Hour, On(&handScheduler{}), FairBackpressure())
			return Map(fair, func(b []int) int { return len(b) })
		},
		"throttle": func(src stream) stream { return Throttle(src, 1, time.Hour, On(&handScheduler{})) },
	} {
		t.Run(name, func(t *testing.T) {
			for when, end := range map[string]func(up *puppetSubscription[int], p *probe.Probe[int]){
				"waits": func(up *puppetSubscription[int], p *probe.Probe[int]) {
					up.OnError(errBoom)
					p.Cancel()
				},
				"comes late": func(up *puppetSubscription[int], p *probe.Probe[int]) {
					p.Cancel()
					up.OnError(errBoom)
				},
			} {
				ctx, hooks := probe.Recorded()
				src := &puppet[int]{}
				p := probeOf[int](0)
				op(src).Subscribe(ctx, p)
				src.last().OnNext(1)
				end(src.last(), p)
				p.Open(t)
				assert.Equal(t, []any{errBoom}, hooks.Errs, when)
				assert.Equal(t, []any{1}, hooks.Discarded, when)
			}
		})
	}
}

// The same where elements do not wait: the error comes while one is on its way, to a subscriber that cancels.
func TestErrorsThatACancellationOvertakes(t *testing.T) {
	for name, op := range map[string]func(src, other stream) stream{
		"bufferTimeout": func(src, _ stream) stream {
			return Map(BufferTimeout(src, 1, time.Hour, On(&handScheduler{})), func(b []int) int { return len(b) })
		},
		"bufferWhen": func(src, other stream) stream {
			buffers := BufferWhen(src, Concat(Just(0), Never[int]()), func(int) stream { return other })
			return Map(buffers, func(b []int) int { return len(b) })
		},
		"sample":        func(src, other stream) stream { return Sample(src, other) },
		"publishOn":     func(src, _ stream) stream { return PublishOn(src, schedulers.Immediate()) },
		"sampleTimeout": func(src, other stream) stream { return SampleTimeout(src, func(int) stream { return other }) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			src, other := &puppet[int]{}, &puppet[int]{}
			p := probeOf[int](9)
			p.Each = func(int) {
				src.last().OnError(errBoom)
				p.Cancel()
			}
			op(src, other).Subscribe(ctx, p)
			src.last().OnNext(1)
			if len(other.subs) > 0 {
				other.last().OnNext(0)
			}
			p.Open(t, 1)
			assert.Equal(t, []any{errBoom}, hooks.Errs)
		})
	}
}

// The same with a producer: its error came before the cancellation, with no element before it that waits.
func TestErrorOfAProducerThatACancellationOvertakes(t *testing.T) {
	for _, strategy := range []OverflowStrategy{OverflowBuffer, OverflowLatest, OverflowDrop} {
		ctx, hooks := probe.Recorded()
		p := probeOf[int](9)
		Create(func(s *FluxSink[int]) {
			p.Each = func(int) {
				s.Error(errBoom)
				p.Cancel()
			}
			s.Next(1)
		}, strategy).Subscribe(ctx, p)
		p.Open(t, 1)
		assert.Equal(t, []any{errBoom}, hooks.Errs)
	}
}

// A loop that is left has not come to the error of its source.
func TestAllLeftBeforeAnError(t *testing.T) {
	ctx, hooks := probe.Recorded()
	for _, err := range All(ctx, Concat(JustAll(1, 2, 3), Error[int](errBoom))) {
		require.NoError(t, err)
		break
	}
	assert.Equal(t, []any{2, 3}, hooks.Discarded)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
	hooks.Errs = nil
	told := 0
	for _, err := range All(ctx, Concat(Just(1), Error[int](errBoom))) {
		if err != nil {
			told++
		}
	}
	assert.Equal(t, 1, told)
	assert.Empty(t, hooks.Errs, "the loop was told")
}

// That the context has ended is no news, whoever tells of it: downstream has heard of it before. Other errors are.
func TestTheEndOfTheContextIsNoLateError(t *testing.T) {
	puppets := func(op func(src stream) stream) func() (stream, func(error)) {
		return func() (stream, func(error)) {
			src := &puppet[int]{}
			return op(src), func(err error) { src.last().OnError(err) }
		}
	}
	for name, build := range map[string]func() (stream, func(error)){
		"retry":         puppets(func(src stream) stream { return Retry(src) }),
		"retryWhen":     puppets(func(src stream) stream { return RetryWhen(src, RetryMax(3)) }),
		"onErrorResume": puppets(func(src stream) stream { return OnErrorResume(src, func(error) stream { return Just(1) }) }),
		"onErrorReturn": puppets(func(src stream) stream { return OnErrorReturn(src, 1) }),
		"create": func() (stream, func(error)) {
			var sink *FluxSink[int]
			return Create(func(s *FluxSink[int]) { sink = s }), func(err error) { sink.Error(err) }
		},
		"monoCreate": func() (stream, func(error)) {
			var sink *MonoSink[int]
			return MonoCreate(func(s *MonoSink[int]) { sink = s }), func(err error) { sink.Error(err) }
		},
	} {
		for _, late := range []error{context.Canceled, errBoom, errOther} {
			t.Run(name+" "+late.Error(), func(t *testing.T) {
				ctx, hooks := probe.Recorded()
				ctx, end := context.WithCancelCause(ctx)
				src, fail := build()
				p := runWith(ctx, src)
				end(errBoom)
				p.Cancel()
				fail(late)
				if late == errOther {
					assert.Equal(t, []any{errOther}, hooks.Errs)
				} else {
					assert.Empty(t, hooks.Errs)
				}
				p.Open(t)
			})
		}
	}
}

// The same where windows outlive their stream. As long as one of them is open, its subscriber gets the error.
func TestWindowErrorsAfterACancellation(t *testing.T) {
	for name, stage := range map[string]func(src stream) reactor.Publisher[stream]{
		"overlapping": func(src stream) reactor.Publisher[stream] { return Window(src, 3, bare[int], Stride(2)) },
		"windowUntil": func(src stream) reactor.Publisher[stream] { return WindowUntil(src, evenNumber, bare[int]) },
	} {
		for _, open := range []bool{true, false} {
			ctx, hooks := probe.Recorded()
			src := &puppet[int]{}
			r := readWindows(ctx, stage(src), 9, 9)
			src.last().OnNext(1)
			r.Cancel()
			if !open {
				r.windows[0].Cancel()
			}
			src.last().OnError(errBoom)
			if open {
				r.windows[0].Failed(t, errBoom, 1)
				assert.Empty(t, hooks.Errs, name)
			} else {
				r.windows[0].Open(t, 1)
				assert.Equal(t, []any{errBoom}, hooks.Errs, name)
			}
		}
	}
}

// An error that every rail has is one that nobody gets when all of them are cancelled: it is reported once, and not
// while another rail may get it.
func TestErrorOfRailsThatAreAllCancelled(t *testing.T) {
	for name, op := range map[string]func(rails ParallelPublisher[int]) ParallelPublisher[int]{
		"rails": func(rails ParallelPublisher[int]) ParallelPublisher[int] { return rails },
		"runOn": func(rails ParallelPublisher[int]) ParallelPublisher[int] {
			return ParallelRunOn(rails, schedulers.Immediate())
		},
		"runOn, twice": func(rails ParallelPublisher[int]) ParallelPublisher[int] {
			return ParallelRunOn(ParallelRunOn(rails, schedulers.Immediate()), schedulers.Immediate())
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, all := range []bool{true, false} {
				ctx, hooks := probe.Recorded()
				src := &puppet[int]{}
				a, b := probeOf[int](9), probeOf[int](9)
				a.Each = func(int) { // while the element is on its way
					src.last().OnError(errBoom)
					a.Cancel()
					if all {
						b.Cancel()
					}
				}
				ParallelSubscribe(ctx, op(Parallel(src, 2)), a, b)
				src.last().OnNext(1)
				a.Open(t, 1)
				if all {
					b.Open(t)
					assert.Equal(t, []any{errBoom}, hooks.Errs)
				} else {
					b.Failed(t, errBoom)
					assert.Empty(t, hooks.Errs)
				}
			}
		})
	}
}

// Rails of sources of their own have errors of their own.
func TestErrorsOfRailsThatDiffer(t *testing.T) {
	ctx, hooks := probe.Recorded()
	left, right := &puppet[int]{}, &puppet[int]{}
	other := errors.New("other")
	a, b := probeOf[int](9), probeOf[int](9)
	a.Each = func(int) {
		left.last().OnError(other)
		a.Cancel()
	}
	ParallelSubscribe(ctx, ParallelRunOn(ParallelFrom[int](left, right), schedulers.Immediate()), a, b)
	left.last().OnNext(1)
	right.last().OnError(errBoom)
	b.Failed(t, errBoom)
	assert.Equal(t, []any{other}, hooks.Errs)
}
