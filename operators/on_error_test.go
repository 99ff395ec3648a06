package operators

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
)

var (
	errBoom  = errors.New("boom")
	errOther = errors.New("other")
)

// failing sends the items and fails with errBoom.
func failing[T any](items ...T) reactor.Publisher[T] {
	return Concat(FromSlice(items), Error[T](errBoom))
}

// onErrorStages are the error handlers, each in a form that would turn an error into
// something else if it caught it.
func onErrorStages() map[string]func(reactor.Publisher[int]) reactor.Publisher[int] {
	return map[string]func(reactor.Publisher[int]) reactor.Publisher[int]{
		"onErrorReturn": func(p reactor.Publisher[int]) reactor.Publisher[int] { return OnErrorReturn(p, -1) },
		"onErrorResume": func(p reactor.Publisher[int]) reactor.Publisher[int] {
			return OnErrorResume(p, func(error) reactor.Publisher[int] { return FromSlice([]int{-1, -2}) })
		},
		"onErrorMap": func(p reactor.Publisher[int]) reactor.Publisher[int] {
			return OnErrorMap(p, func(error) error { return errOther })
		},
		"onErrorComplete": func(p reactor.Publisher[int]) reactor.Publisher[int] { return OnErrorComplete(p) },
		"retry":           func(p reactor.Publisher[int]) reactor.Publisher[int] { return Retry(p, Times(3)) },
		"concatDelayError": func(p reactor.Publisher[int]) reactor.Publisher[int] {
			return ConcatDelayError(p, FromSlice([]int{-1, -2}))
		},
	}
}

func TestOnErrorReturn(t *testing.T) {
	run(OnErrorReturn(failing(1, 2), 9)).assertCompleted(t, 1, 2, 9)
	run(OnErrorReturn(failing[int](), 9)).assertCompleted(t, 9)
	run(OnErrorReturn(FromSlice([]int{1, 2}), 9)).assertCompleted(t, 1, 2)
	run(OnErrorReturn(failing(1), 9, WhenIs(io.EOF))).assertFailed(t, errBoom, 1)
	run(OnErrorReturn(failing(1), 9, WhenIs(io.EOF), WhenIs(errOther, errBoom))).assertCompleted(t, 1, 9)
}

func TestOnErrorReturnWaitsForDemand(t *testing.T) {
	p := probeOf[int](2)
	OnErrorReturn(failing(1, 2), 9).Subscribe(context.Background(), p)
	p.assertOpen(t, 1, 2)
	p.request(1)
	p.assertCompleted(t, 1, 2, 9)
}

func TestOnErrorReturnCancelledWhileTheFallbackWaits(t *testing.T) {
	ctx, hooks := recordHooks()
	p := probeOf[int](1)
	OnErrorReturn(failing(1), 9).Subscribe(ctx, p)
	p.cancel()
	p.request(5)
	p.assertOpen(t, 1)
	assert.Empty(t, hooks.discarded, "others may need it")
}

func TestOnErrorResume(t *testing.T) {
	var seen error
	fallback := func(err error) reactor.Publisher[int] { seen = err; return FromSlice([]int{8, 9}) }
	run(OnErrorResume(failing(1, 2), fallback)).assertCompleted(t, 1, 2, 8, 9)
	assert.Equal(t, errBoom, seen)
	run(OnErrorResume(failing(1), func(error) reactor.Publisher[int] { return failing(5) })).assertFailed(t, errBoom, 1, 5)
	run(OnErrorResume(failing(1), fallback, WhenError(func(err error) bool { return false }))).assertFailed(t, errBoom, 1)
	run(OnErrorResume(Error[int](&strconv.NumError{Err: io.EOF}), fallback, WhenAs[*strconv.NumError]())).assertCompleted(t, 8, 9)
	run(OnErrorResume(failing(1), fallback, WhenAs[*strconv.NumError]())).assertFailed(t, errBoom, 1)
}

func TestOnErrorResumeAsksTheFallbackForWhatIsOpen(t *testing.T) {
	src, fallback := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](5)
	OnErrorResume(src, func(error) *puppet[int] { return fallback }).Subscribe(context.Background(), p)
	src.last().OnNext(1)
	src.last().OnNext(2)
	p.request(4)
	assert.Equal(t, int64(9), src.last().requested.Load())
	src.last().OnError(errBoom)
	assert.Equal(t, int64(7), fallback.last().requested.Load())
	p.request(1)
	assert.Equal(t, int64(8), fallback.last().requested.Load())
	assert.Equal(t, int64(9), src.last().requested.Load(), "it has ended")
	p.cancel()
	assert.Equal(t, int64(1), fallback.last().cancels.Load())
	assert.Zero(t, src.last().cancels.Load())
}

func TestOnErrorResumeAfterCancellation(t *testing.T) {
	ctx, hooks := recordHooks()
	src := &puppet[int]{}
	p := probeOf[int](1)
	OnErrorResume(src, func(error) reactor.Publisher[int] { t.Error("called"); return Never[int]() }).Subscribe(ctx, p)
	p.cancel()
	src.last().OnError(errBoom)
	p.assertOpen(t)
	assert.Equal(t, []any{errBoom}, hooks.droppedErrors)
}

func TestOnErrorFunctionsThatFailThemselves(t *testing.T) {
	broken := errors.New("broken")
	for name, src := range map[string]reactor.Publisher[int]{
		"onErrorResume": OnErrorResume(failing(1), func(error) reactor.Publisher[int] { panic(broken) }),
		"onErrorMap":    OnErrorMap(failing(1), func(error) error { panic(broken) }),
		"filter":        OnErrorComplete(failing(1), WhenError(func(error) bool { panic(broken) })),
		"retry":         Retry(failing(1), WhenError(func(error) bool { panic(broken) })),
	} {
		t.Run(name, func(t *testing.T) {
			p := run(src)
			p.assertFailed(t, broken, 1)
			assert.ErrorIs(t, p.failure(), errBoom, "and what it was called for")
			var pe *reactor.PanicError
			require.ErrorAs(t, p.failure(), &pe)
			assert.NotEmpty(t, pe.Op)
		})
	}
}

func TestOnErrorResumeWithNilPublisher(t *testing.T) {
	p := run(OnErrorResume(failing(1), func(error) reactor.Publisher[int] { return nil }))
	p.assertFailed(t, errBoom, 1)
	var pe *reactor.PanicError
	assert.ErrorAs(t, p.failure(), &pe)
}

func TestOnErrorMap(t *testing.T) {
	run(OnErrorMap(failing(1), func(err error) error { return errors.Join(err, errOther) })).assertFailed(t, errOther, 1)
	run(OnErrorMap(failing(1), func(error) error { return nil })).assertFailed(t, reactor.ErrNilError, 1)
	run(OnErrorMap(failing(1), func(error) error { return errOther }, WhenIs(io.EOF))).assertFailed(t, errBoom, 1)
	run(OnErrorMap(Just(1), func(error) error { return errOther })).assertCompleted(t, 1)
}

func TestOnErrorComplete(t *testing.T) {
	run(OnErrorComplete(failing(1))).assertCompleted(t, 1)
	run(OnErrorComplete(failing(1), WhenIs(io.EOF))).assertFailed(t, errBoom, 1)
	run(OnErrorComplete(FromSlice([]int{1, 2}))).assertCompleted(t, 1, 2)
}

// A failure of something downstream unwinds through the handler's OnNext and is none
// of its business.
func TestErrorHandlersDoNotCatchWhatFailsDownstream(t *testing.T) {
	for name, stage := range onErrorStages() {
		t.Run(name, func(t *testing.T) {
			p := run(Map(stage(FromSlice([]int{1, 2, 3})), func(v int) int {
				if v == 2 {
					panic(errBoom)
				}
				return v
			}))
			p.assertFailed(t, errBoom, 1)
		})
	}
}

func TestErrorHandlersAndGoexitDownstream(t *testing.T) {
	for name, stage := range onErrorStages() {
		t.Run(name, func(t *testing.T) {
			p := probeOf[int](reactor.Unbounded)
			done := make(chan struct{})
			go func() {
				defer close(done)
				Map(stage(FromSlice([]int{1, 2, 3})), func(v int) int {
					if v == 2 {
						runtime.Goexit()
					}
					return v
				}).Subscribe(context.Background(), p)
			}()
			<-done
			p.assertFailed(t, reactor.ErrGoexit, 1)
		})
	}
}

func TestErrorHandlersCatchWhatFailsUpstream(t *testing.T) {
	upstream := Map(FromSlice([]int{1, 2, 3}), func(v int) int {
		if v == 2 {
			panic(errBoom)
		}
		return v
	})
	run(OnErrorReturn(upstream, 9)).assertCompleted(t, 1, 9)
	run(OnErrorComplete(upstream)).assertCompleted(t, 1)
	run(OnErrorMap(upstream, func(error) error { return errOther })).assertFailed(t, errOther, 1)
	run(ConcatDelayError(upstream, Just(7))).assertFailed(t, errBoom, 1, 7)
	run(Retry(upstream, Times(1))).assertFailed(t, errBoom, 1, 1)
}

func TestErrorFilterNil(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: onErrorMap: the error filter is nil", func() {
		OnErrorMap(Just(1), func(err error) error { return err }, nil)
	})
	assert.PanicsWithValue(t, "reactor: whenError: the predicate is nil", func() { WhenError(nil) })
	assert.PanicsWithValue(t, "reactor: onErrorResume: the fallback function is nil", func() {
		OnErrorResume[int, reactor.Publisher[int]](Just(1), nil)
	})
}

func TestOnErrorContinue(t *testing.T) {
	type seen struct {
		err error
		v   any
	}
	var log []seen
	report := func(err error, v any) { log = append(log, seen{err, v}) }
	odd := func(v int) int {
		if v%2 == 0 {
			panic(errBoom)
		}
		return v
	}
	for name, src := range map[string]reactor.Publisher[int]{
		"map": Map(FromSlice([]int{1, 2, 3, 4}), odd),
		"tryMap": TryMap(FromSlice([]int{1, 2, 3, 4}), func(v int) (int, error) {
			if v%2 == 0 {
				return 0, errBoom
			}
			return v, nil
		}),
		"filter": Filter(FromSlice([]int{1, 2, 3, 4}), func(v int) bool { return odd(v) > 0 }),
	} {
		t.Run(name, func(t *testing.T) {
			log = nil
			run(OnErrorContinue(src, report)).assertCompleted(t, 1, 3)
			require.Len(t, log, 2)
			assert.ErrorIs(t, log[0].err, errBoom)
			assert.Equal(t, 2, log[0].v)
			assert.Equal(t, 4, log[1].v)

			p := probeOf[int](2)
			OnErrorContinue(src, report).Subscribe(context.Background(), p)
			p.assertOpen(t, 1, 3)
			p.request(1)
			p.assertCompleted(t, 1, 3)

			p = run(OnErrorContinue(src, report, WhenIs(io.EOF)))
			p.assertFailed(t, errBoom, 1)

			log = nil
			run(OnErrorContinue(OnErrorStop(src), report)).assertFailed(t, errBoom, 1)
			assert.Empty(t, log)

			p = run(OnErrorContinue(src, func(error, any) { panic(errOther) }))
			p.assertFailed(t, errOther, 1)
			assert.ErrorIs(t, p.failure(), errBoom)
		})
	}
}

func TestOnErrorContinueReplacesWhatItDrops(t *testing.T) {
	src := &puppet[int]{}
	p := probeOf[int](1)
	OnErrorContinue(TryMap(src, func(int) (int, error) { return 0, errBoom }), func(error, any) {}).Subscribe(context.Background(), p)
	src.last().OnNext(1)
	assert.Equal(t, int64(2), src.last().requested.Load())
	p.request(reactor.Unbounded)
	src.last().OnNext(1)
	assert.Equal(t, reactor.Unbounded, src.last().requested.Load())
	assert.Equal(t, int64(3), src.last().requests.Load(), "nothing to replace")
}

func TestOnErrorContinueLeavesFailuresDownstreamAlone(t *testing.T) {
	src := OnErrorContinue(Map(FromSlice([]int{1, 2, 3}), func(v int) int { return v }), func(error, any) { t.Error("called") })
	p := run(Map(src, func(v int) int {
		if v == 2 {
			panic(errBoom)
		}
		return v
	}))
	p.assertFailed(t, errBoom, 1)
}

func TestOnErrorContinueEndsWithGoexit(t *testing.T) {
	p := probeOf[int](reactor.Unbounded)
	done := make(chan struct{})
	go func() {
		defer close(done)
		OnErrorContinue(Map(FromSlice([]int{1, 2, 3}), func(v int) int {
			if v == 2 {
				runtime.Goexit()
			}
			return v
		}), func(error, any) { t.Error("called") }).Subscribe(context.Background(), p)
	}()
	<-done
	p.assertFailed(t, reactor.ErrGoexit, 1)
}

func TestOnErrorContinueDiscardsWhatItCannotSkip(t *testing.T) {
	ctx, hooks := recordHooks()
	src := TryMap(FromSlice([]int{1, 2, 3}), func(v int) (int, error) { return v, errBoom })
	runWith(ctx, OnErrorContinue(src, func(error, any) {}, WhenIs(io.EOF))).assertFailed(t, errBoom)
	assert.Equal(t, []any{1, 2, 3}, hooks.discarded)
}
