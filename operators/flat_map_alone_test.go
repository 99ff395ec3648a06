package operators

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// What is known at once goes down without a turn only if nobody else delivers.

// A request delivers what waits while more comes: that must not overtake.
func TestFlatMapScalarsKeepTheirOrder(t *testing.T) {
	racetest.Rounds(t, 300, func() ([]func(), func()) {
		src, p := &puppet[int]{}, probeOf[int](0)
		p.Each = func(int) { runtime.Gosched() }
		FlatMap(src, Just[int]).Subscribe(context.Background(), p)
		all := numbers(30)
		src.last().OnNext(all[0])
		return []func(){
			func() { p.Request(reactor.Unbounded) },
			func() {
				for _, v := range all[1:] {
					src.last().OnNext(v)
					runtime.Gosched()
				}
			},
		}, func() { p.Open(t, all...) }
	})
}

func TestFlatMapScalarsBesideAnInnerPublisher(t *testing.T) {
	racetest.Rounds(t, 300, func() ([]func(), func()) {
		src, inner, p := &puppet[int]{}, &puppet[int]{}, probeOf[int](reactor.Unbounded)
		p.Each = func(int) { runtime.Gosched() }
		FlatMap(src, func(n int) reactor.Publisher[int] {
			if n == 0 {
				return inner
			}
			return Just(n)
		}).Subscribe(context.Background(), p)
		src.last().OnNext(0)
		return []func(){
			func() { inner.last().OnNext(10); inner.last().OnNext(11) },
			func() { src.last().OnNext(1); src.last().OnNext(2) },
		}, func() {
			p.Faultless(t)
			assert.ElementsMatch(t, []int{10, 11, 1, 2}, p.Got())
		}
	})
}

// Downstream leaves and fails in the same call: the stages on the way hear of that.
func TestFlatMapScalarFailsWhereNobodyIsLeft(t *testing.T) {
	src, p := &puppet[int]{}, probeOf[int](reactor.Unbounded)
	p.Each = func(int) {
		p.Cancel()
		panic(errBoom)
	}
	FlatMap(src, Just[int]).Subscribe(t.Context(), p)
	func() {
		defer func() { src.last().OnError(failure.Recovered(recover())) }() // the guard of a source
		src.last().OnNext(1)
	}()
	p.Failed(t, errBoom, 1)
	assert.EqualValues(t, 1, src.last().cancels.Load())
}

// What served a synchronous inner publisher serves the next one, of whatever kind.
func TestFlatMapServesAgain(t *testing.T) {
	src, inners, p := &puppet[int]{}, &allPuppets[int]{}, probeOf[int](reactor.Unbounded)
	FlatMap(src, func(n int) reactor.Publisher[int] {
		if n < 2 {
			return Hide(Just(n))
		}
		return inners.fn(n)
	}).Subscribe(context.Background(), p)
	for n := range 4 {
		src.last().OnNext(n)
	}
	src.last().OnComplete()
	for i := range 2 {
		assert.EqualValues(t, 32, inners.at(i).requested.Load())
		inners.at(i).OnNext(10 + i)
		inners.at(i).OnComplete()
	}
	p.Done(t, 0, 1, 10, 11)
}

// elsewhere subscribes on another goroutine, and keeps the subscriber.
type elsewhere struct {
	protocol.Op
	src  reactor.Publisher[int]
	down reactor.Subscriber[int]
}

func (p *elsewhere) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	p.down = s
	racetest.Aside(func() { p.src.Subscribe(ctx, s) })
}

// Nobody knows what a goroutine that has subscribed for somebody else still does.
func TestFlatMapServesAgainOnlyWhoHasReturned(t *testing.T) {
	ctx, hooks := probe.Recorded()
	first := &elsewhere{src: Range(1, 2)}
	p := runWith(ctx, FlatMap(Range(0, 2), func(n int) reactor.Publisher[int] {
		if n == 0 {
			return first
		}
		return Map(Range(10, 2), func(v int) int {
			if v == 10 {
				first.down.OnError(errBoom)
			}
			return v
		})
	}))
	p.Done(t, 1, 2, 10, 11)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}

// later subscribes when it is told to.
type later struct {
	protocol.Op
	src  reactor.Publisher[int]
	told func()
}

func (p *later) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	p.told = func() { p.src.Subscribe(ctx, s) }
}

// The next publisher is asked for where the one before has ended, which may be anywhere: a function that ends the
// goroutine there takes nothing along.
func TestFlatMapGoexitWhereTheOneBeforeHasEnded(t *testing.T) {
	for name, src := range map[string]reactor.Publisher[int]{"hidden": Hide(Range(1, 3)), "computed": Range(1, 3)} {
		t.Run(name, func(t *testing.T) {
			first, p := &later{src: Range(10, 2)}, probeOf[int](reactor.Unbounded)
			ctx, hooks := probe.Recorded()
			FlatMap(src, func(v int) reactor.Publisher[int] {
				if v == 2 {
					runtime.Goexit()
				}
				return first
			}, Concurrency(1)).Subscribe(ctx, p)
			racetest.Aside(first.told)
			p.Failed(t, reactor.ErrGoexit, 10, 11)
			assert.Empty(t, hooks.Errs)
		})
	}
}
