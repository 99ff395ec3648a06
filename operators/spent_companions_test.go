package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// An element of a publisher that only says when is told that nobody will get it, as one is that a predicate has looked at.
func TestElementsOfCompanionsAreGivenUp(t *testing.T) {
	type stage = func(src reactor.Publisher[int], other reactor.Publisher[owner]) reactor.Publisher[any]
	asAny := func(p reactor.Publisher[int]) reactor.Publisher[any] { return Map(p, func(v int) any { return v }) }
	for name, behind := range map[string]stage{
		"takeUntilOther": func(s reactor.Publisher[int], o reactor.Publisher[owner]) reactor.Publisher[any] {
			return asAny(TakeUntilOther(s, o))
		},
		"skipUntilOther": func(s reactor.Publisher[int], o reactor.Publisher[owner]) reactor.Publisher[any] {
			return asAny(SkipUntilOther(s, o))
		},
		"sample": func(s reactor.Publisher[int], o reactor.Publisher[owner]) reactor.Publisher[any] {
			return asAny(Sample(s, o))
		},
		"delaySubscription": func(s reactor.Publisher[int], o reactor.Publisher[owner]) reactor.Publisher[any] {
			return asAny(DelaySubscription(s, o))
		},
		"bufferOther": func(s reactor.Publisher[int], o reactor.Publisher[owner]) reactor.Publisher[any] {
			return Map(BufferOther(s, o), func(v []int) any { return v })
		},
		"windowOther": func(s reactor.Publisher[int], o reactor.Publisher[owner]) reactor.Publisher[any] {
			return Map(WindowOther(s, o, func(w reactor.Publisher[int]) any { return w }), func(v any) any { return v })
		},
		"delayUntil": func(_ reactor.Publisher[int], o reactor.Publisher[owner]) reactor.Publisher[any] {
			return asAny(DelayUntil(Just(1), func(int) reactor.Publisher[owner] { return o }))
		},
		"repeatWhen": func(_ reactor.Publisher[int], o reactor.Publisher[owner]) reactor.Publisher[any] {
			return asAny(RepeatWhen(Just(1), RepeatFrom(func(reactor.Publisher[int64]) reactor.Publisher[owner] { return o })))
		},
		"usingWhen": func(s reactor.Publisher[int], o reactor.Publisher[owner]) reactor.Publisher[any] {
			return asAny(UsingWhen(Just(1), func(int) reactor.Publisher[int] { return Empty[int]() },
				AsyncCleanup[int, owner]{Complete: func(int) reactor.Publisher[owner] { return o }}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			told := 0
			src := &puppet[int]{}
			behind(src, Just(owner{&told})).Subscribe(context.Background(), probeOf[any](10))
			assert.Equal(t, 1, told)
		})
	}
}
