package operators

import (
	"io"
	"testing"
)

func TestOnErrorComplete(t *testing.T) {
	run(OnErrorComplete(failing(1))).assertCompleted(t, 1)
	run(OnErrorComplete(failing(1), WhenIs(io.EOF))).assertFailed(t, errBoom, 1)
	run(OnErrorComplete(FromSlice([]int{1, 2}))).assertCompleted(t, 1, 2)
}
