package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/stage"
)

// DistinctUntilChanged emits the elements whose key differs from that of the
// element emitted before and discards the others.
//
//	src:  a --- a --- b --- a |
//	      DistinctUntilChanged(identity)
//	out:  a --------- b --- a |
//
// Demand passes through; for each discarded element one more is requested. A
// panic of key cancels src and ends the stream. key runs on the goroutine of
// src.
func DistinctUntilChanged[T any, K comparable](src reactor.Publisher[T], key func(T) K) reactor.Publisher[T] {
	return DistinctUntilChangedFunc(src, key, func(a, b K) bool { return a == b })
}

// DistinctUntilChangedFunc is [DistinctUntilChanged] for keys that equal compares; the
// first argument of equal is the older key.
func DistinctUntilChangedFunc[T, K any](src reactor.Publisher[T], key func(T) K, equal func(a, b K) bool) reactor.Publisher[T] {
	stage.NotNil("distinctUntilChanged", "key function", key)
	stage.NotNil("distinctUntilChanged", "comparison", equal)
	return stage.Choose("distinctUntilChanged", stage.Rejects, src, distinctUntilChanged[T, K]{key, equal})
}

type distinctUntilChanged[T, K any] struct {
	key   func(T) K
	equal func(a, b K) bool
}

type changedState[K any] struct {
	stage.Control
	last K
	any  bool // there is a last
}

func (p distinctUntilChanged[T, K]) Step(s *changedState[K], next func(T)) func(T) {
	key, equal := p.key, p.equal
	return func(v T) {
		k := key(v)
		if s.any && equal(s.last, k) {
			s.Reject(v)
			return
		}
		s.last, s.any = k, true
		next(v)
	}
}
