package flux_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
)

// The zero value is empty, whatever way it is connected, and copies of it are the same stream.
func TestZeroConnectableFlux(t *testing.T) {
	completed := 0
	subscribe := func(p reactor.Publisher[int]) {
		flux.From(p).Subscribe(context.Background(), &counting{&completed})
	}
	var c flux.ConnectableFlux[int]
	subscribe(c)
	handle := c.Connect(context.Background())
	assert.NotNil(t, handle)
	assert.Equal(t, 1, completed)
	subscribe(c.Source())
	assert.Equal(t, 2, completed)
	subscribe(c.RefCount(2))
	assert.Equal(t, 3, completed)
	subscribe(c.AutoConnect(1))
	assert.Equal(t, 4, completed)
}

// counting counts completions.
type counting struct{ completed *int }

func (*counting) OnSubscribe(up reactor.Subscription) { up.Request(1) }
func (*counting) OnNext(int)                          {}
func (*counting) OnError(error)                       {}
func (c *counting) OnComplete()                       { *c.completed++ }
