package operators

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
)

// returning is a FromFunc of v that does before what it is given.
func returning(v int, before func()) reactor.Publisher[int] {
	return FromFunc(func(context.Context) (int, error) { before(); return v, nil })
}

func twice(v int) int { return 2 * v }

// Who blocks for what a function returns has it called with the context that it gave.
func TestFromFuncDirect(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var seen []context.Context
	load := func(v int) reactor.Publisher[int] {
		return FromFunc(func(c context.Context) (int, error) { seen = append(seen, c); return v + 1, nil })
	}
	v, err := Block(ctx, MonoFlatMap(Map(load(1), twice), load))
	require.NoError(t, err)
	assert.Equal(t, 5, v)
	assert.Equal(t, []context.Context{ctx, ctx}, seen)
}

// The end of the context is told in the place of what the function says, and stops what comes behind it. What else
// it says is dropped, which the log is told of: with hooks there is a subscription.
func TestFromFuncDirectEndOfTheContext(t *testing.T) {
	var log strings.Builder
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(old)
	after := 0
	next := func(v int) int { after++; return v }
	for name, c := range map[string]struct {
		err     error // of the function
		dropped bool
	}{
		"it returns":                {},
		"it says that it was ended": {err: context.Canceled},
		"it says the cause":         {err: errBoom},
		"it fails of itself":        {err: errOther, dropped: true},
		"it fails besides":          {err: errors.Join(context.Canceled, errOther), dropped: true},
	} {
		log.Reset()
		ctx, cancel := context.WithCancelCause(t.Context())
		src := FromFunc(func(context.Context) (int, error) { cancel(errBoom); return 7, c.err })
		_, err := Block(ctx, Map(MonoFlatMap(Map(src, next), func(v int) reactor.Publisher[int] { after++; return Just(v) }), next))
		assert.Same(t, errBoom, err, name)
		assert.Zero(t, after, name)
		assert.Equal(t, c.dropped, strings.Contains(log.String(), errOther.Error()), name)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	kept := &owned{}
	_, err := Block(ctx, FromFunc(func(context.Context) (*owned, error) { cancel(errBoom); return kept, nil }))
	assert.Same(t, errBoom, err)
	assert.Equal(t, 1, kept.discarded, "what it has made is given up")
}

// owned is an element that has to be given back.
type owned struct{ discarded int }

func (o *owned) Discarded() { o.discarded++ }

func TestFromFuncDirectIsNotCalledTooLate(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	calls := 0
	count := func() { calls++ }
	src := MonoFlatMap(FromSupplier(func() int { cancel(errBoom); return 1 }), func(v int) reactor.Publisher[int] { return returning(v, count) })
	_, err := Block(ctx, src)
	assert.Same(t, errBoom, err)
	_, err = Block(ctx, returning(1, count))
	assert.Same(t, errBoom, err)
	assert.Zero(t, calls)

	for _, second := range []reactor.Publisher[int]{
		returning(1, count), FromSupplier(func() int { count(); return 1 }), Map(Just(1), func(v int) int { count(); return v }),
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		_, err := Block(ctx, MonoFlatMap(Just(1), func(int) reactor.Publisher[int] { cancel(errBoom); return second }))
		assert.Same(t, errBoom, err)
		assert.Zero(t, calls, "%T", second)
	}
}

func TestFromFuncDirectFailures(t *testing.T) {
	_, err := Block(t.Context(), Map(returning(1, func() { panic("oops") }), twice))
	var p *reactor.PanicError
	require.ErrorAs(t, err, &p)
	assert.Equal(t, "oops", p.Value)
	assert.Equal(t, "fromFunc", p.Op)
	ended := make(chan error, 1)
	go func() {
		defer close(ended)
		_, err := Block(t.Context(), returning(1, runtime.Goexit))
		ended <- err // not reached
	}()
	err, told := <-ended
	assert.False(t, told, "the goroutine went on with %v", err)
	_, err = Block(t.Context(), Map(FromFunc(func(context.Context) (int, error) { return 3, errBoom }), twice))
	assert.Same(t, errBoom, err)
}
