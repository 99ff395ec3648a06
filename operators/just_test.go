package operators

import (
	"context"
	"testing"
)

func TestJustDoesNotCompleteAfterCancel(t *testing.T) {
	p := probeOf[int](1)
	p.Each = func(int) { p.Cancel() }
	Just(1).Subscribe(context.Background(), p)
	p.Open(t, 1)
}
