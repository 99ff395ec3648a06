package reactortest

import (
	"fmt"
	"testing"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/stretchr/testify/assert"
)

type order struct{ number int }

func TestValueFormatter(t *testing.T) {
	orders := flux.Just(&order{1}, &order{2})
	byNumber := ValueFormatter(func(o *order) string { return fmt.Sprintf("order %d", o.number) })
	for want, script := range map[string]func(t testing.TB){
		"failed: expected onNext(order 2), but onNext(order 1) came": func(t testing.TB) {
			NewStepVerifier(t, orders, byNumber).ExpectNext(&order{2}).VerifyComplete()
		},
		"(expect next order 1, order 3) failed: expected onNext(order 3), but onNext(order 2) came": func(t testing.TB) {
			NewStepVerifier(t, orders, byNumber).ExpectNext(&order{1}, &order{3}).VerifyComplete()
		},
		"expect a sequence of 1: order 7": func(t testing.TB) {
			NewStepVerifier(t, orders, byNumber).ExpectNextSequence(func(yield func(*order) bool) { yield(&order{7}) }).VerifyComplete()
		},
		"but onNext([order 1, order 2]) came": func(t testing.TB) {
			NewStepVerifier(t, orders.Buffer(2), byNumber).VerifyComplete()
		},
		"but onNext(onNext(order 1)) came": func(t testing.TB) {
			NewStepVerifier(t, orders.Materialize(), byNumber).VerifyComplete()
		},
		"onNext(onComplete())": func(t testing.TB) {
			NewStepVerifier(t, flux.Empty[*order]().Materialize(), byNumber).VerifyComplete()
		},
		"expected order 3 on record, but there is order 1, order 2": func(t testing.TB) {
			NewStepVerifier(t, orders, byNumber).Record().ExpectNextCount(2).ExpectRecorded(&order{3}).VerifyComplete()
		},
		"discarded: expected exactly nothing, got order 1": func(t testing.TB) {
			NewStepVerifier(t, orders.Skip(1), byNumber).ExpectNextCount(1).ExpectComplete().VerifyThenAssert().HasNotDiscarded()
		},
		"expected order 2 for the key {} in the context": func(t testing.TB) {
			NewStepVerifier(t, orders, byNumber).ExpectContextValue(tenantKey{}, &order{2}).ThenCancel().Verify()
		},
		"expected onNext(order 9)": func(t testing.TB) {
			Subscribe(t, orders, byNumber).ExpectNext(&order{9})
		},
		// The first that fits decides; what none is for is written as ever.
		"(expect next and 5) failed: expected onNext(and 5), but onNext(first) came": func(t testing.TB) {
			NewStepVerifier(t, flux.Just[any](&order{1}), ValueFormatter(func(*order) string { return "first" }), byNumber,
				ValueFormatter(func(n int) string { return fmt.Sprint("and ", n) })).
				ExpectNext(5).VerifyComplete()
		},
	} {
		assert.Contains(t, report(script), want)
	}
	assert.Panics(t, func() { ValueFormatter[int](nil) })
	assert.Equal(t, "onComplete()", fmt.Sprint(reactor.CompleteSignal[int]()))
}
