package reactortest

import (
	"context"
	"fmt"
	"reflect"
)

// ExpectContextKey expects that key has a value in the context that reaches the source: the
// context of the verifier (see [InContext]), changed by each ContextWrite on the way. The step
// waits for the subscription.
//
// Before the first step that takes a signal, the step looks at the context as it was when
// OnSubscribe came; with a SubscribeOn in the pipeline, that is the context that reached
// SubscribeOn. Later in the script the step looks at the context that the latest ContextWrite
// has made; if streams are subscribed for single elements, that ContextWrite may belong to one
// of them. To look at the context at one place, whatever has changed it, use a
// [PublisherProbe].
func (v *StepVerifier[T]) ExpectContextKey(key any) *StepVerifier[T] {
	return v.ofContext(fmt.Sprintf("expect the key %v in the context", key), func(ctx context.Context) string {
		if ctx.Value(key) == nil {
			return fmt.Sprintf("expected a value for the key %v in the context, but there is none", key)
		}
		return ""
	})
}

// ExpectContextValue expects that key has this value in the context that reaches the source, as
// [StepVerifier.ExpectContextKey] does. Values are compared by reflect.DeepEqual.
func (v *StepVerifier[T]) ExpectContextValue(key, want any) *StepVerifier[T] {
	format := v.config.format
	return v.ofContext(fmt.Sprintf("expect %s for the key %v in the context", format.show(want), key), func(ctx context.Context) string {
		if got := ctx.Value(key); !reflect.DeepEqual(got, want) {
			return fmt.Sprintf("expected %s for the key %v in the context, but there is %s", format.show(want), key, format.show(got))
		}
		return ""
	})
}

// ExpectContextMatches expects that ok reports true for the context that reaches the source, as
// [StepVerifier.ExpectContextKey] does. ok runs on the goroutine of the test.
func (v *StepVerifier[T]) ExpectContextMatches(ok func(context.Context) bool) *StepVerifier[T] {
	return v.ofContext("expect a context that matches", func(ctx context.Context) string {
		if !ok(ctx) {
			return fmt.Sprintf("the context does not match: %v", ctx)
		}
		return ""
	})
}

// ConsumeContext gives the context that reaches the source (see [StepVerifier.ExpectContextKey]) to check, which
// may fail the test. check runs on the goroutine of the test.
func (v *StepVerifier[T]) ConsumeContext(check func(context.Context)) *StepVerifier[T] {
	return v.ofContext("consume the context", func(ctx context.Context) string {
		check(ctx)
		return ""
	})
}

// ofContext adds a step that looks at the context.
func (v *StepVerifier[T]) ofContext(what string, check func(context.Context) string) *StepVerifier[T] {
	early := true // no step before takes a signal of the source
	for _, s := range v.steps {
		early = early && (s.match == nil || s.subscription)
	}
	return v.add(&step[T]{what: what, subscribed: true, do: func(r *run[T]) string {
		r.mu.Lock()
		ctx := r.written
		if early {
			ctx = r.first
		}
		r.mu.Unlock()
		return check(ctx)
	}})
}
