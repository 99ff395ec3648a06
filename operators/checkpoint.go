package operators

import (
	"context"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// CheckpointOption is an option of [Checkpoint].
type CheckpointOption interface{ applyCheckpoint(*checkpointConfig) }

type checkpointConfig struct{ stack bool }

// StackTraceOption is what [StackTrace] returns.
type StackTraceOption struct{}

// StackTrace makes Checkpoint keep the whole stack of the assembly instead of one line
// of it.
func StackTrace() StackTraceOption { return StackTraceOption{} }

func (StackTraceOption) applyCheckpoint(c *checkpointConfig) { c.stack = true }

// Checkpoint adds a description, and the place in the program where Checkpoint is
// called, to an error of src: see [reactor.CheckpointError].
//
//	src:  1 --- 2 --- #
//	      Checkpoint("orders")
//	out:  1 --- 2 --- #      checkpoint "orders", assembled at orders.go:42 (main.orders)
//
// The stack of an error that comes from another goroutine does not show to which stream
// the error belongs; a checkpoint does. Each of several checkpoints adds its own
// description and place, in the order in which the error passes them. The message of
// the error, and what errors.Is and errors.As find, stay the same. Nothing is added to
// an error of a stage downstream. Everything else passes unchanged.
//
// The place is recorded when the stream is assembled, which costs a few hundred
// nanoseconds, or about a microsecond with [StackTrace]. It is looked up in the tables
// of the program only when there is an error.
func Checkpoint[T any](src reactor.Publisher[T], description string, opts ...CheckpointOption) reactor.Publisher[T] {
	return checkpoint(protocol.Trust("checkpoint", src), assembled(description, opts))
}

// ParallelCheckpoint is [Checkpoint] for the errors of every rail.
func ParallelCheckpoint[T any](src ParallelPublisher[T], description string, opts ...CheckpointOption) ParallelPublisher[T] {
	at := assembled(description, opts)
	return ParallelRails(src, func(rail reactor.Publisher[T]) reactor.Publisher[T] { return checkpoint(rail, at) })
}

func checkpoint[T any](src reactor.Publisher[T], at *assembly) reactor.Publisher[T] {
	p := checkpointPublisher[T]{src: src, at: at}
	if from, ok := direct.AsCallable[T](src); ok {
		return &checkpointCallable[T]{checkpointPublisher: p, from: from}
	}
	return &p
}

type checkpointPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
	at  *assembly
}

func (p *checkpointPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.src.Subscribe(ctx, &checkpointSubscriber[T]{down: protocol.Strict(ctx, s), at: p.at})
}

// checkpointCallable is a checkpoint behind a source that can be called.
type checkpointCallable[T any] struct {
	checkpointPublisher[T]
	direct.CallMark
	from direct.Callable[T]
}

// Computable returns the way: see [direct.WayOf].
func (p *checkpointCallable[T]) Computable() direct.Way { return direct.Called }

// Call implements direct.Callable.
func (p *checkpointCallable[T]) Call(ctx context.Context) (v T, ok bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			// It stays a panic, because callers treat a panic otherwise than an error.
			panic(p.at.passed(failure.Recovered(r)))
		}
	}()
	if v, ok, err = p.from.Call(ctx); err != nil {
		err = p.at.passed(err)
	}
	return v, ok, err
}

type checkpointSubscriber[T any] struct {
	protocol.Inner
	down reactor.Subscriber[T]
	at   *assembly
	call protocol.Calling // inside down.OnNext; touched by the signals of upstream only
}

func (s *checkpointSubscriber[T]) OnSubscribe(up reactor.Subscription) { s.down.OnSubscribe(up) }

func (s *checkpointSubscriber[T]) OnNext(v T) {
	s.call.Deliver(s.down, v)
}

// Push implements protocol.Pusher.
func (s *checkpointSubscriber[T]) Push() func(T) {
	return s.call.Around(protocol.Push(s.down))
}

func (s *checkpointSubscriber[T]) OnError(err error) {
	if !s.call.Active() {
		err = s.at.passed(err)
	}
	s.down.OnError(err)
}

func (s *checkpointSubscriber[T]) OnComplete() { s.down.OnComplete() }

// assembly says where a stage was assembled, and under which description.
type assembly struct {
	description string
	pcs         []uintptr // the callers: the first one outside of the library is among them
	stack       bool      // the others are wanted as well
}

// assembled returns the assembly of the operator that calls it.
func assembled(description string, opts []CheckpointOption) *assembly {
	var c checkpointConfig
	for _, o := range argument.Options("checkpoint", opts) {
		o.applyCheckpoint(&c)
	}
	size := 4 // the operator, the method of the face, and its caller
	if c.stack {
		size = 64
	}
	pcs := make([]uintptr, size)
	return &assembly{description, pcs[:runtime.Callers(2, pcs)], c.stack}
}

// passed returns err with the checkpoint.
func (a *assembly) passed(err error) error {
	c := reactor.Checkpoint{Description: a.description}
	if stack := outside(runtime.CallersFrames(a.pcs)); len(stack) > 0 {
		c.Function, c.File, c.Line = stack[0].Function, stack[0].File, stack[0].Line
		if a.stack {
			c.Stack = stack
		}
	}
	return reactor.PassCheckpoint(err, c)
}

// place returns file and line of the assembly, such as "orders.go:42".
func (a *assembly) place() string {
	if stack := outside(runtime.CallersFrames(a.pcs)); len(stack) > 0 {
		return filepath.Base(stack[0].File) + ":" + strconv.Itoa(stack[0].Line)
	}
	return "unknown"
}

// outside returns frames without the frames of the library that come first, and without
// the frames of the runtime.
func outside(frames *runtime.Frames) (stack []runtime.Frame) {
	for {
		f, more := frames.Next()
		if f.PC != 0 && !strings.HasPrefix(f.Function, "runtime.") && (len(stack) > 0 || !inLibrary(f.Function)) {
			stack = append(stack, f)
		}
		if !more {
			return stack
		}
	}
}

// inLibrary reports whether a function belongs to the operators or their faces.
func inLibrary(function string) bool {
	const module = "github.com/goreactor/reactor/"
	rest, ok := strings.CutPrefix(function, module)
	return ok && (strings.HasPrefix(rest, "operators.") || strings.HasPrefix(rest, "flux.") || strings.HasPrefix(rest, "mono."))
}
