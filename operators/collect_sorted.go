package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
)

// CollectSorted emits one slice of all elements, in the order that compare
// defines, at the end. Equal elements keep their order.
//
// Demand, errors and discarding are as for [CollectSlice].
func CollectSorted[T any](src reactor.Publisher[T], compare func(a, b T) int) reactor.Publisher[[]T] {
	argument.Given("collectSorted", "comparison", compare != nil)
	return Map(CollectSlice(src), func(items []T) []T {
		sortStable(items, compare)
		return items
	})
}
