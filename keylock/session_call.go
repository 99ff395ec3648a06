package keylock

import (
	"context"
	"errors"
	mathrand "math/rand/v2"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
)

// backOff returns how long to wait after a failure.
func (s *session) backOff() time.Duration {
	s.failures++
	return jitter(min(50*time.Millisecond<<min(s.failures-1, 10), s.h.s.m.ttl/3))
}

// answer is what a request to the backend led to.
type answer int

const (
	done    answer = iota
	no             // certainly not done
	never          // nor will it ever be
	unknown        // perhaps done, perhaps not
)

func answerOf(err error) answer {
	switch {
	case err == nil:
		return done
	case errors.Is(err, ErrHeld):
		return no
	case errors.Is(err, reactor.ErrIllegalArgument):
		return never
	}
	return unknown
}

// call runs a request with a context that ends with base, and after limit. A panic of
// the backend is an error like any other: nobody knows what it has done.
func (s *session) call(base context.Context, limit time.Duration, fn func(ctx context.Context) error) (err error) {
	ctx, cancel := context.WithCancelCause(base)
	defer cancel(nil)
	stop, err := s.h.clk.after(max(limit, 0), func() { cancel(context.DeadlineExceeded) })
	if err != nil {
		return s.h.noTimer(err)
	}
	defer stop()
	failure.Guard(func() { err = fn(ctx) }, func(thrown error) { err = thrown })
	chaos.Yield()
	return err
}

// sleep waits for d or the end of ctx, and reports whether it was d.
func (s *session) sleep(ctx context.Context, d time.Duration) bool {
	ring := make(chan struct{})
	stop, err := s.h.clk.after(max(d, 0), func() { close(ring) })
	if err != nil {
		return false
	}
	defer stop()
	select {
	case <-ring:
		return true
	case <-ctx.Done():
		return false
	}
}

// jitter returns d, more or less.
func jitter(d time.Duration) time.Duration {
	return d - d/10 + time.Duration(mathrand.Int64N(int64(d/5)+1))
}
