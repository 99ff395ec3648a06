package operators

import (
	"context"
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

// pass goes on with the source as it is.
func pass[T any](_ reactor.Signal[T], all reactor.Publisher[T]) reactor.Publisher[T] { return all }

func TestSwitchOnFirst(t *testing.T) {
	times := func(first reactor.Signal[int], all reactor.Publisher[int]) reactor.Publisher[int] {
		by, ok := first.Value()
		if !ok {
			return all
		}
		return Map(all, func(v int) int { return by * v })
	}
	run(SwitchOnFirst(Range(3, 3), times)).Done(t, 9, 12, 15)
	run(SwitchOnFirst(Empty[int](), times)).Done(t)
	run(SwitchOnFirst(Error[int](errBoom), times)).Failed(t, errBoom)
	run(SwitchOnFirst(Just(2), times)).Done(t, 4)
	p := probeOf[int](1)
	SwitchOnFirst(Range(3, 3), times).Subscribe(context.Background(), p)
	p.Open(t, 9)
	p.Request(1)
	p.Open(t, 9, 12)
	p.Request(1)
	p.Done(t, 9, 12, 15)
}

func TestSwitchOnFirstDemand(t *testing.T) {
	src := &puppet[int]{}
	p := probeOf[int](0)
	SwitchOnFirst(src, pass[int]).Subscribe(context.Background(), p)
	up := src.last()
	assert.EqualValues(t, 1, up.requested.Load())
	up.OnNext(1)
	p.Open(t)
	p.Request(3)
	p.Open(t, 1)
	assert.EqualValues(t, 3, up.requested.Load())
	p.Request(reactor.Unbounded)
	assert.Equal(t, reactor.Unbounded, up.requested.Load())
	up.OnNext(2)
	up.OnComplete()
	p.Done(t, 1, 2)
}

// The source ends while its first element waits for demand.
func TestSwitchOnFirstHoldsTheEnd(t *testing.T) {
	for _, err := range []error{nil, errBoom} {
		src := &puppet[int]{}
		p := probeOf[int](0)
		SwitchOnFirst(src, pass[int]).Subscribe(context.Background(), p)
		src.last().OnNext(1)
		if err != nil {
			src.last().OnError(err)
		} else {
			src.last().OnComplete()
		}
		p.Open(t)
		p.Request(1)
		p.Items(t, 1)
		assert.Equal(t, err, p.Failure())
		assert.True(t, p.Over())
	}
}

// The source has ended, too, behind an element that nobody asked for.
func TestSwitchOnFirstResultEndsBeforeAnElementAndTheEnd(t *testing.T) {
	for _, err := range []error{nil, errBoom} {
		src, result := &puppet[int]{}, &puppet[int]{}
		ctx, hooks := probe.Recorded()
		rest := probeOf[int](0)
		p := runWith(ctx, SwitchOnFirst(src, func(_ reactor.Signal[int], all reactor.Publisher[int]) reactor.Publisher[int] {
			all.Subscribe(ctx, rest)
			return result
		}))
		src.last().OnNext(1)
		if err != nil {
			src.last().OnError(err)
		} else {
			src.last().OnComplete()
		}
		rest.Open(t)
		result.last().OnComplete()
		p.Done(t)
		assert.ErrorIs(t, rest.Failure(), reactor.ErrCancelled)
		discarded, _, errs := hooks.Seen()
		assert.Equal(t, []any{1}, discarded)
		if err != nil {
			assert.Equal(t, []any{errBoom}, errs)
		}
	}
}

// What the source, or the publisher of the function, sends behind its end goes to the hooks.
func TestSwitchOnFirstSignalsBehindTheEnd(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, result := &puppet[int]{}, &puppet[int]{}
	p := runWith(ctx, SwitchOnFirst(src, func(_ reactor.Signal[int], all stream) stream { return MergeWith(all, result) }))
	src.last().OnNext(1)
	src.last().OnComplete()
	src.last().OnNext(2)
	src.last().OnError(errBoom)
	src.last().OnComplete()
	p.Open(t, 1)
	assert.Equal(t, []any{2}, hooks.Dropped)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
	result.last().OnComplete()
	p.Done(t, 1)

	for _, end := range []error{nil, errBoom} {
		ctx, hooks = probe.Recorded()
		p = runWith(ctx, SwitchOnFirst(src, func(reactor.Signal[int], stream) stream { return result }))
		src.last().OnNext(1)
		result.last().OnNext(3)
		if end != nil {
			result.last().OnError(end)
		} else {
			result.last().OnComplete()
		}
		result.last().OnNext(4)
		result.last().OnError(errOther)
		result.last().OnComplete()
		p.Items(t, 3)
		assert.Equal(t, end, p.Failure())
		assert.Equal(t, []any{4}, hooks.Dropped)
		assert.Equal(t, []any{errOther}, hooks.Errs)
	}
}

func TestSwitchOnFirstOtherResult(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := runWith(ctx, SwitchOnFirst(src, func(reactor.Signal[int], reactor.Publisher[int]) reactor.Publisher[int] { return Just(7) }))
	src.last().OnNext(1)
	p.Done(t, 7)
	assert.Equal(t, []any{1}, hooks.Discarded)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	src.last().OnNext(2)
	src.last().OnError(errBoom)
	assert.Equal(t, []any{1, 2}, hooks.Discarded)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}

// What is still subscribed to the source when the result ends learns of it.
func TestSwitchOnFirstResultEndsBefore(t *testing.T) {
	for _, keep := range []bool{false, true} {
		for _, demand := range []int64{0, 1} {
			src, result := &puppet[int]{}, &puppet[int]{}
			ctx, hooks := probe.Recorded()
			rest := probeOf[int](demand)
			p := runWith(ctx, SwitchOnFirst(src, func(_ reactor.Signal[int], all reactor.Publisher[int]) reactor.Publisher[int] {
				all.Subscribe(ctx, rest)
				return result
			}, KeepSourceOption(keep)))
			src.last().OnNext(1)
			result.last().OnComplete()
			p.Done(t)
			if keep {
				assert.Zero(t, src.last().cancels.Load())
				rest.Request(2)
				src.last().OnNext(2)
				rest.Open(t, 1, 2)
				src.last().OnComplete()
				rest.Done(t, 1, 2)
				continue
			}
			assert.EqualValues(t, 1, src.last().cancels.Load())
			assert.ErrorIs(t, rest.Failure(), reactor.ErrCancelled)
			assert.Len(t, hooks.Discarded, 1-int(demand))
		}
	}
}

func TestSwitchOnFirstSubscribedOnce(t *testing.T) {
	ctx, _ := probe.Recorded()
	src := &puppet[int]{}
	var all reactor.Publisher[int]
	p := runWith(ctx, SwitchOnFirst(src, func(_ reactor.Signal[int], p reactor.Publisher[int]) reactor.Publisher[int] {
		all = p
		return p
	}))
	src.last().OnNext(1)
	run(all).Failed(t, reactor.ErrIllegalState)
	p.Open(t, 1)

	// A14: whoever comes after the end gets one.
	late := func(end func(*puppetSubscription[int])) *probe.Probe[int] {
		runWith(ctx, SwitchOnFirst(src, func(_ reactor.Signal[int], p reactor.Publisher[int]) reactor.Publisher[int] {
			all = p
			return Never[int]()
		}))
		end(src.last())
		q := probeOf[int](1)
		all.Subscribe(ctx, q)
		return q
	}
	late(func(s *puppetSubscription[int]) { s.OnComplete() }).Done(t)
	late(func(s *puppetSubscription[int]) { s.OnError(errBoom) }).Failed(t, errBoom)
	late(func(s *puppetSubscription[int]) { s.OnNext(1); s.OnComplete() }).Done(t, 1)

	q := runWith(ctx, SwitchOnFirst(src, func(_ reactor.Signal[int], p reactor.Publisher[int]) reactor.Publisher[int] {
		all = p
		return Empty[int]()
	}))
	src.last().OnNext(1)
	q.Done(t)
	run(all).Failed(t, reactor.ErrCancelled)
}

func TestSwitchOnFirstCancel(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	t.Run("before the first element", func(t *testing.T) {
		p := runWith(ctx, SwitchOnFirst(src, pass[int]))
		p.Cancel()
		p.Cancel()
		assert.EqualValues(t, 1, src.last().cancels.Load())
		src.last().OnNext(1)
		assert.Equal(t, []any{1}, hooks.Discarded)
		p.Open(t)
	})
	t.Run("with the first element waiting", func(t *testing.T) {
		hooks.Discarded = nil
		p := probeOf[int](0)
		SwitchOnFirst(src, pass[int]).Subscribe(ctx, p)
		src.last().OnNext(1)
		p.Cancel()
		assert.EqualValues(t, 1, src.last().cancels.Load())
		assert.Equal(t, []any{1}, hooks.Discarded)
		p.Request(1)
		p.Open(t)
	})
	t.Run("by the function's publisher", func(t *testing.T) {
		p := runWith(ctx, SwitchOnFirst(src, func(_ reactor.Signal[int], all reactor.Publisher[int]) reactor.Publisher[int] {
			return Take(all, 2)
		}))
		src.last().OnNext(1)
		src.last().OnNext(2)
		p.Done(t, 1, 2)
	})
	t.Run("in the function", func(t *testing.T) {
		hooks.Discarded = nil
		made := &puppet[int]{}
		p := probeOf[int](1)
		SwitchOnFirst(src, func(reactor.Signal[int], reactor.Publisher[int]) reactor.Publisher[int] {
			p.Cancel()
			return made
		}).Subscribe(ctx, p)
		src.last().OnNext(1)
		assert.Zero(t, made.count())
		assert.Equal(t, []any{1}, hooks.Discarded)
	})
}

func TestSwitchOnFirstFails(t *testing.T) {
	ctx, hooks := probe.Recorded()
	with := func(src reactor.Publisher[int], fn func(reactor.Signal[int], reactor.Publisher[int]) reactor.Publisher[int]) *probe.Probe[int] {
		p := probeOf[int](reactor.Unbounded)
		hooks.Discarded = nil
		var wg sync.WaitGroup
		wg.Go(func() { SwitchOnFirst(src, fn).Subscribe(ctx, p) })
		wg.Wait()
		return p
	}
	panics := func(reactor.Signal[int], reactor.Publisher[int]) reactor.Publisher[int] { panic(errOther) }
	src := &puppet[int]{}
	src.onSubscription = func(_ int, s *puppetSubscription[int]) { s.OnNext(1) }
	with(src, panics).Failed(t, errOther)
	assert.Equal(t, []any{1}, hooks.Discarded)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	with(Empty[int](), panics).Failed(t, errOther)
	p := with(Error[int](errBoom), panics)
	p.Failed(t, errOther)
	assert.ErrorIs(t, p.Failure(), errBoom)
	assert.ErrorContains(t, with(src, func(reactor.Signal[int], reactor.Publisher[int]) reactor.Publisher[int] { return nil }).Failure(),
		"switchOnFirst: the publisher is nil")
	with(src, func(reactor.Signal[int], reactor.Publisher[int]) reactor.Publisher[int] {
		runtime.Goexit()
		return nil
	}).Failed(t, reactor.ErrGoexit)

	// Downstream, on the first element and on a later one.
	for bad := range 3 {
		p := runWith(ctx, Map(SwitchOnFirst(Range(0, 3), pass[int]), func(v int) int {
			if v == bad {
				panic(errBoom)
			}
			return v
		}))
		assert.ErrorIs(t, p.Failure(), errBoom)
		assert.Len(t, p.Got(), bad)
		p.Faultless(t)
	}
	requirePanics(t, "switchOnFirst: the function is nil", func() { SwitchOnFirst[int, int](Just(1), nil) })
	requirePanics(t, "switchOnFirst: the publisher is nil", func() { SwitchOnFirst(nil, pass[int]) })
}

func TestSwitchOnFirstRaces(t *testing.T) {
	raceStage(t, 200, func(src elements, _ *handScheduler) elements { return SwitchOnFirst(src, pass[element]) })
}

// The result ends, or is cancelled, while the first element is on its way.
func TestSwitchOnFirstRacesWithItsResult(t *testing.T) {
	for name, do := range map[string]func(p *probe.Probe[element], result *puppetSubscription[element]){
		"complete": func(_ *probe.Probe[element], result *puppetSubscription[element]) { result.OnComplete() },
		"error":    func(_ *probe.Probe[element], result *puppetSubscription[element]) { result.OnError(errBoom) },
		"cancel":   func(p *probe.Probe[element], _ *puppetSubscription[element]) { p.Cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(500), func(race func(...func())) {
				l := ledger.New(t)
				src, result := &puppet[element]{}, &puppet[element]{}
				var all elements
				ctx := l.Context(reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}}))
				p := ledgerProbe(l, 1)
				SwitchOnFirst(src, func(_ reactor.Signal[element], a elements) elements {
					all = a
					return result
				}).Subscribe(ctx, p)
				src.last().OnNext(l.Produce())
				rest := ledgerProbe(l, 2)
				race(
					func() { all.Subscribe(ctx, rest) },
					func() { do(p, result.last()) },
					func() {
						if src.last().requested.Load() > 1 {
							src.last().OnNext(l.Produce())
						}
					},
				)
				require.EqualValues(t, 1, src.last().cancels.Load())
				require.ErrorIs(t, rest.Failure(), reactor.ErrCancelled)
				l.Check()
				p.Faultless(t)
				rest.Faultless(t)
			})
		})
	}
}

// The error of a source that the function has not subscribed to.
func TestSwitchOnFirstErrorThatNobodyGets(t *testing.T) {
	for name, finish := range map[string]func(p *probe.Probe[int], result *puppetSubscription[int]){
		"completed": func(_ *probe.Probe[int], result *puppetSubscription[int]) { result.OnComplete() },
		"cancelled": func(p *probe.Probe[int], _ *puppetSubscription[int]) { p.Cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			src, result := &puppet[int]{}, &puppet[int]{}
			p := probeOf[int](9)
			SwitchOnFirst(src, func(reactor.Signal[int], stream) stream { return result }).Subscribe(ctx, p)
			src.last().OnNext(1)
			src.last().OnError(errBoom)
			finish(p, result.last())
			assert.Equal(t, []any{errBoom}, hooks.Errs)
			assert.Equal(t, []any{1}, hooks.Discarded)
		})
	}
}

// What hears of the cancellation of the source ends the goroutine: downstream is told of the end, and the first element is
// discarded where nobody has got it.
func TestSwitchOnFirstCancellationEndsGoroutine(t *testing.T) {
	for name, fn := range map[string]func(first reactor.Signal[int], all stream) stream{
		"completes": func(reactor.Signal[int], stream) stream { return Hide(Just(9)) },
		"fails":     func(reactor.Signal[int], stream) stream { return Error[int](errBoom) },
		"panics":    func(reactor.Signal[int], stream) stream { panic(errBoom) },
		"takes one": func(_ reactor.Signal[int], all stream) stream { return Take(all, 1) },
		"asked late": func(_ reactor.Signal[int], all stream) stream {
			return TakeUntilOther(DelaySubscription(all, Never[int]()), Just(1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			p := probeOf[int](reactor.Unbounded)
			src := DoOnCancel(Concat(Just(1), Never[int]()), runtime.Goexit)
			racetest.Aside(func() { SwitchOnFirst(src, fn).Subscribe(ctx, p) })
			assert.True(t, p.Over())
			if name == "takes one" {
				p.Done(t, 1)
			} else {
				assert.Equal(t, []any{1}, hooks.Discarded)
			}
		})
	}
	t.Run("that of the publisher in its place", func(t *testing.T) {
		ctx, hooks := probe.Recorded()
		heard := 0
		src := DoOnCancel(Concat(Just(1), Never[int]()), func() { heard++ })
		p := runWith(ctx, SwitchOnFirst(src, func(reactor.Signal[int], stream) stream {
			return DoOnCancel(Never[int](), runtime.Goexit)
		}))
		racetest.Aside(p.Cancel)
		assert.Equal(t, 1, heard)
		assert.Equal(t, []any{1}, hooks.Discarded)
		p.Open(t)
	})
	t.Run("cancelled by who reads the source", func(t *testing.T) {
		ctx, hooks := probe.Recorded()
		src := DoOnCancel(Concat(Just(1), Never[int]()), runtime.Goexit)
		reader := probeOf[int](0)
		p := runWith(ctx, SwitchOnFirst(src, func(_ reactor.Signal[int], all stream) stream {
			all.Subscribe(ctx, reader)
			return Never[int]()
		}))
		racetest.Aside(reader.Cancel)
		assert.Equal(t, []any{1}, hooks.Discarded)
		p.Open(t)
	})
}

// The source has failed without an element, and the stream is cancelled before anybody subscribes to it.
func TestSwitchOnFirstErrorOfAStreamThatIsCancelled(t *testing.T) {
	for name, subscribe := range map[string]bool{"left": false, "subscribed": true} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			p, heard := probeOf[int](9), probeOf[int](9)
			SwitchOnFirst(Error[int](errBoom), func(_ reactor.Signal[int], all stream) stream {
				if subscribe {
					all.Subscribe(ctx, heard)
				}
				p.Cancel()
				return all
			}).Subscribe(ctx, p)
			p.Open(t)
			if subscribe {
				heard.Failed(t, errBoom)
				assert.Empty(t, hooks.Errs)
			} else {
				assert.Equal(t, []any{errBoom}, hooks.Errs)
			}
		})
	}
	t.Run("as it is subscribed", func(t *testing.T) {
		ctx, hooks := probe.Recorded()
		p := probeOf[int](9)
		SwitchOnFirst(Error[int](errBoom), func(_ reactor.Signal[int], all stream) stream {
			return Defer(func(context.Context) stream { p.Cancel(); return all })
		}).Subscribe(ctx, p)
		p.Open(t)
		assert.Equal(t, []any{errBoom}, hooks.Errs)
	})
}

// What the source of a result that has completed sends waits for whoever subscribes: an error too.
func TestSwitchOnFirstKeepSourceErrorBehindTheEnd(t *testing.T) {
	for _, early := range []bool{false, true} {
		ctx, hooks := probe.Recorded()
		src := &puppet[int]{}
		var all stream
		p := runWith(ctx, SwitchOnFirst[int](src, func(_ reactor.Signal[int], source stream) stream {
			all = source
			return Just(7)
		}, KeepSource()))
		src.last().OnNext(1)
		p.Done(t, 7)
		rest := probeOf[int](0)
		if early {
			all.Subscribe(ctx, rest)
		}
		src.last().OnError(errBoom)
		assert.Zero(t, src.last().cancels.Load())
		assert.Empty(t, hooks.Errs)
		if !early {
			all.Subscribe(ctx, rest)
		}
		rest.Open(t)
		rest.Request(1)
		rest.Failed(t, errBoom, 1)
		assert.Empty(t, hooks.Errs)

		// One that leaves without it leaves nothing.
		p = runWith(ctx, SwitchOnFirst[int](src, func(_ reactor.Signal[int], source stream) stream {
			all = source
			return Just(7)
		}, KeepSource()))
		src.last().OnNext(2)
		p.Done(t, 7)
		rest = probeOf[int](0)
		all.Subscribe(ctx, rest)
		src.last().OnError(errBoom)
		rest.Cancel()
		assert.Equal(t, []any{2}, hooks.Discarded)
		assert.Equal(t, []any{errBoom}, hooks.Errs)
	}
}
