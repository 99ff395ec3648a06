package blocking

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

// InStep returns src as it is for a [Feed] whose consumer reads it, in step with what it does with the
// elements, if src is a publisher of [New] that would read on the default scheduler. Otherwise it
// reports false.
//
// Nothing is read ahead then, not even one element, and none has to be handed to another goroutine,
// which for a chunk of a file costs as much as reading it. A source with a method InStep is told: its
// element may be overwritten when the next one is read.
func InStep[T any](src reactor.Publisher[T]) (reactor.Publisher[T], bool) {
	p, ok := src.(*publisher[T])
	if !ok || p.settings.On != nil {
		return src, false
	}
	c := p.settings
	c.On, c.inStep = schedulers.Immediate(), true
	return &publisher[T]{settings: c, make: func() Source[T] {
		source := p.make()
		if s, ok := source.(interface{ InStep() }); ok {
			s.InStep()
		}
		return source
	}}, true
}
