package reactortest

import (
	"fmt"
	"strings"

	"github.com/goreactor/reactor"
)

// ValueFormatter makes reports write values of type V as format does, also where they are the
// elements of a []V and where a reactor.Signal[V] carries one. Give it once for each type; if
// several fit, the first one is used. It is for types whose %v says too little or too much:
//
//	reactortest.NewStepVerifier(t, orders, reactortest.ValueFormatter(func(o *Order) string { return o.Number }))
//
// format runs on the goroutine that reports. It has no influence on comparisons.
func ValueFormatter[V any](format func(V) string) Option {
	if format == nil {
		panic("reactortest: ValueFormatter: the function is nil")
	}
	convert := func(v any) (string, bool) {
		switch v := v.(type) {
		case V:
			return format(v), true
		case []V:
			parts := make([]string, len(v))
			for i, item := range v {
				parts[i] = format(item)
			}
			return "[" + strings.Join(parts, ", ") + "]", true
		case reactor.Signal[V]:
			if item, ok := v.Value(); ok {
				return "onNext(" + format(item) + ")", true
			}
		}
		return "", false
	}
	return func(c *config) { c.format = append(c.format, convert) }
}

// formatter writes values for reports. A function returns false for what is not its business.
type formatter []func(any) (string, bool)

// longest is how much of a value a report shows.
const longest = 200

// show writes a value as reports do.
func (f formatter) show(v any) string {
	s := f.write(v)
	if len(s) > longest {
		return s[:runeStart(s, longest)] + "…"
	}
	return s
}

func (f formatter) write(v any) string {
	for _, convert := range f {
		if s, ok := convert(v); ok {
			return s
		}
	}
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%v", v)
}

// mostListed is how many of many values a report shows.
const mostListed = 8

// list writes values with commas between them, the first ones of many.
func list[T any](f formatter, items []T) string {
	const most = mostListed
	if len(items) == 0 {
		return "nothing"
	}
	parts := make([]string, 0, most+1)
	for i, item := range items {
		if i == most {
			parts = append(parts, fmt.Sprintf("… and %d more", len(items)-most))
			break
		}
		parts = append(parts, f.show(item))
	}
	return strings.Join(parts, ", ")
}

// show writes a value where no formatter is known.
func show(v any) string { return formatter(nil).show(v) }
