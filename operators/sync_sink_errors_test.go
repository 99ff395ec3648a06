package operators

import (
	"context"
	"log/slog"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// failsBehind returns a function that puts 7 and an error into a sink, and then calls next.
func failsBehind(next func()) func(*SyncSink[int]) {
	return func(s *SyncSink[int]) {
		s.Next(7)
		s.Error(errOther)
		next()
	}
}

// What Generate and Handle are to do with an element and an error of one call where something else fails.
var failuresBehind = map[string]struct {
	next, each func() // behind the error; as the element comes
	got        []int
	failed     error
	discarded  []any
}{
	"downstream panics":               {func() {}, func() { panic(errBoom) }, []int{7}, errBoom, nil},
	"downstream ends the goroutine":   {func() {}, runtime.Goexit, []int{7}, reactor.ErrGoexit, nil},
	"the function panics":             {func() { panic(errBoom) }, func() {}, nil, errBoom, []any{7}},
	"the function ends the goroutine": {runtime.Goexit, func() {}, nil, reactor.ErrGoexit, []any{7}},
}

// The step has put an error into its sink, and the stream ends with another one: the first is reported as dropped.
func TestGenerateReportsAnErrorThatNobodyGets(t *testing.T) {
	for name, c := range failuresBehind {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			p := probeOf[int](1)
			p.Each = func(int) { c.each() }
			racetest.Aside(func() { GenerateStateless(failsBehind(c.next)).Subscribe(ctx, p) })
			p.Failed(t, c.failed, c.got...)
			require.Equal(t, []any{7}, hooks.Discarded)
			require.Equal(t, []any{errOther}, hooks.Errs)
		})
	}
}

// An element that has arrived is not discarded if a hook that hears of the error behind it ends the goroutine.
func TestGenerateIsCancelledBetweenAnElementAndAnError(t *testing.T) {
	ctx, hooks := probe.Recorded()
	ctx = reactor.WithHooks(ctx, reactor.Hooks{ErrorDropped: func(context.Context, error) { runtime.Goexit() }})
	p := probeOf[int](1)
	p.Each = func(int) { p.Cancel() }
	racetest.Aside(func() { GenerateStateless(failsBehind(func() {})).Subscribe(ctx, p) })
	p.Items(t, 7)
	require.Empty(t, hooks.Discarded)
}

// An error that was told is not reported as dropped if what hears of it fails.
func TestGenerateWhoseErrorFails(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := DoOnError(GenerateStateless(func(s *SyncSink[int]) { s.Error(errOther) }), func(error) { runtime.Goexit() })
	p := probeOf[int](1)
	racetest.Aside(func() { src.Subscribe(ctx, p) })
	p.Failed(t, errOther)
	require.Empty(t, hooks.Errs)
}

// So it is with Handle, whether the source is subscribed to, computed, or goes on behind a failure.
func TestHandleReportsAnErrorThatNobodyGets(t *testing.T) {
	for name, c := range failuresBehind {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			p := probeOf[int](1)
			p.Each = func(int) { c.each() }
			handled := func(src reactor.Publisher[int]) reactor.Publisher[int] {
				fn := failsBehind(c.next)
				return Handle(src, func(_ int, s *SyncSink[int]) { fn(s) })
			}
			racetest.Aside(func() { handled(Hide(Just(1))).Subscribe(ctx, p) })
			p.Failed(t, c.failed, c.got...)
			require.Equal(t, append([]any{1}, c.discarded...), hooks.Discarded)
			require.Equal(t, []any{errOther}, hooks.Errs)

			log := &chances{}
			defer slog.SetDefault(slog.Default())
			slog.SetDefault(slog.New(dropped{slog.DiscardHandler, log})) // with hooks nothing is computed
			var err error
			racetest.Aside(func() {
				defer func() { // of a function that ends the goroutine, Block does not return
					if err == nil {
						err = reactor.ErrGoexit
					}
				}()
				_, err = Block(t.Context(), DoOnNext(handled(Just(1)), func(int) { c.each() }))
			})
			require.ErrorIs(t, err, c.failed)
			require.Contains(t, log.log, errOther.Error(), "computed")
		})
	}
}

func TestHandleReportsAnErrorBehindWhichItGoesOn(t *testing.T) {
	ctx, hooks := probe.Recorded()
	var taken []error
	src := Handle(Hide(Just(1)), func(_ int, s *SyncSink[int]) { s.Error(errOther); panic(errBoom) })
	runWith(ctx, OnErrorContinue(src, func(err error, _ any) { taken = append(taken, err) })).Done(t)
	require.Len(t, taken, 1)
	require.ErrorIs(t, taken[0], errBoom)
	require.Equal(t, []any{errOther}, hooks.Errs)
}
