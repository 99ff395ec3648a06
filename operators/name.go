package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
)

// Name gives src a name, for those who observe it: see [LabelsOf].
//
//	src:  1 --- 2 |
//	      Name("orders")
//	out:  1 --- 2 |
//
// Signals pass untouched: subscribers are subscribed to src itself.
func Name[T any](src reactor.Publisher[T], name string) reactor.Publisher[T] {
	return label(protocol.Trust("name", src), Labels{Name: name})
}

// Tag adds a key with a value to src, for those who observe it: see [LabelsOf].
//
//	src:  1 --- 2 |
//	      Tag("tenant", "acme")
//	out:  1 --- 2 |
func Tag[T any](src reactor.Publisher[T], key, value string) reactor.Publisher[T] {
	return label(protocol.Trust("tag", src), Labels{Tags: map[string]string{key: value}})
}

// Labels are the name and the tags of a stream.
type Labels struct {
	Name string
	Tags map[string]string
}

// LabelsOf returns the labels that Name and Tag have set at the end of a chain. Of
// several names the last one counts, and of several tags with the same key the last
// one. An operator that comes after Name and Tag hides them.
func LabelsOf[T any](src reactor.Publisher[T]) Labels {
	if l, ok := protocol.Trust("labels", src).(interface{ labels() Labels }); ok {
		return l.labels()
	}
	return Labels{}
}

// label wraps src so that operators that treat a callable publisher specially still do
// so.
func label[T any](src reactor.Publisher[T], add Labels) reactor.Publisher[T] {
	all := LabelsOf(src)
	tags := make(map[string]string, len(all.Tags)+len(add.Tags))
	for k, v := range all.Tags {
		tags[k] = v
	}
	for k, v := range add.Tags {
		tags[k] = v
	}
	if add.Name != "" {
		all.Name = add.Name
	}
	p := labelled[T]{src: src, all: Labels{Name: all.Name, Tags: tags}}
	if c, ok := direct.AsCallable[T](src); ok {
		return &labelledCallable[T]{labelled: p, Callable: c}
	}
	return &p
}

type labelled[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
	all Labels // never changed
}

func (p *labelled[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.src.Subscribe(ctx, s)
}

func (p *labelled[T]) labels() Labels { return p.all }

type labelledCallable[T any] struct {
	labelled[T]
	direct.CallMark
	direct.Callable[T]
}

// Computable returns the way: see [direct.WayOf].
func (p *labelledCallable[T]) Computable() direct.Way { return direct.Called }
