package reactortest

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
)

// endless sends nothing, and calls a function when it is cancelled.
type endless struct{ cancelled func() }

func (p endless) Subscribe(_ context.Context, s reactor.Subscriber[int]) { s.OnSubscribe(p) }
func (endless) Request(int64)                                            {}
func (p endless) Cancel()                                                { p.cancelled() }

// A time limit that is over ends the script, whatever the publisher makes of the cancellation that follows.
func TestVerifyWithinBehindACancelThatDoesNotReturn(t *testing.T) {
	for name, cancelled := range map[string]func(){
		"a Goexit": runtime.Goexit,
		"a panic":  func() { panic("not today") },
	} {
		t.Run(name, func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				text := report(func(t testing.TB) {
					NewStepVerifier(t, endless{cancelled}).ExpectNext(1).ThenCancel().VerifyWithin(time.Second)
				})
				assert.Contains(t, text, "the script had not ended within 1s")
				assert.Equal(t, strings.HasSuffix(name, "panic"), strings.Contains(text, "not today"), text)
			})
		})
	}
}

// Who ends the test in a step leaves no subscription behind, whose context may live longer than the test.
func TestStepThatEndsTheTestCancels(t *testing.T) {
	for name, script := range map[string]func(*StepVerifier[int], testing.TB) *Verification{
		"then": func(v *StepVerifier[int], t testing.TB) *Verification { return v.Then(t.FailNow).ThenCancel() },
		"consumes": func(v *StepVerifier[int], t testing.TB) *Verification {
			return v.ConsumeNext(func(int) { t.FailNow() }).ThenCancel()
		},
	} {
		t.Run(name, func(t *testing.T) {
			var cancels atomic.Int32
			src := broken(func(_ context.Context, s reactor.Subscriber[int]) {
				s.OnSubscribe(endless{func() { cancels.Add(1) }})
				s.OnNext(1)
			})
			text := report(func(t testing.TB) {
				script(NewStepVerifier(t, src, InContext(context.Background())), t).Verify()
			})
			require.Contains(t, text, "ended its goroutine")
			assert.EqualValues(t, 1, cancels.Load())
		})
	}
}
