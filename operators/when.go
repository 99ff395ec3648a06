package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
)

// When completes as soon as all sources have completed; their elements are discarded.
//
//	a:    1 ----- 2 |
//	b:    --- 3 -------- |
//	      When(a, b)
//	out:  -------------- |
//
// The sources are subscribed at the first request, in order, with unbounded demand; a
// single source is subscribed at once. They run at the same time only if each works on
// a goroutine of its own: one that works on the goroutine that requests, such as
// [FromFunc], keeps the next one waiting unless it has a [SubscribeOn]. The first error
// ends the stream and cancels the others; with [DelayErrors] all sources run to their
// end first, and several errors are joined in the order of the sources. The end comes
// on the goroutine of the source that ends last. To mix sources of different types,
// convert them with [Then].
func When[T any](sources []reactor.Publisher[T], opts ...WhenOption) reactor.Publisher[struct{}] {
	var cfg whenConfig
	for _, o := range argument.Options("when", opts) {
		o.applyWhen(&cfg)
	}
	sources = protocol.TrustAll("when", sources)
	switch len(sources) {
	case 0:
		return Empty[struct{}]()
	case 1:
		return Then(sources[0])
	}
	return &whenPublisher[T]{sources: sources, delay: cfg.delay}
}

// WhenOption is an option of [When]: [DelayErrors].
type WhenOption interface{ applyWhen(*whenConfig) }

type whenConfig struct{ delay bool }

func (d DelayErrorsOption) applyWhen(c *whenConfig) { c.delay = bool(d) }

type whenPublisher[T any] struct {
	protocol.Op
	sources []reactor.Publisher[T] // never changed
	delay   bool
}

func (p *whenPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[struct{}]) {
	j := newWhen(ctx, s, p.delay)
	members := make([]joinMember, len(p.sources))
	for i, src := range p.sources {
		members[i] = &joinInner[T, struct{}]{parent: j, src: src}
	}
	j.subscribe(members...)
}

func newWhen(ctx context.Context, s reactor.Subscriber[struct{}], delay bool) *join[struct{}] {
	return &join[struct{}]{
		ctx: ctx, down: protocol.Strict(ctx, s), delay: delay,
		finish: func() (struct{}, bool) { return struct{}{}, false },
	}
}

// And completes when both have completed; their elements are discarded. Both are subscribed
// at the first request. See [When].
func And[T, U any](src reactor.Publisher[T], other reactor.Publisher[U]) reactor.Publisher[struct{}] {
	return &andPublisher[T, U]{src: protocol.Trust("and", src), other: protocol.Trust("and", other)}
}

type andPublisher[T, U any] struct {
	protocol.Op
	src   reactor.Publisher[T]
	other reactor.Publisher[U]
}

func (p *andPublisher[T, U]) Subscribe(ctx context.Context, s reactor.Subscriber[struct{}]) {
	j := newWhen(ctx, s, false)
	j.subscribe(
		&joinInner[T, struct{}]{parent: j, src: p.src},
		&joinInner[U, struct{}]{parent: j, src: p.other},
	)
}
