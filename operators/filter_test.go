package operators_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

func TestFilter(t *testing.T) {
	digit := func(v string) bool { return v >= "0" && v <= "9" }
	play(t,
		diagram{"some pass", "-1-a-2-b-|", "-1---2---|", func(src strs) strs { return operators.Filter(src, digit) }},
		diagram{"none passes", "-a-b-|", "-----|", func(src strs) strs { return operators.Filter(src, digit) }},
		diagram{"an error ends it", "-a-1-#", "---1-#", func(src strs) strs { return operators.Filter(src, digit) }},
	)
	leavingOut(t, true, func(src ints) ints { return operators.Filter(src, func(v int) bool { return v%2 == 0 }) })
	continuing(t, func(src ints) ints { return operators.Filter(src, func(v int) bool { panicAt13(v); return true }) })
}

// A loop calls a function of the stage, in one of several forms. What that leaves out is discarded, and replaced
// unless demand is unlimited, as what OnNext leaves out.
func TestFilterInALoop(t *testing.T) {
	even := func(src ints) ints { return operators.Filter(src, func(v int) bool { return v%2 == 0 }) }
	small := func(src ints) ints { return operators.Filter(src, func(v int) bool { return v < 100 }) }
	same := func(src ints) ints { return operators.Map(src, self[int]) }
	for name, stages := range map[string][]func(ints) ints{
		"alone": {even}, "before a map": {even, same}, "behind a map": {same, even}, "behind two": {same, same, even},
		"before another": {even, small}, "behind another": {small, even}, "behind another and a map": {small, same, even},
	} {
		t.Run(name, func(t *testing.T) {
			src := operators.Range(1, 7)
			for _, stage := range stages {
				src = stage(src)
			}
			run := func(ctx context.Context, src ints) (got []int, completed bool) {
				operators.SubscribeFunc(ctx, src, func(v int) { got = append(got, v) }, operators.OnComplete(func() { completed = true }))
				return got, completed
			}
			var discarded []any
			hooked := reactor.WithHooks(context.Background(), reactor.Hooks{Discard: func(_ context.Context, v any) { discarded = append(discarded, v) }})
			got, completed := run(hooked, src)
			assert.Equal(t, []int{2, 4, 6}, got)
			assert.True(t, completed)
			assert.Equal(t, []any{1, 3, 5, 7}, discarded)

			got, completed = run(context.Background(), operators.Take(src, 2))
			assert.Equal(t, []int{2, 4}, got, "demand for two is demand for two that are left")
			assert.True(t, completed)
		})
	}
}
