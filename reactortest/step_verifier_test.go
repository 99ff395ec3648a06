package reactortest

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

var errBoom = errors.New("boom")

func TestStepVerifierOrdinary(t *testing.T) {
	NewStepVerifier(t, flux.Range(1, 3)).ExpectNext(1, 2, 3).ExpectComplete().Verify()
	NewStepVerifier(t, flux.Range(1, 3)).ExpectSubscription().ExpectNext(1).ExpectNextCount(2).VerifyComplete()
	NewStepVerifier(t, mono.Just("x")).ExpectNext("x").VerifyComplete()
	NewStepVerifier(t, flux.Empty[int]()).ExpectNextCount(0).VerifyComplete()
	NewStepVerifier(t, flux.Range(0, 1000)).ExpectNextSequence(slices.Values(slices.Collect(maps.Keys(map[int]int{0: 0})))).
		ExpectNextMatches(func(v int) bool { return v == 1 }).
		ConsumeNext(func(v int) { assert.Equal(t, 2, v) }).
		ConsumeWhile(func(v int) bool { return v < 10 }).
		ExpectNext(10).
		ExpectNextCount(989).
		VerifyComplete()
	NewStepVerifier(t, flux.Range(0, 6)).ExpectNext(0).Record().ExpectNextCount(3).
		ExpectRecorded(1, 2, 3).
		ExpectRecordedMatches(func(vs []int) bool { return len(vs) == 3 }).
		ConsumeRecorded(func(vs []int) { assert.Len(t, vs, 3) }).
		Record().ExpectRecorded().ExpectNextCount(2).
		VerifyComplete()
}

func TestStepVerifierErrors(t *testing.T) {
	failing := func() flux.Flux[int] {
		return flux.From(flux.Range(1, 1)).ConcatWith(flux.Error[int](reactor.Failure("x", errBoom, "detail")))
	}
	NewStepVerifier(t, failing()).ExpectNext(1).VerifyError()
	NewStepVerifier(t, failing()).ExpectNext(1).VerifyErrorIs(errBoom)
	NewStepVerifier(t, failing()).ExpectNext(1).ExpectErrorAs[*reactor.OpError]().Verify()
	NewStepVerifier(t, failing()).ExpectNext(1).ExpectErrorAs(func(e *reactor.OpError) bool { return e.Op == "x" }).Verify()
	NewStepVerifier(t, failing()).ExpectNext(1).ExpectErrorMessage("reactor: x: boom: detail").Verify()
	NewStepVerifier(t, failing()).ExpectNext(1).ExpectErrorMatches(func(err error) bool { return err != nil }).Verify()
	NewStepVerifier(t, failing()).ExpectNext(1).ConsumeError(func(err error) { assert.ErrorIs(t, err, errBoom) }).Verify()
}

// delayed is a publisher that brings its subscription a second later.
type delayed struct{ reactor.Publisher[int] }

func (d delayed) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	go func() {
		time.Sleep(time.Second)
		d.Publisher.Subscribe(ctx, s)
	}()
}

// What the script asks for, or cancels, before there is a subscription gets there.
func TestStepVerifierActsBeforeTheSubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := NewTestPublisher[int](t)
		NewStepVerifier(t, delayed{src}, InitialRequest(0)).
			ThenRequest(1).
			ThenRequest(2).
			Then(func() {
				synctest.Wait() // who has subscribed may not have come back yet from telling of it
				src.Next(1, 2, 3)
			}).
			ExpectNext(1, 2, 3).
			ThenCancel().
			Verify()
		src.AssertRequested(3)
		src.AssertCancelled(1)

		src = NewTestPublisher[int](t)
		NewStepVerifier(t, delayed{src}).ThenCancel().Verify()
		time.Sleep(2 * time.Second)
		src.AssertCancelled(1)
		src.AssertRequested(0)
	})
}

func TestStepVerifierDemand(t *testing.T) {
	NewStepVerifier(t, flux.Range(1, 10), InitialRequest(0)).
		ExpectSubscription().
		ExpectNoEvent(time.Millisecond).
		ThenRequest(2).
		ExpectNext(1, 2).
		ThenRequest(1).
		ExpectNext(3).
		ThenCancel().
		Verify()
	NewStepVerifier(t, flux.Range(1, 10), InitialRequest(0)).ThenRequest(-1).VerifyErrorIs(reactor.ErrIllegalRequest)
	// A source that never returns from Request must be cancelled from within.
	NewStepVerifier(t, flux.GenerateStateless(func(s *flux.SyncSink[int]) { s.Next(7) })).
		ExpectNext(7, 7).ExpectNextCount(1000).ThenCancel().Verify()
}

func TestStepVerifierVirtualTime(t *testing.T) {
	took := WithVirtualTime(t, func() flux.Flux[int64] { return flux.Interval(time.Hour) }).
		ExpectSubscription().
		ExpectNoEvent(time.Hour).
		ExpectNext(0).
		ThenAwait(2*time.Hour).
		ExpectNext(1, 2).
		ThenCancel().
		Verify()
	assert.Equal(t, 3*time.Hour, took)
	assert.Nil(t, InstalledVirtualTime())
	WithVirtualTime(t, func() mono.Mono[int64] { return mono.Delay(24 * time.Hour) }).
		ExpectTimeout(24 * time.Hour).Verify()
}

func TestStepVerifierOnClock(t *testing.T) {
	t.Parallel()
	clock := NewVirtualTime()
	NewStepVerifier(t, flux.Interval(time.Second, flux.On(clock)), OnClock(clock)).
		ThenAwait(3*time.Second).ExpectNext(0, 1, 2).ThenCancel().Verify()
}

func TestStepVerifierInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := schedulers.NewSingle("bubble")
		defer s.Dispose()
		began := time.Now()
		NewStepVerifier(t, flux.Interval(time.Hour, flux.On(s))).
			ExpectSubscription().
			ExpectNoEvent(time.Hour).
			ExpectNext(0).
			ThenAwait(time.Hour).
			ExpectNext(1).
			ThenCancel().
			Verify()
		assert.Equal(t, 2*time.Hour, time.Since(began))
		NewStepVerifier(t, flux.Never[int]()).ExpectTimeout(time.Hour).Verify()
	})
}

func TestStepVerifierActsInOrder(t *testing.T) {
	var log []string
	NewStepVerifier(t, flux.Range(1, 3), InitialRequest(1)).
		ExpectNext(1).
		Then(func() { log = append(log, "a") }).
		ThenRequest(1).
		ExpectNext(2).
		Then(func() { log = append(log, "b") }).
		ThenRequest(5).
		ExpectNext(3).
		VerifyComplete()
	assert.Equal(t, []string{"a", "b"}, log)
}

func TestStepVerifierThenAssert(t *testing.T) {
	NewStepVerifier(t, flux.Range(1, 4).Filter(func(v int) bool { return v%2 == 0 })).
		ExpectNext(2, 4).ExpectComplete().VerifyThenAssert().
		HasDiscarded(3, 1).HasDiscardedExactly(1, 3).HasNotDropped().HasNotDroppedErrors().HasNoOperatorErrors().
		TookLessThan(time.Hour)
	after := NewStepVerifier(t, flux.Range(1, 4).TryMap(func(v int) (int, error) { return v, errBoom })).
		ExpectErrorIs(errBoom).VerifyThenAssert()
	after.HasOperatorError(errBoom).HasDiscardedExactly(1)
	assert.Equal(t, []any{1}, after.Discarded())
	assert.Less(t, after.Took(), time.Hour)

	for want, fn := range map[string]func(*Aftermath){
		"discarded: expected exactly 2, got 1":                       func(a *Aftermath) { a.HasDiscardedExactly(2) },
		"discarded: expected exactly nothing, got 1":                 func(a *Aftermath) { a.HasNotDiscarded() },
		"discarded: expected 2 among them, got 1":                    func(a *Aftermath) { a.HasDiscarded(2) },
		"dropped: expected 2 among them, got nothing":                func(a *Aftermath) { a.HasDropped(2) },
		"dropped: expected exactly 2, got nothing":                   func(a *Aftermath) { a.HasDroppedExactly(2) },
		"dropped errors: expected one that is \"boom\", got nothing": func(a *Aftermath) { a.HasDroppedError(errBoom) },
		"operator errors: expected exactly nothing, got boom":        func(a *Aftermath) { a.HasNoOperatorErrors() },
		"operator errors: expected one that is \"EOF\", got boom":    func(a *Aftermath) { a.HasOperatorError(errEOF) },
		"the verification took 3s, expected less than 1s":            func(a *Aftermath) { a.took = 3 * time.Second; a.TookLessThan(time.Second) },
	} {
		got := report(func(t testing.TB) {
			fn(NewStepVerifier(t, flux.Range(1, 4).TryMap(func(v int) (int, error) { return v, errBoom })).ExpectError().VerifyThenAssert())
		})
		assert.Equal(t, "reactortest: "+want, got)
	}
}

var errEOF = errors.New("EOF")

var noContext context.Context

func TestStepVerifierCallsOuterHooks(t *testing.T) {
	var got []any
	ctx := reactor.WithHooks(t.Context(), reactor.Hooks{Discard: func(_ context.Context, v any) { got = append(got, v) }})
	NewStepVerifier(t, flux.Range(1, 2).Filter(func(v int) bool { return v == 2 }), InContext(ctx)).
		ExpectNext(2).ExpectComplete().VerifyThenAssert().HasDiscardedExactly(1)
	assert.Equal(t, []any{1}, got)
}

func TestStepVerifierNeverVerified(t *testing.T) {
	assert.Contains(t, report(func(t testing.TB) { NewStepVerifier(t, flux.Range(1, 2)).ExpectNext(1).ExpectComplete() }),
		"step_verifier_test.go:")
}

// hurried is a test that has to end soon.
type hurried struct{ testing.TB }

func (hurried) Deadline() (time.Time, bool) { return time.Now().Add(time.Minute), true }

func TestStepVerifierStories(t *testing.T) {
	const quick = 20 * time.Millisecond
	type want struct {
		fn    func(t testing.TB)
		parts []string
	}
	for name, c := range map[string]want{
		"other element": {func(t testing.TB) {
			NewStepVerifier(t, flux.Range(1, 3)).ExpectNext(1).As("the first one").ExpectNext(3).VerifyComplete()
		}, []string{"step 2 of 3 (expect next 3) failed: expected onNext(3), but onNext(2) came", "✓   1  the first one: expect next 1", "→   2  expect next 3", "  onNext(2)\n", "step 1\n", "step_verifier_test.go:"}},
		"same text, other type": {func(t testing.TB) {
			NewStepVerifier[any](t, flux.Just[any](int64(1))).ExpectNext(1).VerifyComplete()
		}, []string{"expected onNext(1), of type int and not int64, but onNext(1) came"}},
		"early end": {func(t testing.TB) { NewStepVerifier(t, flux.Range(1, 2)).ExpectNextCount(3).VerifyComplete() },
			[]string{"expected 3 elements and has seen 2, but onComplete() came"}},
		"error instead": {func(t testing.TB) { NewStepVerifier(t, flux.Error[int](errBoom)).VerifyComplete() },
			[]string{"expected onComplete(), but onError(boom) came"}},
		"other error": {func(t testing.TB) { NewStepVerifier(t, flux.Error[int](errBoom)).VerifyErrorIs(errEOF) },
			[]string{`expected an onError that is "EOF", but onError(boom) came`}},
		"too quiet": {func(t testing.TB) {
			NewStepVerifier(t, flux.Never[int](), Patience(quick)).ExpectNext(1).VerifyComplete()
		}, []string{"nothing came within 20ms", "nothing more came"}},
		"no demand": {func(t testing.TB) {
			NewStepVerifier(t, flux.Range(1, 5), InitialRequest(1), AllowUnderRequest(), Patience(quick), Named("orders")).ExpectNext(1, 2).VerifyComplete()
		}, []string{"reactortest: orders: step 1 of 2", "all of the demand, 1, is used up"}},
		"too long": {func(t testing.TB) {
			NewStepVerifier(t, flux.Never[int]()).ExpectComplete().VerifyWithin(quick)
		}, []string{"the script had not ended within 20ms"}},
		"not quiet": {func(t testing.TB) {
			WithVirtualTime(t, func() flux.Flux[int64] { return flux.Interval(time.Second) }).
				ExpectSubscription().ExpectNoEvent(1001 * time.Millisecond).ThenCancel().Verify()
		}, []string{"expected nothing for 1.001s, but onNext(0) came", "→       1s  onNext(0)", "virtual time since the subscription"}},
		"panic": {func(t testing.TB) {
			NewStepVerifier(t, flux.Range(1, 2)).ExpectNextMatches(func(int) bool { panic("ouch") }).VerifyComplete()
		}, []string{"the function of the step panicked: ouch", "reactortest.TestStepVerifierStories.func"}},
		"record": {func(t testing.TB) {
			NewStepVerifier(t, flux.Range(1, 2)).Record().ExpectNextCount(2).ExpectRecorded(2).VerifyComplete()
		}, []string{"expected 2 on record, but there is 1, 2"}},
		"record that does not match": {func(t testing.TB) {
			NewStepVerifier(t, flux.Range(1, 2)).Record().ExpectNextCount(2).ExpectRecordedMatches(func([]int) bool { return false }).VerifyComplete()
		}, []string{"what is on record does not match: 1, 2"}},
		"awaits longer than the test may": {func(t testing.TB) {
			NewStepVerifier(hurried{t}, flux.Interval(time.Hour)).ThenAwait(time.Hour).ThenCancel().Verify()
		}, []string{"would wait for 1h0m0s on the wall clock, and the test has to end in 1m0s"}},
		"is quiet longer than the test may": {func(t testing.TB) {
			NewStepVerifier(hurried{t}, flux.Never[int]()).ExpectNoEvent(time.Hour).ThenCancel().Verify()
		}, []string{"would wait for 1h0m0s on the wall clock"}},
		"endless": {func(t testing.TB) {
			NewStepVerifier(t, flux.GenerateStateless(func(s *flux.SyncSink[int]) { s.Next(7) })).
				ExpectNext(7).Then(func() {}).ThenCancel().Verify()
		}, []string{"more than 100000 signals wait for the script"}},
		"discarded": {func(t testing.TB) {
			NewStepVerifier(t, flux.Range(1, 2).Filter(func(v int) bool { return v == 2 })).ExpectNext(1).VerifyComplete()
		}, []string{"what did not reach the script", "discarded        1"}},
		"FailNow": {func(t testing.TB) {
			NewStepVerifier(t, flux.Range(1, 2)).ConsumeNext(func(int) { t.FailNow() }).VerifyComplete()
		}, []string{"the function of the step ended its goroutine"}},
		"many": {func(t testing.TB) {
			NewStepVerifier(t, flux.Range(1, 1000)).ExpectNextCount(500).ExpectNext(1).VerifyComplete()
		}, []string{"earlier ones", "later ones", "→"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := report(c.fn)
			for _, part := range c.parts {
				assert.Contains(t, got, part)
			}
			if t.Failed() || testing.Verbose() {
				t.Log(got)
			}
		})
	}
}

// broken is a publisher that does what it likes.
type broken func(ctx context.Context, s reactor.Subscriber[int])

func (b broken) Subscribe(ctx context.Context, s reactor.Subscriber[int]) { b(ctx, s) }

type hollow struct{ onRequest func(int64) }

func (h hollow) Request(n int64) {
	if h.onRequest != nil {
		h.onRequest(n)
	}
}
func (hollow) Cancel() {}

func TestStepVerifierSeesViolations(t *testing.T) {
	for want, p := range map[string]broken{
		"onNext(2) came without demand (§1.1): 1 requested, this is element 2": func(_ context.Context, s reactor.Subscriber[int]) {
			s.OnSubscribe(hollow{})
			s.OnNext(1)
			s.OnNext(2)
		},
		"onNext(1) came before onSubscribe (§1.9)": func(_ context.Context, s reactor.Subscriber[int]) { s.OnNext(1) },
		"onNext(1) came after the end of the stream (§1.7)": func(_ context.Context, s reactor.Subscriber[int]) {
			s.OnSubscribe(hollow{})
			s.OnError(errBoom)
			s.OnNext(1)
		},
		"a second onSubscribe came (§1.9)": func(_ context.Context, s reactor.Subscriber[int]) {
			s.OnSubscribe(hollow{})
			s.OnSubscribe(hollow{})
		},
		"onSubscribe(nil) came (§2.13)": func(_ context.Context, s reactor.Subscriber[int]) { s.OnSubscribe(nil) },
		"onError(nil) came (§2.13)": func(_ context.Context, s reactor.Subscriber[int]) {
			s.OnSubscribe(hollow{})
			s.OnError(nil)
		},
	} {
		got := report(func(t testing.TB) {
			NewStepVerifier(t, p, InitialRequest(1), AllowUnderRequest(), Patience(time.Millisecond)).Then(func() {}).ExpectNext(1, 2).ExpectComplete().Verify()
		})
		assert.Contains(t, got, want)
	}
	got := report(func(t testing.TB) {
		NewStepVerifier(t, broken(func(_ context.Context, s reactor.Subscriber[int]) {
			s.OnSubscribe(hollow{})
			s.OnError(nil)
		})).VerifyError()
	})
	assert.Contains(t, got, "onError(nil) came (§2.13)", "also where a failure is what the script expects")
	first := true
	got = report(func(t testing.TB) {
		var inside = make(chan struct{})
		var sub *verifying[int]
		p := broken(func(ctx context.Context, s reactor.Subscriber[int]) {
			sub = s.(*verifying[int])
			s.OnSubscribe(hollow{})
			second := make(chan struct{})
			go func() {
				<-inside
				s.OnNext(2)
				close(second)
			}()
			s.OnNext(1)
			<-second
		})
		NewStepVerifier(t, p).ExpectNextMatches(func(int) bool {
			if first {
				first = false
				close(inside)
				for sub.run.failure() == "" {
					runtime.Gosched()
				}
			}
			return true
		}).ExpectNext(2).ThenCancel().Verify()
	})
	assert.Contains(t, got, "came while another signal was being delivered (§1.3)")
}

func TestStepVerifierBadArguments(t *testing.T) {
	v := func() *StepVerifier[int] { return NewStepVerifier(&fakeT{}, flux.Range(1, 2)) }
	for name, fn := range map[string]func(){
		"no publisher":  func() { NewStepVerifier[int](t, nil) },
		"no supplier":   func() { WithVirtualTime[int, flux.Flux[int]](t, nil) },
		"no element":    func() { v().ExpectNext() },
		"count":         func() { v().ExpectNextCount(-1) },
		"nothing named": func() { v().As("x") },
		"demand":        func() { InitialRequest(-1) },
		"context":       func() { InContext(noContext) },
		"clock":         func() { OnClock(nil) },
		"patience":      func() { Patience(0) },
		"limit":         func() { v().ExpectNext(1, 2).ExpectComplete().VerifyWithin(0) },
		"twice": func() {
			s := v().ExpectNext(1, 2).ExpectComplete()
			s.Verify()
			s.Verify()
		},
		"after the end": func() {
			s := v().ExpectNext(1, 2)
			s.VerifyComplete()
			s.ExpectNext(1)
		},
	} {
		assert.Panics(t, fn, name)
	}
}

func TestStepVerifierThatAsksForTooLittle(t *testing.T) {
	for want, script := range map[string]func(t testing.TB){
		"step 1 of 2 (expect next 1, 2, 3": func(t testing.TB) {
			NewStepVerifier(t, flux.Range(1, 3), InitialRequest(2)).ExpectNext(1, 2, 3).VerifyComplete()
		},
		"up to it the script expects 4 elements and requests 3": func(t testing.TB) {
			NewStepVerifier(t, flux.Range(1, 9), InitialRequest(1)).ExpectNext(1).ThenRequest(2).ExpectNextCount(2).
				ExpectNextMatches(func(int) bool { return true }).ThenCancel().Verify()
		},
		"orders: step 2 of 4": func(t testing.TB) {
			NewStepVerifier(t, flux.Range(1, 9), InitialRequest(1), Named("orders")).ConsumeNext(func(int) {}).ExpectNext(2).
				ThenRequest(9).ThenCancel().Verify()
		},
		"step 2 of 3 (consume while it matches": func(t testing.TB) {
			NewStepVerifier(t, flux.Range(1, 9), InitialRequest(1)).ExpectNext(1).ConsumeWhile(func(int) bool { return true }).ThenCancel().Verify()
		},
		"the script expects 9223372036854775807 elements and requests 5": func(t testing.TB) {
			NewStepVerifier(t, flux.Range(1, 9), InitialRequest(5)).ExpectNext(1).ExpectNextCount(reactor.Unbounded).ThenCancel().Verify()
		},
	} {
		assert.Contains(t, report(script), want)
	}
	NewStepVerifier(t, flux.Range(1, 3), InitialRequest(3)).ExpectNext(1, 2, 3).VerifyComplete()
	NewStepVerifier(t, flux.Range(1, 9), InitialRequest(1)).ExpectNext(1).ThenRequest(8).ExpectNextCount(8).VerifyComplete()
	assert.Contains(t, report(func(t testing.TB) {
		NewStepVerifier(t, flux.Range(1, 3), InitialRequest(2), AllowUnderRequest(), Patience(time.Millisecond)).ExpectNext(1, 2, 3).VerifyComplete()
	}), "nothing came within 1ms")
}

func TestVerifyLater(t *testing.T) {
	src := NewTestPublisher[int](t)
	first := NewStepVerifier(t, src).ExpectNext(1, 2).ExpectComplete().VerifyLater()
	second := NewStepVerifier(t, src).ExpectNext(1).ThenCancel().VerifyLater()
	src.AssertSubscribers(2)
	src.Next(1)
	src.AssertSubscribers(1)
	src.Next(2)
	src.Complete()
	first.Verify()
	second.Verify()
	assert.Panics(t, func() { first.Verify() })
	assert.Panics(t, func() { first.VerifyLater() })

	assert.Contains(t, report(func(t testing.TB) {
		src := NewTestPublisher[int](t)
		later := NewStepVerifier(t, src).ExpectNext(1).ExpectComplete().VerifyLater()
		src.Next(7)
		later.Verify()
	}), "expected onNext(1), but onNext(7) came")
	assert.Contains(t, report(func(t testing.TB) {
		NewStepVerifier(t, flux.Range(1, 1)).ExpectNext(1).ExpectComplete().VerifyLater()
	}), "was never verified")
}

func TestVerifyLaterOnItsOwnClock(t *testing.T) {
	hour := WithVirtualTime(t, func() mono.Mono[int64] { return mono.Delay(time.Hour) }).
		ThenAwait(time.Hour).ExpectNext(0).ExpectComplete().VerifyLater()
	assert.NotNil(t, InstalledVirtualTime())
	assert.Equal(t, time.Hour, hour.Verify())
	assert.Nil(t, InstalledVirtualTime())
}

func TestProbeSeesTheContext(t *testing.T) {
	type key struct{}
	probe := NewProbe(t, flux.Just(1))
	assert.Nil(t, probe.Context())
	NewStepVerifier(t, flux.From(probe).ContextWriteValue(key{}, "ada")).ExpectNext(1).VerifyComplete()
	probe.AssertContextValue(key{}, "ada")
	assert.Equal(t, "ada", probe.Context().Value(key{}))
	assert.Contains(t, report(func(t testing.TB) {
		probe := NewProbe(t, flux.Just(1))
		NewStepVerifier(t, probe).ExpectNext(1).VerifyComplete()
		probe.AssertContextValue(key{}, "ada")
	}), `expected "ada" for the key {} in the context of the subscriber, but there is <nil>`)
	assert.Contains(t, report(func(t testing.TB) { NewProbe(t, flux.Just(1)).AssertContextValue(key{}, 1) }), "was not subscribed")
}

// The script has ended with the stream, and the publisher has not.
func TestStepVerifierSeesWhatComesAfterTheEnd(t *testing.T) {
	for want, more := range map[string]func(s reactor.Subscriber[int]){
		"onNext(2) came after the end of the stream (§1.7)":     func(s reactor.Subscriber[int]) { s.OnNext(2) },
		"onComplete() came after the end of the stream (§1.7)":  func(s reactor.Subscriber[int]) { s.OnComplete() },
		"onError(boom) came after the end of the stream (§1.7)": func(s reactor.Subscriber[int]) { s.OnError(errBoom) },
	} {
		for _, failing := range []bool{false, true} {
			p := broken(func(_ context.Context, s reactor.Subscriber[int]) {
				s.OnSubscribe(hollow{})
				s.OnNext(1)
				if failing {
					s.OnError(errBoom)
				} else {
					s.OnComplete()
				}
				more(s)
			})
			assert.Contains(t, report(func(t testing.TB) {
				if v := NewStepVerifier(t, p).ExpectNext(1); failing {
					v.ExpectErrorIs(errBoom).Verify()
				} else {
					v.ExpectComplete().Verify()
				}
			}), want)
			assert.Empty(t, report(func(t testing.TB) {
				NewStepVerifier(t, p).ExpectNext(1).ThenCancel().Verify()
			}), "after a cancellation signals under way may come")
		}
	}
}

// A source that sends as long as it is asked, where it is subscribed to, keeps the goroutine of the test: nobody else can stop it
// when a step has failed.
func TestStepVerifierStopsWhatGoesOnBehindAFailure(t *testing.T) {
	for name, fail := range map[string]func(*StepVerifier[int]){
		"another element": func(v *StepVerifier[int]) { v.ExpectNext(2).ThenCancel().Verify() },
		"no end":          func(v *StepVerifier[int]) { v.ExpectNext(1).ExpectComplete().Verify() },
		"a panic":         func(v *StepVerifier[int]) { v.ConsumeNext(func(int) { panic("ouch") }).ThenCancel().Verify() },
	} {
		const endless = 100_000
		sent := 0
		src := flux.Range(1, endless).Map(func(int) int { sent++; return 1 })
		got := report(func(t testing.TB) { fail(NewStepVerifier(t, src)) })
		assert.Contains(t, got, "later ones", name)
		assert.Less(t, sent, endless, name)
	}
}

// The limit holds wherever the goroutine of the test is.
func TestStepVerifierWithinALimit(t *testing.T) {
	for name, c := range map[string]struct {
		fn   func(t testing.TB)
		step string
	}{
		"in Subscribe": {func(t testing.TB) {
			slow := flux.Just(1).DoOnNext(func(int) { time.Sleep(time.Hour) })
			NewStepVerifier(t, slow).ExpectNext(1).ExpectComplete().VerifyWithin(time.Minute)
		}, "step 1 of 2 (expect next 1)"},
		"in Subscribe, for ever": {func(t testing.TB) {
			blocked := mono.FromFunc(func(ctx context.Context) (int, error) {
				<-ctx.Done()
				return 0, ctx.Err()
			})
			NewStepVerifier(t, blocked).ExpectNext(1).ExpectComplete().VerifyWithin(time.Minute)
		}, "step 1 of 2 (expect next 1)"},
		"in a step": {func(t testing.TB) {
			NewStepVerifier(t, flux.Never[int]()).ThenAwait(time.Hour).ThenCancel().VerifyWithin(time.Minute)
		}, "step 1 of 2 (then await 1h0m0s)"},
		"in a step, begun before": {func(t testing.TB) {
			NewStepVerifier(t, flux.Never[int]()).ThenAwait(time.Hour).ThenCancel().VerifyLater().VerifyWithin(time.Minute)
		}, "step 1 of 2 (then await 1h0m0s)"},
		"waiting": {func(t testing.TB) {
			NewStepVerifier(t, flux.Never[int]()).ExpectComplete().VerifyWithin(time.Minute)
		}, "step 1 of 1 (expect completion)"},
	} {
		t.Run(name, func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				assert.Contains(t, report(c.fn), c.step+" failed: the script had not ended within 1m0s")
			})
		})
	}
	Bubble(t, func(t *testing.T) {
		assert.Equal(t, time.Hour, NewStepVerifier(t, flux.Just(int64(1)).DelayElements(time.Hour)).ExpectNext(1).ExpectComplete().VerifyWithin(2*time.Hour))
	})
}

// What is asserted of no element can't fail.
func TestAssertionsOfNothingPanic(t *testing.T) {
	a := NewStepVerifier(t, flux.Just(1)).ExpectNext(1).ExpectComplete().VerifyThenAssert()
	sub := Subscribe(t, flux.Just(1))
	for want, fn := range map[string]func(){
		"reactortest: HasDiscarded: say at least one element":  func() { a.HasDiscarded() },
		"reactortest: HasDropped: say at least one element":    func() { a.HasDropped() },
		"reactortest: ExpectNextCount: the number is negative": func() { sub.ExpectNextCount(-1) },
	} {
		assert.PanicsWithValue(t, want, fn)
	}
	sub.ExpectNext(1)
	sub.ExpectComplete()
}

// As many signals as may wait for the script, and the end behind them.
func TestScriptThatWaitsForMany(t *testing.T) {
	WithVirtualTime(t, func() flux.Flux[int64] { return flux.Interval(time.Second).Take(100_000) }).
		ThenAwait(48 * time.Hour).
		ExpectNextCount(100_000).
		VerifyComplete()
}

func TestStepsOfNothingPanic(t *testing.T) {
	v := NewStepVerifier(t, flux.Just(1))
	for want, fn := range map[string]func(){
		"reactortest: Then: the function is nil":               func() { v.Then(nil) },
		"reactortest: ThenAwait: the duration is negative":     func() { v.ThenAwait(-1) },
		"reactortest: ExpectNoEvent: the duration is negative": func() { v.ExpectNoEvent(-1) },
	} {
		assert.PanicsWithValue(t, want, fn)
	}
	v.ExpectNext(1).VerifyComplete()
}
