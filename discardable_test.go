package reactor_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// parcel counts how often it was told that nobody will get it.
type parcel struct{ told *int }

func (p parcel) Discarded() { *p.told++ }

func TestDiscardedElementsAreTold(t *testing.T) {
	told, seen := 0, 0
	v := parcel{&told}
	hooks := reactor.Hooks{
		Discard:     func(context.Context, any) { assert.Zero(t, told, "the hook comes first"); seen++ },
		NextDropped: func(context.Context, any) { assert.Zero(t, told, "the hook comes first"); seen++ },
	}
	for name, ctx := range map[string]context.Context{
		"without hooks": t.Context(), "with hooks": reactor.WithHooks(t.Context(), hooks),
	} {
		for how, discard := range map[string]func(){
			"discarded":   func() { reactor.Discard(ctx, v) },
			"dropped":     func() { reactor.DropNext(ctx, v) },
			"by the hook": func() { reactor.DiscardHookFor[parcel](ctx)(v) },
			"unknown":     func() { reactor.DiscardHookFor[any](ctx)(v) },
			"in a slice":  func() { reactor.DiscardHookFor[[]parcel](ctx)([]parcel{v}) },
			"signal":      func() { reactor.Discard(ctx, reactor.NextSignal(v)) },
			"timed":       func() { reactor.DiscardHookFor[reactor.Timed[parcel]](ctx)(reactor.Timed[parcel]{Value: v}) },
			"indexed":     func() { reactor.DropNext(ctx, reactor.Indexed[any]{Value: v}) },
			"signals": func() {
				reactor.Discard(ctx, []reactor.Signal[reactor.Timed[parcel]]{reactor.NextSignal(reactor.Timed[parcel]{Value: v})})
			},
			"deep": func() { reactor.Discard(ctx, [][]any{nil, {1, v}}) },
		} {
			t.Run(name+"/"+how, func(t *testing.T) {
				told = 0
				discard()
				assert.Equal(t, 1, told)
			})
		}
	}
	assert.Equal(t, 10, seen)
}

func TestElementsThatOwnNothingNeedNoHook(t *testing.T) {
	assert.Nil(t, reactor.DiscardHookFor[int](t.Context()))
	assert.Nil(t, reactor.DiscardHookFor[*int](t.Context()))
	assert.Nil(t, reactor.DiscardHookFor[[]string](t.Context()))
	assert.Nil(t, reactor.DiscardHookFor[struct{ v any }](t.Context()))
	assert.Nil(t, reactor.DiscardHookFor[reactor.Signal[int]](t.Context()))
	assert.Nil(t, reactor.DiscardHookFor[[]reactor.Timed[reactor.Indexed[int]]](t.Context()))
	assert.NotNil(t, reactor.DiscardHookFor[reactor.Signal[any]](t.Context()))
	assert.NotNil(t, reactor.DiscardHookFor[error](t.Context()))
	assert.NotPanics(t, func() { reactor.Discard(t.Context(), reactor.CompleteSignal[any]()) })
	for _, v := range []any{nil, 1, "a", new(int), errors.New("no"), struct{ v any }{}, []int{1}, map[string]error(nil)} {
		_, m := v.(map[string]error)
		assert.Equal(t, m, reactor.OwnsIn(v), "%T", v)
	}
	for _, v := range []any{parcel{}, &parcel{}, []parcel{}, []any{1}, [][]error{}, map[int]parcel{}, reactor.NextSignal(parcel{})} {
		assert.True(t, reactor.OwnsIn(v), "%T", v)
	}
	assert.Zero(t, testing.AllocsPerRun(100, func() { reactor.Owns[int]() }))
}

// Types that contain themselves, with nothing in them that owns anything, or with something.
type (
	tree   []tree
	dir    map[string]dir
	even   []odd
	odd    map[int]even
	notes  []reactor.Signal[notes]
	forest []parcels
	boxes  map[int]boxes
)

type parcels struct {
	parcel
	_ []forest
}

func (b boxes) Discarded() { b[0][0] = nil }

func TestElementsThatContainTheirOwnType(t *testing.T) {
	assert.False(t, reactor.Owns[tree]())
	assert.False(t, reactor.Owns[dir]())
	assert.False(t, reactor.Owns[even]())
	assert.False(t, reactor.Owns[[]odd]())
	assert.False(t, reactor.Owns[notes]())
	assert.True(t, reactor.Owns[forest]())
	assert.True(t, reactor.Owns[boxes](), "it is Discardable itself")
	assert.NotPanics(t, func() { reactor.Discard(t.Context(), tree{tree{}}) })
	assert.NotPanics(t, func() { reactor.Discard(t.Context(), dir{"a": {"b": nil}}) })
}

func TestElementsThatContainThemselves(t *testing.T) {
	told := 0
	list := []any{parcel{&told}, nil, nil}
	list[1], list[2] = list, map[string]any{"parcel": parcel{&told}, "list": list}
	reactor.Discard(t.Context(), list)
	assert.Equal(t, 2, told)
}

type broken struct{}

func (broken) Discarded() { panic("no") }

func TestDiscardedThatPanicsIsLogged(t *testing.T) {
	assert.NotPanics(t, func() { reactor.Discard(t.Context(), broken{}) })
}

// A nil pointer to what carries an element carries none.
func TestDiscardedNilPointers(t *testing.T) {
	for _, v := range []any{(*reactor.Signal[parcel])(nil), (*reactor.Timed[parcel])(nil), (*reactor.Indexed[parcel])(nil)} {
		assert.NotPanics(t, func() { reactor.Discard(context.Background(), v) }, "%T", v)
	}
	told := 0
	reactor.Discard(context.Background(), &reactor.Indexed[parcel]{Value: parcel{&told}})
	assert.Equal(t, 1, told)
}
