package main

import (
	"fmt"
	"go/types"
	"strings"
)

// The lines of a listing. Parameters have no names, types of other packages the
// name of their package:
//
//	const Forever time.Duration = -1
//	func Just[T any](...T) Flux[T]
//	method (Flux[T]) Map[R any](func(T) R) Flux[R]
//	type Publisher[T any] interface
//	type Publisher[T any] interface, Subscribe(context.Context, Subscriber[T])
//	type Self[T any] interface{Flux[T]}
//	type Signal[T any] struct
//	type Signal[T any] struct, Value T
//	type Sink[T any] = operators.Sink[T]
//	var ErrTimeout error
//
// Methods that a type has from one it embeds are listed like its own, and so are the fields
// that it has from a hidden one.

// writer collects the lines of one package.
type writer struct {
	pkg   *types.Package
	lines []string
}

func (w *writer) add(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

func (w *writer) object(obj types.Object) {
	switch obj := obj.(type) {
	case *types.Const:
		w.add("const %s %s = %s", obj.Name(), w.typ(obj.Type()), obj.Val())
	case *types.Var:
		w.add("var %s %s", obj.Name(), w.typ(obj.Type()))
	case *types.Func:
		sig := obj.Signature()
		w.add("func %s%s%s", obj.Name(), w.params(sig.TypeParams()), w.signature(sig))
	case *types.TypeName:
		w.typeName(obj)
	}
}

func (w *writer) typeName(obj *types.TypeName) {
	if alias, ok := obj.Type().(*types.Alias); ok && obj.IsAlias() {
		w.add("type %s%s = %s", obj.Name(), w.params(alias.TypeParams()), w.typ(alias.Rhs()))
		return
	}
	named, ok := obj.Type().(*types.Named)
	if !ok { // an alias of a basic type
		w.add("type %s = %s", obj.Name(), w.typ(obj.Type()))
		return
	}
	name := obj.Name() + w.params(named.TypeParams())
	switch t := named.Underlying().(type) {
	case *types.Struct:
		w.add("type %s struct", name)
		w.fields(name, t)
	case *types.Interface:
		w.interfaceLines(name, t)
	default:
		w.add("type %s %s", name, w.typ(t))
	}
	if !types.IsInterface(named) {
		w.methods(named)
	}
}

// fields lists the exported fields of a struct, and those that it has from a hidden type
// it embeds.
func (w *writer) fields(name string, t *types.Struct) {
	for field := range t.Fields() {
		switch inner, ok := field.Type().Underlying().(*types.Struct); {
		case field.Exported() && field.Embedded():
			w.add("type %s struct, embedded %s", name, w.typ(field.Type()))
		case field.Exported():
			w.add("type %s struct, %s %s", name, field.Name(), w.typ(field.Type()))
		case field.Embedded() && ok:
			w.fields(name, inner)
		}
	}
}

func (w *writer) interfaceLines(name string, t *types.Interface) {
	if !t.IsMethodSet() { // a constraint
		w.add("type %s %s", name, w.typ(t))
		return
	}
	w.add("type %s interface", name)
	hidden := false
	for m := range t.Methods() {
		if m.Exported() {
			w.add("type %s interface, %s%s", name, m.Name(), w.signature(m.Signature()))
		}
		hidden = hidden || !m.Exported()
	}
	if hidden {
		w.add("type %s interface, and unexported methods", name)
	}
}

// methods lists the methods that variables of the type have.
func (w *writer) methods(named *types.Named) {
	var args string
	if n := named.TypeParams().Len(); n > 0 {
		names := make([]string, n)
		for i := range n {
			names[i] = named.TypeParams().At(i).Obj().Name()
		}
		args = "[" + strings.Join(names, ", ") + "]"
	}
	direct := types.NewMethodSet(named)
	for m := range types.NewMethodSet(types.NewPointer(named)).Methods() {
		fn := m.Obj().(*types.Func)
		if !fn.Exported() {
			continue
		}
		star := "*"
		if direct.Lookup(fn.Pkg(), fn.Name()) != nil {
			star = ""
		}
		sig := m.Type().(*types.Signature)
		w.add("method (%s%s%s) %s%s%s", star, named.Obj().Name(), args, fn.Name(), w.params(sig.TypeParams()), w.signature(sig))
	}
}

// params returns the list of type parameters with their constraints, in brackets.
func (w *writer) params(list *types.TypeParamList) string {
	if list.Len() == 0 {
		return ""
	}
	parts := make([]string, list.Len())
	for i := range parts {
		p := list.At(i)
		parts[i] = p.Obj().Name() + " " + w.typ(p.Constraint())
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// signature returns parameters and results.
func (w *writer) signature(sig *types.Signature) string {
	var parts []string
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		if slice, ok := t.(*types.Slice); ok && sig.Variadic() && i == sig.Params().Len()-1 {
			parts = append(parts, "..."+w.typ(slice.Elem()))
			continue
		}
		parts = append(parts, w.typ(t))
	}
	text := "(" + strings.Join(parts, ", ") + ")"
	switch results := w.tuple(sig.Results()); len(results) {
	case 0:
		return text
	case 1:
		return text + " " + results[0]
	default:
		return text + " (" + strings.Join(results, ", ") + ")"
	}
}

func (w *writer) tuple(t *types.Tuple) (parts []string) {
	for v := range t.Variables() {
		parts = append(parts, w.typ(v.Type()))
	}
	return parts
}

// typ returns a type as it is written in the package's source, but for the names of
// parameters.
func (w *writer) typ(t types.Type) string {
	switch t := t.(type) {
	case *types.Signature:
		return "func" + w.signature(t)
	case *types.Pointer:
		return "*" + w.typ(t.Elem())
	case *types.Slice:
		return "[]" + w.typ(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), w.typ(t.Elem()))
	case *types.Map:
		return "map[" + w.typ(t.Key()) + "]" + w.typ(t.Elem())
	case *types.Chan:
		return map[types.ChanDir]string{types.SendRecv: "chan ", types.SendOnly: "chan<- ", types.RecvOnly: "<-chan "}[t.Dir()] + w.typ(t.Elem())
	case *types.Named:
		return w.name(t.Obj()) + w.args(t.TypeArgs())
	case *types.Alias:
		return w.name(t.Obj()) + w.args(t.TypeArgs())
	case *types.Struct:
		var fields []string
		for f := range t.Fields() {
			fields = append(fields, f.Name()+" "+w.typ(f.Type()))
		}
		return "struct{" + strings.Join(fields, "; ") + "}"
	case *types.Interface:
		return w.interfaceType(t)
	case *types.Union:
		var terms []string
		for term := range t.Terms() {
			tilde := ""
			if term.Tilde() {
				tilde = "~"
			}
			terms = append(terms, tilde+w.typ(term.Type()))
		}
		return strings.Join(terms, " | ")
	default: // basic types and type parameters
		return types.TypeString(t, func(p *types.Package) string { return p.Name() })
	}
}

func (w *writer) interfaceType(t *types.Interface) string {
	var parts []string
	for e := range t.EmbeddedTypes() {
		parts = append(parts, w.typ(e))
	}
	for m := range t.ExplicitMethods() {
		parts = append(parts, m.Name()+w.signature(m.Signature()))
	}
	switch {
	case len(parts) == 0:
		return "any"
	case t.IsImplicit() && len(parts) == 1:
		return parts[0]
	default:
		return "interface{" + strings.Join(parts, "; ") + "}"
	}
}

func (w *writer) args(list *types.TypeList) string {
	if list.Len() == 0 {
		return ""
	}
	parts := make([]string, list.Len())
	for i := range parts {
		parts[i] = w.typ(list.At(i))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// name returns the name of a type, with that of its package if it is another one.
func (w *writer) name(obj *types.TypeName) string {
	if obj.Pkg() == nil || obj.Pkg() == w.pkg {
		return obj.Name()
	}
	return obj.Pkg().Name() + "." + obj.Name()
}
