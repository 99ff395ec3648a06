package schedulers

import (
	"context"
	"sync"
	"sync/atomic"
)

// lifecycle is the way of a scheduler from open to ended. It never goes back.
type lifecycle struct {
	mu     sync.Mutex
	closed atomic.Bool   // a disposal has begun; set under mu
	slots  int           // slots, or tasks, that have not ended; mu
	ended  chan struct{} // closed when closed and no slot is left; made on demand; mu
}

// born counts a new slot in.
func (l *lifecycle) born() {
	l.mu.Lock()
	l.slots++
	l.mu.Unlock()
}

// enter counts a new task in, and reports false if a disposal has begun, which does not wait for new tasks.
func (l *lifecycle) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed.Load() {
		return false
	}
	l.slots++
	return true
}

// gone counts out a slot that has ended or was given up, or a task that has ended.
func (l *lifecycle) gone() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slots--
	l.check()
}

// close begins the disposal.
func (l *lifecycle) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed.Store(true)
	l.check()
}

func (l *lifecycle) check() {
	if l.closed.Load() && l.slots == 0 && l.ended != nil {
		select {
		case <-l.ended:
		default:
			close(l.ended)
		}
	}
}

func (l *lifecycle) isClosed() bool { return l.closed.Load() }

// wait waits for the end, or for that of ctx.
func (l *lifecycle) wait(ctx context.Context) error { return l.waitUnless(ctx, nil, nil) }

// waitUnless is wait, except that it also returns nil when cut or lost is closed.
func (l *lifecycle) waitUnless(ctx context.Context, cut, lost <-chan struct{}) error {
	l.mu.Lock()
	if l.ended == nil {
		l.ended = make(chan struct{})
	}
	ended := l.ended
	l.check()
	l.mu.Unlock()
	select {
	case <-ended:
		return nil
	case <-cut:
		return nil
	case <-lost:
		return nil
	default:
	}
	select {
	case <-ended:
		return nil
	case <-cut:
		return nil
	case <-lost:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
