package operators

import (
	"context"
	"testing"
)

func TestJustDoesNotCompleteAfterCancel(t *testing.T) {
	p := probeOf[int](1)
	p.onNext = func(int) { p.cancel() }
	Just(1).Subscribe(context.Background(), p)
	p.assertOpen(t, 1)
}
