package operators

import (
	"context"
	"testing"

	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// A stage that tells of runs is about to send an element when the context ends: nothing comes into what Collect has
// given up by then.
func TestNothingIsSentBehindTheEndOfTheContext(t *testing.T) {
	for name, behind := range map[string]func(a, b elements) elements{
		"merge": func(a, b elements) elements { return Merge(a, b) },
		"mergeComparing": func(a, b elements) elements {
			return MergeComparing(func(a, b element) int { return a.Number - b.Number }, []elements{a, b})
		},
		"mergeSequential": func(a, b elements) elements { return MergeSequential([]elements{a, b}) },
		"expandDeep":      func(a, _ elements) elements { return ExpandDeep(a, func(element) elements { return Empty[element]() }) },
	} {
		t.Run(name, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(1000), func(race func(...func())) {
				l := ledger.New(t)
				ctx, cancel := context.WithCancel(l.Context(quiet()))
				a := &puppet[element]{}
				asked, over := make(chan struct{}), make(chan struct{})
				go func() {
					defer close(over)
					items, _ := Collect(ctx, behind(DoOnRequest(a, func(int64) { close(asked) }), Empty[element]()))
					for _, e := range items {
						l.Delivered(e)
					}
				}()
				<-asked
				race(func() { a.last().OnNext(l.Produce()); a.last().OnComplete() }, cancel)
				<-over
				l.Check()
			})
		})
	}
}
