package reactortest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Aftermath is what can be asserted after a verification: elements that were discarded or
// came too late, errors that could be reported to nobody, errors of functions in operators.
// An assertion that fails ends the test.
type Aftermath struct {
	t      testing.TB
	format formatter     // constant
	took   time.Duration // constant after the play

	mu             sync.Mutex
	dropped        []any   // guarded by mu
	discarded      []any   // guarded by mu
	droppedErrors  []error // guarded by mu
	operatorErrors []error // guarded by mu
}

func newAftermath(t testing.TB, format formatter) *Aftermath { return &Aftermath{t: t, format: format} }

func (a *Aftermath) note(to *[]any, v any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	*to = append(*to, v)
}

func (a *Aftermath) noteError(to *[]error, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	*to = append(*to, err)
}

// Discarded returns the elements that operators have accepted and not delivered, in
// the order in which they were given up.
func (a *Aftermath) Discarded() []any { return snapshot(a, &a.discarded) }

// Dropped returns the elements that came after the end of their stream.
func (a *Aftermath) Dropped() []any { return snapshot(a, &a.dropped) }

// DroppedErrors returns the errors that came after the end of their stream.
func (a *Aftermath) DroppedErrors() []error { return snapshot(a, &a.droppedErrors) }

// OperatorErrors returns the errors of functions in operators.
func (a *Aftermath) OperatorErrors() []error { return snapshot(a, &a.operatorErrors) }

func snapshot[E any](a *Aftermath, from *[]E) []E {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(*from)
}

// HasDiscarded asserts that each of the items was discarded, in any order.
func (a *Aftermath) HasDiscarded(items ...any) *Aftermath {
	a.t.Helper()
	sayOne("HasDiscarded", items)
	return a.contains("discarded", a.Discarded(), items)
}

// HasDiscardedExactly asserts that the items were discarded, in this order, and
// nothing else.
func (a *Aftermath) HasDiscardedExactly(items ...any) *Aftermath {
	a.t.Helper()
	return a.equals("discarded", a.Discarded(), items)
}

// HasNotDiscarded asserts that nothing was discarded.
func (a *Aftermath) HasNotDiscarded() *Aftermath {
	a.t.Helper()
	return a.equals("discarded", a.Discarded(), nil)
}

// HasDropped asserts that each of the items came too late, in any order.
func (a *Aftermath) HasDropped(items ...any) *Aftermath {
	a.t.Helper()
	sayOne("HasDropped", items)
	return a.contains("dropped", a.Dropped(), items)
}

// HasDroppedExactly asserts that the items came too late, in this order, and nothing
// else.
func (a *Aftermath) HasDroppedExactly(items ...any) *Aftermath {
	a.t.Helper()
	return a.equals("dropped", a.Dropped(), items)
}

// HasNotDropped asserts that no element came too late.
func (a *Aftermath) HasNotDropped() *Aftermath {
	a.t.Helper()
	return a.equals("dropped", a.Dropped(), nil)
}

// HasDroppedError asserts that an error that matches target with errors.Is came too
// late.
func (a *Aftermath) HasDroppedError(target error) *Aftermath {
	a.t.Helper()
	return a.among("dropped errors", a.DroppedErrors(), target)
}

// HasNotDroppedErrors asserts that no error came too late.
func (a *Aftermath) HasNotDroppedErrors() *Aftermath {
	a.t.Helper()
	return a.equals("dropped errors", anys(a.DroppedErrors()), nil)
}

// HasOperatorError asserts that a function in an operator failed with an error that matches
// target with errors.Is.
func (a *Aftermath) HasOperatorError(target error) *Aftermath {
	a.t.Helper()
	return a.among("operator errors", a.OperatorErrors(), target)
}

// HasNoOperatorErrors asserts that no function in an operator failed.
func (a *Aftermath) HasNoOperatorErrors() *Aftermath {
	a.t.Helper()
	return a.equals("operator errors", anys(a.OperatorErrors()), nil)
}

// Took returns the time that the verification took, on the clock of the test.
func (a *Aftermath) Took() time.Duration { return a.took }

// TookLessThan asserts that the verification took less than d, on the clock of the
// test.
func (a *Aftermath) TookLessThan(d time.Duration) *Aftermath {
	a.t.Helper()
	if a.took >= d {
		a.t.Fatalf("reactortest: the verification took %v, expected less than %v", a.took, d)
	}
	return a
}

// sayOne panics if there are no items: an assertion about none of them can't fail.
func sayOne[T any](by string, items []T) {
	if len(items) == 0 {
		panic("reactortest: " + by + ": say at least one element")
	}
}

func anys(errs []error) (out []any) {
	for _, err := range errs {
		out = append(out, err)
	}
	return out
}

func (a *Aftermath) equals(what string, got, want []any) *Aftermath {
	a.t.Helper()
	if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
		a.t.Fatalf("reactortest: %s: expected exactly %s, got %s%s", what, list(a.format, want), list(a.format, got), apart(a.format, want, got))
	}
	return a
}

func (a *Aftermath) contains(what string, got, want []any) *Aftermath {
	a.t.Helper()
	left := newBag(got)
	for _, w := range want {
		if !left.take(w) {
			a.t.Fatalf("reactortest: %s: expected %s among them, got %s", what, a.format.show(w), list(a.format, got))
			return a
		}
	}
	return a
}

func (a *Aftermath) among(what string, got []error, target error) *Aftermath {
	a.t.Helper()
	if !slices.ContainsFunc(got, func(err error) bool { return errors.Is(err, target) }) {
		a.t.Fatalf("reactortest: %s: expected one that is %q, got %s", what, target, list(a.format, got))
	}
	return a
}

// story returns what there is to be told about a, for a report.
func (a *Aftermath) story() string {
	var b strings.Builder
	tell := func(what string, items []any) {
		if len(items) > 0 {
			fmt.Fprintf(&b, "  %-16s %s\n", what, list(a.format, items))
		}
	}
	tell("discarded", a.Discarded())
	tell("dropped", a.Dropped())
	tell("dropped errors", anys(a.DroppedErrors()))
	tell("operator errors", anys(a.OperatorErrors()))
	return b.String()
}
