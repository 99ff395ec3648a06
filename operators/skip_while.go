package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/stage"
)

// SkipWhile discards elements as long as skip reports true, and emits everything from
// the first element on for which skip reports false.
//
//	src:  1 --- 2 --- 3 --- 1 |
//	      SkipWhile(n => n < 3)
//	out:  ----------- 3 --- 1 |
//
// Demand passes through; for each discarded element one more is requested. A
// panic of skip cancels src and ends the stream. skip runs on the goroutine of
// src.
func SkipWhile[T any](src reactor.Publisher[T], skip func(T) bool) reactor.Publisher[T] {
	stage.NotNil("skipWhile", "predicate", skip)
	return stage.Choose("skipWhile", stage.Rejects, src, skipWhile[T]{skip})
}

// SkipUntil discards elements until begin reports true for one, and emits that element
// and everything after it.
//
//	src:  1 --- 2 --- 3 --- 1 |
//	      SkipUntil(n => n == 2)
//	out:  ----- 2 --- 3 --- 1 |
//
// Demand, errors and goroutine are as for [SkipWhile].
func SkipUntil[T any](src reactor.Publisher[T], begin func(T) bool) reactor.Publisher[T] {
	stage.NotNil("skipUntil", "predicate", begin)
	return stage.Choose("skipUntil", stage.Rejects, src, skipWhile[T]{func(v T) bool { return !begin(v) }})
}

type skipWhile[T any] struct{ skip func(T) bool }

type skipWhileState struct {
	stage.Control
	begun bool // skip has reported false
}

func (p skipWhile[T]) Step(s *skipWhileState, next func(T)) func(T) {
	skip := p.skip
	return func(v T) {
		if !s.begun {
			if skip(v) {
				s.Reject(v)
				return
			}
			s.begun = true
		}
		next(v)
	}
}
