package reactortest

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/schedulers"
	"github.com/stretchr/testify/assert"
)

type (
	tenantKey struct{}
	userKey   struct{}
)

func TestContextThatReachesTheSource(t *testing.T) {
	within := context.WithValue(t.Context(), tenantKey{}, "acme")
	called := 0
	NewStepVerifier(t, flux.Just(1, 2).ContextWriteValue(userKey{}, 7).Map(func(n int) int { return n }).ContextWriteValue(userKey{}, 3), InContext(within)).
		ExpectContextKey(tenantKey{}).
		ExpectContextValue(tenantKey{}, "acme").
		ExpectContextValue(userKey{}, 7).
		ExpectNext(1).
		ExpectContextMatches(func(ctx context.Context) bool { return ctx.Value(userKey{}) == 7 }).
		ConsumeContext(func(context.Context) { called++ }).
		ExpectNext(2).
		VerifyComplete()
	assert.Equal(t, 1, called)
	NewStepVerifier(t, flux.Just(1)).ExpectContextValue(userKey{}, nil).ExpectNext(1).VerifyComplete()
}

func TestContextThatIsNotAsExpected(t *testing.T) {
	src := flux.Just(1, 2).ContextWriteValue(userKey{}, 7)
	for want, script := range map[string]func(t testing.TB){
		"step 1 of 3 (expect the key {} in the context) failed: expected a value for the key {} in the context, but there is none": func(t testing.TB) {
			NewStepVerifier(t, src).ExpectContextKey(tenantKey{}).ExpectNext(1).ThenCancel().Verify()
		},
		"step 2 of 3 (expect 8 for the key {} in the context) failed: expected 8 for the key {} in the context, but there is 7": func(t testing.TB) {
			NewStepVerifier(t, src).ExpectNext(1).ExpectContextValue(userKey{}, 8).ThenCancel().Verify()
		},
		"failed: the context does not match: ": func(t testing.TB) {
			NewStepVerifier(t, src).ExpectContextMatches(func(context.Context) bool { return false }).ThenCancel().Verify()
		},
		"the function of the step ended its goroutine": func(t testing.TB) {
			NewStepVerifier(t, src).ConsumeContext(func(context.Context) { t.FailNow() }).ThenCancel().Verify()
		},
	} {
		assert.Contains(t, report(script), want)
	}
}

// Where the subscription goes on on another worker, the first steps see what there was when OnSubscribe came, however
// far that worker has got; after an element it is what the source sees.
func TestContextAcrossWorkers(t *testing.T) {
	for range 100 {
		NewStepVerifier(t, flux.Just(1).ContextWriteValue(userKey{}, "source").
			SubscribeOn(schedulers.Parallel()).ContextWriteValue(userKey{}, "below")).
			ExpectContextValue(userKey{}, "below").
			ExpectNext(1).
			ExpectContextValue(userKey{}, "source").
			VerifyComplete()
	}
}

func TestContextWaitsForTheSubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var down reactor.Subscriber[int]
		var looked context.Context
		later := NewStepVerifier(t, broken(func(_ context.Context, s reactor.Subscriber[int]) { down = s })).
			ConsumeContext(func(ctx context.Context) { looked = ctx }).
			ExpectNext(1).
			ExpectComplete().
			VerifyLater()
		time.AfterFunc(time.Second, func() {
			down.OnSubscribe(hollow{})
			down.OnNext(1)
			down.OnComplete()
		})
		assert.Equal(t, time.Second, later.Verify())
		assert.NotNil(t, looked)
	})
}
