package operators

import (
	"context"
	"math"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// Forever is the lifetime of an outcome that is kept for ever.
const Forever time.Duration = math.MaxInt64

// MonoCache runs src, which sends at most one element, once for all subscribers and keeps
// its outcome, an element, an error or an empty end, for later subscribers: for ever, or
// as long as [TTL] says, counted from the outcome on.
//
//	src:  ------ 1 |
//	      MonoCache()
//	out:  ------ 1 |
//	out:    ---- 1 |            a second subscriber
//	out:             1 |        one that came after
//
// The first subscriber starts src, with unbounded demand and the values of its own
// context; each subscriber gets the element when it requests. Cancellation does not reach
// src, which goes on for later subscribers. Signals come on the goroutine of src, or on
// that of the subscriber.
//
// A src that works on the goroutine that requests, as [FromFunc] does without
// [SubscribeOn], holds up the first subscriber until src is done. The end of that
// subscriber's context does not reach src, so it does not shorten the wait.
func MonoCache[T any](src reactor.Publisher[T], opts ...MonoCacheOption) reactor.Publisher[T] {
	cfg := monoCacheConfigOf("cache", opts)
	ttl := cfg.ttl
	return newMonoCache("cache", src, func(reactor.Signal[T]) time.Duration { return ttl }, cfg)
}

// MonoCacheFor is [MonoCache], but ttl decides for each outcome how long it is kept:
// with [Forever] for ever, with 0 or less not at all.
//
// ttl is called once per outcome, before any subscriber gets the outcome. A panic of
// ttl becomes the outcome, and is not kept. The option [TTL] panics here, because ttl
// already sets the lifetime.
func MonoCacheFor[T any](src reactor.Publisher[T], ttl func(reactor.Signal[T]) time.Duration, opts ...MonoCacheOption) reactor.Publisher[T] {
	argument.Given("cacheFor", "lifetime function", ttl != nil)
	cfg := monoCacheConfigOf("cacheFor", opts)
	if cfg.limited {
		panic("reactor: cacheFor: the lifetime comes from the function, and TTL(" + cfg.ttl.String() + ") is given besides")
	}
	return newMonoCache("cacheFor", src, ttl, cfg)
}

// MonoCacheOption is an option of [MonoCache]: [TTL] or [On].
type MonoCacheOption interface{ applyMonoCache(*monoCacheConfig) }

type monoCacheConfig struct {
	ttl       time.Duration
	limited   bool // a TTL was given
	scheduler []SchedulerOption
}

func monoCacheConfigOf(op string, opts []MonoCacheOption) *monoCacheConfig {
	cfg := &monoCacheConfig{ttl: Forever}
	for _, o := range argument.Options(op, opts) {
		o.applyMonoCache(cfg)
	}
	return cfg
}

// TTLOption is how long an outcome, or an element, is kept.
type TTLOption time.Duration

// TTL limits how long an outcome, or an element, is kept. With d ≤ 0 [MonoCache] keeps no outcome,
// as [MonoCacheFor] does if its function returns such a d. [Replay] and [Cache] panic if d is
// negative, because an element has an age of at least 0.
func TTL(d time.Duration) TTLOption { return TTLOption(d) }

func (d TTLOption) applyMonoCache(c *monoCacheConfig) { c.ttl, c.limited = time.Duration(d), true }

func (o SchedulerOption) applyMonoCache(c *monoCacheConfig) { c.scheduler = []SchedulerOption{o} }

func newMonoCache[T any](op string, src reactor.Publisher[T], ttl func(reactor.Signal[T]) time.Duration, cfg *monoCacheConfig) reactor.Publisher[T] {
	g := &sharedMono[T]{src: protocol.Trust(op, src)}
	clock := schedulers.Parallel
	if len(cfg.scheduler) > 0 {
		given := timerOf(op, cfg.scheduler)
		clock = func() schedulers.Scheduler { return given }
	}
	g.admit = func(ctx context.Context, sig reactor.Signal[T], is *admission[T]) {
		is.signal = sig
		var keep time.Duration
		if !failure.Guard(func() { keep = ttl(sig) }, func(err error) { is.signal = g.replaced(ctx, sig, err) }) || keep <= 0 {
			return
		}
		if keep == Forever {
			is.keep = true
			return
		}
		on := clock()
		life := &lifetime{clock: on}
		if !failure.Guard(func() { life.until = on.Now().Add(keep) }, func(err error) { reactor.DropError(ctx, err) }) {
			return
		}
		is.keep, is.life = true, life
		is.kept = func(e *sharedOutcome[T]) {
			failed := func(err error) {
				g.invalidate(e)
				reactor.DropError(ctx, err)
			}
			failure.Guard(func() {
				// Not ScheduleAfter: schedulers that run out wait for delayed tasks, and nobody waits for this one.
				task, err := on.SchedulePeriodically(func(context.Context) { g.invalidate(e); life.timer.Dispose() }, keep, keep)
				if err != nil {
					failed(rejected(ctx, op, err, nil))
					return
				}
				life.timer.Replace(task)
			}, failed)
		}
	}
	return g
}

// lifetime is how long an outcome is kept. A timer ends it, so that it does not stay in memory; it has also ended when its
// time is over, since the scheduler may have dropped the timer.
type lifetime struct {
	clock schedulers.Scheduler
	until time.Time
	timer reactor.SwapDisposable
}

// isOver reports whether the time is over. A nil lifetime has no end. If the clock fails, failed is called, and the
// result is true.
func (l *lifetime) isOver(failed func(error)) (over bool) {
	if l == nil {
		return false
	}
	over = true
	failure.Guard(func() { over = !l.clock.Now().Before(l.until) }, failed)
	return over
}
