package vectors

import (
	"encoding/json"
	"fmt"
)

// call is a function of the format: ["name", args…].
type call struct {
	name string
	args []int64
}

func parseCall(raw json.RawMessage) call {
	var parts []json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil || len(parts) == 0 {
		// A function without arguments may be given by its bare name.
		var name string
		if json.Unmarshal(raw, &name) != nil {
			panic("vectors: " + string(raw) + " is no function")
		}
		return call{name: name}
	}
	var c call
	if err := json.Unmarshal(parts[0], &c.name); err != nil {
		panic("vectors: " + string(raw) + " is no function")
	}
	for _, p := range parts[1:] {
		c.args = append(c.args, decode(p).(int64))
	}
	return c
}

func (c call) arg(i int) int64 {
	if i >= len(c.args) {
		panic(fmt.Sprintf("vectors: function %s has %d arguments, needs %d", c.name, len(c.args), i+1))
	}
	return c.args[i]
}

// FloorMod is the remainder with the sign of m.
func FloorMod(n, m int64) int64 {
	r := n % m
	if r != 0 && (r < 0) != (m < 0) {
		r += m
	}
	return r
}

func (c call) fn() func(Value) (Value, error) {
	pure := func(fn func(Value) Value) func(Value) (Value, error) {
		return func(v Value) (Value, error) { return fn(v), nil }
	}
	switch c.name {
	case "identity":
		return pure(func(v Value) Value { return v })
	case "num":
		return pure(func(v Value) Value { return Num(v) })
	case "add":
		k := c.arg(0)
		return pure(func(v Value) Value { return Num(v) + k })
	case "mul":
		k := c.arg(0)
		return pure(func(v Value) Value { return Num(v) * k })
	case "neg":
		return pure(func(v Value) Value { return -Num(v) })
	case "mod":
		k := c.arg(0)
		return pure(func(v Value) Value { return FloorMod(Num(v), k) })
	case "const":
		k := c.arg(0)
		return pure(func(Value) Value { return k })
	case "pair":
		k := c.arg(0)
		return pure(func(v Value) Value { return List(v, k) })
	case "failAt":
		k := c.arg(0)
		return func(v Value) (Value, error) {
			if Num(v) == k {
				return nil, Boom("boom")
			}
			return v, nil
		}
	}
	panic("vectors: unknown function " + c.name)
}

func (c call) pred() func(Value) (bool, error) {
	pure := func(fn func(int64) bool) func(Value) (bool, error) {
		return func(v Value) (bool, error) { return fn(Num(v)), nil }
	}
	switch c.name {
	case "even":
		return pure(func(n int64) bool { return FloorMod(n, 2) == 0 })
	case "odd":
		return pure(func(n int64) bool { return FloorMod(n, 2) == 1 })
	case "lt":
		k := c.arg(0)
		return pure(func(n int64) bool { return n < k })
	case "gt":
		k := c.arg(0)
		return pure(func(n int64) bool { return n > k })
	case "eq":
		k := c.arg(0)
		return pure(func(n int64) bool { return n == k })
	case "modEq":
		k, r := c.arg(0), c.arg(1)
		return pure(func(n int64) bool { return FloorMod(n, k) == r })
	case "true":
		return pure(func(int64) bool { return true })
	case "false":
		return pure(func(int64) bool { return false })
	case "failAt":
		k := c.arg(0)
		return func(v Value) (bool, error) {
			if Num(v) == k {
				return false, Boom("boom")
			}
			return true, nil
		}
	}
	panic("vectors: unknown predicate " + c.name)
}

func (c call) combine() func(a, b Value) (Value, error) {
	pure := func(fn func(a, b Value) Value) func(a, b Value) (Value, error) {
		return func(a, b Value) (Value, error) { return fn(a, b), nil }
	}
	switch c.name {
	case "sum":
		return pure(func(a, b Value) Value { return Num(a) + Num(b) })
	case "sub":
		return pure(func(a, b Value) Value { return Num(a) - Num(b) })
	case "max":
		return pure(func(a, b Value) Value { return max(Num(a), Num(b)) })
	case "min":
		return pure(func(a, b Value) Value { return min(Num(a), Num(b)) })
	case "second":
		return pure(func(_, b Value) Value { return b })
	case "pair":
		return pure(func(a, b Value) Value { return List(a, b) })
	case "sumFailAt":
		k := c.arg(0)
		return func(a, b Value) (Value, error) {
			sum := Num(a) + Num(b)
			if sum == k {
				return nil, Boom("boom")
			}
			return sum, nil
		}
	}
	panic("vectors: unknown combiner " + c.name)
}

func (c call) iter() func(Value) ([]Value, error) {
	list := func(n, count int64) []Value {
		out := make([]Value, 0, count)
		for i := range count {
			out = append(out, n*10+i)
		}
		return out
	}
	switch c.name {
	case "range":
		k := c.arg(0)
		return func(v Value) ([]Value, error) { return list(Num(v), k), nil }
	case "modRange":
		k := c.arg(0)
		return func(v Value) ([]Value, error) { return list(Num(v), FloorMod(Num(v), k)), nil }
	case "failAt":
		k := c.arg(0)
		return func(v Value) ([]Value, error) {
			if Num(v) == k {
				return nil, Boom("boom")
			}
			return list(Num(v), 2), nil
		}
	}
	panic("vectors: unknown iterable " + c.name)
}

// must makes the form that panics.
func must[R any](r R, err error) R {
	if err != nil {
		panic(err)
	}
	return r
}
