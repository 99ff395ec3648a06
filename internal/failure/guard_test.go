package failure

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// persisted runs steps on a goroutine of its own and returns which were made.
func persisted(n int, step func(i int) bool) (made []int) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		Persist(n, func(i int) bool { made = append(made, i); return step(i) })
	}()
	<-done
	return made
}

func TestPersist(t *testing.T) {
	assert.Equal(t, []int{0, 1, 2}, persisted(3, func(int) bool { return true }))
	assert.Equal(t, []int{0, 1}, persisted(3, func(i int) bool { return i == 0 }), "it ends where a step says so")
	assert.Empty(t, persisted(0, func(int) bool { return true }))
	assert.Equal(t, []int{0, 1, 2, 3}, persisted(4, func(i int) bool {
		if i%2 == 0 {
			runtime.Goexit()
		}
		return true
	}))
	assert.Equal(t, []int{0, 1}, persisted(4, func(i int) bool {
		if i == 0 {
			runtime.Goexit()
		}
		return false
	}), "also while the goroutine ends")
	assert.Equal(t, []int{0, 1}, persisted(2, func(int) bool { runtime.Goexit(); return true }))
}

func TestApply(t *testing.T) {
	var failed []error
	double := func(fn func(int) int) (r int, ok bool) {
		return Apply(fn, 2, func(v int, err error) {
			assert.Equal(t, 2, v)
			failed = append(failed, err)
		})
	}
	r, ok := double(func(v int) int { return 2 * v })
	assert.True(t, ok)
	assert.Equal(t, 4, r)
	assert.Empty(t, failed)
	_, ok = double(func(int) int { panic(assert.AnError) })
	assert.False(t, ok)
	racetest.Aside(func() { double(func(int) int { runtime.Goexit(); return 0 }) })
	assert.Len(t, failed, 2)
	assert.ErrorIs(t, failed[0], assert.AnError)
	assert.ErrorIs(t, failed[1], reactor.ErrGoexit)
}

// detailed is an error that can be compared only as long as its details can.
type detailed struct{ details any }

func (d detailed) Error() string { return fmt.Sprint(d.details) }

func TestLateErrorsThatCanNotBeCompared(t *testing.T) {
	var dropped []error
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) }})
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(detailed{map[string]int{"a": 1}})
	DropLate(ctx, context.Cause(ctx))
	assert.Empty(t, dropped, "it is the end of the context")
	DropLate(ctx, detailed{"something else"})
	assert.Equal(t, []error{detailed{"something else"}}, dropped)
}

// What the context has ended with is the end, whatever it is made of.
func TestEndOfAContextThatHasManyReasons(t *testing.T) {
	boom := errors.New("boom")
	for _, cause := range []error{errors.Join(boom, assert.AnError), fmt.Errorf("stop: %w", boom), Both(boom, assert.AnError)} {
		ended, end := context.WithCancelCause(context.Background())
		end(cause)
		assert.True(t, IsEnd(ended, cause))
		assert.True(t, IsEnd(ended, fmt.Errorf("load: %w", cause)))
		assert.False(t, IsEnd(ended, boom))
		assert.False(t, IsEnd(ended, errors.Join(cause, boom)))
	}
}

// A function may have ended because of a context of its own, or of a deadline.
func TestIsCancellation(t *testing.T) {
	late, end := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer end()
	for _, err := range []error{context.Canceled, context.DeadlineExceeded, fmt.Errorf("load: %w", context.Canceled)} {
		assert.True(t, IsCancellation(late, err), err)
		assert.False(t, IsCancellation(late, errors.Join(err, assert.AnError)), err)
	}
	assert.False(t, IsCancellation(context.Background(), context.DeadlineExceeded))
}

// The end of the context is known; what was joined with it, or has failed because of it, is not.
func TestDropLateReportsWhatIsMoreThanTheEnd(t *testing.T) {
	boom := errors.New("boom")
	ended, end := context.WithCancelCause(context.Background())
	end(errors.New("enough"))
	cause := context.Cause(ended)
	for name, c := range map[string]struct {
		err      error
		reported bool
	}{
		"cause":            {cause, false},
		"end":              {context.Canceled, false},
		"of an operator":   {reactor.Failure("test", reactor.ErrCancelled, "").CausedBy(cause), false},
		"twice":            {errors.Join(cause, context.Canceled), false},
		"another":          {boom, true},
		"joined":           {errors.Join(boom, cause), true},
		"joined, wrapped":  {&reactor.OpError{Kind: reactor.ErrUnhandled, Cause: errors.Join(cause, boom)}, true},
		"failed by it":     {Both(boom, cause), true},
		"handled in vain":  {Both(cause, boom), true},
		"joined, deep":     {fmt.Errorf("close: %w", errors.Join(cause, fmt.Errorf("flush: %w", errors.Join(cause, boom)))), true},
		"twice, deep":      {fmt.Errorf("close: %w", errors.Join(cause, fmt.Errorf("flush: %w", cause))), false},
		"joined elsewhere": {fmt.Errorf("%w: %w", reactor.ErrRejected, cause), false},
	} {
		t.Run(name, func(t *testing.T) {
			var dropped []error
			DropLate(reactor.WithHooks(ended, reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) }}), c.err)
			if c.reported {
				assert.Equal(t, []error{c.err}, dropped)
			} else {
				assert.Empty(t, dropped)
			}
		})
	}
}
