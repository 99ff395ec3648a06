package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/elementwise"
)

// followers are the stages below a stage that emits elements of type T, as far as they are only
// functions of such elements: any number of maps that keep the type, and a filter.
//
// A stage that calls these functions itself saves, for each element and stage, the call of the
// closure that would call the function. A failure still says whose function it was, because that is
// found by the file of the call: in map.go or filter.go.
//
// A closure captures it as a whole. It is too large for registers, so a field is read where it is used, out of the
// closure; each variable that was captured by itself would be copied to the stack for every element. The list of
// maps, which a loop goes through, is better off there.
type followers[T any] struct {
	maps   []func(T) T        // called in this order
	keep   func(T) bool       // called then; nil: there is no filter
	filter *elementwise.Stage // its stage, which discards
	next   func(T)            // behind all of them
}

// followersOf returns what stands at down and below.
func followersOf[T any](down reactor.Subscriber[T]) (f followers[T]) {
	for {
		def, stage, below := elementwise.Below(down)
		switch d := def.(type) {
		case mapper[T, T]:
			f.maps = append(f.maps, d)
			down = below
		case rejecting:
			f.keep, f.filter, f.next = d.predicate().(func(T) bool), stage, protocol.Push(below)
			return f
		default:
			f.next = protocol.Push(down)
			return f
		}
	}
}

// rejecting is the definition of a filter of any type: so a program compiles that for the types of element that it filters.
type rejecting interface{ predicate() any }
