package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/batch"
	"github.com/goreactor/reactor/internal/stage/paired"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/internal/stage/places"
)

// BufferWhen begins a slice for each element of open, and emits the slice when the
// publisher that closing returns for that element emits or completes.
//
//	src:   1 - 2 - 3 - 4 - 5 - 6 - 7 |
//	open:  -- a ----- b
//	       BufferWhen(open, _ => after 3 elements)
//	out:   -------------- [2 3 4] - [4 5 6] - |
//
// Any number of buffers may be open at a time; an element belongs to all of them, and
// is discarded if none is open. Buffers may be empty. They wait for demand, without
// bound, while src, open and the closing publishers are asked for everything. When src
// completes, the open buffers are emitted in the order in which they began; when open
// has completed and the last buffer is closed, src is cancelled and the stream
// completes. An error of any publisher, or a panic of closing, ends the stream at once;
// then, and at cancellation, buffers are discarded element by element, and an element
// in several buffers is discarded with each of them. open is subscribed before src.
// Slices belong to the subscriber. A slice comes on the goroutine of the publisher that
// closes it, at the end of src on the goroutine of src, or on the goroutine that
// requests.
func BufferWhen[T, U, V any](src reactor.Publisher[T], open reactor.Publisher[U], closing func(U) reactor.Publisher[V]) reactor.Publisher[[]T] {
	argument.Given("bufferWhen", "function", closing != nil)
	return newBufferWhen("bufferWhen", src, open, closing)
}

func newBufferWhen[T, U, V any](op string, src reactor.Publisher[T], open reactor.Publisher[U], closing func(U) reactor.Publisher[V]) reactor.Publisher[[]T] {
	return &bufferWhenPublisher[T, U]{
		src:   protocol.Trust(op, src),
		open:  protocol.Trust(op, open),
		close: func(v U) trigger { return onSignal(protocol.Trust(op, closing(v))) },
	}
}

type bufferWhenPublisher[T, U any] struct {
	protocol.Op
	src   reactor.Publisher[T]
	open  reactor.Publisher[U]
	close triggerFor[U]
}

func (p *bufferWhenPublisher[T, U]) Subscribe(ctx context.Context, sub reactor.Subscriber[[]T]) {
	s := &bufferWhenSubscriber[T]{events: queue.NewMPSC[whenEvent[T]](batch.Queue)}
	s.Attach(&s.Out, ctx, sub, s)
	defer func() { // also if downstream ends the goroutine
		var id int64 // touched by the signals of open
		opener := &paired.Other[U]{Ctx: ctx, Ended: s.openerEnded, Next: func(v U) {
			start := p.close(v)
			id++
			if b := s.begin(id); !b.closer.IsDisposed() {
				start(ctx, b, id, &b.closer)
			}
		}}
		s.Other.Set(0, opener)
		failure.InTurn(func() { p.open.Subscribe(ctx, opener) }, func() { p.src.Subscribe(ctx, s) })
	}()
	s.Out.Begin()
}

// whenBuffer is a buffer and what closes it.
type whenBuffer[T any] struct {
	places.Place // among the open ones
	main         *bufferWhenSubscriber[T]
	closer       protocol.Handle
	items        []T // owner of out
}

func (b *whenBuffer[T]) fired(int64)               { b.main.event(whenEvent[T]{buf: b, closes: true}) }
func (b *whenBuffer[T]) failed(_ int64, err error) { b.main.failFrom(err) }

// whenEvent is an element if it has no buffer, else the beginning or the end of one.
type whenEvent[T any] struct {
	value  T
	buf    *whenBuffer[T]
	closes bool
}

type bufferWhenSubscriber[T any] struct {
	protocol.Inner
	paired.Stage // the other one is the publisher that opens
	protocol.SliceSender[T]
	noMore atomic.Bool // the publisher that opens has completed
	events *queue.MPSC[whenEvent[T]]

	// What follows belongs to the owner of out.
	finished bool                        // nothing more is added to buffers
	open     places.List[*whenBuffer[T]] // in the order of their beginnings
	ready    [][]T                       // closed, and not yet sent
	room     int                         // for how many elements the next buffer has room from the start
}

func (s *bufferWhenSubscriber[T]) OnNext(v T) {
	if s.Out.TryEnter() {
		if s.Out.Closed() || !s.events.IsEmpty() {
			s.events.Offer(whenEvent[T]{value: v}) // before the pass, which a Goexit may end
			s.Out.Run()
		} else {
			s.add(v)
		}
		s.Out.Leave()
		return
	}
	s.event(whenEvent[T]{value: v})
}

// begin opens a buffer.
func (s *bufferWhenSubscriber[T]) begin(id int64) *whenBuffer[T] {
	b := &whenBuffer[T]{main: s}
	s.event(whenEvent[T]{buf: b})
	return b
}

func (s *bufferWhenSubscriber[T]) openerEnded(err error) {
	if err != nil {
		s.failFrom(err)
		return
	}
	s.noMore.Store(true)
	s.Out.Run()
}

func (s *bufferWhenSubscriber[T]) event(e whenEvent[T]) {
	s.events.Offer(e)
	s.Out.Run()
}

// failFrom ends the stream because of another publisher than src.
func (s *bufferWhenSubscriber[T]) failFrom(err error) {
	defer s.Out.Fail(err) // also if a function that hears of what follows ends the goroutine
	s.Stop()
}

// Flow implements protocol.Flow, as do the two methods at the end: it handles what has come
// and sends the buffers that there is demand for.
func (s *bufferWhenSubscriber[T]) Flow() {
	for {
		done, noMore := s.Out.Done(), s.noMore.Load() // before the look at the queue
		if !s.Out.Open() {
			return
		}
		if e, ok := s.events.Poll(); ok {
			s.handle(e)
			continue
		}
		if !s.finished && (done || noMore && s.open.Len() == 0) {
			s.finish()
			continue
		}
		if len(s.ready) == 0 || s.Out.Demand() == 0 {
			return
		}
		s.send()
	}
}

func (s *bufferWhenSubscriber[T]) handle(e whenEvent[T]) {
	switch {
	case e.buf == nil:
		s.add(e.value)
	case s.finished:
		e.buf.closer.Dispose()
	case !e.closes:
		s.open.Add(e.buf)
	default:
		s.close(e.buf)
	}
}

// add puts an element into every open buffer.
func (s *bufferWhenSubscriber[T]) add(v T) {
	for _, b := range s.open.Members() {
		if b.items == nil {
			b.items = make([]T, 0, max(s.room, 1))
		}
		b.items = append(b.items, v)
	}
	if s.open.Len() == 0 {
		s.Discard(v)
	}
}

// close makes a buffer ready to be sent.
func (s *bufferWhenSubscriber[T]) close(b *whenBuffer[T]) {
	if s.open.Remove(b) {
		s.make(b)
	}
}

func (s *bufferWhenSubscriber[T]) make(b *whenBuffer[T]) {
	if b.items == nil {
		b.items = []T{}
	}
	s.room = len(b.items)
	s.ready = append(s.ready, b.items)
	b.items = nil // what has closed the buffer may know it for longer
}

// finish closes all buffers.
func (s *bufferWhenSubscriber[T]) finish() {
	s.finished = true
	open := s.open.Take()
	for _, b := range open {
		s.make(b)
	}
	// A function that hears of a cancellation may end the goroutine.
	failure.InTurn(s.Stop, func() { disposeAll(open) }, func() { s.Out.End(nil) })
}

func disposeAll[T any](open []*whenBuffer[T]) {
	failure.Persist(len(open), func(i int) bool { open[i].closer.Dispose(); return true })
}

// send sends the first buffer that is ready.
func (s *bufferWhenSubscriber[T]) send() {
	buf := s.ready[0]
	s.ready[0] = nil
	s.ready = s.ready[1:]
	s.Send(buf)
	s.Out.Produced(1)
}

func (s *bufferWhenSubscriber[T]) Dry() bool { return s.finished && len(s.ready) == 0 }

func (s *bufferWhenSubscriber[T]) Drop() {
	defer s.Out.DropFailures()
	ready, open := pending.Take(&s.ready), s.open.Take()
	for _, items := range ready {
		s.DiscardAll(items)
	}
	for _, b := range open {
		s.DiscardAll(b.items)
	}
	disposeAll(open)
	for e, ok := s.events.Poll(); ok; e, ok = s.events.Poll() {
		switch {
		case e.buf != nil:
			e.buf.closer.Dispose()
		default:
			s.Discard(e.value)
		}
	}
}
