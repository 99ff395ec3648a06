package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
)

// An error that comes while something else is looked at, and behind which the stream is cancelled or the other source fails, too,
// is reported.
func TestSequenceEqualReportsAnErrorThatEndsNothing(t *testing.T) {
	for name, cancels := range map[string]bool{"cancelled": true, "the other one fails": false} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			a, b := &puppet[int]{}, &puppet[int]{}
			var cancel func()
			p := runWith(ctx, SequenceEqualFunc(a, b, func(int, int) bool {
				b.last().OnError(errBoom)
				if cancels {
					cancel()
				} else {
					a.last().OnError(errOther)
				}
				return true
			}))
			cancel = p.Up.Cancel
			a.last().OnNext(1)
			b.last().OnNext(1)
			assert.Equal(t, []any{errBoom}, hooks.Errs)
			if cancels {
				p.Open(t)
			} else {
				p.Failed(t, errOther)
			}
		})
	}
}
