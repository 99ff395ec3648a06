package operators

import (
	"context"
	"fmt"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
)

// Create emits what produce puts into a sink: the bridge from callbacks, listeners and
// goroutines of your own.
//
//	      Create(func(s) { s.OnDispose(feed.Listen(s.Next)) })
//	out:  a --- b - c ---
//
// produce runs once per subscription, on the goroutine that subscribes, after
// OnSubscribe. It may return before the first element. Any number of goroutines may use
// the sink at a time, and elements go down one at a time. An element goes down on the
// goroutine of its producer; on that of another producer, if that producer is sending at
// the same moment; or on that of a request, if the element had to wait for demand. A
// producer never waits: elements that nobody has requested are buffered, unless an
// [OverflowStrategy] says otherwise.
//
// A producer that sends on demand uses OnRequest or Requested. Under [SubscribeOn]
// requests come by way of the worker that runs produce: a produce that waits there for
// Requested to grow waits for ever, unless [RequestInPlace] leaves requests on the
// goroutine where they are made. The functions given to OnDispose are called at the end
// or at the cancellation. A panic of produce is the error of the stream.
func Create[T any](produce func(*FluxSink[T]), opts ...CreateOption) reactor.Publisher[T] {
	return newCreate("create", produce, opts, false)
}

// Push is [Create] for a producer that calls its sink from one goroutine at a time,
// which makes buffering cheaper.
//
//	      Push(func(s) { go read(conn, s) })
//	out:  a --- b - c |
//
// The function given to OnRequest is called for each request, on the goroutine that requests, as
// with [Create]. (Reactor calls it once, with all the demand there may ever be.) Where that is not
// the goroutine of the producer, the function must not send itself, but let the producer send.
func Push[T any](produce func(*FluxSink[T]), opts ...CreateOption) reactor.Publisher[T] {
	return newCreate("push", produce, opts, true)
}

// sinkChunk is by how many elements the queue of a sink grows.
const sinkChunk = 64

type createPublisher[T any] struct {
	protocol.Op
	op      string
	produce func(*FluxSink[T])
	config  createConfig
	single  bool
}

func newCreate[T any](op string, produce func(*FluxSink[T]), opts []CreateOption, single bool) reactor.Publisher[T] {
	argument.Given(op, "producer", produce != nil)
	p := &createPublisher[T]{op: op, produce: produce, single: single}
	for _, o := range argument.Options(op, opts) {
		o.applyCreate(&p.config)
	}
	if p.config.strategy > OverflowIgnore {
		panic(fmt.Sprintf("reactor: %s: there is no %v", op, p.config.strategy))
	}
	return p
}

func (p *createPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sink := &FluxSink[T]{}
	core := &sink.core
	core.op, core.ctx, core.down, core.strategy = p.op, ctx, protocol.Strict(ctx, s), p.config.strategy
	core.PushDown = protocol.Push(core.down)
	if p.single {
		core.queue = queue.NewLinked[T](sinkChunk)
	} else {
		core.queue = queue.NewMPSC[T](sinkChunk)
	}
	defer failure.Guard( // also if downstream ends the goroutine
		func() { p.produce(sink) },
		func(err error) { core.fail(reactor.OperatorError(ctx, failure.Renamed(err, "create", p.op), nil)) },
	)
	core.down.OnSubscribe(core)
}
