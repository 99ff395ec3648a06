// Package stall notices what has stopped for good: a worker whose task waits while other
// tasks wait for the worker, a virtual clock that nobody moves. It has no goroutine and no
// timer of its own. Whoever blocks until a stream ends calls [Watch]; while it waits, a
// timer looks now and then at the suspects. Subscriptions that nobody waits for share one
// timer ([Open]). So nothing is looked at in a program without either,
// and what is looked at pays nothing for it: it only has to be able to say whether it has moved.
package stall

import (
	"context"
	"slices"
	"sync"
	"time"
	"weak"

	"github.com/goreactor/reactor/internal/live"
)

const (
	// Period is how long a suspect has to stand still before it is reported, and how long
	// somebody must have waited before the first look. So a stall that is there when the
	// wait begins is reported after 20 s.
	Period = 10 * time.Second
	// rounds is how many looks one wait takes: the third and all further ones come after
	// twice the time of the one before, the last one after some three days. There is a
	// last one because in a bubble of testing/synctest a timer that is set again and again
	// would keep the bubble from noticing that it can't go on.
	rounds = 16
	// era is by how much the clocks of a bubble and of the system differ at least.
	era = 10 * 365 * 24 * time.Hour
)

// Suspect is what may stand still. It is used by its address.
type Suspect interface {
	// Progress returns a number that changes whenever something has moved, and false if
	// nothing is waiting for that.
	Progress() (n int64, waiting bool)
	// Since is when it began, on the clock of its goroutines. It is not looked at from a
	// bubble of testing/synctest that it does not belong to.
	Since() time.Time
	// Report tells that there was no progress for d, by the hooks of ctx, and returns
	// whether it had something to tell.
	Report(ctx context.Context, d time.Duration) bool
}

// mark is where a suspect stood.
type mark struct {
	n    int64
	at   time.Time
	told bool
}

var registry struct {
	mu      sync.Mutex
	sources []func(yield func(Suspect)) // guarded by mu
	single  map[*entry]struct{}         // guarded by mu
	marks   map[Suspect]*mark           // guarded by mu
}

type entry struct{ get func() Suspect }

// AddSource makes find one of the functions that every look asks for suspects. It is
// never removed.
//
// Whoever becomes a suspect of a source calls [Stir].
func AddSource(find func(yield func(Suspect))) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	registry.sources = append(registry.sources, find)
}

// Add makes s a suspect until remove is called. It does not keep s from being collected.
func Add[T any, P interface {
	*T
	Suspect
}](s P) (remove func()) {
	ref := weak.Make((*T)(s))
	e := &entry{func() Suspect {
		if p := ref.Value(); p != nil {
			return P(p)
		}
		return nil
	}}
	registry.mu.Lock()
	if registry.single == nil {
		registry.single = map[*entry]struct{}{}
	}
	registry.single[e] = struct{}{}
	registry.mu.Unlock()
	Stir()
	return func() {
		registry.mu.Lock()
		defer registry.mu.Unlock()
		delete(registry.single, e)
	}
}

// Watch looks at the suspects after Period and then now and then, until stop is called.
// What it finds goes to the hooks of ctx.
func Watch(ctx context.Context) (stop func()) {
	w := &watch{ctx: ctx}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = live.After(Period, w.ring)
	return w.stop
}

type watch struct {
	ctx context.Context

	mu    sync.Mutex
	round int         // guarded by mu
	timer func() bool // stops the timer, nil when the wait is over; guarded by mu
}

func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer()
		w.timer = nil
	}
}

func (w *watch) ring() {
	look(w.ctx, time.Now())
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer == nil {
		return
	}
	if w.round++; w.round == rounds {
		w.timer = nil
		return
	}
	w.timer = live.After(Period<<max(0, w.round-1), w.ring)
}

// look compares all suspects with what the look before has seen, and reports those that
// have stood still for a Period.
func look(ctx context.Context, now time.Time) {
	for _, l := range overdue(now) {
		if l.s.Report(ctx, l.d) {
			continue
		}
		registry.mu.Lock() // look again, but not at once: a look may be expensive
		l.m.told, l.m.at = false, now
		registry.mu.Unlock()
	}
}

type late struct {
	s Suspect
	m *mark
	d time.Duration
}

func overdue(now time.Time) (list []late) {
	seen := map[Suspect]int64{}
	for _, s := range suspects() {
		age := now.Sub(s.Since())
		n, waiting := s.Progress()
		if waiting && 0 <= age && age < era {
			seen[s] = n
		}
	}
	registry.mu.Lock()
	defer registry.mu.Unlock()
	marks := map[Suspect]*mark{}
	for s, n := range seen {
		m := registry.marks[s]
		if m == nil || m.n != n || now.Before(m.at) {
			m = &mark{n: n, at: now}
		}
		marks[s] = m
		if d := now.Sub(m.at); d >= Period && !m.told {
			m.told = true
			list = append(list, late{s, m, d})
		}
	}
	registry.marks = marks
	return list
}

func suspects() (all []Suspect) {
	registry.mu.Lock()
	sources := slices.Clip(registry.sources)
	for e := range registry.single {
		if s := e.get(); s != nil {
			all = append(all, s)
		}
	}
	registry.mu.Unlock()
	for _, find := range sources {
		find(func(s Suspect) { all = append(all, s) })
	}
	return all
}
