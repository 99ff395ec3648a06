package operators

import (
	"io"
	"testing"
)

func TestOnErrorComplete(t *testing.T) {
	run(OnErrorComplete(failing(1))).Done(t, 1)
	run(OnErrorComplete(failing(1), WhenIs(io.EOF))).Failed(t, errBoom, 1)
	run(OnErrorComplete(FromSlice([]int{1, 2}))).Done(t, 1, 2)
}
