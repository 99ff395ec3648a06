package executors

import (
	"context"
	"errors"
	"slices"

	"github.com/goreactor/reactor"
)

// InvokeAll runs all functions and returns their futures in the order of fns, when
// all of them are done. If a submission is refused, the other tasks are cancelled,
// and the error is returned without futures. If ctx ends, the tasks that are not done
// or not submitted by then are cancelled, and the cause of ctx is returned together
// with the futures. A task of a pool without another worker must not call it.
func (p *ThreadPool) InvokeAll[T any](ctx context.Context, fns []func(ctx context.Context) (T, error)) ([]*Future[T], error) {
	return invokeAll(ctx, p, fns, p.Submit[T])
}

// InvokeAll is [ThreadPool.InvokeAll].
func (p *ScheduledPool) InvokeAll[T any](ctx context.Context, fns []func(ctx context.Context) (T, error)) ([]*Future[T], error) {
	return invokeAll(ctx, p.pool, fns, p.Submit[T])
}

// submitter is the Submit of a pool.
type submitter[T any] = func(ctx context.Context, fn func(ctx context.Context) (T, error)) (*Future[T], error)

func invokeAll[T any](
	ctx context.Context, p *ThreadPool, fns []func(ctx context.Context) (T, error), submit submitter[T],
) ([]*Future[T], error) {
	if ctx == nil {
		return nil, errNoContext
	}
	futures := make([]*Future[T], 0, len(fns))
	submitted := false
	defer func() {
		if !submitted { // refused, or a policy or another function of the user that submit calls has not returned
			cancelAll(futures, nil)
		}
	}()
	for _, fn := range fns {
		f, err := submit(ctx, fn)
		if err != nil && fn != nil && ctx.Err() != nil && !errors.Is(err, ErrRejected) {
			f, err = cancelledFuture[T](ctx, p), nil
		}
		if err != nil {
			cancelAll(futures, err)
			return nil, err
		}
		futures = append(futures, f)
	}
	submitted = true
	for _, f := range futures {
		select {
		case <-f.Done():
			continue
		case <-ctx.Done():
		}
		cause := reactor.NonNil(context.Cause(ctx))
		cancelAll(futures, cause)
		return futures, cause
	}
	if ctx.Err() != nil && slices.ContainsFunc(futures, func(f *Future[T]) bool { return f.IsCancelled() }) {
		return futures, reactor.NonNil(context.Cause(ctx))
	}
	return futures, nil
}

// cancelAll cancels futures: first those that wait, since the end of one that runs would let the next one begin, and these from
// the back, since a worker that has just ended a task takes the first one meanwhile.
func cancelAll[T any](futures []*Future[T], cause error) {
	var why error
	if cause != nil {
		why = &CancelError{Cause: cause}
	}
	for _, f := range slices.Backward(futures) {
		f.withdraw(why)
	}
	for _, f := range futures {
		f.cancel(why)
	}
}

// cancelledFuture returns a future that the end of ctx has cancelled before its task
// was submitted.
func cancelledFuture[T any](ctx context.Context, p *ThreadPool) *Future[T] {
	f := new(Future[T])
	f.pool, f.body = p, nothing{}
	f.end(&CancelError{Cause: reactor.NonNil(context.Cause(ctx))})
	return f
}

// InvokeAny returns the result of a function that succeeds, and cancels the others.
// The first function is submitted at once, each further one only if none has ended by
// then: if the first function is quick, the others may never run. If all fail, their
// errors are returned joined, in the order in which they ended. A refused submission,
// the end of ctx, and an empty list are errors too; the latter is
// [reactor.ErrIllegalArgument].
func (p *ThreadPool) InvokeAny[T any](ctx context.Context, fns []func(ctx context.Context) (T, error)) (T, error) {
	return invokeAny(ctx, fns, p.Submit[T])
}

// InvokeAny is [ThreadPool.InvokeAny].
func (p *ScheduledPool) InvokeAny[T any](ctx context.Context, fns []func(ctx context.Context) (T, error)) (T, error) {
	return invokeAny(ctx, fns, p.Submit[T])
}

func invokeAny[T any](ctx context.Context, fns []func(ctx context.Context) (T, error), submit submitter[T]) (T, error) {
	var zero T
	if ctx == nil {
		return zero, errNoContext
	}
	if len(fns) == 0 {
		return zero, reactor.Failure("invokeAny", reactor.ErrIllegalArgument, "there is no function")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended := make(chan *Future[T], len(fns))
	var futures []*Future[T]
	defer func() { cancelAll(futures, nil) }()
	var errs []error
	for next := 0; len(errs) < len(fns); {
		if next < len(fns) {
			f, err := submit(ctx, fns[next])
			if err != nil {
				return zero, err
			}
			next++
			futures = append(futures, f)
			f.onSettled(func() { ended <- f })
		}
		var f *Future[T]
		if next < len(fns) {
			select {
			case f = <-ended:
			default:
				continue
			}
		} else {
			select {
			case f = <-ended:
			case <-ctx.Done():
				return zero, reactor.NonNil(context.Cause(ctx))
			}
		}
		v, err := f.Get(ctx)
		if err == nil {
			return v, nil
		}
		errs = append(errs, err)
	}
	if ctx.Err() != nil {
		return zero, reactor.NonNil(context.Cause(ctx))
	}
	return zero, errors.Join(errs...)
}
