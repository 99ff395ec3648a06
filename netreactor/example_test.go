package netreactor_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
	"github.com/goreactor/reactor/sinks"
)

var (
	ctx   = context.Background()
	quiet = netreactor.WithLogger(slog.New(slog.DiscardHandler))
	lines = netreactor.Strings(netreactor.Lines())
)

// An echo: what comes in goes out.
func ExampleBind() {
	server, err := netreactor.Bind(ctx, "127.0.0.1:0", lines,
		func(c *netreactor.Conn[string, string]) flux.Flux[string] { return c.Inbound() }, quiet)
	if err != nil {
		panic(err)
	}
	defer server.Close()

	conn, err := netreactor.Dial(ctx, server.Addr().String(), lines)
	if err != nil {
		panic(err)
	}
	conn.Send("one")
	conn.Send("two")
	got, err := conn.Inbound().Take(2).Collect(ctx)
	fmt.Println(got, err)
	conn.Close()
	// Output: [one two] <nil>
}

// Requests and responses: work that may block is done by goroutines of its own, in order for
// each connection.
func ExampleBusiness() {
	server, err := netreactor.Bind(ctx, "127.0.0.1:0", lines,
		func(c *netreactor.Conn[string, string]) flux.Flux[string] {
			return c.Inbound().Map(func(request string) string {
				time.Sleep(time.Millisecond) // a database, say
				return strings.ToUpper(request)
			})
		}, netreactor.Business(4), quiet)
	if err != nil {
		panic(err)
	}
	defer server.Close()

	conn, err := netreactor.Dial(ctx, server.Addr().String(), lines)
	if err != nil {
		panic(err)
	}
	conn.SendAll(flux.FromSlice([]string{"a", "b", "c"}))
	got, err := conn.Inbound().Take(3).Collect(ctx)
	fmt.Println(got, err)
	conn.Close()
	// Output: [A B C] <nil>
}

// A chat: what one says all hear. Whoever is too slow to read misses lines, and holds up
// nobody.
func ExampleConn_Inbound() {
	room := sinks.Many().Multicast().DirectBestEffort[string]()
	server, err := netreactor.Bind(ctx, "127.0.0.1:0", lines,
		func(c *netreactor.Conn[string, string]) flux.Flux[string] {
			said := c.Inbound().DoOnNext(func(line string) { room.EmitNext(line, sinks.FailFast) })
			return flux.From[string](room).TakeUntilOther(said.Then())
		}, netreactor.FirstFrameTimeout(0), quiet)
	if err != nil {
		panic(err)
	}
	defer server.Close()

	join := func() *netreactor.Conn[string, string] {
		conn, err := netreactor.Dial(ctx, server.Addr().String(), lines)
		if err != nil {
			panic(err)
		}
		return conn
	}
	ann, bob := join(), join()
	for room.CurrentSubscriberCount() < 2 {
		time.Sleep(time.Millisecond)
	}
	ann.Send("hello")
	for _, c := range []*netreactor.Conn[string, string]{ann, bob} {
		line, err := c.Inbound().Next().Block(ctx)
		fmt.Println(line, err)
		c.Close()
	}
	// Output:
	// hello <nil>
	// hello <nil>
}
