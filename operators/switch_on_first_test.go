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
	run(SwitchOnFirst(Range(3, 3), times)).assertCompleted(t, 9, 12, 15)
	run(SwitchOnFirst(Empty[int](), times)).assertCompleted(t)
	run(SwitchOnFirst(Error[int](errBoom), times)).assertFailed(t, errBoom)
	run(SwitchOnFirst(Just(2), times)).assertCompleted(t, 4)
	p := probeOf[int](1)
	SwitchOnFirst(Range(3, 3), times).Subscribe(context.Background(), p)
	p.assertOpen(t, 9)
	p.request(1)
	p.assertOpen(t, 9, 12)
	p.request(1)
	p.assertCompleted(t, 9, 12, 15)
}

func TestSwitchOnFirstDemand(t *testing.T) {
	src := &puppet[int]{}
	p := probeOf[int](0)
	SwitchOnFirst(src, pass[int]).Subscribe(context.Background(), p)
	up := src.last()
	assert.EqualValues(t, 1, up.requested.Load())
	up.OnNext(1)
	p.assertOpen(t)
	p.request(3)
	p.assertOpen(t, 1)
	assert.EqualValues(t, 3, up.requested.Load())
	p.request(reactor.Unbounded)
	assert.Equal(t, reactor.Unbounded, up.requested.Load())
	up.OnNext(2)
	up.OnComplete()
	p.assertCompleted(t, 1, 2)
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
		p.assertOpen(t)
		p.request(1)
		p.assertItems(t, 1)
		assert.Equal(t, err, p.failure())
		assert.True(t, p.ended())
	}
}

func TestSwitchOnFirstOtherResult(t *testing.T) {
	ctx, hooks := recordHooks()
	src := &puppet[int]{}
	p := runWith(ctx, SwitchOnFirst(src, func(reactor.Signal[int], reactor.Publisher[int]) reactor.Publisher[int] { return Just(7) }))
	src.last().OnNext(1)
	p.assertCompleted(t, 7)
	assert.Equal(t, []any{1}, hooks.discarded)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	src.last().OnNext(2)
	src.last().OnError(errBoom)
	assert.Equal(t, []any{1, 2}, hooks.discarded)
	assert.Equal(t, []any{errBoom}, hooks.droppedErrors)
}

// What is still subscribed to the source when the result ends learns of it.
func TestSwitchOnFirstResultEndsBefore(t *testing.T) {
	for _, keep := range []bool{false, true} {
		for _, demand := range []int64{0, 1} {
			src, result := &puppet[int]{}, &puppet[int]{}
			ctx, hooks := recordHooks()
			rest := probeOf[int](demand)
			p := runWith(ctx, SwitchOnFirst(src, func(_ reactor.Signal[int], all reactor.Publisher[int]) reactor.Publisher[int] {
				all.Subscribe(ctx, rest)
				return result
			}, KeepSourceOption(keep)))
			src.last().OnNext(1)
			result.last().OnComplete()
			p.assertCompleted(t)
			if keep {
				assert.Zero(t, src.last().cancels.Load())
				rest.request(2)
				src.last().OnNext(2)
				rest.assertOpen(t, 1, 2)
				src.last().OnComplete()
				rest.assertCompleted(t, 1, 2)
				continue
			}
			assert.EqualValues(t, 1, src.last().cancels.Load())
			assert.ErrorIs(t, rest.failure(), reactor.ErrCancelled)
			assert.Len(t, hooks.discarded, 1-int(demand))
		}
	}
}

func TestSwitchOnFirstSubscribedOnce(t *testing.T) {
	ctx, _ := recordHooks()
	src := &puppet[int]{}
	var all reactor.Publisher[int]
	p := runWith(ctx, SwitchOnFirst(src, func(_ reactor.Signal[int], p reactor.Publisher[int]) reactor.Publisher[int] {
		all = p
		return p
	}))
	src.last().OnNext(1)
	run(all).assertFailed(t, reactor.ErrIllegalState)
	p.assertOpen(t, 1)

	// A14: whoever comes after the end gets one.
	late := func(end func(*puppetSubscription[int])) *probe[int] {
		runWith(ctx, SwitchOnFirst(src, func(_ reactor.Signal[int], p reactor.Publisher[int]) reactor.Publisher[int] {
			all = p
			return Never[int]()
		}))
		end(src.last())
		q := probeOf[int](1)
		all.Subscribe(ctx, q)
		return q
	}
	late(func(s *puppetSubscription[int]) { s.OnComplete() }).assertCompleted(t)
	late(func(s *puppetSubscription[int]) { s.OnError(errBoom) }).assertFailed(t, errBoom)
	late(func(s *puppetSubscription[int]) { s.OnNext(1); s.OnComplete() }).assertCompleted(t, 1)

	q := runWith(ctx, SwitchOnFirst(src, func(_ reactor.Signal[int], p reactor.Publisher[int]) reactor.Publisher[int] {
		all = p
		return Empty[int]()
	}))
	src.last().OnNext(1)
	q.assertCompleted(t)
	run(all).assertFailed(t, reactor.ErrCancelled)
}

func TestSwitchOnFirstCancel(t *testing.T) {
	ctx, hooks := recordHooks()
	src := &puppet[int]{}
	t.Run("before the first element", func(t *testing.T) {
		p := runWith(ctx, SwitchOnFirst(src, pass[int]))
		p.cancel()
		p.cancel()
		assert.EqualValues(t, 1, src.last().cancels.Load())
		src.last().OnNext(1)
		assert.Equal(t, []any{1}, hooks.discarded)
		p.assertOpen(t)
	})
	t.Run("with the first element waiting", func(t *testing.T) {
		hooks.discarded = nil
		p := probeOf[int](0)
		SwitchOnFirst(src, pass[int]).Subscribe(ctx, p)
		src.last().OnNext(1)
		p.cancel()
		assert.EqualValues(t, 1, src.last().cancels.Load())
		assert.Equal(t, []any{1}, hooks.discarded)
		p.request(1)
		p.assertOpen(t)
	})
	t.Run("by the function's publisher", func(t *testing.T) {
		p := runWith(ctx, SwitchOnFirst(src, func(_ reactor.Signal[int], all reactor.Publisher[int]) reactor.Publisher[int] {
			return Take(all, 2)
		}))
		src.last().OnNext(1)
		src.last().OnNext(2)
		p.assertCompleted(t, 1, 2)
	})
	t.Run("in the function", func(t *testing.T) {
		hooks.discarded = nil
		made := &puppet[int]{}
		p := probeOf[int](1)
		SwitchOnFirst(src, func(reactor.Signal[int], reactor.Publisher[int]) reactor.Publisher[int] {
			p.cancel()
			return made
		}).Subscribe(ctx, p)
		src.last().OnNext(1)
		assert.Zero(t, made.count())
		assert.Equal(t, []any{1}, hooks.discarded)
	})
}

func TestSwitchOnFirstFails(t *testing.T) {
	ctx, hooks := recordHooks()
	with := func(src reactor.Publisher[int], fn func(reactor.Signal[int], reactor.Publisher[int]) reactor.Publisher[int]) *probe[int] {
		p := probeOf[int](reactor.Unbounded)
		hooks.discarded = nil
		var wg sync.WaitGroup
		wg.Go(func() { SwitchOnFirst(src, fn).Subscribe(ctx, p) })
		wg.Wait()
		return p
	}
	panics := func(reactor.Signal[int], reactor.Publisher[int]) reactor.Publisher[int] { panic(errOther) }
	src := &puppet[int]{}
	src.onSubscription = func(_ int, s *puppetSubscription[int]) { s.OnNext(1) }
	with(src, panics).assertFailed(t, errOther)
	assert.Equal(t, []any{1}, hooks.discarded)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	with(Empty[int](), panics).assertFailed(t, errOther)
	p := with(Error[int](errBoom), panics)
	p.assertFailed(t, errOther)
	assert.ErrorIs(t, p.failure(), errBoom)
	assert.ErrorContains(t, with(src, func(reactor.Signal[int], reactor.Publisher[int]) reactor.Publisher[int] { return nil }).failure(),
		"switchOnFirst: the publisher is nil")
	with(src, func(reactor.Signal[int], reactor.Publisher[int]) reactor.Publisher[int] {
		runtime.Goexit()
		return nil
	}).assertFailed(t, reactor.ErrGoexit)

	// Downstream, on the first element and on a later one.
	for bad := range 3 {
		p := runWith(ctx, Map(SwitchOnFirst(Range(0, 3), pass[int]), func(v int) int {
			if v == bad {
				panic(errBoom)
			}
			return v
		}))
		assert.ErrorIs(t, p.failure(), errBoom)
		assert.Len(t, p.got(), bad)
		p.assertFaultless(t)
	}
	requirePanics(t, "switchOnFirst: the function is nil", func() { SwitchOnFirst[int, int](Just(1), nil) })
	requirePanics(t, "switchOnFirst: the publisher is nil", func() { SwitchOnFirst(nil, pass[int]) })
}

func TestSwitchOnFirstRaces(t *testing.T) {
	raceStage(t, 200, func(src elements, _ *handScheduler) elements { return SwitchOnFirst(src, pass[element]) })
}

// The result ends, or is cancelled, while the first element is on its way.
func TestSwitchOnFirstRacesWithItsResult(t *testing.T) {
	for name, do := range map[string]func(p *probe[element], result *puppetSubscription[element]){
		"complete": func(_ *probe[element], result *puppetSubscription[element]) { result.OnComplete() },
		"error":    func(_ *probe[element], result *puppetSubscription[element]) { result.OnError(errBoom) },
		"cancel":   func(p *probe[element], _ *puppetSubscription[element]) { p.cancel() },
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
				require.ErrorIs(t, rest.failure(), reactor.ErrCancelled)
				l.Check()
				p.assertFaultless(t)
				rest.assertFaultless(t)
			})
		})
	}
}
