package sinks

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

type element = *ledger.Element

// holding are the sinks that keep no element once a subscriber has got it.
func holding() map[string]func() *ManySink[element] {
	return map[string]func() *ManySink[element]{
		"unicast buffer":   func() *ManySink[element] { return Many().Unicast().OnBackpressureBuffer[element]() },
		"unicast error":    func() *ManySink[element] { return Many().Unicast().OnBackpressureError[element]() },
		"multicast buffer": func() *ManySink[element] { return Many().Multicast().OnBackpressureBuffer[element](Capacity(2)) },
		"all or nothing":   func() *ManySink[element] { return Many().Multicast().DirectAllOrNothing[element]() },
		"best effort":      func() *ManySink[element] { return Many().Multicast().DirectBestEffort[element]() },
	}
}

// Every pair of what one subscriber and one emitter do: each element is delivered, refused or
// discarded, once.
func TestPairsOfOneSubscriber(t *testing.T) {
	type scene struct {
		l   *ledger.Ledger
		ctx context.Context
		s   *ManySink[element]
		p   *probe.Probe[element]
	}
	emit := func(s *scene) {
		for range 3 {
			if e := s.l.Produce(); s.s.TryEmitNext(e) != OK {
				s.l.Discarded(e)
			}
		}
	}
	emitter := map[string]func(*scene){
		"emit":     emit,
		"complete": func(s *scene) { emit(s); s.s.TryEmitComplete() },
		"error":    func(s *scene) { emit(s); s.s.TryEmitError(errBoom) },
	}
	type move struct {
		late bool // the subscriber comes only now
		run  func(*scene)
	}
	others := map[string]move{
		"request":          {false, func(s *scene) { s.p.Request(1); s.p.Request(2) }},
		"cancel":           {false, func(s *scene) { s.p.Cancel() }},
		"subscribe":        {true, func(s *scene) { s.s.Subscribe(s.ctx, s.p) }},
		"subscribe-cancel": {true, func(s *scene) { s.s.Subscribe(s.ctx, s.p); s.p.Cancel() }},
	}
	for kind, newSink := range holding() {
		for a, first := range emitter {
			for b, second := range others {
				t.Run(kind+" "+a+"-"+b, func(t *testing.T) {
					for round := range racetest.Iterations(40) {
						l := ledger.New(t)
						// What waits before anybody has come is the process's.
						remove := reactor.SetHooks("ledger", l.Hooks())
						p := &probe.Probe[element]{Initial: int64(round % 3), Each: func(e element) { l.Delivered(e) }}
						quiet := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}})
						s := &scene{l: l, ctx: l.Context(quiet), s: newSink(), p: p}
						if !second.late {
							s.s.Subscribe(s.ctx, p)
						}
						if round%2 == 0 {
							emit(s)
						}
						racetest.Race(func() { first(s) }, func() { second.run(s) })
						p.Cancel()
						remove()
						l.Check()
						p.Faultless(t)
						if t.Failed() {
							return
						}
					}
				})
			}
		}
	}
}

// One who has asked leaves as an element comes, beside one who has not asked: the element is delivered,
// refused or discarded.
func TestLeavingBesideOneWithoutDemand(t *testing.T) {
	racetest.Repeat(racetest.Iterations(2000), func(race func(...func())) {
		if t.Failed() {
			return
		}
		l := ledger.New(t)
		ctx := l.Context(context.Background())
		s := Many().Multicast().DirectBestEffort[element]()
		p := &probe.Probe[element]{Initial: 1, Each: func(e element) { l.Delivered(e) }}
		s.Subscribe(ctx, p)
		probe.ListenIn[element](ctx, s, 0)
		race(func() {
			if e := l.Produce(); s.TryEmitNext(e) != OK {
				l.Discarded(e)
			}
		}, p.Cancel)
		l.Check()
	})
}

// Emitters that try again get everything through, in the order of each.
func TestEmittersThatContend(t *testing.T) {
	const n = 20
	for kind, s := range map[string]func() *ManySink[int]{
		"unicast buffer":   func() *ManySink[int] { return Many().Unicast().OnBackpressureBuffer[int]() },
		"unicast error":    func() *ManySink[int] { return Many().Unicast().OnBackpressureError[int]() },
		"multicast buffer": func() *ManySink[int] { return Many().Multicast().OnBackpressureBuffer[int]() },
		"all or nothing":   func() *ManySink[int] { return Many().Multicast().DirectAllOrNothing[int]() },
		"best effort":      func() *ManySink[int] { return Many().Multicast().DirectBestEffort[int]() },
		"replay":           func() *ManySink[int] { return Many().Replay().All[int]() },
	} {
		t.Run(kind, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(50), func(race func(...func())) {
				if t.Failed() {
					return
				}
				s := s()
				p := probe.Listen[int](s, all)
				emitter := func(base int) func() {
					return func() {
						for v := range n {
							assert.NoError(t, s.EmitNext(base+v, BusyLooping(time.Minute)))
						}
					}
				}
				race(emitter(0), emitter(100))
				assert.NoError(t, s.EmitComplete(nil))
				p.Faultless(t)
				got := p.Got()
				assert.Len(t, got, 2*n)
				low := slices.DeleteFunc(slices.Clone(got), func(v int) bool { return v >= 100 })
				high := slices.DeleteFunc(slices.Clone(got), func(v int) bool { return v < 100 })
				assert.True(t, slices.IsSorted(low) && slices.IsSorted(high))
			})
		})
	}
}

// Subscribers come and go while elements are emitted: each sees a stretch in order, and who
// stays sees the end.
func TestSubscribersThatComeAndGo(t *testing.T) {
	const n = 12
	for kind, newSink := range map[string]func() *ManySink[int]{
		"multicast buffer": func() *ManySink[int] { return Many().Multicast().OnBackpressureBuffer[int](AutoCancel(false)) },
		"auto-cancelled":   func() *ManySink[int] { return Many().Multicast().OnBackpressureBuffer[int]() },
		"all or nothing":   func() *ManySink[int] { return Many().Multicast().DirectAllOrNothing[int]() },
		"best effort":      func() *ManySink[int] { return Many().Multicast().DirectBestEffort[int]() },
		"replay all":       func() *ManySink[int] { return Many().Replay().All[int]() },
		"replay latest":    func() *ManySink[int] { return Many().Replay().Latest[int]() },
	} {
		t.Run(kind, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(80), func(race func(...func())) {
				if t.Failed() {
					return
				}
				s := newSink()
				stays, leaves, comes := probe.Listen[int](s, all), probe.Listen[int](s, all), &probe.Probe[int]{Initial: all}
				race(
					func() {
						for v := range n {
							assert.Equal(t, OK, s.TryEmitNext(v))
						}
						assert.Equal(t, OK, s.TryEmitComplete())
					},
					leaves.Cancel,
					func() { s.Subscribe(context.Background(), comes) },
				)
				assert.Len(t, stays.Got(), n)
				assert.True(t, stays.Over() && comes.Over())
				assert.Zero(t, s.CurrentSubscriberCount())
				for _, p := range []*probe.Probe[int]{stays, leaves, comes} {
					p.Faultless(t)
					for i, v := range p.Got() {
						assert.Equal(t, p.Got()[0]+i, v, "no hole")
					}
				}
				if kind == "replay all" {
					assert.Len(t, comes.Got(), n)
				}
			})
		})
	}
}

// The last one leaves an auto-cancelled sink while another one comes: that one hears the end,
// or stays.
func TestAutoCancelRaces(t *testing.T) {
	racetest.Repeat(racetest.Iterations(300), func(race func(...func())) {
		if t.Failed() {
			return
		}
		s := Many().Multicast().OnBackpressureBuffer[int]()
		s.TryEmitNext(0)
		a, b := probe.Listen[int](s, 1), &probe.Probe[int]{Initial: all}
		race(a.Cancel, func() { s.Subscribe(context.Background(), b) }, func() { s.TryEmitNext(1) })
		s.TryEmitNext(2)
		s.TryEmitComplete()
		a.Faultless(t)
		b.Faultless(t)
		assert.True(t, b.Over())
		if got := b.Got(); len(got) > 0 {
			assert.Equal(t, 2, got[len(got)-1], "one who is there gets all")
		}
	})
}

func TestOneRaces(t *testing.T) {
	racetest.Repeat(racetest.Iterations(300), func(race func(...func())) {
		if t.Failed() {
			return
		}
		s := Unsafe().One[int]()
		a, b, c := probe.Listen[int](s, 1), probe.Listen[int](s, 0), &probe.Probe[int]{Initial: 1}
		var first, second EmitResult
		race(
			func() { first = s.TryEmitValue(1) },
			func() { second = s.TryEmitEmpty() },
			func() { s.Subscribe(context.Background(), c) },
			func() { b.Request(1); b.Cancel() },
		)
		assert.ElementsMatch(t, []EmitResult{OK, FailTerminated}, []EmitResult{first, second})
		want := []int{1}
		if second == OK {
			want = nil
		}
		a.Done(t, want...)
		c.Done(t, want...)
		b.Faultless(t)
	})
}

// A subscriber that cancels while it is being added is not kept.
func TestOneCancelledWhileAdded(t *testing.T) {
	racetest.Repeat(racetest.Iterations(2000), func(race func(...func())) {
		if t.Failed() {
			return
		}
		s := Unsafe().One[int]()
		up := make(chan reactor.Subscription, 1)
		p := &probe.Probe[int]{Subscribed: func(s reactor.Subscription) { up <- s }}
		race(
			func() { s.Subscribe(context.Background(), p) },
			func() { (<-up).Cancel() },
		)
		assert.Zero(t, s.CurrentSubscriberCount())
	})
}
