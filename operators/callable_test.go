package operators

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
)

func TestWhatCanBeCalledIsMarked(t *testing.T) {
	boom := errors.New("boom")
	one := 1
	for name, p := range map[string]any{
		"just": Just(1), "just, reference": Just(&one), "empty": Empty[int](), "error": Error[int](boom),
		"errorFrom":    ErrorFrom[int](func() error { return boom }),
		"fromCallable": FromCallable(func() (int, error) { return 1, nil }),
		"fromOptional": FromOptional(func() (int, bool, error) { return 1, true, nil }),
		"fromRunnable": FromRunnable[int](func() error { return nil }),
		"checkpoint":   Checkpoint(Just(1), "here"), "name": Name(Just(1), "one"),
	} {
		assert.NotZero(t, direct.WayOf(p), name) // else FlatMap does not ask
		switch p := p.(type) {
		case reactor.Publisher[int]:
			_, ok := direct.AsCallable(p)
			assert.True(t, ok, name)
		case reactor.Publisher[*int]:
			_, ok := direct.AsCallable(p)
			assert.True(t, ok, name)
		default:
			assert.Fail(t, fmt.Sprintf("%s is a %T", name, p))
		}
	}
	for name, p := range map[string]reactor.Publisher[int]{"hide": Hide(Just(1)), "range": Range(1, 2), "defer": Defer(func(context.Context) reactor.Publisher[int] { return Just(1) })} {
		_, ok := direct.AsCallable(p)
		assert.False(t, ok, name)
	}
}
