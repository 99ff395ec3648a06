package tck

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// env is what a check runs in.
type env struct {
	config
	ctx    context.Context // lives as long as the check
	cancel context.CancelFunc

	mu     sync.Mutex
	errors []string // what went wrong on whatever goroutine; guarded by mu
	within []string // calls of what is under test that go on; guarded by mu
	log    []string // signals; guarded by mu
	undo   []func() // at the end; guarded by mu
	logged int      // signals in all; guarded by mu
}

func newEnv(c config) *env {
	e := &env{config: c}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	return e
}

// end stops what the check has left running.
func (e *env) end() {
	e.mu.Lock()
	undo := e.undo
	e.mu.Unlock()
	for _, fn := range undo {
		over := newLatch()
		go func() {
			defer over.open()
			defer func() { _ = recover() }() // of something broken; the check has said so
			fn()
		}()
		e.opens(over, e.timeout)
	}
	e.cancel()
}

// atEnd calls fn when the check has ended.
func (e *env) atEnd(fn func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.undo = append(e.undo, fn)
}

// fail ends the check as failed. Only the goroutine of the check may call it.
func (e *env) fail(format string, args ...any) { panic(fatal(fmt.Sprintf(format, args...))) }

// skip ends the check as not applicable.
func (e *env) skip(format string, args ...any) { panic(skipped(fmt.Sprintf(format, args...))) }

// flop records a failure, from any goroutine.
func (e *env) flop(format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.errors = append(e.errors, fmt.Sprintf(format, args...))
}

func (e *env) flops() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.errors
}

// lawful ends the check if something went wrong on another goroutine.
func (e *env) lawful() {
	if len(e.flops()) > 0 {
		panic(fatal(""))
	}
}

const mostLogged = 30

// note adds to the story of the check.
func (e *env) note(format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.logged++; len(e.log) < mostLogged {
		e.log = append(e.log, fmt.Sprintf(format, args...))
	}
}

func (e *env) story() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.log) == 0 {
		return "\nThere were no signals."
	}
	out := "\nWhat happened:"
	for _, line := range e.log {
		out += "\n    " + line
	}
	if e.logged > len(e.log) {
		out += fmt.Sprintf("\n    … and %d more", e.logged-len(e.log))
	}
	return out
}

// rest lets d pass.
func (e *env) rest(d time.Duration) { time.Sleep(d) }

// settle waits as long as a signal that must not come is waited for.
func (e *env) settle() { e.rest(e.quiet) }

// latch is something that happens once.
type latch struct {
	once sync.Once
	ch   chan struct{}
}

func newLatch() *latch { return &latch{ch: make(chan struct{})} }

func (l *latch) open() { l.once.Do(func() { close(l.ch) }) }

func (l *latch) isOpen() bool {
	select {
	case <-l.ch:
		return true
	default:
		return false
	}
}

// await ends the check unless l opens in time.
func (e *env) await(l *latch, format string, args ...any) {
	if !e.opens(l, e.timeout) {
		e.lawful()
		e.fail("%s, but not within %v", fmt.Sprintf(format, args...), e.timeout)
	}
}

// opens reports whether l opens within d.
func (e *env) opens(l *latch, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-l.ch:
		return true
	case <-timer.C:
		return l.isOpen()
	}
}

// apart calls fn, which is code under test, on a goroutine of its own: it may panic, end that, or never
// return. The latch opens if it does.
func (e *env) apart(what string, fn func()) *latch {
	over := newLatch()
	go func() {
		defer over.open()
		e.calm(what, fn)
	}()
	return over
}

// prompt calls fn and ends the check unless it returns, without a panic, in time.
func (e *env) prompt(what string, fn func()) {
	e.await(e.apart(what, fn), "%s was to return", what)
	e.lawful()
}

// patient is how many times as long as for a signal the check waits for a call that may do a lot.
const patient = 4

// call calls fn and ends the check unless it returns. That it panics is recorded.
func (e *env) call(what string, fn func()) {
	limit := patient * e.timeout
	if e.opens(e.apart(what, fn), limit) {
		return
	}
	where := ""
	e.mu.Lock()
	if inner := slices.DeleteFunc(slices.Clone(e.within), func(s string) bool { return s == what }); len(inner) > 0 {
		where = ": it is in " + strings.Join(inner, ", and there in ")
	}
	e.mu.Unlock()
	e.lawful()
	e.fail("%s was to return, but has not within %v%s", what, limit, where)
}

// calm calls fn; that it panics or ends its goroutine is a failure.
func (e *env) calm(what string, fn func()) {
	e.mu.Lock()
	e.within = append(e.within, what)
	e.mu.Unlock()
	clean := false
	defer func() {
		e.mu.Lock()
		if i := slices.Index(e.within, what); i >= 0 {
			e.within = slices.Delete(e.within, i, i+1)
		}
		e.mu.Unlock()
		if clean {
			return
		}
		if r := recover(); r != nil {
			e.flop("%s panicked: %v", what, r)
		} else {
			e.flop("%s has ended its goroutine", what)
		}
	}()
	fn()
	clean = true
}

// panics calls fn and reports whether it panicked.
func (e *env) panics(what string, fn func()) (did bool) {
	e.call(what, func() {
		defer func() { did = recover() != nil }()
		fn()
	})
	return did
}
