package failure

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/goid"
)

// settled is what the guards further out see of a Goexit that the innermost one has taken for the
// failure that it is. The element that such a guard has sent down arrived at the inner stage, which
// has discarded it, delivered it, or still has it: it isn't discarded again. Nor is the failure
// reported again, to the hook for the errors of functions or as dropped.
type settled struct {
	error       // what the innermost guard has reported
	open   bool // but the element in flight is in nobody's hands, see [Outside]
	untold bool // nobody has heard of it, see [List.Untold]
}

// Unwrap returns what was reported.
func (s settled) Unwrap() error { return s.error }

// SettledGoexit is what package reactor knows it by.
func (s settled) SettledGoexit() bool { return !s.untold }

// IsSettled reports whether err is a Goexit that a guard further in has dealt with. The others, whose
// element in flight is the same one, do not discard it again.
func IsSettled(err error) bool {
	s, ok := asSettled(err)
	return ok && !s.open
}

// PassingBy returns an error that ends a stream on behalf of a goroutine that is ending: its guards report that, so the error
// [IsSettled].
func PassingBy() error { return settled{error: reactor.ErrGoexit} }

// IsReported reports whether err is a Goexit that a guard further in has reported. The element in flight may be in nobody's
// hands all the same, see [Outside].
func IsReported(err error) bool {
	s, ok := asSettled(err)
	return ok && !s.untold
}

func asSettled(err error) (settled, bool) {
	for ; err != nil; err = errors.Unwrap(err) {
		if s, ok := err.(settled); ok {
			return s, true
		}
	}
	return settled{}, false
}

// Reported returns err as it is shown to subscribers outside: what a Goexit that [IsSettled] was
// reported as.
func Reported(err error) error {
	if s, ok := err.(settled); ok {
		return s.error
	}
	return err
}

// remembered is how many goroutines may be ending at the same time before a Goexit that was dealt
// with is taken for a new one.
const remembered = 1024

// dealtWith is the newest Goexit of a goroutine that a guard has dealt with.
type dealtWith struct {
	nested int // how many Goexits there are on the stack; it is the last of them
	err    error
	open   bool // what the next guard has in flight is in nobody's hands, see [Outside]
}

// goexits knows the goroutines whose Goexit a guard has dealt with. They end soon, but nothing says
// when: the newest ones are kept.
var goexits struct {
	sync.Mutex
	of     map[uintptr]dealtWith // by number of the goroutine
	latest [remembered]uintptr
	next   int // where the next one goes in latest
}

// goexit returns the error for the Goexit that is under way: what failure returns to the first guard
// that asks, which is the innermost one, since deferred calls run from the inside out.
func goexit(failure func() error) error {
	n, _ := goexitsOnStack()
	if n == 0 {
		return failure()
	}
	id := goid.Number()
	goexits.Lock()
	before, known := goexits.of[id]
	goexits.Unlock()
	if n <= before.nested {
		if before.open {
			keep(id, dealtWith{before.nested, before.err, false})
		}
		return settled{error: before.err, open: before.open}
	}
	err := failure()
	goexits.Lock()
	defer goexits.Unlock()
	if !known {
		if goexits.of == nil {
			goexits.of = make(map[uintptr]dealtWith)
		}
		delete(goexits.of, goexits.latest[goexits.next])
		goexits.latest[goexits.next] = id
		goexits.next = (goexits.next + 1) % remembered
	}
	goexits.of[id] = dealtWith{n, err, false}
	return err
}

// keep replaces what is known of a goroutine, unless that was forgotten.
func keep(id uintptr, d dealtWith) {
	goexits.Lock()
	defer goexits.Unlock()
	if _, known := goexits.of[id]; known {
		goexits.of[id] = d
	}
}

// Outside calls fn for code of the user: a cancellation, a request, a subscription. A Goexit that comes by has ended that code,
// too, which may be a function that a stage has called with an element: there nobody discards it any more. So the next guard
// further out, though it reports nothing, takes what it has in flight for failed, as if the Goexit were one of that code.
func Outside(fn func()) {
	clean := false
	defer func() {
		if !clean {
			Left()
		}
	}()
	fn()
	clean = true
}

// Left is what [Outside] does when a Goexit comes by, or a panic, for which it does nothing.
func Left() {
	n, panicked := goexitsOnStack()
	id := goid.Number()
	goexits.Lock()
	of := goexits.of[id]
	goexits.Unlock()
	if n > 0 && n <= of.nested && !panicked {
		keep(id, dealtWith{of.nested, of.err, true})
	}
}

// Beside calls fn while v is on its way down, for something else that has to be told first. A function
// of the user that hears of it may end the goroutine: then v, which is in nobody's hands further in,
// is discarded here, and not by the guards further out, for which the Goexit [IsSettled].
func Beside[T any](ctx context.Context, v T, fn func()) {
	clean := false
	defer func() {
		if !clean && leaving(ctx) {
			reactor.Discard(ctx, v)
		}
	}()
	fn()
	clean = true
}

// Unwinding calls fn, which sends something down on behalf of OnNext, and failed if that panics or ends
// its goroutine. The guard upstream is about to discard the element that has come, and knows of no
// other; but if settled, a Goexit comes by that a guard further in has dealt with, for which
// [IsSettled], and it is the other way round: what was on its way is settled, and nobody else sees to
// the element that has come.
func Unwinding(fn func(), failed func(settled bool)) {
	clean := false
	defer func() {
		if !clean {
			failed(passing())
		}
	}()
	fn()
	clean = true
}

// Before is Unwinding for an element that goes down, or is kept, when fn has returned.
func Before[T any](ctx context.Context, v T, fn func()) {
	Unwinding(fn, func(settled bool) {
		if settled {
			reactor.Discard(ctx, v)
		}
	})
}

// passing reports whether a Goexit is under way that was dealt with.
func passing() bool {
	n, panicked := goexitsOnStack()
	if n == 0 || panicked {
		return false
	}
	goexits.Lock()
	defer goexits.Unlock()
	of := goexits.of[goid.Number()]
	return n <= of.nested && !of.open
}

// leaving reports whether a Goexit is under way, which is dealt with then.
func leaving(ctx context.Context) bool {
	if n, panicked := goexitsOnStack(); n == 0 || panicked {
		return false
	}
	if err := Recovered(nil); !IsSettled(err) {
		reactor.DropError(ctx, err)
	}
	return true
}

// goexitsOnStack returns how many calls of runtime.Goexit there are on the stack, and whether it is a panic that unwinds the caller: one in
// what a deferred function has called, perhaps. They stay there while deferred functions run, which may end in another one.
func goexitsOnStack() (n int, panicked bool) {
	var pcs [128]uintptr
	for skip := 2; ; skip += len(pcs) {
		got := runtime.Callers(skip, pcs[:])
		if got == 0 {
			return n, panicked
		}
		for frames := runtime.CallersFrames(pcs[:got]); ; {
			f, more := frames.Next()
			switch f.Function {
			case "runtime.Goexit":
				n++
			case "runtime.gopanic":
				panicked = panicked || n == 0
			}
			if !more {
				break
			}
		}
	}
}
