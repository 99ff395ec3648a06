package operators

import (
	"context"
	"reflect"
	"runtime"
	"strings"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
)

// ForEach calls fn with every element of src, one at a time, and blocks until
// the stream has ended; fn does not run after that.
//
//	src:  1 --- 2 |
//	      ForEach(ctx, src, fn) calls fn(1), fn(2), returns nil
//
// Demand is unbounded. The result is the error of src; the cause of ctx, if ctx ends first; or a
// *reactor.PanicError, if fn panics, which cancels src. fn runs on the goroutine that emits, which
// need not be the caller's. When ctx ends, ForEach still waits for a running call of fn, but for no
// other function that runs elsewhere. On a worker that must not block, the result is
// reactor.ErrBlocking, unless src ends at once; src is then cancelled, but an element may still be
// on its way.
func ForEach[T any](ctx context.Context, src reactor.Publisher[T], fn func(T)) error {
	argument.Given("forEach", "function", fn != nil)
	return forEach(ctx, src, fn, "forEach")
}

// forEach is ForEach for the operator op, which its errors name.
func forEach[T any](ctx context.Context, src reactor.Publisher[T], fn func(T), op string) error {
	sink := &forEachSink[T]{await: await{ctx: ctx, op: op}, fn: fn}
	return awaitEnd(&sink.await, src, sink)
}

type forEachSink[T any] struct {
	protocol.Inner
	await await
	fn    func(T)
}

func (s *forEachSink[T]) OnSubscribe(up reactor.Subscription) {
	s.await.start(up, reactor.Unbounded)
}

func (s *forEachSink[T]) OnNext(v T) { s.fn(v) }

// Push implements protocol.Pusher.
func (s *forEachSink[T]) Push() func(T) { return s.fn }

func (s *forEachSink[T]) OnError(err error) { s.await.fail(ownPanic(err, s.await.op, s.fn)) }

func (s *forEachSink[T]) OnComplete() { s.await.end(nil) }

// ownPanic returns err, or the same panic with op as its operator if the function that the
// library called was fn, a function of the user. It is for a stage that hands fn unchanged to
// the source, so that no frame of the stage is on the stack. It costs something only where
// something failed.
func ownPanic(err error, op string, fn any) error {
	switch e := err.(type) {
	case *reactor.PanicError:
		if e.Op != op && wasCalled(functionName(fn), string(e.Stack)) {
			return &reactor.PanicError{Op: op, Value: e.Value, Stack: e.Stack}
		}
	case *reactor.CheckpointError:
		if p, ok := e.Err.(*reactor.PanicError); ok {
			return &reactor.CheckpointError{Err: ownPanic(p, op, fn), Checkpoints: e.Checkpoints}
		}
	}
	return err
}

// functionName returns the name of fn, a function, as stacks have it.
func functionName(fn any) string {
	name := runtime.FuncForPC(reflect.ValueOf(fn).Pointer()).Name()
	return strings.TrimSuffix(name, "-fm") // of a method value: stacks leave out what wraps the method
}

// wasCalled reports whether the function on the stack of a panic that the library called is the one of that name.
func wasCalled(name, stack string) bool {
	_, stack, ok := strings.Cut(stack, "\npanic(")
	if !ok {
		return false
	}
	_, stack, _ = strings.Cut(stack, "\n")
	last := ""
	for line := range strings.Lines(stack) {
		if strings.HasPrefix(line, "\t") { // where it is
			continue
		}
		function := line[:max(strings.LastIndexByte(line, '('), 0)]
		ours := strings.Contains(function, "goreactor/reactor/operators.") || strings.Contains(function, "goreactor/reactor/internal/")
		if ours && function != name {
			return last == name
		}
		last = function
	}
	return false
}
