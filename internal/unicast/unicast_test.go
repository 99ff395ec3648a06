package unicast

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

var errBoom = errors.New("boom")

func unbounded() *Publisher[int] {
	return New("test", context.Background(), queue.NewLinked[int](8), nil)
}

func TestWhatComesBeforeTheSubscriberWaits(t *testing.T) {
	p := unbounded()
	assert.Zero(t, p.Subscribers())
	assert.Equal(t, OK, p.Next(1))
	assert.Equal(t, OK, p.Next(2))
	s := &probe.Probe[int]{Whole: true, Initial: 1}
	p.Subscribe(t.Context(), s)
	assert.Equal(t, 1, p.Subscribers())
	s.Check(t, nil, false, 1)
	p.Next(3)
	s.Request(5)
	p.Next(4)
	assert.Equal(t, OK, p.Complete())
	s.Check(t, nil, true, 1, 2, 3, 4)
	assert.Equal(t, Terminated, p.Next(5))
	assert.Equal(t, Terminated, p.Error(errBoom))
	assert.True(t, p.IsTerminated())
	assert.Zero(t, p.Subscribers())
}

func TestTheEndWaitsForTheElements(t *testing.T) {
	p := unbounded()
	s := &probe.Probe[int]{Whole: true}
	p.Subscribe(t.Context(), s)
	p.Next(1)
	p.Error(errBoom)
	s.Check(t, nil, false)
	assert.Equal(t, 1, p.Subscribers())
	s.Request(1)
	s.Check(t, errBoom, false, 1)

	p = unbounded()
	p.Complete()
	s = &probe.Probe[int]{Whole: true}
	p.Subscribe(t.Context(), s)
	s.Check(t, nil, true)
}

// fullQueue calls a function when it refuses an element.
type fullQueue struct {
	queue.Queue[int]
	refused func()
}

func (q *fullQueue) Offer(v int) bool {
	ok := q.Queue.Offer(v)
	if !ok {
		q.refused()
	}
	return ok
}

// There was no room for an element, and then its subscriber asks for what waits, and ends the stream from within: the room that
// leaves is of no use to the element.
func TestNothingIsAcceptedBehindAnEndFromWithin(t *testing.T) {
	q := &fullQueue{Queue: queue.NewRing[int](1)}
	ctx, hooks := probe.Recorded()
	p := New("test", ctx, q, nil)
	s := &probe.Probe[int]{Each: func(int) { assert.Equal(t, OK, p.Complete()) }}
	p.Subscribe(ctx, s)
	q.refused = func() { s.Request(probe.All) }
	assert.Equal(t, OK, p.Next(1))
	assert.Equal(t, Terminated, p.Next(2))
	s.Done(t, 1)
	assert.Empty(t, hooks.Discarded)
}

func TestOneSubscriber(t *testing.T) {
	p := unbounded()
	first, second := &probe.Probe[int]{Whole: true, Initial: 9}, &probe.Probe[int]{Whole: true, Initial: 9}
	p.Subscribe(t.Context(), first)
	p.Subscribe(t.Context(), second)
	p.Next(1)
	first.Check(t, nil, false, 1)
	second.Check(t, reactor.ErrIllegalState, false)
}

func TestCancelDiscardsWhatWaits(t *testing.T) {
	ctx, r := probe.Recorded()
	o := &owner{}
	p := New("test", context.Background(), queue.NewLinked[int](8), o)
	p.Next(1)
	p.Next(2)
	s := &probe.Probe[int]{Whole: true, Initial: 1}
	p.Subscribe(ctx, s)
	s.Up.Cancel()
	s.Up.Cancel()
	assert.Equal(t, Cancelled, p.Next(3))
	p.Send(4)
	assert.Equal(t, Cancelled, p.Complete())
	s.Check(t, nil, false, 1)
	assert.Equal(t, []any{2, 4}, r.Discarded)
	assert.Equal(t, []bool{true}, o.released)
	assert.EqualValues(t, 1, o.delivered.Load())
	assert.EqualValues(t, 1, o.lost.Load())
	assert.True(t, p.IsCancelled())
	assert.Zero(t, p.Subscribers())
}

func TestCancelInOnSubscribe(t *testing.T) {
	ctx, r := probe.Recorded()
	p := unbounded()
	p.Next(1)
	s := &probe.Probe[int]{Whole: true, Subscribed: reactor.Subscription.Cancel}
	p.Subscribe(ctx, s)
	s.Check(t, nil, false)
	assert.Equal(t, []any{1}, r.Discarded)
}

func TestAbandon(t *testing.T) {
	ctx, r := probe.Recorded()
	p := New("test", ctx, queue.NewLinked[int](8), nil)
	p.Next(1)
	assert.True(t, p.Abandon())
	assert.False(t, p.Abandon())
	assert.Equal(t, []any{1}, r.Discarded)
	s := &probe.Probe[int]{Whole: true, Initial: 1}
	p.Subscribe(context.Background(), s)
	s.Check(t, reactor.ErrCancelled, false)

	p = unbounded()
	s = &probe.Probe[int]{Whole: true, Initial: 1}
	p.Subscribe(context.Background(), s)
	assert.False(t, p.Abandon())
	p.Next(1)
	s.Check(t, nil, false, 1)
}

func TestStop(t *testing.T) {
	ctx, r := probe.Recorded()
	o := &owner{}
	p := New("test", ctx, queue.NewLinked[int](8), o)
	assert.False(t, p.IsUnread() || p.IsHeldBack())
	p.Next(1)
	assert.True(t, p.IsUnread())
	p.Next(2)
	s := &probe.Probe[int]{Whole: true, Initial: 1}
	p.Subscribe(ctx, s)
	assert.True(t, p.IsHeldBack())
	assert.False(t, p.IsUnread())
	p.Stop(errBoom)
	p.Stop(errors.New("later"))
	s.Check(t, errBoom, false, 1)
	assert.False(t, p.IsHeldBack())
	assert.Equal(t, Cancelled, p.Next(3))
	assert.Equal(t, Cancelled, p.Complete())
	assert.Equal(t, []any{2}, r.Discarded)
	assert.Equal(t, []bool{true}, o.released)
	assert.EqualValues(t, 1, o.lost.Load())
	s.Request(1)

	// Before there is a subscriber, and while it comes.
	p = New("test", ctx, queue.NewLinked[int](8), nil)
	p.Next(3)
	p.Stop(errBoom)
	assert.Equal(t, []any{2, 3}, r.Discarded)
	s = &probe.Probe[int]{Whole: true, Initial: 1}
	p.Subscribe(ctx, s)
	s.Check(t, errBoom, false)
	p = New("test", ctx, queue.NewLinked[int](8), nil)
	s = &probe.Probe[int]{Whole: true, Initial: 1}
	p.Subscribe(ctx, &stopping{Probe: s, stop: func() { p.Stop(errBoom) }})
	s.Check(t, errBoom, false)

	// Whoever has left, or has been told of an end, hears nothing.
	p = unbounded()
	s = &probe.Probe[int]{Whole: true, Initial: 1}
	p.Subscribe(ctx, s)
	s.Up.Cancel()
	p.Stop(errBoom)
	s.Request(1)
	s.Check(t, nil, false)
	p = unbounded()
	p.Complete()
	s = &probe.Probe[int]{Whole: true, Initial: 1}
	p.Subscribe(ctx, s)
	p.Stop(errBoom)
	s.Check(t, nil, true)
}

// stopping has its publisher stopped while it gets its subscription.
type stopping struct {
	*probe.Probe[int]
	stop func()
}

func (s *stopping) OnSubscribe(up reactor.Subscription) {
	s.stop()
	s.Probe.OnSubscribe(up)
}

func TestBounded(t *testing.T) {
	ctx, r := probe.Recorded()
	p := New("test", ctx, queue.NewRing[int](1), nil)
	assert.Equal(t, OK, p.Next(1))
	assert.Equal(t, NoSubscriber, p.Next(2))
	s := &probe.Probe[int]{Whole: true}
	p.Subscribe(ctx, s)
	assert.Equal(t, Overflow, p.Next(2))
	p.Send(2)
	p.Send(3)
	s.Request(1)
	s.Check(t, reactor.ErrOverflow, false, 1)
	assert.Equal(t, []any{2}, r.Discarded)
	assert.Equal(t, []any{3}, r.Dropped)
}

func TestOwnerIsTold(t *testing.T) {
	o := &owner{}
	p := New("test", context.Background(), queue.NewLinked[int](8), o)
	p.Next(1)
	p.Next(2)
	s := &probe.Probe[int]{Whole: true, Initial: 3}
	p.Subscribe(t.Context(), s)
	assert.EqualValues(t, 2, o.delivered.Load())
	p.Next(3)
	p.Next(4)
	assert.EqualValues(t, 3, o.delivered.Load())
	p.Complete()
	assert.Equal(t, []bool{false}, o.released)
	s.Request(1)
	assert.EqualValues(t, 4, o.delivered.Load())
	s.Up.Cancel()
	assert.Equal(t, []bool{false}, o.released)
	s.Check(t, nil, true, 1, 2, 3, 4)
}

// A producer that calls Pass accounts for what goes straight down by itself, and for nothing else.
func TestPass(t *testing.T) {
	for name, c := range map[string]struct {
		during func(*Publisher[int], *probe.Probe[int])
		passed bool
		lost   int64
		after  Result
	}{
		"nothing": {func(*Publisher[int], *probe.Probe[int]) {}, true, 0, OK},
		"Cancel":  {func(_ *Publisher[int], s *probe.Probe[int]) { s.Up.Cancel() }, true, 0, Cancelled},
		"a panic": {func(*Publisher[int], *probe.Probe[int]) { panic(errBoom) }, false, 1, Cancelled},
	} {
		t.Run(name, func(t *testing.T) {
			o := &owner{}
			p := New("test", context.Background(), queue.NewLinked[int](8), o)
			s := &probe.Probe[int]{Whole: true, Initial: reactor.Unbounded}
			s.Each = func(v int) {
				if v == 2 {
					c.during(p, s)
				}
			}
			passed, r := p.Pass(1) // has to wait for the subscriber
			assert.False(t, passed)
			assert.Equal(t, OK, r)
			p.Subscribe(t.Context(), s)
			assert.EqualValues(t, 1, o.delivered.Load())

			passed, r = p.Pass(2)
			assert.Equal(t, c.passed, passed)
			assert.Equal(t, OK, r)
			assert.EqualValues(t, 1, o.delivered.Load())
			assert.Equal(t, c.lost, o.lost.Load())

			passed, r = p.Pass(3)
			assert.Equal(t, c.after == OK, passed)
			assert.Equal(t, c.after, r)
			assert.EqualValues(t, 1, o.delivered.Load())
			assert.Equal(t, c.lost, o.lost.Load())
			assert.Empty(t, s.Faults())
		})
	}
}

func TestSubscriberFails(t *testing.T) {
	for name, queued := range map[string]bool{"direct": false, "queued": true} {
		t.Run(name, func(t *testing.T) {
			ctx, r := probe.Recorded()
			o := &owner{}
			var refused []int
			p := New("test", context.Background(), queue.NewLinked[int](8), o)
			s := &probe.Probe[int]{Whole: true, Initial: 9, Each: func(v int) {
				if v == 2 {
					panic(errBoom)
				}
			}}
			if queued {
				for v := range 4 {
					p.Next(v)
				}
				p.Subscribe(ctx, s)
			} else {
				p.Subscribe(ctx, s)
				for v := range 4 {
					if p.IsCancelled() {
						refused = append(refused, v)
					}
					p.Send(v)
				}
			}
			s.Check(t, errBoom, false, 0, 1, 2)
			assert.ElementsMatch(t, []any{2, 3}, r.Discarded)
			assert.Equal(t, []bool{true}, o.released)
			assert.EqualValues(t, 4, o.delivered.Load()+o.lost.Load()+int64(len(refused)))
			assert.Equal(t, Cancelled, p.Next(5))
			assert.Nil(t, p.down, "§3.13")
		})
	}
}

func TestSubscriberEndsGoroutine(t *testing.T) {
	p := unbounded()
	s := &probe.Probe[int]{Whole: true, Initial: 9, Each: func(int) { runtime.Goexit() }}
	p.Subscribe(t.Context(), s)
	over := make(chan struct{})
	go func() {
		defer close(over)
		p.Next(1)
	}()
	<-over
	s.Check(t, reactor.ErrGoexit, false, 1)
	assert.Equal(t, Cancelled, p.Next(2))
}

func TestFailureDuringTheEnd(t *testing.T) {
	ctx, r := probe.Recorded()
	p := unbounded()
	p.Subscribe(ctx, &failingEnd{})
	p.Complete()
	assert.Len(t, r.Errs, 1)
}

type failingEnd struct{ probe.Probe[int] }

func (*failingEnd) OnComplete() { panic(errBoom) }

func TestReentrance(t *testing.T) {
	p := unbounded()
	s := &probe.Probe[int]{Whole: true, Initial: 1}
	s.Each = func(v int) {
		if v < 100_000 {
			p.Next(v + 1)
			s.Request(1)
		}
	}
	p.Subscribe(t.Context(), s)
	p.Next(0)
	assert.Len(t, s.Got(), 100_001)
	assert.Empty(t, s.Faults())
}

// A subscriber that has asked for all there is gets each element at once, as long as there is
// nothing else to do: what it does to the stream meanwhile comes before the next element.
func TestStraightDown(t *testing.T) {
	for name, c := range map[string]struct {
		during func(p *Publisher[int], s *probe.Probe[int]) // element 2
		items  []int
		err    error
		ended  bool
		after  Result // of an element after that
	}{
		"nothing":     {func(*Publisher[int], *probe.Probe[int]) {}, []int{1, 2, 9}, nil, false, OK},
		"an element":  {func(p *Publisher[int], _ *probe.Probe[int]) { p.Next(3); p.Next(4) }, []int{1, 2, 3, 4, 9}, nil, false, OK},
		"the end":     {func(p *Publisher[int], _ *probe.Probe[int]) { p.Next(3); p.Complete() }, []int{1, 2, 3}, nil, true, Terminated},
		"an error":    {func(p *Publisher[int], _ *probe.Probe[int]) { p.Error(errBoom) }, []int{1, 2}, errBoom, false, Terminated},
		"Cancel":      {func(p *Publisher[int], s *probe.Probe[int]) { p.Next(3); s.Up.Cancel() }, []int{1, 2}, nil, false, Cancelled},
		"Stop":        {func(p *Publisher[int], _ *probe.Probe[int]) { p.Stop(errBoom) }, []int{1, 2}, errBoom, false, Cancelled},
		"a panic":     {func(*Publisher[int], *probe.Probe[int]) { panic(errBoom) }, []int{1, 2}, errBoom, false, Cancelled},
		"more demand": {func(_ *Publisher[int], s *probe.Probe[int]) { s.Request(1) }, []int{1, 2, 9}, nil, false, OK},
	} {
		t.Run(name, func(t *testing.T) {
			p := unbounded()
			s := &probe.Probe[int]{Whole: true, Initial: reactor.Unbounded}
			s.Each = func(v int) {
				if v == 2 {
					c.during(p, s)
				}
			}
			p.Subscribe(t.Context(), s)
			assert.Equal(t, OK, p.Next(1))
			assert.Equal(t, OK, p.Next(2))
			assert.Equal(t, c.after, p.Next(9))
			s.Check(t, c.err, c.ended, c.items...)
		})
	}
	t.Run("the end from outside", func(t *testing.T) {
		p := unbounded()
		s := &probe.Probe[int]{Whole: true, Initial: reactor.Unbounded}
		p.Subscribe(t.Context(), s)
		p.Next(1)
		assert.Equal(t, OK, p.Complete())
		assert.Equal(t, Terminated, p.Next(2))
		s.Check(t, nil, true, 1)
	})
}

// emptyQueue calls a function when somebody has found it empty.
type emptyQueue struct {
	*queue.Linked[int]
	found func()
}

func (q *emptyQueue) Poll() (int, bool) {
	v, ok := q.Linked.Poll()
	if f := q.found; !ok && f != nil {
		q.found = nil
		f()
	}
	return v, ok
}

// The last element and the end come right behind the look that has found nothing.
func TestTheEndRightBehindTheLook(t *testing.T) {
	q := &emptyQueue{Linked: queue.NewLinked[int](8)}
	p := New("test", context.Background(), q, nil)
	s := &probe.Probe[int]{Whole: true, Initial: 1}
	p.Subscribe(t.Context(), s)
	q.found = func() { p.Next(1); p.Complete() }
	s.Request(5)
	s.Check(t, nil, true, 1)
}

func TestNoAllocationPerElement(t *testing.T) {
	p := unbounded()
	s := &countingProbe{}
	p.Subscribe(t.Context(), s)
	p.Next(1)
	assert.Zero(t, testing.AllocsPerRun(1000, func() { p.Next(1) }))
}

type countingProbe struct{ probe.Probe[int] }

func (p *countingProbe) OnSubscribe(up reactor.Subscription) { up.Request(reactor.Unbounded) }
func (p *countingProbe) OnNext(int)                          {}

// TestOrder lets the producer meet a subscriber that requests little by little:
// elements arrive in the order in which they were put in, and the end behind them.
func TestOrder(t *testing.T) {
	for name, end := range map[string]func(*Publisher[int]){
		"complete": func(p *Publisher[int]) { p.Complete() },
		"error":    func(p *Publisher[int]) { p.Error(errBoom) },
	} {
		t.Run(name, func(t *testing.T) {
			round := 0
			racetest.Repeat(racetest.Iterations(4000), func(race func(...func())) {
				round++
				last := 1 + round%3
				p := unbounded()
				s := &probe.Probe[int]{Whole: true}
				p.Subscribe(t.Context(), s)
				p.Next(0)
				race(func() {
					for i := 1; i <= last; i++ {
						p.Next(i)
					}
					end(p)
				}, func() {
					for range 3 {
						s.Request(2)
					}
				})
				require.Equal(t, []int{0, 1, 2, 3}[:last+1], s.Got())
				require.Empty(t, s.Faults())
				require.True(t, s.Over())
			})
		})
	}
}

// TestRaces lets the producer, the subscriber's requests and its cancellation, and
// the subscription itself run against one another.
func TestRaces(t *testing.T) {
	type scene struct {
		ctx context.Context
		l   *ledger.Ledger
		p   *Publisher[*ledger.Element]
		s   *probe.Probe[*ledger.Element]
	}
	produce := func(s *scene) {
		for range 3 {
			s.p.Send(s.l.Produce())
		}
	}
	producer := map[string]func(*scene){
		"next":     produce,
		"complete": func(s *scene) { produce(s); s.p.Complete() },
		"error":    func(s *scene) { produce(s); s.p.Error(errBoom) },
	}
	subscribe := func(s *scene) { s.p.Subscribe(s.ctx, s.s) }
	consumer := map[string][]func(*scene){ // before the race, and in it
		"subscribe": {func(*scene) {}, subscribe},
		"request":   {subscribe, func(s *scene) { s.s.Request(2) }},
		"abandon":   {func(*scene) {}, func(s *scene) { s.p.Abandon(); subscribe(s) }},
		"cancel":    {subscribe, func(s *scene) { s.s.Up.Cancel() }},
	}
	for a, first := range producer {
		for b, second := range consumer {
			t.Run(a+"-"+b, func(t *testing.T) {
				round := 0
				racetest.Repeat(racetest.Iterations(100), func(race func(...func())) {
					round++
					l := ledger.New(t)
					o := &owner{}
					s := &scene{ctx: l.Context(context.Background()), l: l}
					s.p = New("test", s.ctx, queue.NewLinked[*ledger.Element](2), o)
					s.s = &probe.Probe[*ledger.Element]{Whole: true, Initial: []int64{0, 1, 2, 3, reactor.Unbounded}[round%5], Each: func(e *ledger.Element) { l.Delivered(e) }}
					if round%2 == 0 {
						s.p.Send(l.Produce())
					}
					second[0](s)
					race(func() { first(s) }, func() { second[1](s) })
					s.s.Up.Cancel()
					l.Check()
					assert.Empty(t, s.s.Faults())
					assert.Len(t, o.released, 1)
					if a == "next" {
						c := l.Counts()
						refused := c.Produced - int(o.delivered.Load()+o.lost.Load())
						assert.LessOrEqual(t, refused, c.Discarded)
						assert.GreaterOrEqual(t, int(o.delivered.Load()+o.lost.Load()), c.Delivered)
					}
				})
			})
		}
	}
}

// An error that only the subscriber hears of meets its cancellation: it is reported, unless it was behind an element.
func TestEndOnly(t *testing.T) {
	for name, c := range map[string]struct {
		demand int64
		end    func(p *Publisher[int], s *probe.Probe[int]) // within the first element
		errs   []any
	}{
		"delivered":     {9, func(p *Publisher[int], _ *probe.Probe[int]) { p.EndOnly(errBoom) }, nil},
		"then cancel":   {9, func(p *Publisher[int], s *probe.Probe[int]) { p.EndOnly(errBoom); s.Cancel() }, []any{errBoom}},
		"others hear":   {9, func(p *Publisher[int], s *probe.Probe[int]) { p.End(errBoom); s.Cancel() }, nil},
		"completion":    {9, func(p *Publisher[int], s *probe.Probe[int]) { p.EndOnly(nil); s.Cancel() }, nil},
		"behind":        {1, func(p *Publisher[int], s *probe.Probe[int]) { p.Next(2); p.EndOnly(errBoom); s.Cancel() }, nil},
		"after another": {9, func(p *Publisher[int], s *probe.Probe[int]) { p.Complete(); p.EndOnly(errBoom); s.Cancel() }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			p := unbounded()
			s := &probe.Probe[int]{Initial: c.demand}
			s.Each = func(int) { c.end(p, s) }
			p.Subscribe(ctx, s)
			p.Next(1)
			s.Request(1)
			assert.Equal(t, c.errs, hooks.Errs)
			if name == "delivered" {
				s.Failed(t, errBoom, 1)
			} else {
				s.Open(t, 1)
			}
		})
	}
}

func TestEndOnlyRaces(t *testing.T) {
	racetest.Repeat(racetest.Iterations(1000), func(race func(...func())) {
		ctx, hooks := probe.Recorded()
		p := unbounded()
		s := &probe.Probe[int]{Initial: 9}
		p.Subscribe(ctx, s)
		var r Result
		race(func() { r = p.EndOnly(errBoom) }, s.Cancel)
		heard := len(hooks.Errs)
		if s.Failure() != nil || r == Cancelled {
			heard++
		}
		require.Equal(t, 1, heard)
	})
}
