package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

func TestNewSubscriber(t *testing.T) {
	t.Run("without functions everything is requested", func(t *testing.T) {
		s := between(func(src ints) ints { return src })
		sub := operators.NewSubscriber(t.Context(), operators.SubscriberHooks[int]{})
		operators.DoOnRequest(s, func(n int64) { assert.Equal(t, reactor.Unbounded, n) }).Subscribe(t.Context(), sub)
		assert.Equal(t, reactor.Unbounded, s.requested)
	})
	t.Run("with OnSubscribe it asks for what it likes", func(t *testing.T) {
		var got []any
		sub := operators.NewSubscriber(t.Context(), operators.SubscriberHooks[int]{
			OnSubscribe: func(s *operators.BaseSubscriber[int]) { s.Request(1) },
			OnNext: func(s *operators.BaseSubscriber[int], v int) {
				if got = append(got, v); v < 3 {
					s.Request(1)
				} else {
					s.Cancel()
				}
			},
			OnCancel: func() { got = append(got, "cancelled") },
			Finally:  func(how reactor.SignalKind) { got = append(got, how) },
		})
		operators.Range(1, 9).Subscribe(t.Context(), sub)
		assert.Equal(t, []any{1, 2, 3, "cancelled", reactor.KindCancel}, got)
	})
	t.Run("the end", func(t *testing.T) {
		var got []any
		hooks := operators.SubscriberHooks[int]{
			OnComplete: func() { got = append(got, "complete") },
			OnError:    func(err error) { got = append(got, err) },
			Finally:    func(how reactor.SignalKind) { got = append(got, how) },
		}
		operators.Empty[int]().Subscribe(t.Context(), operators.NewSubscriber(t.Context(), hooks))
		operators.Error[int](errFailed).Subscribe(t.Context(), operators.NewSubscriber(t.Context(), hooks))
		assert.Equal(t, []any{"complete", reactor.KindComplete, errFailed, reactor.KindError}, got)
	})
}
