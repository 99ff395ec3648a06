package sinks

import (
	"context"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/multicast"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// replay keeps elements for those who come later.
type replay[T any] struct {
	protocol.Op
	core multicast.Replay[T]
	wait line
}

// newReplay keeps limit elements, or all if that is 0, for the time of age, or for ever if
// that is negative.
func newReplay[T any](limit int, age time.Duration, clock func() schedulers.Scheduler) *replay[T] {
	var now func() time.Time
	if age >= 0 {
		now = func() time.Time { return clock().Now() }
	}
	c := &replay[T]{}
	c.core.History = multicast.NewHistory[T](limit, age, now)
	return c
}

func (c *replay[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	c.core.Subscribe(ctx, protocol.Strict(ctx, s))
}

func (c *replay[T]) next(v T) EmitResult {
	if c.core.History.Ended() {
		return FailTerminated
	}
	c.core.Emit(v)
	return OK
}

func (c *replay[T]) end(err error) EmitResult {
	if !c.core.End(err) {
		return FailTerminated
	}
	return OK
}

func (c *replay[T]) line() *line { return &c.wait }

func (c *replay[T]) subscribers() int { return c.core.Subscribers() }

// context implements core. There is nothing that a replaying sink could not keep.
func (c *replay[T]) context() context.Context { return context.Background() }
