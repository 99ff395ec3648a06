package operators

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// What a function returns beside an error, or beside the word that there is no element, is no element: whoever looks at
// it finds the zero value, whether the chain is computed or subscribed to.
func TestNoElementIsTheZeroValue(t *testing.T) {
	type ints = reactor.Publisher[int]
	sources := map[string]func() ints{
		"fromFunc, error":     func() ints { return FromFunc(func(context.Context) (int, error) { return 5, errBoom }) },
		"fromCallable, error": func() ints { return FromCallable(func() (int, error) { return 5, errBoom }) },
		"fromOptional, error": func() ints { return FromOptional(func() (int, bool, error) { return 5, true, errBoom }) },
		"fromOptional, none":  func() ints { return FromOptional(func() (int, bool, error) { return 5, false, nil }) },
	}
	type record func(what string, v int, ok bool, err error)
	rows := map[string]func(ctx context.Context, src ints, record record){
		"Block": func(ctx context.Context, src ints, record record) {
			v, err := Block(ctx, src)
			record("block", v, false, err)
		},
		"BlockOptional": func(ctx context.Context, src ints, record record) {
			v, ok, err := BlockOptional(ctx, src)
			record("block", v, ok, err)
		},
		"BlockLast of doFinally": func(ctx context.Context, src ints, record record) {
			v, err := BlockLast(ctx, DoFinally(src, func(how reactor.SignalKind) { record(how.String(), 0, false, nil) }))
			record("block", v, false, err)
		},
		"onErrorComplete": func(ctx context.Context, src ints, record record) {
			v, ok, err := BlockOptional(ctx, OnErrorComplete(src))
			record("block", v, ok, err)
		},
		"onErrorMap": func(ctx context.Context, src ints, record record) {
			v, ok, err := BlockOptional(ctx, OnErrorMap(src, func(error) error { return errOther }))
			record("block", v, ok, err)
		},
		"retry": func(ctx context.Context, src ints, record record) {
			v, ok, err := BlockOptional(ctx, Retry(src, Times(1)))
			record("block", v, ok, err)
		},
		"singleOptional": func(ctx context.Context, src ints, record record) {
			v, err := Block(ctx, SingleOptional(OnErrorComplete(src), func(v int, ok bool) int {
				record("fn", v, ok, nil)
				return v
			}))
			record("block", v, false, err)
		},
		"doOnSuccess": func(ctx context.Context, src ints, record record) {
			v, ok, err := BlockOptional(ctx, DoOnSuccess(OnErrorComplete(src), func(v int, ok bool) { record("fn", v, ok, nil) }))
			record("block", v, ok, err)
		},
		"doOnError": func(ctx context.Context, src ints, record record) {
			v, ok, err := BlockOptional(ctx, MonoDoOnError(src, func(err error) { record("fn", 0, false, err) }))
			record("block", v, ok, err)
		},
		"contextWrite": func(ctx context.Context, src ints, record record) {
			v, ok, err := BlockOptional(ctx, ContextWriteValue(src, key(0), 1))
			record("block", v, ok, err)
		},
		"switchIfEmpty": func(ctx context.Context, src ints, record record) {
			v, ok, err := BlockOptional(ctx, SwitchIfEmpty(Empty[int](), src))
			record("block", v, ok, err)
		},
		"flatMap": func(ctx context.Context, src ints, record record) {
			v, ok, err := BlockOptional(ctx, MonoFlatMap(Just(1), func(int) ints { return src }))
			record("block", v, ok, err)
		},
	}
	for of, source := range sources {
		for name, row := range rows {
			t.Run(name+" of "+of, func(t *testing.T) {
				run := func(ctx context.Context) (got []string) {
					row(ctx, source(), func(what string, v int, ok bool, err error) {
						assert.Zero(t, v, what)
						got = append(got, fmt.Sprint(what, v, ok, err))
					})
					return got
				}
				subscribed := run(reactor.WithHooks(context.Background(), reactor.Hooks{}))
				assert.Equal(t, subscribed, run(context.Background()))
			})
		}
	}
}
