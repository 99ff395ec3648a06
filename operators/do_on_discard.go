package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
)

// DoOnDiscard calls fn with every element of type D that a stage above discards. Such
// an element was accepted but not delivered: it was filtered out, or it was still
// queued at a cancellation or failure. fn is the place to release what elements own.
//
//	src:  1 --- 2 --- 3 |          Filter(odd) above
//	      DoOnDiscard(fn)
//	out:  1 --------- 3 |          fn(2)
//
// If a chain has several such callbacks, all are called, the innermost first, and then
// the hook of the process. A panic of fn is logged and otherwise ignored. fn runs on
// whichever goroutine discards. When a function above panics, fn gets the element that
// the source has sent, not what other functions have made of it.
//
// D is the type of what a stage holds, which may be another one than T: behind a [Buffer],
// stages below it discard a []T as one element, and the stages above are heard of as well. To
// hear of both, use two of them, or a D that is any.
func DoOnDiscard[T, D any](src reactor.Publisher[T], fn func(D)) reactor.Publisher[T] {
	argument.Given("doOnDiscard", "callback", fn != nil)
	return &doOnDiscardPublisher[T]{src: protocol.Trust("doOnDiscard", src), fn: func(v any) {
		if d, ok := v.(D); ok {
			fn(d)
		}
	}}
}

type doOnDiscardPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(any)
}

func (p *doOnDiscardPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.src.Subscribe(reactor.AddDiscard(ctx, p.fn), protocol.Strict(ctx, s))
}
