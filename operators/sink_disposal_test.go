package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
)

// attentive is a context that does something when somebody asks whether it ends.
type attentive struct {
	context.Context
	asked func()
}

func (c attentive) Done() <-chan struct{} {
	c.asked()
	return c.Context.Done()
}

// The context of a subscription may be a type of the user: its methods may come back to the sink.
func TestSinkContextAsksWithoutALock(t *testing.T) {
	d := &sinkDisposal{}
	asked := 0
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	d.context(attentive{ctx, func() {
		asked++
		free := d.mu.TryLock()
		assert.True(t, free)
		if free {
			d.mu.Unlock()
		}
	}})
	assert.Positive(t, asked)
}

// Whoever asks while another one is being given the context gets the same one.
func TestSinkContextIsMadeOnce(t *testing.T) {
	d := &sinkDisposal{}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var within context.Context
	outer := attentive{ctx, func() {
		if within == nil {
			within = ctx // once
			within = d.context(ctx)
		}
	}}
	assert.Same(t, d.context(outer), within)
	assert.NoError(t, within.Err())
	d.end(ctx, true)
	assert.Error(t, within.Err())
}
