package tck

import (
	"context"
	"fmt"
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
		func() {
			defer func() { _ = recover() }() // of something broken; the check has said so
			fn()
		}()
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
	if !e.within(l, e.timeout) {
		e.lawful()
		e.fail("%s, but not within %v", fmt.Sprintf(format, args...), e.timeout)
	}
}

// within reports whether l opens within d.
func (e *env) within(l *latch, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-l.ch:
		return true
	case <-timer.C:
		return l.isOpen()
	}
}

// prompt calls fn on another goroutine and ends the check unless it returns, without
// a panic, in time.
func (e *env) prompt(what string, fn func()) {
	over := newLatch()
	go func() {
		defer over.open()
		e.calm(what, fn)
	}()
	e.await(over, "%s was to return", what)
	e.lawful()
}

// calm calls fn; that it panics or ends its goroutine is a failure.
func (e *env) calm(what string, fn func()) {
	clean := false
	defer func() {
		if !clean {
			e.flop("%s did not return normally: %v", what, recover())
		}
	}()
	fn()
	clean = true
}

// panics calls fn and reports whether it panicked.
func panics(fn func()) (did bool) {
	defer func() { did = recover() != nil }()
	fn()
	return false
}
