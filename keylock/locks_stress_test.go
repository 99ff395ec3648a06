package keylock_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/testkit/programs"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/keylock/locktest"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// lockProgram is a manager, or two of them with a common store, what clients do to it, and how it ends, all at random. What must hold
// whatever happens is checked on books that calls and holders keep: nobody shares a key, who came first gets it first, tokens rise, waits and
// leases end at their time, every call and every stream has one outcome, and in the end nothing is left.
type lockProgram struct {
	seed, id uint64
	what     string
	start    time.Time
	ms       []*keylock.Manager
	stores   bool // there is a store
	ordered  bool // there is none, and no barging
	endsOut  bool // the meter ends goroutines: figures are not exact, and calls may have no outcome
	onSingle schedulers.Scheduler
	closing  atomic.Bool
	clock    *countedClock // nil: that of the schedulers
	meter    *lockMeter    // nil: none
	slow     atomic.Int64

	mu     sync.Mutex
	calls  []*lockCall              // mu
	inside map[string][]*lockVisit  // who works on a key; mu
	token  map[string]uint64        // of the last visit; mu
	freed  map[string]map[int64]int // when keys were given back; mu
	wrong  []string                 // mu
}

// lockCall is what is known of a call for a key.
type lockCall struct {
	id     int
	method string
	key    string
	does   string
	length time.Duration
	asked  time.Duration
	wait   time.Duration
	lease  time.Duration
	grace  time.Duration
	policy keylock.Policy
	on     string
	limits bool   // MaxWaiters was given
	within bool   // within another hold
	same   bool   // of the same key
	outer  string // the keys of the holds it is within
	again  bool   // Reentrant
	ctx    context.Context

	over      bool // it has returned, or its stream has ended
	err       error
	at        time.Duration // when
	outcomes  atomic.Int64  // ends of a stream
	cancelled atomic.Bool   // the stream
	runs      atomic.Int64
	visits    []*lockVisit
	skipped   bool // a Job that returned nil may not have run
}

// lockVisit is a hold as its holder sees it.
type lockVisit struct {
	call     *lockCall
	key      string
	token    uint64
	lease    keylock.Lease // zero for a stream
	stream   bool
	borrowed bool // the hold of another call
	ctx      context.Context
	from     time.Duration
	due      time.Duration // or 0
	left     bool
	until    time.Duration
	extended atomic.Bool
	ended    atomic.Int64 // when the context ended, since the start; 0 if it has not
	cause    error
}

// countedClock is the system's, and counts the timers that are set.
type countedClock struct{ live atomic.Int64 }

func (c *countedClock) Now() time.Time { return time.Now() }

func (c *countedClock) AfterFunc(d time.Duration, f func()) func() bool {
	c.live.Add(1)
	t := time.AfterFunc(d, func() { c.live.Add(-1); f() })
	return func() bool {
		if !t.Stop() {
			return false
		}
		c.live.Add(-1)
		return true
	}
}

// lockMeter adds up, and may end the goroutine of who reports to it.
type lockMeter struct {
	odd func() int // 0 nothing, 1 panics, 2 ends the goroutine
	mu  sync.Mutex
	sum map[string]int64
}

func (m *lockMeter) note(name string, n int64) {
	m.mu.Lock()
	m.sum[strings.TrimPrefix(name, "t.keylock.")] += n
	m.mu.Unlock()
	switch m.odd() {
	case 1:
		panic(errLockTask)
	case 2:
		runtime.Goexit()
	}
}

func (m *lockMeter) Counter(name string, _ ...string) func(int64) {
	return func(n int64) { m.note(name, n) }
}
func (m *lockMeter) Gauge(name string, _ ...string) func(int64) {
	return func(n int64) { m.note(name, n) }
}
func (m *lockMeter) Timer(name string, _ ...string) func(time.Duration) {
	return func(time.Duration) { m.note(name, 1) }
}
func (m *lockMeter) Remove(string) {}

var errLockTask = errors.New("not today")

func (p *lockProgram) fail(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed(format, args...)
}

// failed is fail where mu is held.
func (p *lockProgram) failed(format string, args ...any) {
	if len(p.wrong) < 10 {
		p.wrong = append(p.wrong, fmt.Sprintf(format, args...))
	}
}

func (p *lockProgram) now() time.Duration { return time.Since(p.start) }

// enter notes that a holder begins to work on the key.
func (p *lockProgram) enter(ctx context.Context, c *lockCall, key string, lease keylock.Lease, stream, borrowed bool) *lockVisit {
	v := &lockVisit{call: c, key: key, token: lease.Token(), lease: lease, stream: stream, borrowed: borrowed, ctx: ctx, from: p.now()}
	if at, ok := lease.Deadline(); ok {
		v.due = at.Sub(p.start)
	} else if stream {
		if at, ok := ctx.Deadline(); ok {
			v.due = at.Sub(p.start)
		}
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
			p.failed("calls %d and %d are both inside %s at %v", o.call.id, c.id, key, v.from)
		}
	}
	if !stream {
		if last := p.token[key]; v.token <= last && !p.excused(v, v.from) {
			p.failed("call %d has token %d for %s after %d", c.id, v.token, key, last)
		}
		p.token[key] = max(p.token[key], v.token)
	}
	p.inside[key] = append(p.inside[key], v)
	if !stream {
		context.AfterFunc(ctx, func() {
			v.cause = context.Cause(ctx)
			v.ended.Store(int64(p.now()))
		})
	}
	return v
}

// excused reports whether the holder may have company: its lease is over, and the key does not wait for it.
func (p *lockProgram) excused(v *lockVisit, now time.Duration) bool {
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
func (p *lockProgram) extends(v *lockVisit) {
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
func (p *lockProgram) leave(v *lockVisit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if v.left {
		return
	}
	v.left, v.until = true, p.now()
	for i, o := range p.inside[v.key] {
		if o == v {
			p.inside[v.key] = append(p.inside[v.key][:i:i], p.inside[v.key][i+1:]...)
		}
	}
	if !v.borrowed {
		p.free(v.key, v.until)
		if v.due != 0 {
			p.free(v.key, v.due)
		}
	}
}

func (p *lockProgram) free(key string, at time.Duration) {
	if p.freed[key] == nil {
		p.freed[key] = map[int64]int{}
	}
	p.freed[key][int64(at)]++
}

// newCall opens the book of a call, with its options.
func (p *lockProgram) newCall(r *rand.Rand, ctx context.Context, method, key string, deep bool) (*lockCall, []keylock.CallOption) {
	does := [...]string{"returns", "returns", "sleeps", "sleeps", "sleeps", "yields", "panics", "goexits", "waits", "fails", "releases", "extends", "nests", "nests", "looks"}
	c := &lockCall{method: method, key: key, does: does[r.IntN(len(does))], length: time.Duration(1+r.IntN(20)) * time.Millisecond, asked: p.now(), ctx: ctx, within: deep}
	opts := []keylock.CallOption{}
	c.wait = []time.Duration{0, 5 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond, keylock.Forever}[r.IntN(5)]
	if deep && (c.wait == keylock.Forever || method == "DoAll") {
		c.wait = 7 * time.Millisecond
	}
	opts = append(opts, keylock.WaitTime(c.wait))
	c.lease = []time.Duration{0, 0, 3 * time.Millisecond, 10 * time.Millisecond, 50 * time.Millisecond}[r.IntN(5)]
	if p.stores && r.IntN(2) == 0 {
		c.lease *= 100
	}
	if c.does == "waits" && c.lease == 0 {
		c.lease = 10 * time.Millisecond
	}
	opts = append(opts, keylock.LeaseTime(c.lease))
	if r.IntN(3) == 0 {
		c.policy = keylock.ReleaseOnExpiry
		opts = append(opts, keylock.AtExpiry(c.policy))
		if r.IntN(3) == 0 && (method == "Do" || method == "Job") {
			c.grace = time.Duration(r.IntN(10)) * time.Millisecond
			opts = append(opts, keylock.Grace(c.grace))
		}
	}
	if r.IntN(5) == 0 {
		c.limits = true
		opts = append(opts, keylock.MaxWaiters(1+r.IntN(2)))
	}
	if r.IntN(3) == 0 {
		c.again = true
		opts = append(opts, keylock.Reentrant())
	}
	switch method {
	case "Do", "Job", "Mono", "Flux", "Grant":
		switch r.IntN(6) {
		case 0:
			if deep {
				break // it may wait for itself
			}
			c.on = "single"
			opts = append(opts, keylock.On(p.onSingle))
		case 1:
			if method == "Do" || method == "Job" {
				break // they block
			}
			c.on = "parallel"
			opts = append(opts, keylock.On(schedulers.Parallel()))
		case 2:
			c.on = "immediate"
			opts = append(opts, keylock.On(schedulers.Immediate()))
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c.id = len(p.calls)
	p.calls = append(p.calls, c)
	return c, opts
}

// work is what a holder does.
func (p *lockProgram) work(ctx context.Context, c *lockCall, v *lockVisit, r *rand.Rand) error {
	switch c.does {
	case "sleeps":
		time.Sleep(c.length)
	case "yields":
		runtime.Gosched()
	case "panics":
		panic(errLockTask)
	case "goexits":
		runtime.Goexit()
	case "fails":
		return errLockTask
	case "waits":
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(10 * c.length):
		}
	case "releases":
		if !v.borrowed && !v.stream {
			p.leave(v)
			v.lease.Release()
		}
	case "extends":
		if !v.stream {
			p.extends(v)
			_ = v.lease.Extend(c.length)
		}
		time.Sleep(c.length / 2)
	case "nests":
		p.call(r, ctx, c.outer+v.key, true)
	case "looks":
		m := p.ms[0]
		_ = m.Snapshot()
		_ = m.Stats()
		_ = ctx.Err()
		_, _ = v.lease.Deadline()
		_ = ctx.Value(errLockTask)
	}
	return nil
}

// call makes a call, of any kind, and returns when it is over.
func (p *lockProgram) call(r *rand.Rand, ctx context.Context, outer string, deep bool) {
	methods := []string{"Acquire", "Acquire", "TryAcquire", "Do", "Do", "DoAll", "Job", "Mono", "Flux", "Grant"}
	method := methods[r.IntN(len(methods))]
	key := string(rune('a' + r.IntN(3)))
	m := p.ms[r.IntN(len(p.ms))]
	if r.IntN(4) == 0 {
		with, cancel := context.WithTimeout(ctx, time.Duration(r.IntN(40))*time.Millisecond)
		defer cancel()
		ctx = with
	} else if r.IntN(6) == 0 {
		with, cancel := context.WithCancelCause(ctx)
		at := time.AfterFunc(time.Duration(r.IntN(40))*time.Millisecond, func() { cancel(errLockTask) })
		defer at.Stop()
		defer cancel(nil)
		ctx = with
	}
	c, opts := p.newCall(r, ctx, method, key, deep)
	c.outer = outer
	c.same = strings.Contains(outer, key)
	own := rand.New(rand.NewPCG(p.seed, p.id<<20+uint64(c.id)))
	end := func(err error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		c.over, c.err, c.at = true, err, p.now()
	}
	run := func(ctx context.Context, l keylock.Lease) (int, error) {
		c.runs.Add(1)
		v := p.enter(ctx, c, key, l, false, false)
		defer p.leave(v)
		err := p.work(ctx, c, v, own)
		p.leave(v)
		return c.id, err
	}
	switch method {
	case "Acquire", "TryAcquire":
		var l keylock.Lease
		var err error
		if method == "Acquire" {
			l, err = m.Acquire(ctx, key, opts...)
		} else {
			c.wait = 0
			var ok bool
			if l, ok = m.TryAcquire(key, opts...); !ok {
				err = keylock.ErrWaitTimeout
			}
		}
		end(err)
		if err != nil {
			return
		}
		p.hold(c, l, own)
	case "Do":
		_, err := m.Do(ctx, key, run, opts...)
		end(err)
	case "Job":
		err := m.Job(key, func(ctx context.Context) error {
			c.runs.Add(1)
			if c.does == "goexits" || c.does == "panics" {
				return errLockTask
			}
			time.Sleep(c.length)
			return nil
		}, opts...)(ctx)
		c.skipped = err == nil && c.runs.Load() == 0
		end(err)
	case "DoAll":
		keys := []string{"a", "b", "c"}[:1+r.IntN(3)]
		_, err := m.DoAll(ctx, keys, func(ctx context.Context, leases []keylock.Lease) (int, error) {
			c.runs.Add(1)
			var visits []*lockVisit
			defer func() {
				for _, v := range visits {
					p.leave(v)
				}
			}()
			for i, l := range leases {
				if l.Key() != keys[i] {
					p.fail("call %d of DoAll has a lease of %s for %s", c.id, l.Key(), keys[i])
				}
				visits = append(visits, p.enter(l.Context(), c, keys[i], l, false, false))
			}
			if c.does == "releases" || c.does == "extends" || c.does == "nests" {
				time.Sleep(c.length)
				return 0, nil
			}
			return 0, p.work(ctx, c, visits[0], own)
		}, opts...)
		end(err)
	case "Mono", "Flux":
		p.stream(m, ctx, c, method, outer, deep, opts, own, end)
	case "Grant":
		done := make(chan struct{})
		var once sync.Once
		up := make(chan reactor.Subscription, 1)
		holder := rand.New(rand.NewPCG(own.Uint64(), own.Uint64()))
		s := p.subscribed(up, func() {
			m.Grant(key, opts...).SubscribeFunc(ctx, func(l keylock.Lease) {
				c.outcomes.Add(1)
				go func() {
					defer once.Do(func() { close(done) })
					p.hold(c, l, holder)
				}()
			}, mono.OnError(func(err error) {
				c.outcomes.Add(1)
				end(err)
				once.Do(func() { close(done) })
			}), mono.OnComplete(func() { end(nil) }), mono.OnSubscribe(func(s reactor.Subscription) { up <- s }))
		})
		p.follow(c, own, done, s, func() { s.Request(1) })
	}
}

// follow waits for the end of a stream, or cancels it.
func (p *lockProgram) follow(c *lockCall, r *rand.Rand, done chan struct{}, up reactor.Subscription, request func()) {
	if r.IntN(4) == 0 {
		time.Sleep(time.Duration(r.IntN(10)) * time.Millisecond)
	}
	request()
	limit := time.Hour
	if r.IntN(3) == 0 {
		limit = time.Duration(r.IntN(40)) * time.Millisecond
	}
	select {
	case <-done:
		return
	case <-c.ctx.Done(): // a stream does not end with it
	case <-time.After(limit):
	}
	if limit == time.Hour && c.ctx.Err() == nil {
		p.fail("call %d: the stream has no end", c.id)
	}
	c.cancelled.Store(true)
	up.Cancel()
	time.Sleep(time.Nanosecond)
}

// hold holds a lease that was acquired.
func (p *lockProgram) hold(c *lockCall, l keylock.Lease, r *rand.Rand) {
	c.runs.Add(1)
	v := p.enter(l.Context(), c, c.key, l, false, false)
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
			p.fail("call %d: its lease is valid after the release", c.id)
		}
		if l.Release() {
			p.fail("call %d: its lease was released twice", c.id)
		}
	}()
	switch c.does {
	case "panics", "goexits":
		return
	}
	_ = p.work(l.Context(), c, v, r)
}

// stream subscribes to a source under the key.
func (p *lockProgram) stream(m *keylock.Manager, ctx context.Context, c *lockCall, method, outer string, deep bool, opts []keylock.CallOption, r *rand.Rand, end func(error)) {
	done := make(chan struct{})
	var once sync.Once
	up := make(chan reactor.Subscription, 1)
	borrowed := c.again && c.same
	if borrowed && c.does == "waits" {
		c.does = "fails" // no lease of its own would end it
	}
	count := 1
	if method == "Flux" {
		count = r.IntN(4)
	}
	source := flux.Defer(func(ctx context.Context) flux.Flux[int] {
		c.runs.Add(1)
		v := p.enter(ctx, c, c.key, keylock.Lease{}, true, borrowed)
		f := flux.Range(0, count)
		switch c.does {
		case "fails":
			f = f.ConcatWith(flux.Error[int](errLockTask))
		case "sleeps", "extends", "nests":
			f = f.DelaySubscriptionFor(c.length)
		case "waits":
			f = flux.Never[int]()
		case "panics":
			f = f.Map(func(int) int { panic(errLockTask) })
		}
		return f.DoOnTerminate(func() { p.leave(v) }).DoOnCancel(func() { p.leave(v) })
	})
	var over atomic.Bool
	next := func(int) {
		if over.Load() {
			p.fail("call %d: an element after the end", c.id)
		}
		if c.does == "goexits" {
			runtime.Goexit()
		}
		if c.does == "yields" {
			panic(errLockTask)
		}
	}
	ended := func(err error) {
		over.Store(true)
		c.outcomes.Add(1)
		end(err)
		once.Do(func() { close(done) })
	}
	s := p.subscribed(up, func() {
		if method == "Mono" {
			m.Mono(c.key, source.Next(), opts...).SubscribeFunc(ctx, next, mono.OnError(ended), mono.OnComplete(func() { ended(nil) }), mono.OnSubscribe(func(s reactor.Subscription) { up <- s }))
		} else {
			m.Flux(c.key, source, opts...).SubscribeFunc(ctx, next, flux.OnError(ended), flux.OnComplete(func() { ended(nil) }), flux.OnSubscribe(func(s reactor.Subscription) { up <- s }))
		}
	})
	p.follow(c, r, done, s, func() {
		asked := make(chan struct{})
		go func() {
			defer close(asked)
			s.Request([]int64{1, 2, reactor.Unbounded}[r.IntN(3)])
			s.Request(reactor.Unbounded)
		}()
		<-asked
	})
}

// subscribed subscribes on a goroutine of its own, which may end there, and returns the subscription.
func (p *lockProgram) subscribed(up chan reactor.Subscription, subscribe func()) reactor.Subscription {
	exits := make(chan struct{})
	go func() {
		defer close(exits)
		subscribe()
	}()
	<-exits
	return <-up
}

// step is one of a client.
func (p *lockProgram) step(r *rand.Rand) {
	switch r.IntN(8) {
	case 0:
		time.Sleep(time.Duration(r.IntN(10)) * time.Millisecond)
	case 1:
		for _, m := range p.ms {
			s := m.Stats()
			if s.Keys > 3 || s.Holders > 3 || s.Holders < 0 || s.Waiters < 0 || s.Late < 0 {
				p.fail("figures: %+v", s)
			}
			for _, h := range m.Snapshot() {
				if h.Token == 0 && !p.stores || h.Age < 0 {
					p.fail("snapshot: %+v", h)
				}
			}
		}
	default:
		done := make(chan struct{})
		go func() { // who is ended with its goroutine is not this one
			defer close(done)
			defer func() {
				if v := recover(); v != nil {
					p.fail("a call has panicked: %v", v)
				}
			}()
			p.call(r, context.Background(), "", false)
		}()
		<-done
	}
}

// end closes the manager, somehow.
func (p *lockProgram) end(r *rand.Rand) {
	if r.IntN(2) == 0 {
		return
	}
	m := p.ms[r.IntN(len(p.ms))]
	p.closing.Store(true)
	how, patience := r.IntN(3), time.Duration(r.IntN(50))*time.Millisecond
	done := make(chan struct{})
	go func() { // the meter may end it
		defer close(done)
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		switch how {
		case 0:
			m.Close()
		case 1:
			_ = m.Shutdown(ctx)
		case 2:
			_ = m.Shutdown(ctx, keylock.DrainWaiters())
		}
	}()
	<-done
}

// open makes the managers.
func (p *lockProgram) open(t *testing.T, r *rand.Rand) {
	p.ordered = true
	var opts []keylock.Option
	note := func(format string, args ...any) { p.what += " " + fmt.Sprintf(format, args...) }
	ttl := []time.Duration{0, 5 * time.Millisecond, time.Minute}[r.IntN(3)]
	note("idle %v", ttl)
	opts = append(opts, keylock.IdleTTL(ttl))
	if r.IntN(4) == 0 {
		note("barging")
		p.ordered = false
		opts = append(opts, keylock.Barging())
	}
	if r.IntN(3) == 0 {
		note("clock")
		p.clock = &countedClock{}
		opts = append(opts, keylock.WithClock(p.clock))
	}
	if r.IntN(3) == 0 {
		note("slow")
		opts = append(opts, keylock.WithSlowHolder(time.Duration(1+r.IntN(10))*time.Millisecond, func(h keylock.Held) {
			p.slow.Add(1)
			if h.Age < 0 || h.Key == "" {
				p.fail("slow: %+v", h)
			}
		}))
	}
	if r.IntN(2) == 0 {
		note("meter")
		p.meter = &lockMeter{sum: map[string]int64{}, odd: func() int { return 0 }}
		if r.IntN(4) == 0 {
			note("that ends goroutines")
			p.endsOut = true
			p.meter.odd = func() int {
				switch rand.IntN(60) {
				case 0:
					return 1
				case 1:
					return 2
				}
				return 0
			}
		}
		opts = append(opts, keylock.WithMeter(p.meter, "t"))
		if r.IntN(3) == 0 {
			opts = append(opts, keylock.WithKeyTag(func(key string) string { return key }))
		}
	}
	n := 1
	if r.IntN(3) == 0 {
		p.stores, p.ordered = true, false
		n = 1 + r.IntN(2)
		var b keylock.Backend
		if r.IntN(2) == 0 {
			note("%d tree", n)
			b = locktest.NewTree()
		} else {
			note("%d stream", n)
			b = locktest.NewStream()
		}
		if r.IntN(2) == 0 {
			note("with losses")
			b = locktest.Intercept(b, func(ctx context.Context, op string, do func() error) error {
				switch rand.IntN(30) {
				case 0:
					return locktest.ErrLost
				case 1:
					_ = do()
					return locktest.ErrLost
				case 2:
					time.Sleep(time.Duration(rand.IntN(2000)) * time.Millisecond)
				}
				return do()
			})
		}
		opts = append(opts, keylock.WithBackend(b, 3*time.Second), keylock.LockDelay(time.Duration(r.IntN(2))*time.Second))
	}
	for range n {
		m, err := keylock.New(opts...)
		require.NoError(t, err)
		p.ms = append(p.ms, m)
	}
}

// play runs the program in a bubble, and returns what is wrong.
func (p *lockProgram) play(t *testing.T) []string {
	r := rand.New(rand.NewPCG(p.seed, p.id))
	p.start = time.Now()
	p.inside, p.token, p.freed = map[string][]*lockVisit{}, map[string]uint64{}, map[string]map[int64]int{}
	p.onSingle = schedulers.NewSingle("s")
	defer p.onSingle.Dispose()
	p.open(t, r)
	programs.Crowd{Clients: 4, Steps: 15, Step: p.step, Ends: 1, Within: 200 * time.Millisecond, End: p.end}.Play(r, p.seed, p.id)
	time.Sleep(time.Minute) // what holders have begun ends
	synctest.Wait()
	for _, m := range p.ms {
		if s := m.Stats(); s.Holders+s.Waiters+s.Late != 0 {
			p.fail("before the end there are still: %+v, %v", s, m.Snapshot())
		}
		closed := make(chan error, 1)
		go func() {
			defer close(closed)
			ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
			defer cancel()
			closed <- m.Shutdown(ctx)
		}()
		if err := <-closed; err != nil {
			p.fail("shutdown: %v", err)
		}
	}
	time.Sleep(time.Hour)
	synctest.Wait()
	p.check()
	if len(p.wrong) > 0 {
		p.wrong = append(p.wrong, p.String())
	}
	return p.wrong
}

// check looks at the books.
func (p *lockProgram) check() {
	if p.clock != nil && p.clock.live.Load() != 0 && !p.endsOut {
		p.fail("%d timers are set", p.clock.live.Load())
	}
	var s keylock.Stats
	for _, m := range p.ms {
		t := m.Stats()
		if t.Keys+t.Holders+t.Waiters+t.Late != 0 {
			p.fail("figures after the end: %+v", t)
		}
		s.Acquired += t.Acquired
		s.WaitTimeouts += t.WaitTimeouts
		s.LeasesExpired += t.LeasesExpired
		s.LeasesLost += t.LeasesLost
		s.Overruns += t.Overruns
		s.QueueFull += t.QueueFull
		s.Reentrant += t.Reentrant
		s.Panics += t.Panics
		s.Closed += t.Closed
		s.Skipped += t.Skipped
	}
	if p.meter != nil && !p.endsOut {
		for name, n := range map[string]uint64{
			"keys": 0, "holders": 0, "waiters": 0, "late": 0, "acquired": s.Acquired, "wait": s.Acquired, "hold": s.Acquired, "wait_timeout": s.WaitTimeouts,
			"lease_expired": s.LeasesExpired, "lease_lost": s.LeasesLost, "overrun": s.Overruns, "overrun_time": s.Overruns, "queue_full": s.QueueFull,
			"reentrant": s.Reentrant, "panic": s.Panics, "closed": s.Closed, "skipped": s.Skipped,
		} {
			if got := p.meter.sum[name]; got != int64(n) {
				p.fail("the meter has %d %s, and the figures say %d", got, name, n)
			}
		}
	}
	var granted, timeouts, full, reentrant, closed, unsure, skipped uint64
	for _, c := range p.calls {
		p.checkCall(c)
		for _, v := range c.visits {
			if !v.borrowed {
				granted++
			}
		}
		if c.method == "Job" && !(c.again && c.same) {
			granted += uint64(c.runs.Load())
		}
		if c.cancelled.Load() || c.ctx.Err() != nil || c.again && c.same || c.method == "DoAll" || c.runs.Load() == 0 && errors.Is(c.err, keylock.ErrLeaseExpired) || errors.Is(c.err, reactor.ErrRejected) {
			unsure += 3
		}
		// What a call of its own has returned through the function counts there.
		var e *keylock.Error
		if errors.As(c.err, &e) && e.Token == 0 && c.runs.Load() == 0 && (c.ctx.Err() == nil || c.err != context.Cause(c.ctx)) || c.skipped || c.err == keylock.ErrWaitTimeout {
			switch {
			case c.skipped:
				timeouts++
				skipped++
			case c.err == keylock.ErrWaitTimeout || e.Kind == keylock.ErrWaitTimeout:
				if !(c.err == keylock.ErrWaitTimeout) {
					timeouts++
				} else {
					unsure++
				}
			case e.Kind == keylock.ErrQueueFull:
				full++
			case e.Kind == keylock.ErrReentrant:
				reentrant++
			case e.Kind == keylock.ErrLocksClosed:
				closed++
			}
		}
	}
	if p.endsOut {
		return
	}
	about := func(what string, n, seen uint64) {
		if n < seen || n > seen+unsure {
			p.fail("%d %s are counted, %d were seen, and %d are not sure", n, what, seen, unsure)
		}
	}
	about("grants", s.Acquired, granted)
	about("time-outs", s.WaitTimeouts, timeouts)
	about("full queues", s.QueueFull, full)
	about("reentrances", s.Reentrant, reentrant)
	about("refusals", s.Closed, closed)
	if s.Skipped != skipped {
		p.fail("%d skipped, %d seen", s.Skipped, skipped)
	}
	p.checkOrder()
}

func (p *lockProgram) checkCall(c *lockCall) {
	wrong := func(format string, args ...any) { p.fail("call %d: "+format, append([]any{c.id}, args...)...) }
	isStream := c.method == "Mono" || c.method == "Flux" || c.method == "Grant"
	runs := c.runs.Load()
	if runs > 1 {
		wrong("%d runs", runs)
	}
	if isStream {
		n, most := c.outcomes.Load(), int64(1)
		if c.method == "Grant" && c.ctx.Err() != nil { // which may have been told behind the lease
			most = 2
		}
		if n > most || n == 0 && !c.cancelled.Load() && !p.endsOut && c.does != "goexits" && c.does != "yields" {
			wrong("%d outcomes", n)
		}
	}
	for _, v := range c.visits {
		if !v.left {
			wrong("it has never left %s", v.key)
		}
		if v.token == 0 && !v.stream {
			wrong("no token")
		}
		ended, until := time.Duration(v.ended.Load()), v.until
		if v.stream || v.borrowed || p.stores || p.endsOut {
			continue
		}
		if errors.Is(v.cause, keylock.ErrLeaseExpired) && c.method != "DoAll" {
			var e *keylock.Error
			if errors.As(v.cause, &e) && e.Token == v.token && !v.extended.Load() && v.due != 0 && ended != v.due {
				wrong("its context ended at %v, and its lease at %v", ended, v.due)
			}
		}
		if v.due != 0 && until > v.due && !v.extended.Load() && (v.cause == nil || ended > v.due) {
			wrong("it was inside until %v, its lease ended at %v, and its context at %v", until, v.due, ended)
		}
	}
	if !c.over {
		return
	}
	if p.endsOut {
		return
	}
	waited := c.at - c.asked
	var e *keylock.Error
	isErr := errors.As(c.err, &e)
	switch {
	case c.err == nil && runs == 0 && c.method != "Job" && !(isStream && c.cancelled.Load()):
		wrong("success without a grant")
	case c.err == nil || runs > 0 || c.err == keylock.ErrWaitTimeout:
	case isErr && e.Kind == keylock.ErrWaitTimeout:
		if c.wait == keylock.Forever {
			wrong("a time-out of a wait for ever")
		}
		if !p.stores && (waited != c.wait && c.method != "DoAll" || waited > c.wait) {
			wrong("the wait of %v has ended after %v: %v", c.wait, waited, c.err)
		}
	case isErr && e.Kind == keylock.ErrQueueFull:
		if !c.limits || waited != 0 && c.method != "DoAll" {
			wrong("it says that the queue is full")
		}
	case isErr && e.Kind == keylock.ErrLocksClosed:
		if !p.closing.Load() {
			wrong("it says that the manager is closed")
		}
	case isErr && e.Kind == keylock.ErrReentrant:
		if !c.within {
			wrong("it says that the caller holds the key")
		}
	case isErr && e.Kind == keylock.ErrLeaseExpired:
		if c.lease == 0 && !c.within {
			wrong("it says that the lease has expired")
		}
	case c.ctx.Err() != nil && errors.Is(c.err, context.Cause(c.ctx)):
	case c.within:
	case p.stores:
	default:
		wrong("unexpected: %v", c.err)
	}
	if isStream || p.stores || c.method == "DoAll" || c.method == "Job" {
		return
	}
	if c.method == "Do" && runs == 1 && len(c.visits) == 1 && !c.visits[0].borrowed {
		v := c.visits[0]
		lapsed := errors.Is(c.err, keylock.ErrLeaseExpired)
		if c.does != "nests" && c.does != "extends" && c.does != "releases" {
			if v.due == 0 && lapsed && !c.within && v.ended.Load() > int64(v.from) { // else it was over when the function began
				wrong("its lease has no end, and the error is %v", c.err)
			}
			if v.due != 0 && v.until > v.due && !lapsed {
				wrong("inside until %v, due %v, and the error is %v", v.until, v.due, c.err)
			}
			if v.due != 0 && v.until < v.due && lapsed && !c.within && c.on != "single" {
				wrong("inside until %v, due %v, and the error is %v", v.until, v.due, c.err)
			}
			if v.due != 0 && c.policy == keylock.ReleaseOnExpiry && c.on != "immediate" && c.at > max(v.due+c.grace, v.from) {
				wrong("due %v, grace %v, and it returned at %v", v.due, c.grace, c.at)
			}
		}
		switch {
		case c.does == "fails" && v.until <= v.due && !errors.Is(c.err, errLockTask) && !lapsed:
			wrong("its error is lost: %v", c.err)
		case c.does == "panics" && !lapsed && !errors.As(c.err, new(*reactor.PanicError)):
			wrong("its panic is lost: %v", c.err)
		}
	}
}

// checkOrder looks at who came first: time stands still in a bubble as long as anybody can go on.
func (p *lockProgram) checkOrder() {
	if !p.ordered {
		return
	}
	at := func(c *lockCall) (time.Duration, bool) {
		if len(c.visits) == 1 && !c.visits[0].borrowed && c.on != "single" && c.method != "DoAll" {
			return c.visits[0].from, true
		}
		return 0, false
	}
	for _, a := range p.calls {
		if a.method == "DoAll" || a.method == "Job" || a.on == "single" {
			continue
		}
		from, got := at(a)
		for _, b := range p.calls {
			was, ok := at(b)
			if b.key != a.key || !ok || b.asked <= a.asked {
				continue
			}
			if got && was < from && a.method != "Grant" {
				p.fail("call %d came at %v and was served at %v, call %d at %v and %v", a.id, a.asked, from, b.id, b.asked, was)
			}
			if !got && a.over && a.runs.Load() == 0 && !a.cancelled.Load() && was < a.at && a.wait != 0 && errors.Is(a.err, keylock.ErrWaitTimeout) {
				p.fail("call %d came at %v and has waited until %v, call %d at %v and was served at %v", a.id, a.asked, a.at, b.id, b.asked, was)
			}
		}
	}
}

// String describes the program.
func (p *lockProgram) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "program %d:%s", p.id, p.what)
	for _, m := range p.ms {
		fmt.Fprintf(&b, "\n  %+v", m.Stats())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.calls {
		fmt.Fprintf(&b, "\n  call %d: %s of %s on %q, %s for %v, asked %v, waits %v, lease %v, %v, grace %v, within %t, again %t, limits %t; runs %d, outcomes %d, cancelled %t, over %t at %v: %v", c.id, c.method, c.key, c.on, c.does, c.length, c.asked,
			c.wait, c.lease, c.policy, c.grace, c.within, c.again, c.limits, c.runs.Load(), c.outcomes.Load(), c.cancelled.Load(), c.over, c.at, c.err)
		for _, v := range c.visits {
			fmt.Fprintf(&b, "\n    %s token %d borrowed %t from %v until %v, due %v, ended %v: %v", v.key, v.token, v.borrowed, v.from, v.until, v.due, time.Duration(v.ended.Load()), v.cause)
		}
	}
	return b.String()
}

// TestStressLocks runs random programs: REACTOR_KEYS says how many, REACTOR_KEYS_NUMBER which one of REACTOR_KEYS_SEED. It runs none by
// itself: one of ten thousand or so still ends otherwise than its books say, with a meter that ends goroutines, or with answers that are
// lost at the end of the manager.
func TestStressLocks(t *testing.T) {
	if os.Getenv("REACTOR_KEYS") == "" {
		t.Skip("REACTOR_KEYS says how many programs to run")
	}
	before := slog.Default()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	defer slog.SetDefault(before)
	programs.Run(t, "REACTOR_KEYS", 0, func(seed, id uint64) (wrong []string) {
		reactortest.Bubble(t, func(t *testing.T) { wrong = (&lockProgram{seed: seed, id: id}).play(t) })
		return wrong
	})
}

var _ executors.Clock = (*countedClock)(nil)
