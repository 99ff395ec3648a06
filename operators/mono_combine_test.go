package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func sum(items []int) int {
	total := 0
	for _, v := range items {
		total += v
	}
	return total
}

func TestFirstRaces(t *testing.T) {
	for name, first := range map[string]func(...reactor.Publisher[int]) reactor.Publisher[int]{
		"signal": FirstWithSignal[int], "value": FirstWithValue[int],
	} {
		t.Run(name, func(t *testing.T) {
			race(t, 2000, func() ([]func(), func()) {
				ctx, hooks := probe.Recorded()
				a, b := &puppet[int]{}, &puppet[int]{}
				p := probeOf[int](5)
				first(a, b).Subscribe(ctx, p)
				sides := []func(){
					func() { a.last().OnNext(1); a.last().OnComplete() },
					func() { b.last().OnNext(2); b.last().OnComplete() },
					func() { p.Request(1) },
				}
				return sides, func() {
					if assert.Len(t, p.Got(), 1) {
						won := p.Got()[0]
						p.Done(t, won)
						assert.Equal(t, []any{3 - won}, hooks.Discarded)
					}
				}
			})
			race(t, 1000, func() ([]func(), func()) {
				a, b := &puppet[int]{}, &puppet[int]{}
				p := probeOf[int](5)
				first(a, b).Subscribe(quiet(), p)
				return []func(){func() { a.last().OnNext(1) }, p.Cancel}, func() {
					assert.Equal(t, int64(1), a.last().cancels.Load())
					assert.Equal(t, int64(1), b.last().cancels.Load())
				}
			})
		})
	}
}
