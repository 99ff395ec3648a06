package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// A group or window that is discarded is cancelled: nobody else would ever do it, and
// the source would run for it for ever.
func TestDiscardedWindowsAreCancelled(t *testing.T) {
	itself := func(p reactor.Publisher[int]) reactor.Publisher[int] { return p }
	other := func() reactor.Publisher[int] { return Never[int]() }
	for name, split := range map[string]func(reactor.Publisher[int]) reactor.Publisher[reactor.Publisher[int]]{
		"groupBy": func(src reactor.Publisher[int]) reactor.Publisher[reactor.Publisher[int]] {
			return GroupBy(src, func(int) int { return 0 }, func(_ int, g reactor.Publisher[int]) reactor.Publisher[int] { return g })
		},
		"window": func(src reactor.Publisher[int]) reactor.Publisher[reactor.Publisher[int]] {
			return Window(src, 9, itself)
		},
		"overlapping windows": func(src reactor.Publisher[int]) reactor.Publisher[reactor.Publisher[int]] {
			return Window(src, 9, itself, Stride(3))
		},
		"windowUntil": func(src reactor.Publisher[int]) reactor.Publisher[reactor.Publisher[int]] {
			return WindowUntil(src, func(int) bool { return false }, itself)
		},
		"windowOther": func(src reactor.Publisher[int]) reactor.Publisher[reactor.Publisher[int]] {
			return WindowOther(src, other(), itself)
		},
	} {
		t.Run(name, func(t *testing.T) {
			cancelled := 0
			src := DoOnCancel(ConcatWith(Just(1), Never[int]()), func() { cancelled++ })
			windows := Filter(split(src), func(reactor.Publisher[int]) bool { return false })
			p := probeOf[reactor.Publisher[int]](reactor.Unbounded)
			windows.Subscribe(t.Context(), p)
			p.up.Cancel()
			assert.Equal(t, 1, cancelled)
			assert.Empty(t, p.items)
		})
	}
}
