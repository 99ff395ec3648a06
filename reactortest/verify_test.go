package reactortest

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
)

// TestVerifyInOne plays each script twice: what it expects comes, and something else comes.
func TestVerifyInOne(t *testing.T) {
	failed := flux.Error[int](reactor.Failure("x", errBoom, "detail"))
	silent := flux.Never[int]()
	for name, c := range map[string]struct {
		good, bad flux.Flux[int]
		verify    func(*StepVerifier[int]) time.Duration
		refused   string
	}{
		"complete": {flux.Empty[int](), failed, (*StepVerifier[int]).VerifyComplete, "expected onComplete()"},
		"error":    {failed, flux.Empty[int](), (*StepVerifier[int]).VerifyError, "expected an onError"},
		"is": {failed, flux.Error[int](errEOF), func(v *StepVerifier[int]) time.Duration { return v.VerifyErrorIs(errBoom) },
			`expected an onError that is "boom"`},
		"as": {failed, flux.Error[int](errEOF), func(v *StepVerifier[int]) time.Duration { return v.VerifyErrorAs[*reactor.OpError]() },
			"expected an onError with a *reactor.OpError that matches"},
		"as, with a check": {failed, flux.Error[int](reactor.Failure("y", errBoom, "detail")), func(v *StepVerifier[int]) time.Duration {
			return v.VerifyErrorAs(func(e *reactor.OpError) bool { return e.Op == "x" })
		}, "expected an onError with a *reactor.OpError that matches"},
		"message": {failed, flux.Error[int](errBoom), func(v *StepVerifier[int]) time.Duration {
			return v.VerifyErrorMessage("reactor: x: boom: detail")
		}, "expected onError(reactor: x: boom: detail)"},
		"matches": {failed, flux.Error[int](errBoom), func(v *StepVerifier[int]) time.Duration {
			return v.VerifyErrorMatches(func(err error) bool { return strings.HasSuffix(err.Error(), "detail") })
		}, "expected an onError that matches"},
		"timeout": {silent, failed, func(v *StepVerifier[int]) time.Duration { return v.VerifyTimeout(time.Millisecond) }, "expected nothing for 1ms"},
	} {
		t.Run(name, func(t *testing.T) {
			c.verify(NewStepVerifier(t, c.good))
			got := report(func(t testing.TB) { c.verify(NewStepVerifier(t, c.bad)) })
			assert.Contains(t, got, c.refused)
			assert.Contains(t, got, "verify_test.go:", "the step is where the test has it")
		})
	}
}

// TestReportOfAPanicShowsTheFunctionOfTheStep counts frames: those of the publisher, and of the kit below the
// step, are none of it. A panic in a panic has the frames of both.
func TestReportOfAPanicShowsTheFunctionOfTheStep(t *testing.T) {
	deep := func() { panic("ouch") }
	for name, fn := range map[string]func(int) bool{
		"plain": func(int) bool { deep(); return true },
		"by a deferred function": func(int) bool {
			defer deep()
			panic("first")
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := report(func(t testing.TB) { NewStepVerifier(t, flux.Range(1, 2)).ExpectNextMatches(fn).VerifyComplete() })
			stack, _, _ := strings.Cut(got, "the script\n")
			assert.Contains(t, stack, "TestReportOfAPanicShowsTheFunctionOfTheStep.func1")
			assert.Contains(t, stack, "verify_test.go:")
			assert.NotContains(t, stack, "rangePublisher")
			assert.NotContains(t, stack, "debug.Stack")
			assert.LessOrEqual(t, strings.Count(stack, "\n"), 14)
			if t.Failed() || testing.Verbose() {
				t.Log(got)
			}
		})
	}
}
