package chainfuzz

import (
	"context"
	"slices"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

// source is a way to begin a chain: with n elements, or with a few.
type source struct {
	name  string
	build func(n int) flux.Flux[int]
	model func(n int) []int
	end   error
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func none(int) []int { return nil }

var sources = []source{
	{name: "range", build: func(n int) flux.Flux[int] { return flux.Range(0, n) }, model: upTo},
	{name: "slice", build: func(n int) flux.Flux[int] { return flux.FromSlice(upTo(n)) }, model: upTo},
	{name: "seq", build: func(n int) flux.Flux[int] { return flux.FromSeq(slices.Values(upTo(n))) }, model: upTo},
	{name: "empty", build: func(int) flux.Flux[int] { return flux.Empty[int]() }, model: none},
	{name: "just", build: func(n int) flux.Flux[int] { return flux.Just(n) }, model: func(n int) []int { return []int{n} }},
	{name: "callable", build: func(n int) flux.Flux[int] {
		return flux.From(mono.FromCallable(func() (int, error) { return n, nil }))
	}, model: func(n int) []int { return []int{n} }},
	{name: "error", build: func(int) flux.Flux[int] { return flux.Error[int](errSource) }, model: none, end: errSource},
	{name: "failing", build: func(n int) flux.Flux[int] {
		return flux.Concat(flux.Range(0, n), flux.Error[int](errSource))
	}, model: upTo, end: errSource},
	{name: "generate", build: func(n int) flux.Flux[int] {
		return flux.Generate(func() int { return 0 }, func(i int, s *flux.SyncSink[int]) int {
			if i == n {
				s.Complete()
			} else {
				s.Next(i)
			}
			return i + 1
		})
	}, model: upTo},
	{name: "create", build: func(n int) flux.Flux[int] {
		return flux.Create(func(s *flux.Sink[int]) {
			for i := range n {
				s.Next(i)
			}
			s.Complete()
		})
	}, model: upTo},
	{name: "createFailing", build: func(n int) flux.Flux[int] {
		return flux.Create(func(s *flux.Sink[int]) {
			for i := range n {
				s.Next(i)
			}
			s.Error(errSource)
		})
	}, model: upTo, end: errSource},
	{name: "defer", build: func(n int) flux.Flux[int] {
		return flux.Defer[int](func(context.Context) flux.Flux[int] { return flux.Range(0, n) })
	}, model: upTo},
	{name: "hidden", build: func(n int) flux.Flux[int] { return flux.Range(0, n).Hide() }, model: upTo},
	{name: "using", build: func(n int) flux.Flux[int] {
		return flux.Using[int](func(context.Context) (int, error) { return n, nil }, func(n int) flux.Flux[int] { return flux.Range(0, n) }, func(int) error { return nil })
	}, model: upTo},
}
