package operators_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

// A call that is given no context says so and names itself, whatever the source is; without that the
// panic is one of a nil pointer somewhere inside.
func TestNilContexts(t *testing.T) {
	var none context.Context
	computed, waits := operators.Map(operators.Just(1), func(v int) int { return v }), operators.Never[int]()
	for want, call := range map[string]func(){
		"all: the context is nil":           func() { operators.All(none, computed) },
		"toChan: the context is nil":        func() { operators.ToChan(none, computed) },
		"block: the context is nil":         func() { _, _ = operators.Block(none, computed) },
		"blockOptional: the context is nil": func() { _, _, _ = operators.BlockOptional(none, waits) },
		"blockFirst: the context is nil":    func() { _, _ = operators.BlockFirst(none, waits) },
		"blockLast: the context is nil":     func() { _, _ = operators.BlockLast(none, waits) },
		"collect: the context is nil":       func() { _, _ = operators.Collect(none, computed) },
		"forEach: the context is nil":       func() { _ = operators.ForEach(none, computed, func(int) {}) },
		"run: the context is nil":           func() { _ = operators.Run(none, computed) },
		"tryForEach: the context is nil":    func() { _ = operators.TryForEach(none, computed, func(int) error { return nil }) },
		"subscribe: the context is nil":     func() { operators.SubscribeFunc(none, computed, nil) },
		"toFuture: the context is nil":      func() { operators.ToFuture(none, computed) },
		"wait: the context is nil": func() {
			f := operators.ToFuture(t.Context(), waits)
			defer f.Cancel()
			_, _, _ = f.Wait(none)
		},
		"connect: the context is nil": func() { operators.Publish(computed).Connect(none, nil) },
	} {
		assert.PanicsWithValue(t, "reactor: "+want, call)
	}
}
