package benchmarks

import (
	"context"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

// Operators returns a row for each operator: what it costs as a program has it, beside Reactor on the JVM. A Flux has
// Singles elements of a range, consumed by SubscribeFunc under a context that can end; a Mono is made, subscribed and
// over, and the figure is that of its whole life.
func Operators() (rows []Workload) {
	for _, list := range [][]operator{elementwise(), many(), around(), sources()} {
		for _, o := range list {
			rows = append(rows, Workload{
				ID: "O " + o.name, Title: o.title, Elements: Singles, Unit: PerElement, Want: o.want(Singles),
				Runs: []Competitor{library(libOperator(o), Singles)},
			})
		}
	}
	for _, o := range monos() {
		rows = append(rows, Workload{
			ID: "O mono " + o.name, Title: o.title, Elements: 1, Unit: PerElement, Want: o.want,
			Runs: []Competitor{library(libMonoOperator(o), 1)},
		})
	}
	return rows
}

// operator is an operator on a Flux of the elements 0 … n-1.
type operator struct {
	name, title string
	want        func(n int) int // the sum of what comes out
	open        func(n int) flux.Flux[int]
}

// behind is an operator behind a range.
func behind(name, title string, want func(n int) int, apply func(flux.Flux[int]) flux.Flux[int]) operator {
	return operator{name, title, want, func(n int) flux.Flux[int] { return apply(flux.Range(0, n)) }}
}

// sized is behind for what depends on the number of elements.
func sized(name, title string, want func(n int) int, apply func(f flux.Flux[int], n int) flux.Flux[int]) operator {
	return operator{name, title, want, func(n int) flux.Flux[int] { return apply(flux.Range(0, n), n) }}
}

// monoOperator is a Mono, from its assembly to its end.
type monoOperator struct {
	name, title string
	want        int
	open        func() mono.Mono[int]
}

func libOperator(o operator) Life {
	return of(o.open, within(func(ctx context.Context, f flux.Flux[int]) (sum int, err error) {
		over := make(chan struct{})
		f.SubscribeFunc(ctx, func(v int) { sum += v },
			flux.OnError(func(e error) { err = e; close(over) }), flux.OnComplete(func() { close(over) }))
		<-over
		return sum, err
	}))
}

// standing is a context that could end and does not.
var standing, _ = context.WithCancel(context.Background()) //nolint:govet // it is there as long as the program

func libMonoOperator(o monoOperator) Life {
	return of(func(int) mono.Mono[int] { return o.open() }, func(m mono.Mono[int]) int {
		return awaited(func(got func(int), failed func(error)) { m.SubscribeFunc(standing, got, mono.OnError(failed)) })
	})
}

// awaited returns what subscribe hands over before it returns.
func awaited(subscribe func(got func(int), failed func(error))) (result int) {
	subscribe(func(v int) { result = v }, func(err error) { panic(err) })
	return result
}

// upTo returns 0 … n-1.
func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// Sums of what comes out, of 0 … n-1 that went in.

func sumOfEven(n int) int  { return 2 * sumTo((n+1)/2) }
func sumOfNext(n int) int  { return sumTo(n) + n }
func sumOfTwice(n int) int { return 2 * sumTo(n) }

// sumOfHundreds is the sum of every hundredth.
func sumOfHundreds(n int) int { return 100 * sumTo(n/100) }
