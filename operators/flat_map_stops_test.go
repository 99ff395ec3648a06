package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
)

// Who cancels in an element of a publisher that emits where it is asked has it stopped there: the next element may be long in
// coming, and functions in between would see it.
func TestFlatMapStopsAPublisherThatIsCancelledInItsElement(t *testing.T) {
	for name, demand := range map[string]int64{"all is asked for": probe.All, "some": 5} {
		for kind, in := range map[string]func(stream) stream{
			"alone":      func(s stream) stream { return s },
			"a function": func(s stream) stream { return Map(s, func(v int) int { return v }) },
			"hidden":     func(s stream) stream { return Hide(DoOnNext(s, func(int) {})) },
		} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				var asked []int
				more := true
				src := in(FromSeq(func(yield func(int) bool) {
					for i := 0; more; i++ {
						asked = append(asked, i)
						more = yield(i) && i < 3
					}
				}))
				p := probeOf[int](demand)
				p.Each = func(int) { p.Cancel() }
				Merge(src, Never[int]()).Subscribe(t.Context(), p)
				assert.Equal(t, []int{0}, asked)
				p.Open(t, 0)
			})
		}
	}
}
