package operators

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// ending is a subscriber whose n-th OnNext ends the goroutine.
type ending struct {
	books *ledger.Ledger
	n     int
	up    chan reactor.Subscription
}

func (s *ending) OnSubscribe(up reactor.Subscription) { s.up <- up }
func (s *ending) OnError(error)                       {}
func (s *ending) OnComplete()                         {}

func (s *ending) OnNext(v *ledger.Element) {
	s.books.Delivered(v)
	if s.n--; s.n == 0 {
		runtime.Goexit()
	}
}

// An element arrives while the work of another goroutine is done in its place, and downstream ends
// the goroutine: the element has a place by then.
func TestGoexitWhileAnElementArrives(t *testing.T) {
	type publisher = reactor.Publisher[*ledger.Element]
	same := func(p publisher) publisher { return p }
	items := func(list []*ledger.Element) []*ledger.Element { return list }
	for name, build := range map[string]func(src publisher, other reactor.Publisher[int]) publisher{
		"bufferOther": func(src publisher, other reactor.Publisher[int]) publisher {
			return FlatMapSlice(BufferOther(src, other), items)
		},
		"bufferWhen": func(src publisher, other reactor.Publisher[int]) publisher {
			whens := BufferWhen(src, Map(other, func(n int) int { return n }), func(int) reactor.Publisher[int] { return Just(1) })
			return FlatMapSlice(whens, items)
		},
		"windowOther": func(src publisher, other reactor.Publisher[int]) publisher {
			return MergeAll(WindowOther(src, other, same))
		},
		"windowOther in order": func(src publisher, other reactor.Publisher[int]) publisher {
			return ConcatMap(WindowOther(src, other, same), same)
		},
		"windowWhen": func(src publisher, other reactor.Publisher[int]) publisher {
			return MergeAll(WindowWhen(src, Just(0), func(int) reactor.Publisher[int] { return Skip(other, 3) }, same))
		},
		"onBackpressureBuffer": func(src publisher, _ reactor.Publisher[int]) publisher { return OnBackpressureBuffer(src) },
		"mergePriority": func(src publisher, _ reactor.Publisher[int]) publisher {
			return MergePriority(func(_, _ *ledger.Element) int { return 0 }, []publisher{src, Never[*ledger.Element]()})
		},
		"window": func(src publisher, _ reactor.Publisher[int]) publisher {
			return ConcatMap(Window(src, 10, same), same)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for n := range racetest.Iterations(1000) {
				books := ledger.New(t)
				hooks := books.Hooks()
				hooks.ErrorDropped = func(context.Context, error) {}
				var work sync.WaitGroup
				src := FromSeq(func(yield func(*ledger.Element) bool) {
					for range 20 {
						if !yield(books.Produce()) {
							return
						}
					}
				})
				other := Create(func(s *FluxSink[int]) {
					work.Go(func() {
						for i := range 20 {
							s.Next(i)
							chaos.Yield()
						}
					})
				})
				down := &ending{books: books, n: 1 + n%8, up: make(chan reactor.Subscription, 1)}
				work.Go(func() { build(src, other).Subscribe(reactor.WithHooks(context.Background(), hooks), down) })
				up := <-down.up
				for range 12 {
					work.Go(func() { up.Request(1) })
				}
				work.Wait()
				up.Cancel()
				books.Check()
				if t.Failed() {
					t.Fatalf("round %d", n)
				}
			}
		})
	}
}

// endingAtTheEnd is a subscriber that ends the goroutine when it is told of the end.
type endingAtTheEnd struct{ *probe.Probe[int] }

func (s *endingAtTheEnd) OnComplete() { s.Probe.OnComplete(); runtime.Goexit() }

// What must happen after downstream was told of the end happens also if that ends the goroutine, and
// downstream is told also if what hears of the cancellation upstream does.
func TestGoexitAtTheEnd(t *testing.T) {
	exit := func(reactor.SignalKind) { runtime.Goexit() }
	// until subscribes to p, as a foreign subscriber, and ends the goroutine when p has ended.
	until := func(ctx context.Context, p reactor.Publisher[int]) {
		racetest.Aside(func() {
			p.Subscribe(ctx, struct{ reactor.Subscriber[int] }{&endingAtTheEnd{probeOf[int](reactor.Unbounded)}})
		})
	}

	t.Run("skipLast discards", func(t *testing.T) {
		var discarded []any
		ctx := reactor.WithHooks(context.Background(), reactor.Hooks{Discard: func(_ context.Context, v any) { discarded = append(discarded, v) }})
		// What would discard too: the boundary to a foreign subscriber cancels, and a source sends
		// an error down when its goroutine ends. Here nobody is outside, and take has ended before.
		racetest.Aside(func() {
			DoFinally(SkipLast(Take(Range(1, 9), 3), 2), exit).Subscribe(ctx, probeOf[int](reactor.Unbounded))
		})
		assert.Equal(t, []any{2, 3}, discarded)
	})
	t.Run("using releases late", func(t *testing.T) {
		released := 0
		until(context.Background(), Using(func(context.Context) (int, error) { return 1, nil },
			func(int) reactor.Publisher[int] { return Range(1, 3) }, func(int) error { released++; return nil }, LateRelease()))
		assert.Equal(t, 1, released)
	})
	t.Run("the sink of a mono disposes", func(t *testing.T) {
		for name, end := range map[string]func(*MonoSink[int]){
			"with an element": func(s *MonoSink[int]) { s.Success(1) },
			"without":         (*MonoSink[int]).Complete,
		} {
			disposed := 0
			until(context.Background(), MonoCreate(func(s *MonoSink[int]) {
				s.OnDispose(func() { disposed++ })
				end(s)
			}))
			assert.Equal(t, 1, disposed, name)
		}
	})
	t.Run("doFinally runs", func(t *testing.T) {
		var how []reactor.SignalKind
		until(context.Background(), DoFinally(Range(1, 3), func(k reactor.SignalKind) { how = append(how, k) }))
		assert.Equal(t, []reactor.SignalKind{reactor.KindComplete}, how)
	})
	t.Run("tap hears of it", func(t *testing.T) {
		for name, row := range map[string]struct {
			src  reactor.Publisher[int]
			want []string
		}{
			"completion": {Range(1, 3), []string{"after", "finally onComplete"}},
			"failure":    {Error[int](assert.AnError), []string{"after", "finally onError"}},
		} {
			var heard []string
			note := func() { heard = append(heard, "after") }
			racetest.Aside(func() {
				down := Tap(row.src, func(context.Context) *SignalListener[int] {
					return &SignalListener[int]{
						AfterComplete: note, AfterError: func(error) { note() },
						Finally: func(how reactor.SignalKind) { heard = append(heard, "finally "+how.String()) },
					}
				})
				SubscribeFunc(context.Background(), down, nil, OnComplete(runtime.Goexit), OnError(func(error) { runtime.Goexit() }))
			})
			assert.Equal(t, row.want, heard, name)
		}
	})
	t.Run("tap passes on what its listener does not survive", func(t *testing.T) {
		src := &puppet[int]{}
		p := probeOf[int](0)
		var how []reactor.SignalKind
		Tap(src, func(context.Context) *SignalListener[int] {
			return &SignalListener[int]{
				Request: func(int64) { runtime.Goexit() }, Cancel: runtime.Goexit,
				Finally: func(k reactor.SignalKind) { how = append(how, k) },
			}
		}).Subscribe(reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}}), p)
		racetest.Aside(func() { p.Request(2) })
		assert.EqualValues(t, 2, src.last().requested.Load())
		racetest.Aside(p.Cancel)
		assert.EqualValues(t, 1, src.last().cancels.Load())
		assert.Equal(t, []reactor.SignalKind{reactor.KindCancel}, how)
	})
	t.Run("what begins a stream tells of its failure", func(t *testing.T) {
		ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}})
		leaves := func() reactor.Publisher[int] { return DoOnCancel(Never[int](), runtime.Goexit) }
		fails := func() { panic(assert.AnError) }
		for name, build := range map[string]func() reactor.Publisher[int]{
			"tap": func() reactor.Publisher[int] {
				return Tap(leaves(), func(context.Context) *SignalListener[int] { return &SignalListener[int]{Subscription: fails} })
			},
			"doOnSubscribe": func() reactor.Publisher[int] {
				return DoOnSubscribe(leaves(), func(reactor.Subscription) { fails() })
			},
		} {
			p := probeOf[int](1)
			racetest.Aside(func() { build().Subscribe(ctx, p) })
			p.Failed(t, assert.AnError)
			assert.True(t, p.Over(), name)
		}
	})
	t.Run("doOnCancel cancels", func(t *testing.T) {
		cancelled := false
		p := probeOf[int](1)
		DoOnCancel(DoOnCancel(Hide(Range(1, 3)), func() { cancelled = true }), runtime.Goexit).Subscribe(context.Background(), p)
		racetest.Aside(p.Cancel)
		assert.True(t, cancelled)
	})
	t.Run("the end of the context arrives", func(t *testing.T) {
		ctx, end := context.WithCancelCause(context.Background())
		p := probeOf[int](1)
		DoFinally(Never[int](), exit).Subscribe(ctx, struct{ reactor.Subscriber[int] }{p}) // a foreign one
		end(assert.AnError)
		assert.Eventually(t, p.Over, 10*time.Second, time.Millisecond)
		assert.ErrorIs(t, p.Failure(), assert.AnError)
	})
	t.Run("a panic arrives", func(t *testing.T) {
		p := probeOf[int](reactor.Unbounded)
		racetest.Aside(func() {
			ConcatMap(DoFinally(Range(1, 3), exit), func(int) reactor.Publisher[int] { panic(assert.AnError) }).Subscribe(context.Background(), p)
		})
		assert.True(t, p.Over())
		assert.ErrorIs(t, p.Failure(), assert.AnError)
	})
	t.Run("the failure of a stream arrives though its resource does not survive it", func(t *testing.T) {
		ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}})
		acquire := func(context.Context) (int, error) { return 1, nil }
		release := func(int) error { runtime.Goexit(); return nil }
		cleanup := func(int) reactor.Publisher[int] { runtime.Goexit(); return nil }
		elements := func(int) reactor.Publisher[int] { return Hide(Range(1, 3)) }
		fails := func(int) int { panic(assert.AnError) }
		for name, build := range map[string]func() reactor.Publisher[int]{
			"using, a stage below fails": func() reactor.Publisher[int] { return Map(Using(acquire, elements, release), fails) },
			"using, the function fails": func() reactor.Publisher[int] {
				return Using(acquire, func(int) reactor.Publisher[int] { panic(assert.AnError) }, release)
			},
			"usingWhen, a stage below fails": func() reactor.Publisher[int] {
				return Map(UsingWhen(Just(1), elements, AsyncCleanup[int, int]{Complete: cleanup}), fails)
			},
		} {
			p := probeOf[int](reactor.Unbounded)
			racetest.Aside(func() { build().Subscribe(ctx, p) })
			assert.True(t, p.Over(), name)
			assert.ErrorIs(t, p.Failure(), assert.AnError, name)
		}
	})
	t.Run("the failure of a function that expands arrives", func(t *testing.T) {
		for name, expand := range map[string]func(reactor.Publisher[int], func(int) reactor.Publisher[int]) reactor.Publisher[int]{
			"expand": Expand[int], "expandDeep": ExpandDeep[int],
		} {
			p := probeOf[int](reactor.Unbounded)
			racetest.Aside(func() {
				src := DoOnCancel(Concat(Just(1), Never[int]()), runtime.Goexit)
				expand(src, func(int) reactor.Publisher[int] { panic(assert.AnError) }).Subscribe(context.Background(), p)
			})
			assert.True(t, p.Over(), name)
			assert.ErrorIs(t, p.Failure(), assert.AnError, name)
		}
	})
	t.Run("what a retry ends is discarded", func(t *testing.T) {
		var discarded []any
		ctx := reactor.WithHooks(context.Background(), reactor.Hooks{Discard: func(_ context.Context, v any) { discarded = append(discarded, v) }})
		times := 0
		src := Defer(func(context.Context) reactor.Publisher[int] {
			if times++; times > 1 {
				runtime.Goexit()
			}
			return Just(7)
		})
		p := probeOf[int](reactor.Unbounded)
		racetest.Aside(func() {
			Retry(ConcatMap(Hide(src), func(int) reactor.Publisher[int] { panic(assert.AnError) })).Subscribe(ctx, p)
		})
		assert.Equal(t, []any{7}, discarded)
		assert.ErrorIs(t, p.Failure(), reactor.ErrGoexit)
	})
	t.Run("the other of two sides is stopped", func(t *testing.T) {
		stopped := false
		p := probeOf[[]int](1)
		BufferOther(DoFinally(Never[int](), exit), DoOnCancel(Never[int](), func() { stopped = true })).Subscribe(context.Background(), p)
		racetest.Aside(p.Cancel)
		assert.True(t, stopped)
	})
}
