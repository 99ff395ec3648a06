package ledger

import "reflect"

// deepest is how far containers may be nested. A container that contains itself
// ends there.
const deepest = 64

// Each calls found for each element in v, nil ones included, as often as it occurs.
func Each(v any, found func(*Element)) { EachOf(v, found) }

// EachOf is [Each] for elements that are pointers to an E.
func EachOf[E any](v any, found func(*E)) {
	switch v := v.(type) {
	case *E:
		found(v)
	case []*E:
		for _, e := range v {
			found(e)
		}
	default:
		walkValue(reflect.ValueOf(v), deepest, found)
	}
}

func walkValue[E any](v reflect.Value, depth int, found func(*E)) {
	if depth == 0 {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*E]() {
			found((*E)(v.UnsafePointer())) // also from an unexported field
		}
	case reflect.Interface:
		if !v.IsNil() {
			walkValue(v.Elem(), depth-1, found)
		}
	case reflect.Slice, reflect.Array:
		if !mayHold[E](v.Type().Elem()) {
			return
		}
		for i := range v.Len() {
			walkValue(v.Index(i), depth-1, found)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			walkValue(it.Key(), depth-1, found)
			walkValue(it.Value(), depth-1, found)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walkValue(v.Field(i), depth-1, found)
		}
	}
}

// mayHold reports whether a value of type t can be an element or contain one.
func mayHold[E any](t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer:
		return t == reflect.TypeFor[*E]()
	case reflect.Interface, reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
		return true
	}
	return false
}
