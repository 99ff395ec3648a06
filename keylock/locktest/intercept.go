package locktest

import (
	"context"
	"errors"
	"time"

	"github.com/goreactor/reactor/keylock"
)

// ErrLost is the error of a request whose answer was lost on the way.
var ErrLost = errors.New("locktest: the answer was lost")

// Around is what [Intercept] calls in the place of a request. do carries it out and returns
// its error, also if ctx has ended meanwhile, as a request does that is on its way; what
// Around returns is what the caller gets. op is the name of the method, "TryAcquire",
// "Renew", "Release", "Read" or "Watch". If the error is nil although do failed or was not
// called, the caller gets a zero answer.
type Around func(ctx context.Context, op string, do func() error) error

// Intercept returns b with around in front of every request, to lose requests or their
// answers, to delay them, or to count them.
func Intercept(b keylock.Backend, around Around) keylock.Backend {
	return &intercepted{b: b, around: around}
}

type intercepted struct {
	b      keylock.Backend
	around Around
}

func (i *intercepted) CheckTTL(ttl time.Duration) error {
	if c, ok := i.b.(keylock.TTLChecker); ok {
		return c.CheckTTL(ttl)
	}
	return nil
}

func (i *intercepted) CheckLockDelay(delay time.Duration) error {
	if c, ok := i.b.(keylock.LockDelayChecker); ok {
		return c.CheckLockDelay(delay)
	}
	return nil
}

func (i *intercepted) TryAcquire(ctx context.Context, r keylock.Request) (g keylock.Grant, err error) {
	err = i.around(ctx, "TryAcquire", func() error { g, err = i.b.TryAcquire(context.WithoutCancel(ctx), r); return err })
	return g, err
}

func (i *intercepted) Renew(ctx context.Context, g keylock.Grant, ttl time.Duration) (next keylock.Grant, err error) {
	err = i.around(ctx, "Renew", func() error { next, err = i.b.Renew(context.WithoutCancel(ctx), g, ttl); return err })
	return next, err
}

func (i *intercepted) Release(ctx context.Context, g keylock.Grant) error {
	return i.around(ctx, "Release", func() error { return i.b.Release(context.WithoutCancel(ctx), g) })
}

func (i *intercepted) Read(ctx context.Context, key string) (ev keylock.Event, err error) {
	err = i.around(ctx, "Read", func() error { ev, err = i.b.Read(context.WithoutCancel(ctx), key); return err })
	return ev, err
}

func (i *intercepted) Watch(ctx context.Context, key string) (ch <-chan keylock.Event, err error) {
	err = i.around(ctx, "Watch", func() error { ch, err = i.b.Watch(ctx, key); return err })
	return ch, err
}
