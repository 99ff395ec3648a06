package executors

import (
	"context"
	"slices"

	"github.com/goreactor/reactor"
)

// waiter is a submitter that waits for room.
type waiter struct{ free chan struct{} }

// wake lets waiters try again; a nil list is empty.
type wakers []*waiter

func (w wakers) wake() {
	for _, one := range w {
		close(one.free)
	}
}

// room takes the first waiter off the list, because there may be room now. The caller
// holds mu and wakes it when that is released.
func (p *ThreadPool) room() wakers {
	if len(p.waiters) == 0 {
		return nil
	}
	first := p.waiters[:1:1]
	p.waiters = p.waiters[1:]
	return first
}

// roomForAll is room for all.
func (p *ThreadPool) roomForAll() wakers {
	all := p.waiters
	p.waiters = nil
	return all
}

// ExecuteWait is [ThreadPool.Execute], except that it waits while the pool is
// saturated, until there is room, ctx ends or the pool is shut down. The policy is
// asked in the last case only. Those who wait are served in their order, but who
// does not wait may be faster. A task of the pool must not call it: it may wait for
// itself.
func (p *ThreadPool) ExecuteWait(ctx context.Context, task Task) error {
	e, err := p.entryFor(ctx, task)
	if err != nil {
		return err
	}
	return p.submitWait(ctx, e)
}

// SubmitWait is [ThreadPool.Submit] with the waiting of [ThreadPool.ExecuteWait].
func (p *ThreadPool) SubmitWait[T any](ctx context.Context, fn func(ctx context.Context) (T, error)) (*Future[T], error) {
	f, err := newFuture(ctx, p, fn)
	if err != nil {
		return nil, err
	}
	if err := p.submitWait(ctx, entry{h: &f.Handle}); err != nil {
		return nil, err
	}
	f.watch(ctx)
	return f, nil
}

func (p *ThreadPool) submitWait(ctx context.Context, e entry) error {
	for again := false; ; again = true {
		w := &waiter{free: make(chan struct{})}
		v, cause := p.admitOr(e, w, again)
		switch v {
		case accepted:
			return nil
		case refusedFull:
		default:
			return p.reject(e, v, cause)
		}
		select {
		case <-w.free:
		case <-ctx.Done():
			p.giveUp(w)
			return reactor.NonNil(context.Cause(ctx))
		}
	}
}

// admitOr offers an entry to the pool or, if it is full, puts w on the list: to its
// front if it was there before.
func (p *ThreadPool) admitOr(e entry, w *waiter, again bool) (verdict, error) {
	for {
		if v, cause := p.admit(e); v != refusedFull {
			return v, cause
		}
		p.mu.Lock()
		if p.full() {
			at := len(p.waiters)
			if again {
				at = 0
			}
			p.waiters = slices.Insert(p.waiters, at, w)
			p.mu.Unlock()
			return refusedFull, nil
		}
		p.mu.Unlock() // not any more
	}
}

// full reports whether a task would be refused although the pool is running. The
// caller holds mu.
func (p *ThreadPool) full() bool {
	return p.state == poolRunning && p.workers >= p.most && len(p.idle) == 0 && p.queue.len() >= p.capacity
}

// giveUp takes w off the list. If it was told of room in the meantime, another one
// must be.
func (p *ThreadPool) giveUp(w *waiter) {
	p.mu.Lock()
	var woken wakers
	if i := slices.Index(p.waiters, w); i >= 0 {
		p.waiters = slices.Delete(p.waiters, i, i+1)
	} else {
		woken = p.room()
	}
	p.mu.Unlock()
	woken.wake()
}
