package reactor

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
)

// Hooks observe what a stream can't deliver. A nil field leaves that part as it
// is. Hooks may be called from any goroutine and concurrently; they must not
// block, and must not end their goroutine with runtime.Goexit. A hook that panics
// is logged with its stack and otherwise ignored; one that ends its goroutine is logged, too.
//
// There are two places for them: [SetHooks] for the process, [WithHooks] for the
// subscriptions that use a context. For each field, a hook of the context replaces
// those of the process; it is not called in addition to them. [AddDiscard] adds a
// hook instead.
type Hooks struct {
	// NextDropped receives an element that arrived after the end of its stream
	// (§1.7). Default: logged at debug level.
	NextDropped func(ctx context.Context, v any)
	// ErrorDropped receives an error that arrived after the end of its
	// stream, or an [ErrUnhandled]. Default: logged at error level, a panic with
	// its stack.
	ErrorDropped func(ctx context.Context, err error)
	// Discard receives an element that the stream had accepted but will not
	// deliver: filtered out, or still queued at cancellation or failure. It is
	// the place to release what an element owns. When a function of the user
	// panics, the element is the one that the source has sent, not what other
	// functions have made of it. Default: nothing.
	Discard func(ctx context.Context, v any)
	// OperatorError may replace the error of a user function (returned, or
	// a [*PanicError]) before it goes downstream. v is the element it failed on, or
	// nil. A nil result keeps err.
	OperatorError func(ctx context.Context, err error, v any) error
}

// installed is one set of process-wide hooks. It never changes after it was
// published; its address tells one installation from another under the same key.
type installed struct {
	key   string
	hooks Hooks
}

var (
	hooksMu sync.Mutex                   // serialises the writers of global
	global  atomic.Pointer[[]*installed] // nil or never empty; copied on write
)

// SetHooks installs process-wide hooks under a key and returns a function that
// removes them. Hooks under several keys are all called, in the order in which
// the keys were first installed; the same key again replaces in place. The
// returned function is idempotent and removes only what this call installed:
// once the key has been taken over by a later call, it does nothing.
func SetHooks(key string, h Hooks) (remove func()) {
	mine := &installed{key, h}
	hooksMu.Lock()
	defer hooksMu.Unlock()
	list := slices.Clone(processHooks())
	if i := slices.IndexFunc(list, func(k *installed) bool { return k.key == key }); i >= 0 {
		list[i] = mine
	} else {
		list = append(list, mine)
	}
	global.Store(&list)
	return func() { removeHooks(mine) }
}

func removeHooks(mine *installed) {
	hooksMu.Lock()
	defer hooksMu.Unlock()
	list := slices.DeleteFunc(slices.Clone(processHooks()), func(k *installed) bool { return k == mine })
	if len(list) == 0 {
		global.Store(nil)
		return
	}
	global.Store(&list)
}

// processHooks returns the hooks of the process, which nobody may modify.
func processHooks() []*installed {
	if p := global.Load(); p != nil {
		return *p
	}
	return nil
}

type hooksKey struct{}

// contextual is set when a context has got hooks for the first time. Most programs never give one any: each
// subscription of theirs is spared the search through the values of its context.
var contextual atomic.Bool

// hooksOf returns the hooks of ctx, or nil.
func hooksOf(ctx context.Context) *Hooks {
	if !contextual.Load() {
		return nil
	}
	h, _ := ctx.Value(hooksKey{}).(*Hooks)
	return h
}

// WithHooks returns a context whose subscriptions use the non-nil fields of h
// instead of the hooks of the parent context or the process.
func WithHooks(ctx context.Context, h Hooks) context.Context {
	if ctx == nil {
		panic("reactor: WithHooks: the context is nil")
	}
	if outer := hooksOf(ctx); outer != nil {
		if h.NextDropped == nil {
			h.NextDropped = outer.NextDropped
		}
		if h.ErrorDropped == nil {
			h.ErrorDropped = outer.ErrorDropped
		}
		if h.Discard == nil {
			h.Discard = outer.Discard
		}
		if h.OperatorError == nil {
			h.OperatorError = outer.OperatorError
		}
	}
	contextual.Store(true)
	return context.WithValue(ctx, hooksKey{}, &h)
}

// HasHooks reports whether hooks are in force for the subscriptions of ctx.
func HasHooks(ctx context.Context) bool {
	return global.Load() != nil || hooksOf(ctx) != nil
}

// AddDiscard returns a context whose subscriptions pass discarded elements to
// fn first and then to the hook that was in force before. It panics if fn is nil.
func AddDiscard(ctx context.Context, fn func(v any)) context.Context {
	if ctx == nil {
		panic("reactor: AddDiscard: the context is nil")
	}
	if fn == nil {
		panic("reactor: AddDiscard: the function is nil")
	}
	outer := DiscardHook(ctx)
	return WithHooks(ctx, Hooks{Discard: func(inner context.Context, v any) {
		safely(inner, "discard", func() { fn(v) })
		if outer != nil {
			outer(v)
		}
	}})
}

// DiscardHook returns the function that takes elements discarded under ctx, or
// nil if no hook wants them. Operators look it up once per subscription. The
// function never panics. Where elements may be [Discardable], operators use
// [DiscardHookFor], because such elements have to be told even without a hook.
func DiscardHook(ctx context.Context) func(v any) {
	if h := hooksOf(ctx); h != nil && h.Discard != nil {
		fn := h.Discard
		return func(v any) {
			safely(ctx, "discard", func() { fn(ctx, v) })
			Abandon(ctx, v)
		}
	}
	var fns []func(context.Context, any)
	for _, k := range processHooks() {
		if k.hooks.Discard != nil {
			fns = append(fns, k.hooks.Discard)
		}
	}
	if len(fns) == 0 {
		return nil
	}
	return func(v any) {
		for _, fn := range fns {
			safely(ctx, "discard", func() { fn(ctx, v) })
		}
		Abandon(ctx, v)
	}
}

// Discard passes v to the discard hook of ctx, if there is one, and then calls
// [Abandon] with v.
func Discard(ctx context.Context, v any) {
	if fn := DiscardHook(ctx); fn != nil {
		fn(v)
	} else {
		Abandon(ctx, v)
	}
}

// DropNext reports v, an element that arrived after the end of its stream, to the
// NextDropped hooks of ctx, and then calls [Abandon] with v.
func DropNext(ctx context.Context, v any) {
	defer Abandon(ctx, v)
	if h := hooksOf(ctx); h != nil && h.NextDropped != nil {
		safely(ctx, "next-dropped", func() { h.NextDropped(ctx, v) })
		return
	}
	seen := false
	for _, k := range processHooks() {
		if fn := k.hooks.NextDropped; fn != nil {
			seen = true
			safely(ctx, "next-dropped", func() { fn(ctx, v) })
		}
	}
	if !seen {
		logged(func() { slog.DebugContext(ctx, "reactor: element dropped after the end of its stream", "value", v) })
	}
}

// DropError reports an error that arrived after the end of its stream, or that
// nobody handles, to the ErrorDropped hooks of ctx. An error with a method
// Told(context.Context) bool is not reported if that method reports that ctx has
// ended with the error; an error that nobody handles is reported in any case.
func DropError(ctx context.Context, err error) {
	if err = NonNil(err); isSettled(err) || isTold(ctx, err) {
		return
	}
	if h := hooksOf(ctx); h != nil && h.ErrorDropped != nil {
		safely(ctx, "error-dropped", func() { h.ErrorDropped(ctx, err) })
		return
	}
	seen := false
	for _, k := range processHooks() {
		if fn := k.hooks.ErrorDropped; fn != nil {
			seen = true
			safely(ctx, "error-dropped", func() { fn(ctx, err) })
		}
	}
	if !seen {
		attrs := []any{"error", err}
		if p, ok := errors.AsType[*PanicError](err); ok {
			attrs = append(attrs, "stack", string(p.Stack))
		}
		text := "reactor: error dropped after the end of its stream"
		if errors.Is(err, ErrUnhandled) {
			text = "reactor: nobody handles the error of a stream"
		}
		logged(func() { slog.ErrorContext(ctx, text, attrs...) })
	}
}

// isTold reports whether ctx tells err to whoever runs in it.
func isTold(ctx context.Context, err error) bool {
	told, ok := errors.AsType[interface {
		error
		Told(ctx context.Context) bool
	}](err)
	return ok && told.Told(ctx) && !errors.Is(err, ErrUnhandled)
}

// OperatorError passes the error of a user function through the operator-error
// hooks of ctx and returns the error that is to go downstream. v is the element on
// which the function failed, or nil. Of several process-wide hooks each receives
// the error that the one before it returned.
func OperatorError(ctx context.Context, err error, v any) error {
	if err = NonNil(err); isSettled(err) {
		return err
	}
	apply := func(fn func(context.Context, error, any) error) {
		safely(ctx, "operator-error", func() {
			if mapped := fn(ctx, err, v); mapped != nil {
				err = mapped
			}
		})
	}
	if h := hooksOf(ctx); h != nil && h.OperatorError != nil {
		apply(h.OperatorError)
		return err
	}
	for _, k := range processHooks() {
		if k.hooks.OperatorError != nil {
			apply(k.hooks.OperatorError)
		}
	}
	return err
}

// safely runs a hook. A panic of it is logged, because there is nobody left to tell, and so is that it has ended the goroutine.
func safely(ctx context.Context, hook string, fn func()) {
	returned := false
	defer func() {
		if returned {
			return
		}
		what, attrs := "reactor: hook ended its goroutine, which it must not do", []any{"hook", hook}
		if r := recover(); r != nil {
			what, attrs = "reactor: hook panicked", append(attrs, "panic", r)
		}
		attrs = append(attrs, "stack", string(debug.Stack()))
		logged(func() { slog.ErrorContext(ctx, what, attrs...) })
	}()
	fn()
	returned = true
}

// logged calls write, which logs. A panic of the handler of the log is ignored: it would end what has nothing to do with it, a
// stream or the program.
func logged(write func()) {
	defer func() { _ = recover() }()
	write()
}
