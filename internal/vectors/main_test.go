package vectors

import (
	"testing"

	"go.uber.org/goleak"
)

// A run that does not end is parked for good; nothing else may stay behind.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/goreactor/reactor/internal/vectors.(*Builder).step"))
}
