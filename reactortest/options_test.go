package reactortest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/flux"
)

func TestOptionsThatMeanNothingAreRefused(t *testing.T) {
	src := flux.Just(1)
	clock := NewVirtualTime()
	marbles := func(opts ...Option) func() {
		return func() { NewMarbles(t, append(opts, OnClock(NewVirtualTime()))...) }
	}
	subscriber := func(o Option) func() { return func() { NewTestSubscriber[int](t, o) } }
	subscribe := func(o Option) func() { return func() { Subscribe(t, src, o) } }
	for want, fn := range map[string]func(){
		"NewMarbles: the option InitialRequest means nothing here":           marbles(InitialRequest(1)),
		"NewMarbles: the option AllowUnderRequest means nothing here":        marbles(AllowUnderRequest()),
		"NewMarbles: the option Patience means nothing here":                 marbles(Patience(time.Second)),
		"NewTestSubscriber: the option InContext means nothing here":         subscriber(InContext(context.Background())),
		"NewTestSubscriber: the option Tick means nothing here":              subscriber(Tick(time.Second)),
		"NewTestSubscriber: the option AllowUnderRequest means nothing here": subscriber(AllowUnderRequest()),
		"Subscribe: the option Tick means nothing here":                      subscribe(Tick(time.Second)),
		"Subscribe: the option AllowUnderRequest means nothing here":         subscribe(AllowUnderRequest()),
		"NewStepVerifier: the option Tick means nothing here":                func() { NewStepVerifier(&fakeT{}, src, Tick(time.Second)) },
		"WithVirtualTime: the option Tick means nothing here":                func() { WithVirtualTime(&fakeT{}, func() flux.Flux[int] { return src }, Tick(time.Second)) },
		"WithVirtualTime: the option OnClock means nothing here":             func() { WithVirtualTime(&fakeT{}, func() flux.Flux[int] { return src }, OnClock(clock)) },
	} {
		require.PanicsWithValue(t, "reactortest: "+want, fn)
	}
}

func TestMarblesUseTheContextAndTheFormat(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := NewMarbles(t, OnClock(NewVirtualTime()), InContext(ctx))
	var seen context.Context
	m.ExpectMarbles(flux.Defer(func(ctx context.Context) flux.Flux[int] { seen = ctx; return flux.Just(1) }), "(1|)")
	m.Run()
	require.NoError(t, seen.Err())
	cancel()
	require.Error(t, seen.Err(), "it is the context that was given, with its end")

	require.Contains(t, report(func(t testing.TB) {
		m := NewMarbles(t, OnClock(NewVirtualTime()), ValueFormatter(func(n int) string { return "number" }))
		m.ExpectMarbles(flux.Just(7), "(8|)")
		m.Run()
	}), "onNext(number)")
}

// errors.Is finds nil in nothing: such a script could only fail.
func TestExpectErrorIsOfNil(t *testing.T) {
	assert.PanicsWithValue(t, "reactortest: ExpectErrorIs: the error is nil", func() {
		NewStepVerifier(&fakeT{}, flux.Error[int](ErrMarble)).ExpectErrorIs(nil)
	})
}
