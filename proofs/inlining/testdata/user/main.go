// Command user is what a package of a user looks like to the compiler.
package main

import (
	"context"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/schedulers"
	"github.com/goreactor/reactor/sinks"
)

type element struct{ n int }

func main() {
	ctx := context.Background()
	all := flux.FromSlice([]element{{1}, {2}}).
		Filter(func(e element) bool { return e.n > 0 }).
		FlatMap(func(e element) flux.Flux[element] { return flux.Just(e) }).
		ConcatMap(func(e element) flux.Flux[element] { return flux.Just(e) }).
		PublishOn(schedulers.Parallel())
	_ = sinks.One[element]()
	all.SubscribeFunc(ctx, func(element) {})
	for range all.All(ctx) {
		break
	}
}
