package operators

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// The element that comes while a cancellation is at the inner publisher cancels the source, and is discarded also if a function
// that hears of this ends the goroutine.
func TestEarlyCancelGoexit(t *testing.T) {
	for name, operator := range map[string]func(src stream, fn func(int) stream) stream{
		"concatMap": func(src stream, fn func(int) stream) stream { return ConcatMap(src, fn) },
		"switchMap": func(src stream, fn func(int) stream) stream { return SwitchMap(src, fn) },
	} {
		ctx, hooks := probe.Recorded()
		src := &puppet[int]{}
		inner := DoOnCancel(Never[int](), func() { racetest.Aside(func() { src.last().OnNext(2) }) })
		p := runWith(ctx, operator(DoOnCancel(src, runtime.Goexit), func(int) stream { return inner }))
		src.last().OnNext(1)
		p.Cancel()
		assert.Equal(t, []any{2}, hooks.Discarded, name)
		assert.EqualValues(t, 1, src.last().cancels.Load(), name)
	}
}
