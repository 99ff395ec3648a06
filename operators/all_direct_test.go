package operators_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/operators"
)

// computed are sources that compute their elements where they are asked, and stages that hand that on.
func computed() map[string]reactor.Publisher[int] {
	return map[string]reactor.Publisher[int]{
		"range": operators.Range(0, 10),
		"slice": operators.FromSlice([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}),
		"sequence": operators.FromSeq(func(yield func(int) bool) {
			for i := 0; i < 10 && yield(i); i++ {
			}
		}),
		"generate": operators.Generate(func() int { return 0 }, func(i int, s *operators.SyncSink[int]) int {
			if i == 10 {
				s.Complete()
			} else {
				s.Next(i)
			}
			return i + 1
		}),
		"map":    operators.Map(operators.Range(0, 10), func(i int) int { return i }),
		"filter": operators.Filter(operators.Range(0, 10), func(int) bool { return true }),
		"take":   operators.Take(operators.Range(0, 100), 10),
	}
}

func TestAllComputesWhatTheLoopComesTo(t *testing.T) {
	for name, src := range computed() {
		t.Run(name, func(t *testing.T) {
			made := 0
			src := operators.DoOnNext(src, func(int) { made++ })
			want := 0
			for v, err := range operators.All(t.Context(), src) {
				assert.NoError(t, err)
				assert.Equal(t, want, v)
				want++
				assert.Equal(t, want, made, "nothing is computed ahead")
			}
			assert.Equal(t, 10, want)
		})
	}
}

func TestAllIsLeftEarly(t *testing.T) {
	for name, src := range computed() {
		t.Run(name, func(t *testing.T) {
			made := 0
			for v, err := range operators.All(t.Context(), operators.DoOnNext(src, func(int) { made++ })) {
				assert.NoError(t, err)
				if v == 3 {
					break
				}
			}
			assert.Equal(t, 4, made)
		})
	}
}

// A panic of the body is none of the stream's business: it comes with the stack of the body.
func TestAllLetsThePanicOfTheBodyPass(t *testing.T) {
	for name, src := range computed() {
		t.Run(name, func(t *testing.T) {
			errs := 0
			src := operators.DoOnError(src, func(error) { errs++ })
			where := ""
			func() {
				defer func() {
					var pcs [64]uintptr
					n := runtime.Callers(0, pcs[:])
					for frames := runtime.CallersFrames(pcs[:n]); ; {
						f, more := frames.Next()
						where += f.Function + "\n"
						if !more {
							break
						}
					}
					assert.Equal(t, "mine", recover())
				}()
				for v, err := range operators.All(t.Context(), src) {
					assert.NoError(t, err)
					if v == 2 {
						bodyThatPanics()
					}
				}
			}()
			assert.Zero(t, errs)
			assert.True(t, strings.Contains(where, "bodyThatPanics"), where)
		})
	}
}

func bodyThatPanics() { panic("mine") }

func TestAllLetsAGoexitOfTheBodyPass(t *testing.T) {
	for name, src := range computed() {
		t.Run(name, func(t *testing.T) {
			hooks := reactor.Hooks{
				ErrorDropped: func(_ context.Context, err error) { assert.Fail(t, "dropped", err) },
				Discard:      func(_ context.Context, v any) { assert.Greater(t, v, 2, "the body has it") },
			}
			ctx := reactor.WithHooks(t.Context(), hooks)
			after := false
			done := make(chan struct{})
			go func() {
				defer close(done)
				for v, err := range operators.All(ctx, src) {
					assert.NoError(t, err)
					if v == 2 {
						runtime.Goexit()
					}
				}
				after = true
			}()
			<-done
			assert.False(t, after)
		})
	}
}

// What a stage has kept until the body has the element before is in nobody's hands if the body is left by a panic, or by a
// Goexit: the stage discards it. The body has what came to it.
func TestAllLeavesWhatWaitsBehindAnElementToTheStage(t *testing.T) {
	for name, leave := range map[string]func(){"panic": func() { panic("mine") }, "Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			var discarded []any
			ctx := reactor.WithHooks(t.Context(), reactor.Hooks{
				ErrorDropped: func(_ context.Context, err error) { assert.Fail(t, "dropped", err) },
				Discard:      func(_ context.Context, v any) { discarded = append(discarded, v) },
			})
			var got []int
			racetest.Aside(func() {
				defer func() { _ = recover() }()
				for v, err := range operators.All(ctx, operators.SkipLast(operators.SkipLast(operators.Range(0, 10), 1), 2)) {
					assert.NoError(t, err)
					if got = append(got, v); v == 1 {
						leave()
					}
				}
			})
			assert.Equal(t, []int{0, 1}, got)
			assert.ElementsMatch(t, []any{2, 3, 4}, discarded)
		})
	}
}

func TestAllEndsWithItsContext(t *testing.T) {
	for name, src := range computed() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				boom := errors.New("boom")
				var got []int
				var last error
				for v, err := range operators.All(ctx, src) {
					if last = err; err != nil {
						continue
					}
					got = append(got, v)
					if v == 2 {
						cancel(boom)
						synctest.Wait() // the end has come to the source
					}
				}
				assert.Equal(t, []int{0, 1, 2}, got)
				assert.Equal(t, boom, last)
			})
		})
	}
}

func TestAllWithAFailureAboveTheBody(t *testing.T) {
	src := operators.Map(operators.Range(0, 10), func(i int) int {
		if i == 2 {
			panic("above")
		}
		return i
	})
	var got []int
	var last error
	for v, err := range operators.All(t.Context(), src) {
		if last = err; err == nil {
			got = append(got, v)
		}
	}
	assert.Equal(t, []int{0, 1}, got)
	assert.ErrorAs(t, last, new(*reactor.PanicError))
}

// OnSubscribe may come from another goroutine: then elements do, too.
func TestAllOfAPublisherThatSubscribesElsewhere(t *testing.T) {
	src := elsewhereSubscribed{operators.Range(0, 1000)}
	sum := 0
	for v, err := range operators.All(t.Context(), src) {
		assert.NoError(t, err)
		sum += v
	}
	assert.Equal(t, 499_500, sum)
}

type elsewhereSubscribed struct{ reactor.Publisher[int] }

func (p elsewhereSubscribed) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	go p.Publisher.Subscribe(ctx, s)
}
