package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// What an interface holds as it is has a form of its own; nobody can tell, but by what it costs.

func TestIsReference(t *testing.T) {
	n := 7
	assert.True(t, isReference(&n))
	assert.True(t, isReference((*int)(nil)))
	assert.True(t, isReference(map[int]int{1: 2}))
	assert.True(t, isReference(make(chan int)))
	assert.True(t, isReference(func() {}))
	assert.True(t, isReference(struct{ p *int }{&n}))
	assert.False(t, isReference(n))
	assert.False(t, isReference(uint64(0)))
	assert.False(t, isReference(1.5))
	assert.False(t, isReference("text"))
	assert.False(t, isReference([]int{1}))
	assert.False(t, isReference(struct{}{}))
	assert.False(t, isReference(error(nil)))
	assert.False(t, isReference(any(&n)))
}

func TestJustOfAReference(t *testing.T) {
	n := 7
	p := &n
	for name, src := range map[string]reactor.Publisher[*int]{
		"just":      Just(p),
		"hidden":    Hide(Just(p)),
		"flatMap":   FlatMap(Range(0, 1), func(int) reactor.Publisher[*int] { return Just(p) }),
		"among":     FlatMap(Range(0, 2), func(int) reactor.Publisher[*int] { return Just(p) }),
		"concatMap": ConcatMap(Range(0, 2), func(int) reactor.Publisher[*int] { return Just(p) }),
		"monoThen":  MonoFlatMap(Just(1), func(int) reactor.Publisher[*int] { return Just(p) }),
		"thenMono":  MonoFlatMap(Just(p), func(p *int) reactor.Publisher[*int] { return Just(p) }),
		"mapped":    Map(Just(p), func(p *int) *int { return p }),
	} {
		got, err := BlockLast(t.Context(), src)
		assert.NoError(t, err, name)
		assert.Same(t, p, got, name)
	}
	nothing, err := Block(t.Context(), Just[*int](nil))
	assert.NoError(t, err)
	assert.Nil(t, nothing)
}

func loaded(context.Context) (*int, error)             { return nil, nil }
func called() (*int, error)                            { return nil, nil }
func supplied() *int                                   { return nil }
func perhaps() (*int, bool, error)                     { return nil, false, nil }
func deferred(context.Context) reactor.Publisher[*int] { return nil }

func TestFormsWithoutAllocation(t *testing.T) {
	n := 7
	p := &n
	var keep reactor.Publisher[*int]
	fail := func() error { return errBoom }
	for name, assemble := range map[string]func(){
		"just":         func() { keep = Just(p) },
		"fromFunc":     func() { keep = FromFunc(loaded) },
		"fromCallable": func() { keep = FromCallable(called) },
		"fromSupplier": func() { keep = FromSupplier(supplied) },
		"fromOptional": func() { keep = FromOptional(perhaps) },
		"fromRunnable": func() { keep = FromRunnable[*int](fail) },
		"errorFrom":    func() { keep = ErrorFrom[*int](fail) },
		"defer":        func() { keep = Defer(deferred) },
		"empty":        func() { keep = Empty[*int]() },
	} {
		assert.Zero(t, testing.AllocsPerRun(100, assemble), name)
	}
	_ = keep
}
