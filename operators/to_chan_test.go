package operators

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestToChan(t *testing.T) {
	ch, failure := ToChan(context.Background(), failing(1, 2))
	assert.Equal(t, 1, <-ch)
	assert.Equal(t, 2, <-ch)
	_, open := <-ch
	assert.False(t, open)
	assert.Equal(t, errBoom, <-failure)

	hctx, hooks := probe.Recorded()
	ctx, cancel := context.WithCancelCause(hctx)
	ch, failure = ToChan(ctx, FromSlice([]int{1, 2, 3}))
	assert.Equal(t, 1, <-ch)
	cancel(errOther)
	assert.Equal(t, errOther, <-failure)
	for range ch {
	}
	discarded, _, _ := hooks.Seen()
	assert.ElementsMatch(t, []any{2, 3}, discarded)
}

// unheard is a context whose end is not told to those who watch it.
type unheard struct {
	context.Context
	done chan struct{}
}

func (u unheard) Done() <-chan struct{} { return u.done }

func (u unheard) Err() error {
	select {
	case <-u.done:
		return errOther
	default:
		return nil
	}
}

func (unheard) AfterFunc(func()) func() bool { return func() bool { return true } }

// The goroutine that sends is the first to see the end of the context, so it cancels, and what hears of
// that ends it: the error that it has told stays the only one.
func TestToChanCancellationEndsTheGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hooked := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}})
		ctx := unheard{hooked, make(chan struct{})}
		ch, failure := ToChan(ctx, DoOnCancel(Concat(Hide(Range(1, 2)), Never[int]()), runtime.Goexit))
		synctest.Wait()
		close(ctx.done)
		synctest.Wait()
		for range ch {
		}
		assert.Equal(t, errOther, <-failure)
		_, more := <-failure
		assert.False(t, more)
	})
}
