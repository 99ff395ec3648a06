package sinks_test

// Who subscribes in a random program (programs_test.go), and what they do with elements. Something new to do goes into habits and each.

import (
	"math/rand/v2"
	"runtime"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/programs"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// habits are what a subscriber does. What is there twice is twice as likely.
var habits = []string{
	"nothing", "nothing", "nothing", "asks", "cancels", "panics", "goexits", "emits", "emits", "yields", "cancels at once", "goexits at once", "goexits at the end",
}

// subscribe lets a subscriber come. A patient one takes all there is.
func (p *program) subscribe(r *rand.Rand, patient bool) {
	s := &subscriber{p: p, does: programs.Pick(r, habits...), when: 1 + r.IntN(6), at: p.Now()}
	s.initial = programs.Pick(r, 0, 1, 3, probe.All, probe.All)
	if patient {
		s.does, s.initial = "nothing", probe.All
	}
	s.Probe = &probe.Probe[int]{Initial: s.initial, Each: s.each}
	s.r = rand.New(rand.NewPCG(r.Uint64(), 1))
	p.subs.Enter(s, func(n int) { s.id, s.begun = n, p.tick() })
	racetest.Aside(func() { p.sink.Subscribe(p.ctx, s) })
	p.mu.Lock()
	defer p.mu.Unlock()
	s.over = p.tick()
}

// some returns a subscriber that has its subscription, or nil.
func (p *program) some(r *rand.Rand) *subscriber {
	s := p.subs.Some(r)
	p.mu.Lock()
	defer p.mu.Unlock()
	if s == nil || s.over == 0 {
		return nil
	}
	return s
}

func (s *subscriber) OnSubscribe(up reactor.Subscription) {
	s.Probe.OnSubscribe(up)
	switch s.does {
	case "cancels at once":
		s.cancel()
	case "goexits at once": // nobody has cancelled for it
		runtime.Goexit()
	}
}

// each is what it does with an element.
func (s *subscriber) each(int) {
	s.seen++
	if s.does == "asks" {
		s.Request(1)
	}
	if s.seen != s.when {
		return
	}
	switch s.does {
	case "cancels":
		s.cancel()
	case "emits":
		if s.p.inner.Add(-1) >= 0 {
			before := s.failed.Swap(true) // unless it returns: another subscriber may end the goroutine
			s.p.emit(s.r, nil)
			s.failed.Store(before)
		}
	case "panics", "goexits":
		s.failed.Store(true)
	}
	programs.Act(s.does, 0)
}

func (s *subscriber) OnComplete() {
	s.Probe.OnComplete()
	s.end()
}

func (s *subscriber) OnError(err error) {
	s.Probe.OnError(err)
	s.end()
}

// end is what it does with an end.
func (s *subscriber) end() {
	if s.does == "goexits at the end" {
		runtime.Goexit()
	}
}

func (s *subscriber) cancel() {
	s.cancelled.CompareAndSwap(0, s.p.tick())
	s.Cancel()
}

// stays reports whether it has neither left nor failed.
func (s *subscriber) stays() bool { return s.cancelled.Load() == 0 && !s.failed.Load() }
