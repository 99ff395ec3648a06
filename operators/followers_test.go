package operators_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// A stage that calls the functions of those below it says and does what each of them does by itself,
// as it has to where another stage stands between them.
func TestFollowersAreAsGoodAsStages(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var stages []func(ints) ints
		for range 1 + random.IntN(6) {
			n := 1 + random.IntN(4)
			switch random.IntN(5) {
			case 0, 1:
				stages = append(stages, func(src ints) ints { return operators.Map(src, func(v int) int { return v*n + 1 }) })
			case 2, 3:
				stages = append(stages, func(src ints) ints { return operators.Filter(src, func(v int) bool { return v%(n+1) != 0 }) })
			default:
				stages = append(stages, func(src ints) ints {
					text := operators.Map(src, func(v int) string { return fmt.Sprint(v) })
					return operators.Map(text, func(s string) int { return len(s) * n })
				})
			}
		}
		take := 1 + random.IntN(60) // more than there are is no limit
		run := func(apart func(ints) ints) (got, discarded []int) {
			src := operators.Range(0, 50)
			ctx := reactor.WithHooks(context.Background(), reactor.Hooks{
				Discard: func(_ context.Context, v any) { discarded = append(discarded, v.(int)) },
			})
			for _, stage := range stages {
				src = apart(stage(src))
			}
			if take <= 30 {
				src = operators.Take(src, take)
			}
			require.NoError(t, operators.ForEach(ctx, src, func(v int) { got = append(got, v) }))
			return got, discarded
		}
		got, discarded := run(func(src ints) ints { return src })
		want, wantDiscarded := run(func(src ints) ints { return operators.DoOnNext(src, func(int) {}) })
		require.Equal(t, want, got)
		require.Equal(t, wantDiscarded, discarded)
	}
}

// Whose function has failed is told by where it is called, also if another stage calls it.
func TestFollowersKeepTheirNames(t *testing.T) {
	for _, c := range []struct{ stages, op string }{
		{"M", "map"}, {"F", "filter"},
		{"mM", "map"}, {"mF", "filter"}, {"fM", "map"}, {"fF", "filter"}, {"Mm", "map"}, {"Mf", "map"}, {"Fm", "filter"}, {"Ff", "filter"},
		{"mmM", "map"}, {"mmF", "filter"}, {"fmM", "map"}, {"fmF", "filter"}, {"mMf", "map"}, {"fMf", "map"}, {"Fmf", "filter"}, {"fmFm", "filter"},
		{"mmfM", "map"}, {"fmfmF", "filter"}, {"cM", "map"}, {"cF", "filter"},
	} {
		for name, die := range map[string]func(){"panic": func() { panic("boom") }, "Goexit": runtime.Goexit} {
			t.Run(c.stages+" "+name, func(t *testing.T) {
				src := operators.Range(1, 3)
				for _, stage := range c.stages {
					switch stage {
					case 'm':
						src = operators.Map(src, self[int])
					case 'M':
						src = operators.Map(src, f1[int, int](die))
					case 'f':
						src = operators.Filter(src, yes)
					case 'F':
						src = operators.Filter(src, f1[int, bool](die))
					case 'c':
						src = operators.Map(operators.Map(src, func(v int) string { return fmt.Sprint(v) }), func(s string) int { return len(s) })
					}
				}
				var err error
				over := make(chan struct{})
				go func() {
					defer close(over)
					operators.SubscribeFunc(context.Background(), src, nil, operators.OnError(func(e error) { err = e }))
				}()
				<-over
				require.Error(t, err)
				assert.ErrorContains(t, err, "reactor: "+c.op+": ")
			})
		}
	}
}
