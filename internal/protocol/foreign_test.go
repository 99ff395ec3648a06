package protocol

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// naive is a foreign publisher that sends from within Request, whoever asks: 1 to last, and err, or nothing if err is nil.
type naive struct {
	last int
	err  error
}

func (p naive) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	s.OnSubscribe(&naiveSubscription{naive: p, down: s})
}

type naiveSubscription struct {
	naive
	down reactor.Subscriber[int]
	sent int
	over bool
}

func (s *naiveSubscription) Cancel() { s.over = true }

func (s *naiveSubscription) Request(n int64) {
	for ; n > 0 && !s.over; n-- {
		s.sent++
		s.down.OnNext(s.sent)
		if s.sent == s.last && !s.over {
			s.over = true
			Finish(s.down, s.err)
		}
	}
}

// Elements and the end that come within an element follow it, and need no stack.
func TestForeignSignalsWithinAnElementFollow(t *testing.T) {
	for _, err := range []error{nil, assert.AnError} {
		ctx, hooks := capture()
		p := &foreignProbe[int]{}
		p.onNext = func(v int) {
			assert.Zero(t, p.done+len(p.errs))
			p.up.Request(int64(v%2 + 1))
		}
		const n = 100_000
		Trust("test", reactor.Publisher[int](naive{n, err})).Subscribe(ctx, p)
		p.up.Request(3)
		assert.Zero(t, p.overlaps.Load())
		if assert.Len(t, p.items, n) {
			assert.Equal(t, n, p.items[n-1])
		}
		if err == nil {
			assert.Equal(t, 1, p.done)
			assert.Empty(t, p.errs)
		} else {
			assert.Zero(t, p.done)
			assert.Equal(t, []error{err}, p.errs)
		}
		assert.Empty(t, hooks.next)
		assert.Empty(t, hooks.errs)
	}
}

// The second of four elements fails, when the others and an error wait behind it: all have been heard of.
func TestForeignSignalsBehindAnElementThatFails(t *testing.T) {
	ctx, hooks := capture()
	p := &probe[int]{}
	late := errors.New("late")
	p.onNext = func(v int) {
		switch v {
		case 1:
			p.up.Request(9)
		case 2:
			panic(assert.AnError)
		}
	}
	Trust("test", reactor.Publisher[int](naive{4, late})).Subscribe(ctx, p)
	p.up.Request(1)
	assert.Equal(t, []int{1, 2}, p.items)
	if assert.Len(t, p.errs, 1) {
		assert.ErrorIs(t, p.errs[0], assert.AnError)
	}
	assert.ElementsMatch(t, []any{2, 3, 4}, hooks.discarded)
	assert.Equal(t, []error{late}, hooks.errs)
}

// An element fails that has asked for more, which fails, too.
func TestForeignRequestAndElementFail(t *testing.T) {
	ctx, hooks := capture()
	below := errors.New("below")
	p := &probe[int]{}
	p.onNext = func(int) {
		p.up.Request(1)
		panic(below)
	}
	Trust("test", reactor.Publisher[int](rude(func(s reactor.Subscriber[int]) {
		s.OnSubscribe(&refusing{})
		s.OnNext(1)
	}))).Subscribe(ctx, p)
	if assert.Len(t, p.errs, 1) {
		assert.ErrorIs(t, p.errs[0], below)
	}
	if assert.Len(t, hooks.errs, 1) {
		assert.ErrorIs(t, hooks.errs[0], assert.AnError)
	}
}

type leavingSubscription struct{ countingSub }

func (*leavingSubscription) Cancel() { runtime.Goexit() }

// The cancellation that an element causes ends the goroutine.
func TestForeignGoexitInTheCancellation(t *testing.T) {
	ctx, hooks := capture()
	p := &probe[int]{}
	p.onNext = func(int) { panic(assert.AnError) }
	racetest.Aside(func() {
		Trust("test", reactor.Publisher[int](rude(func(s reactor.Subscriber[int]) {
			s.OnSubscribe(&leavingSubscription{})
			s.OnNext(1)
		}))).Subscribe(ctx, p)
	})
	if assert.Len(t, p.errs, 1) {
		assert.ErrorIs(t, p.errs[0], assert.AnError)
	}
	assert.Equal(t, []any{1}, hooks.discarded)
}

// The end of the context that comes when the stream was cancelled is no news to anybody.
func TestForeignEndOfTheContextAfterACancellation(t *testing.T) {
	for late, news := range map[error]bool{
		context.Canceled: false,
		assert.AnError:   true,
		failure.Both(assert.AnError, context.Canceled): true, // a function has failed because of the end
	} {
		ctx, hooks := capture()
		ctx, end := context.WithCancel(ctx)
		var told reactor.Subscriber[int]
		p := &probe[int]{}
		Trust("test", reactor.Publisher[int](publisherFunc[int](func(_ context.Context, s reactor.Subscriber[int]) {
			told = s
			s.OnSubscribe(Empty)
		}))).Subscribe(ctx, p)
		end()
		p.up.Cancel()
		told.OnError(late)
		assert.Equal(t, news, len(p.errs) == 1, "%v: the stages below report it", late)
		told.OnError(late)
		assert.Equal(t, news, len(hooks.errs) == 1, late)
	}
}

type publisherFunc[T any] func(context.Context, reactor.Subscriber[T])

func (f publisherFunc[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) { f(ctx, s) }

// broken is a foreign publisher that fails in Subscribe, when it has handed down its subscription.
type broken struct {
	sub  *naiveSubscription
	fail func()
}

func (p *broken) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	p.sub = &naiveSubscription{down: s}
	s.OnSubscribe(p.sub)
	p.fail()
}

// Who fails in Subscribe is cancelled if there is something to cancel.
func TestForeignSubscribeThatFailsIsCancelled(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic(assert.AnError) }, "goexit": runtime.Goexit} {
		ctx, hooks := capture()
		src, p := &broken{fail: fail}, &foreignProbe[int]{}
		racetest.Aside(func() { Trust("test", reactor.Publisher[int](src)).Subscribe(ctx, p) })
		assert.True(t, src.sub.over, name)
		assert.Len(t, p.errs, 1, name)
		assert.Empty(t, hooks.errs, name)
	}
}

// Who fails in Subscribe may have begun to send on another goroutine: signals stay serial, and there is one end.
func TestForeignSubscribeThatFailsBesideItsSignals(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic(assert.AnError) }, "goexit": runtime.Goexit} {
		for begins, introduced := range map[string]bool{"introduced": true, "introduces itself elsewhere": false} {
			t.Run(name+", "+begins, func(t *testing.T) {
				for range racetest.Iterations(1000) {
					ctx, _ := capture()
					p := &probe[int]{}
					var elsewhere sync.WaitGroup
					racetest.Aside(func() {
						defer elsewhere.Wait()
						defer func() { _ = recover() }()
						Trust("test", reactor.Publisher[int](publisherFunc[int](func(_ context.Context, s reactor.Subscriber[int]) {
							if introduced {
								s.OnSubscribe(Empty)
							}
							elsewhere.Go(func() {
								if !introduced {
									s.OnSubscribe(Empty)
								}
								s.OnNext(1)
								s.OnComplete()
							})
							fail()
						}))).Subscribe(ctx, p)
					})
					require.Equal(t, 1, len(p.errs)+p.done)
					require.Zero(t, p.overlaps.Load())
				}
			})
		}
	}
}

// unsubscribed fails without a subscription.
type unsubscribed struct{}

func (unsubscribed) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	s.OnError(assert.AnError)
}

// Downstream ends the goroutine when it gets a subscription in its place: it gets the error all the same.
func TestForeignErrorWithoutASubscriptionMeetsAGoexit(t *testing.T) {
	ctx, hooks := capture()
	p := &probe[int]{}
	p.onSub = runtime.Goexit
	racetest.Aside(func() { Trust[int]("test", unsubscribed{}).Subscribe(ctx, p) })
	assert.Equal(t, []error{assert.AnError}, p.errs)
	if assert.Len(t, hooks.errs, 1, "which nobody further down has dealt with") {
		assert.ErrorIs(t, hooks.errs[0], reactor.ErrGoexit)
	}
}

// breaking is a foreign publisher whose Request panics, and whose Cancel ends the goroutine.
type breaking struct{ sent reactor.Subscriber[int] }

func (b *breaking) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	b.sent = s
	s.OnSubscribe(b)
}

func (b *breaking) Request(int64) { panic(assert.AnError) }
func (b *breaking) Cancel()       { runtime.Goexit() }

// The stream ends although what is cancelled because of that ends the goroutine.
func TestForeignRequestFailsAndTheCancellationEndsTheGoroutine(t *testing.T) {
	ctx, hooks := capture()
	p := &probe[int]{}
	src := &breaking{}
	racetest.Aside(func() {
		Trust("test", reactor.Publisher[int](src)).Subscribe(ctx, p)
		p.up.Request(1)
	})
	if assert.Len(t, p.errs, 1) {
		assert.ErrorIs(t, p.errs[0], assert.AnError)
	}
	if assert.Len(t, hooks.errs, 1) {
		assert.ErrorIs(t, hooks.errs[0], reactor.ErrGoexit)
	}
	racetest.Aside(func() { src.sent.OnSubscribe(src) })
	if assert.Len(t, hooks.errs, 3) {
		assert.ErrorIs(t, hooks.errs[2], reactor.ErrProtocol)
	}
}

// A publisher that sends on a goroutine of its own as soon as it is asked, while downstream, which has asked within OnSubscribe, has not
// returned from there: the element arrives, whenever that is.
func TestForeignElementThatComesAsOnSubscribeReturns(t *testing.T) {
	racetest.Rounds(t, 50_000, func() ([]func(), func()) {
		ctx, hooks := capture()
		var asked atomic.Bool
		var s reactor.Subscriber[int]
		p := &probe[int]{}
		p.onSub = func() {
			asked.Store(true)
			for n := rand.IntN(200); n > 0; n-- {
				asked.Load()
			}
		}
		src := rude(func(down reactor.Subscriber[int]) {
			s = down
			s.OnSubscribe(Empty)
		})
		return []func(){
			func() { Trust("test", reactor.Publisher[int](src)).Subscribe(ctx, p) },
			func() {
				for !asked.Load() {
					runtime.Gosched()
				}
				s.OnNext(1)
				s.OnComplete()
			},
		}, func() {
			assert.Equal(t, []int{1}, p.items)
			assert.Equal(t, 1, p.done)
			assert.Empty(t, hooks.next)
		}
	})
}

// once is a foreign publisher that sends an element from within the first Request, and whose second one panics.
type once struct {
	down  reactor.Subscriber[int]
	asked int
}

func (p *once) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	p.down = s
	s.OnSubscribe(p)
}

func (p *once) Request(int64) {
	if p.asked++; p.asked > 1 {
		panic(assert.AnError)
	}
	p.down.OnNext(1)
}

func (p *once) Cancel() {}

// The failure of a request that is made within an element, and that within OnSubscribe, is told once, when both have returned.
func TestForeignRequestFailsWithinAnElementWithinOnSubscribe(t *testing.T) {
	ctx, hooks := capture()
	p := &probe[int]{}
	p.onSub = func() {
		p.up.Request(1)
		assert.Empty(t, p.errs)
	}
	p.onNext = func(int) {
		p.up.Request(1)
		assert.Empty(t, p.errs)
	}
	Trust("test", reactor.Publisher[int](&once{})).Subscribe(ctx, p)
	assert.Equal(t, []int{1}, p.items)
	if assert.Len(t, p.errs, 1) {
		assert.ErrorIs(t, p.errs[0], assert.AnError)
	}
	assert.Empty(t, hooks.errs)
}

// A request fails within OnSubscribe while an element is on its way elsewhere: the failure waits for that, too.
func TestForeignRequestFailsWithinOnSubscribeBesideAnElement(t *testing.T) {
	ctx, hooks := capture()
	arrived, goOn := make(chan struct{}), make(chan struct{})
	var elsewhere sync.WaitGroup
	p := &probe[int]{}
	p.onNext = func(int) {
		close(arrived)
		<-goOn
	}
	src := &refusing{}
	Trust("test", reactor.Publisher[int](rude(func(s reactor.Subscriber[int]) {
		p.onSub = func() {
			elsewhere.Go(func() { s.OnNext(1) })
			<-arrived
			p.up.Request(1)
		}
		s.OnSubscribe(src)
	}))).Subscribe(ctx, p)
	assert.Empty(t, p.errs)
	close(goOn)
	elsewhere.Wait()
	if assert.Len(t, p.errs, 1) {
		assert.ErrorIs(t, p.errs[0], assert.AnError)
	}
	assert.Empty(t, hooks.errs)
}
