package operators

import (
	"iter"
	"slices"

	"github.com/goreactor/reactor"
)

// zipIterables are the two forms of zipping with something that is at hand.
var zipIterables = map[string]func(src reactor.Publisher[int], items []int, fn func(int, int) int) reactor.Publisher[int]{
	"slice": ZipWithSlice[int, int, int],
	"seq": func(src reactor.Publisher[int], items []int, fn func(int, int) int) reactor.Publisher[int] {
		return ZipWithSeq(src, slices.Values(items), fn)
	},
}

// countedSeq yields numbers for ever and reports when it has ended.
func countedSeq(ended *int) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer func() { *ended++ }()
		for n := 10; yield(n); n += 10 {
		}
	}
}
