package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// Block runs src, which sends at most one element, and returns that element, blocking
// until src ends; of several elements it returns the first. The error for an empty src
// is reactor.ErrNoElements; see [BlockOptional].
//
//	src:  --- 1 |
//	      Block(ctx, src) returns 1
//
// Demand is unbounded. An error of src, a panic of a user function, or the end of ctx
// is returned. On a worker that must not block, the result is reactor.ErrBlocking,
// unless src ends at once; an element that came before is then discarded.
func Block[T any](ctx context.Context, src reactor.Publisher[T]) (T, error) {
	v, ok, err := block(ctx, "block", src, reactor.Unbounded, false)
	return v, needed("block", "BlockOptional tells of that without an error, Run waits for the end alone", ok, err)
}

// BlockOptional is [Block], but returns false if src is empty.
//
//	src:  --- |
//	      BlockOptional(ctx, src) returns 0, false
func BlockOptional[T any](ctx context.Context, src reactor.Publisher[T]) (v T, ok bool, err error) {
	return block(ctx, "blockOptional", src, reactor.Unbounded, false)
}

// BlockFirst waits for the first element of src, cancels src and returns the element.
// The error for an empty src is reactor.ErrNoElements.
//
//	src:  --- 1 --- 2 X
//	      BlockFirst(ctx, src) returns 1
//
// One element is requested. Errors are those of [Block].
func BlockFirst[T any](ctx context.Context, src reactor.Publisher[T]) (T, error) {
	v, ok, err := block(ctx, "blockFirst", src, 1, false)
	return v, needed("blockFirst", "BlockOptional of Next tells of that without an error", ok, err)
}

// BlockLast runs src to its end and returns the last element. The error for an empty
// src is reactor.ErrNoElements.
//
//	src:  --- 1 --- 2 |
//	      BlockLast(ctx, src) returns 2
//
// Demand is unbounded. Errors are those of [Block].
func BlockLast[T any](ctx context.Context, src reactor.Publisher[T]) (T, error) {
	v, ok, err := block(ctx, "blockLast", src, reactor.Unbounded, true)
	return v, needed("blockLast", "LastOr has an element for that", ok, err)
}

// needed turns the absence of an element into an error, which says what to call
// instead.
func needed(op, instead string, ok bool, err error) error {
	if err == nil && !ok {
		return reactor.Failure(op, reactor.ErrNoElements, "the source completed empty: %s", instead)
	}
	return err
}

func block[T any](ctx context.Context, op string, src reactor.Publisher[T], demand int64, last bool) (v T, ok bool, err error) {
	argument.Given(op, "context", ctx != nil)
	if isComputable(unfinished(src)) && direct.MayCompute(ctx) {
		if finishes(src) {
			v, ok, err = computeAndFinish(ctx, src, demand != reactor.Unbounded)
		} else {
			v, ok, err = compute(ctx, src)
		}
		of, is := err.(*instead[T])
		if !is {
			return v, ok, err
		}
		src = finishing(src, of.src)
	}
	s := &blockSubscriber[T]{await: await{ctx: ctx, op: op}, demand: demand, last: last}
	if err = awaitEnd(&s.await, src, s); err != nil {
		if !s.await.left {
			s.abandon()
		}
		return v, false, err
	}
	return s.value, s.has, nil
}

// compute is block for a source that need not be subscribed to.
func compute[T any](ctx context.Context, src reactor.Publisher[T]) (v T, ok bool, err error) {
	if ctx.Err() != nil {
		return v, false, context.Cause(ctx)
	}
	clean := false
	defer func() {
		if !clean {
			v, ok, err = *new(T), false, failure.Recovered(recover())
			failure.Left() // it was code of the user that has called
		}
	}()
	v, ok, err = computed(ctx, src)
	clean = true
	if ctx.Err() != nil && err == nil {
		if ok {
			reactor.Discard(ctx, v)
		}
		return *new(T), false, context.Cause(ctx)
	}
	return v, ok, err
}

// computeAndFinish is compute for a chain that calls functions when all is over. With first it cancels after the first element.
func computeAndFinish[T any](ctx context.Context, src reactor.Publisher[T], first bool) (v T, ok bool, err error) {
	err = reactor.ErrGoexit // unless it returns
	defer func() {
		if _, is := err.(*instead[T]); is {
			return
		}
		how := outcomeOf(ctx, err)
		if ok && first {
			how = reactor.KindCancel
		}
		finish(ctx, src, how)
	}()
	v, ok, err = compute(ctx, unfinished(src))
	return v, ok, err
}

type blockSubscriber[T any] struct {
	protocol.Inner
	await  await
	demand int64
	last   bool // keep the last element, not the first
	value  T    // emitting goroutine; read after the end
	has    bool // whether there is a value
}

// abandon implements holder.
func (s *blockSubscriber[T]) abandon() {
	if s.has {
		reactor.Discard(s.await.ctx, s.value)
	}
}

func (s *blockSubscriber[T]) OnSubscribe(up reactor.Subscription) { s.await.start(up, s.demand) }

func (s *blockSubscriber[T]) OnNext(v T) {
	switch {
	case s.await.ended(): // the first element was the answer
		reactor.Discard(s.await.ctx, v)
	case !s.has:
		s.value, s.has = v, true
		if s.demand != reactor.Unbounded {
			defer s.await.end(nil) // also if a function that hears of what follows ends the goroutine
			s.await.link.Cancel()
		}
	case s.last:
		v, s.value = s.value, v
		reactor.Discard(s.await.ctx, v)
	default:
		reactor.Discard(s.await.ctx, v)
	}
}

func (s *blockSubscriber[T]) OnError(err error) { s.await.fail(err) }

func (s *blockSubscriber[T]) OnComplete() { s.await.end(nil) }
