package engine

import (
	"context"
	"log/slog"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/examples/kv/resp"
	"github.com/goreactor/reactor/examples/kv/store"
	"github.com/goreactor/reactor/examples/web/http1"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
)

// ours returns this library in one of its forms, as a user would write it.
func ours(form string) func(ctx context.Context, addr, protocol string, ready func()) error {
	return func(ctx context.Context, addr, protocol string, ready func()) error {
		opts := []netreactor.BindOption{
			netreactor.MaxPerClient(0), netreactor.FirstFrameTimeout(0), netreactor.WithLogger(slog.New(slog.DiscardHandler)),
		}
		switch form {
		case "epoll-0":
			opts = append(opts, netreactor.UseEngine(netreactor.Epoll), netreactor.Workers(0))
		case "epoll-N":
			opts = append(opts, netreactor.UseEngine(netreactor.Epoll))
		default:
			opts = append(opts, netreactor.UseEngine(netreactor.Net))
		}
		server, err := bind(ctx, addr, protocol, opts)
		if err != nil {
			return err
		}
		ready()
		<-server.Stopped()
		return nil
	}
}

func bind(ctx context.Context, addr, protocol string, opts []netreactor.BindOption) (*netreactor.Server, error) {
	switch protocol {
	case "resp":
		do := store.New(nil).Do // one function for all connections
		return netreactor.Bind(ctx, addr, resp.Codec(), func(c *netreactor.Conn[resp.Command, resp.Reply]) flux.Flux[resp.Reply] {
			return c.Inbound().Map(do).TakeUntil(resp.Reply.IsLast)
		}, opts...)
	case "http":
		return netreactor.Bind(ctx, addr, http1.Codec(), func(c *netreactor.Conn[http1.Request, http1.Response]) flux.Flux[http1.Response] {
			return c.Inbound().Map(answer).TakeUntil(http1.Response.IsLast)
		}, opts...)
	case "sink": // nobody ever asks for anything
		return netreactor.Bind(ctx, addr, netreactor.Bytes(netreactor.LengthPrefixed()), func(c *netreactor.Conn[[]byte, []byte]) flux.Flux[[]byte] {
			c.Inbound().SubscribeFunc(context.Background(), nil, flux.OnSubscribe(func(reactor.Subscription) {}))
			return flux.Never[[]byte]()
		}, opts...)
	}
	return netreactor.Bind(ctx, addr, borrowed, func(c *netreactor.Conn[[]byte, []byte]) flux.Flux[[]byte] {
		return c.Inbound().Map(func(frame []byte) []byte { block(frame); return frame })
	}, opts...)
}

// borrowed are frames that are not copied: they are answered before the next one is read.
var borrowed = netreactor.Framed(netreactor.LengthPrefixed(),
	func(frame []byte) ([]byte, error) { return frame, nil },
	func(dst, frame []byte) ([]byte, error) { return append(dst, frame...), nil })
