package netreactor

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
)

// TestTold: what a context has ended with is no news in it, unless nobody handles it.
func TestTold(t *testing.T) {
	var dropped []error
	end := &CloseError{Reason: ReasonPeerReset}
	ctx, cancel := context.WithCancelCause(reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) {
		dropped = append(dropped, err)
	}}))
	reactor.DropError(ctx, end)
	assert.Equal(t, []error{end}, dropped, "it has not ended yet")
	cancel(end)
	dropped = nil
	inner, stop := context.WithCancel(ctx)
	defer stop()
	reactor.DropError(inner, end)
	reactor.DropError(inner, fmt.Errorf("map: %w", end))
	assert.Empty(t, dropped)
	other, lost := &CloseError{Reason: ReasonPeerReset}, errors.New("lost")
	reactor.DropError(inner, other)
	reactor.DropError(inner, lost)
	assert.Equal(t, []error{other, lost}, dropped)
	dropped = nil
	flux.Error[int](end).SubscribeFunc(context.WithoutCancel(ctx), nil)
	reactor.DropError(inner, errors.Join(reactor.ErrUnhandled, end))
	assert.Len(t, dropped, 2)
}
