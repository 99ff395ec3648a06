package operators

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// An element that waits for its counterpart is discarded if that does not come.
func TestMonoZipWhenDiscardsTheElement(t *testing.T) {
	sum := func(v, w int) int { return v + w }
	for name, test := range map[string]struct {
		other   reactor.Publisher[int]
		combine func(int, int) int
		want    []any
	}{
		"empty":     {Empty[int](), sum, []any{3}},
		"failed":    {Error[int](errBoom), sum, []any{3}},
		"cancelled": {Never[int](), sum, []any{3}},
		"panic":     {Hide(Just(4)), func(int, int) int { panic(errBoom) }, []any{3, 4}},
		"delivered": {Hide(Just(4)), sum, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var discarded []any
			ctx := reactor.AddDiscard(t.Context(), func(v any) { discarded = append(discarded, v) })
			p := probeOf[int](reactor.Unbounded)
			MonoZipWhen[int, int](Just(3), func(int) reactor.Publisher[int] { return test.other }, test.combine).Subscribe(ctx, p)
			p.Up.Cancel()
			assert.ElementsMatch(t, test.want, discarded)
		})
	}
}

func TestMonoZipWhen(t *testing.T) {
	twice := func(v int) reactor.Publisher[int] { return Just(2 * v) }
	text := func(a, b int) string { return fmt.Sprint(a, b) }
	run(MonoZipWhen[int, int](Just(3), twice, text)).Done(t, "3 6")
	run(MonoZipWhen[int, int](Empty[int](), twice, text)).Done(t)
	run(MonoZipWhen[int, int](Just(3), func(int) reactor.Publisher[int] { return Empty[int]() }, text)).Done(t)
	run(MonoZipWhen[int, int](Just(3), func(int) reactor.Publisher[int] { return Error[int](errBoom) }, text)).Failed(t, errBoom)
	run(MonoZipWhen[int, int](Just(3), func(int) reactor.Publisher[int] { panic(errBoom) }, text)).Failed(t, errBoom)
	run(MonoZipWhen[int, int](Just(3), twice, func(int, int) string { panic(errBoom) })).Failed(t, errBoom)
	assert.PanicsWithValue(t, "reactor: zipWhen: the combiner is nil", func() { MonoZipWhen[int, int, int](Just(3), twice, nil) })
}
