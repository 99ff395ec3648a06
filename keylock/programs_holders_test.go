package keylock_test

// What holders of a random program (programs_test.go) do, and what must hold when they come and go: a holder is alone, and tokens rise.
// Something new to do goes into habits and work.

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/goreactor/reactor/internal/testkit/programs"
	"github.com/goreactor/reactor/keylock"
)

// habits are what a holder does. What is there twice is twice as likely.
var habits = []string{
	"returns", "returns", "sleeps", "sleeps", "sleeps", "yields", "panics", "goexits", "waits", "fails", "releases", "extends", "nests", "nests", "looks",
}

// work is what a holder does.
func (p *program) work(ctx context.Context, c *call, v *visit, r *rand.Rand) error {
	switch c.does {
	case "fails":
		return programs.ErrTask
	case "waits":
		if programs.Wait(ctx, 10*c.length) {
			return context.Cause(ctx)
		}
	case "releases":
		if !v.borrowed {
			p.leave(v)
			v.lease.Release()
		}
	case "extends":
		p.extends(v)
		_ = v.lease.Extend(c.length)
		time.Sleep(c.length / 2)
	case "nests":
		p.ask(r, ctx, c.outer+v.key, true)
	case "looks":
		m := p.managers[0]
		_ = m.Snapshot()
		_ = m.Stats()
		_ = ctx.Err()
		_, _ = v.lease.Deadline()
		_ = ctx.Value(programs.ErrTask)
	default:
		programs.Act(c.does, c.length)
	}
	return nil
}

// hold holds a lease that was acquired.
func (p *program) hold(c *call, l keylock.Lease, r *rand.Rand) {
	c.runs.Add(1)
	v := p.enter(l.Context(), c, c.key, l, false)
	defer func() {
		p.leave(v)
		switch r.IntN(5) {
		case 0:
			l.Discarded()
		case 1:
			go l.Release()
			l.Release()
		default:
			l.Release()
		}
		if l.Valid() {
			p.Fail("call %d: its lease is valid after the release", c.id)
		}
		if l.Release() {
			p.Fail("call %d: its lease was released twice", c.id)
		}
	}()
	switch c.does {
	case "panics", "goexits":
		return
	}
	_ = p.work(l.Context(), c, v, r)
}

// enter notes that a holder begins to work on the key.
func (p *program) enter(ctx context.Context, c *call, key string, lease keylock.Lease, stream bool) *visit {
	v := &visit{call: c, key: key, token: lease.Token(), lease: lease, stream: stream, borrowed: stream && c.again && c.same, ctx: ctx, from: p.Now()}
	at, ends := lease.Deadline()
	if stream {
		at, ends = ctx.Deadline()
	}
	if ends {
		v.due = p.Now() + time.Until(at)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c.visits = append(c.visits, v)
	for _, o := range p.inside[key] {
		v.borrowed = v.borrowed || !stream && c.again && o.token == v.token
	}
	if v.borrowed {
		return v
	}
	for _, o := range p.inside[key] {
		if !p.excused(o, v.from) && !p.excused(v, v.from) {
			p.Fail("calls %d and %d are both inside %s at %v", o.call.id, c.id, key, v.from)
		}
	}
	p.inside[key] = append(p.inside[key], v)
	if stream {
		return v
	}
	if last := p.token[key]; v.token <= last && !p.excused(v, v.from) {
		p.Fail("call %d has token %d for %s after %d", c.id, v.token, key, last)
	}
	p.token[key] = max(p.token[key], v.token)
	context.AfterFunc(ctx, func() {
		v.cause = context.Cause(ctx)
		v.ended.Store(int64(p.Now()))
	})
	return v
}

// excused reports whether the holder may have company: its lease is over, and the key does not wait for it.
func (p *program) excused(v *visit, now time.Duration) bool {
	switch {
	case v.stream && v.ctx.Err() != nil && (v.call.ctx.Err() != nil || v.call.cancelled.Load()):
		return true // what runs when it is cancelled goes on until it returns
	case v.stream:
		return v.due != 0 && now >= v.due || v.ctx.Err() != nil && (p.stores || errors.Is(context.Cause(v.ctx), keylock.ErrLeaseExpired))
	case p.stores:
		return !v.lease.Valid()
	}
	return v.call.policy == keylock.ReleaseOnExpiry && !v.lease.Valid()
}

// extends notes that the lease of a visit, and of those it was borrowed from, is about to be extended.
func (p *program) extends(v *visit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v.extended.Store(true)
	for _, o := range p.inside[v.key] {
		if o.token == v.token {
			o.extended.Store(true)
		}
	}
}

// leave is the opposite of enter; the key may have been given back before.
func (p *program) leave(v *visit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if v.left {
		return
	}
	v.left, v.until = true, p.Now()
	p.inside[v.key] = slices.DeleteFunc(p.inside[v.key], func(o *visit) bool { return o == v })
}
