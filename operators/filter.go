package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/elementwise"
)

// Filter emits the elements for which keep reports true and discards the others.
//
//	src:  1 --- 2 --- 3 --- 4 |
//	      Filter(even)
//	out:  ----- 2 --------- 4 |
//
// Demand passes through; for each discarded element one more is requested. A
// panic of keep cancels src and ends the stream. keep runs on the goroutine of
// src.
func Filter[T any](src reactor.Publisher[T], keep func(T) bool) reactor.Publisher[T] {
	argument.Given("filter", "predicate", keep != nil)
	return &filterPublisher[T]{src: protocol.Trust("filter", src), keep: keep}
}

type filterPublisher[T any] struct {
	protocol.Op
	src  reactor.Publisher[T]
	keep func(T) bool
}

func (p *filterPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	elementwise.Choose(ctx, elementwise.Rejects, p, p.src, s)
}

func (p *filterPublisher[T]) Apply(v T) (T, bool, error) { return v, p.keep(v), nil }

// predicate implements rejecting.
func (p *filterPublisher[T]) predicate() any { return p.keep }

// Step calls the functions of stages below, as that of map does.
func (p *filterPublisher[T]) Step(s *elementwise.Stage, down reactor.Subscriber[T]) func(T) {
	f := followersOf(down)
	keep, next := p.keep, f.next
	switch {
	case f.keep != nil:
		return func(v T) {
			if !keep(v) {
				if !s.Ignores() {
					s.Reject(v)
				}
				return
			}
			if v = mapped(f.maps, v); f.keep(v) {
				f.next(v)
			} else if !f.filter.Ignores() {
				f.filter.Reject(v)
			}
		}
	case len(f.maps) > 0:
		maps := f.maps
		return func(v T) {
			if keep(v) {
				next(mapped(maps, v))
			} else if !s.Ignores() {
				s.Reject(v)
			}
		}
	}
	return func(v T) {
		if keep(v) {
			next(v)
		} else if !s.Ignores() {
			s.Reject(v)
		}
	}
}

// keeps calls the function of a filter for another stage. It is inlined there, and still says in a
// stack whose function it is.
func keeps[T any](keep func(T) bool, v T) bool { return keep(v) }

// Computable reports whether its source is: see [direct.Is].
func (p *filterPublisher[T]) Computable() direct.Way { return wayOf(p.src) }

// Direct implements direct.Source.
func (p *filterPublisher[T]) Direct(ctx context.Context) (T, bool, error) {
	return computeStage(ctx, elementwise.Rejects, p.src, p)
}

// pulled: see isPulled.
func (p *filterPublisher[T]) pulled() bool { return isPulled(p.src) }

func (p *filterPublisher[T]) behind(src reactor.Publisher[T]) reactor.Publisher[T] {
	return &filterPublisher[T]{src: src, keep: p.keep}
}
