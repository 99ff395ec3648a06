package operators

import (
	"testing"
)

func TestFromOptional(t *testing.T) {
	run(FromOptional(func() (int, bool, error) { return 7, true, nil })).Done(t, 7)
	run(FromOptional(func() (int, bool, error) { return 7, false, nil })).Done(t)
	run(FromOptional(func() (int, bool, error) { return 7, true, errBoom })).Failed(t, errBoom)
}
