package operators

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// sinkOf subscribes p to Create or Push and returns the sink.
func sinkOf[T any](ctx context.Context, push bool, p *probe.Probe[T], opts ...CreateOption) (sink *FluxSink[T]) {
	create := Create[T]
	if push {
		create = Push[T]
	}
	create(func(s *FluxSink[T]) { sink = s }, opts...).Subscribe(ctx, p)
	return sink
}

// eachCreate runs a test for Create and for Push.
func eachCreate(t *testing.T, test func(t *testing.T, push bool)) {
	t.Run("create", func(t *testing.T) { test(t, false) })
	t.Run("push", func(t *testing.T) { test(t, true) })
}

func TestCreateBuffers(t *testing.T) {
	eachCreate(t, func(t *testing.T, push bool) {
		p := probeOf[int](1)
		s := sinkOf(context.Background(), push, p)
		for i := range 200 {
			s.Next(i)
		}
		p.Open(t, 0)
		assert.Zero(t, s.Requested())
		p.Request(2)
		p.Open(t, 0, 1, 2)
		s.Error(errBoom)
		p.Request(196)
		p.Open(t, p.Got()...)
		assert.Len(t, p.Got(), 199)
		assert.True(t, s.IsCancelled(), "nothing more is wanted")
		p.Request(1)
		p.Failed(t, errBoom, p.Got()...)
		for i, v := range p.Got() {
			assert.Equal(t, i, v)
		}
	})
}

func TestCreateStrategies(t *testing.T) {
	for _, c := range []struct {
		strategy          OverflowStrategy
		first, second     []int
		discarded         []any
		overflows, faulty bool
	}{
		{OverflowBuffer, []int{1}, []int{1, 2, 3, 4}, nil, false, false},
		{OverflowDrop, []int{1}, []int{1, 4}, []any{2, 3}, false, false},
		{OverflowLatest, []int{1}, []int{1, 3, 4}, []any{2}, false, false},
		{OverflowError, []int{1}, []int{1}, []any{2}, true, false},
		{OverflowIgnore, []int{1, 2, 3}, []int{1, 2, 3, 4}, nil, false, true},
	} {
		eachCreate(t, func(t *testing.T, push bool) {
			t.Run(c.strategy.String(), func(t *testing.T) {
				ctx, hooks := probe.Recorded()
				p := probeOf[int](1)
				s := sinkOf(ctx, push, p, c.strategy)
				s.Next(1)
				s.Next(2)
				s.Next(3)
				assert.Equal(t, c.first, p.Got())
				p.Request(5)
				s.Next(4)
				s.Complete()
				assert.Equal(t, c.second, p.Got())
				assert.Equal(t, c.discarded, hooks.Discarded)
				if c.overflows {
					assert.ErrorIs(t, p.Failure(), reactor.ErrOverflow)
					assert.Equal(t, []any{3, 4}, hooks.Dropped)
				} else {
					assert.NoError(t, p.Failure())
					assert.True(t, p.Over())
				}
				assert.Equal(t, c.faulty, len(p.Faults()) > 0)
			})
		})
	}
	assert.Equal(t, "OverflowStrategy(9)", OverflowStrategy(9).String())
	assert.Panics(t, func() { Create(func(*FluxSink[int]) {}, OverflowStrategy(9)) })
	assert.Panics(t, func() { Create[int](nil) })
	assert.Panics(t, func() { Push[int](nil) })
}

func TestCreateLatestIsDeliveredBeforeTheEnd(t *testing.T) {
	p := probeOf[int](0)
	s := sinkOf(context.Background(), false, p, OverflowLatest)
	s.Next(1)
	s.Next(2)
	s.Complete()
	p.Open(t)
	p.Request(1)
	p.Done(t, 2)
}

// What OnRequest sends meets the demand it was called for: only the element that waited is out of date.
func TestCreateLatestMeetsDemandFromOnRequest(t *testing.T) {
	eachCreate(t, func(t *testing.T, push bool) {
		ctx, hooks := probe.Recorded()
		p := probeOf[int](2)
		s := sinkOf(ctx, push, p, OverflowLatest)
		next := 0
		s.OnRequest(func(n int64) {
			for range n + 2 {
				s.Next(next)
				next++
			}
		})
		assert.Equal(t, []int{0, 1}, p.Got())
		p.Request(3)
		assert.Equal(t, []int{0, 1, 4, 5, 6}, p.Got())
		assert.Equal(t, []any{2, 3, 7}, hooks.Discarded)
		p.Request(1)
		assert.Equal(t, []int{0, 1, 4, 5, 6, 9}, p.Got())
	})
}

func TestCreateTooLate(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](1)
	s := sinkOf(ctx, false, p)
	s.Complete()
	s.Next(1)
	s.Error(errBoom)
	s.Complete()
	p.Done(t)
	assert.Equal(t, []any{1}, hooks.Dropped)
	assert.Equal(t, []any{errBoom}, hooks.Errs)

	p = probeOf[int](1)
	s = sinkOf(ctx, false, p)
	s.Next(1)
	s.Next(2)
	p.Cancel()
	s.Next(3)
	s.Error(errOther)
	s.Complete()
	p.Request(3)
	p.Open(t, 1)
	assert.Equal(t, []any{2, 3}, hooks.Discarded)
	assert.Equal(t, []any{errBoom, errOther}, hooks.Errs)
}

// The error of the producer waits behind an element that ends the stream in its place.
func TestCreateOverflowInThePlaceOfAnError(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](1)
	s := sinkOf(ctx, false, p, OverflowError)
	p.Each = func(int) {
		s.Next(2)
		s.Error(errBoom)
	}
	s.Next(1)
	p.Failed(t, reactor.ErrOverflow, 1)
	assert.Equal(t, []any{2}, hooks.Discarded)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}

func TestCreateDisposal(t *testing.T) {
	var log []string
	note := func(s string) func() { return func() { log = append(log, s) } }
	register := func(s *FluxSink[int]) {
		s.OnDispose(note("dispose 1"))
		s.OnCancel(note("cancel 1"))
		s.OnDispose(note("dispose 2"))
		s.OnCancel(note("cancel 2"))
	}
	for end, want := range map[string][]string{
		"complete": {"dispose 1", "dispose 2"},
		"error":    {"dispose 1", "dispose 2"},
		"cancel":   {"cancel 1", "cancel 2", "dispose 1", "dispose 2"},
	} {
		log = nil
		p := probeOf[int](1)
		s := sinkOf(context.Background(), false, p)
		register(s)
		switch end {
		case "complete":
			s.Complete()
		case "error":
			s.Error(errBoom)
		default:
			p.Cancel()
		}
		p.Cancel()
		assert.Equal(t, want, log, end)
		log = nil
		register(s)
		if end == "cancel" {
			assert.Equal(t, []string{"dispose 1", "cancel 1", "dispose 2", "cancel 2"}, log)
		} else {
			assert.Equal(t, []string{"dispose 1", "dispose 2"}, log, end)
		}
	}
	ctx, hooks := probe.Recorded()
	s := sinkOf(ctx, false, probeOf[int](1))
	s.OnDispose(func() { panic(errBoom) })
	s.OnDispose(note("after the one that panics"))
	s.Complete()
	assert.Len(t, hooks.Errs, 1)
	assert.Contains(t, log, "after the one that panics")
	assert.Panics(t, func() { s.OnDispose(nil) })
	assert.Panics(t, func() { s.OnCancel(nil) })
	assert.Panics(t, func() { s.OnRequest(nil) })
}

func TestCreateOnRequest(t *testing.T) {
	p := probeOf[int](2)
	var asked []int64
	next := 0
	Create(func(s *FluxSink[int]) {
		s.OnRequest(func(n int64) {
			asked = append(asked, n)
			for range n {
				s.Next(next)
				next++
			}
		})
		assert.Panics(t, func() { s.OnRequest(func(int64) {}) })
	}).Subscribe(context.Background(), p)
	p.Open(t, 0, 1)
	p.Request(1)
	p.Open(t, 0, 1, 2)
	assert.Equal(t, []int64{2, 1}, asked)
	p.Cancel()
	p.Request(4)
	assert.Len(t, asked, 2)
}

// A hundred thousand requests of one element, each made while the one before is delivered.
func TestCreateOnRequestAtConstantDepth(t *testing.T) {
	n := racetest.Steps(100_000)
	p := probeOf[int](1)
	p.Each = func(v int) {
		if v < n {
			p.Request(1)
		}
	}
	next := 0
	Create(func(s *FluxSink[int]) {
		s.OnRequest(func(int64) { next++; s.Next(next) })
	}).Subscribe(context.Background(), p)
	assert.Len(t, p.Got(), n)
	assert.Empty(t, p.Faults())
}

func TestCreatePanics(t *testing.T) {
	run(Create(func(s *FluxSink[int]) { s.Next(1); panic(errBoom) })).Failed(t, errBoom, 1)
	run(Create(func(s *FluxSink[int]) { s.OnRequest(func(int64) { panic(errBoom) }) })).Failed(t, errBoom)
	ctx, hooks := probe.Recorded()
	runWith(ctx, Create(func(s *FluxSink[int]) { s.Complete(); panic(errBoom) })).Done(t)
	assert.Len(t, hooks.Errs, 1)
}

// Downstream fails: the producer is not disturbed, and told that it is cancelled.
func TestCreateDownstreamPanics(t *testing.T) {
	failAt2 := func(v int) int {
		if v == 2 {
			panic(errBoom)
		}
		return v
	}
	for _, buffered := range []bool{false, true} {
		ctx, hooks := probe.Recorded()
		var sink *FluxSink[int]
		cancelled := 0
		p := probeOf[int](0)
		Map(Create(func(s *FluxSink[int]) { sink = s; s.OnCancel(func() { cancelled++ }) }), failAt2).Subscribe(ctx, p)
		if !buffered {
			p.Request(9)
		}
		for i := range 4 {
			sink.Next(i + 1)
		}
		p.Request(9)
		p.Failed(t, errBoom, 1)
		assert.ElementsMatch(t, []any{2, 3, 4}, hooks.Discarded)
		assert.Equal(t, 1, cancelled)
		assert.True(t, sink.IsCancelled())
	}
}

func TestCreateGoexitDownstreamReleasesTheDrain(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](reactor.Unbounded)
	p.Each = func(v int) {
		if v == 1 {
			runtime.Goexit()
		}
	}
	s := sinkOf(ctx, false, p)
	done := make(chan struct{})
	go func() { defer close(done); s.Next(1) }()
	<-done
	s.Next(2)
	p.Failed(t, reactor.ErrGoexit, 1)
	assert.ElementsMatch(t, []any{1, 2}, hooks.Discarded)
}

func TestCreateContext(t *testing.T) {
	ctx := context.WithValue(context.Background(), ctxKey("a"), 7)
	runWith(ctx, Create(func(s *FluxSink[any]) { s.Next(s.Context().Value(ctxKey("a"))); s.Complete() })).Done(t, 7)
	runWith(ctx, MonoCreate(func(s *MonoSink[any]) { s.Success(s.Context().Value(ctxKey("a"))) })).Done(t, 7)
}

func TestCreateFromManyGoroutines(t *testing.T) {
	const producers, each = 4, 2000
	p := run(Create(func(s *FluxSink[int]) {
		var wg sync.WaitGroup
		for g := range producers {
			wg.Go(func() {
				for i := range each {
					s.Next(g*each + i)
				}
			})
		}
		wg.Wait()
		s.Complete()
	}))
	assert.Empty(t, p.Faults())
	assert.True(t, p.Over())
	var next [producers]int
	for _, v := range p.Got() {
		assert.Equal(t, next[v/each], v%each, "in order for each producer")
		next[v/each]++
	}
	assert.Len(t, p.Got(), producers*each)
}

func TestCreateRaces(t *testing.T) {
	for _, strategy := range []OverflowStrategy{OverflowBuffer, OverflowDrop, OverflowLatest, OverflowError} {
		t.Run(strategy.String(), func(t *testing.T) {
			for i := range racetest.Iterations(200) {
				l := ledger.New(t)
				disposed := make(chan struct{}, 2)
				p := probeOf[*ledger.Element](0)
				p.Each = func(e *ledger.Element) { l.Delivered(e) }
				s := sinkOf(l.Context(context.Background()), false, p, strategy)
				s.OnDispose(func() { disposed <- struct{}{} })
				end := func() { p.Cancel() }
				if i%2 == 0 {
					end = func() { s.Complete(); p.Request(reactor.Unbounded) }
				}
				racetest.Race(
					func() { s.Next(l.Produce()); s.Next(l.Produce()) },
					func() { s.Next(l.Produce()); s.Next(l.Produce()) },
					func() { p.Request(1); p.Request(2) },
					end,
				)
				p.Request(reactor.Unbounded)
				assert.Len(t, disposed, 1, fmt.Sprint(i))
				assert.Empty(t, p.Faults())
				l.Check()
			}
		})
	}
}

func TestCreateOnRequestRaceAnnouncesEveryUnitOnce(t *testing.T) {
	for range racetest.Iterations(300) {
		var sink *FluxSink[int]
		p := probeOf[int](0)
		Create(func(s *FluxSink[int]) { sink = s }).Subscribe(context.Background(), p)
		var mu sync.Mutex
		var sum int64
		racetest.Race(func() { p.Request(1); p.Request(2) }, func() {
			sink.OnRequest(func(n int64) { mu.Lock(); sum += n; mu.Unlock() })
		}, func() { p.Request(4) })
		assert.EqualValues(t, 7, sum)
	}
}

func BenchmarkCreate(b *testing.B) {
	for _, push := range []bool{false, true} {
		b.Run(fmt.Sprintf("push=%v", push), func(b *testing.B) {
			var sink *FluxSink[int]
			create := Create[int]
			if push {
				create = Push[int]
			}
			sum := 0
			create(func(s *FluxSink[int]) { sink = s }).Subscribe(context.Background(), &cancelling{limit: -1, fn: func(v int) { sum += v }})
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				sink.Next(i)
			}
		})
	}
}

func BenchmarkCreateContended(b *testing.B) {
	var sink *FluxSink[int]
	sum := 0
	Create(func(s *FluxSink[int]) { sink = s }).Subscribe(context.Background(), &cancelling{limit: -1, fn: func(v int) { sum += v }})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			sink.Next(1)
		}
	})
}

func TestPushSaysThatItIsPush(t *testing.T) {
	var err error
	unasked := Push(func(s *FluxSink[int]) { s.Next(1) }, OverflowError)
	DoOnError(unasked, func(failed error) { err = failed }).Subscribe(t.Context(), probeOf[int](0))
	assert.EqualError(t, err, "reactor: push: overflow: the producer sent an element that nobody had requested")
}

func TestPush(t *testing.T) {
	var sink *FluxSink[int]
	p := probeOf[int](1)
	Push(func(s *FluxSink[int]) { sink = s }).Subscribe(t.Context(), p)
	sink.Next(1)
	sink.Next(2)
	p.Open(t, 1)
	p.Request(1)
	p.Open(t, 1, 2)
	sink.Complete()
	p.Done(t, 1, 2)
}

// held is a subscriber that takes its first element for as long as it is held.
type held struct {
	up     reactor.Subscription
	taking chan struct{}
	gate   chan struct{}
	got    []int
	err    error
}

func (h *held) OnSubscribe(s reactor.Subscription) { h.up = s }
func (h *held) OnError(err error)                  { h.err = err }
func (h *held) OnComplete()                        {}
func (h *held) OnNext(v int) {
	if h.got = append(h.got, v); len(h.got) == 1 {
		close(h.taking)
		<-h.gate
	}
}

// While another goroutine delivers, what a producer has sent is no open demand any more, though it waits:
// who sends what was requested, and no more, is never told that it was too much.
func TestCreateRequestedCountsWhatWaits(t *testing.T) {
	for name, c := range map[string]struct {
		push  bool
		opts  []CreateOption
		begin func(*FluxSink[int], *held) // has an element delivered
	}{
		"by a request":  {false, nil, func(s *FluxSink[int], h *held) { s.Next(0); h.up.Request(4) }},
		"push":          {true, nil, func(s *FluxSink[int], h *held) { s.Next(0); h.up.Request(4) }},
		"by a producer": {false, nil, func(s *FluxSink[int], h *held) { h.up.Request(4); s.Next(0) }},
		"error":         {false, []CreateOption{OverflowError}, func(s *FluxSink[int], h *held) { h.up.Request(4); s.Next(0) }},
		"drop":          {false, []CreateOption{OverflowDrop}, func(s *FluxSink[int], h *held) { h.up.Request(4); s.Next(0) }},
	} {
		t.Run(name, func(t *testing.T) {
			h := &held{taking: make(chan struct{}), gate: make(chan struct{})}
			var s *FluxSink[int]
			newCreate("create", func(sink *FluxSink[int]) { s = sink }, c.opts, c.push).Subscribe(context.Background(), h)
			done := make(chan struct{})
			go func() { defer close(done); c.begin(s, h) }()
			<-h.taking
			n := 0
			for ; s.Requested() > 0 && n < 100; n++ {
				s.Next(n + 1)
			}
			close(h.gate)
			<-done
			assert.Equal(t, 3, n)
			assert.Equal(t, []int{0, 1, 2, 3}, h.got)
			assert.NoError(t, h.err)
			assert.Zero(t, s.Requested())
			h.up.Request(2)
			assert.Equal(t, int64(2), s.Requested())
		})
	}
}

// The error meets a cancellation: somebody hears of it, once.
func TestCreateErrorRacesWithACancellation(t *testing.T) {
	eachCreate(t, func(t *testing.T, push bool) {
		racetest.Repeat(racetest.Iterations(1000), func(race func(...func())) {
			ctx, hooks := probe.Recorded()
			p := probeOf[int](9)
			sink := sinkOf(ctx, push, p)
			race(func() { sink.Error(errBoom) }, p.Cancel)
			heard := len(hooks.Errs)
			if p.Failure() != nil {
				heard++
			}
			require.Equal(t, 1, heard)
		})
	})
}
