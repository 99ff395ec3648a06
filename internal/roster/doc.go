// Package roster lists the operators of this module in the forms that matter, so
// that a proof which all of them must pass is written once. A new operator is
// covered by a line here.
package roster

import (
	"errors"
	"slices"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

// Publisher is short for what the stages of T are made of.
type Publisher[T any] = reactor.Publisher[T]

// Stage is an operator with its arguments, made to be subscribed to any number of
// times.
type Stage[T any] struct {
	Name string
	// Build puts the stage on top of src. Tasks and timers go to s.
	Build func(s schedulers.Scheduler, src Publisher[T]) Publisher[any]
	Traits
}

// Traits are what a proof may have to know of a stage.
type Traits struct {
	// Whole: every element of the source is emitted once, as it is and in order.
	Whole bool
	// AtEnd: nothing is emitted before the source has completed.
	AtEnd bool
	// Fails are the errors that the stage itself may end in.
	Fails []error
	// Swallows: elements may end in a function of the user, so the books on them
	// can't be balanced.
	Swallows bool
	// Single: the source has at most one element and completes with it.
	Single bool
	// Timed: something may only happen when time passes, or when a task runs.
	Timed bool
	// Overruns: a cancellation in OnNext does not keep the stage from sending the
	// rest of what one element of the source has caused, as Reactor does.
	Overruns bool
	// Lingers: what the stage holds goes with the subscription and not before: that of a
	// part that was cancelled because another part has failed, or downstream, or what a sink
	// keeps for those who come later.
	Lingers bool
	// Hot: subscribers share a subscription to the source, which may outlive
	// them.
	Hot bool
}

// MayFailWith reports whether the stage itself may end in err.
func (t Traits) MayFailWith(err error) bool {
	return slices.ContainsFunc(t.Fails, func(own error) bool { return errors.Is(err, own) })
}

// boxed makes every stage a publisher of the same type.
func boxed[T any](p Publisher[T]) Publisher[any] {
	return operators.Map(p, func(v T) any { return v })
}

// plain is a stage that needs no scheduler.
func plain[T, R any](name string, traits Traits, build func(src Publisher[T]) Publisher[R]) Stage[T] {
	return Stage[T]{name, func(_ schedulers.Scheduler, src Publisher[T]) Publisher[any] { return boxed(build(src)) }, traits}
}

// onScheduler is a stage that uses one.
func onScheduler[T, R any](name string, traits Traits, build func(s schedulers.Scheduler, src Publisher[T]) Publisher[R]) Stage[T] {
	traits.Timed = true
	return Stage[T]{name, func(s schedulers.Scheduler, src Publisher[T]) Publisher[any] { return boxed(build(s, src)) }, traits}
}

// swallowing returns the stage with that trait.
func (s Stage[T]) swallowing() Stage[T] {
	s.Swallows = true
	return s
}

// failing returns the stage as one that may end in errs.
func (s Stage[T]) failing(errs ...error) Stage[T] {
	s.Fails = errs
	return s
}
