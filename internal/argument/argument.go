package argument

import (
	"fmt"
	"reflect"
)

// isNil reports whether v is nil or an interface that holds a nil pointer,
// function, map, slice or channel.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Slice, reflect.Chan, reflect.Interface:
		return r.IsNil()
	}
	return false
}

// NotNil panics if fn is nil: a programmer's error at assembly. name says what
// is missing, for example "mapper". Not inlined: every operator calls it, and is
// compiled for every element type.
//
//go:noinline
func NotNil(op, name string, fn any) {
	if isNil(fn) {
		missing(op, name)
	}
}

// Given is [NotNil] for a function that the caller has compared with nil, which costs less than finding that out.
func Given(op, name string, given bool) {
	if !given {
		missing(op, name)
	}
}

//go:noinline
func missing(op, name string) { panic("reactor: " + op + ": the " + name + " is nil") }

// Positive panics unless n > 0, naming operator, parameter and value.
func Positive[N ~int | ~int64](op, name string, n N) {
	if n <= 0 {
		panic(fmt.Sprintf("reactor: %s: %s must be positive, got %v", op, name, n))
	}
}

// NotNegative panics if n < 0, naming operator, parameter and value.
func NotNegative[N ~int | ~int64](op, name string, n N) {
	if n < 0 {
		panic(fmt.Sprintf("reactor: %s: %s must not be negative, got %v", op, name, n))
	}
}

// Options returns opts, and panics if one of them is nil, naming operator and place.
func Options[O any](op string, opts []O) []O {
	for i, o := range opts {
		if any(o) == nil {
			panic(fmt.Sprintf("reactor: %s: option %d is nil", op, i+1))
		}
	}
	return opts
}
