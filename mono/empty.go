package mono

import "github.com/goreactor/reactor/operators"

// SwitchIfEmpty emits what other sends if m completes without an element.
//
//	m:      ------- |
//	other:            --- 9 |
//	        SwitchIfEmpty(other)
//	out:    ------------- 9 |
//
// All demand is asked of m, and then of other. Errors of both pass. Cancellation reaches
// whichever is subscribed; after a cancellation other is not subscribed. other is subscribed on
// the goroutine on which m completed.
func (m Mono[T]) SwitchIfEmpty[M Self[T]](other M) M {
	return wrap[M](operators.SwitchIfEmpty(m.Source(), Mono[T](other).Source()))
}

// DefaultIfEmpty emits v if m completes without an element.
//
//	m:    ------- |
//	      DefaultIfEmpty(9)
//	out:  ------- 9 |
//
// Demand passes through; v waits for demand if there was none. Errors and cancellation pass. v
// is emitted on the goroutine on which m completed, or on the one that requests. Each
// subscription that does not need v discards it: because an element comes, or because the
// subscription is cancelled.
func (m Mono[T]) DefaultIfEmpty[M Self[T]](v T) M {
	return wrap[M](operators.DefaultIfEmpty(m.Source(), v))
}
