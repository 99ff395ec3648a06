package operators

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

// printer is a subscriber of somebody else that prints what it gets, as mocks do.
type printer struct {
	got  chan string
	over chan struct{}
}

func (p *printer) OnSubscribe(s reactor.Subscription) {
	s.Request(1 << 20)
	p.got <- fmt.Sprint(s)
}
func (p *printer) OnNext(int)    {}
func (p *printer) OnError(error) { close(p.over) }
func (p *printer) OnComplete()   { close(p.over) }

// What users are handed is printed while it works: the race detector sees who reads a field that somebody writes.
func TestWhatStreamsHandOutCanBePrinted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	busy := func() reactor.Publisher[int] { return PublishOn(Range(0, 20_000), schedulers.Parallel()) }

	p := &printer{make(chan string, 1), make(chan struct{})}
	busy().Subscribe(ctx, p)
	assert.Equal(t, "subscription", <-p.got)
	<-p.over

	over := make(chan struct{})
	s := SubscribeFunc(ctx, busy(), func(int) {}, OnComplete(func() { close(over) }))
	assert.Contains(t, fmt.Sprint(s), "subscription")
	<-over
	s.Dispose()
	assert.Equal(t, "subscription, disposed", fmt.Sprint(s))

	f := ToFuture(ctx, Reduce(busy(), func(a, b int) int { return a + b }))
	assert.Contains(t, fmt.Sprint(f), "future")
	_, _, err := f.Wait(ctx)
	require.NoError(t, err)
	assert.Equal(t, "future, done", fmt.Sprint(f))
	assert.Equal(t, "future", fmt.Sprint(new(Future[int])))

	for _, c := range []ConnectablePublisher[int]{Publish(busy()), Replay(busy())} {
		var connection reactor.Disposable
		c.Connect(ctx, func(d reactor.Disposable) { connection = d })
		assert.Contains(t, fmt.Sprint(connection), "connection")
		connection.Dispose()
		assert.Equal(t, "connection, disposed", fmt.Sprint(connection))
	}

	rails := ParallelSubscribeFunc(ctx, Parallel(Range(0, 100), 2), func(int) {})
	rails.Dispose()
	assert.Equal(t, "subscription, disposed", fmt.Sprint(rails))

	assert.Equal(t, "function of a stream", fmt.Sprint(&callContext{of: ctx}))
}
