package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// BufferInto emits containers of size elements each; the last one may have fewer.
// newContainer makes the containers, and add fills them: it reports whether the
// container has taken the element.
//
//	src:  1 --- 2 --- 2 --- 2 --- 5 |
//	      BufferInto(2, newSet, set.Add)
//	out:  ----- {1 2} ----------- {2 5} |
//
// An element that is not taken counts for nothing: it is discarded, and src is asked
// for another one. With [Stride] the element is discarded as well, but containers begin
// and end where the buffers of [Buffer] do, so that a container may have fewer than
// size elements; add is then called when the container is due.
//
// A panic of newContainer or add cancels src, discards the elements and ends the
// stream. Both run on the goroutine of src. Everything else, the options included, is
// as with [Buffer].
func BufferInto[T, C any](src reactor.Publisher[T], size int, newContainer func() C, add func(C, T) bool, opts ...BufferOption) reactor.Publisher[C] {
	argument.Given("bufferInto", "container function", newContainer != nil)
	argument.Given("bufferInto", "function", add != nil)
	buffers := Buffer(src, size, opts...).(*bufferPublisher[T])
	return &bufferIntoPublisher[T, C]{buffers: *buffers, newContainer: newContainer, add: add}
}

type bufferIntoPublisher[T, C any] struct {
	protocol.Op
	buffers      bufferPublisher[T]
	newContainer func() C
	add          func(C, T) bool
}

func (p *bufferIntoPublisher[T, C]) Subscribe(ctx context.Context, s reactor.Subscriber[C]) {
	f := &filling[T, C]{of: p}
	buffers := p.buffers
	if buffers.stride != buffers.size {
		down := protocol.Strict(ctx, s)
		Map[[]T, C](&buffers, f.all).Subscribe(ctx, &settling[T, C]{
			Link: protocol.Link{Ctx: ctx, Down: down}, f: f, push: protocol.Push(down), discard: reactor.DiscardHookFor[T](ctx),
		})
		return
	}
	buffers.accept = f.take
	Map[[]T, C](&buffers, f.due).Subscribe(ctx, s)
}

// filling is what one subscription of BufferInto adds to Buffer. The signals of
// upstream touch it.
type filling[T, C any] struct {
	of   *bufferIntoPublisher[T, C]
	c    C    // the open container
	open bool // there is one

	refused []T // by the container that is on its way down
}

// take reports whether the open container has taken v.
func (f *filling[T, C]) take(v T) bool {
	if !f.open {
		f.c = f.of.newContainer()
		f.open = true
	}
	return f.of.add(f.c, v)
}

// due returns the container that take has filled with the elements of a buffer.
func (f *filling[T, C]) due([]T) C {
	c := f.c
	f.c, f.open = *new(C), false
	return c
}

// all fills a container with the elements of a buffer. Elements that the container refuses stay in
// items until all are added: if add panics, or something fails further down, all of items are
// discarded.
func (f *filling[T, C]) all(items []T) C {
	c := f.of.newContainer()
	f.refused = nil
	for _, v := range items {
		if !f.of.add(c, v) {
			f.refused = append(f.refused, v)
		}
	}
	return c
}

// settling is behind the function of a filling, and discards the elements that a container
// has refused.
type settling[T, C any] struct {
	protocol.Link
	push    func(C) // hands containers down
	f       *filling[T, C]
	discard func(any) // nil if nobody wants what is discarded
}

// OnNext hands c down.
func (s *settling[T, C]) OnNext(c C) {
	s.push(c)
	pending.DiscardAll(s.discard, s.f.refused)
}
