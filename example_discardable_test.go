package reactor_test

import (
	"context"
	"fmt"

	"github.com/goreactor/reactor"
)

// ticket is an element that holds a place for whoever gets it.
type ticket string

func (t ticket) Discarded() { fmt.Println("the place of", t, "is free") }

func ExampleAbandon() {
	reactor.Abandon(context.Background(), []any{ticket("Ann"), "no ticket", ticket("Bob")})
	// Output:
	// the place of Ann is free
	// the place of Bob is free
}

func ExampleOwns() {
	fmt.Println(reactor.Owns[ticket](), reactor.Owns[[]ticket](), reactor.Owns[any](), reactor.Owns[string]())
	// Output: true true true false
}

func ExampleOwnsIn() {
	for _, v := range []any{ticket("Ann"), []ticket{}, []any{1}, "a letter", nil} {
		fmt.Print(reactor.OwnsIn(v), " ")
	}
	// Output: true true true false false
}

func ExampleDiscardHookFor() {
	ctx := context.Background() // no hooks
	fmt.Println(reactor.DiscardHookFor[string](ctx) == nil)
	reactor.DiscardHookFor[ticket](ctx)("Ann") // not a ticket
	reactor.DiscardHookFor[ticket](ctx)(ticket("Bob"))
	// Output:
	// true
	// the place of Bob is free
}
