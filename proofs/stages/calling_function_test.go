package stages

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

// TestGoexitInWhatAFunctionRuns has the function of a stage run another stream, of which a function ends the goroutine. The Goexit is
// dealt with in there, and ends the function outside, too: the element that this was called with is discarded. (Where a function sends
// to a sink, it is not: what it sends is most often that element.)
func TestGoexitInWhatAFunctionRuns(t *testing.T) {
	ends := func(n int) int { runtime.Goexit(); return n }
	bad := flux.Range(0, 3).Map(ends)
	one := mono.Just(1).Map(ends)
	subscriber := func(ctx context.Context) reactor.Subscriber[int] {
		return operators.NewSubscriber(ctx, operators.SubscriberHooks[int]{OnNext: func(*operators.BaseSubscriber[int], int) {}})
	}
	for name, calls := range map[string]func(context.Context){
		"Block":                        func(ctx context.Context) { _, _ = one.Block(ctx) },
		"Block, without hooks":         func(context.Context) { _, _ = one.Block(context.Background()) },
		"SubscribeFunc, without hooks": func(context.Context) { one.SubscribeFunc(context.Background(), func(int) {}) },
		"BlockLast":                    func(ctx context.Context) { _, _ = bad.BlockLast(ctx) },
		"BlockFirst, hidden":           func(ctx context.Context) { _, _ = bad.Hide().BlockFirst(ctx) },
		"Collect":                      func(ctx context.Context) { _, _ = bad.Collect(ctx) },
		"ForEach":                      func(ctx context.Context) { _ = bad.ForEach(ctx, func(int) {}) },
		"All": func(ctx context.Context) {
			for _, err := range bad.All(ctx) {
				assert.NoError(t, err)
			}
		},
		"All, hidden": func(ctx context.Context) {
			for _, err := range bad.Hide().All(ctx) {
				assert.NoError(t, err)
			}
		},
		"SubscribeFunc":         func(ctx context.Context) { bad.SubscribeFunc(ctx, func(int) {}) },
		"SubscribeFunc, a Mono": func(ctx context.Context) { one.SubscribeFunc(ctx, func(int) {}) },
		"Subscribe":             func(ctx context.Context) { bad.Subscribe(ctx, subscriber(ctx)) },
		"Subscribe, a Mono":     func(ctx context.Context) { one.Subscribe(ctx, subscriber(ctx)) },
		"SubscribeWith":         func(ctx context.Context) { operators.SubscribeWith(ctx, bad.Source(), subscriber(ctx)) },
		"ToFuture":              func(ctx context.Context) { one.ToFuture(ctx) },
		"rails":                 func(ctx context.Context) { bad.Parallel(2).SubscribeFunc(ctx, func(int) {}) },
		"Connect": func(ctx context.Context) {
			c := bad.Publish()
			c.Subscribe(ctx, subscriber(ctx))
			c.Connect(ctx)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scene{books: ledger.New(t), clock: newHands(false)}
			s.down = &watcher{demand: reactor.Unbounded, onNext: s.delivered}
			ctx := reactor.WithHooks(context.Background(), s.hooks())
			calls := func() {
				calls(reactor.WithHooks(ctx, reactor.Hooks{ErrorDropped: func(context.Context, error) {}, Discard: func(context.Context, any) {}}))
			}
			made := 0
			src := operators.Map(operators.FromSeq(func(yield func(element) bool) {
				for range 3 {
					if made++; !yield(s.books.Produce()) {
						return
					}
				}
			}), func(v element) element {
				if made == 2 {
					calls()
				}
				return v
			})
			racetest.Aside(func() { untyped(src).Subscribe(ctx, foreign{s.down}) })
			_, _, faults, _ := s.down.state()
			assert.Empty(t, faults)
			assert.Equal(t, 2, made)
			s.books.Check()
		})
	}
}
