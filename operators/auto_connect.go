package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/protocol"
)

// AutoConnect connects src once, when the n-th subscriber comes; with n = 0 it connects
// src at once.
//
//	src:  1 --- 2 --- 3 |            from Publish
//	      AutoConnect(2)
//	out:        1 --- 2 --- 3 |      waits for the second
//	out:        1 --- 2 --- 3 |
//
// The source gets the values of the context of the n-th subscriber, but not its end;
// with n = 0 it gets those of context.Background(). Since the source goes on when all
// subscribers have left, [OnConnect] gives you the handle to stop it. Everything else is
// as with src.
func AutoConnect[T any](src ConnectablePublisher[T], n int, opts ...AutoConnectOption) reactor.Publisher[T] {
	argument.NotNil("autoConnect", "publisher", src)
	argument.NotNegative("autoConnect", "number of subscribers", n)
	var c autoConnectConfig
	for _, o := range argument.Options("autoConnect", opts) {
		o.applyAutoConnect(&c)
	}
	if n == 0 {
		src.Connect(context.Background(), c.connecting)
		return src
	}
	p := &autoConnectPublisher[T]{src: src, connecting: c.connecting}
	p.missing.Store(int64(n))
	return p
}

// AutoConnectOption is an option of [AutoConnect]: [OnConnect].
type AutoConnectOption interface{ applyAutoConnect(*autoConnectConfig) }

type autoConnectConfig struct{ connecting func(reactor.Disposable) }

// OnConnectOption is the function that gets the handle of a connection.
type OnConnectOption func(reactor.Disposable)

// OnConnect makes [AutoConnect] call fn with the handle of the connection before the
// connection is made. A panic of fn ends the stream.
func OnConnect(fn func(reactor.Disposable)) OnConnectOption {
	argument.Given("autoConnect", "function given to OnConnect", fn != nil)
	return fn
}

func (o OnConnectOption) applyAutoConnect(c *autoConnectConfig) { c.connecting = o }

type autoConnectPublisher[T any] struct {
	protocol.Op
	src        ConnectablePublisher[T]
	connecting func(reactor.Disposable)
	missing    atomic.Int64 // subscribers; not positive once they were enough
}

func (p *autoConnectPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	defer func() { // also if downstream ends the goroutine
		chaos.Yield()
		if p.missing.Load() > 0 && p.missing.Add(-1) == 0 {
			p.src.Connect(context.WithoutCancel(ctx), p.connecting)
		}
	}()
	p.src.Subscribe(ctx, s)
}
