package stage

import (
	"context"
	"reflect"
	"strings"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// Without a name of their own in the documentation: they mark, and have no methods that
// anybody calls.
type (
	op    = protocol.Op
	inner = protocol.Inner
)

// Trusted marks publishers and subscribers that keep the rules of Reactive Streams, so that no
// stage of this module checks their signals. Embed it, as the first field, in a publisher or a
// subscriber that you have written and that has passed the kit in reactortest/tck. Without it
// everything works as well, but each element is checked.
//
// You then have to do what the checks otherwise do. A trusted subscriber at the end of a chain must
// watch the context itself, since nobody else ends its stream, and must request n > 0 only. A panic
// out of Subscribe of a trusted publisher goes to the caller of Subscribe.
//
// The publishers that this package makes are trusted already.
type Trusted struct {
	op
	inner
}

var _ = Trusted{op: op{}, inner: inner{}} // they are used by having methods

// Upstream returns the publisher that an operator subscribes to: the publisher behind src if src is
// a Flux or a Mono, and src with checks if src is not of this module. A nil src panics and names
// the operator: call it at assembly.
func Upstream[T any](operator string, src reactor.Publisher[T]) reactor.Publisher[T] {
	return protocol.Trust(operator, src)
}

// Downstream returns the subscriber that a publisher emits to: s itself if s belongs to this module
// or is [Trusted], else s with checks and with a watch over ctx. Call it first in the Subscribe
// method of your own publisher, unless that uses an [Outlet]. A nil s panics (§1.9).
func Downstream[T any](ctx context.Context, s reactor.Subscriber[T]) reactor.Subscriber[T] {
	return protocol.Strict(ctx, s)
}

// NotNil panics if fn, an argument of operator, is nil. what says which, for example "mapper".
func NotNil(operator, what string, fn any) { argument.NotNil(operator, what, fn) }

// Positive panics unless n > 0; it names the operator, the argument and its value.
func Positive[N ~int | ~int64](operator, what string, n N) {
	argument.Positive(operator, what, n)
}

// Name declares that the methods of D, and the function literals in them, belong to the operator
// called name, and returns name. If a function that they call panics, the *reactor.PanicError names
// that operator; otherwise it would name the next operator above. Call Name once, when the program
// starts, and once more for a state with methods that may panic, such as Start or Open; the type
// arguments of D do not matter:
//
//	var pairwiseName = stage.Name[pairwise[any, any]]("pairwise")
//
// It costs nothing at run time: names are looked up only when something has failed.
func Name[D any](name string) string {
	t := reflect.TypeFor[D]()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Name() == "" || name == "" {
		panic("stage: Name: " + t.String() + " is no named type, or there is no name for it")
	}
	typeName, _, _ := strings.Cut(t.Name(), "[")
	failure.NameOperator(t.PkgPath(), typeName, name)
	return name
}
