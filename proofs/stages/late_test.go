package stages

import (
	"context"
	"fmt"
	std "strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/proofs/roster"
	"github.com/goreactor/reactor/reactortest"
)

// talkative is a source of this module, which no edge holds to the rules, that still sends what was on its way when it was cancelled.
type talkative[T any] struct {
	protocol.Op
	mu   sync.Mutex
	subs []*talk[T] // guarded by mu
}

type talk[T any] struct {
	down      reactor.Subscriber[T]
	requested atomic.Int64
	cancelled atomic.Bool
	sent      int64 // by the test, as is ended
	ended     bool
}

func (p *talkative[T]) Subscribe(_ context.Context, s reactor.Subscriber[T]) {
	sub := &talk[T]{down: s}
	p.mu.Lock()
	p.subs = append(p.subs, sub)
	p.mu.Unlock()
	s.OnSubscribe(sub)
}

func (s *talk[T]) Request(n int64) { demand.Add(&s.requested, n) }
func (s *talk[T]) Cancel()         { s.cancelled.Store(true) }

// each calls fn with the subscriptions that there are, also those that begin meanwhile.
func (p *talkative[T]) each(fn func(*talk[T])) {
	for i := 0; ; i++ {
		p.mu.Lock()
		if i == len(p.subs) {
			p.mu.Unlock()
			return
		}
		s := p.subs[i]
		p.mu.Unlock()
		fn(s)
	}
}

// reports counts what nobody got.
type reports struct {
	mu       sync.Mutex
	elements map[int]int // guarded by mu, as is errors
	errors   map[error]int
}

func (r *reports) hooks() reactor.Hooks {
	element := func(_ context.Context, v any) {
		r.mu.Lock()
		defer r.mu.Unlock()
		switch v := v.(type) {
		case int:
			r.elements[v]++
		case reactor.Signal[int]:
			if n, ok := v.Value(); ok {
				r.elements[n]++
			}
			for _, late := range errorsIn(v.Err()) {
				r.errors[late]++
			}
		}
	}
	return reactor.Hooks{Discard: element, NextDropped: element, ErrorDropped: func(_ context.Context, err error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, late := range errorsIn(err) {
			r.errors[late]++
		}
	}}
}

// lateError is an error that comes late.
type lateError int

func (e lateError) Error() string { return fmt.Sprint("late ", int(e)) }

// errorsIn returns the late errors that err consists of.
func errorsIn(err error) (list []error) {
	switch e := err.(type) {
	case lateError:
		return []error{e}
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			list = append(list, errorsIn(part)...)
		}
	case interface{ Unwrap() error }:
		return errorsIn(e.Unwrap())
	}
	return list
}

// takes says what has done its duty when a stage has it: it tells nobody.
var takes = map[string]string{
	"allMatch": "elements", "anyMatch": "elements", "bufferWhile": "elements", // for which the function says no
	"onErrorComplete": "errors",
	"delaySequence":   "errors", // as in Reactor: they go with the time that they wait for
}

// TestWhatComesLateIsReported has the source of every stage send one more element and one more error when it was cancelled. Nobody gets
// them, and each is reported, once, unless that is what the stage is for: to take elements, or failures.
func TestWhatComesLateIsReported(t *testing.T) {
	ends := map[string]func(context.CancelFunc, *watcher){
		"a cancellation":       func(_ context.CancelFunc, down *watcher) { down.cancel() },
		"the end of a context": func(end context.CancelFunc, _ *watcher) { end() },
	}
	for _, stage := range roster.Stages[int]() {
		if std.HasPrefix(stage.Name, "sink") {
			continue // what a program emits after the end of a subscriber is for others, or for the program to look at
		}
		t.Run(stage.Name, func(t *testing.T) {
			for name, end := range ends {
				for _, sent := range []int{0, 1, 3} {
					for _, demand := range []int64{1, reactor.Unbounded} {
						t.Run(fmt.Sprintf("%s after %d elements, %d requested", name, sent, demand), func(t *testing.T) {
							synctest.Test(t, func(t *testing.T) { comesLate(t, stage, end, sent, demand) })
						})
					}
				}
			}
		})
	}
}

func comesLate(t *testing.T, stage roster.Stage[int], end func(context.CancelFunc, *watcher), sent int, demand int64) {
	clock := reactortest.NewVirtualTime()
	src, down := &talkative[int]{}, &watcher{demand: demand}
	r := &reports{elements: map[int]int{}, errors: map[error]int{}}
	ctx, cancel := context.WithCancel(reactor.WithHooks(context.Background(), r.hooks()))
	stage.Build(clock, src).Subscribe(ctx, foreign{down}) // an edge
	pass := func() { clock.AdvanceBy(time.Millisecond); synctest.Wait() }
	pass()
	for n := range sent {
		src.each(func(s *talk[int]) {
			if !s.ended && !s.cancelled.Load() && s.sent < s.requested.Load() {
				s.sent++
				s.down.OnNext(n)
				if stage.Single {
					s.ended = true
					s.down.OnComplete()
				}
			}
		})
		pass()
	}
	end(cancel, down)
	pass()
	const first = 1000
	late := 0
	src.each(func(s *talk[int]) {
		if !s.ended && s.cancelled.Load() {
			s.down.OnNext(first + late)
			pass()
			s.down.OnError(lateError(late))
			pass()
			late++
		}
	})
	down.cancel()
	clock.AdvanceBy(time.Hour)
	synctest.Wait()
	_, _, _, err := down.state()
	assert.Empty(t, errorsIn(err), "downstream has got it")
	taken := takes[stage.Name]
	for i := range late {
		if taken != "elements" {
			assert.Equal(t, 1, r.elements[first+i], "an element to subscription %d", i)
		}
		if taken != "errors" {
			assert.Equal(t, 1, r.errors[lateError(i)], "an error to subscription %d", i)
		}
	}
}
