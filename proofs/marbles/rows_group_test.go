package marbles

import (
	"fmt"
	"slices"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

// set is what collects elements without their repetitions.
type set struct{ all []int }

func newSet() *set { return &set{} }

// add reports whether v was not in the set.
func (c *set) add(v int) bool {
	if slices.Contains(c.all, v) {
		return false
	}
	c.all = append(c.all, v)
	return true
}

func (c *set) put(v int) { c.add(v) }

func (c *set) String() string {
	text := fmt.Sprint(c.all)
	return "{" + text[1:len(text)-1] + "}"
}

// after returns a function whose publisher is done some steps later.
func after[T any](n int) func(T) mono.Mono[int64] {
	return func(T) mono.Mono[int64] { return mono.Delay(time.Duration(n) * steps) }
}

// windows is the row of an operator whose elements are streams.
func windows[R any, P reactor.Publisher[R], Q reactor.Publisher[P]](op func(f ints) Q) row {
	return func(s *sources) reactor.Publisher[any] { return streams[R, P](op(flux.From(s.ints("f")))) }
}

func odder(n int) int { return n % 2 }

// groupRows are those of what puts elements together: buffers, windows, groups.
var groupRows = map[string]row{
	"Flux.CollectInto":   OnInts(func(f ints) mono.Mono[*set] { return f.CollectInto(newSet, (*set).put) }),
	"Flux.Buffer#2":      OnInts(func(f ints) flux.Flux[[]int] { return f.Buffer(2, flux.Stride(3)) }),
	"Flux.Buffer#3":      OnInts(func(f ints) flux.Flux[[]int] { return f.Buffer(2, flux.Stride(1)) }),
	"Flux.BufferInto":    OnInts(func(f ints) flux.Flux[*set] { return f.BufferInto(2, newSet, (*set).add) }),
	"Flux.BufferOther":   OnTwo("f", "other", func(f, other ints) flux.Flux[[]int] { return f.BufferOther(other) }),
	"Flux.BufferFor":     OnInts(func(f ints) flux.Flux[[]int] { return f.BufferFor(7 * steps) }),
	"Flux.BufferUntil#2": OnInts(func(f ints) flux.Flux[[]int] { return f.BufferUntil(even, flux.CutBefore()) }),
	"Flux.BufferWhen":    OnTwo("f", "open", func(f, open ints) flux.Flux[[]int] { return f.BufferWhen(open, after[int](11)) }),
	"Flux.GroupJoin": onTwo2("f", "other", func(f, other ints) flux.Flux[ints] {
		return f.GroupJoin(other, after[int](8), after[int](8), func(_ int, group ints) ints { return group })
	}),
	"Flux.GroupBy":       windows[int](func(f ints) flux.Flux[flux.GroupedFlux[int, int]] { return f.GroupBy(odder) }),
	"Flux.GroupByMap":    windows[int](func(f ints) flux.Flux[flux.GroupedFlux[int, int]] { return f.GroupByMap(odder, tens) }),
	"Flux.Window":        windows[int](func(f ints) flux.Flux[ints] { return f.Window(2) }),
	"Flux.WindowOther":   onTwo2("f", "other", func(f, other ints) flux.Flux[ints] { return f.WindowOther(other) }),
	"Flux.WindowFor":     windows[int](func(f ints) flux.Flux[ints] { return f.WindowFor(7 * steps) }),
	"Flux.WindowUntil":   windows[int](func(f ints) flux.Flux[ints] { return f.WindowUntil(even) }),
	"Flux.WindowUntil#2": windows[int](func(f ints) flux.Flux[ints] { return f.WindowUntil(even, flux.CutBefore()) }),
	"Flux.WindowWhile":   windows[int](func(f ints) flux.Flux[ints] { return f.WindowWhile(odd) }),
	"Flux.WindowTimeout": windows[int](func(f ints) flux.Flux[ints] { return f.WindowTimeout(3, 10*steps) }),
	"Flux.WindowUntilChanged": func(s *sources) reactor.Publisher[any] {
		return streams[string](flux.From(s.texts("f")).WindowUntilChanged(identity[string]))
	},
	"Flux.Join": OnTwo("f", "other", func(f, other ints) ints { return f.Join(other, after[int](7), after[int](7), sum) }),
}

// onTwo2 is onTwo for what returns streams.
func onTwo2[R any, P reactor.Publisher[R], Q reactor.Publisher[P]](a, b string, op func(a, b ints) Q) row {
	return func(s *sources) reactor.Publisher[any] {
		return streams[R, P](op(flux.From(s.ints(a)), flux.From(s.ints(b))))
	}
}
