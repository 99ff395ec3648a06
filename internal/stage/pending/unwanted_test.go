package pending

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

func TestUnwantedTellsTheHook(t *testing.T) {
	var heard []any
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{Discard: func(_ context.Context, v any) { heard = append(heard, v) }})
	var u Unwanted[int]
	u.Discard(ctx, 1000)
	u.Discard(ctx, 2000)
	assert.Equal(t, []any{1000, 2000}, heard)
}

type owned struct{ told *int }

func (o owned) Discarded() { *o.told++ }

func TestUnwantedTellsWhatIsDiscardable(t *testing.T) {
	told := 0
	var u Unwanted[owned]
	u.Discard(context.Background(), owned{&told})
	u.Discard(context.Background(), owned{&told})
	assert.Equal(t, 2, told)
}

// What a predicate has used up is told if it owns something, and the hook does not get it.
func TestSpentFor(t *testing.T) {
	told := 0
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{Discard: func(context.Context, any) { t.Error("discarded") }})
	SpentFor[owned](ctx)(owned{&told})
	assert.Equal(t, 1, told)
	assert.Nil(t, SpentFor[int](ctx), "nobody is to be told")
}

// One that is new each time does not allocate either, where what comes may be Discardable and is not.
func TestUnwantedInterfacesAreNotBoxed(t *testing.T) {
	var v any = new(int)
	assert.Zero(t, testing.AllocsPerRun(100, func() { new(Unwanted[any]).Discard(context.Background(), v) }))
}
