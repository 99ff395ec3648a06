package operators_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

// brokenCall is what a function panics with: which call of it that is.
type brokenCall int

func (n brokenCall) Error() string { return fmt.Sprintf("call %d failed", int(n)) }

// replacement is what the hook makes of that.
type replacement int

func (n replacement) Error() string { return fmt.Sprintf("call %d, replaced", int(n)) }

// leavesOf returns the errors that err consists of, at the ends of the tree.
func leavesOf(err error) []error {
	switch e := err.(type) {
	case nil:
		return nil
	case *reactor.PanicError:
		return leavesOf(e.Value.(error))
	case interface{ Unwrap() []error }:
		var list []error
		for _, part := range e.Unwrap() {
			list = append(list, leavesOf(part)...)
		}
		return list
	case interface{ Unwrap() error }:
		return leavesOf(e.Unwrap())
	}
	return []error{err}
}

// hookBooks count, for each failed call, what was told of it.
type hookBooks struct {
	mu               sync.Mutex
	calls            int         // guarded by mu, as are the others
	asked, raw, told map[int]int // by call: the hook; what was told as it was; what was told as the hook had returned it
}

func (b *hookBooks) die() {
	b.mu.Lock()
	n := b.calls
	b.calls++
	b.mu.Unlock()
	panic(brokenCall(n))
}

func (b *hookBooks) heard(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, leaf := range leavesOf(err) {
		switch leaf := leaf.(type) {
		case brokenCall:
			b.raw[int(leaf)]++
		case replacement:
			b.told[int(leaf)]++
		}
	}
}

func (b *hookBooks) replace(_ ctx, err error, _ any) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, leaf := range leavesOf(err) {
		if n, ok := leaf.(brokenCall); ok {
			b.asked[int(n)]++
			return replacement(n)
		}
	}
	return nil
}

// hookless are the functions whose failure is reported as dropped, as it is: the stream is over, or goes on without them.
var hookless = []string{
	"DistinctIn cleanup", "Generate cleanup", "Create OnDispose", "MonoCacheInvalidateWhen invalidated", "OnBackpressureBufferTimeout",
	"OnSubscribe", "OnError", "OnComplete", "BaseSubscriber", // of a subscriber
	"a foreign publisher", "SubscribeOn a foreign publisher", // it is no operator
}

// untold are rows whose subscriber keeps to itself what it is told.
var untold = []string{"MergePriority", "OnBackpressureBufferFunc", "OnBackpressureDropFunc"}

// The failure of a function goes through the hook for errors of operators, once, and what the hook returns is told in its place.
func TestFailuresGoThroughTheHook(t *testing.T) {
	t.Cleanup(schedulers.ShutdownNow) // with the timers of stages that were still at work
	for _, row := range namedRows() {
		if row.use == nil {
			continue
		}
		t.Run(row.fn, func(t *testing.T) {
			calls := 0
			for name, src := range sources {
				b := &hookBooks{asked: map[int]int{}, raw: map[int]int{}, told: map[int]int{}}
				ctx := reactor.WithHooks(context.Background(), reactor.Hooks{
					NextDropped:   func(ctx, any) {},
					ErrorDropped:  func(_ ctx, err error) { b.heard(err) },
					OperatorError: b.replace,
				})
				b.heard(subscribeAny(ctx, row.use(src(), b.die), b.heard))
				b.mu.Lock()
				calls += b.calls
				for n := range b.calls {
					replaced, told := 1, 1
					if slices.Contains(hookless, row.fn) {
						replaced = 0
					}
					if slices.Contains(untold, row.fn) {
						told = 0
					}
					assert.Equal(t, replaced, b.asked[n], "%s: the hook, of call %d", name, n)
					assert.Equal(t, told*replaced, b.told[n], "%s: what the hook returns, of call %d", name, n)
					assert.Equal(t, 1-replaced, b.raw[n], "%s: as it was, of call %d", name, n)
				}
				b.mu.Unlock()
			}
			assert.NotZero(t, calls)
		})
	}
}
