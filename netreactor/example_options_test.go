package netreactor_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/netreactor"
	"github.com/goreactor/reactor/schedulers"
)

func echo(c *netreactor.Conn[string, string]) flux.Flux[string] { return c.Inbound() }

// serve starts an echo server with options and stops it.
func serve(opts ...netreactor.BindOption) {
	server, err := netreactor.Bind(ctx, "127.0.0.1:0", lines, echo, append(opts, quiet)...)
	if err != nil {
		fmt.Println(err)
		return
	}
	server.Close()
}

// through sends messages through a server that echoes, with a codec.
func through[T any](codec netreactor.Codec[T, T], messages ...T) []T {
	server, err := netreactor.Bind(ctx, "127.0.0.1:0", codec,
		func(c *netreactor.Conn[T, T]) flux.Flux[T] { return c.Inbound() }, quiet)
	if err != nil {
		panic(err)
	}
	defer server.Close()
	conn, err := netreactor.Dial(ctx, server.Addr().String(), codec)
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	for _, m := range messages {
		conn.Send(m)
	}
	got, err := conn.Inbound().Buffer(len(messages)).Next().Block(ctx)
	if err != nil {
		panic(err)
	}
	return got
}

func ExampleBytes() {
	fmt.Printf("%q", through(netreactor.Bytes(netreactor.Delimited(";")), []byte("a"), []byte("b")))
	// Output: ["a" "b"]
}

func ExampleStrings() {
	fmt.Printf("%q", through(netreactor.Strings(netreactor.Lines()), "a", "", "b"))
	// Output: ["a" "" "b"]
}

func ExampleRaw() {
	// What comes together depends on the network.
	fmt.Printf("%q", through(netreactor.Strings(netreactor.Raw()), "all of it"))
	// Output: ["all of it"]
}

func ExampleLines() {
	fmt.Printf("%q", through(netreactor.Strings(netreactor.Lines()), "one", "two\r"))
	// Output: ["one" "two"]
}

func ExampleDelimited() {
	fmt.Printf("%q", through(netreactor.Strings(netreactor.Delimited("\x00")), "one", "two"))
	// Output: ["one" "two"]
}

func ExampleFixedLength() {
	fmt.Printf("%q", through(netreactor.Strings(netreactor.FixedLength(3)), "one", "two"))
	// Output: ["one" "two"]
}

func ExampleLengthPrefixed() {
	fmt.Printf("%q", through(netreactor.Bytes(netreactor.LengthPrefixed()), []byte("any\nbytes"), nil))
	// Output: ["any\nbytes" ""]
}

// Documents of JSON, each on a line.
func ExampleFramed() {
	type order struct{ ID, Cents int }
	codec := netreactor.Framed(netreactor.Lines(),
		func(line []byte) (o order, err error) { err = json.Unmarshal(line, &o); return o, err },
		func(dst []byte, o order) ([]byte, error) {
			text, err := json.Marshal(o)
			return append(dst, text...), err
		})
	fmt.Println(through(codec, order{1, 250}, order{2, 99}))
	// Output: [{1 250} {2 99}]
}

func ExampleDial() {
	server, err := netreactor.Bind(ctx, "127.0.0.1:0", lines, echo, quiet)
	if err != nil {
		panic(err)
	}
	defer server.Close()

	conn, err := netreactor.Dial(ctx, server.Addr().String(), lines)
	if err != nil {
		panic(err)
	}
	conn.Send("ping")
	fmt.Println(conn.Inbound().Next().Block(ctx))
	conn.Close()
	<-conn.Context().Done()
	// Output: ping <nil>
}

// A server that answers when it has heard all: who asks says that this was all, and waits.
func ExampleConn_CloseWrite() {
	server, err := netreactor.Bind(ctx, "127.0.0.1:0", lines, func(c *netreactor.Conn[string, string]) mono.Mono[string] {
		return c.Inbound().CollectSlice().Map(func(all []string) string { return strings.Join(all, ", ") })
	}, quiet)
	if err != nil {
		panic(err)
	}
	defer server.Close()

	conn, err := netreactor.Dial(ctx, server.Addr().String(), lines)
	if err != nil {
		panic(err)
	}
	conn.SendAll(flux.Just("eggs", "milk").DoOnComplete(func() { conn.CloseWrite() }))
	fmt.Println(conn.Inbound().Collect(ctx))
	<-conn.Context().Done()
	fmt.Println(context.Cause(conn.Context()))
	// Output:
	// [eggs, milk] <nil>
	// netreactor: connection closed: peer closed
}

func ExampleBindListener() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	server, err := netreactor.BindListener(ctx, listener, lines, echo, quiet)
	if err != nil {
		panic(err)
	}
	fmt.Println(server.Engine())
	server.Close()
	// Output: net
}

func ExampleLoadConfig() {
	c, err := netreactor.LoadConfig(func(name string) (string, bool) {
		value, ok := map[string]string{"REACTOR_NET_WORKERS": "8", "REACTOR_NET_BUSINESS": "many"}[name]
		return value, ok
	})
	fmt.Println(c.Workers, c.Business, err)
	// Output: 8 0 netreactor: REACTOR_NET_BUSINESS="many" is not a decimal number, using 0
}

func ExampleDefaults() { fmt.Println(netreactor.Defaults().Workers) }

func ExampleName() { serve(netreactor.Name("orders")) }

func ExampleNetwork() {
	dir, err := os.MkdirTemp("", "net")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	server, err := netreactor.Bind(ctx, dir+"/s", lines, echo, netreactor.Network("unix"), quiet)
	if err != nil {
		panic(err)
	}
	defer server.Close()
	conn, err := netreactor.Dial(ctx, dir+"/s", lines, netreactor.Network("unix"))
	if err != nil {
		panic(err)
	}
	conn.Send("by file")
	fmt.Println(conn.Inbound().Next().Block(ctx))
	conn.Close()
	// Output: by file <nil>
}

func ExampleUseEngine() { serve(netreactor.UseEngine(netreactor.Net)) }

// Handlers that compute and never block need no workers.
func ExampleSelectors() { serve(netreactor.Selectors(2), netreactor.Workers(0)) }

func ExampleWorkers() { serve(netreactor.Workers(8)) }

func ExampleBusinessOn() { serve(netreactor.BusinessOn(schedulers.BoundedElastic())) }

func ExampleMaxConns() { serve(netreactor.MaxConns(10_000)) }

// Behind a proxy, all clients have one address.
func ExampleMaxPerClient() { serve(netreactor.MaxPerClient(0)) }

func ExampleOutstandingLimit() {
	serve(netreactor.Business(16), netreactor.OutstandingLimit(1000))
}

func ExampleReusePort() { serve(netreactor.ReusePort()) }

func ExampleShutdownTimeout() { serve(netreactor.ShutdownTimeout(30 * time.Second)) }

func ExampleWithTLS() {
	certificate, err := tls.LoadX509KeyPair("server.pem", "server.key")
	if err != nil {
		panic(err)
	}
	serve(netreactor.WithTLS(&tls.Config{Certificates: []tls.Certificate{certificate}}))
}

func ExampleWithLogger() {
	var log bytes.Buffer
	serve(netreactor.WithLogger(slog.New(slog.NewJSONHandler(&log, nil))))
}

func ExampleMaxFrame() { serve(netreactor.MaxFrame(16 << 20)) }

func ExampleReadChunk() { serve(netreactor.ReadChunk(16 << 10)) }

func ExampleWaterMarks() { serve(netreactor.WaterMarks(256<<10, 1<<20)) }

func ExampleFirstFrameTimeout() { serve(netreactor.FirstFrameTimeout(3 * time.Second)) }

func ExampleIdleTimeout() { serve(netreactor.IdleTimeout(time.Minute)) }

func ExampleReadTimeout() { serve(netreactor.ReadTimeout(10 * time.Second)) }

func ExampleWriteTimeout() { serve(netreactor.WriteTimeout(10 * time.Second)) }

func ExamplePausedTimeout() { serve(netreactor.PausedTimeout(5 * time.Minute)) }

func ExampleCancelCloses() { serve(netreactor.CancelCloses()) }

func ExampleNoDelay() { serve(netreactor.NoDelay(false)) }

func ExampleKeepAlive() { serve(netreactor.KeepAlive(time.Minute)) }

func ExampleSocketBuffers() { serve(netreactor.SocketBuffers(64<<10, 64<<10)) }
