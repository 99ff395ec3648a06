package operators

import (
	"strings"
	"testing"
)

func TestBufferUntilChanged(t *testing.T) {
	half := func(v int) int { return v / 2 }
	run(BufferUntilChanged(Range(1, 5), half)).Done(t, []int{1}, []int{2, 3}, []int{4, 5})
	words := FromSlice([]string{"a", "A", "b", "B", "a"})
	same := func(s string) string { return s }
	b := BufferUntilChangedFunc(words, same, strings.EqualFold)
	for range 2 {
		run(b).Done(t, []string{"a", "A"}, []string{"b", "B"}, []string{"a"})
	}
}

func TestBufferUntilChangedFunc(t *testing.T) {
	tens := func(a, b int) bool { return a/10 == b/10 }
	p := run(BufferUntilChangedFunc(JustAll(1, 7, 12, 19, 3), func(v int) int { return v }, tens))
	p.Done(t, []int{1, 7}, []int{12, 19}, []int{3})
}
