package operators

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

type contextKey struct{}

func TestCallContext(t *testing.T) {
	up, end := context.WithTimeout(context.WithValue(t.Context(), contextKey{}, 7), time.Hour)
	due, _ := up.Deadline()
	c := &callContext{of: up}
	at, ok := c.Deadline()
	assert.True(t, ok)
	assert.Equal(t, due, at)
	assert.Equal(t, 7, c.Value(contextKey{}))
	assert.NoError(t, c.Err())
	end()
	assert.NoError(t, c.Err(), "it does not hang on the subscription's")
	assert.Nil(t, c.made.Load(), "nobody has looked at its end")
	assert.Nil(t, c.Value(new(int)), "as the key by which package context looks for one that can end")
}

// What is derived before and after the end hears of it, with the reason.
func TestCallContextEnds(t *testing.T) {
	for name, look := range map[string]func(c *callContext){
		"nobody has looked":   func(*callContext) {},
		"somebody has before": func(c *callContext) { c.Done() },
	} {
		t.Run(name, func(t *testing.T) {
			c := &callContext{of: t.Context()}
			look(c)
			c.stop(reactor.ErrCancelled)
			assert.Equal(t, context.Canceled, c.Err())
			<-c.Done()
			assert.Equal(t, context.Canceled, c.Err())
			assert.Equal(t, reactor.ErrCancelled, context.Cause(c))
			below, release := context.WithCancel(c)
			defer release()
			<-below.Done()
			assert.Equal(t, reactor.ErrCancelled, context.Cause(below))
		})
	}
}

func TestCallContextEndsWhatIsDerived(t *testing.T) {
	c := &callContext{of: t.Context()}
	below, release := context.WithTimeout(c, time.Hour)
	defer release()
	assert.NoError(t, below.Err())
	c.stop(reactor.ErrCancelled)
	<-below.Done()
	assert.Equal(t, context.Canceled, below.Err())
	assert.Equal(t, reactor.ErrCancelled, context.Cause(below))
}

func TestCallContextRaces(t *testing.T) {
	for range racetest.Iterations(300) {
		c := &callContext{of: t.Context()}
		racetest.Race(func() { <-c.Done() }, func() { c.stop(reactor.ErrCancelled) }, func() {
			assert.NotErrorIs(t, c.Err(), context.DeadlineExceeded)
			<-c.Done()
			assert.Equal(t, reactor.ErrCancelled, context.Cause(c))
		})
	}
}
