package vectors

import (
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

// The sources that only inner programs have, and x: they refer to the value that the
// program was assembled for, and to what is shared around it.
func init() {
	RegisterFluxSource("argRange", func(_ *Builder, a *Args) flux.Flux[Value] {
		return tens(a.Arg(), int64(a.Int("count")))
	})
	RegisterFluxSource("argModRange", func(_ *Builder, a *Args) flux.Flux[Value] {
		return tens(a.Arg(), FloorMod(Num(a.Arg()), int64(a.Int("mod"))))
	})
	RegisterFluxSource("argChildren", func(_ *Builder, a *Args) flux.Flux[Value] {
		n, width, limit := Num(a.Arg()), int64(a.Int("width")), int64(a.Int("limit"))
		var items []Value
		for c := int64(1); n >= 0 && c <= width; c++ {
			if v := n*width + c; v <= limit {
				items = append(items, v)
			}
		}
		return flux.FromSlice(items)
	})
	RegisterSource("argSwitch", func(_ *Builder, a *Args) Publisher {
		cases := a.Programs("cases")
		return cases[FloorMod(Num(a.Arg()), int64(len(cases)))].Build()
	})
	RegisterSource("x", func(_ *Builder, a *Args) Publisher {
		if a.in.x == nil {
			panic("vectors: x stands where nothing is shared")
		}
		return a.in.x
	})
	RegisterMonoSource("arg", func(_ *Builder, a *Args) mono.Mono[Value] { return mono.Just(a.Arg()) })
	RegisterMonoSource("argFailIf", func(_ *Builder, a *Args) mono.Mono[Value] {
		if a.Pred("pred")(a.Arg()) {
			return mono.Error[Value](a.Error("msg"))
		}
		return mono.Just(a.Arg())
	})
	RegisterMonoSource("argEmptyIf", func(_ *Builder, a *Args) mono.Mono[Value] {
		if a.Pred("pred")(a.Arg()) {
			return mono.Empty[Value]()
		}
		return mono.Just(a.Arg())
	})
	RegisterMonoSource("argThrowIf", func(_ *Builder, a *Args) mono.Mono[Value] {
		if a.Pred("pred")(a.Arg()) {
			panic(a.Error("msg"))
		}
		return mono.Just(a.Arg())
	})
}

// tens is the list n*10, n*10+1, … as a range.
func tens(v Value, count int64) flux.Flux[Value] {
	return boxed(flux.Range(int(Num(v))*10, int(count)))
}
