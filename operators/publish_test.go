package operators

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// connectTo connects c and returns the handle.
func connectTo[T any](c ConnectablePublisher[T]) (handle reactor.Disposable) {
	c.Connect(context.Background(), func(d reactor.Disposable) { handle = d })
	return handle
}

func TestPublishGoesAtThePaceOfTheSlowest(t *testing.T) {
	src := &puppet[int]{}
	shared := Publish[int](src, Prefetch(4))
	a, b := run[int](shared), probeOf[int](1)
	shared.Subscribe(context.Background(), b)
	assert.Zero(t, src.count())
	connectTo(shared)
	assert.Equal(t, int64(4), src.last().requested.Load())
	for v := range 3 {
		src.last().OnNext(v)
	}
	a.Open(t, 0)
	b.Open(t, 0)
	assert.Equal(t, int64(5), src.last().requested.Load())
	b.Request(1)
	a.Open(t, 0, 1)
	b.Cancel()
	a.Open(t, 0, 1, 2)
	assert.Equal(t, int64(7), src.last().requested.Load())
	src.last().OnComplete()
	a.Done(t, 0, 1, 2)
	b.Open(t, 0, 1)
	assert.Zero(t, src.last().cancels.Load())
}

func TestPublishCompletesBehindWhatWaits(t *testing.T) {
	src := &puppet[int]{}
	shared := Publish[int](src)
	p := probeOf[int](1)
	shared.Subscribe(context.Background(), p)
	connectTo(shared)
	src.last().OnNext(1)
	src.last().OnNext(2)
	src.last().OnComplete()
	p.Open(t, 1)
	p.Request(1)
	p.Done(t, 1, 2)
}

func TestPublishFailsAtOnce(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	shared := Publish[int](src)
	p := probeOf[int](1)
	shared.Subscribe(ctx, p)
	shared.Connect(ctx, nil)
	src.last().OnNext(1)
	src.last().OnNext(2)
	src.last().OnError(errBoom)
	p.Failed(t, errBoom, 1)
	assert.Equal(t, []any{2}, hooks.Discarded)
	src.last().OnNext(3)
	src.last().OnError(errOther)
	src.last().OnComplete()
	assert.Equal(t, []any{3}, hooks.Dropped)
	assert.Len(t, hooks.Errs, 1)
}

func TestPublishWithoutSubscribers(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	shared := Publish[int](src, Prefetch(2))
	shared.Connect(ctx, nil)
	src.last().OnNext(1)
	assert.Equal(t, []any{1}, hooks.Discarded, "nobody has ever come")
	assert.Equal(t, int64(3), src.last().requested.Load())
	runWith[int](ctx, shared).Cancel()
	src.last().OnNext(2)
	assert.Equal(t, int64(3), src.last().requested.Load(), "it waits")
	p := run[int](shared)
	p.Open(t, 2)
	assert.Equal(t, int64(4), src.last().requested.Load())
}

func TestPublishRunsAgainAfterTheEnd(t *testing.T) {
	shared := Publish(FromSlice([]int{1, 2}))
	a := run[int](shared)
	connection := connectTo(shared)
	a.Done(t, 1, 2)
	assert.True(t, connection.IsDisposed())
	b := run[int](shared)
	b.Open(t)
	connectTo(shared)
	b.Done(t, 1, 2)
	// A run that nobody came for ends as well.
	connectTo(shared)
	assert.True(t, connectTo(shared).IsDisposed())
	run[int](shared).Open(t)
}

func TestPublishConnectsOnce(t *testing.T) {
	src := &puppet[int]{}
	shared := Publish[int](src)
	a, b := connectTo(shared), connectTo(shared)
	assert.Same(t, a, b)
	assert.Equal(t, 1, src.count())
	assert.False(t, a.IsDisposed())
}

// A run is stopped while it delivers an element: who comes within that waits for the next run, which may be connected there.
func TestPublishStoppedWithinAnElement(t *testing.T) {
	for name, want := range map[string]error{"disposed": reactor.ErrCancelled, "context": context.Canceled} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				src := &puppet[int]{}
				shared := Publish[int](src)
				p, late := probeOf[int](reactor.Unbounded), probeOf[int](reactor.Unbounded)
				shared.Subscribe(context.Background(), p)
				var handle reactor.Disposable
				shared.Connect(ctx, func(d reactor.Disposable) { handle = d })
				p.Each = func(int) {
					if name == "disposed" {
						handle.Dispose()
					}
					cancel()
					synctest.Wait()
					shared.Subscribe(context.Background(), late)
					connectTo(shared)
				}
				src.last().OnNext(1)
				p.Failed(t, want, 1)
				late.Open(t)
				assert.Equal(t, 2, src.count())
				src.last().OnNext(2)
				late.Open(t, 2)
			})
		})
	}
}

func TestPublishDisconnected(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	shared := Publish[int](src)
	p := probeOf[int](0)
	shared.Subscribe(ctx, p)
	var connection reactor.Disposable
	shared.Connect(ctx, func(d reactor.Disposable) { connection = d })
	old := src.last()
	old.OnNext(1)
	connection.Dispose()
	connection.Dispose()
	assert.True(t, connection.IsDisposed())
	p.Failed(t, reactor.ErrCancelled)
	assert.Equal(t, int64(1), old.cancels.Load())
	assert.Equal(t, []any{1}, hooks.Discarded)
	old.OnNext(2)
	old.OnError(errBoom)
	assert.Equal(t, []any{1, 2}, hooks.Discarded)
	assert.Equal(t, []any{errBoom}, hooks.Errs)

	// It can begin anew.
	q := run[int](shared)
	connectTo(shared)
	assert.Equal(t, 2, src.count())
	src.last().OnNext(3)
	q.Open(t, 3)
	connection.Dispose()
	q.Open(t, 3)
}

func TestPublishDisconnectedBeforeItIsConnected(t *testing.T) {
	src := &puppet[int]{}
	shared := Publish[int](src)
	p := run[int](shared)
	shared.Connect(context.Background(), func(d reactor.Disposable) { d.Dispose() })
	assert.Zero(t, src.count())
	p.Failed(t, reactor.ErrCancelled)
}

func TestPublishWithACallbackThatPanics(t *testing.T) {
	for name, connectable := range map[string]func(*puppet[int]) ConnectablePublisher[int]{
		"publish": func(src *puppet[int]) ConnectablePublisher[int] { return Publish[int](src) },
		"replay":  func(src *puppet[int]) ConnectablePublisher[int] { return Replay[int](src) },
	} {
		t.Run(name, func(t *testing.T) {
			src := &puppet[int]{}
			shared := connectable(src)
			p := run[int](shared)
			shared.Connect(context.Background(), func(reactor.Disposable) { panic(errBoom) })
			p.Failed(t, errBoom)
			assert.Zero(t, src.count())
		})
	}
}

func TestConnectWithAContextThatEnds(t *testing.T) {
	for name, connectable := range map[string]func(*puppet[int]) ConnectablePublisher[int]{
		"publish": func(src *puppet[int]) ConnectablePublisher[int] { return Publish[int](src) },
		"replay":  func(src *puppet[int]) ConnectablePublisher[int] { return Replay[int](src) },
	} {
		t.Run(name, func(t *testing.T) {
			src := &puppet[int]{}
			shared := connectable(src)
			p := run[int](shared)
			ctx, cancel := context.WithCancelCause(context.Background())
			shared.Connect(ctx, nil)
			src.last().OnNext(1)
			var told sync.WaitGroup
			told.Add(1)
			context.AfterFunc(ctx, told.Done)
			cancel(errBoom)
			told.Wait()
			for src.last().cancels.Load() == 0 || !p.Over() {
				runtime.Gosched()
			}
			p.Failed(t, errBoom, 1)

			shared = connectable(src)
			p = run[int](shared)
			shared.Connect(ctx, nil)
			p.Failed(t, errBoom)
			assert.Equal(t, 1, src.count(), "it had ended before")

			// A run that ends by itself forgets the context.
			ctx, cancel = context.WithCancelCause(context.Background())
			shared = connectable(src)
			p = run[int](shared)
			shared.Connect(ctx, nil)
			src.last().OnComplete()
			cancel(errBoom)
			p.Done(t)
		})
	}
}

func TestPublishOverflow(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	shared := Publish[int](src, Prefetch(1))
	p := probeOf[int](0)
	shared.Subscribe(ctx, p)
	shared.Connect(ctx, nil)
	src.last().OnNext(1)
	src.last().OnNext(2)
	p.Failed(t, reactor.ErrOverflow)
	assert.Equal(t, int64(1), src.last().cancels.Load())
	assert.ElementsMatch(t, []any{1, 2}, hooks.Discarded)
}

// A subscriber that fails leaves; the others get everything, wherever they stand.
func TestPublishWithASubscriberThatFails(t *testing.T) {
	for name, fail := range map[string]func(int) int{
		"panic":  func(int) int { panic(errBoom) },
		"goexit": func(int) int { runtime.Goexit(); return 0 },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			src := &puppet[int]{}
			shared := Publish[int](src)
			a, b, c := run[int](shared), probeOf[int](reactor.Unbounded), probeOf[int](reactor.Unbounded)
			Map(shared, fail).Subscribe(ctx, b)
			shared.Subscribe(ctx, c)
			connectTo(shared)
			var wg sync.WaitGroup
			wg.Go(func() { src.last().OnNext(1) })
			wg.Wait()
			src.last().OnNext(2)
			src.last().OnComplete()
			a.Done(t, 1, 2)
			c.Done(t, 1, 2)
			b.Items(t)
			if name == "panic" {
				assert.ErrorIs(t, b.Failure(), errBoom)
			} else {
				assert.ErrorIs(t, b.Failure(), reactor.ErrGoexit)
			}
			assert.Equal(t, []any{1}, hooks.Discarded)
			assert.Equal(t, int64(258), src.last().requested.Load())
		})
	}
}

func TestPublishSubscribersThatActWhileTheyAreServed(t *testing.T) {
	src := &puppet[int]{}
	shared := Publish[int](src)
	var late *probe.Probe[int]
	a, b := probeOf[int](reactor.Unbounded), probeOf[int](reactor.Unbounded)
	a.Each = func(v int) {
		if v == 1 {
			b.Cancel()
			late = run[int](shared)
		}
	}
	shared.Subscribe(context.Background(), a)
	shared.Subscribe(context.Background(), b)
	connectTo(shared)
	src.last().OnNext(1)
	src.last().OnNext(2)
	a.Open(t, 1, 2)
	b.Open(t)
	late.Open(t, 2)

	gone := probeOf[int](1)
	gone.Subscribed = func(up reactor.Subscription) { up.Cancel() }
	shared.Subscribe(context.Background(), gone)
	src.last().OnNext(3)
	a.Open(t, 1, 2, 3)
}

// Who comes when the end is delivered waits for the next run.
func TestPublishComingBackAtTheEnd(t *testing.T) {
	src := &puppet[int]{}
	shared := Publish[int](src)
	again := probeOf[int](reactor.Unbounded)
	first := DoOnComplete[int](shared, func() { shared.Subscribe(context.Background(), again) })
	a := run(first)
	connectTo(shared)
	src.last().OnComplete()
	a.Done(t)
	again.Open(t)
	connectTo(shared)
	src.last().OnNext(7)
	again.Open(t, 7)
}

func TestPublishWithUnboundedPrefetch(t *testing.T) {
	src := &puppet[int]{}
	shared := Publish[int](src, Prefetch(math.MaxInt))
	p := run[int](shared)
	connectTo(shared)
	src.last().OnNext(1)
	assert.Equal(t, int64(1), src.last().requests.Load())
	p.Open(t, 1)
}

func TestMulticastArguments(t *testing.T) {
	src := Empty[int]()
	assert.PanicsWithValue(t, "reactor: publish: prefetch must be positive, got 0", func() { Publish(src, Prefetch(0)) })
	assert.PanicsWithValue(t, "reactor: publish: the publisher is nil", func() { Publish[int](nil) })
	assert.PanicsWithValue(t, "reactor: share: the publisher is nil", func() { Share[int](nil) })
	assert.PanicsWithValue(t, "reactor: cache: the publisher is nil", func() { Cache[int](nil) })
	assert.PanicsWithValue(t, "reactor: shareNext: the publisher is nil", func() { ShareNext[int](nil) })
	assert.PanicsWithValue(t, "reactor: replay: history must not be negative, got -1", func() { Replay(src, History(-1)) })
	assert.PanicsWithValue(t, "reactor: replay: time to live must not be negative, got -1ns", func() { Replay(src, TTL(-1)) })
	assert.PanicsWithValue(t, "reactor: replay: the scheduler is nil", func() { Replay(src, TTL(1), On(nil)) })
	assert.PanicsWithValue(t, "reactor: autoConnect: number of subscribers must not be negative, got -1", func() { AutoConnect(Publish(src), -1) })
	assert.PanicsWithValue(t, "reactor: autoConnect: the function given to OnConnect is nil", func() { OnConnect(nil) })
	assert.PanicsWithValue(t, "reactor: refCount: number of subscribers must be positive, got 0", func() { RefCount(Publish(src), 0) })
	assert.PanicsWithValue(t, "reactor: refCount: grace must not be negative, got -1ns", func() { RefCount(Publish(src), 1, Grace(-1)) })
	assert.PanicsWithValue(t, "reactor: publishSelector: the function is nil", func() {
		PublishSelector[int, int](src, (func(reactor.Publisher[int]) reactor.Publisher[int])(nil))
	})
}

func TestPublishRaces(t *testing.T) {
	t.Run("share", func(t *testing.T) {
		raceStage(t, 80, func(src elements, _ *handScheduler) elements { return Share(src) })
	})
	t.Run("selector", func(t *testing.T) {
		raceStage(t, 80, func(src elements, _ *handScheduler) elements {
			return PublishSelector[element, element](src, func(x elements) elements { return x }, Prefetch(2))
		})
	})
}

// Every pair of what can happen to a run: each element reaches a subscriber, and each of
// them once, or is discarded.
func TestPublishPairs(t *testing.T) {
	type scene struct {
		books  *sharedBooks
		shared ConnectablePublisher[*int]
		src    *puppet[*int]
		handle reactor.Disposable
		a, b   *probe.Probe[*int]
	}
	emit := func(s *scene) {
		for range 3 {
			s.src.last().OnNext(s.books.produce())
		}
	}
	moves := []struct {
		name   string
		source bool
		run    func(*scene)
	}{
		{"emit", true, emit},
		{"complete", true, func(s *scene) { emit(s); s.src.last().OnComplete() }},
		{"error", true, func(s *scene) { emit(s); s.src.last().OnError(errBoom) }},
		{"cancel", false, func(s *scene) { s.a.Cancel() }},
		{"subscribe", false, func(s *scene) { s.shared.Subscribe(s.books.ctx, s.b) }},
		{"disconnect", false, func(s *scene) { s.handle.Dispose() }},
		{"request", false, func(s *scene) { s.a.Request(2) }},
		{"connect", false, func(s *scene) { s.shared.Connect(s.books.ctx, nil) }},
	}
	for i, one := range moves {
		for _, other := range moves[i+1:] {
			if one.source && other.source {
				continue
			}
			t.Run(one.name+"-"+other.name, func(t *testing.T) {
				for round := range racetest.Iterations(80) {
					s := &scene{books: newSharedBooks(), src: &puppet[*int]{}}
					s.a, s.b = s.books.probe(int64(round%3)), s.books.probe(int64(round%2))
					s.shared = Publish[*int](s.src, Prefetch(8))
					s.shared.Subscribe(s.books.ctx, s.a)
					s.shared.Connect(s.books.ctx, func(d reactor.Disposable) { s.handle = d })
					racetest.Race(func() { one.run(s) }, func() { other.run(s) })
					s.a.Cancel()
					if s.b.Up != nil {
						s.b.Cancel()
					}
					s.handle.Dispose()
					s.books.check(t, s.a, s.b)
					if t.Failed() {
						return
					}
				}
			})
		}
	}
}

// sharedBooks are a ledger for elements that go to several subscribers.
type sharedBooks struct {
	ctx      context.Context
	hooks    *probe.Record
	produced []*int // touched by the source's signals only
}

func newSharedBooks() *sharedBooks {
	b := &sharedBooks{}
	b.ctx, b.hooks = probe.Recorded()
	return b
}

func (b *sharedBooks) produce() *int {
	v := len(b.produced)
	b.produced = append(b.produced, &v)
	return &v
}

// probe returns a probe that reads what it gets, so that the race detector sees it.
func (b *sharedBooks) probe(demand int64) *probe.Probe[*int] {
	p := probeOf[*int](demand)
	last := -1
	p.Each = func(v *int) {
		if *v <= last {
			p.Fault("an element again, or out of order")
		}
		last = *v
	}
	return p
}

func (b *sharedBooks) check(t *testing.T, probes ...*probe.Probe[*int]) {
	t.Helper()
	reached := map[*int]bool{}
	for _, p := range probes {
		p.Faultless(t)
		for _, v := range p.Got() {
			reached[v] = true
		}
	}
	refused := map[any]int{}
	for _, v := range slices.Concat(b.hooks.Discarded, b.hooks.Dropped) {
		refused[v]++
	}
	for _, v := range b.produced {
		if reached[v] {
			assert.Zero(t, refused[v], "element %d was delivered and refused", *v)
		} else {
			assert.Equal(t, 1, refused[v], "element %d", *v)
		}
	}
}

// The source watches over the context as well, and says so before it hears of its cancellation: the end is known, and an error that is
// something else is reported.
func TestSharedSourceThatHearsOfTheEndOfTheContext(t *testing.T) {
	for name, share := range map[string]func(reactor.Publisher[int]) ConnectablePublisher[int]{
		"publish": func(src reactor.Publisher[int]) ConnectablePublisher[int] { return Publish(src) },
		"replay":  func(src reactor.Publisher[int]) ConnectablePublisher[int] { return Replay(src) },
	} {
		for also, c := range map[string]struct {
			err      error
			reported []any
		}{
			"the end": {assert.AnError, nil},
			"another": {errBoom, []any{errBoom}},
		} {
			t.Run(name+", "+also, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					hooked, hooks := probe.Recorded()
					ctx, end := context.WithCancelCause(hooked)
					src := &puppet[int]{}
					shared := share(src)
					p := probe.Listen(DoOnError(shared, func(error) { src.last().OnError(c.err) }), 1)
					shared.Connect(ctx, nil)
					end(assert.AnError)
					synctest.Wait()
					p.Failed(t, assert.AnError)
					assert.Equal(t, c.reported, hooks.Errs)
				})
			})
		}
	}
}
