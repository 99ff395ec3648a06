package reactortest

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/goid"
	"github.com/goreactor/reactor/internal/upstream"
)

const (
	// mostUnread is how many signals may wait for the script: a publisher that is
	// asked for everything and never returns would otherwise fill the memory.
	mostUnread = 100_000
	// mostHistory is how many signals that the script has taken are kept for the
	// report.
	mostHistory = 20
)

// run is one play of a script. It is the subscriber.
type run[T any] struct {
	steps  []*step[T] // constant
	format formatter  // constant
	pace   pace       // constant
	start  time.Time  // constant
	wake   chan struct{}

	carrier atomic.Uintptr // the goroutine that delivers a signal, 0 if none does, to see whether they overlap

	mu        sync.Mutex
	up        reactor.Subscription // guarded by mu
	at        int                  // the step that is due; guarded by mu
	busy      bool                 // somebody plays; guarded by mu
	unread    []signal[T]          // guarded by mu
	history   []signal[T]          // what was read, and what the script did; guarded by mu
	forgotten int                  // how much of history is gone; guarded by mu
	unheard   int                  // signals after the end of the script that were not kept; guarded by mu
	written   context.Context      // the latest that a ContextWrite has made; guarded by mu
	first     context.Context      // what written was when the subscription came; guarded by mu
	demand    int64                // requested in all, saturating; guarded by mu
	received  int64                // elements received; guarded by mu
	ended     bool                 // a terminal signal came; guarded by mu
	cancelled bool                 // by the script; guarded by mu
	signals   int                  // how many there were so far; guarded by mu
	recording bool                 // guarded by mu
	recorded  []T                  // guarded by mu
	wrong     string               // why it failed, "" if it has not; guarded by mu
	failedAt  int                  // the step; guarded by mu
	culprit   *signal[T]           // the signal on which it failed, if any; guarded by mu
}

// playing is a script that has begun.
type playing[T any] struct {
	v     *StepVerifier[T]
	run   *run[T]
	after *Aftermath
	held  *installation // the clock, if the script is to have one; nil once given back
	alarm *time.Timer   // rings when the script has to have ended, nil if it may take as long as it likes
}

// begin subscribes. The script is to have ended within limit, unless that is 0.
func begin[T any](v *StepVerifier[T], limit time.Duration) *playing[T] {
	v.t.Helper()
	if wrong := v.asksTooLittle(); wrong != "" {
		if v.config.name != "" {
			wrong = v.config.name + ": " + wrong
		}
		v.t.Fatal("reactortest: " + wrong)
	}
	p := &playing[T]{v: v}
	if v.own {
		p.held = NewVirtualTime().hold()
		v.config.clock = p.held.clock
	}
	p.run = &run[T]{steps: v.steps, format: v.config.format, pace: paceOf(v.config.clock), wake: make(chan struct{}, 1)}
	p.run.start = p.run.pace.now()
	p.after = newAftermath(v.t, v.config.format)
	subscribed := false
	defer func() {
		if !subscribed {
			defer p.clean()
			p.run.leave()
		}
	}()
	p.bound(limit)
	p.tellIfCut(func() {
		ctx := upstream.WithContextSeen(p.after.watch(v.config.context(v.t)), p.run.wrote)
		p.run.wrote(ctx)
		v.supply().Subscribe(ctx, &verifying[T]{run: p.run, demand: v.config.demand})
	})
	subscribed = true
	return p
}

// finish plays the script to its end.
func (p *playing[T]) finish() *Aftermath {
	v, r := p.v, p.run
	v.t.Helper()
	defer p.clean()
	patience := v.config.patience
	if p.alarm != nil {
		patience = 0
	}
	followed := false
	defer func() {
		if !followed { // a step has ended the goroutine of the test
			r.leave()
		}
	}()
	p.tellIfCut(func() { r.follow(patience) })
	followed = true
	p.after.took = r.pace.now().Sub(r.start)
	p.tellIfCut(r.leave)
	if r.failure() != "" {
		v.t.Fatal(r.story(v.config.name, p.after))
	}
	return p.after
}

// tellIfCut calls fn and tells of a failure if that does not return: a function of the test has called
// FailNow.
func (p *playing[T]) tellIfCut(fn func()) {
	p.v.t.Helper()
	returned := false
	defer func() {
		if !returned && p.run.failure() != "" {
			p.v.t.Error(p.run.story(p.v.config.name, p.after))
		}
	}()
	fn()
	returned = true
}

// bound ends the script as failed if it goes on for longer than limit, unless that is 0. The goroutine of the test can't look
// at the time while it is in Subscribe, or in a step.
func (p *playing[T]) bound(limit time.Duration) {
	if limit == 0 {
		return
	}
	r := p.run
	p.alarm = time.AfterFunc(limit, func() {
		what := fmt.Sprintf("the script had not ended within %v", limit) + r.stands()
		r.mu.Lock()
		over := r.over()
		if !over {
			r.fail(what, nil)
		}
		r.mu.Unlock()
		if !over {
			defer r.tell() // also if the publisher ends the goroutine
			// What is asked, or waits for its context, in Subscribe returns.
			failure.Guard(r.cancel, func(err error) {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.wrong += fmt.Sprintf("; Cancel, which was called then, did not return: %v", err)
			})
		}
	})
}

// clean gives the clock back.
func (p *playing[T]) clean() {
	if p.alarm != nil {
		p.alarm.Stop()
	}
	if held := p.held; held != nil {
		p.held = nil
		held.release()
	}
}

// failure returns what went wrong, "" if nothing has.
func (r *run[T]) failure() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.wrong
}

// follow plays the script on the goroutine of the test until its end, or until
// nothing has come for too long: for patience, 0 if somebody else looks at the time.
func (r *run[T]) follow(patience time.Duration) {
	for {
		r.play(true)
		r.mu.Lock()
		over, at, taken := r.over(), r.at, r.received
		r.mu.Unlock()
		if over {
			return
		}
		if patience == 0 {
			<-r.wake
			continue
		}
		timer := time.NewTimer(patience)
		select {
		case <-r.wake:
			timer.Stop()
			continue
		case <-timer.C:
		}
		what := fmt.Sprintf("nothing came within %v", patience) + r.stands()
		r.mu.Lock()
		if r.at == at && r.received == taken && !r.busy {
			r.fail(what, nil)
		}
		r.mu.Unlock()
	}
}

// stands says what a virtual clock waits for, if there is one.
func (r *run[T]) stands() string {
	if c := r.pace.clock; c != nil {
		if at := c.clock.standsAt("ThenAwait"); at != "" {
			return "; virtual time moves only when the test moves it: " + at
		}
	}
	return ""
}

// tell wakes who follows.
func (r *run[T]) tell() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// over reports whether nothing is left to play. The caller holds mu.
func (r *run[T]) over() bool { return r.wrong != "" || r.at == len(r.steps) }

// play goes on with the script as far as it can. mine says that the caller is the
// goroutine of the test.
func (r *run[T]) play(mine bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy {
		return
	}
	r.busy = true
	defer func() {
		r.busy = false
		if !mine {
			r.tell()
		}
	}()
	for !r.over() {
		s := r.steps[r.at]
		if len(r.unread) > 0 && r.unread[0].kind == reactor.KindSubscribe && !s.subscription {
			r.take(r.unread[0], "") // taken for granted
		}
		switch {
		case s.subscribed && r.up == nil:
			return
		case s.match != nil:
			if len(r.unread) == 0 {
				return
			}
			r.read(s)
		case s.inline != nil:
			r.outside(func() { s.inline(r) })
			r.at++
		case mine:
			var wrong string
			r.outside(func() { wrong = s.do(r) })
			if wrong != "" && r.wrong == "" {
				r.fail(wrong, nil)
			}
			r.at++
		default:
			return
		}
	}
}

// outside calls fn without the lock. A panic of it fails the script; so does the end
// of its goroutine, which is what t.FailNow does.
func (r *run[T]) outside(fn func()) {
	r.mu.Unlock()
	clean := false
	defer func() {
		r.mu.Lock()
		if clean {
			return
		}
		if p := recover(); p != nil {
			r.fail(fmt.Sprintf("the function of the step panicked: %v\n%s", p, ofStep(debug.Stack())), nil)
		} else if r.wrong == "" {
			r.fail("the function of the step ended its goroutine", nil)
		}
	}()
	fn()
	clean = true
}

// read shows the next signal to s. The caller holds mu.
func (r *run[T]) read(s *step[T]) {
	next := r.unread[0]
	var v verdict
	r.outside(func() { v = s.match(next) })
	if r.wrong != "" && v.wrong == "" && !v.taken && !v.over { // its function panicked
		r.culprit = &next
		return
	}
	if v.wrong != "" {
		r.fail(v.wrong+", but "+next.String()+" came", &next)
		return
	}
	if v.taken {
		r.take(next, fmt.Sprintf("step %d", r.at+1))
	}
	if v.over {
		r.at++
	}
}

// take moves the next signal to what was read. The caller holds mu.
func (r *run[T]) take(s signal[T], mark string) {
	r.unread[0] = signal[T]{}
	r.unread = r.unread[1:]
	s.mark = mark
	r.remember(s)
	if r.recording && s.kind == reactor.KindNext {
		r.recorded = append(r.recorded, s.value)
	}
}

// remember adds to the history. The caller holds mu.
func (r *run[T]) remember(s signal[T]) {
	if len(r.history) >= 2*mostHistory {
		r.forgotten += mostHistory
		r.history = append(r.history[:0:0], r.history[mostHistory:]...)
	}
	r.history = append(r.history, s)
}

// fail ends the script. The caller holds mu.
func (r *run[T]) fail(wrong string, culprit *signal[T]) {
	if r.wrong == "" {
		r.wrong, r.failedAt, r.culprit = wrong, r.at, culprit
	}
}

// quiet lets d pass and says what came meanwhile.
func (r *run[T]) quiet(d time.Duration) (wrong string) {
	r.pace.passUntil(d, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		i := slices.IndexFunc(r.unread, func(s signal[T]) bool { return s.kind != reactor.KindSubscribe })
		if i >= 0 {
			first := r.unread[i]
			wrong = fmt.Sprintf("expected nothing for %v, but %s came", d, first)
			r.fail(wrong, &first)
		}
	})
	return wrong
}

func (r *run[T]) tape() []T {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]T(nil), r.recorded...)
}

func (r *run[T]) request(n int64) {
	r.mu.Lock()
	up := r.up
	if n > 0 {
		if r.demand += n; r.demand < 0 {
			r.demand = reactor.Unbounded
		}
	}
	r.remember(signal[T]{kind: reactor.KindRequest, id: r.number(), n: n, at: r.since(), mark: "by the script"})
	r.mu.Unlock()
	if up != nil {
		up.Request(n)
	}
}

func (r *run[T]) cancel() {
	r.mu.Lock()
	up := r.up
	r.cancelled = true
	if r.wrong == "" {
		r.remember(signal[T]{kind: reactor.KindCancel, id: r.number(), at: r.since(), mark: "by the script"})
	}
	r.mu.Unlock()
	if up != nil {
		up.Cancel()
	}
}

// leave cancels what goes on.
func (r *run[T]) leave() {
	r.mu.Lock()
	over := r.cancelled || r.ended
	r.mu.Unlock()
	if !over {
		r.cancel()
	}
}

// number returns the number of a new signal. The caller holds mu.
func (r *run[T]) number() int {
	r.signals++
	return r.signals
}

// wrote keeps the context that a ContextWrite has made.
func (r *run[T]) wrote(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.written = ctx
}

func (r *run[T]) since() time.Duration { return r.pace.now().Sub(r.start) }

// receive takes a signal of the publisher.
func (r *run[T]) receive(s signal[T]) {
	overlap := false
	if s.kind != reactor.KindSubscribe { // what that asks for may come before it has returned
		// Nor do signals overlap that are nested: the script has asked for one while it got another.
		me := goid.Current()
		if r.carrier.CompareAndSwap(0, me) {
			defer r.carrier.Store(0)
		} else {
			overlap = r.carrier.Load() != me
		}
	}
	now := r.since()
	r.mu.Lock()
	s.at, s.format = now, r.format
	s.id = r.number()
	if overlap {
		r.fail(s.String()+" came while another signal was being delivered (§1.3)", &s)
	}
	r.check(&s)
	if s.kind == reactor.KindError || s.kind == reactor.KindComplete {
		r.ended = true
	}
	stop := false
	if len(r.unread) == mostUnread && !r.ended && !r.over() {
		stop = true
		r.fail(fmt.Sprintf("more than %d signals wait for the script, which may be without an end: "+
			"give InitialRequest a number, let less time pass at once, or end with ThenCancel right after the last expectation", mostUnread), &s)
	}
	if !r.over() || len(r.unread) < mostHistory {
		r.unread = append(r.unread, s)
	} else {
		r.unheard++
		// Nobody else would stop it where it sends as long as it is asked: the test waits in Subscribe then.
		stop = r.wrong != "" && !r.cancelled
	}
	r.mu.Unlock()
	if stop {
		r.cancel()
		return
	}
	r.play(false)
}

// check looks for signals that the protocol does not allow. The caller holds mu.
func (r *run[T]) check(s *signal[T]) {
	late := r.cancelled || r.over() // §2.8: signals under way may still come
	if s.kind == reactor.KindSubscribe {
		return
	}
	if r.up == nil {
		r.fail(fmt.Sprintf("%s came before onSubscribe (§1.9)", s), s)
	}
	if r.ended && !r.cancelled { // also after the script, which ends with the stream
		r.fail(fmt.Sprintf("%s came after the end of the stream (§1.7)", s), s)
	}
	if s.kind != reactor.KindNext {
		return
	}
	if r.received++; r.received > r.demand && !late {
		r.fail(fmt.Sprintf("%s came without demand (§1.1): %d requested, this is element %d", s, r.demand, r.received), s)
	}
}

// verifying is the subscriber of a run.
type verifying[T any] struct {
	run    *run[T]
	demand int64
}

func (v *verifying[T]) OnSubscribe(up reactor.Subscription) {
	r := v.run
	if up == nil {
		r.mu.Lock()
		r.fail("onSubscribe(nil) came (§2.13)", nil)
		r.mu.Unlock()
		return
	}
	r.mu.Lock()
	if r.up != nil {
		r.fail("a second onSubscribe came (§1.9)", nil)
		r.mu.Unlock()
		up.Cancel()
		return
	}
	r.up, r.first = up, r.written
	cancelled := r.cancelled
	r.mu.Unlock()
	if cancelled { // the script has not waited for it
		up.Cancel()
		return
	}
	r.receive(signal[T]{kind: reactor.KindSubscribe})
	if v.demand > 0 {
		r.request(v.demand)
	}
}

func (v *verifying[T]) OnNext(item T) {
	v.run.receive(signal[T]{kind: reactor.KindNext, value: item})
}

func (v *verifying[T]) OnError(err error) {
	if err == nil {
		v.run.mu.Lock()
		v.run.fail("onError(nil) came (§2.13)", nil)
		v.run.mu.Unlock()
	}
	v.run.receive(signal[T]{kind: reactor.KindError, err: reactor.NonNil(err)})
}

func (v *verifying[T]) OnComplete() { v.run.receive(signal[T]{kind: reactor.KindComplete}) }

// watch returns ctx with hooks that keep the books of a.
func (a *Aftermath) watch(ctx context.Context) context.Context {
	outer := reactor.HasHooks(ctx)
	return reactor.WithHooks(ctx, reactor.Hooks{
		NextDropped: func(_ context.Context, v any) {
			a.note(&a.dropped, v)
			if outer {
				reactor.DropNext(ctx, v)
			}
		},
		ErrorDropped: func(_ context.Context, err error) {
			a.noteError(&a.droppedErrors, err)
			if outer {
				reactor.DropError(ctx, err)
			}
		},
		Discard: func(_ context.Context, v any) {
			a.note(&a.discarded, v)
			reactor.Discard(ctx, v)
		},
		OperatorError: func(_ context.Context, err error, v any) error {
			a.noteError(&a.operatorErrors, err)
			return reactor.OperatorError(ctx, err, v)
		},
	})
}
