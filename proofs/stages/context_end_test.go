package stages

import (
	"context"
	"errors"
	"slices"
	std "strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/proofs/roster"
	"github.com/goreactor/reactor/reactortest"
)

var errCause = errors.New("the cause")

// stubborn is a publisher of somebody else that takes no notice of a cancellation, as one that is about to signal can't.
type stubborn[T any] struct {
	mu   sync.Mutex
	subs []*signalled[T] // guarded by mu
}

type signalled[T any] struct {
	ctx       context.Context
	down      reactor.Subscriber[T]
	requested atomic.Int64
}

func (p *stubborn[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &signalled[T]{ctx: ctx, down: s}
	p.mu.Lock()
	p.subs = append(p.subs, sub)
	p.mu.Unlock()
	s.OnSubscribe(sub)
}

func (s *signalled[T]) Request(n int64) { demand.Add(&s.requested, n) }
func (s *signalled[T]) Cancel()         {}

func (p *stubborn[T]) all() []*signalled[T] {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.subs)
}

// stranger is a subscriber of somebody else, so that the edge watches the context.
type stranger struct{ demand int64 }

func (s stranger) OnSubscribe(up reactor.Subscription) { up.Request(s.demand) }
func (stranger) OnNext(any)                            {}
func (stranger) OnError(error)                         {}
func (stranger) OnComplete()                           {}

// TestTheEndOfAContextIsNoNews lets the source of every stage tell that its context has ended, as the edge has done
// before: that is no error that nobody has heard of. It is one to a sink, whose program emits it, and to a stage that
// has had its only element and cancels nobody.
func TestTheEndOfAContextIsNoNews(t *testing.T) {
	for _, stage := range roster.Stages[int]() {
		if std.HasPrefix(stage.Name, "sink") {
			continue
		}
		t.Run(stage.Name, func(t *testing.T) {
			for _, sent := range []int{0, 1, 3} {
				if stage.Single && sent > 0 {
					break
				}
				for _, demand := range []int64{1, reactor.Unbounded} {
					synctest.Test(t, func(t *testing.T) {
						var mu sync.Mutex
						var dropped []error
						ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) {
							mu.Lock()
							defer mu.Unlock()
							dropped = append(dropped, err)
						}})
						ctx, cancel := context.WithCancelCause(ctx)
						src := &stubborn[int]{}
						stage.Build(reactortest.NewVirtualTime(), src).Subscribe(ctx, stranger{demand})
						for i := range sent {
							for _, s := range src.all() {
								if s.requested.Load() > int64(i) {
									s.down.OnNext(i)
								}
							}
						}
						cancel(errCause)
						synctest.Wait()
						for _, s := range src.all() {
							if s.ctx.Err() != nil {
								s.down.OnError(context.Cause(s.ctx))
							}
						}
						synctest.Wait()
						mu.Lock()
						defer mu.Unlock()
						assert.Empty(t, dropped)
					})
				}
			}
		})
	}
}
