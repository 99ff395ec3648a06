package belated

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
)

// detailed is an error that can be compared only as long as its details can.
type detailed struct{ details any }

func (d detailed) Error() string { return fmt.Sprint(d.details) }

func TestLateErrorsThatCanNotBeCompared(t *testing.T) {
	var dropped []error
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) }})
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(detailed{map[string]int{"a": 1}})
	Drop(ctx, context.Cause(ctx))
	assert.Empty(t, dropped, "it is the end of the context")
	Drop(ctx, detailed{"something else"})
	assert.Equal(t, []error{detailed{"something else"}}, dropped)
}

// several is an error that can never be compared, as those of many validators.
type several []string

func (s several) Error() string { return fmt.Sprint([]string(s)) }

// refusing is an error whose method Is fails.
type refusing struct{ error }

func (r refusing) Is(error) bool { panic("no") }

// An error that comes late is reported also if it is of the type of the cause, and can be compared as little as that.
func TestLateErrorsOfTheTypeOfTheCause(t *testing.T) {
	for name, c := range map[string]struct{ cause, other error }{
		"slices":   {several{"name", "age"}, several{"street"}},
		"contents": {detailed{map[string]int{"a": 1}}, detailed{map[string]int{"b": 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			ended, end := context.WithCancelCause(context.Background())
			end(c.cause)
			for wrapping, wrap := range map[string]func(error) error{
				"bare":           func(err error) error { return err },
				"wrapped":        func(err error) error { return fmt.Errorf("load: %w", err) },
				"of an operator": func(err error) error { return reactor.Failure("test", reactor.ErrCancelled, "").CausedBy(err) },
				"beside a kind":  func(err error) error { return fmt.Errorf("%w: %w", reactor.ErrRejected, err) },
			} {
				assert.True(t, IsEnd(ended, wrap(c.cause)), wrapping)
				assert.False(t, IsEnd(ended, wrap(c.other)), wrapping)
			}
			assert.True(t, IsEnd(ended, errors.Join(c.cause, context.Canceled)))
			assert.False(t, IsEnd(ended, errors.Join(c.cause, c.other)))
		})
	}
}

// An error that says nothing about itself is reported, and its failure ends nothing.
func TestLateErrorWhoseMethodFails(t *testing.T) {
	ended, end := context.WithCancelCause(context.Background())
	end(errors.New("enough"))
	assert.False(t, IsEnd(ended, refusing{assert.AnError}))
}

// What the context has ended with is the end, whatever it is made of.
func TestEndOfAContextThatHasManyReasons(t *testing.T) {
	boom := errors.New("boom")
	for _, cause := range []error{errors.Join(boom, assert.AnError), fmt.Errorf("stop: %w", boom), failure.Both(boom, assert.AnError)} {
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
	over, end := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer end()
	for _, err := range []error{context.Canceled, context.DeadlineExceeded, fmt.Errorf("load: %w", context.Canceled)} {
		assert.True(t, IsCancellation(over, err), err)
		assert.False(t, IsCancellation(over, errors.Join(err, assert.AnError)), err)
	}
	assert.False(t, IsCancellation(context.Background(), context.DeadlineExceeded))
}

// The end of the context is known; what was joined with it, or has failed because of it, is not.
func TestDropReportsWhatIsMoreThanTheEnd(t *testing.T) {
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
		"failed by it":     {failure.Both(boom, cause), true},
		"handled in vain":  {failure.Both(cause, boom), true},
		"joined, deep":     {fmt.Errorf("close: %w", errors.Join(cause, fmt.Errorf("flush: %w", errors.Join(cause, boom)))), true},
		"twice, deep":      {fmt.Errorf("close: %w", errors.Join(cause, fmt.Errorf("flush: %w", cause))), false},
		"joined elsewhere": {fmt.Errorf("%w: %w", reactor.ErrRejected, cause), false},
	} {
		t.Run(name, func(t *testing.T) {
			var dropped []error
			Drop(reactor.WithHooks(ended, reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) }}), c.err)
			if c.reported {
				assert.Equal(t, []error{c.err}, dropped)
			} else {
				assert.Empty(t, dropped)
			}
		})
	}
}
