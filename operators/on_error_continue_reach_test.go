package operators

import (
	"iter"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
)

// What the comment of OnErrorContinue says of the stages that flatten: which go on after a failure of their function, and
// which after one of an inner publisher.
func TestOnErrorContinueReachesFlatteningStages(t *testing.T) {
	fails := func(v int) stream {
		if v == 2 {
			panic(errBoom)
		}
		return Hide(Just(v))
	}
	inner := func(v int) stream {
		if v == 2 {
			return Hide(Error[int](errBoom))
		}
		return Hide(Just(v))
	}
	src := Hide(Range(1, 3))
	for name, c := range map[string]struct {
		fails, inner stream // nil if there is no such thing
		goOn, goIn   bool
	}{
		"flatMap":      {FlatMap(src, fails), FlatMap(src, inner), true, true},
		"concatMap":    {ConcatMap(src, fails), ConcatMap(src, inner), true, true},
		"flatMapSlice": {fails: FlatMapSlice(src, func(v int) []int { fails(v); return []int{v} }), goOn: true},
		"flatMapSeq": {fails: FlatMapSeq(src, func(v int) iter.Seq[int] {
			fails(v)
			return func(yield func(int) bool) { yield(v) }
		}), goOn: true},
		"flatMapSequential": {FlatMapSequential(src, fails), FlatMapSequential(src, inner), false, true},
		"merge":             {inner: MergeSlice([]stream{inner(1), inner(2), inner(3)}), goIn: true},
		"mergeSequential":   {inner: MergeSequential([]stream{inner(1), inner(2), inner(3)}), goIn: true},
		"mergeComparing":    {inner: MergeComparing(func(a, b int) int { return a - b }, []stream{inner(1), inner(2), inner(3)}), goIn: true},
		"switchMap":         {SwitchMap(src, fails), SwitchMap(src, inner), false, false},
		"exhaustMap":        {ExhaustMap(src, fails), ExhaustMap(src, inner), true, true},
		"expand":            {fails: Expand(src, func(v int) stream { fails(v); return Empty[int]() })},
	} {
		for what, on := range map[string]stream{"its function": c.fails, "an inner publisher": c.inner} {
			if on == nil {
				continue
			}
			goesOn := c.goOn
			if what == "an inner publisher" {
				goesOn = c.goIn
			}
			ctx, _ := probe.Recorded()
			var told []error
			p := runWith(ctx, OnErrorContinue(on, func(err error, _ any) { told = append(told, err) }))
			if goesOn {
				assert.Equal(t, []int{1, 3}, p.Got(), "%s, %s", name, what)
				assert.NoError(t, p.Failure(), "%s, %s", name, what)
				assert.Len(t, told, 1, "%s, %s", name, what)
			} else {
				assert.ErrorIs(t, p.Failure(), errBoom, "%s, %s", name, what)
				assert.Empty(t, told, "%s, %s", name, what)
			}
		}
	}
}
