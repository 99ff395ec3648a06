package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/elementwise"
	"github.com/goreactor/reactor/schedulers"
)

// Map emits fn(v) for every v.
//
//	src:  1 --- 2 --- 3 |
//	      Map(n => 10n)
//	out:  10 -- 20 -- 30 |
//
// Demand passes through one for one. A panic of fn cancels src and ends the
// stream with a *reactor.PanicError; for functions that fail in the ordinary
// way there is [TryMap]. fn runs on the goroutine of src.
func Map[T, R any](src reactor.Publisher[T], fn func(T) R) reactor.Publisher[R] {
	argument.Given("map", "mapper", fn != nil)
	return &mapPublisher[T, R]{src: protocol.Trust("map", src), fn: fn}
}

type mapPublisher[T, R any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(T) R
}

func (p *mapPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	elementwise.Map[T](ctx, mapper[T, R](p.fn), p.src, s)
}

// mapper is the function by itself: a subscription does not keep the publisher.
type mapper[T, R any] func(T) R

func (fn mapper[T, R]) Apply(v T) (R, bool, error) { return fn(v), true, nil }

// Step calls the functions of stages below, where it can: that is one call for each in the place of two.
func (fn mapper[T, R]) Step(_ *elementwise.Stage, down reactor.Subscriber[R]) func(T) {
	f := followersOf(down)
	next := f.next
	switch {
	case f.keep != nil && len(f.maps) == 0:
		return func(v T) {
			if r := fn(v); keeps(f.keep, r) {
				f.next(r)
			} else if !f.filter.Ignores() {
				f.filter.Reject(r)
			}
		}
	case f.keep != nil:
		maps := f.maps
		return func(v T) {
			if r := mapped(maps, fn(v)); keeps(f.keep, r) {
				f.next(r)
			} else if !f.filter.Ignores() {
				f.filter.Reject(r)
			}
		}
	case len(f.maps) > 0:
		maps := f.maps
		return func(v T) {
			next(mapped(maps, fn(v)))
		}
	}
	return func(v T) { next(fn(v)) }
}

// mapped calls the functions of maps for another stage.
func mapped[T any](maps []func(T) T, v T) T {
	for _, fn := range maps {
		v = fn(v)
	}
	return v
}

// callOn implements calledOnRequest.
func (p *mapPublisher[T, R]) callOn(scheduler schedulers.Scheduler, ctx context.Context, down reactor.Subscriber[R]) {
	elementwise.Map[T](ctx, mapper[T, R](p.fn), &calledOn[T]{src: p.src, scheduler: scheduler}, down)
}

// callsOn implements calling.
func (p *mapPublisher[T, R]) callsOn() bool { return callsOnRequest(p.src) }

// pulled: see isPulled.
func (p *mapPublisher[T, R]) pulled() bool { return isPulled(p.src) }

func (p *mapPublisher[T, R]) behind(src reactor.Publisher[T]) reactor.Publisher[R] {
	return &mapPublisher[T, R]{src: src, fn: p.fn}
}

// Computable reports whether its source is: see [direct.Is].
func (p *mapPublisher[T, R]) Computable() direct.Way { return wayOf(p.src) }

// Direct implements direct.Source.
func (p *mapPublisher[T, R]) Direct(ctx context.Context) (r R, ok bool, err error) {
	v, ok, err := computed(ctx, p.src)
	if !ok || err != nil {
		return r, false, passed[T, R](err, p)
	}
	done := false
	defer func() {
		if !done {
			abandon(ctx, v)
		}
	}()
	r = p.fn(v)
	done = true
	return r, true, nil
}
