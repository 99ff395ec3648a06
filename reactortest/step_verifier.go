package reactortest

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"testing"
	"time"

	"github.com/goreactor/reactor"
)

// StepVerifier is the script of what a publisher is expected to do, step by step:
//
//	reactortest.NewStepVerifier(t, flux.Range(1, 3)).
//		ExpectNext(1, 2, 3).
//		ExpectComplete().
//		Verify()
//
// Nothing happens before Verify, which subscribes and plays the script: an Expect step
// waits for the next signal and compares it, a step that acts does so when all steps
// before it are done. The first step that fails ends the test, with the script, a mark
// on that step, and the signals that came, with their times. A script that is never
// verified fails the test as well.
//
// It asks for everything unless [InitialRequest] says otherwise. A script that expects more
// elements than it requests fails before it begins, because it would wait for ever (see
// [AllowUnderRequest]). Functions given to Expect… and Consume… steps run on the goroutine of
// the signal, those of [StepVerifier.Then] on that of the test. Besides the script it checks
// the rules of the protocol: no more elements than requested, one signal at a time, no failure
// without an error, nothing after the end.
//
// Time passes as the test has chosen: on a [VirtualTime] that is installed or given by
// [OnClock], in a bubble ([Bubble] or testing/synctest), or on the wall clock.
type StepVerifier[T any] struct {
	t      testing.TB
	config config
	supply func() reactor.Publisher[T]
	own    bool // installs a clock for the time of the verification
	where  string
	steps  []*step[T]
	played bool
}

// NewStepVerifier begins the script for src.
func NewStepVerifier[T any](t testing.TB, src reactor.Publisher[T], opts ...Option) *StepVerifier[T] {
	if src == nil {
		panic("reactortest: NewStepVerifier: the publisher is nil")
	}
	return newStepVerifier(t, func() reactor.Publisher[T] { return src }, false, newConfig("NewStepVerifier", opts, "Tick"))
}

// WithVirtualTime begins the script for the publisher that supply returns, and verifies it with
// a virtual clock in the place of all schedulers (see [InstallVirtualTime]), unless one is
// installed already. Scripts that overlap, see [Verification.VerifyLater], share the clock
// until the last of them has ended. supply is called when the clock is in place, so that
// operators use it:
//
//	reactortest.WithVirtualTime(t, func() flux.Flux[int64] { return flux.Interval(time.Hour) }).
//		ExpectNoEvent(time.Hour).
//		ExpectNext(0).
//		ThenAwait(2 * time.Hour).
//		ExpectNext(1, 2).
//		ThenCancel().
//		Verify()
//
// Tests that run in parallel would see the clock too; see [OnClock] for them.
func WithVirtualTime[T any, P reactor.Publisher[T]](t testing.TB, supply func() P, opts ...Option) *StepVerifier[T] {
	if supply == nil {
		panic("reactortest: WithVirtualTime: the supplier is nil")
	}
	return newStepVerifier(t, func() reactor.Publisher[T] { return supply() }, true, newConfig("WithVirtualTime", opts, "Tick", "OnClock"))
}

func newStepVerifier[T any](t testing.TB, supply func() reactor.Publisher[T], own bool, c config) *StepVerifier[T] {
	v := &StepVerifier[T]{t: t, config: c, supply: supply, own: own, where: caller()}
	t.Cleanup(func() {
		if !v.played && !t.Failed() && !t.Skipped() {
			t.Errorf("reactortest: the script of %s was never verified: call Verify at its end", v.where)
		}
	})
	return v
}

func (v *StepVerifier[T]) add(s *step[T]) *StepVerifier[T] {
	if v.played {
		panic("reactortest: StepVerifier: the script has been verified; it can't go on")
	}
	s.where = caller()
	v.steps = append(v.steps, s)
	return v
}

// As names the step before, for the report.
func (v *StepVerifier[T]) As(name string) *StepVerifier[T] {
	if len(v.steps) == 0 {
		panic("reactortest: As: there is no step to name")
	}
	v.steps[len(v.steps)-1].name = name
	return v
}

// ExpectSubscription expects the subscription. Without this step the script accepts the
// subscription whenever it comes.
func (v *StepVerifier[T]) ExpectSubscription() *StepVerifier[T] {
	return v.add(&step[T]{what: "expect subscription", subscription: true, match: func(s signal[T]) verdict {
		if s.kind == reactor.KindSubscribe {
			return done
		}
		return refuse("expected onSubscribe()")
	}})
}

// ExpectNext expects these elements, one after the other. They are compared by
// reflect.DeepEqual.
func (v *StepVerifier[T]) ExpectNext(items ...T) *StepVerifier[T] {
	sayOne("ExpectNext", items)
	return v.add(&step[T]{what: "expect next " + list(v.config.format, items), needs: int64(len(items)), match: inOrder(v.config.format, items)})
}

// inOrder returns the function of a step that expects the items.
func inOrder[T any](format formatter, items []T) func(signal[T]) verdict {
	seen := 0
	return func(s signal[T]) verdict {
		want := items[seen]
		if s.kind != reactor.KindNext || !reflect.DeepEqual(s.value, want) {
			return refuse("expected onNext(" + format.show(want) + ")" + beside(format, want, s))
		}
		if seen++; seen == len(items) {
			return done
		}
		return more
	}
}

// ExpectNextSequence expects the elements of seq, one after the other.
func (v *StepVerifier[T]) ExpectNextSequence(seq iter.Seq[T]) *StepVerifier[T] {
	var items []T
	for item := range seq {
		items = append(items, item)
	}
	if len(items) == 0 {
		return v
	}
	return v.add(&step[T]{
		what: fmt.Sprintf("expect a sequence of %d: %s", len(items), list(v.config.format, items)), needs: int64(len(items)), match: inOrder(v.config.format, items),
	})
}

// ExpectNextCount expects n elements, whichever they are.
func (v *StepVerifier[T]) ExpectNextCount(n int64) *StepVerifier[T] {
	if n < 0 {
		panic("reactortest: ExpectNextCount: the number is negative")
	}
	if n == 0 {
		return v
	}
	var seen int64
	return v.add(&step[T]{what: fmt.Sprintf("expect %d elements", n), needs: n, match: func(s signal[T]) verdict {
		if s.kind != reactor.KindNext {
			return refuse(fmt.Sprintf("expected %d elements and has seen %d", n, seen))
		}
		if seen++; seen == n {
			return done
		}
		return more
	}})
}

// ExpectNextMatches expects an element for which ok reports true.
func (v *StepVerifier[T]) ExpectNextMatches(ok func(T) bool) *StepVerifier[T] {
	return v.add(&step[T]{what: "expect next that matches", needs: 1, match: func(s signal[T]) verdict {
		if s.kind == reactor.KindNext && ok(s.value) {
			return done
		}
		return refuse("expected an onNext that matches")
	}})
}

// ConsumeNext expects an element and gives it to check, which may fail the test.
func (v *StepVerifier[T]) ConsumeNext(check func(T)) *StepVerifier[T] {
	return v.add(&step[T]{what: "consume next", needs: 1, match: func(s signal[T]) verdict {
		if s.kind != reactor.KindNext {
			return refuse("expected an element to consume")
		}
		check(s.value)
		return done
	}})
}

// ConsumeWhile takes elements as long as ok reports true; the first other signal is for the
// next step. If the next signal is not such an element, the step is done without taking any.
// Where demand is counted (see [AllowUnderRequest]), the step counts as one element.
func (v *StepVerifier[T]) ConsumeWhile(ok func(T) bool) *StepVerifier[T] {
	return v.add(&step[T]{what: "consume while it matches", needs: 1, match: func(s signal[T]) verdict {
		if s.kind == reactor.KindNext && ok(s.value) {
			return more
		}
		return pass
	}})
}

// Record keeps the elements from here on, for [StepVerifier.ExpectRecorded] and its
// like. What was kept before is forgotten.
func (v *StepVerifier[T]) Record() *StepVerifier[T] {
	return v.add(&step[T]{what: "record elements", inline: func(r *run[T]) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.recording, r.recorded = true, nil
	}})
}

// ExpectRecorded expects that exactly these elements were taken by the steps since
// [StepVerifier.Record].
func (v *StepVerifier[T]) ExpectRecorded(items ...T) *StepVerifier[T] {
	return v.add(&step[T]{what: "expect recorded " + list(v.config.format, items), do: func(r *run[T]) string {
		if got := r.tape(); len(got)+len(items) > 0 && !reflect.DeepEqual(got, items) {
			return "expected " + list(v.config.format, items) + " on record, but there is " + list(v.config.format, got) + apart(v.config.format, items, got)
		}
		return ""
	}})
}

// ExpectRecordedMatches expects that ok reports true for the elements taken since
// [StepVerifier.Record].
func (v *StepVerifier[T]) ExpectRecordedMatches(ok func([]T) bool) *StepVerifier[T] {
	return v.add(&step[T]{what: "expect a record that matches", do: func(r *run[T]) string {
		if got := r.tape(); !ok(got) {
			return "what is on record does not match: " + list(v.config.format, got)
		}
		return ""
	}})
}

// ConsumeRecorded gives the elements taken since [StepVerifier.Record] to check, which
// may fail the test.
func (v *StepVerifier[T]) ConsumeRecorded(check func([]T)) *StepVerifier[T] {
	return v.add(&step[T]{what: "consume the record", do: func(r *run[T]) string {
		check(r.tape())
		return ""
	}})
}

// ThenRequest requests n more elements, as soon as there is a subscription. An n ≤ 0 is passed
// on too, so that you can see the publisher refuse it.
func (v *StepVerifier[T]) ThenRequest(n int64) *StepVerifier[T] {
	return v.add(&step[T]{what: "then request " + demandString(n), subscribed: true, asks: max(n, 0), inline: func(r *run[T]) { r.request(n) }})
}

// Then calls fn on the goroutine of the test when all steps before are done.
func (v *StepVerifier[T]) Then(fn func()) *StepVerifier[T] {
	if fn == nil {
		panic("reactortest: Then: the function is nil")
	}
	return v.add(&step[T]{what: "then call", do: func(*run[T]) string {
		fn()
		return ""
	}})
}

// ThenAwait lets d pass when all steps before are done, and lets everything happen that is due
// in that time. The signals of that time are for the next steps. If more than 100,000 of them
// wait, the test fails; [InitialRequest] can limit them. On the wall clock the test fails at
// once if it has less time left than d.
func (v *StepVerifier[T]) ThenAwait(d time.Duration) *StepVerifier[T] {
	if d < 0 {
		panic("reactortest: ThenAwait: the duration is negative")
	}
	return v.add(&step[T]{what: "then await " + d.String(), do: func(r *run[T]) string {
		if wrong := r.pace.tooLong(d, v.t); wrong != "" {
			return wrong
		}
		r.pace.pass(d)
		return ""
	}})
}

// ExpectNoEvent lets d pass and expects that nothing comes before its end. What comes at its end
// is for the next step. The subscription is no event. For d see [StepVerifier.ThenAwait].
func (v *StepVerifier[T]) ExpectNoEvent(d time.Duration) *StepVerifier[T] {
	if d < 0 {
		panic("reactortest: ExpectNoEvent: the duration is negative")
	}
	return v.add(&step[T]{what: "expect no event for " + d.String(), do: func(r *run[T]) string {
		if wrong := r.pace.tooLong(d, v.t); wrong != "" {
			return wrong
		}
		return r.quiet(d)
	}})
}

// ExpectComplete expects completion and ends the script.
func (v *StepVerifier[T]) ExpectComplete() *Verification {
	return v.end(&step[T]{what: "expect completion", match: func(s signal[T]) verdict {
		if s.kind == reactor.KindComplete {
			return done
		}
		return refuse("expected onComplete()")
	}})
}

// ExpectError expects a failure, whichever it is, and ends the script.
func (v *StepVerifier[T]) ExpectError() *Verification {
	return v.failure("expect an error", "expected an onError", func(error) bool { return true })
}

// ExpectErrorIs expects a failure that matches target with errors.Is, and ends the
// script.
func (v *StepVerifier[T]) ExpectErrorIs(target error) *Verification {
	if target == nil {
		panic("reactortest: ExpectErrorIs: the error is nil")
	}
	return v.failure(fmt.Sprintf("expect an error that is %q", target), fmt.Sprintf("expected an onError that is %q", target),
		func(err error) bool { return errors.Is(err, target) })
}

// ExpectErrorAs expects a failure that is an E, as errors.As finds it, for which each
// check reports true, and ends the script. E need not be named if there is a check:
//
//	ExpectErrorAs(func(e *reactor.OpError) bool { return e.Op == "elementAt" })
func (v *StepVerifier[T]) ExpectErrorAs[E error](checks ...func(E) bool) *Verification {
	typ := reflect.TypeFor[E]()
	return v.failure(fmt.Sprintf("expect an error as %v", typ), fmt.Sprintf("expected an onError with a %v that matches", typ),
		func(err error) bool {
			e, ok := errors.AsType[E](err)
			for _, check := range checks {
				ok = ok && check(e)
			}
			return ok
		})
}

// ExpectErrorMessage expects a failure with this text and ends the script.
func (v *StepVerifier[T]) ExpectErrorMessage(text string) *Verification {
	return v.failure(fmt.Sprintf("expect error %q", text), fmt.Sprintf("expected onError(%s)", text),
		func(err error) bool { return err.Error() == text })
}

// ExpectErrorMatches expects a failure for which ok reports true and ends the script.
func (v *StepVerifier[T]) ExpectErrorMatches(ok func(error) bool) *Verification {
	return v.failure("expect an error that matches", "expected an onError that matches", ok)
}

// ConsumeError expects a failure, gives it to check, which may fail the test, and ends
// the script.
func (v *StepVerifier[T]) ConsumeError(check func(error)) *Verification {
	return v.failure("consume the error", "expected an onError to consume", func(err error) bool {
		check(err)
		return true
	})
}

func (v *StepVerifier[T]) failure(what, expected string, ok func(error) bool) *Verification {
	return v.end(&step[T]{what: what, match: func(s signal[T]) verdict {
		if s.kind == reactor.KindError && ok(s.err) {
			return done
		}
		return refuse(expected)
	}})
}

// ExpectTimeout lets d pass, expects that nothing comes before its end, cancels, and
// ends the script.
func (v *StepVerifier[T]) ExpectTimeout(d time.Duration) *Verification {
	return v.end(&step[T]{what: "expect no signal within " + d.String(), do: func(r *run[T]) string {
		return r.quiet(d)
	}})
}

// ThenCancel cancels when all steps before are done, right after the signal that the last of
// them took, and ends the script. Signals that come after that are ignored.
func (v *StepVerifier[T]) ThenCancel() *Verification {
	return v.end(&step[T]{what: "then cancel", inline: func(r *run[T]) { r.cancel() }})
}

// asksTooLittle returns what is wrong with a script that expects more elements than it requests, "" if
// it does not.
func (v *StepVerifier[T]) asksTooLittle() string {
	if v.config.lenient {
		return ""
	}
	asked, needed := v.config.demand, int64(0)
	for i, s := range v.steps {
		asked = sum(asked, s.asks)
		if needed = sum(needed, s.needs); needed > asked {
			return fmt.Sprintf("step %d of %d (%s, %s) can't be done: up to it the script expects %d elements and requests %d; "+
				"request more with ThenRequest or InitialRequest", i+1, len(v.steps), s.title(), s.where, needed, asked)
		}
	}
	return ""
}

func (v *StepVerifier[T]) end(last *step[T]) *Verification {
	v.add(last)
	var started *playing[T]
	start := func() {
		v.t.Helper()
		if v.played {
			panic("reactortest: Verify: the script has been verified before")
		}
		if started == nil {
			started = begin(v, 0)
			v.t.Cleanup(func() {
				started.clean()
				if !v.played {
					started.run.cancel()
				}
			})
		}
	}
	return &Verification{t: v.t, start: start, play: func(limit time.Duration) *Aftermath {
		v.t.Helper()
		if v.played {
			panic("reactortest: Verify: the script has been verified before")
		}
		v.played = true
		if started == nil {
			started = begin(v, limit)
		} else {
			started.bound(limit)
		}
		return started.finish()
	}}
}

// Verification is a script that is complete and waits to be played.
type Verification struct {
	t     testing.TB
	start func()
	play  func(limit time.Duration) *Aftermath
}

// VerifyLater subscribes at once and takes the signals that come; Verify, which must follow,
// plays the rest of the script and waits for its end. It is for several publishers at the same
// time, and for tests that do something in between:
//
//	slow := reactortest.NewStepVerifier(t, results).ExpectNext("a").ExpectComplete().VerifyLater()
//	sink.TryEmitNext("a")
//	sink.TryEmitComplete()
//	slow.Verify()
//
// Steps that act on the goroutine of the test, such as [StepVerifier.Then], wait for Verify.
func (v *Verification) VerifyLater() *Verification {
	v.t.Helper()
	v.start()
	return v
}

// Verify subscribes, plays the script, and fails the test at once if a step fails. It
// returns the time that passed, on the clock of the test.
func (v *Verification) Verify() time.Duration {
	v.t.Helper()
	return v.play(0).took
}

// VerifyWithin is Verify with a time limit for the whole script, on the wall clock or the clock
// of the bubble. When limit is over, the script has failed and the publisher is cancelled;
// VerifyWithin still waits for a function that is running.
func (v *Verification) VerifyWithin(limit time.Duration) time.Duration {
	v.t.Helper()
	if limit <= 0 {
		panic("reactortest: VerifyWithin: " + limit.String() + " is not positive")
	}
	return v.play(limit).took
}

// VerifyThenAssert is Verify, but returns what became of the elements and errors that
// did not reach the subscriber.
func (v *Verification) VerifyThenAssert() *Aftermath {
	v.t.Helper()
	return v.play(0)
}
