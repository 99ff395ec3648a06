package operators

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// A function of a subscriber, or one that hears of its cancellation, may end the goroutine: what is
// to be called at the end is called all the same.
func TestGoexitAtASubscriber(t *testing.T) {
	exiting := func(fn func()) {
		done := make(chan struct{})
		go func() { defer close(done); fn() }()
		<-done
	}
	exit := func() { runtime.Goexit() }
	hears := func() reactor.Publisher[int] { return DoOnCancel(Hide(Range(1, 3)), exit) }

	t.Run("Finally", func(t *testing.T) {
		for name, row := range map[string]struct {
			src   reactor.Publisher[int]
			hooks SubscriberHooks[int]
			want  reactor.SignalKind
		}{
			"after OnComplete":                   {Hide(Range(1, 3)), SubscriberHooks[int]{OnComplete: exit}, reactor.KindComplete},
			"after OnError":                      {Error[int](assert.AnError), SubscriberHooks[int]{OnError: func(error) { exit() }}, reactor.KindError},
			"after OnNext, heard of":             {hears(), SubscriberHooks[int]{OnNext: func(*BaseSubscriber[int], int) { panic(assert.AnError) }, OnError: func(error) {}}, reactor.KindError},
			"after OnCancel":                     {Hide(Range(1, 3)), SubscriberHooks[int]{OnNext: func(s *BaseSubscriber[int], _ int) { s.Cancel() }, OnCancel: exit}, reactor.KindCancel},
			"after a cancellation that is heard": {hears(), SubscriberHooks[int]{OnNext: func(s *BaseSubscriber[int], _ int) { s.Cancel() }}, reactor.KindCancel},
		} {
			t.Run(name, func(t *testing.T) {
				ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}})
				var how []reactor.SignalKind
				row.hooks.Finally = func(k reactor.SignalKind) { how = append(how, k) }
				exiting(func() { row.src.Subscribe(ctx, NewSubscriber(ctx, row.hooks)) })
				assert.Equal(t, []reactor.SignalKind{row.want}, how)
			})
		}
	})

	t.Run("the element in hand is discarded", func(t *testing.T) {
		ctx, hooks := probe.Recorded()
		exiting(func() {
			src := DoOnCancel(Hide(FromSlice([]int{1, 2})), exit)
			src.Subscribe(ctx, NewSubscriber(ctx, SubscriberHooks[int]{OnNext: func(*BaseSubscriber[int], int) { exit() }, OnError: func(error) {}}))
		})
		assert.ElementsMatch(t, []any{1, 2}, hooks.Discarded)
	})

	t.Run("who waits gets what has come", func(t *testing.T) {
		ctx := context.Background()
		for name, wait := range map[string]func(reactor.Publisher[int]) (int, error){
			"blockFirst": func(src reactor.Publisher[int]) (int, error) { return BlockFirst(ctx, src) },
			"tryForEach": func(src reactor.Publisher[int]) (v int, err error) {
				return 7, TryForEach(ctx, src, func(int) error { return assert.AnError })
			},
		} {
			begun := make(chan *puppetSubscription[int])
			src := &puppet[int]{onSubscription: func(_ int, s *puppetSubscription[int]) { go func() { begun <- s }() }}
			type outcome struct {
				v   int
				err error
			}
			got := make(chan outcome)
			go func() {
				v, err := wait(DoOnCancel(src, exit))
				got <- outcome{v, err}
			}()
			s := <-begun
			exiting(func() { s.OnNext(7) })
			want := outcome{v: 7}
			if name == "tryForEach" {
				want.err = assert.AnError
			}
			assert.Equal(t, want, <-got, name)
		}
	})

	t.Run("SubscribeFunc ends its watch over the context", func(t *testing.T) {
		for name, stop := range map[string]func(reactor.Disposable, reactor.Subscription){
			"Dispose":         func(d reactor.Disposable, _ reactor.Subscription) { d.Dispose() },
			"illegal request": func(_ reactor.Disposable, s reactor.Subscription) { s.Request(-1) },
		} {
			t.Run(name, func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				var up reactor.Subscription
				d := SubscribeFunc(ctx, hears(), nil, OnSubscribe(func(s reactor.Subscription) { up = s }), OnError(func(error) {}))
				exiting(func() { stop(d, up) })
				assert.False(t, d.(*funcSubscriber[int]).stop(), "it was ended before")
			})
		}
	})

	t.Run("every function of a sink", func(t *testing.T) {
		called := 0
		count := func() { called++; exit() }
		p := probeOf[int](1)
		Create(func(s *FluxSink[int]) {
			for range 2 {
				s.OnCancel(count)
				s.OnDispose(count)
			}
		}).Subscribe(context.Background(), p)
		exiting(p.Cancel)
		assert.Equal(t, 4, called)
	})

	t.Run("the end of a sink is no cancellation", func(t *testing.T) {
		for name, end := range map[string]func(*FluxSink[int]){
			"complete": (*FluxSink[int]).Complete,
			"error":    func(s *FluxSink[int]) { s.Error(assert.AnError) },
		} {
			ctx, hooks := probe.Recorded()
			var sink *FluxSink[int]
			var own context.Context
			cancels, disposals := 0, 0
			SubscribeFunc(ctx, Create(func(s *FluxSink[int]) {
				s.OnCancel(func() { cancels++ })
				s.OnDispose(func() { disposals++ })
				sink, own = s, s.Context()
			}), nil, OnComplete(exit), OnError(func(error) { exit() }))
			exiting(func() { end(sink) })
			assert.Zero(t, cancels, name)
			assert.Equal(t, 1, disposals, name)
			assert.ErrorIs(t, context.Cause(own), context.Canceled, name)
			assert.Len(t, hooks.Errs, 1, name)
		}
	})

	t.Run("what waits in a sink is discarded", func(t *testing.T) {
		ctx, hooks := probe.Recorded()
		p := probeOf[int](0)
		Create(func(s *FluxSink[int]) {
			s.OnDispose(exit)
			s.Next(1)
			s.Next(2)
		}).Subscribe(ctx, p)
		exiting(p.Cancel)
		assert.Equal(t, []any{1, 2}, hooks.Discarded)
	})
}
