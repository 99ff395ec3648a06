package itest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/goreactor/reactor/connectors/nats/itest"
	"github.com/goreactor/reactor/connectors/nats/natslock"
	"github.com/goreactor/reactor/internal/testkit/awake"
	"github.com/goreactor/reactor/keylock"
)

// locker is what children need for a manager.
type locker struct {
	URLs   []string
	Bucket string
	TTL    time.Duration
	Keys   []string
}

// open returns a manager of this process, and what ends it.
func (l locker) open() (*keylock.Manager, func(), error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	conn, js, err := itest.Connect(l.URLs...)
	if err != nil {
		return nil, nil, err
	}
	store, err := natslock.New(ctx, js, l.Bucket)
	if err != nil {
		conn.Close()
		return nil, nil, err
	}
	m, err := keylock.New(keylock.WithBackend(store, l.TTL), keylock.LeaseTime(0), keylock.WaitTime(keylock.Forever),
		keylock.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		conn.Close()
		return nil, nil, err
	}
	return m, func() { m.Close(); conn.Close() }, nil
}

// of describes a lease.
func of(what string, l keylock.Lease) saying {
	return saying{What: what, Key: l.Key(), Token: l.Token(), Nonce: l.Nonce()}
}

// beHolder holds the first key at "hold" until "release". After "work" it works while it
// has the key: it looks whether its context has ended, thinks for two milliseconds, and
// writes. It says "lost" when it has noticed that it has lost the key.
func beHolder(arg json.RawMessage, in <-chan string, out report) error {
	var l locker
	if err := json.Unmarshal(arg, &l); err != nil {
		return err
	}
	m, end, err := l.open()
	if err != nil {
		return err
	}
	defer end()
	out(saying{What: "ready"})
	var lease keylock.Lease
	for command := range in {
		switch command {
		case "hold":
			if lease, err = m.Acquire(context.Background(), l.Keys[0]); err != nil {
				out(saying{What: "failed", Error: err.Error()})
				continue
			}
			out(of("held", lease))
		case "work":
			for lease.Context().Err() == nil {
				for start := time.Now(); time.Since(start) < 2*time.Millisecond; {
				}
				out(of("write", lease))
			}
			s := of("lost", lease)
			s.Error = context.Cause(lease.Context()).Error()
			if !errors.Is(context.Cause(lease.Context()), keylock.ErrLeaseLost) {
				s.What = "not lost"
			}
			out(s)
		case "release":
			s := of("released", lease)
			if !lease.Release() {
				s.What = "not released"
			}
			out(s)
		default:
			return fmt.Errorf("unknown command %q", command)
		}
	}
	return nil
}

// beContender competes for all keys again and again until its input ends, each for a
// while, and says when it got one and when it has let go of it.
func beContender(arg json.RawMessage, in <-chan string, out report) error {
	var c struct {
		locker
		Hold time.Duration // how long a key is held; 0 for as long as possible
	}
	if err := json.Unmarshal(arg, &c); err != nil {
		return err
	}
	m, end, err := c.open()
	if err != nil {
		return err
	}
	defer end()
	ctx, cancel := context.WithCancel(context.Background())
	clock, stop := awake.Start()
	defer stop()
	done := make(chan struct{}, len(c.Keys))
	for _, key := range c.Keys {
		go func() {
			defer func() { done <- struct{}{} }()
			for ctx.Err() == nil {
				_, err := m.Do(ctx, key, func(inner context.Context, lease keylock.Lease) (struct{}, error) {
					out(of("held", lease))
					still := clock.Still()
					var over <-chan time.Time
					if c.Hold > 0 {
						over = time.After(c.Hold)
					}
					what := "released"
					select {
					case <-over:
					case <-inner.Done():
						if errors.Is(context.Cause(inner), keylock.ErrLeaseLost) {
							what = "lost"
						}
					}
					s := of(what, lease)
					s.Still = clock.Still() - still
					out(s)
					return struct{}{}, nil
				})
				if err != nil && ctx.Err() == nil && !errors.Is(err, keylock.ErrLeaseLost) {
					out(saying{What: "failed", Key: key, Error: err.Error()})
				}
			}
		}()
	}
	out(saying{What: "ready"})
	for range in {
	}
	cancel()
	for range c.Keys {
		<-done
	}
	return nil
}

// beServer is a server until it is killed.
func beServer(arg json.RawMessage, in <-chan string, out report) error {
	var o itest.Options
	if err := json.Unmarshal(arg, &o); err != nil {
		return err
	}
	signal.Ignore(os.Interrupt, syscall.SIGPIPE)
	electSoon()
	s, err := itest.Start(o)
	if err != nil {
		return err
	}
	out(saying{What: "ready", Key: strings.TrimPrefix(s.URL(), "nats://")})
	for range in {
	}
	s.Stop()
	return nil
}
