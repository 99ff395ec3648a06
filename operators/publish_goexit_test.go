package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// The run is stopped while an error of the source waits behind an element: subscribers hear of one of them,
// and the other one is dropped.
func TestDisconnectedAsTheSourceFails(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	shared := Publish[int](src)
	var handle reactor.Disposable
	p := probeOf[int](0)
	p.Each = func(int) {
		src.last().OnError(errBoom)
		handle.Dispose()
	}
	shared.Subscribe(ctx, p)
	shared.Connect(ctx, func(d reactor.Disposable) { handle = d })
	src.last().OnNext(1)
	p.Request(1)
	p.Failed(t, reactor.ErrCancelled, 1)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}
