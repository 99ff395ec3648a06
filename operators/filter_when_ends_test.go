package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// A test that has ended is left alone by a cancellation, whatever becomes of its element.
func TestFilterWhenDoesNotCancelATestThatHasEnded(t *testing.T) {
	for name, ended := range map[string]reactor.Publisher[bool]{"empty": Empty[bool](), "failed": Error[bool](errBoom)} {
		t.Run(name, func(t *testing.T) {
			cancels := 0
			src := &puppet[int]{}
			p := run(FilterWhen(src, func(int) reactor.Publisher[bool] { return Hide(DoOnCancel(ended, func() { cancels++ })) }))
			src.last().OnNext(1)
			p.Up.Cancel()
			assert.Zero(t, cancels)
		})
	}
}
