package netreactor_test

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/netreactor"
	"github.com/goreactor/reactor/schedulers"
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

// A proxy: what either side sends goes to the other, and so does its end. Neither is read faster than the other one takes it. Where one
// has failed, the other is reset: its end alone would say that this was all. A connection whose messages nobody wants any more is closed.
func Example_proxy() {
	type conn = netreactor.Conn[[]byte, []byte]
	raw := netreactor.Bytes(netreactor.Raw())
	server, err := netreactor.Bind(ctx, "127.0.0.1:0", lines, func(c *netreactor.Conn[string, string]) mono.Mono[string] {
		return c.Inbound().Count[int]().Map(func(n int) string { return fmt.Sprint(n, " lines") }) // when all have come
	}, quiet)
	if err != nil {
		panic(err)
	}
	defer server.Close()

	proxy, err := netreactor.Bind(ctx, "127.0.0.1:0", raw, func(c *conn) flux.Flux[[]byte] {
		// It blocks, so it is done elsewhere. Nobody takes the connection if the client has gone meanwhile.
		dial := mono.FromFunc(func(ctx context.Context) (*conn, error) {
			return netreactor.Dial(ctx, server.Addr().String(), raw, netreactor.CancelCloses())
		}).SubscribeOn(schedulers.BoundedElastic()).DoOnDiscard((*conn).Abort)
		return flux.FlatMapMany(dial, func(up *conn) flux.Flux[[]byte] {
			up.SendAll(c.Inbound().DoOnComplete(func() { up.CloseWrite() }).DoOnError(func(error) { up.Abort() }))
			return up.Inbound().DoOnComplete(func() { c.CloseWrite() }).DoOnError(func(error) { c.Abort() })
		})
	}, netreactor.CancelCloses(), quiet)
	if err != nil {
		panic(err)
	}
	defer proxy.Close()

	client, err := netreactor.Dial(ctx, proxy.Addr().String(), lines)
	if err != nil {
		panic(err)
	}
	client.Send("one")
	client.Send("two")
	client.CloseWrite()
	fmt.Println(client.Inbound().Collect(ctx))
	// Output: [2 lines] <nil>
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

// A client that stays connected: where the connection is lost, or can't be made, it comes back after a pause, longer each time, and asks
// for what comes behind the last message that it has got. An element that comes begins the count of attempts anew.
func Example_reconnect() {
	type conn = netreactor.Conn[string, string]
	// The peer counts on from the number that it is told, and is lost after two.
	server, err := netreactor.Bind(ctx, "127.0.0.1:0", lines, func(c *conn) flux.Flux[string] {
		return c.Inbound().Take(1).TryMap(strconv.Atoi).
			FlatMap(func(last int) flux.Flux[string] { return flux.Range(last+1, 2).Map(strconv.Itoa) })
	}, quiet)
	if err != nil {
		panic(err)
	}
	defer server.Close()

	last := "0"
	dial := mono.FromFunc(func(ctx context.Context) (*conn, error) {
		return netreactor.Dial(ctx, server.Addr().String(), lines, netreactor.CancelCloses())
	}).SubscribeOn(schedulers.BoundedElastic()).DoOnDiscard((*conn).Abort)
	follow := flux.FlatMapMany(dial, func(c *conn) flux.Flux[string] {
		c.Send(last)
		return c.Inbound()
	}).DoOnNext(func(number string) { last = number }).
		Repeat(). // the peer has closed the connection
		RetryWhen(flux.RetryBackoff(5, time.Millisecond).TransientErrors(true))

	fmt.Println(follow.Take(5).Collect(ctx))
	// Output: [1 2 3 4 5] <nil>
}
