package ledger

import "reflect"

// deepest is how far containers may be nested. A container that contains itself
// ends there.
const deepest = 64

var elementType = reflect.TypeFor[*Element]()

// Each calls found for each element in v, nil ones included, as often as it occurs.
func Each(v any, found func(*Element)) {
	switch v := v.(type) {
	case *Element:
		found(v)
	case []*Element:
		for _, e := range v {
			found(e)
		}
	default:
		walkValue(reflect.ValueOf(v), deepest, found)
	}
}

func walkValue(v reflect.Value, depth int, found func(*Element)) {
	if depth == 0 {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type() == elementType {
			found((*Element)(v.UnsafePointer())) // also from an unexported field
		}
	case reflect.Interface:
		if !v.IsNil() {
			walkValue(v.Elem(), depth-1, found)
		}
	case reflect.Slice, reflect.Array:
		if !mayHold(v.Type().Elem()) {
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
func mayHold(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer:
		return t == elementType
	case reflect.Interface, reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
		return true
	}
	return false
}
