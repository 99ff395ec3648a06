package operators

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// Who is told of the error of a trigger and ends the goroutine has been told: it is not dropped as well.
func TestSampleFirstTellsWhoEndsTheGoroutine(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, trigger := &puppet[int]{}, &puppet[int]{}
	var told []error
	p := runWith(ctx, DoOnError(SampleFirst(src, func(int) reactor.Publisher[int] { return trigger }), func(err error) {
		told = append(told, err)
		runtime.Goexit()
	}))
	src.last().OnNext(1)
	racetest.Aside(func() { trigger.last().OnError(errBoom) })
	assert.Equal(t, []error{errBoom}, told)
	assert.ErrorIs(t, p.Failure(), errBoom)
	assert.Empty(t, hooks.Errs)
}
