package operators

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// Wherever the context ends, and whatever is to be subscribed to then, a resource that was acquired is released once.
func TestComputedUsingWhereverTheContextEnds(t *testing.T) {
	before := slog.Default()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	defer slog.SetDefault(before)
	type ints = reactor.Publisher[int]
	acquired, released := 0, 0
	using := func(src ints) ints {
		return MonoUsing(func(context.Context) (int, error) { acquired++; return acquired, nil },
			func(int) ints { return src }, func(int) error { released++; return errOther })
	}
	subscribed := func() ints { return Hide(Just(1)) }
	kept := func(int) ints { return using(subscribed()) }
	for name, src := range map[string]ints{
		"computed": using(Just(1)), "function": using(returning(1, func() {})), "failing": using(Error[int](errBoom)), "empty": using(Empty[int]()),
		"subscribed": using(subscribed()), "within": using(using(subscribed())), "map": Map(using(subscribed()), twice),
		"first of a zip":    MonoZip2(using(subscribed()), Just(1), add),
		"second of a zip":   MonoZip2(Just(1), using(subscribed()), add),
		"third of a zip":    MonoZip3(Just(1), using(Just(1)), using(subscribed()), func(a, b, c int) int { return a + b + c }),
		"then":              ThenMono(Just(1), using(subscribed())),
		"before":            ThenMono(using(subscribed()), Just(1)),
		"retry":             Retry(using(subscribed()), Times(2)),
		"retry of failures": Retry(using(Hide(Error[int](errBoom))), Times(2)),
		"flatMap":           MonoFlatMap(Just(1), kept), "zipWhen": MonoZipWhen(Just(1), kept, add), "delayUntil": MonoDelayUntil(Just(1), kept),
		"filterWhen":    FilterWhenMono(Just(1), func(v int) reactor.Publisher[bool] { return Map(kept(v), func(int) bool { return true }) }),
		"onErrorResume": OnErrorResume(Error[int](errBoom), func(error) ints { return using(subscribed()) }),
		"switchIfEmpty": SwitchIfEmpty(Empty[int](), using(subscribed())), "last": Last(using(subscribed())),
		"doFinally": DoFinally(using(subscribed()), func(reactor.SignalKind) {}),
	} {
		t.Run(name, func(t *testing.T) {
			for looks := range 40 {
				acquired, released = 0, 0
				parent, cancel := context.WithCancelCause(t.Context())
				ctx := &endsOnLook{Context: parent, end: func() { cancel(errBoom) }}
				ctx.left.Store(int64(looks))
				_, _, _ = BlockOptional(ctx, src)
				cancel(nil)
				assert.Equal(t, acquired, released, "after %d looks", looks)
			}
		})
	}
}

// How using ends if its functions fail is the same whether it is computed or not.
func TestComputedUsingThatFails(t *testing.T) {
	fails := map[string]func() error{
		"not": func() error { return nil }, "error": func() error { return errBoom }, "panic": func() error { panic(errOther) },
		"Goexit": func() error { runtime.Goexit(); return nil },
	}
	for acquire, acquired := range fails {
		for use, used := range fails {
			for release, released := range fails {
				name := acquire + ", " + use + ", " + release
				var ends [2]string
				var told [2]int
				for mode, ctx := range []context.Context{context.Background(), reactor.WithHooks(context.Background(), reactor.Hooks{})} {
					kept, calls := &owned{}, 0
					src := MonoUsing(func(context.Context) (int, error) { return 1, acquired() }, func(int) reactor.Publisher[*owned] {
						return FromCallable(func() (*owned, error) { return kept, used() })
					}, func(int) error { calls++; return released() })
					racetest.Aside(func() {
						SubscribeFunc(ctx, src, func(*owned) { ends[mode] += "next " }, OnError(func(err error) { ends[mode] += err.Error() }))
					})
					assert.Equal(t, acquire == "not", calls == 1, name)
					told[mode] = kept.discarded
				}
				if use != "Goexit" && (release != "Goexit" || use == "not") { // else a Goexit is the failure of the whole chain
					assert.Equal(t, ends[1], ends[0], name)
				}
				if use != "Goexit" {
					assert.Equal(t, told[1], told[0], name)
				}
			}
		}
	}
	ctx, hooks := probe.Recorded()
	racetest.Aside(func() {
		src := MonoUsing(func(context.Context) (int, error) { return 1, nil }, func(int) reactor.Publisher[int] { runtime.Goexit(); return nil }, func(int) error { return errOther })
		_, _, _ = src.(direct.Source[int]).Direct(ctx)
	})
	if assert.Len(t, hooks.Errs, 1, "nobody else gets it") {
		assert.ErrorIs(t, hooks.Errs[0].(error), errOther)
	}
	_, err := Block(t.Context(), MonoUsing(func(context.Context) (int, error) { return 1, nil },
		func(int) reactor.Publisher[int] { panic(errBoom) }, func(int) error { return errOther }))
	assert.ErrorIs(t, err, errBoom)
	assert.ErrorIs(t, err, errOther)
	var failed *reactor.PanicError
	if assert.True(t, errors.As(err, &failed)) {
		assert.Equal(t, "using", failed.Op)
	}
}
