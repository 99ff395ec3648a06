package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/elementwise"
)

// isComputable reports whether src is a direct.Source.
func isComputable[T any](src reactor.Publisher[T]) bool { return wayOf(src) >= direct.Whole }

// wayOf is [direct.WayOf] for a source of a known type. The sources that most chains begin with are the cheapest to find out.
func wayOf[T any](src reactor.Publisher[T]) direct.Way {
	switch s := src.(type) {
	case *justPublisher[T], funcPublisher[T]:
		return direct.InPlace
	case *mapPublisher[T, T]:
		return wayOf(s.src)
	}
	return direct.WayOf(src)
}

// whole returns the way of a stage that a call which blocks may compute, if it is so, and no other stage.
func whole(is bool) direct.Way {
	if is {
		return direct.Whole
	}
	return 0
}

// computed returns the element of a publisher that isComputable is true of, under a context that has not ended when it is
// called. It may panic, as a user function may. Its error may be an [instead]. The frequent types come first: to look for a
// generic interface costs ten times as much.
func computed[T any](ctx context.Context, src reactor.Publisher[T]) (T, bool, error) {
	switch s := src.(type) {
	case *justPublisher[T]:
		return s.value, true, nil
	case funcPublisher[T]:
		return s.Direct(ctx)
	case *mapPublisher[T, T]:
		return s.Direct(ctx)
	case justReference[T]:
		return s.value, true, nil
	}
	return src.(direct.Source[T]).Direct(ctx)
}

// instead is the error of a computation that has come to a publisher which has to be waited for.
// The caller that computes then subscribes to src in the place of the computed publisher; the
// functions up to src have been called. No user sees this error.
type instead[T any] struct{ src reactor.Publisher[T] }

func (*instead[T]) Error() string { return "reactor: a publisher that can't be computed" }

// behind is a stage that can be put behind another source.
type behind[T, R any] interface {
	behind(src reactor.Publisher[T]) reactor.Publisher[R]
}

// passed returns the error of a stage whose source has failed with err: if that is an [instead], the stage goes behind it.
func passed[T, R any](err error, stage behind[T, R]) error {
	if of, is := err.(*instead[T]); is {
		return &instead[R]{stage.behind(of.src)}
	}
	return err
}

// attempted is [computed] for a stage that takes failures: failed is such a failure, which may have
// been a panic. The stage must not take err: it says that the context has ended, or that there is
// something to subscribe to. A function that ends its goroutine is the failure of the whole chain,
// since nothing returns from it.
func attempted[T any](ctx context.Context, src reactor.Publisher[T]) (v T, ok bool, failed, err error) {
	clean := false
	defer func() {
		if clean {
			return
		}
		if failed = failure.Recovered(recover()); ctx.Err() != nil {
			failed, err = nil, failed
		}
	}()
	v, ok, err = computed(ctx, src)
	clean = true
	if err == nil || isTheEnd(ctx, err) {
		return v, ok, nil, err
	}
	if _, is := err.(*instead[T]); is {
		return v, false, nil, err
	}
	return v, false, err, nil
}

// isTheEnd reports whether err says that ctx has ended. Within a stage what fails behind that is still taken.
func isTheEnd(ctx context.Context, err error) bool {
	if _, placed := ctx.(inPlaceCall); placed {
		return err == errGivenUp
	}
	return ctx.Err() != nil
}

// second goes on with another publisher, which is computed if possible.
func second[T any](ctx context.Context, src reactor.Publisher[T]) (none T, ok bool, err error) {
	if _, placed := ctx.(inPlaceCall); placed {
		return secondInPlace(ctx, src)
	}
	if ctx.Err() != nil {
		if k, is := src.(keeping); is {
			k.giveUp(ctx)
		}
		return none, false, context.Cause(ctx)
	}
	switch s := src.(type) { // as in computed, but these need no question before
	case *justPublisher[T]:
		return s.value, true, nil
	case funcPublisher[T]:
		return s.Direct(ctx)
	}
	if !isComputable(src) {
		return none, false, &instead[T]{src}
	}
	return computed(ctx, src)
}

// secondInPlace is second within a stage. What can't be computed there is subscribed to also if the stage was cancelled meanwhile, as where
// no stage computes.
func secondInPlace[T any](ctx context.Context, src reactor.Publisher[T]) (none T, ok bool, err error) {
	switch {
	case !isInPlace(src):
		return none, false, &instead[T]{src}
	case ctx.Err() != nil:
		return none, false, errGivenUp
	}
	return computed(ctx, src)
}

// keeping is a publisher that keeps an element for the caller that subscribes to it or computes
// it.
type keeping interface {
	// giveUp is called in the place of either.
	giveUp(ctx context.Context)
}

// unwanted cancels a publisher that is subscribed to because something waits for that in it.
type unwanted[T any] struct {
	protocol.Inner
	ctx context.Context
}

func (*unwanted[T]) OnSubscribe(up reactor.Subscription) { up.Cancel() }

func (s *unwanted[T]) OnNext(v T) { reactor.Discard(s.ctx, v) }

func (s *unwanted[T]) OnError(err error) { reactor.DropError(s.ctx, err) }

func (*unwanted[T]) OnComplete() {}

// unfinished returns src without the doFinally stages at its end. Their functions are called when
// everything is over, which only the consumer of the chain knows: see finish.
func unfinished[T any](src reactor.Publisher[T]) reactor.Publisher[T] {
	for finishes(src) {
		src = src.(*peekPublisher[T]).src
	}
	return src
}

// finishes reports whether src is a doFinally.
func finishes[T any](src reactor.Publisher[T]) bool {
	p, is := src.(*peekPublisher[T])
	return is && p.hooks.finally != nil
}

// finish calls the functions of the stages that unfinished has left out, in the order that a subscription has: the first stage
// hears of a cancellation first, the last one of an end.
func finish[T any](ctx context.Context, src reactor.Publisher[T], how reactor.SignalKind) {
	if !finishes(src) {
		return
	}
	p := src.(*peekPublisher[T])
	before, after := func() { finish(ctx, p.src, how) }, func() {
		failure.Guard(func() { p.hooks.finally(how) }, func(err error) { reactor.DropError(ctx, err) })
	}
	if how != reactor.KindCancel {
		before, after = after, before
	}
	failure.InTurn(before, after) // each may end the goroutine
}

// finishing puts these stages behind src, instead of behind their own sources.
func finishing[T any](stages, src reactor.Publisher[T]) reactor.Publisher[T] {
	if !finishes(stages) {
		return src
	}
	p := stages.(*peekPublisher[T])
	return &peekPublisher[T]{src: finishing(p.src, src), hooks: p.hooks}
}

// computedStage is a stage of package elementwise that can be computed.
type computedStage[T, R any] interface {
	elementwise.Function[T, R]
	behind[T, R]
}

// computeStage is the Direct of such a stage, of the kind that elementwise.Choose is given.
func computeStage[T, R any](ctx context.Context, kind elementwise.Kind, src reactor.Publisher[T], stage computedStage[T, R]) (r R, ok bool, err error) {
	v, ok, err := computed(ctx, src)
	if !ok || err != nil {
		return r, false, passed[T, R](err, stage)
	}
	used := false
	defer func() {
		if !used {
			abandon(ctx, v)
		}
	}()
	if r, ok, err = stage.Apply(v); err != nil || !ok {
		used = err == nil && kind != elementwise.Rejects
		return *new(R), false, err
	}
	used = true
	return r, true, nil
}

// abandon is for a stage that computes and whose function did not return from the element that it
// was given. There are no hooks, see [direct.MayCompute], but the element may have to be told that
// it is discarded.
func abandon[T any](ctx context.Context, v T) {
	if reactor.Owns[T]() {
		reactor.Abandon(ctx, v)
	}
}
