package books

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
)

type element = *ledger.Element

// accounts are the books of one run: those of a ledger for elements, and what is here for errors and
// resources. Its lock orders goroutines and so hides races of data; chain fuzz looks for these.
type accounts struct {
	*ledger.Ledger
	judge *judge

	mu        sync.Mutex
	entries   int           // time is the number of entries; guarded by mu
	failures  []*trouble    // guarded by mu
	goexits   []*trouble    // guarded by mu
	exits     []string      // reports of a Goexit; guarded by mu
	nameless  int           // those that are in the report of another one without a name, and may have been reported before; guarded by mu
	reports   map[error]int // how often the errors came that the library has made; guarded by mu
	discards  []discard     // guarded by mu
	resources []*resource   // guarded by mu
	wrong     []string      // what was found while it ran; guarded by mu
}

type discard struct {
	at int
	v  element
}

// trouble is a failure of a function, with what has become of it.
type trouble struct {
	number   int
	place    string
	born     int       // time
	inFlight []element // what the function was called with, which is discarded because of this very failure
	ends     []string
	lostFor  string // why it need not end anywhere, or ""
	twiceFor string // why it may end more than once, or ""
	alone    bool   // it need not end anywhere if there is another one
}

func (e *trouble) Error() string { return fmt.Sprintf("error %d of %s", e.number, e.place) }

// resource has to be released: once, or at least once if it is loose.
type resource struct {
	books    *accounts
	what     string
	loose    bool
	released int // guarded by books.mu
}

func newAccounts() *accounts {
	j := &judge{}
	return &accounts{Ledger: ledger.New(j), judge: j, reports: map[error]int{}}
}

// locked calls fn with the lock, in the time after all that was entered before.
func (b *accounts) locked(fn func(now int)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.entries++
	fn(b.entries)
}

func (b *accounts) fault(format string, args ...any) {
	b.locked(func(int) {
		if len(b.wrong) < 10 {
			b.wrong = append(b.wrong, fmt.Sprintf(format, args...))
		}
	})
}

// fail returns an error that has to end somewhere.
func (b *accounts) fail(place string, inFlight []element) *trouble {
	e := &trouble{place: place, inFlight: inFlight}
	b.locked(func(now int) {
		e.born = now
		b.failures = append(b.failures, e)
		e.number = len(b.failures)
	})
	return e
}

// exit notes that a function ends its goroutine.
func (b *accounts) exit(place string, inFlight []element) *trouble {
	e := &trouble{place: place, inFlight: inFlight}
	b.locked(func(now int) {
		e.born = now
		b.goexits = append(b.goexits, e)
	})
	return e
}

// settle enters where the errors in err have ended.
func (b *accounts) settle(err error, how string) {
	b.locked(func(int) {
		seen := map[error]bool{}
		exit := false
		// One that is told for something else may have a Goexit in it that was reported: that of FirstWithValue has what its sources have
		// ended in, that of a filter says what became of it, and that of a function what it was called for.
		more := false
		walk(err, func(part error) { more = more || !isExit(part) })
		walk(err, func(err error) {
			if seen[err] {
				return
			}
			seen[err] = true
			if e, ok := err.(*trouble); ok {
				e.ends = append(e.ends, how)
				return
			}
			b.reports[err]++
			if isExit(err) {
				if b.reports[err] == 1 || !more && !exit {
					b.exits = append(b.exits, how)
				}
				exit = true
			}
		})
		switch nameless := namelessExits(err); {
		case exit:
			b.nameless += nameless
		case nameless > 0:
			b.exits = append(b.exits, how)
			b.nameless += nameless - 1
		}
	})
}

const (
	// dropped is how an error has ended that was reported as dropped.
	dropped = "dropped"
	// unhandled is how one has ended that was the end of a stream whose subscriber has no function for it.
	unhandled = "the end, unhandled"
)

// reported is the hook for dropped errors.
func (b *accounts) reported(err error) {
	if errors.Is(err, reactor.ErrUnhandled) {
		b.settle(err, unhandled)
		return
	}
	b.settle(err, dropped)
}

// isExit reports whether err is that of a function that has ended its goroutine.
func isExit(err error) bool {
	op, ok := err.(*reactor.OpError)
	return ok && op.Kind == reactor.ErrGoexit
}

// namelessExits counts the ends of a goroutine in err of which nobody knows the operator.
func namelessExits(err error) (n int) {
	if err == reactor.ErrGoexit {
		return 1
	}
	switch e := err.(type) {
	case *reactor.OpError:
		return namelessExits(e.Cause)
	case interface{ Unwrap() error }:
		return namelessExits(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			n += namelessExits(part)
		}
	}
	return n
}

// walk calls fn with the errors that err is made of and that have an identity.
func walk(err error, fn func(error)) {
	switch e := err.(type) {
	case nil:
		return
	case *trouble, *reactor.OpError, *reactor.TimeoutError:
		fn(e)
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		walk(e.Unwrap(), fn)
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			walk(part, fn)
		}
	}
}

// forgive says why what is in err need not end, or may end more than once.
func (b *accounts) forgive(err error, lost, twice string) {
	b.locked(func(int) {
		walk(err, func(err error) {
			if e, ok := err.(*trouble); ok {
				e.forgive(lost, twice)
			}
		})
	})
}

// forgiveAll says why no error need end anywhere.
func (b *accounts) forgiveAll(why string) {
	b.locked(func(int) {
		for _, e := range slices.Concat(b.failures, b.goexits) {
			e.lostFor = why
		}
	})
}

// forgiveExits says why the ends of goroutines so far need not be reported.
func (b *accounts) forgiveExits(why string) {
	b.locked(func(int) {
		for _, e := range b.goexits {
			e.lostFor = why
		}
	})
}

func (e *trouble) forgive(lost, twice string) {
	if lost != "" {
		e.lostFor = lost
	}
	if twice != "" {
		e.twiceFor = twice
	}
}

// open returns a resource that has to be released once.
func (b *accounts) open(what string) *resource {
	r := &resource{books: b, what: what}
	b.locked(func(int) { b.resources = append(b.resources, r) })
	return r
}

// openLoose returns one that may be released more than once.
func (b *accounts) openLoose(what string) *resource {
	r := b.open(what)
	r.loose = true
	return r
}

func (r *resource) release() { r.books.locked(func(int) { r.released++ }) }

// discarded is the hook. A resource that is discarded on its way to whom it is for is released.
func (b *accounts) discarded(v any) {
	if r, ok := v.(*resource); ok {
		r.release()
		return
	}
	some := false
	each(v, func(e element) {
		some = true
		b.locked(func(now int) { b.discards = append(b.discards, discard{now, e}) })
		b.Discarded(e)
	})
	if !some { // such as an empty window
		b.locked(func(now int) { b.discards = append(b.discards, discard{at: now}) })
	}
}

func (b *accounts) dropped(v any) {
	if r, ok := v.(*resource); ok {
		r.release()
		return
	}
	each(v, func(e element) { b.Dropped(e) })
}

func (b *accounts) delivered(v any) { each(v, func(e element) { b.Delivered(e) }) }

// each leaves out the zero elements that some stages work with.
func each(v any, fn func(element)) {
	ledger.Each(v, func(e element) {
		if e != nil {
			fn(e)
		}
	})
}

// isBehind reports whether an element was discarded after e had come up, other than those that its function
// had in flight: then e may have waited behind it. b.mu is held.
func (b *accounts) isBehind(e *trouble) bool {
	return slices.ContainsFunc(b.discards, func(d discard) bool { return d.at > e.born && !slices.Contains(e.inFlight, d.v) })
}

// complaint returns what is wrong with the books when everything has come to rest. severalHear is why errors
// that the library makes may be heard by several, or "".
func (b *accounts) complaint(severalHear string) string {
	b.Check()
	b.mu.Lock()
	defer b.mu.Unlock()
	list := append(b.wrong, b.judge.failures...)
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	several := len(b.failures)+len(b.goexits) > 1
	for _, e := range b.failures {
		switch {
		case len(e.ends) == 0 && e.lostFor == "" && !b.isBehind(e) && !(e.alone && several):
			say("%v was lost", e)
		case len(e.ends) > 1 && e.twiceFor == "":
			say("%v has ended several times: %s", e, strings.Join(e.ends, ", "))
		}
	}
	for err, times := range b.reports {
		if times > 1 && severalHear == "" && !isExit(err) {
			say("%d times: %v", times, err)
		}
	}
	owed := 0
	for _, e := range b.goexits {
		if e.lostFor == "" && !b.isBehind(e) {
			owed++
		}
	}
	// One that was reported as dropped, such as that of a function that hears of a cancellation, ends the stream of its goroutine as well.
	aside := 0
	for _, how := range b.exits {
		if how == dropped {
			aside++
		}
	}
	if n := len(b.exits); n+b.nameless < owed || max(aside, n-aside) > len(b.goexits) && severalHear == "" {
		say("%d ends of a goroutine, %d of which had to be reported; %d were: %s", len(b.goexits), owed, n, strings.Join(b.exits, ", "))
	}
	for _, r := range b.resources {
		if r.released == 0 || r.released > 1 && !r.loose {
			say("%s was released %d times", r.what, r.released)
		}
	}
	return strings.Join(list, "\n")
}

// judge stands in for the test where the ledger reports to it: there are too many programs for a subtest
// each.
type judge struct {
	testing.TB
	failures []string
	cleanups []func()
}

func (j *judge) Helper()           {}
func (j *judge) Cleanup(fn func()) { j.cleanups = append(j.cleanups, fn) }
func (j *judge) Errorf(format string, args ...any) {
	j.failures = append(j.failures, fmt.Sprintf(format, args...))
}

func (j *judge) cleanUp() {
	for _, fn := range slices.Backward(j.cleanups) {
		fn()
	}
}
