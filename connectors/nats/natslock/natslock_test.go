package natslock_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/goreactor/reactor/connectors/nats/natslock"
)

// fake is a server that has a version and answers no requests.
func fake(t *testing.T, version string) *nats.Conn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				fmt.Fprintf(c, "INFO {\"server_id\":\"fake\",\"version\":%q,\"headers\":true,\"max_payload\":1048576}\r\n", version)
				lines := bufio.NewScanner(c)
				for lines.Scan() {
					if lines.Text() == "PING" {
						fmt.Fprint(c, "PONG\r\n")
					}
				}
				_ = lines.Err() // the connection has ended, in whatever way
			})
		}
	})
	conn, err := nats.Connect("nats://"+l.Addr().String(), nats.MaxReconnects(0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		l.Close()
		all.Wait()
	})
	return conn
}

// K1: servers without times to live for single messages are refused, by their version.
func TestK1OldServers(t *testing.T) {
	for version, want := range map[string]string{
		"2.9.10":       "the server is version 2.9.10, but 2.11 or newer is required",
		"2.10.29":      "the server is version 2.10.29, but 2.11 or newer is required",
		"1.4.1":        "the server is version 1.4.1, but 2.11 or newer is required",
		"nightly":      `the server has the version "nightly"`,
		"2.11.0":       "context deadline exceeded", // which is asked for the bucket, and does not answer
		"v2.15.2-beta": "context deadline exceeded",
		"3.0.0":        "context deadline exceeded",
	} {
		t.Run(version, func(t *testing.T) {
			js, err := jetstream.New(fake(t, version))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
			defer cancel()
			if _, err = natslock.New(ctx, js, "locks"); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q expected but it was %v", want, err)
			}
		})
	}
}
