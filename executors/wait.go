package executors

import (
	"context"

	"github.com/goreactor/reactor"
)

// waiter is a submitter that waits for room. Whoever makes room puts the task of the first
// waiter into the queue, so that nobody overtakes it there. If a new worker is needed
// instead, which only a submitter starts, the waiter is woken to try again.
type waiter struct {
	e              entry
	previous, next *waiter       // neighbours in the list; pool.mu
	listed         bool          // in the list; pool.mu
	admitted       bool          // its task was accepted; written under pool.mu before the waiter is woken
	free           chan struct{} // gets one for each time that the waiter was taken off the list to be woken; has room for one
}

// waiters is the list of those who wait, in their order; all of it is under the lock
// of the pool. There may be very many, and each may give up at any time, so nothing
// walks over it.
type waiters struct{ first, last *waiter }

func (l *waiters) pushBack(w *waiter) {
	w.listed, w.previous, w.next = true, l.last, nil
	if l.last == nil {
		l.first = w
	} else {
		l.last.next = w
	}
	l.last = w
}

func (l *waiters) pushFront(w *waiter) {
	w.listed, w.previous, w.next = true, nil, l.first
	if l.first == nil {
		l.last = w
	} else {
		l.first.previous = w
	}
	l.first = w
}

func (l *waiters) remove(w *waiter) {
	if w.previous == nil {
		l.first = w.next
	} else {
		w.previous.next = w.next
	}
	if w.next == nil {
		l.last = w.previous
	} else {
		w.next.previous = w.previous
	}
	w.listed, w.previous, w.next = false, nil, nil
}

// wakers are waiters that were taken off the list, linked by next.
type wakers struct{ first, last *waiter }

func (l *wakers) add(w *waiter) {
	if l.last == nil {
		l.first = w
	} else {
		l.last.next = w
	}
	l.last = w
}

// wake wakes the waiters. The caller does not hold mu.
func (l wakers) wake() {
	for w := l.first; w != nil; {
		next := w.next // w may be on the list again as soon as it is awake
		w.free <- struct{}{}
		w = next
	}
}

// room lets waiters in, because there may be room now: as many as the queue takes. If there may
// be a worker for the next one, that is taken off the list to try again. The caller holds mu,
// and calls wake of woken when mu is released.
func (p *ThreadPool) room() (woken wakers) {
	for w := p.waiters.first; w != nil; w = p.waiters.first {
		if p.measure != nil {
			w.e.at = p.now()
		}
		if p.state == poolRunning && p.workers > 0 && p.queue.offer(w.e) {
			p.letIn(w, &woken)
			continue
		}
		if p.workers < p.most || len(p.idle) > 0 {
			p.waiters.remove(w)
			woken.add(w)
		}
		break
	}
	return woken
}

// roomForNone makes all who wait try again, for the last time: the pool takes no more
// tasks. The caller holds mu.
func (p *ThreadPool) roomForNone() (all wakers) {
	all = wakers(p.waiters)
	for w := all.first; w != nil; w = w.next {
		w.listed, w.previous = false, nil
	}
	p.waiters = waiters{}
	return all
}

// letIn accepts the task of w, which has a place in the queue or a worker, and adds w to woken. The caller holds mu.
func (p *ThreadPool) letIn(w *waiter, woken *wakers) {
	p.waiters.remove(w)
	p.accept(&w.e)
	w.admitted = true
	woken.add(w)
}

// ExecuteWait is [ThreadPool.Execute], but while the pool is saturated it waits
// until there is room, ctx ends or the pool is shut down. The policy is asked only
// in the last case. Waiting calls are served in their order, but a call that does
// not wait may overtake them. A task of the pool must not call it: it might wait for
// itself.
func (p *ThreadPool) ExecuteWait(ctx context.Context, task Task) error {
	e, err := p.entryFor(ctx, task)
	if err != nil {
		return err
	}
	return p.submitWait(ctx, e)
}

// SubmitWait is [ThreadPool.Submit], but waits for room as [ThreadPool.ExecuteWait]
// does.
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

// submitWait is submit, except that it waits for room. For a meter the task is queued from the
// beginning.
func (p *ThreadPool) submitWait(ctx context.Context, e entry) error {
	e.rank = p.rankOf(&e)
	p.offered(&e)
	p.mu.Lock()
	v, cause := p.admit(e, nil, false)
	if v == refusedFull {
		v, cause = p.waitForRoom(ctx, e)
	}
	p.decided(v)
	switch v {
	case accepted:
		return nil
	case refusedFull: // ctx has ended
		return reactor.NonNil(context.Cause(ctx))
	}
	return p.reject(e, v, cause)
}

func (p *ThreadPool) waitForRoom(ctx context.Context, e entry) (v answer, cause error) {
	w := &waiter{e: e, free: make(chan struct{}, 1)}
	for again := false; ; again = true {
		p.mu.Lock()
		if v, cause = p.admit(w.e, w, again); v != refusedFull {
			break
		}
		select {
		case <-w.free:
		case <-ctx.Done():
			if p.giveUp(w) {
				return refusedFull, nil
			}
			<-w.free
		}
		if w.admitted {
			return accepted, nil
		}
	}
	p.letWaitersIn() // there may be room for one more
	return v, cause
}

// letWaitersIn is room for callers that don't hold mu.
func (p *ThreadPool) letWaitersIn() {
	p.lock()
	woken := p.room()
	p.unlock()
	woken.wake()
}

// giveUp takes w off the list, and reports whether it was there.
func (p *ThreadPool) giveUp(w *waiter) bool {
	p.lock()
	defer p.unlock()
	if !w.listed {
		return false
	}
	p.waiters.remove(w)
	return true
}
