package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/single"
)

// sourceComputable reports whether a run is possible without a subscription: nobody can cancel the
// run, and its source is a direct.Source.
func (g *sharedMono[T]) sourceComputable() bool { return !g.refCount && isComputable(g.src) }

// compute starts a run and computes it on the goroutine that asks. Subscribers that come meanwhile
// join the run, and get the outcome before the caller does.
func (g *sharedMono[T]) compute(ctx context.Context) (v T, ok bool, err error) {
	run := g.startComputed(ctx)
	if run == nil {
		return v, false, &instead[T]{g}
	}
	var own ownShare[T]
	run.own = &own
	defer func() {
		if !ok { // also if a function has ended the goroutine
			own.lose(run.ctx)
		}
	}()
	if rest := run.compute(); rest != nil {
		run.own = nil
		return v, false, &instead[T]{&begunRun[T]{run: run, src: rest}}
	}
	if v, ok = own.signal.Value(); ok && ctx.Err() != nil {
		return *new(T), false, context.Cause(ctx)
	}
	return v, ok, own.signal.Err()
}

// startComputed starts a run unless there is one, or an outcome, or the source has to be subscribed to.
func (g *sharedMono[T]) startComputed(ctx context.Context) *sharedRun[T] {
	if !g.sourceComputable() {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.run != nil || g.entry != nil {
		return nil
	}
	return g.start(ctx)
}

// compute computes the source and ends the run, unless it returns a publisher that has to be
// subscribed to.
func (r *sharedRun[T]) compute() (rest reactor.Publisher[T]) {
	clean := false
	defer func() {
		if !clean {
			r.end(reactor.ErrorSignal[T](failure.Recovered(recover())))
		}
	}()
	v, ok, err := computed(r.ctx, r.parent.src)
	clean = true
	switch of, is := err.(*instead[T]); {
	case is:
		return of.src
	case err != nil:
		r.end(reactor.ErrorSignal[T](err))
	case ok:
		r.end(reactor.NextSignal(v))
	default:
		r.end(reactor.CompleteSignal[T]())
	}
	return nil
}

// ownShare is the part in an outcome of the caller that computes it. Only the goroutine of that
// caller touches it.
type ownShare[T any] struct {
	signal  reactor.Signal[T]
	holders *atomic.Int64 // as with [single.Waiter.Settle]
}

func (o *ownShare[T]) take(sig reactor.Signal[T], holders *atomic.Int64) {
	o.signal, o.holders = sig, holders
	if holders != nil {
		holders.Add(1)
	}
}

// lose is called if this share reaches nobody.
func (o *ownShare[T]) lose(ctx context.Context) {
	if v, ok := o.signal.Value(); ok && o.holders != nil && o.holders.Add(-1) == 0 {
		reactor.Discard(ctx, v)
	}
}

// begunRun is the rest of a run whose source has come to a publisher that has to be waited for. It
// is subscribed to once.
type begunRun[T any] struct {
	protocol.Op
	run *sharedRun[T]
	src reactor.Publisher[T]
}

func (p *begunRun[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	g := p.run.parent
	sub := single.NewWaiter(ctx, s, g)
	defer func() { // also if downstream ends the goroutine
		g.mu.Lock()
		p.run.waiting.Add(sub)
		g.mu.Unlock()
		if sub.IsOver() {
			g.Leave(sub)
		}
		p.src.Subscribe(p.run.ctx, p.run)
	}()
	sub.Introduce()
}
