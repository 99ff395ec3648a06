package operators

import (
	"context"
	"fmt"
	"io/fs"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// A function that decides about an error may end the goroutine: downstream gets its end all the
// same, once, from the function's own stage. Nobody else could tell it where the source sends its
// error outside of a guard.
func TestGoexitInAFunctionForErrors(t *testing.T) {
	exit := ErrorFilter(func(error) bool { runtime.Goexit(); return true })
	fallback := func(error) reactor.Publisher[int] { return Just(9) }
	// The source of bare sends its error as it is subscribed; that of guarded from a function,
	// whose guard sees the goroutine end once more.
	for source, src := range map[string]reactor.Publisher[int]{
		"bare":    Error[int](assert.AnError),
		"guarded": Hide(FromFunc(func(context.Context) (int, error) { return 0, assert.AnError })),
	} {
		for name, p := range map[string]reactor.Publisher[int]{
			"onErrorReturn":           OnErrorReturn(src, 9, exit),
			"onErrorComplete":         OnErrorComplete(src, exit),
			"onErrorResume":           OnErrorResume(src, fallback, exit),
			"onErrorResume, fallback": OnErrorResume(src, func(error) reactor.Publisher[int] { runtime.Goexit(); return nil }),
			"onErrorMap":              OnErrorMap(src, func(err error) error { return err }, exit),
			"onErrorMap, mapper":      OnErrorMap(src, func(error) error { runtime.Goexit(); return nil }),
			"retry":                   Retry(src, exit),
			"retryWhen, filter":       RetryWhen(src, RetryMax(3).Filter(exit)),
			"retryWhen, exhausted":    RetryWhen(src, RetryMax(0).OnExhausted(func(RetrySignal) error { runtime.Goexit(); return nil })),
			"retryWhen, delay":        RetryWhen(src, RetryMax(3).DelayFrom(func(error) (time.Duration, bool) { runtime.Goexit(); return 0, true })),
			"retryWhen, before":       RetryWhen(src, RetryMax(3).DoBeforeRetry(func(RetrySignal) { runtime.Goexit() })),
			"doOnError":               DoOnError(src, func(error) { runtime.Goexit() }),
			"doOnError, filter":       DoOnError(src, func(error) {}, exit),
			"repeatWhen":              RepeatWhen(OnErrorComplete(src), RepeatTimes(3).OnlyIf(func(RepeatSignal) bool { runtime.Goexit(); return true })),
		} {
			t.Run(name+"/"+source, func(t *testing.T) {
				s := probeOf[int](reactor.Unbounded)
				done := make(chan struct{})
				go func() {
					defer close(done)
					// A foreign subscriber, so that an edge is before it, as before any user's.
					p.Subscribe(context.Background(), struct{ reactor.Subscriber[int] }{s})
				}()
				<-done
				s.Failed(t, reactor.ErrGoexit)
			})
		}
	}
}

// accepts reports whether an operator with the filters acts on the error.
func accepts(t *testing.T, err error, when ...ErrorFilter) bool {
	t.Helper()
	p := run(OnErrorComplete(Error[int](err), when...))
	if p.Failure() != nil {
		p.Failed(t, err)
	}
	return p.Failure() == nil
}

func TestWhenError(t *testing.T) {
	when := WhenError(func(err error) bool { return err == errBoom })
	assert.True(t, accepts(t, errBoom, when))
	assert.False(t, accepts(t, errOther, when))
	assert.Panics(t, func() { WhenError(nil) })
}

func TestWhenIs(t *testing.T) {
	assert.True(t, accepts(t, fmt.Errorf("wrapped: %w", errBoom), WhenIs(errOther, errBoom)))
	assert.False(t, accepts(t, errOther, WhenIs(errBoom)))
	assert.False(t, accepts(t, errOther, WhenIs()), "there is none that would do")
}

func TestWhenAs(t *testing.T) {
	assert.True(t, accepts(t, fmt.Errorf("wrapped: %w", &fs.PathError{}), WhenAs[*fs.PathError]()))
	assert.False(t, accepts(t, errBoom, WhenAs[*fs.PathError]()))
	assert.True(t, accepts(t, errBoom, WhenAs[*fs.PathError](), WhenIs(errBoom)), "one of them is enough")
}
