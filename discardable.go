package reactor

import (
	"context"
	"reflect"
	"slices"
	"sync"
)

// Discardable is an element that owns something upstream, such as a window or a
// group: unless somebody subscribes to it, what it owns goes on for ever.
//
// Stages need not handle it: [Discard], [DropNext] and the function that
// [DiscardHookFor] returns do that.
type Discardable interface {
	// Discarded is called when the element was discarded or dropped, after the hooks,
	// and may be called several times. It does nothing if somebody has subscribed
	// meanwhile, a hook for instance.
	//
	// It is called on whichever goroutine discards, and must not block. The
	// exceptions are elements that never leave the worker that has made them; those
	// may block: a process of adapt/execstream that was started for nobody takes up
	// to its grace, a transaction of adapt/sqlstream takes as long as its rollback.
	Discarded()
}

// around is a type of this package that carries an element, and is as Discardable as that is.
type around interface {
	element() any
	elementPointer() any // a nil pointer to the type of the element
}

var (
	discardableType = reflect.TypeFor[Discardable]()
	aroundType      = reflect.TypeFor[around]()
)

// Owns reports whether elements of type T may be [Discardable], or be slices or
// maps of such elements, or a [Signal], [Timed] or [Indexed] of one. If it reports
// false and there is no hook, a discarded element needs no handling.
func Owns[T any]() bool { return ownsPointed((*T)(nil)) }

// OwnsIn reports whether v is [Discardable], or may contain something that is: it
// is [Owns] for one element of interface type. It looks at types alone, not into
// slices and maps.
func OwnsIn(v any) bool {
	switch v.(type) {
	case nil:
		return false
	case Discardable, around:
		return true
	}
	t := reflect.TypeOf(v)
	k := t.Kind()
	return (k == reflect.Slice || k == reflect.Map) && owns(t.Elem())
}

// ownsPointed is owns for the type that p points to. What has a type parameter names no [reflect.Type]: a package that
// compiles that for a type of its own compiles all methods of it, too.
//
//go:noinline
func ownsPointed(p any) bool { return owns(pointed(p)) }

func pointed(p any) reflect.Type { return reflect.TypeOf(p).Elem() }

// owned is what owns has found out of types, by reflect.Type. Looking through the methods of a type takes up to a microsecond
// (time.Time), and stages ask with each subscription.
var owned sync.Map

func owns(t reflect.Type) bool {
	switch k := t.Kind(); { // what is cheaper than looking it up
	case k == reflect.Interface:
		return true // who knows
	case (k < reflect.Array || k == reflect.String || k == reflect.Pointer) && t.NumMethod() == 0:
		return false
	}
	if does, known := owned.Load(t); known {
		return does.(bool)
	}
	does := ownsAny(t, nil)
	owned.Store(t, does)
	return does
}

// ownsAny is owns within types that were seen, which may contain themselves: one that was
// seen before has nothing that was not looked at already.
func ownsAny(t reflect.Type, seen []reflect.Type) bool {
	if t.Implements(discardableType) {
		return true
	}
	switch t.Kind() {
	case reflect.Interface:
		return true // who knows
	case reflect.Slice, reflect.Map:
		return !slices.Contains(seen, t) && ownsAny(t.Elem(), append(seen, t))
	case reflect.Struct:
		if t.Implements(aroundType) {
			return ownsAny(pointed(reflect.Zero(t).Interface().(around).elementPointer()), seen)
		}
	}
	return false
}

// DiscardHookFor is [DiscardHook] for elements of type T. If elements of T may be
// [Discardable], the result is not nil, whether there is a hook or not.
func DiscardHookFor[T any](ctx context.Context) func(v any) {
	return discardHookFor(ctx, (*T)(nil))
}

// discardHookFor is [DiscardHookFor] compiled once, for what p points to.
//
//go:noinline
func discardHookFor(ctx context.Context, p any) func(v any) {
	hook := DiscardHook(ctx)
	if hook == nil && owns(pointed(p)) {
		return func(v any) { Abandon(ctx, v) }
	}
	return hook
}

// Abandon tells v that nobody will get it, if v is [Discardable]. If v is a slice,
// a map (its values), a [Signal], a [Timed] or an [Indexed], it tells what is in v.
func Abandon(ctx context.Context, v any) { abandon(ctx, v, nil) }

// container is a slice or a map by identity.
type container struct {
	t  reflect.Type
	at uintptr
	n  int
}

// abandon is Abandon for what is within containers, one of which may contain itself.
func abandon(ctx context.Context, v any, within []container) {
	switch d := v.(type) {
	case Discardable:
		safely(ctx, "discarded", d.Discarded)
		return
	case around:
		if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && p.IsNil() {
			return
		}
		if v := d.element(); v != nil {
			abandon(ctx, v, within)
		}
		return
	}
	list := reflect.ValueOf(v)
	if k := list.Kind(); k != reflect.Slice && k != reflect.Map || !owns(list.Type().Elem()) {
		return
	}
	self := container{list.Type(), list.Pointer(), list.Len()}
	if slices.Contains(within, self) {
		return
	}
	within = append(within, self)
	if list.Kind() == reflect.Map {
		for at := list.MapRange(); at.Next(); {
			abandon(ctx, at.Value().Interface(), within)
		}
		return
	}
	for i := range list.Len() {
		abandon(ctx, list.Index(i).Interface(), within)
	}
}
