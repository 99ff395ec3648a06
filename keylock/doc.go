// Package keylock lets one caller at a time work on a key: one order, one user, one
// file. Different keys are independent of one another, and a key that nobody holds or
// waits for is removed from memory after a while (IdleTTL).
//
//	locks, err := keylock.New(keylock.WaitTime(3*time.Second), keylock.LeaseTime(10*time.Second))
//	…
//	balance, err := locks.Do(ctx, account, func(ctx context.Context, lease keylock.Lease) (int, error) {
//		return withdraw(ctx, account, amount)
//	})
//
// # Forms
//
// [Manager.Do] runs a function while it holds the key, on the goroutine of the caller
// unless [On] or [ReleaseOnExpiry] is given; [Manager.DoAll] holds several keys.
// [Manager.Acquire] and [Manager.TryAcquire] return a [Lease] that the caller releases.
// [Manager.Mono] and [Manager.Flux] hold the key for the life of a subscription, and no
// goroutine waits; [Manager.Grant] only waits, and emits the lease. [Manager.Job] is
// for periodic tasks.
//
// # Waiting
//
// Callers get a key in the order in which they asked for it. Each call limits its own
// wait ([WaitTime], and the deadline of its context): it ends with [ErrWaitTimeout] at
// that moment, however long the holder takes, and its function is not run afterwards.
// A caller that gives up leaves the queue at once.
//
// # Leases
//
// A lease ([LeaseTime]) begins when the key is granted. When it is over, the context
// of the holder ends with the cause [ErrLeaseExpired]. Nothing can stop a function
// that does not look at its context, so there are two policies: [HoldUntilReturn], the
// default, passes the key on when the function has returned; [ReleaseOnExpiry] passes
// it on at once, and then two functions may run at a time. Under ReleaseOnExpiry, let
// the resource that the lock protects check the token of the lease: a number that
// rises with each grant of a key (package fence).
//
// # Several processes
//
// With a [Backend] the same calls exclude callers in other processes. A record in a
// store stands for the key; its time to live is renewed while the key is held. If the
// record can't be renewed in time, the context of the holder ends with the cause
// [ErrLeaseLost]. docs/locks.md says what such a lease can and can't promise: read it
// before you rely on one.
//
// # Time
//
// Time is that of [WithClock] or [WithScheduler], or otherwise that of
// schedulers.Parallel() at the moment of the call: so in a test, virtual time and
// bubbles (package reactortest) work as they do for operators. In a plain
// testing/synctest bubble, close the manager before the bubble ends: keys that are kept
// for a while ([IdleTTL]) leave a timer in schedulers.Parallel() that never fires
// outside of the bubble.
package keylock
