package operators

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/stall"
)

// ends are the ways in which a subscription that goes on ends at last.
var ends = map[string]func(src *pushed, cancel context.CancelFunc, s reactor.Disposable, told chan struct{}){
	"completion": func(src *pushed, _ context.CancelFunc, _ reactor.Disposable, _ chan struct{}) { src.down.OnComplete() },
	"failure": func(src *pushed, _ context.CancelFunc, _ reactor.Disposable, _ chan struct{}) {
		src.down.OnError(errors.New("boom"))
	},
	"context": func(_ *pushed, cancel context.CancelFunc, _ reactor.Disposable, told chan struct{}) { cancel(); <-told },
	"Dispose": func(_ *pushed, _ context.CancelFunc, s reactor.Disposable, _ chan struct{}) { s.Dispose() },
	"panic":   func(src *pushed, _ context.CancelFunc, _ reactor.Disposable, _ chan struct{}) { src.down.OnNext(0) },
}

// pushed is a publisher that does what the test says.
type pushed struct{ down reactor.Subscriber[int] }

func (p *pushed) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	p.down = s
	s.OnSubscribe(quietSubscription{})
}

type quietSubscription struct{}

func (quietSubscription) Request(int64) {}
func (quietSubscription) Cancel()       {}

// Somebody looks for what stands still while a subscription goes on, and no longer.
func TestSubscriptionsThatNobodyWaitsFor(t *testing.T) {
	for how, end := range ends {
		for name, subscribe := range map[string]func(ctx context.Context, src reactor.Publisher[int], told chan struct{}) (reactor.Disposable, *stall.Open){
			"SubscribeFunc": func(ctx context.Context, src reactor.Publisher[int], told chan struct{}) (reactor.Disposable, *stall.Open) {
				s := SubscribeFunc(ctx, src, func(n int) { _ = 1 / n }, OnError(func(error) { close(told) })).(*funcSubscriber[int])
				return s, &s.open
			},
			"BaseSubscriber": func(ctx context.Context, src reactor.Publisher[int], told chan struct{}) (reactor.Disposable, *stall.Open) {
				s := NewSubscriber(ctx, SubscriberHooks[int]{OnNext: func(_ *BaseSubscriber[int], n int) { _ = 1 / n }, OnError: func(error) {}, Finally: func(reactor.SignalKind) { close(told) }})
				DoOnNext(src, func(int) {}).Subscribe(ctx, s)
				return s, &s.open
			},
		} {
			ctx, cancel := context.WithCancel(context.Background())
			src := &pushed{}
			told := make(chan struct{})
			s, open := subscribe(ctx, src, told)
			assert.True(t, open.IsOpen(), name)
			end(src, cancel, s, told)
			assert.False(t, open.IsOpen(), "%s: %s", name, how)
			cancel()
		}
	}
	over := SubscribeFunc(context.Background(), Range(1, 3), func(int) {}).(*funcSubscriber[int])
	assert.False(t, over.open.IsOpen())
}

func TestBaseSubscriberReportsASecondOnSubscribe(t *testing.T) {
	var dropped []error
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) }})
	s := NewSubscriber(ctx, SubscriberHooks[int]{})
	first, second := &cancelCounter{}, &cancelCounter{}
	s.OnSubscribe(first)
	s.OnSubscribe(second)
	assert.Equal(t, 1, second.cancels)
	assert.Zero(t, first.cancels)
	if assert.Len(t, dropped, 1) {
		assert.ErrorIs(t, dropped[0], reactor.ErrProtocol)
		assert.ErrorContains(t, dropped[0], "§2.12")
	}
	s.OnComplete()

	early := NewSubscriber(ctx, SubscriberHooks[int]{})
	early.Cancel()
	early.OnSubscribe(second)
	assert.Equal(t, 2, second.cancels)
	assert.Len(t, dropped, 1, "a cancellation that came first is no mistake of the publisher")
}

type cancelCounter struct {
	quietSubscription
	cancels int
}

func (c *cancelCounter) Cancel() { c.cancels++ }
