package operators

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// A mapper that ends the context leaves the publisher that it returns alone, and the element that this was to go with.
func TestMonoZipWhenWhoseMapperEndsTheContext(t *testing.T) {
	for name, second := range map[string]reactor.Publisher[int]{"computed": Just(1), "subscribed": Hide(Just(1)), "function": returning(1, func() {})} {
		ctx, cancel := context.WithCancelCause(t.Context())
		kept := &owned{}
		_, err := Block(ctx, MonoZipWhen(Just(kept), func(*owned) reactor.Publisher[int] { cancel(errBoom); return second }, func(*owned, int) int {
			t.Error("combined")
			return 0
		}))
		assert.Same(t, errBoom, err, name)
		assert.Equal(t, 1, kept.discarded, name)
	}
}

// What a handler has put into the sink when it panics is nobody's.
func TestHandleComputedThatPanicsAfterAnElement(t *testing.T) {
	taken, sent := &owned{}, &owned{}
	_, err := Block(t.Context(), Handle(Just(taken), func(_ *owned, s *SyncSink[*owned]) { s.Next(sent); panic(errBoom) }))
	assert.ErrorIs(t, err, errBoom)
	assert.Equal(t, 1, sent.discarded)
	assert.Equal(t, 1, taken.discarded)
}

// endsOnLook is a context that ends when it is looked at for the nth time.
type endsOnLook struct {
	context.Context
	end  func()
	left atomic.Int64
}

func (c *endsOnLook) Err() error {
	if c.left.Add(-1) == 0 {
		c.end()
	}
	return c.Context.Err()
}

// Wherever the context ends, an element that waits for another one, or was sent before a failure, is given up.
func TestComputedElementsWhereverTheContextEnds(t *testing.T) {
	type ownedMono = reactor.Publisher[*owned]
	before := slog.Default()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	defer slog.SetDefault(before)
	var made *owned
	supply := func() *owned { made = &owned{}; return made }
	subscribed := func() reactor.Publisher[int] { return Hide(Just(1)) }
	zipped := func(other reactor.Publisher[int]) ownedMono {
		return MonoZipWhen(FromSupplier(supply), func(*owned) reactor.Publisher[int] { return other }, func(v *owned, _ int) *owned { return v })
	}
	sent := Handle(Just(1), func(_ int, s *SyncSink[*owned]) { s.Next(supply()); s.Error(errOther) })
	within := func(src ownedMono) ownedMono { return MonoFlatMap(Just(1), func(int) ownedMono { return src }) }
	same := func(v *owned) *owned { return v }
	zip2Of := func(src ownedMono, other reactor.Publisher[int]) ownedMono {
		return MonoZip2(src, other, func(v *owned, _ int) *owned { return v })
	}
	held := func(test reactor.Publisher[bool]) ownedMono {
		return FilterWhenMono(FromSupplier(supply), func(*owned) reactor.Publisher[bool] { return test })
	}
	for name, src := range map[string]ownedMono{
		"zipWhen, computed":           zipped(Just(1)),
		"zipWhen, function":           zipped(returning(1, func() {})),
		"zipWhen, subscribed":         zipped(subscribed()),
		"zipWhen, empty":              zipped(Empty[int]()),
		"zipWhen to a zipWhen":        zipped(MonoZipWhen(Just(1), func(int) reactor.Publisher[int] { return subscribed() }, add)),
		"map of zipWhen":              Map(zipped(subscribed()), same),
		"doFinally of zipWhen":        DoFinally(zipped(subscribed()), func(reactor.SignalKind) {}),
		"onErrorComplete of zipWhen":  OnErrorComplete(zipped(subscribed())),
		"flatMap to zipWhen":          within(zipped(subscribed())),
		"flatMap to a map of zipWhen": within(Map(zipped(subscribed()), same)),
		"handle":                      sent, "then handle": ThenMono(Just(1), sent), "then zipWhen": ThenMono(Just(1), zipped(subscribed())),
		"flatMap to handle": within(sent),
		"zip":               zip2Of(FromSupplier(supply), Just(1)), "zip with a function": zip2Of(FromSupplier(supply), returning(1, func() {})),
		"zip with what is subscribed": zip2Of(FromSupplier(supply), subscribed()), "zip with nothing": zip2Of(FromSupplier(supply), Empty[int]()),
		"zip that has failed, with what hears of it": MonoZip3(FromSupplier(supply), Error[int](errOther), subscribed(), func(v *owned, _, _ int) *owned { return v }),
		"zip of zipWhen": zip2Of(zipped(subscribed()), Just(1)), "filterWhen": held(Just(true)), "filterWhen, not": held(Just(false)),
		"filterWhen, subscribed": held(Hide(Just(true))), "filterWhen, failed": held(Error[bool](errOther)),
		"delayUntil":             MonoDelayUntil(FromSupplier(supply), func(*owned) reactor.Publisher[int] { return Just(1) }),
		"delayUntil, subscribed": MonoDelayUntil(FromSupplier(supply), func(*owned) reactor.Publisher[int] { return subscribed() }),
		"then filterWhen":        ThenMono(Just(1), held(Hide(Just(true)))), "filterWhen, then": Map(ThenMono(held(Hide(Just(true))), Just(1)), func(int) *owned { return nil }),
		"retry of filterWhen": Retry(held(Hide(Just(true))), Times(1)),
	} {
		t.Run(name, func(t *testing.T) {
			for looks := range 30 {
				parent, cancel := context.WithCancelCause(t.Context())
				ctx := &endsOnLook{Context: parent, end: func() { cancel(errBoom) }}
				ctx.left.Store(int64(looks))
				made = nil
				got, _, err := BlockOptional(ctx, src)
				cancel(nil)
				if made != nil && got != made {
					assert.Equal(t, 1, made.discarded, "after %d looks: %v", looks, err)
				}
			}
		})
	}
}
