package reactor_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"sync"
	"testing"

	"github.com/goreactor/reactor"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// captureLog sends the default logger to a buffer for the rest of the test, so
// tests that use it can't run in parallel.
func captureLog(t *testing.T) *bytes.Buffer {
	t.Helper()
	var buf bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&buf, &slog.HandlerOptions{Level: slog.LevelDebug})))
	t.Cleanup(func() { slog.SetDefault(before) })
	return &buf
}

// note returns hooks that write down every call with the given name.
func note(got *[]string, name string) reactor.Hooks {
	return reactor.Hooks{
		NextDropped:  func(_ context.Context, v any) { *got = append(*got, fmt.Sprintf("%s: next %v", name, v)) },
		ErrorDropped: func(_ context.Context, err error) { *got = append(*got, fmt.Sprintf("%s: error %v", name, err)) },
		Discard:      func(_ context.Context, v any) { *got = append(*got, fmt.Sprintf("%s: discard %v", name, v)) },
		OperatorError: func(_ context.Context, err error, v any) error {
			*got = append(*got, fmt.Sprintf("%s: operator %v at %v", name, err, v))
			return fmt.Errorf("%s(%w)", name, err)
		},
	}
}

// emitAll passes one signal to each kind of hook.
func emitAll(ctx context.Context) error {
	reactor.DropNext(ctx, 1)
	reactor.DropError(ctx, io.EOF)
	reactor.Discard(ctx, 2)
	return reactor.OperatorError(ctx, io.ErrUnexpectedEOF, 3)
}

func all(name string) []string {
	return []string{
		name + ": next 1", name + ": error EOF", name + ": discard 2",
		name + ": operator unexpected EOF at 3",
	}
}

func TestDefaultsLogAndKeep(t *testing.T) {
	log := captureLog(t)
	ctx := context.Background()
	err := emitAll(ctx)
	assert.Same(t, io.ErrUnexpectedEOF, err)
	assert.Contains(t, log.String(), "level=DEBUG")
	assert.Contains(t, log.String(), "value=1")
	assert.Contains(t, log.String(), "level=ERROR")
	assert.Contains(t, log.String(), "error=EOF")
	assert.NotContains(t, log.String(), "value=2", "a discarded element is no event")
	assert.Nil(t, reactor.DiscardHook(ctx), "nobody wants them, so operators need not look again")

	log.Reset()
	reactor.DropError(ctx, &reactor.PanicError{Op: "map", Value: "boom", Stack: []byte("goroutine 7 [running]")})
	assert.Contains(t, log.String(), "goroutine 7")
}

func TestNilErrorsAreReplaced(t *testing.T) {
	log := captureLog(t)
	ctx := context.Background()
	reactor.DropError(ctx, nil)
	assert.Contains(t, log.String(), reactor.ErrNilError.Error())
	assert.Same(t, reactor.ErrNilError, reactor.OperatorError(ctx, nil, nil))

	var got error
	ctx = reactor.WithHooks(ctx, reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { got = err }})
	reactor.DropError(ctx, nil)
	assert.Same(t, reactor.ErrNilError, got)
}

func TestSetHooksAndRemove(t *testing.T) {
	log := captureLog(t)
	var got []string
	remove := reactor.SetHooks("a", note(&got, "a"))
	err := emitAll(context.Background())
	assert.Equal(t, all("a"), got)
	assert.EqualError(t, err, "a(unexpected EOF)")
	assert.Empty(t, log.String(), "a hook replaces the default")

	remove()
	remove()
	got = nil
	require.Same(t, io.ErrUnexpectedEOF, emitAll(context.Background()))
	assert.Empty(t, got)
	assert.NotEmpty(t, log.String())
}

func TestUnhandledErrorsAreLoggedAsSuch(t *testing.T) {
	log := captureLog(t)
	reactor.DropError(context.Background(), &reactor.OpError{Op: "subscribe", Kind: reactor.ErrUnhandled, Cause: io.EOF})
	assert.Contains(t, log.String(), "nobody handles the error of a stream")
	assert.Contains(t, log.String(), `error.op=subscribe error.kind="the stream failed and no OnError was given" error.cause=EOF`)
	assert.NotContains(t, log.String(), "after the end")
}

func TestSetHooksOrder(t *testing.T) {
	var got []string
	defer reactor.SetHooks("z", note(&got, "z"))()
	defer reactor.SetHooks("a", note(&got, "a"))()
	reactor.DropNext(context.Background(), 1)
	assert.Equal(t, []string{"z: next 1", "a: next 1"}, got, "in the order of installation, not of the keys")

	// Each OperatorError hook sees what the one before it made.
	err := reactor.OperatorError(context.Background(), io.EOF, nil)
	assert.EqualError(t, err, "a(z(EOF))")
	require.ErrorIs(t, err, io.EOF)

	// The same key again keeps its place.
	defer reactor.SetHooks("z", note(&got, "Z"))()
	got = nil
	reactor.Discard(context.Background(), 2)
	assert.Equal(t, []string{"Z: discard 2", "a: discard 2"}, got)
}

func TestRemoveLeavesASuccessorAlone(t *testing.T) {
	var got []string
	removeFirst := reactor.SetHooks("k", note(&got, "first"))
	removeSecond := reactor.SetHooks("k", note(&got, "second"))
	removeFirst()
	reactor.DropNext(context.Background(), 1)
	assert.Equal(t, []string{"second: next 1"}, got)
	removeSecond()
	assert.Nil(t, reactor.DiscardHook(context.Background()))
}

func TestFieldsThatAreNilLeaveTheRestAlone(t *testing.T) {
	log := captureLog(t)
	var dropped []any
	defer reactor.SetHooks("k", reactor.Hooks{
		NextDropped: func(_ context.Context, v any) { dropped = append(dropped, v) },
	})()
	require.Same(t, io.ErrUnexpectedEOF, emitAll(context.Background()))
	assert.Equal(t, []any{1}, dropped)
	assert.Contains(t, log.String(), "error=EOF", "the default for errors still holds")
	assert.Nil(t, reactor.DiscardHook(context.Background()))
}

func TestContextOverridesTheProcess(t *testing.T) {
	var got []string
	defer reactor.SetHooks("k", note(&got, "process"))()
	ctx := reactor.WithHooks(context.Background(), note(&got, "ctx"))
	err := emitAll(ctx)
	assert.Equal(t, all("ctx"), got)
	assert.EqualError(t, err, "ctx(unexpected EOF)")

	// Field by field: what the inner context leaves nil is the outer one's.
	got = nil
	inner := reactor.WithHooks(ctx, reactor.Hooks{
		Discard: func(_ context.Context, v any) { got = append(got, fmt.Sprintf("inner: discard %v", v)) },
	})
	_ = emitAll(inner)
	want := all("ctx")
	want[2] = "inner: discard 2"
	assert.Equal(t, want, got)

	// And what no context sets is the process's.
	got = nil
	only := reactor.WithHooks(context.Background(), reactor.Hooks{Discard: func(context.Context, any) {}})
	reactor.DropNext(only, 1)
	reactor.Discard(only, 2)
	assert.Equal(t, []string{"process: next 1"}, got)
}

func TestHooksReceiveTheContextOfTheSubscription(t *testing.T) {
	type key struct{}
	var seen []any
	see := func(ctx context.Context) { seen = append(seen, ctx.Value(key{})) }
	h := reactor.Hooks{
		NextDropped:   func(ctx context.Context, _ any) { see(ctx) },
		ErrorDropped:  func(ctx context.Context, _ error) { see(ctx) },
		Discard:       func(ctx context.Context, _ any) { see(ctx) },
		OperatorError: func(ctx context.Context, _ error, _ any) error { see(ctx); return nil },
	}
	require.Same(t, io.ErrUnexpectedEOF, emitAll(context.WithValue(reactor.WithHooks(context.Background(), h), key{}, "x")),
		"a nil result keeps the error")
	defer reactor.SetHooks("k", h)()
	_ = emitAll(context.WithValue(context.Background(), key{}, "x"))
	assert.Equal(t, []any{"x", "x", "x", "x", "x", "x", "x", "x"}, seen)
}

func TestAddDiscardComesFirst(t *testing.T) {
	var got []string
	add := func(ctx context.Context, name string) context.Context {
		return reactor.AddDiscard(ctx, func(v any) { got = append(got, fmt.Sprintf("%s %v", name, v)) })
	}
	defer reactor.SetHooks("k", note(&got, "process"))()
	ctx := add(add(context.Background(), "outer"), "inner")
	reactor.Discard(ctx, 7)
	assert.Equal(t, []string{"inner 7", "outer 7", "process: discard 7"}, got)

	got = nil
	reactor.DropNext(ctx, 8)
	assert.Equal(t, []string{"process: next 8"}, got, "the other hooks are untouched")

	assert.PanicsWithValue(t, "reactor: AddDiscard: the function is nil",
		func() { reactor.AddDiscard(context.Background(), nil) })
}

func TestHooksOfNoContext(t *testing.T) {
	var none context.Context
	assert.PanicsWithValue(t, "reactor: WithHooks: the context is nil", func() { reactor.WithHooks(none, reactor.Hooks{}) })
	assert.PanicsWithValue(t, "reactor: AddDiscard: the context is nil", func() { reactor.AddDiscard(none, func(any) {}) })
}

func TestPanickingHooks(t *testing.T) {
	log := captureLog(t)
	bad := reactor.Hooks{
		NextDropped:   func(context.Context, any) { panic("bad next") },
		ErrorDropped:  func(context.Context, error) { panic("bad error") },
		Discard:       func(context.Context, any) { panic("bad discard") },
		OperatorError: func(context.Context, error, any) error { panic("bad operator") },
	}
	var got []string
	check := func(t *testing.T) {
		t.Helper()
		for _, text := range []string{"bad next", "bad error", "bad discard", "bad operator", "hooks_test.go"} {
			assert.Contains(t, log.String(), text)
		}
		log.Reset()
	}
	t.Run("process", func(t *testing.T) {
		got = nil
		defer reactor.SetHooks("bad", bad)()
		defer reactor.SetHooks("good", note(&got, "good"))()
		assert.EqualError(t, emitAll(context.Background()), "good(unexpected EOF)")
		assert.Equal(t, all("good"), got, "the next hook is called all the same")
		check(t)
	})
	t.Run("context", func(t *testing.T) {
		assert.Same(t, io.ErrUnexpectedEOF, emitAll(reactor.WithHooks(context.Background(), bad)))
		check(t)
	})
	t.Run("added", func(t *testing.T) {
		got = nil
		ctx := reactor.WithHooks(context.Background(), note(&got, "outer"))
		ctx = reactor.AddDiscard(ctx, func(any) { panic("bad added") })
		reactor.Discard(ctx, 1)
		assert.Equal(t, []string{"outer: discard 1"}, got)
		assert.Contains(t, log.String(), "bad added")
	})
}

// A hook must not end its goroutine. If it does, as one that calls t.FailNow, the log has it: what it was called in may wait for ever.
func TestHookThatEndsItsGoroutineIsLogged(t *testing.T) {
	log := captureLog(t)
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) { runtime.Goexit() }})
	done := make(chan struct{})
	go func() {
		defer close(done)
		reactor.DropError(ctx, io.ErrUnexpectedEOF)
	}()
	<-done
	for _, text := range []string{"hook ended its goroutine", "hook=error-dropped", "hooks_test.go"} {
		assert.Contains(t, log.String(), text)
	}
}

func TestDiscardHookNeverPanics(t *testing.T) {
	_ = captureLog(t)
	fail := reactor.Hooks{Discard: func(context.Context, any) { panic("no") }}
	assert.NotPanics(t, func() { reactor.DiscardHook(reactor.WithHooks(context.Background(), fail))(1) })
	defer reactor.SetHooks("k", fail)()
	assert.NotPanics(t, func() { reactor.DiscardHook(context.Background())(1) })
}

func TestDiscardHookIsASnapshot(t *testing.T) {
	var got []string
	remove := reactor.SetHooks("k", note(&got, "k"))
	hook := reactor.DiscardHook(context.Background())
	remove()
	hook(1)
	assert.Equal(t, []string{"k: discard 1"}, got, "operators look it up once per subscription")
}

func TestHooksFromManyGoroutines(t *testing.T) {
	_ = captureLog(t)
	const writers, rounds = 4, 200
	var wg sync.WaitGroup
	var mu sync.Mutex
	seen := map[int]int{}
	for w := range writers {
		wg.Go(func() {
			for range rounds {
				remove := reactor.SetHooks(fmt.Sprint(w), reactor.Hooks{Discard: func(_ context.Context, v any) {
					mu.Lock()
					defer mu.Unlock()
					seen[v.(int)]++
				}})
				reactor.Discard(context.Background(), w)
				remove()
			}
		})
	}
	wg.Wait()
	for w := range writers {
		assert.GreaterOrEqual(t, seen[w], rounds, "while installed, a hook sees every element")
	}
	assert.Nil(t, reactor.DiscardHook(context.Background()), "all were removed")
}

func TestNoHooksCostNothing(t *testing.T) {
	ctx := context.WithValue(context.Background(), io.EOF, 1)
	err := errors.New("x")
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		if reactor.DiscardHook(ctx) != nil {
			t.Error("there is no hook")
		}
		if reactor.OperatorError(ctx, err, nil) != err {
			t.Error("the error was replaced")
		}
	}))
}

// panickingLog is a handler for logs that panics.
type panickingLog struct{ slog.Handler }

func (panickingLog) Handle(context.Context, slog.Record) error { panic("the log is full") }

// What is dropped comes from anywhere, also from goroutines on which a panic ends the program.
func TestALogThatPanics(t *testing.T) {
	captureLog(t) // restores the one from before
	slog.SetDefault(slog.New(panickingLog{slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelDebug})}))
	told := 0
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{Discard: func(context.Context, any) { panic("boom") }})
	assert.NotPanics(t, func() {
		reactor.DropNext(context.Background(), parcel{&told})
		reactor.DropError(context.Background(), io.EOF)
		reactor.DropError(context.Background(), reactor.ErrUnhandled)
		reactor.Discard(ctx, parcel{&told})
	})
	assert.Equal(t, 2, told)
}

// payment is an error of a program, with a method that means nothing here.
type payment struct{ error }

func (payment) Settled() bool { return true }

func TestAnErrorWithAMethodOfItsOwnIsReported(t *testing.T) {
	var got []error
	keep := func(_ context.Context, err error) { got = append(got, err) }
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{
		ErrorDropped:  keep,
		OperatorError: func(ctx context.Context, err error, _ any) error { keep(ctx, err); return err },
	})
	err := payment{io.EOF}
	reactor.DropError(ctx, err)
	_ = reactor.OperatorError(ctx, err, nil)
	assert.Equal(t, []error{err, err}, got)
}
