package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
)

// ParallelSubscribeFunc is [SubscribeFunc] for each rail of src. Rails that run at the same time
// call the functions at the same time. The functions given to [OnComplete], [OnError] and
// [OnSubscribe] are called once for each rail. Disposing the handle cancels all rails.
func ParallelSubscribeFunc[T any](ctx context.Context, src ParallelPublisher[T], onNext func(T), opts ...SubscribeOption) reactor.Disposable {
	argument.Given("parallelSubscribe", "context", ctx != nil)
	argument.NotNil("parallelSubscribe", "source", src)
	all := &funcRails[T]{rails: make([]*funcSubscriber[T], src.Parallelism())}
	cfg := subscribeOptions(opts)
	subscribers := make([]reactor.Subscriber[T], len(all.rails))
	for i := range all.rails {
		all.rails[i] = newFuncSubscriber(ctx, onNext, cfg)
		subscribers[i] = all.rails[i]
	}
	failure.Outside(func() { src.SubscribeRails(ctx, subscribers) })
	for _, s := range all.rails {
		s.begun()
	}
	return all
}

// funcRails is the handle on all rails.
type funcRails[T any] struct {
	rails []*funcSubscriber[T] // never changed
}

func (f *funcRails[T]) Dispose() {
	failure.Persist(len(f.rails), func(i int) bool { f.rails[i].Dispose(); return true }) // a function that hears of it may end the goroutine
}

// IsDisposed reports whether all rails have ended or were disposed.
func (f *funcRails[T]) IsDisposed() bool {
	for _, s := range f.rails {
		if !s.IsDisposed() {
			return false
		}
	}
	return true
}
