package keylock_test

// How clients of a random program (programs_test.go) call for a key. A new method goes into methods and perform, a new option of a call into
// choose or place.

import (
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/goreactor/reactor/internal/testkit/programs"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/schedulers"
)

// methods are how a key is called for. What is there twice is twice as likely.
var methods = []string{"Acquire", "Acquire", "TryAcquire", "Do", "Do", "DoAll", "Job", "Mono", "Flux", "Grant"}

// keys are all that there are.
var keys = []string{"a", "b", "c"}

// ask makes a call, of any kind, and returns when it is over. If it is deep, it is within holds of the keys in outer.
func (p *program) ask(r *rand.Rand, ctx context.Context, outer string, deep bool) {
	c := &call{method: programs.Pick(r, methods...), key: programs.Pick(r, keys...), manager: programs.Pick(r, p.managers...), outer: outer, within: deep}
	c.same = strings.Contains(outer, c.key)
	ctx, cancel := ends(r, ctx)
	defer cancel()
	c.ctx = ctx
	c.does, c.length, c.asked = programs.Pick(r, habits...), programs.Milliseconds(r, 1, 20), p.Now()
	p.choose(r, c)
	p.place(r, c)
	p.calls.Enter(c, func(n int) { c.id = n })
	c.r = p.Own(c.id)
	p.perform(r, c)
}

// ends returns a context that may end soon: at a deadline, or with a cause of its own.
func ends(r *rand.Rand, ctx context.Context) (context.Context, func()) {
	if r.IntN(4) == 0 {
		return context.WithTimeout(ctx, programs.Milliseconds(r, 0, 39))
	}
	if r.IntN(6) == 0 {
		with, cancel := context.WithCancelCause(ctx)
		at := time.AfterFunc(programs.Milliseconds(r, 0, 39), func() { cancel(programs.ErrTask) })
		return with, func() {
			cancel(nil)
			at.Stop()
		}
	}
	return ctx, func() {}
}

// choose chooses the options of a call.
func (p *program) choose(r *rand.Rand, c *call) {
	c.wait = programs.Pick(r, 0, 5*time.Millisecond, 20*time.Millisecond, 100*time.Millisecond, keylock.Forever)
	if c.within && (c.wait == keylock.Forever || c.method == "DoAll") {
		c.wait = 7 * time.Millisecond
	}
	c.lease = programs.Pick(r, 0, 0, 3*time.Millisecond, 10*time.Millisecond, 50*time.Millisecond)
	if p.stores && r.IntN(2) == 0 {
		c.lease *= 100
	}
	if c.does == "waits" && c.lease == 0 {
		c.lease = 10 * time.Millisecond
	}
	c.opts = append(c.opts, keylock.WaitTime(c.wait), keylock.LeaseTime(c.lease))
	if r.IntN(3) == 0 {
		c.policy = keylock.ReleaseOnExpiry
		c.opts = append(c.opts, keylock.AtExpiry(c.policy))
		if r.IntN(3) == 0 && (c.method == "Do" || c.method == "Job") {
			c.grace = programs.Milliseconds(r, 0, 9)
			c.opts = append(c.opts, keylock.Grace(c.grace))
		}
	}
	if r.IntN(5) == 0 {
		c.limits = true
		c.opts = append(c.opts, keylock.MaxWaiters(1+r.IntN(2)))
	}
	if r.IntN(3) == 0 {
		c.again = true
		c.opts = append(c.opts, keylock.Reentrant())
	}
}

// place chooses where what holds the key runs.
func (p *program) place(r *rand.Rand, c *call) {
	blocks := c.method == "Do" || c.method == "Job"
	if !blocks && c.method != "Mono" && c.method != "Flux" && c.method != "Grant" {
		return
	}
	var s schedulers.Scheduler
	switch n := r.IntN(6); {
	case n == 0 && !c.within: // else it may wait for itself
		c.on, s = "single", p.single
	case n == 1 && !blocks:
		c.on, s = "parallel", schedulers.Parallel()
	case n == 2:
		c.on, s = "immediate", schedulers.Immediate()
	default:
		return
	}
	c.opts = append(c.opts, keylock.On(s))
}

// perform makes the call by its method.
func (p *program) perform(r *rand.Rand, c *call) {
	switch c.method {
	case "Acquire":
		l, err := c.manager.Acquire(c.ctx, c.key, c.opts...)
		p.acquired(c, l, err)
	case "TryAcquire":
		c.wait = 0
		l, ok := c.manager.TryAcquire(c.key, c.opts...)
		var err error
		if !ok {
			err = keylock.ErrWaitTimeout
		}
		p.acquired(c, l, err)
	case "Do":
		_, err := c.manager.Do(c.ctx, c.key, func(ctx context.Context, l keylock.Lease) (int, error) {
			c.runs.Add(1)
			v := p.enter(ctx, c, c.key, l, false)
			defer p.leave(v)
			return c.id, p.work(ctx, c, v, c.r)
		}, c.opts...)
		p.over(c, err)
	case "DoAll":
		p.doAll(c, keys[:1+r.IntN(len(keys))])
	case "Job":
		p.job(c)
	case "Grant":
		p.grant(c)
	default:
		p.stream(c)
	}
}

// over notes how the call has ended.
func (p *program) over(c *call, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.over, c.err, c.at = true, err, p.Now()
}

// acquired goes on with a lease, if there is one.
func (p *program) acquired(c *call, l keylock.Lease, err error) {
	p.over(c, err)
	if err == nil {
		p.hold(c, l, c.r)
	}
}

func (p *program) doAll(c *call, keys []string) {
	_, err := c.manager.DoAll(c.ctx, keys, func(ctx context.Context, leases []keylock.Lease) (int, error) {
		c.runs.Add(1)
		var visits []*visit
		defer func() {
			for _, v := range visits {
				p.leave(v)
			}
		}()
		for i, l := range leases {
			if l.Key() != keys[i] {
				p.Fail("call %d of DoAll has a lease of %s for %s", c.id, l.Key(), keys[i])
			}
			visits = append(visits, p.enter(l.Context(), c, keys[i], l, false))
		}
		switch c.does {
		case "releases", "extends", "nests":
			time.Sleep(c.length)
			return 0, nil
		}
		return 0, p.work(ctx, c, visits[0], c.r)
	}, c.opts...)
	p.over(c, err)
}

func (p *program) job(c *call) {
	err := c.manager.Job(c.key, func(context.Context) error {
		c.runs.Add(1)
		if c.does == "goexits" || c.does == "panics" {
			return programs.ErrTask
		}
		time.Sleep(c.length)
		return nil
	}, c.opts...)(c.ctx)
	c.skipped = err == nil && c.runs.Load() == 0
	p.over(c, err)
}
