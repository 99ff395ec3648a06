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

// unreported are the stages that report nothing of the one or the other: of elements for which their function says no, which
// are used up, and of errors that the stage is there to handle, or that, as in Reactor, would still wait for their time.
var unreported = map[string]string{
	"allMatch": "elements", "anyMatch": "elements", "bufferWhile": "elements",
	"onErrorComplete": "errors", "delaySequence": "errors",
}

// TestWhatComesLateIsReported has the source of every stage send one more element and one more error when it was cancelled. Nobody gets
// them, and each is reported, once.
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
			late, silent := 0, 0
			for name, end := range ends {
				for _, sent := range []int{0, 1, 3} {
					for _, demand := range []int64{1, reactor.Unbounded} {
						t.Run(fmt.Sprintf("%s after %d elements, %d requested", name, sent, demand), func(t *testing.T) {
							synctest.Test(t, func(t *testing.T) {
								n, unheard := comesLate(t, stage, end, sent, demand)
								late += n
								silent += unheard
							})
						})
					}
				}
			}
			assert.True(t, late > 0 || stage.Hot, "the source was never cancelled")
			if unreported[stage.Name] != "" {
				assert.NotZero(t, silent, "it need not be said any more")
			}
		})
	}
}

// comesLate returns how many subscriptions had something to send behind their cancellation, and of how many of these not all was reported.
func comesLate(
	t *testing.T, stage roster.Stage[int], end func(context.CancelFunc, *watcher), sent int, demand int64,
) (late, silent int) {
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
	excused := unreported[stage.Name]
	for i := range late {
		elements, errors := r.elements[first+i], r.errors[lateError(i)]
		if excused == "elements" && elements == 0 || excused == "errors" && errors == 0 {
			silent++
		}
		if excused != "elements" {
			assert.Equal(t, 1, elements, "an element to subscription %d", i)
		}
		if excused != "errors" {
			assert.Equal(t, 1, errors, "an error to subscription %d", i)
		}
	}
	return late, silent
}
