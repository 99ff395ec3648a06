package books

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/live"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// most is how many elements the sources of a program make together: trees multiply.
const most = 300

const (
	// tick is how long a short time is.
	tick = 2 * time.Microsecond
	// period is the time between two signals that never end.
	period = 10 * time.Microsecond
	// patience is how many times a stream that has to end is given time for that: one that waits for each of its
	// elements, and begins again, takes hundreds of ticks.
	patience = 100
	// quiet is more than any time that a stage lets pass for itself when its stream is over.
	quiet = time.Second
)

// trial is one run of a program, in a bubble.
type trial struct {
	program
	books     *accounts
	clock     *reactortest.VirtualTime // or nil
	scheduler schedulers.Scheduler
	ctx       context.Context
	end       context.CancelCauseFunc
	reader    reader
	made      atomic.Int64 // elements
	work      atomic.Int64 // goroutines that the trial has started and that have not ended
	places    map[*node]int
	names     []string       // of the nodes, by place
	calls     []atomic.Int64 // of the functions of a node; the last ones are those of the places that are no nodes
	nils      []atomic.Bool  // which nodes have to return no publisher now
	refusals  atomic.Int64
	void      atomic.Bool // a hook has ended its goroutine
	several   string      // why an error may be heard by several
	mu        sync.Mutex
	stopped   []func() // what the reader does when all is over; guarded by mu
}

var errEnded = errors.New("context ended")

// attempt runs p and returns what is wrong.
func attempt(t *testing.T, p program) (wrong string) {
	defer func() {
		if r := recover(); r != nil {
			wrong = fmt.Sprintf("%v%s\n%v", p, wrong, r)
		}
	}()
	reactortest.Bubble(t, func(*testing.T) {
		tr := &trial{program: p, books: newAccounts()}
		defer tr.books.judge.cleanUp()
		wrong = tr.run()
	})
	if wrong != "" {
		wrong = p.String() + wrong
	}
	return wrong
}

func (t *trial) run() string {
	timers, contexts := live.Counts()
	goroutines := runtime.NumGoroutine()
	t.ground()
	t.number()
	t.ctx, t.end = context.WithCancelCause(reactor.WithHooks(context.Background(), reactor.Hooks{
		Discard:      func(_ context.Context, v any) { t.books.discarded(v); t.hook() },
		NextDropped:  func(_ context.Context, v any) { t.books.dropped(v); t.hook() },
		ErrorDropped: func(_ context.Context, err error) { t.books.reported(err); t.hook() },
	}))
	t.reader = endings[t.ending.kind].open(t)
	t.start(func() { t.reader.read(t.build(t.root)) })
	t.settle()
	t.reader.finish()
	t.settle()
	if !t.reader.isOver() {
		if t.program.ends() {
			for n := 0; n < patience && !t.reader.isOver(); n++ {
				t.settle()
			}
			if !t.reader.isOver() {
				t.books.fault("the stream does not end")
			}
		}
		t.aside(t.reader.cancel)
		t.settle()
	}
	for _, stop := range t.stopped {
		t.aside(stop)
	}
	t.settle()
	time.Sleep(quiet)
	if t.clock != nil {
		t.aside(func() { t.clock.AdvanceBy(quiet) })
	}
	t.settle()
	if n := t.work.Load(); n > 0 {
		t.books.fault("%d goroutines have not ended", n)
	}
	if _, n := live.Counts(); n != contexts {
		t.books.fault("%d contexts are watched, %d before", n, contexts)
	}
	if t.closely || runtime.NumGoroutine() > goroutines {
		if left := stacks(); len(left) > 0 {
			t.books.fault("%d goroutines are left:\n%s", len(left), strings.Join(left, "\n\n"))
		}
	}
	if t.reader.isGone() {
		t.books.forgiveAll("the call does not return")
	}
	complaint := t.books.complaint(t.several)
	t.end(nil)
	t.scheduler.Dispose()
	synctest.Wait()
	if n, _ := live.Counts(); n != timers { // those of tasks are in the books, the scheduler has some of its own
		complaint += fmt.Sprintf("\n%d timers are set, %d before", n, timers)
	}
	if t.void.Load() {
		return ""
	}
	return complaint
}

// ground makes the scheduler.
func (t *trial) ground() {
	var err error
	switch t.on {
	case onClock:
		t.clock = reactortest.NewVirtualTime(reactortest.HandleErrors(func(context.Context, error) {}))
		t.scheduler = t.clock
	case onParallel:
		t.scheduler, err = schedulers.NewParallel("books", 3)
	case onElastic:
		t.scheduler, err = schedulers.NewBoundedElastic(4, 1000, "books")
	}
	if err != nil {
		panic(err)
	}
	t.scheduler = counted{t.scheduler, t}
}

// number gives the nodes their places.
func (t *trial) number() {
	t.places = map[*node]int{}
	var visit func(n *node)
	visit = func(n *node) {
		t.names = append(t.names, fmt.Sprintf("%d: %s", len(t.names), n.stage.name))
		t.places[n] = len(t.places)
		if why := n.stage.several; why != "" {
			t.several = why
		}
		for _, k := range n.kids {
			visit(k)
		}
	}
	visit(t.root)
	t.calls = make([]atomic.Int64, len(t.places)-firstPlace)
	t.nils = make([]atomic.Bool, len(t.places))
}

// settle lets everything happen that happens in a short time.
func (t *trial) settle() {
	for range 20 {
		synctest.Wait()
		if t.clock != nil {
			t.aside(func() { t.clock.AdvanceBy(tick) })
		}
		time.Sleep(tick)
	}
	synctest.Wait()
}

// aside runs fn on a goroutine of its own, which fn may end, and waits for it.
func (t *trial) aside(fn func()) {
	racetest.Aside(func() {
		defer t.recovered()
		fn()
	})
}

// start runs fn on a goroutine that has to end.
func (t *trial) start(fn func()) {
	t.work.Add(1)
	go func() {
		defer t.work.Add(-1)
		defer t.recovered()
		fn()
	}()
}

// recovered notes a panic that came out of the library.
func (t *trial) recovered() {
	if r := recover(); r != nil {
		t.books.fault("a panic came out: %v\n%s", r, debug.Stack())
	}
}

// atEnd has fn called when all is over.
func (t *trial) atEnd(fn func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = append(t.stopped, fn)
}

// happen is called by the functions of the node at a place; inFlight is what they were called with. It returns the error
// that the function is to return.
func (t *trial) happen(at int, place string, why *stage, inFlight []element) error {
	n := int(t.calls[(at+len(t.calls))%len(t.calls)].Add(1))
	for _, f := range t.faults {
		if f.at != at || f.call != n {
			continue
		}
		switch f.kind {
		case faultNil:
			if at >= 0 {
				t.nils[at].Store(true)
			}
		case faultFails, faultPanic:
			struck[f.kind].Add(1)
			e := t.books.fail(place, inFlight)
			if why != nil {
				e.forgive(why.forgets, why.several)
			}
			if f.kind == faultPanic {
				panic(e)
			}
			return e
		case faultGoexit:
			struck[f.kind].Add(1)
			e := t.books.exit(place, inFlight)
			if why != nil {
				e.forgive(why.forgets, why.several)
			}
			runtime.Goexit()
		default:
			t.befall(f.kind)
		}
	}
	return nil
}

// hook is called by the hooks, which may fail, but not end their goroutine: if what hears of a cancellation by one does, the books are void.
func (t *trial) hook() {
	clean := false
	defer func() {
		if r := recover(); r != nil {
			panic(r)
		}
		if !clean {
			t.void.Store(true)
		}
	}()
	n := int(t.calls[len(t.calls)+hookPlace].Add(1))
	for _, f := range t.faults {
		switch {
		case f.at != hookPlace || f.call != n:
		case f.kind == faultFails || f.kind == faultPanic || f.kind == faultGoexit:
			panic("a hook")
		default:
			t.befall(f.kind)
		}
	}
	clean = true
}

// befall lets a fault happen that no function fails with.
func (t *trial) befall(kind int) {
	struck[kind].Add(1)
	switch kind {
	case faultYield:
		for range 10 {
			runtime.Gosched()
		}
	case faultCancel:
		t.reader.cancel()
	case faultCancels:
		t.start(t.reader.cancel)
	case faultEnd:
		t.end(errEnded)
	case faultEnds:
		t.start(func() { t.end(errEnded) })
	case faultRequest:
		t.reader.ask()
	case faultRequests:
		t.start(t.reader.ask)
	}
}

// breaks is called by each method of the scheduler, which may panic, and returns the number of the call. The panic need not be heard of where
// nobody wants the task any more.
func (t *trial) breaks(method string) (n int) {
	n = int(t.calls[len(t.calls)+schedulerPlace].Add(1))
	if slices.Contains(t.faults, fault{schedulerPlace, n, faultPanic}) {
		struck[faultPanic].Add(1)
		e := t.books.fail("the scheduler: "+method, nil)
		e.forgive("it may be wanted no more", t.several)
		panic(e)
	}
	return n
}

// refused returns why the scheduler takes no task now, or nil.
func (t *trial) refused() error {
	n := t.breaks("a task")
	if !slices.Contains(t.faults, fault{schedulerPlace, n, faultRefused}) {
		return nil
	}
	struck[faultRefused].Add(1)
	if t.reader.isOver() || t.refusals.Add(1) > 1 {
		return schedulers.ErrRejected // nobody is left who has to be told
	}
	e := t.books.fail("the scheduler", nil)
	e.alone = true
	e.forgive("", t.several)
	if t.isLeft() || t.on != onClock || t.root.has(func(s *stage) bool { return s.kids > 1 || withoutTasks.MatchString(s.name) }) {
		e.forgive("the task may be wanted no more", "")
	}
	return fmt.Errorf("%w: %w", schedulers.ErrRejected, e)
}

// struck is how often each kind of fault has happened.
var struck [narrowFaults]atomic.Int64

// stacks returns those of the other goroutines in the bubble.
func stacks() []string {
	n := runtime.Stack(stackBuffer, true)
	for n == len(stackBuffer) {
		stackBuffer = make([]byte, 2*n)
		n = runtime.Stack(stackBuffer, true)
	}
	list := strings.Split(string(stackBuffer[:n]), "\n\n")
	bubble := inBubble.FindString(list[0]) // the first one is the caller
	return slices.DeleteFunc(list[1:], func(g string) bool {
		return inBubble.FindString(g) != bubble || strings.Contains(g, "synctest.Run (") || strings.Contains(g, "synctest.testingSynctestTest(")
	})
}

// stackBuffer is kept for the next trial. Trials take turns.
var stackBuffer = make([]byte, 1<<14)

var inBubble = regexp.MustCompile(`synctest bubble \d+`)
