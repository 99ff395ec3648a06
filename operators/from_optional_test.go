package operators

import (
	"testing"
)

func TestFromOptional(t *testing.T) {
	run(FromOptional(func() (int, bool, error) { return 7, true, nil })).assertCompleted(t, 7)
	run(FromOptional(func() (int, bool, error) { return 7, false, nil })).assertCompleted(t)
	run(FromOptional(func() (int, bool, error) { return 7, true, errBoom })).assertFailed(t, errBoom)
}
