// Package roster lists the operators of this module in the forms that matter, so
// that a proof which all of them must pass is written once. A new operator is
// covered by a line here.
package roster

import (
	"errors"
	"slices"
	"strings"

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
	// Calling is Build where the function that the row is about calls call first, and fails with it. What
	// is returned is the operator's own publisher. Nil for rows that don't say.
	Calling func(call func(), src Publisher[T]) any
	Traits
}

// Operator returns the name of the operator, the first word of the row's, and what else the row says:
// which of several functions it is about.
func (s Stage[T]) Operator() (name, function string) {
	name, function, _ = strings.Cut(s.Name, " ")
	return name, function
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
	// Keeps says why an element may not come back: who has it. Empty if it is delivered or
	// discarded.
	Keeps string
	// Overlaps: an element is put into several slices or windows, each of which counts.
	Overlaps bool
	// TellsRuns: the runs of the source are handed on. Such a stage sends nothing but in a signal of
	// its source, on its goroutine: whoever is told of a run keeps an end from elsewhere back for as
	// long as it lasts.
	TellsRuns bool
	// CancelsAll: all that the stage is made of is cancelled where one part decides the end, that part
	// included, as Reactor does and the vectors see; what a signal of dematerialize ends is one part of two
	// as well.
	CancelsAll bool
	// InTurn: it has several sources one after the other. A cancellation of downstream, or its
	// failure, must not reach one that has ended either; the others may leave it to whoever has ended to
	// ignore it.
	InTurn bool
	// InPlace: it does by itself, as it says, what a scheduler refuses.
	InPlace bool
}

// MayFailWith reports whether the stage itself may end in err.
func (t Traits) MayFailWith(err error) bool {
	return slices.ContainsFunc(t.Fails, func(own error) bool { return errors.Is(err, own) })
}

// boxed makes every stage a publisher of the same type.
func boxed[T any](p Publisher[T]) Publisher[any] {
	return operators.Map(p, func(v T) any { return v })
}

// calling is a stage that needs no scheduler, in which one function of the user is told apart: it calls call
// before anything else. From such a row the operator goes through all that is written once for all:
// the proofs, chain fuzz with faults in that function, the compatibility kit if it is Whole, and the test
// that failures name the operator. With several functions there is a row for each, called after the
// operator and the function: "tryFold seed".
func calling[T, R any](name string, traits Traits, build func(call func(), src Publisher[T]) Publisher[R]) Stage[T] {
	s := plain(name, traits, func(src Publisher[T]) Publisher[R] { return build(func() {}, src) })
	s.Calling = func(call func(), src Publisher[T]) any { return build(call, src) }
	return s
}

// plain is a stage that needs no scheduler.
func plain[T, R any](name string, traits Traits, build func(src Publisher[T]) Publisher[R]) Stage[T] {
	return Stage[T]{Name: name, Traits: traits, Build: func(_ schedulers.Scheduler, src Publisher[T]) Publisher[any] { return boxed(build(src)) }}
}

// onScheduler is a stage that uses one.
func onScheduler[T, R any](name string, traits Traits, build func(s schedulers.Scheduler, src Publisher[T]) Publisher[R]) Stage[T] {
	traits.Timed = true
	return Stage[T]{Name: name, Traits: traits, Build: func(s schedulers.Scheduler, src Publisher[T]) Publisher[any] { return boxed(build(s, src)) }}
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

// keeping returns the stage as one from which an element may not come back, because somebody has it.
func (s Stage[T]) keeping(why string) Stage[T] {
	s.Keeps = why
	return s
}

// overlapping returns the stage with that trait.
func (s Stage[T]) overlapping() Stage[T] {
	s.Overlaps = true
	return s
}

// telling returns the stage as one that tells of runs.
func (s Stage[T]) telling() Stage[T] {
	s.TellsRuns = true
	return s
}

// cancellingAll returns the stage with the trait CancelsAll.
func (s Stage[T]) cancellingAll() Stage[T] {
	s.CancelsAll = true
	return s
}

// inTurn returns the stage as one with several sources, one after the other.
func (s Stage[T]) inTurn() Stage[T] {
	s.InTurn = true
	return s
}

// inPlace returns the stage with that trait.
func (s Stage[T]) inPlace() Stage[T] {
	s.InPlace = true
	return s
}
