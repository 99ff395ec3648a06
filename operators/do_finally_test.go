package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestDoFinallyRunsOnceWhenEndAndCancelRace(t *testing.T) {
	for range racetest.Iterations(300) {
		n := make(chan reactor.SignalKind, 3)
		src := &puppet[int]{}
		p := run(DoFinally(DoOnCancel(src, func() {}), func(how reactor.SignalKind) { n <- how }))
		racetest.Race(func() { src.last().OnComplete() }, func() { p.Cancel() }, func() { p.Cancel() })
		assert.Len(t, n, 1)
	}
}
