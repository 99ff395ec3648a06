// Package ledger keeps the books on elements in tests: whatever a source
// produced must end exactly once, delivered, discarded or reported as dropped.
//
//	l := ledger.New(t)
//	ctx := l.Context(t.Context())
//	src := operators.FromSlice(l.Slice(1000))
//	stage(src).Subscribe(ctx, subscriber) // whose OnNext calls l.Delivered
//	l.Check()
//
// A stage may put elements into slices, arrays, maps, structs and signals; each
// is counted by itself, wherever it is. What is behind another pointer, a
// function or a channel isn't looked at.
//
// The books are invisible to the race detector: they create no happens-before
// edges between the goroutines that write to them. An Element has plain fields,
// so that handing one over without synchronisation is a race that it reports.
package ledger

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/nosync"
)

// Ledger is the account of one test. All its methods but Check and Counts may be
// called from any goroutine at any time; those two are for when everything has
// come to rest.
type Ledger struct {
	t        testing.TB
	produced atomic.Int64            // elements so far
	last     atomic.Pointer[Element] // the newest; the others hang on it
	nils     [fates + 1]atomic.Int64 // nil elements, by fate
}

// Element is what a stage under test carries. Its Number counts from 1.
type Element struct {
	Number int // constant
	ledger *Ledger
	before *Element      // constant once the element is in the list
	ends   atomic.Uint64 // the fates so far, two bits each, the first one lowest
}

type fate uint64

const (
	delivered fate = 1 + iota
	discarded
	dropped
	fates = iota
)

func (f fate) String() string { return [...]string{"", "delivered", "discarded", "dropped"}[f] }

// New returns the ledger of t. If the test ends without a call of Check, the
// ledger is checked then.
func New(t testing.TB) *Ledger {
	l := &Ledger{t: t}
	open, known := ledgers.LoadOrStore(t, &unchecked{})
	open.(*unchecked).add(l)
	if !known {
		t.Cleanup(func() {
			ledgers.Delete(t)
			for l := range open.(*unchecked).list {
				l.Check()
			}
		})
	}
	return l
}

// ledgers holds what each test has not checked yet. A race makes a ledger in every
// round: one clean-up per round would cost more than the round, and keep all of its
// elements until the test ends.
var ledgers sync.Map // testing.TB to *unchecked

type unchecked struct {
	mu   sync.Mutex
	list map[*Ledger]struct{} // guarded by mu
}

func (u *unchecked) add(l *Ledger) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.list == nil {
		u.list = map[*Ledger]struct{}{}
	}
	u.list[l] = struct{}{}
}

func (u *unchecked) remove(l *Ledger) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.list, l)
}

// Produce returns a new element, which the test owes an end.
func (l *Ledger) Produce() *Element {
	nosync.Begin()
	n := l.produced.Add(1)
	nosync.End()
	e := &Element{Number: int(n), ledger: l}
	for {
		nosync.Begin()
		before := l.last.Load()
		nosync.End()
		e.before = before
		nosync.Begin()
		done := l.last.CompareAndSwap(before, e)
		nosync.End()
		if done {
			return e
		}
	}
}

// Slice returns n new elements.
func (l *Ledger) Slice(n int) []*Element {
	list := make([]*Element, n)
	for i := range list {
		list[i] = l.Produce()
	}
	return list
}

// String returns for example "element 7".
func (e *Element) String() string {
	if e == nil {
		return "nil element"
	}
	return "element " + strconv.Itoa(e.Number)
}

// Delivered enters that the elements in v have reached the subscriber.
func (l *Ledger) Delivered(v any) { l.enter(v, delivered) }

// Discarded enters that the elements in v went to the discard hook.
func (l *Ledger) Discarded(v any) { l.enter(v, discarded) }

// Dropped enters that the elements in v were reported as too late.
func (l *Ledger) Dropped(v any) { l.enter(v, dropped) }

// Hooks returns hooks that enter what is discarded and what is dropped.
func (l *Ledger) Hooks() reactor.Hooks {
	return reactor.Hooks{
		Discard:     func(_ context.Context, v any) { l.Discarded(v) },
		NextDropped: func(_ context.Context, v any) { l.Dropped(v) },
	}
}

// Context returns ctx with the hooks of the ledger.
func (l *Ledger) Context(ctx context.Context) context.Context {
	return reactor.WithHooks(ctx, l.Hooks())
}

func (l *Ledger) enter(v any, f fate) {
	if v == nil {
		l.end(nil, f)
		return
	}
	Each(v, func(e *Element) { l.end(e, f) })
}

func (l *Ledger) end(e *Element, f fate) {
	nosync.Begin()
	defer nosync.End()
	if e == nil {
		l.nils[f].Add(1)
		return
	}
	for {
		ends := e.ends.Load()
		shift := 0
		for ends>>shift != 0 {
			shift += 2
		}
		if shift == 64 {
			return // what is known already is bad enough
		}
		if e.ends.CompareAndSwap(ends, ends|uint64(f)<<shift) {
			return
		}
	}
}

// ended returns the fates of e in the order in which they were entered.
func (e *Element) ended() (list []fate) {
	for ends := e.ends.Load(); ends != 0; ends >>= 2 {
		list = append(list, fate(ends&3))
	}
	return list
}

// Counts says how many elements there are and how many entries of each kind.
type Counts struct{ Produced, Delivered, Discarded, Dropped int }

// Counts returns the state of the books.
func (l *Ledger) Counts() Counts {
	c := Counts{Produced: int(l.produced.Load())}
	for e := l.last.Load(); e != nil; e = e.before {
		for _, f := range e.ended() {
			switch f {
			case delivered:
				c.Delivered++
			case discarded:
				c.Discarded++
			case dropped:
				c.Dropped++
			}
		}
	}
	return c
}

// Check fails the test, with a list, unless every element has ended exactly once.
func (l *Ledger) Check() {
	if open, ok := ledgers.Load(l.t); ok {
		open.(*unchecked).remove(l)
	}
	if complaint := l.complaint(); complaint != "" {
		l.t.Helper()
		l.t.Errorf("%s", complaint)
	}
}

// mostLines is how many single elements a complaint names.
const mostLines = 20

func (l *Ledger) complaint() string {
	var lost []int
	var lines []string
	for e := l.last.Load(); e != nil; e = e.before {
		switch ends := e.ended(); len(ends) {
		case 0:
			lost = append(lost, e.Number)
		case 1:
		default:
			names := make([]string, len(ends))
			for i, f := range ends {
				names[i] = f.String()
			}
			lines = append(lines, fmt.Sprintf("%s: %s", e, strings.Join(names, ", then ")))
		}
	}
	wrong := len(lost) + len(lines)
	slices.Reverse(lines)
	if len(lines) > mostLines {
		lines = append(lines[:mostLines], fmt.Sprintf("and %d more that ended several times", len(lines)-mostLines))
	}
	if len(lost) > 0 {
		slices.Sort(lost)
		lines = append([]string{fmt.Sprintf("lost %d: %s", len(lost), ranges(lost))}, lines...)
	}
	for f := delivered; f <= dropped; f++ {
		if n := l.nils[f].Load(); n > 0 {
			lines = append(lines, fmt.Sprintf("nil was %s %d times, which nobody produced", f, n))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return fmt.Sprintf("ledger: %d of %d elements did not end exactly once (delivered, discarded or dropped):\n\t%s",
		wrong, l.produced.Load(), strings.Join(lines, "\n\t"))
}

// ranges writes sorted numbers as in "1, 4..9, 12", at most mostLines stretches of
// them.
func ranges(sorted []int) string {
	var parts []string
	for i := 0; i < len(sorted); {
		if len(parts) == mostLines {
			parts = append(parts, "…")
			break
		}
		j := i
		for j+1 < len(sorted) && sorted[j+1] == sorted[j]+1 {
			j++
		}
		switch {
		case j == i:
			parts = append(parts, strconv.Itoa(sorted[i]))
		default:
			parts = append(parts, fmt.Sprintf("%d..%d", sorted[i], sorted[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}
