package operators

import (
	"strings"
	"testing"
)

func TestBufferUntilChanged(t *testing.T) {
	half := func(v int) int { return v / 2 }
	run(BufferUntilChanged(Range(1, 5), half)).assertCompleted(t, []int{1}, []int{2, 3}, []int{4, 5})
	words := FromSlice([]string{"a", "A", "b", "B", "a"})
	same := func(s string) string { return s }
	b := BufferUntilChangedFunc(words, same, strings.EqualFold)
	for range 2 {
		run(b).assertCompleted(t, []string{"a", "A"}, []string{"b", "B"}, []string{"a"})
	}
}
