package stages

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/proofs/roster"
	"github.com/goreactor/reactor/reactortest"
)

var errCause = errors.New("the cause")

// stubborn is a publisher of somebody else that takes no notice of a cancellation, as one that is about to signal can't.
type stubborn[T any] struct {
	mu   sync.Mutex
	subs []signalled[T] // guarded by mu
}

type signalled[T any] struct {
	ctx  context.Context
	down reactor.Subscriber[T]
}

func (p *stubborn[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.mu.Lock()
	p.subs = append(p.subs, signalled[T]{ctx, s})
	p.mu.Unlock()
	s.OnSubscribe(protocol.Empty)
}

func (p *stubborn[T]) all() []signalled[T] {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]signalled[T](nil), p.subs...)
}

// stranger is a subscriber of somebody else, so that the edge watches the context.
type stranger struct{ demand int64 }

func (s stranger) OnSubscribe(up reactor.Subscription) { up.Request(s.demand) }
func (stranger) OnNext(any)                            {}
func (stranger) OnError(error)                         {}
func (stranger) OnComplete()                           {}

// TestTheEndOfAContextIsNoNews lets the source of every stage tell that its context has ended, as the edge has done
// before: that is no error that nobody has heard of.
func TestTheEndOfAContextIsNoNews(t *testing.T) {
	for _, stage := range roster.Stages[int]() {
		t.Run(stage.Name, func(t *testing.T) {
			for _, sent := range []int{0, 1, 3} {
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
						for i := range min(sent, 1+2*bit(!stage.Single)) {
							for _, s := range src.all() {
								s.down.OnNext(i)
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

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
