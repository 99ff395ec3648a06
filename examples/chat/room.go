package main

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
	"github.com/goreactor/reactor/sinks"
)

var lines = netreactor.Strings(netreactor.Lines())

// room is where all hear what one says.
type room struct {
	said   *sinks.ManySink[string]
	lines  atomic.Int64 // said
	people atomic.Int64 // in the room
	missed atomic.Int64 // lines, by those who were too slow
}

func newRoom() *room { return &room{said: sinks.Many().Multicast().DirectBestEffort[string]()} }

// join is the handler: what it returns is what the client hears.
func (r *room) join(c *netreactor.Conn[string, string]) flux.Flux[string] {
	name := ""
	said := c.Inbound().DoOnNext(func(line string) {
		if name == "" {
			if name = strings.TrimSpace(line); name == "" {
				return
			}
			r.say("* " + name + " is here")
			return
		}
		r.say(name + ": " + line)
	}).DoFinally(func(reactor.SignalKind) {
		if name != "" {
			r.say("* " + name + " has left")
		}
	})
	// Whoever asks for nothing gets nothing, but is told of it with the next line.
	var missed atomic.Int64
	heard := flux.From[string](r.said).
		OnBackpressureDropFunc(func(string) {
			missed.Add(1)
			r.missed.Add(1)
		}).
		Map(func(line string) string {
			if n := missed.Swap(0); n > 0 {
				return fmt.Sprintf("* you have missed %d lines\n%s", n, line)
			}
			return line
		})
	r.people.Add(1)
	return heard.TakeUntilOther(said.Then()).DoFinally(func(reactor.SignalKind) { r.people.Add(-1) })
}

// say is called by the goroutines of all connections. A line at a time is said, so that all
// hear them in the same order; the others wait for the moment that takes.
func (r *room) say(line string) {
	r.lines.Add(1)
	r.said.EmitNext(line, sinks.BusyLooping(10*time.Second))
}
