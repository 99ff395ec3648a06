package operators

import (
	"testing"
)

func TestBufferWhile(t *testing.T) {
	run(BufferWhile(FromSlice([]int{1, 2, 4, 6, 7, 8}), evenNumber)).Done(t, []int{2, 4, 6}, []int{8})
	run(BufferWhile(FromSlice([]int{1, 3}), evenNumber)).Done(t)
}
