package protocol

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

func TestInFlightHoldsOneElement(t *testing.T) {
	var h InFlight[string]
	assert.False(t, h.Full())
	assert.Empty(t, h.Element())
	h.Hold("")
	assert.True(t, h.Full(), "the zero value is an element like any other")
	h.Hold("a")
	assert.Equal(t, "a", h.Element())
	assert.True(t, h.Full())
	h.Sent()
	assert.False(t, h.Full())
	h.Clear()
	assert.Equal(t, InFlight[string]{}, h, "nothing is kept (§3.13)")
}

func TestInFlightDiscard(t *testing.T) {
	ctx, seen := capture()
	var h InFlight[int]
	h.Discard(ctx)
	assert.Empty(t, seen.discarded)
	h.Hold(0)
	h.Discard(ctx)
	h.Discard(ctx)
	assert.Equal(t, []any{0}, seen.discarded)
}

func TestInFlightCrash(t *testing.T) {
	mapped := fmt.Errorf("mapped: %w", assert.AnError)
	goexit := fmt.Errorf("below: %w", reactor.ErrGoexit)
	for name, c := range map[string]struct {
		full, over bool
		err        error

		down    []error // OnError
		dropped []error // the dropped-error hook
		hook    []any   // elements that the operator-error hook was told of
	}{
		"an element":                      {full: true, err: assert.AnError, down: []error{mapped}, hook: []any{7}},
		"no element":                      {err: assert.AnError, down: []error{mapped}, hook: []any{nil}},
		"an element, and it was over":     {full: true, over: true, err: assert.AnError, dropped: []error{assert.AnError}},
		"no element, and it was over":     {over: true, err: assert.AnError, dropped: []error{assert.AnError}},
		"a goroutine that ends":           {full: true, err: goexit, down: []error{mapped}, hook: []any{7}},
		"a goroutine that ends at an end": {over: true, err: goexit, dropped: []error{goexit}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, seen := capture()
			var hook []any
			ctx = reactor.WithHooks(ctx, reactor.Hooks{OperatorError: func(_ context.Context, err error, v any) error {
				assert.Same(t, c.err, err)
				hook = append(hook, v)
				return mapped
			}})
			p := &probe[int]{}
			var h InFlight[int]
			if c.full {
				h.Hold(7)
			}
			h.Crash(ctx, p, c.over, c.err)
			assert.Equal(t, c.down, p.errs)
			assert.Equal(t, c.dropped, seen.errs)
			assert.Equal(t, c.hook, hook)
			assert.Equal(t, c.full, len(seen.discarded) == 1, "discarded: %v", seen.discarded)
			assert.False(t, h.Full())
		})
	}
}

// What goes down may come back: the hand is empty before anybody hears of the end.
func TestInFlightIsEmptyBeforeTheEndIsTold(t *testing.T) {
	ctx, seen := capture()
	var h InFlight[int]
	p := &probe[int]{}
	p.onEnd = func() { h.Discard(ctx) }
	h.Hold(7)
	h.Crash(ctx, p, false, assert.AnError)
	assert.Equal(t, []any{7}, seen.discarded)
}
