package keylock

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/foreign"
	"github.com/goreactor/reactor/schedulers"
)

const (
	// Forever means no limit: as a [WaitTime], only the context limits the wait; as a
	// [LeaseTime], nothing limits the lease.
	Forever time.Duration = math.MaxInt64
	// Unlimited is the number of waiters without a limit.
	Unlimited = math.MaxInt
)

// Policy says what happens to a key when the lease of its holder expires.
type Policy uint8

const (
	// HoldUntilReturn, the default, passes the key on when the function of the
	// holder has returned, or its [Lease] was released, however long that takes:
	// nobody else works on the key meanwhile.
	HoldUntilReturn Policy = iota
	// ReleaseOnExpiry passes the key on when the lease expires. The function of
	// the holder may still run: use ReleaseOnExpiry only with a resource that
	// refuses old tokens, see package fence.
	ReleaseOnExpiry
)

// String returns the name of the policy.
func (p Policy) String() string {
	switch p {
	case HoldUntilReturn:
		return "HoldUntilReturn"
	case ReleaseOnExpiry:
		return "ReleaseOnExpiry"
	}
	return fmt.Sprintf("Policy(%d)", int(p))
}

// Option adjusts a [Manager]. Every [CallOption] is also an Option: it sets the
// default of all calls.
type Option interface{ applyTo(s *settings) error }

type option func(s *settings) error

func (o option) applyTo(s *settings) error { return o(s) }

// settings are what options change before the manager is made.
type settings struct {
	name    string
	call    call
	idleTTL time.Duration
	barging bool

	clock     executors.Clock
	sched     schedulers.Scheduler
	meter     executors.Meter
	prefix    string
	tags      []string
	keyTag    func(key string) string
	logger    *slog.Logger
	slowAfter time.Duration
	onSlow    func(Held)

	backend   Backend
	ttl       time.Duration
	lockDelay time.Duration // below 0 for the default
}

// call is what one call goes by.
type call struct {
	wait      time.Duration // below 0 without a limit
	lease     time.Duration // 0 without a limit
	grace     time.Duration
	waiters   int // most that may wait, Unlimited without a limit
	policy    Policy
	reentrant bool
	repanic   bool
	on        schedulers.Scheduler // nil for the goroutine of the caller
}

// CallOption adjusts one call, or as an [Option] all calls of a manager. A call refuses
// an option that has no meaning for it: [Grace], [Repanic] and [On] where there is no
// function to run, Grace and On with [Manager.DoAll]. As a default of the manager, such
// an option has no effect on these calls.
type CallOption struct {
	kind callKind
	n    int64
	on   schedulers.Scheduler
}

type callKind int

const (
	noOption callKind = iota
	waitTime
	leaseTime
	graceTime
	maxWaiters
	atExpiry
	reentrant
	repanic
	elsewhereOn
)

// WaitTime limits how long a call waits for its key; by default 3 seconds, or what
// REACTOR_LOCKS_WAIT says. It is measured from the call, and for several keys it is one
// limit for all. With 0 a call does not wait for another holder, only for the answers
// of a [Backend], and fails within [LockDelay] after an expiry. With [Forever] only the
// context limits the wait; negative times are refused.
func WaitTime(d time.Duration) CallOption { return CallOption{kind: waitTime, n: int64(d)} }

// LeaseTime limits how long a key is held, from the grant on; by default 10 seconds, or
// what REACTOR_LOCKS_LEASE says. 0 and [Forever] mean no limit; negative times are
// refused.
func LeaseTime(d time.Duration) CallOption { return CallOption{kind: leaseTime, n: int64(d)} }

// AtExpiry says what happens when a lease expires; by default [HoldUntilReturn].
func AtExpiry(p Policy) CallOption { return CallOption{kind: atExpiry, n: int64(p)} }

// Grace is how long [Manager.Do] waits, under [ReleaseOnExpiry], for a function whose
// lease has expired, before it returns without it; by default it does not wait.
// Negative times are refused.
func Grace(d time.Duration) CallOption { return CallOption{kind: graceTime, n: int64(d)} }

// MaxWaiters limits how many callers may wait for a key at a time; further callers fail
// with [ErrQueueFull]. By default there is no limit, or the limit is what
// REACTOR_LOCKS_MAX_WAITERS says; [Unlimited] means no limit. 0 and negative numbers
// are refused: for a call that does not wait there is WaitTime(0).
func MaxWaiters(n int) CallOption { return CallOption{kind: maxWaiters, n: int64(n)} }

// Reentrant lets a call for a key that its context already holds run inside that hold,
// with the same lease. Without Reentrant such a call fails with [ErrReentrant]; with it
// the call still fails if that lease is over. [Manager.Acquire] and [Manager.Grant]
// fail in any case: the caller would release a lease that belongs to the outer hold.
func Reentrant() CallOption { return CallOption{kind: reentrant, n: 1} }

// Repanic lets a panic of the function go on after the key is released, instead of
// returning it as a [*reactor.PanicError].
func Repanic() CallOption { return CallOption{kind: repanic, n: 1} }

// On runs the function on s, while the caller waits for it. A refusal of s releases the
// key and is returned. If s drops the function before it has begun, the call ends when
// the lease ends; if nothing limits the lease, the call fails within a second, as after
// a refusal. The same holds for streams, which continue on s after the grant.
func On(s schedulers.Scheduler) CallOption { return CallOption{kind: elsewhereOn, on: s} }

func (o CallOption) applyTo(s *settings) error { return o.apply(&s.call) }

// apply changes c, or says what is wrong.
func (o CallOption) apply(c *call) error {
	d := time.Duration(o.n)
	switch o.kind {
	case waitTime:
		if d < 0 {
			return errArgument("WaitTime: d ≥ 0 required but it was %v", d)
		}
		if c.wait = d; d == Forever {
			c.wait = -1
		}
	case leaseTime:
		if d < 0 {
			return errArgument("LeaseTime: d ≥ 0 required but it was %v", d)
		}
		if c.lease = d; d == Forever {
			c.lease = 0
		}
	case graceTime:
		if d < 0 {
			return errArgument("Grace: d ≥ 0 required but it was %v", d)
		}
		c.grace = d
	case maxWaiters:
		if o.n <= 0 {
			return errArgument("MaxWaiters: n > 0 required but it was %d", o.n)
		}
		c.waiters = int(o.n)
	case atExpiry:
		if p := Policy(o.n); p != HoldUntilReturn && p != ReleaseOnExpiry {
			return errArgument("AtExpiry: unknown policy %v", p)
		}
		c.policy = Policy(o.n)
	case reentrant:
		c.reentrant = true
	case repanic:
		c.repanic = true
	case elsewhereOn:
		if o.on == nil {
			return errArgument("On: the scheduler is nil")
		}
		c.on = foreign.Scheduler(o.on)
	}
	return nil
}

// refusedBy returns an error if the method op of a manager can do nothing with the option. As a default of the manager
// it may be given all the same: that is for the methods which can.
func (o CallOption) refusedBy(op string) error {
	switch {
	case op == "DoAll" && o.kind == graceTime:
		return errArgument("Grace: DoAll waits for its function in any case")
	case op == "DoAll" && o.kind == elsewhereOn:
		return errArgument("On: DoAll runs its function on the goroutine of the caller")
	}
	holds := op == "Acquire" || op == "TryAcquire" || op == "Grant"
	switch {
	case !holds:
	case o.kind == graceTime:
		return errArgument("Grace: %s runs no function", op)
	case o.kind == repanic:
		return errArgument("Repanic: %s runs no function", op)
	case o.kind == elsewhereOn && op != "Grant": // whose lease comes on a worker
		return errArgument("On: %s runs no function", op)
	}
	return nil
}

// errArgument is the part of an error that says which option and which value.
func errArgument(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), reactor.ErrIllegalArgument)
}

// WithName names the manager in logs, and the owner of its records in a [Backend]; by
// default managers are numbered.
func WithName(name string) Option {
	return option(func(s *settings) error { s.name = name; return nil })
}

// IdleTTL is how long the place of a key is kept when nobody holds the key or waits
// for it, so that the next call need not make a place; by default 60 seconds, or what
// REACTOR_LOCKS_IDLE_TTL says. Places are checked once per d, so a place lives
// between d and 2d. With 0 places are given up at once; negative times are refused.
func IdleTTL(d time.Duration) Option {
	return option(func(s *settings) error {
		if d < 0 {
			return errArgument("IdleTTL: d ≥ 0 required but it was %v", d)
		}
		s.idleTTL = d
		return nil
	})
}

// Barging lets a call take a key that has become free before the waiting calls have
// woken up. Where holds are short, this allows more calls per second, but calls have
// no order any more: a waiting call may be overtaken for as long as it waits.
func Barging() Option {
	return option(func(s *settings) error { s.barging = true; return nil })
}

// WithClock replaces the clock that waits and leases are measured with. A nil clock is
// refused.
func WithClock(c executors.Clock) Option {
	return option(func(s *settings) error {
		if c == nil {
			return errArgument("WithClock: the clock is nil")
		}
		s.clock, s.sched = c, nil
		return nil
	})
}

// WithScheduler makes the manager use the clock and the timers of s, and the workers of
// s where [Manager.Mono] would use those of schedulers.Parallel(). A nil scheduler is
// refused.
func WithScheduler(s schedulers.Scheduler) Option {
	return option(func(set *settings) error {
		if s == nil {
			return errArgument("WithScheduler: the scheduler is nil")
		}
		set.sched, set.clock = foreign.Scheduler(s), nil
		return nil
	})
}

// WithMeter reports to m, under names that begin with prefix and ".keylock.":
//
//	keys, holders, waiters, late        gauges; late are functions that run although their Do has returned
//	acquired, wait_timeout, lease_expired, lease_lost, overrun, queue_full, reentrant,
//	panic, closed, token_regressed      counters
//	skipped                             counter of the runs of a Job that did not get the key
//	wait, hold, overrun_time            timers
//
// A nil meter is refused. When the manager is closed or [Manager.Shutdown] returns, the
// instruments are removed by their names, and so also those of other managers with the
// same prefix.
func WithMeter(m executors.Meter, prefix string, tags ...string) Option {
	return option(func(s *settings) error {
		if m == nil {
			return errArgument("WithMeter: the meter is nil")
		}
		if len(tags)%2 != 0 {
			return errArgument("WithMeter: tags are pairs of key and value, got %d strings", len(tags))
		}
		s.meter, s.prefix, s.tags = m, prefix, append([]string(nil), tags...)
		return nil
	})
}

// WithKeyTag gives the instruments acquired, wait and hold of [WithMeter] one more tag,
// "key", whose value is what of returns for the key: the key itself if there are few,
// or the kind of key it is. Instruments are made for each value, and kept until the
// manager is closed. of is called at each grant and at its end, from several
// goroutines; if of panics, the value is "unknown"; if the meter refuses to make an
// instrument for the value, that is reported as dropped and nothing is measured.
// Without WithMeter this option has no effect; nil is refused.
func WithKeyTag(of func(key string) (value string)) Option {
	return option(func(s *settings) error {
		if of == nil {
			return errArgument("WithKeyTag: the function is nil")
		}
		s.keyTag = of
		return nil
	})
}

// WithLogger replaces [slog.Default] as the logger for events that are reported in no
// other way: functions that outlive their lease, leases that are lost, and the result
// of a function whose caller has already returned. Of the first two there is at most
// one line per second, which says how many were left out since the line before
// ("unlogged"); [Stats] counts all of them.
func WithLogger(l *slog.Logger) Option {
	return option(func(s *settings) error {
		if l == nil {
			return errArgument("WithLogger: the logger is nil")
		}
		s.logger = l
		return nil
	})
}

// WithSlowHolder calls fn once for each hold that lasts longer than after, while it
// lasts, on a goroutine of the clock. fn must not block.
func WithSlowHolder(after time.Duration, fn func(Held)) Option {
	return option(func(s *settings) error {
		if after <= 0 {
			return errArgument("WithSlowHolder: after > 0 required but it was %v", after)
		}
		if fn == nil {
			return errArgument("WithSlowHolder: the function is nil")
		}
		s.slowAfter, s.onSlow = after, fn
		return nil
	})
}

// WithBackend makes the manager share its keys with managers in other processes that
// use the same store. ttl is how long the record of a held key lives without being
// renewed, and so how long others wait for a process that died; the record is renewed
// after a third of ttl. [LeaseTime] limits the hold as without a backend.
//
// Callers of one process still wait in order; among processes there is no order.
func WithBackend(b Backend, ttl time.Duration) Option {
	return option(func(s *settings) error {
		if b == nil {
			return errArgument("WithBackend: the backend is nil")
		}
		if ttl <= 0 {
			return errArgument("WithBackend: ttl > 0 required but it was %v", ttl)
		}
		if c, ok := b.(TTLChecker); ok {
			if err := c.CheckTTL(ttl); err != nil {
				return fmt.Errorf("WithBackend: ttl %v: %w", ttl, err)
			}
		}
		s.backend, s.ttl = b, ttl
		return nil
	})
}

// newSettings applies the options to the defaults of the environment.
func newSettings(opts []Option) (*settings, error) {
	d := Defaults()
	s := &settings{
		call:      call{wait: d.Wait, lease: d.Lease, waiters: d.MaxWaiters},
		idleTTL:   d.IdleTTL,
		lockDelay: -1,
	}
	var errs []error
	for _, o := range opts {
		if o == nil {
			errs = append(errs, errArgument("an option is nil"))
			continue
		}
		errs = append(errs, o.applyTo(s))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("keylock: New: %w", err)
	}
	return s, nil
}
