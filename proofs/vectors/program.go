package vectors

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

// Publisher is what a program is: a flux.Flux[Value] or a mono.Mono[Value].
type Publisher = reactor.Publisher[Value]

// node is a source, an operator or a sink with its arguments.
type node map[string]json.RawMessage

// Program is a source with its operators, not assembled yet. The value that arg…
// sources refer to is bound already.
type Program struct {
	b   *Builder
	src node
	ops []node
	in  scope
}

// scope is what a program may refer to.
type scope struct {
	arg *Value    // of the innermost enclosing inner program, or nil
	x   Publisher // what the source x is, or nil
}

// Args are the arguments of one source or operator.
type Args struct {
	b    *Builder
	name string
	node node
	in   scope
	used map[string]bool // the arguments that were asked for
}

// Has reports whether the argument is given.
func (a *Args) Has(name string) bool {
	if a.used != nil {
		a.used[name] = true
	}
	raw, ok := a.node[name]
	return ok && string(raw) != "null"
}

// Raw returns the JSON text of an argument that must be there.
func (a *Args) Raw(name string) json.RawMessage {
	if !a.Has(name) {
		panic(fmt.Sprintf("vectors: %s: the argument %s is missing", a.name, name))
	}
	return a.node[name]
}

func get[T any](a *Args, name string) T {
	var v T
	if err := json.Unmarshal(a.Raw(name), &v); err != nil {
		panic(fmt.Sprintf("vectors: %s: argument %s: %v", a.name, name, err))
	}
	return v
}

// Int returns a required integer. What stands for unbounded in the original does so here.
func (a *Args) Int(name string) int {
	n := get[int](a, name)
	if n == math.MaxInt32 && (strings.HasSuffix(strings.ToLower(name), "prefetch") || name == "concurrency") {
		return math.MaxInt
	}
	return n
}

// IntOr returns an integer, or def if it is not given.
func (a *Args) IntOr(name string, def int) int {
	if !a.Has(name) {
		return def
	}
	return a.Int(name)
}

// Str returns a required text.
func (a *Args) Str(name string) string { return get[string](a, name) }

// StrOr returns a text, or def if it is not given.
func (a *Args) StrOr(name, def string) string {
	if !a.Has(name) {
		return def
	}
	return a.Str(name)
}

// BoolOr returns a boolean, or def if it is not given.
func (a *Args) BoolOr(name string, def bool) bool {
	if !a.Has(name) {
		return def
	}
	return get[bool](a, name)
}

// Bool returns a boolean, false if it is not given.
func (a *Args) Bool(name string) bool { return a.BoolOr(name, false) }

// Millis returns a required time in milliseconds.
func (a *Args) Millis(name string) time.Duration {
	return time.Duration(a.Int(name)) * time.Millisecond
}

// MillisOr returns a time in milliseconds, or def if it is not given.
func (a *Args) MillisOr(name string, def time.Duration) time.Duration {
	if !a.Has(name) {
		return def
	}
	return a.Millis(name)
}

// Value returns a required value.
func (a *Args) Value(name string) Value { return decode(a.Raw(name)) }

// Values returns a required list of values.
func (a *Args) Values(name string) []Value { return a.Value(name).([]Value) }

// Error returns the user's error whose message is the argument.
func (a *Args) Error(name string) error { return Boom(a.Str(name)) }

// Fn returns a function that panics with the user's error where the format says
// that it throws.
func (a *Args) Fn(name string) func(Value) Value {
	fn := a.TryFn(name)
	return func(v Value) Value { return must(fn(v)) }
}

// TryFn returns the function that returns the user's error instead.
func (a *Args) TryFn(name string) func(Value) (Value, error) {
	fn := parseCall(a.Raw(name)).fn()
	return func(v Value) (Value, error) { a.b.step(); return fn(v) }
}

// Key returns the number of the function's result: what keys are.
func (a *Args) Key(name string) func(Value) int64 {
	fn := a.Fn(name)
	return func(v Value) int64 { return Num(fn(v)) }
}

// Pred returns a predicate that panics where it throws.
func (a *Args) Pred(name string) func(Value) bool {
	fn := a.TryPred(name)
	return func(v Value) bool { return must(fn(v)) }
}

// TryPred returns the predicate that returns the error.
func (a *Args) TryPred(name string) func(Value) (bool, error) {
	fn := parseCall(a.Raw(name)).pred()
	return func(v Value) (bool, error) { a.b.step(); return fn(v) }
}

// Combine returns the combiner, or the one called def if none is given; it panics
// where it throws. Without def it is required.
func (a *Args) Combine(name, def string) func(x, y Value) Value {
	fn := a.TryCombine(name, def)
	return func(x, y Value) Value { return must(fn(x, y)) }
}

// TryCombine returns the combiner that returns the error.
func (a *Args) TryCombine(name, def string) func(x, y Value) (Value, error) {
	c := call{name: def}
	if def == "" || a.Has(name) {
		c = parseCall(a.Raw(name))
	}
	fn := c.combine()
	return func(x, y Value) (Value, error) { a.b.step(); return fn(x, y) }
}

// CombineAll returns the combiner of any number of values, folded from the
// left; if it is not given, the list of the values.
func (a *Args) CombineAll(name string) func([]Value) Value {
	if !a.Has(name) {
		return func(vs []Value) Value { return append([]Value(nil), vs...) }
	}
	fn := a.Combine(name, "")
	return func(vs []Value) Value {
		acc := vs[0]
		for _, v := range vs[1:] {
			acc = fn(acc, v)
		}
		return acc
	}
}

// Iter returns the function to a list; it panics where it throws.
func (a *Args) Iter(name string) func(Value) []Value {
	fn := a.TryIter(name)
	return func(v Value) []Value { return must(fn(v)) }
}

// TryIter returns the function that returns the error.
func (a *Args) TryIter(name string) func(Value) ([]Value, error) {
	fn := parseCall(a.Raw(name)).iter()
	return func(v Value) ([]Value, error) { a.b.step(); return fn(v) }
}

// Program returns a required program argument, not assembled. Build assembles it
// with the arg of the enclosing inner program.
func (a *Args) Program(name string) *Program { return a.b.program(a.Raw(name), a.in) }

// Programs returns a required list of programs, not assembled.
func (a *Args) Programs(name string) []*Program {
	raws := get[[]json.RawMessage](a, name)
	out := make([]*Program, len(raws))
	for i, raw := range raws {
		out[i] = a.b.program(raw, a.in)
	}
	return out
}

// Part returns what the operators of an argument make of a flux. They are assembled at each call.
func (a *Args) Part(name string) func(flux.Flux[Value]) Publisher {
	ops := get[[]node](a, name)
	return func(f flux.Flux[Value]) Publisher { return a.b.apply(f, ops, a.in) }
}

// Pub assembles an other program now.
func (a *Args) Pub(name string) Publisher { return a.Program(name).Build() }

// Flux assembles an other program now, as a Flux.
func (a *Args) Flux(name string) flux.Flux[Value] { return AsFlux(a.Pub(name)) }

// Mono assembles an other program now, as a Mono: of a flux its Next.
func (a *Args) Mono(name string) mono.Mono[Value] { return a.b.AsMono(a.Pub(name)) }

// Pubs assembles a list of other programs now, in order.
func (a *Args) Pubs(name string) []Publisher {
	var out []Publisher
	for _, p := range a.Programs(name) {
		out = append(out, p.Build())
	}
	return out
}

// Monos assembles a list of other programs now, as Monos.
func (a *Args) Monos(name string) []mono.Mono[Value] {
	var out []mono.Mono[Value]
	for _, p := range a.Programs(name) {
		out = append(out, a.b.AsMono(p.Build()))
	}
	return out
}

// Inner returns the function from a value to a publisher that an inner program
// is. It assembles the program anew for each value, and panics where
// argThrowIf throws.
func (a *Args) Inner(name string) func(Value) Publisher {
	raw := a.Raw(name)
	return func(v Value) Publisher {
		a.b.step()
		return a.b.program(raw, scope{arg: &v, x: a.in.x}).Build()
	}
}

// InnerFlux is Inner as a function to a Flux.
func (a *Args) InnerFlux(name string) func(Value) flux.Flux[Value] {
	fn := a.Inner(name)
	return func(v Value) flux.Flux[Value] { return AsFlux(fn(v)) }
}

// InnerMono is Inner as a function to a Mono: of a flux its Next.
func (a *Args) InnerMono(name string) func(Value) mono.Mono[Value] {
	fn := a.Inner(name)
	return func(v Value) mono.Mono[Value] { return a.b.AsMono(fn(v)) }
}

// TryInner is Inner as a function that returns the error of argThrowIf.
func (a *Args) TryInner(name string) func(Value) (Publisher, error) {
	fn := a.Inner(name)
	return func(v Value) (p Publisher, err error) {
		defer func() {
			if r := recover(); r != nil {
				boom, ok := r.(Boom)
				if !ok {
					panic(r)
				}
				err = boom
			}
		}()
		return fn(v), nil
	}
}

// Match returns whether an error is one that the operator is for: its kind begins
// with the argument match, or match is not given.
func (a *Args) Match() func(error) bool {
	if !a.Has("match") {
		return func(error) bool { return true }
	}
	prefix := a.Str("match")
	return func(err error) bool {
		k := Kind(err)
		return len(k) >= len(prefix) && k[:len(prefix)] == prefix
	}
}

// Arg returns the value that an inner program was assembled for.
func (a *Args) Arg() Value {
	if a.in.arg == nil {
		panic("vectors: " + a.name + " stands outside of an inner program")
	}
	return *a.in.arg
}

// Record records a user-visible event of this operator.
func (a *Args) Record(event string) { a.b.peek(Entry{Op: a.tag(), Text: event}) }

// RecordValue records an event with a value.
func (a *Args) RecordValue(event string, v Value) {
	a.b.peek(Entry{Op: a.tag(), Text: event, Value: "v=" + Text(v)})
}

// RecordError records an event with an error.
func (a *Args) RecordError(event string, err error) {
	a.b.peek(Entry{Op: a.tag(), Text: event, Value: "e=" + Kind(err)})
}

// RecordErrorValue records an event with an error and the value in hand.
func (a *Args) RecordErrorValue(event string, err error, v Value) {
	a.b.peek(Entry{Op: a.tag(), Text: event, Value: "e=" + Kind(err) + " v=" + Text(v)})
}

// RecordRequest records an event with a demand.
func (a *Args) RecordRequest(event string, n int64) {
	a.b.peek(Entry{Op: a.tag(), Text: event, N: n})
}

func (a *Args) tag() string { return string(a.Raw("tag")) }
