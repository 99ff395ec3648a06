package execstream_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/adapt/execstream"
)

// A hook may put something around the failure of a pipe before the stage that knows the process hears of it.
func TestPipeThatFailsWithAHook(t *testing.T) {
	for name, around := range map[string]func(error) error{
		"hooked: %v": func(err error) error { return fmt.Errorf("hooked: %w", err) },
		"reactor: hook: illegal state: %v": func(err error) error {
			return reactor.Failure("hook", reactor.ErrIllegalState, "").CausedBy(err)
		},
	} {
		var s started
		ctx := reactor.WithHooks(t.Context(), reactor.Hooks{
			OperatorError: func(_ context.Context, err error, _ any) error { return around(err) },
		})
		ended(t, func(on execstream.OnOption) {
			_, err := execstream.Output(s.child("long", 0), execstream.MaxLine(100), on).Collect(ctx)
			assert.ErrorIs(t, err, execstream.ErrPipe)
			assert.ErrorIs(t, err, bytestream.ErrTooLong)
			assert.EqualError(t, err, "reactor: execstream.output: pipe failed: stdout of "+os.Args[0]+": "+
				fmt.Sprintf(name, "reactor: bytestream.lines: too long: line 1, at byte 0: more than 100 bytes"))
		})
		s.waited(t)
	}
}

// What a function below panics with is no failure of a pipe, whatever it looks like.
func TestPanicThatLooksLikeAPipe(t *testing.T) {
	var s started
	like := reactor.Failure("bytestream.lines", bytestream.ErrRead, "of something else")
	ended(t, func(on execstream.OnOption) {
		_, err := execstream.Output(s.child("fail", 0), on).
			Map(func(execstream.Line) int { panic(like) }).
			Collect(t.Context())
		assert.ErrorIs(t, err, like)
		assert.NotErrorIs(t, err, execstream.ErrPipe)
	})
	s.waited(t)
}
