package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// Who drains behind the end of a publisher may see that none is at work, and then what has come behind the next one, which the source
// has gone on to meanwhile.
func TestConcatMapAloneIsSeenByWhoDrains(t *testing.T) {
	for name, behind := range map[string]func(src *puppetSubscription[int], push func(int)){
		"end":     func(src *puppetSubscription[int], _ func(int)) { src.OnComplete() },
		"element": func(_ *puppetSubscription[int], push func(int)) { push(2) },
	} {
		t.Run(name, func(t *testing.T) {
			racetest.Rounds(t, 2000, func() ([]func(), func()) {
				inners, p := [3]puppet[int]{}, probeOf[int](reactor.Unbounded)
				src, push := pushInto(context.Background(), p, func(n int) reactor.Publisher[int] { return &inners[n] })
				push(0)
				return []func(){
					inners[0].last().OnComplete,
					func() { push(1); behind(src, push) },
				}, func() {
					assert.Zero(t, inners[2].count(), "the one before is at work")
					inners[1].last().OnNext(1)
					p.Open(t, 1)
				}
			})
		})
	}
}
