package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
)

// crowd are clients that were connected. The first ones listen, the others never read.
type crowd struct {
	clients []*client
	listen  int
}

// client is one of the crowd. What is said are numbers that count up, so that a client can
// tell what it has missed.
type client struct {
	conn    *netreactor.Conn[string, string]
	stop    reactor.Disposable
	heard   atomic.Int64
	missed  atomic.Int64
	last    atomic.Int64 // number that it has heard
	muddled atomic.Bool  // a number came that was not above the one before
}

// invite connects clients.
func invite(ctx context.Context, addr string, listening, slow int) (*crowd, error) {
	c := &crowd{listen: listening}
	for i := range listening + slow {
		conn, err := netreactor.Dial(ctx, addr, lines, netreactor.SocketBuffers(small, small))
		if err != nil {
			return c, err
		}
		one := &client{conn: conn}
		c.clients = append(c.clients, one)
		if i < listening {
			one.stop = conn.Inbound().SubscribeFunc(context.WithoutCancel(ctx), one.hear, flux.OnError(func(error) {}))
		}
	}
	return c, nil
}

func (c *client) hear(line string) {
	_, said, _ := strings.Cut(line, ": ")
	number, _, _ := strings.Cut(said, ",")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return // of who comes and goes, and what was missed
	}
	switch gap := n - c.last.Load() - 1; {
	case gap == -1:
		return // said again
	case gap < 0:
		c.muddled.Store(true)
	case gap > 0:
		c.missed.Add(gap)
	}
	c.heard.Add(1)
	c.last.Store(n)
}

// filler makes the lines long enough to fill the buffers of those who do not read them.
var filler = strings.Repeat("and so on ", 50)

// talk has the clients that listen say numbers in turn, and reports each second. It returns
// the last number. Each waits until it has heard what was said before, as in a conversation:
// the numbers of two clients could overtake each other otherwise.
func (c *crowd) talk(ctx context.Context, duration time.Duration, rate int, report func()) int64 {
	for i, one := range c.clients[:c.listen] {
		_ = one.conn.Send(fmt.Sprint("guest-", i))
	}
	tick, word, end := time.NewTicker(time.Second), time.NewTicker(max(time.Second/time.Duration(rate), 1)), time.NewTimer(duration)
	defer tick.Stop()
	defer word.Stop()
	defer end.Stop()
	said := int64(0)
	for {
		select {
		case <-word.C:
			one := c.clients[said%int64(c.listen)]
			if said > 0 && one.last.Load() < said {
				continue
			}
			said++
			one.say(said)
		case <-tick.C:
			report()
		case <-ctx.Done():
			return said
		case <-end.C:
			return said
		}
	}
}

func (c *client) say(number int64) { _ = c.conn.Send(fmt.Sprintf("%d, %s", number, filler)) }

// check asks that all who listen have heard what was said, in its order, but for what they
// have missed. Who has missed the very last line would not hear of that, since no other follows: it
// is said again.
func (c *crowd) check(ctx context.Context, out io.Writer, said int64) error {
	var all, missed int64
	for i, one := range c.clients[:c.listen] {
		looks := 0
		if err := await(ctx, func() bool {
			if looks++; looks%patience == 0 {
				c.clients[0].say(said)
			}
			return one.last.Load() == said
		}); err != nil {
			return fmt.Errorf("client %d has not heard the last of %d lines, but %d: %w", i, said, one.last.Load(), err)
		}
		if one.muddled.Load() {
			return fmt.Errorf("client %d has heard lines in another order", i)
		}
		all += one.heard.Load()
		missed += one.missed.Load()
	}
	fmt.Fprintf(out, "\n%d lines were said; the %d clients who listen have heard %d and missed %d\n", said, c.listen, all, missed)
	if all+missed != said*int64(c.listen) {
		return fmt.Errorf("%d lines are lost", said*int64(c.listen)-all-missed)
	}
	return nil
}

// patience is how many milliseconds somebody who has not heard the last line waits until it is said again.
const patience = 200

// leave disconnects all.
func (c *crowd) leave() {
	for _, one := range c.clients {
		if one.stop != nil {
			one.stop.Dispose()
		}
		one.conn.Abort()
		<-one.conn.Context().Done()
	}
}

var errTooLong = errors.New("it takes too long")

// await waits until is is true, ten seconds at most.
func await(ctx context.Context, is func() bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 10*time.Second, errTooLong)
	defer cancel()
	for !is() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}
