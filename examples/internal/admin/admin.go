// Package admin answers the four-letter words of ZooKeeper with the figures of a server:
//
//	echo ruok | nc 127.0.0.1 7001
package admin

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
)

// Admin is a server that answers a word for each connection.
type Admin struct {
	name    string // of the server it is about, first part of the names that mntr gives
	about   func() *netreactor.Server
	started time.Time
}

// Bind serves the words for the server that about returns, under name, at addr.
func Bind(ctx context.Context, addr, name string, about func() *netreactor.Server) (*netreactor.Server, error) {
	a := &Admin{name: name, about: about, started: time.Now()}
	return netreactor.Bind(ctx, addr, words{}, func(c *netreactor.Conn[string, string]) flux.Flux[string] {
		return c.Inbound().Take(1).Map(a.Answer)
	}, netreactor.Name(name+" admin"), netreactor.Workers(0))
}

// words is the codec: four bytes come, a text goes, and the connection ends. What follows
// the four, such as the end of the line, is ignored.
type words struct{}

const wordSize = 4

func (words) Decode(in *netreactor.Input) (string, bool, error) {
	all := in.Bytes()
	if len(all) < wordSize {
		in.Need(wordSize)
		return "", false, nil
	}
	word := string(all[:wordSize])
	in.Advance(len(all))
	return word, true, nil
}

func (words) Encode(dst []byte, text string) ([]byte, error) { return append(dst, text...), nil }

// Answer returns what a word asks for.
func (a *Admin) Answer(word string) string {
	var out strings.Builder
	switch word {
	case "ruok":
		return "imok"
	case "srvr":
		a.summary(&out)
	case "stat":
		fmt.Fprintln(&out, "Clients:")
		a.clients(&out, false)
		fmt.Fprintln(&out)
		a.summary(&out)
	case "cons":
		a.clients(&out, true)
		fmt.Fprintln(&out)
	case "mntr":
		a.monitor(&out)
	default:
		fmt.Fprintf(&out, "%q is not one of ruok, srvr, stat, cons, mntr\n", word)
	}
	return out.String()
}

func (a *Admin) summary(out *strings.Builder) {
	s := a.about().Stats()
	fmt.Fprintf(out, "Reactor for Go, %s, engine %v, up %v\n", a.name, s.Engine, time.Since(a.started).Round(time.Second))
	fmt.Fprintf(out, "Received: %d\nSent: %d\nConnections: %d\nOutstanding: %d\n",
		s.FramesIn, s.FramesOut, s.Connections, s.Outstanding)
	fmt.Fprintf(out, "Paused: %d\nUnsent bytes: %d\n", s.Paused, s.Unsent)
}

func (a *Admin) clients(out *strings.Builder, full bool) {
	conns := a.about().Connections()
	slices.SortFunc(conns, func(x, y netreactor.ConnStats) int { return int(x.ID) - int(y.ID) })
	for _, c := range conns {
		fmt.Fprintf(out, " %v[%d](queued=%d,recved=%d,sent=%d", c.RemoteAddr, c.ID, c.Outstanding, c.FramesIn, c.FramesOut)
		if full {
			fmt.Fprintf(out, ",bytesin=%d,bytesout=%d,unsent=%d,paused=%v", c.BytesIn, c.BytesOut, c.Unsent, c.PausedFor.Round(time.Millisecond))
		}
		fmt.Fprintln(out, ")")
	}
}

func (a *Admin) monitor(out *strings.Builder) {
	s := a.about().Stats()
	line := func(name string, value any) { fmt.Fprintf(out, "%s_%s\t%v\n", a.name, name, value) }
	line("engine", s.Engine)
	line("uptime", int(time.Since(a.started).Milliseconds()))
	line("packets_received", s.FramesIn)
	line("packets_sent", s.FramesOut)
	line("bytes_received", s.BytesIn)
	line("bytes_sent", s.BytesOut)
	line("num_alive_connections", s.Connections)
	line("num_paused_connections", s.Paused)
	line("outstanding_requests", s.Outstanding)
	line("unsent_bytes", s.Unsent)
	line("connections_accepted", s.Acceptor.Accepted)
	line("connections_rejected", s.Acceptor.RejectedAll+s.Acceptor.RejectedIP+s.Acceptor.RejectedClose)
	line("accept_pauses", s.Acceptor.Pauses)
	line("selectors", len(s.Selectors))
	line("workers", s.Workers.Workers)
	line("workers_busy", s.Workers.Busy)
	line("worker_queue", s.Workers.Queued)
	for _, reason := range slices.Sorted(maps.Keys(s.Closed)) {
		line("closed_"+strings.ReplaceAll(reason.String(), " ", "_"), s.Closed[reason])
	}
}
