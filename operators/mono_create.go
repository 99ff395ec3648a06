package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// MonoCreate emits what produce puts into a sink for one element: the bridge from
// callbacks.
//
//	      MonoCreate(func(s) { client.Get(key, s.Success) })
//	out:  --- a |
//
// produce runs once per subscription, on the goroutine that subscribes, after
// OnSubscribe. The sink may be used from any goroutine; the first of Success, Complete
// and Error counts. The element waits for demand. The functions given to OnDispose are
// called at the end or at the cancellation. A panic of produce is the error of the
// stream.
func MonoCreate[T any](produce func(*MonoSink[T])) reactor.Publisher[T] {
	argument.Given("create", "producer", produce != nil)
	return &monoCreatePublisher[T]{produce: produce}
}

type monoCreatePublisher[T any] struct {
	protocol.Op
	produce func(*MonoSink[T])
}

func (p *monoCreatePublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sink := &MonoSink[T]{core: monoSinkCore[T]{ctx: ctx, down: protocol.Strict(ctx, s)}}
	defer failure.Guard( // also if downstream ends the goroutine
		func() { p.produce(sink) },
		func(err error) { sink.core.fail(reactor.OperatorError(ctx, err, nil)) },
	)
	sink.core.down.OnSubscribe(&sink.core)
}

// MonoSink is where the producer of [MonoCreate] puts the result for one subscriber.
// Its methods may be called at any time and from any goroutine.
type MonoSink[T any] struct {
	core monoSinkCore[T]
}

// Success sends v and completes, as soon as there is demand. After a cancellation v is
// discarded; after the end v is reported as dropped.
func (s *MonoSink[T]) Success(v T) { s.core.success(v) }

// Complete ends the stream without an element.
func (s *MonoSink[T]) Complete() { s.core.end(nil) }

// Error ends the stream with err. An error that comes too late is reported as
// dropped.
func (s *MonoSink[T]) Error(err error) { s.core.fail(reactor.NonNil(err)) }

// IsCancelled reports whether a result is of no use: the subscriber has cancelled, or
// there is a result already.
func (s *MonoSink[T]) IsCancelled() bool {
	return s.core.state.Load()&(monoDone|monoCancelled) != 0
}

// OnRequest calls fn when there is demand for the first time, at once if there is
// demand already, on the goroutine that requests. A panic of fn ends the stream.
// OnRequest may be called once; a second call panics.
func (s *MonoSink[T]) OnRequest(fn func()) { s.core.onRequest(fn) }

// OnCancel calls fn once if the subscriber cancels; at once if the subscriber has
// cancelled. Several functions are called in order.
func (s *MonoSink[T]) OnCancel(fn func()) {
	argument.Given("create", "function given to OnCancel", fn != nil)
	s.core.disposal.onCancel(s.core.ctx, fn)
}

// OnDispose calls fn once when the stream is over, be it by completion, failure or
// cancellation; at once if it is over. Several functions are called in order.
func (s *MonoSink[T]) OnDispose(fn func()) {
	argument.Given("create", "function given to OnDispose", fn != nil)
	s.core.disposal.onDispose(s.core.ctx, fn)
}

// Context returns a context for the producer, with the values and the deadline of the
// subscription's context. It ends when the stream is over, be it by completion, failure
// or cancellation, before the functions given to OnDispose are called. Its cause after a
// cancellation is reactor.ErrCancelled, or that of the subscription's context if the end
// of that context cancelled the stream. The first call makes the context.
func (s *MonoSink[T]) Context() context.Context { return s.core.disposal.context(s.core.ctx) }

// monoSinkCore is the state of a [MonoSink], and the subscription of its
// subscriber.
type monoSinkCore[T any] struct {
	ctx      context.Context
	down     reactor.Subscriber[T]
	value    T // written before monoValue is set; then touched by the one who emits or discards it
	state    atomic.Uint32
	handler  atomic.Pointer[func()] // of OnRequest
	disposal sinkDisposal
}

// The bits of state.
const (
	monoDone      = 1 << iota // the producer has ended, in whichever way
	monoValue                 // with an element, which is in value
	monoRequested             // there is demand
	monoCancelled             // nobody wants anything
	monoHandled               // the handler of OnRequest was called
)

func (s *monoSinkCore[T]) Request(int64) {
	old := s.state.Or(monoRequested)
	chaos.Yield()
	if old&monoRequested == 0 {
		if old&(monoValue|monoCancelled) == monoValue {
			s.emit()
		}
		s.announceDemand()
	}
}

func (s *monoSinkCore[T]) Cancel() {
	old := s.state.Or(monoCancelled)
	if old&monoCancelled != 0 || old&monoDone != 0 && old&monoValue == 0 || old&(monoValue|monoRequested) == monoValue|monoRequested {
		return
	}
	defer s.disposal.end(s.ctx, true) // also if the discard hook ends the goroutine
	if old&monoValue != 0 {
		reactor.Discard(s.ctx, pending.Take(&s.value)) // the producer may keep its sink
	}
}

func (s *monoSinkCore[T]) onRequest(fn func()) {
	argument.Given("create", "function given to OnRequest", fn != nil)
	if !s.handler.CompareAndSwap(nil, &fn) {
		panic("reactor: create: OnRequest was called twice")
	}
	chaos.Yield()
	s.announceDemand()
}

func (s *monoSinkCore[T]) announceDemand() {
	fn := s.handler.Load()
	if fn == nil || s.state.Load()&(monoRequested|monoCancelled|monoDone) != monoRequested {
		return
	}
	if s.state.Or(monoHandled)&monoHandled == 0 {
		failure.Guard(*fn, func(err error) { s.fail(reactor.OperatorError(s.ctx, err, nil)) })
	}
}

func (s *monoSinkCore[T]) success(v T) {
	old := s.state.Or(monoDone)
	switch {
	case old&monoDone != 0:
		reactor.DropNext(s.ctx, v)
		return
	case old&monoCancelled != 0:
		reactor.Discard(s.ctx, v)
		return
	}
	s.value = v
	chaos.Yield()
	switch old = s.state.Or(monoValue); {
	case old&monoCancelled != 0:
		defer s.disposal.end(s.ctx, true) // see Cancel
		reactor.Discard(s.ctx, pending.Take(&s.value))
	case old&monoRequested != 0:
		s.emit()
	}
}

// emit delivers the element. It is called by the goroutine that found both the element
// and demand.
func (s *monoSinkCore[T]) emit() {
	v := s.value
	s.value = *new(T)
	if s.state.Load()&monoCancelled != 0 {
		defer s.disposal.end(s.ctx, true) // see Cancel
		reactor.Discard(s.ctx, v)
		return
	}
	clean := false
	defer func() {
		if !clean {
			defer protocol.Crash(s.ctx, s.down, failure.Recovered(recover()), v) // also if a function of the producer ends the goroutine
			s.disposal.end(s.ctx, true)
		}
	}()
	s.down.OnNext(v)
	clean = true
	defer s.disposal.end(s.ctx, false) // also if downstream ends the goroutine
	if s.state.Load()&monoCancelled == 0 {
		s.down.OnComplete()
	}
}

func (s *monoSinkCore[T]) fail(err error) {
	if !s.end(err) {
		belated.Drop(s.ctx, err)
	}
}

// end delivers an end without an element and reports whether that end counts.
func (s *monoSinkCore[T]) end(err error) bool {
	if s.state.Or(monoDone)&(monoDone|monoCancelled) != 0 {
		return false
	}
	defer s.disposal.end(s.ctx, false) // also if downstream ends the goroutine
	protocol.Finish(s.down, err)
	return true
}
