package sinks_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/programs"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/sinks"
)

// sinkProgram is a sink, who emits and who subscribes, all at random. What must hold whatever happens is checked on books that emitters and
// subscribers keep: an element that was accepted reaches everyone whom it is promised to, or whoever has to hear of it hears that it was
// discarded; one that was refused reaches nobody; all get the same order; what is replayed is what is kept; and everyone hears of the end.
type sinkProgram struct {
	seed, id uint64
	kind     string
	sink     sinkSide
	many     *sinks.ManySink[int]
	auto     bool // the sink ends with its last subscriber
	history  int  // replay: how many, 0 for all
	ttl      time.Duration
	inner    atomic.Int64 // emissions from within deliveries that are left
	ticks    atomic.Int64
	start    time.Time
	ctx      context.Context

	mu        sync.Mutex
	emissions []*sinkEmission // mu
	subs      []*sinkSub      // mu
	discarded map[int]int     // mu
	dropped   map[int]int     // mu
	errs      []error         // mu
	wrong     []string        // mu
}

// sinkSide is what sinks have in common here.
type sinkSide interface {
	Subscribe(ctx context.Context, s reactor.Subscriber[int])
	CurrentSubscriberCount() int
}

// sinkEmission is what is known of an emission.
type sinkEmission struct {
	what        reactor.SignalKind
	v           int
	by          int // the emitter
	how         string
	begun, over int64 // ticks; over 0: it has not returned
	at          time.Duration
	result      sinks.EmitResult
}

// sinkSub is a subscriber.
type sinkSub struct {
	*probe.Probe[int]
	p           *sinkProgram
	id          int
	does        string
	when        int // at which element
	seen        int
	begun, over int64 // ticks of the subscription
	at          time.Duration
	initial     int64
	cancelled   atomic.Int64 // tick before it, 0 if it was not
	failed      atomic.Bool  // it has panicked, or ended the goroutine
	r           *rand.Rand
}

// What is no result of a sink: an emission that has not returned, and an error that is none of an emission.
const (
	unknown sinks.EmitResult = 98
	strange sinks.EmitResult = 99
)

var errSinkTask = errors.New("not today")

func (p *sinkProgram) tick() int64 { return p.ticks.Add(1) }

func (p *sinkProgram) fail(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.wrong) < 10 {
		p.wrong = append(p.wrong, fmt.Sprintf(format, args...))
	}
}

func (s *sinkSub) OnSubscribe(up reactor.Subscription) {
	s.Probe.OnSubscribe(up)
	if s.does == "cancels at once" {
		s.cancel()
	}
	if s.does == "goexits at once" { // nobody has cancelled for it
		runtime.Goexit()
	}
}

func (s *sinkSub) OnComplete() {
	s.Probe.OnComplete()
	if s.does == "goexits at the end" {
		runtime.Goexit()
	}
}

func (s *sinkSub) OnError(err error) {
	s.Probe.OnError(err)
	if s.does == "goexits at the end" {
		runtime.Goexit()
	}
}

// each is what it does with an element.
func (s *sinkSub) each(v int) {
	s.seen++
	if s.does == "asks" {
		s.Request(1)
	}
	if s.seen != s.when {
		return
	}
	switch s.does {
	case "panics":
		s.failed.Store(true)
		panic(errSinkTask)
	case "goexits":
		s.failed.Store(true)
		runtime.Goexit()
	case "cancels":
		s.cancel()
	case "emits":
		if s.p.inner.Add(-1) >= 0 {
			before := s.failed.Swap(true) // unless it returns: another subscriber may end the goroutine
			s.p.emit(s.r, 100+s.id, true)
			s.failed.Store(before)
		}
	case "yields":
		runtime.Gosched()
	}
}

func (s *sinkSub) cancel() {
	s.cancelled.CompareAndSwap(0, s.p.tick())
	s.Cancel()
}

// stays reports whether it has neither left nor failed.
func (s *sinkSub) stays() bool { return s.cancelled.Load() == 0 && !s.failed.Load() }

func (p *sinkProgram) newEmission(what reactor.SignalKind, by int, how string) *sinkEmission {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := &sinkEmission{what: what, v: len(p.emissions) + 1, by: by, how: how, at: time.Since(p.start)}
	p.emissions = append(p.emissions, e)
	e.begun = p.tick()
	return e
}

// emit makes an emission.
func (p *sinkProgram) emit(r *rand.Rand, by int, within bool) {
	what := reactor.KindNext
	switch r.IntN(25) {
	case 0:
		what = reactor.KindComplete
	case 1:
		what = reactor.KindError
	}
	how := []string{"try", "try", "loop", "fast", "wait"}[r.IntN(5)]
	if how == "wait" && (p.many == nil || what != reactor.KindNext) {
		how = "try"
	}
	e := p.newEmission(what, by, how)
	over := func(result sinks.EmitResult) {
		p.mu.Lock()
		defer p.mu.Unlock()
		e.result, e.over = result, p.tick()
	}
	done := make(chan struct{})
	run := func() { // which a subscriber may end
		handler := sinks.FailFast
		if how == "loop" {
			handler = sinks.BusyLooping(time.Minute)
		}
		switch s := p.sink.(type) {
		case *sinks.OneSink[int]:
			switch {
			case how == "try" && what == reactor.KindNext:
				over(s.TryEmitValue(e.v))
			case how == "try" && what == reactor.KindComplete:
				over(s.TryEmitEmpty())
			case how == "try":
				over(s.TryEmitError(errSinkTask))
			case what == reactor.KindNext:
				over(resultOf(s.EmitValue(e.v, handler)))
			case what == reactor.KindComplete:
				over(resultOf(s.EmitEmpty(handler)))
			default:
				over(resultOf(s.EmitError(errSinkTask, handler)))
			}
		case *sinks.EmptySink[int]:
			switch {
			case what == reactor.KindNext:
				over(sinks.FailTerminated)
			case how == "try" && what == reactor.KindComplete:
				over(s.TryEmitEmpty())
			case how == "try":
				over(s.TryEmitError(errSinkTask))
			case what == reactor.KindComplete:
				over(resultOf(s.EmitEmpty(handler)))
			default:
				over(resultOf(s.EmitError(errSinkTask, handler)))
			}
		default:
			switch {
			case how == "wait":
				// Nobody else does anything when it ends, so that nothing may go on then that has waited.
				ctx, cancel := context.WithTimeout(p.ctx, time.Duration(r.IntN(20))*time.Millisecond+time.Microsecond+time.Duration(e.v))
				defer cancel()
				err := p.many.EmitNextWait(ctx, e.v)
				if err != nil && errors.Is(err, context.DeadlineExceeded) {
					result := p.many.TryEmitNext(e.v)
					if over(result); result == sinks.OK {
						p.fail("emission %d has waited for what was there", e.v)
					}
					return
				}
				over(resultOf(err))
			case how == "try" && what == reactor.KindNext:
				over(p.many.TryEmitNext(e.v))
			case how == "try" && what == reactor.KindComplete:
				over(p.many.TryEmitComplete())
			case how == "try":
				over(p.many.TryEmitError(errSinkTask))
			case what == reactor.KindNext:
				over(resultOf(p.many.EmitNext(e.v, handler)))
			case what == reactor.KindComplete:
				over(resultOf(p.many.EmitComplete(handler)))
			default:
				over(resultOf(p.many.EmitError(errSinkTask, handler)))
			}
		}
	}
	if within {
		run()
		return
	}
	go func() {
		defer close(done)
		run()
	}()
	<-done
}

func resultOf(err error) sinks.EmitResult {
	var e *sinks.EmissionError
	switch {
	case err == nil:
		return sinks.OK
	case errors.As(err, &e):
		return e.Result
	}
	return strange
}

// subscribe lets a subscriber come.
func (p *sinkProgram) subscribe(r *rand.Rand, patient bool) *sinkSub {
	does := [...]string{"nothing", "nothing", "nothing", "asks", "cancels", "panics", "goexits", "emits", "emits", "yields", "cancels at once", "goexits at once", "goexits at the end"}
	s := &sinkSub{p: p, does: does[r.IntN(len(does))], when: 1 + r.IntN(6), at: time.Since(p.start)}
	s.initial = []int64{0, 1, 3, probe.All, probe.All}[r.IntN(5)]
	if patient {
		s.does, s.initial = "nothing", probe.All
	}
	s.Probe = &probe.Probe[int]{Initial: s.initial, Each: s.each}
	s.r = rand.New(rand.NewPCG(r.Uint64(), 1))
	p.mu.Lock()
	s.id = len(p.subs)
	p.subs = append(p.subs, s)
	s.begun = p.tick()
	p.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.sink.Subscribe(p.ctx, s)
	}()
	<-done
	p.mu.Lock()
	defer p.mu.Unlock()
	s.over = p.tick()
	return s
}

// some returns a subscriber that has its subscription, or nil.
func (p *sinkProgram) some(r *rand.Rand) *sinkSub {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.subs) == 0 {
		return nil
	}
	s := p.subs[r.IntN(len(p.subs))]
	if s.over == 0 {
		return nil
	}
	return s
}

// aside runs fn on a goroutine that it may end.
func aside(fn func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	<-done
}

func (p *sinkProgram) step(r *rand.Rand) {
	switch r.IntN(12) {
	case 0:
		p.subscribe(r, false)
	case 1, 2:
		if s := p.some(r); s != nil {
			n := []int64{1, 2, 5, probe.All}[r.IntN(4)]
			aside(func() { s.Request(n) })
		}
	case 3:
		if s := p.some(r); s != nil && r.IntN(3) == 0 {
			aside(s.cancel)
		}
	case 4:
		time.Sleep(time.Duration(r.IntN(4)) * time.Millisecond)
	case 5:
		if n := p.sink.CurrentSubscriberCount(); n < 0 || n > len(p.subscribers()) {
			p.fail("%d subscribers are counted", n)
		}
	default:
		p.emit(r, int(r.Uint64()>>40)<<8, false)
	}
}

func (p *sinkProgram) subscribers() []*sinkSub {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.subs)
}

func (p *sinkProgram) open(r *rand.Rand) {
	p.ttl = -1
	note := func(format string, args ...any) { p.kind = fmt.Sprintf(format, args...) }
	set := func(s *sinks.ManySink[int]) { p.many, p.sink = s, s }
	n := []int{1, 2, 8, 20}[r.IntN(4)]
	switch r.IntN(13) {
	case 0:
		note("unicast buffer")
		set(sinks.Many().Unicast().OnBackpressureBuffer[int]())
	case 1:
		note("unicast buffer of %d", n)
		set(sinks.Many().Unicast().OnBackpressureBuffer[int](sinks.Capacity(n)))
	case 2:
		note("unicast error")
		set(sinks.Many().Unicast().OnBackpressureError[int]())
	case 3:
		note("multicast buffer of %d", n)
		p.auto = true
		set(sinks.Many().Multicast().OnBackpressureBuffer[int](sinks.Capacity(n)))
	case 4:
		note("multicast buffer that stays of %d", n)
		set(sinks.Many().Multicast().OnBackpressureBuffer[int](sinks.Capacity(n), sinks.AutoCancel(false)))
	case 5:
		note("all or nothing")
		set(sinks.Many().Multicast().DirectAllOrNothing[int]())
	case 6:
		note("best effort")
		set(sinks.Many().Multicast().DirectBestEffort[int]())
	case 7:
		note("replay all")
		set(sinks.Many().Replay().All[int]())
	case 8:
		note("replay latest")
		p.history = 1
		set(sinks.Many().Replay().Latest[int]())
	case 9:
		note("replay %d", n)
		p.history = n
		set(sinks.Many().Replay().Limit[int](sinks.History(n)))
	case 10:
		p.ttl = time.Duration(r.IntN(8)) * time.Millisecond
		if r.IntN(2) == 0 {
			note("replay for %v", p.ttl)
			set(sinks.Many().Replay().Limit[int](sinks.TTL(p.ttl)))
		} else {
			p.history = n
			note("replay %d for %v", n, p.ttl)
			set(sinks.Many().Replay().Limit[int](sinks.History(n), sinks.TTL(p.ttl)))
		}
	case 11:
		note("one")
		p.sink = sinks.One[int]()
	case 12:
		note("empty")
		p.sink = sinks.Empty[int]()
	}
}

func (p *sinkProgram) is(kind string) bool { return strings.HasPrefix(p.kind, kind) }

func (p *sinkProgram) play(*testing.T) []string {
	r := rand.New(rand.NewPCG(p.seed, p.id))
	p.start = time.Now()
	p.discarded, p.dropped = map[int]int{}, map[int]int{}
	p.inner.Store(10)
	count := func(m map[int]int, v any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		m[v.(int)]++
	}
	hooks := reactor.Hooks{
		Discard:     func(_ context.Context, v any) { count(p.discarded, v) },
		NextDropped: func(_ context.Context, v any) { count(p.dropped, v) },
		ErrorDropped: func(_ context.Context, err error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.errs = append(p.errs, err)
		},
	}
	p.ctx = reactor.WithHooks(context.Background(), hooks)
	defer reactor.SetHooks("sinks", hooks)()
	p.open(r)
	for range r.IntN(3) {
		p.subscribe(r, r.IntN(2) == 0)
	}
	programs.Crowd{Clients: 3, Steps: 25, Step: p.step, Ends: 1, Within: 20 * time.Millisecond, End: func(*rand.Rand) {}}.Play(r, p.seed, p.id)
	synctest.Wait()
	// Everybody asks for the rest. Those who fail meanwhile may emit.
	for range 3 {
		for _, s := range p.subscribers() {
			aside(func() { s.Request(probe.All) })
		}
	}
	late := p.subscribe(r, true)
	synctest.Wait()
	p.check(late)
	if len(p.wrong) > 0 {
		p.wrong = append(p.wrong, p.String())
	}
	return p.wrong
}

// check looks at the books.
func (p *sinkProgram) check(late *sinkSub) {
	var ended *sinkEmission
	ok := map[int]*sinkEmission{}
	overflowed := false
	got := map[int]int{}
	for _, s := range p.subs {
		overflowed = overflowed || errors.Is(s.Failure(), reactor.ErrOverflow)
		for _, v := range s.Got() {
			got[v]++
		}
	}
	for _, e := range p.emissions {
		if e.over == 0 { // a subscriber has ended its goroutine, perhaps with what it has delivered for another emission
			e.result = sinks.OK
			if e.what == reactor.KindNext && got[e.v] == 0 && p.discarded[e.v] == 0 {
				e.result = unknown
			} else if e.what == reactor.KindNext && (e.how == "fast" || e.how == "loop") && got[e.v] == 0 && overflowed {
				e.result = sinks.FailOverflow
			}
		}
		if e.what == reactor.KindNext && e.result == sinks.FailOverflow && (e.how == "fast" || e.how == "loop") {
			overflowed = true
		}
		switch {
		case e.result == sinks.FailNonSerialized && e.how == "loop":
			p.fail("emission %d has given up at once", e.v)
		case e.result == strange:
			p.fail("emission %d: unknown failure", e.v)
		}
		if e.result != sinks.OK {
			continue
		}
		if e.what == reactor.KindNext && !p.is("one") {
			ok[e.v] = e
			continue
		}
		if p.is("one") && e.what == reactor.KindNext {
			ok[e.v] = e
		}
		if ended != nil {
			p.fail("two ends were accepted: %d and %d", ended.v, e.v)
		}
		ended = e
	}
	for _, e := range p.emissions {
		if ended != nil && ended.over != 0 && e.begun > ended.over && e.result == sinks.OK {
			p.fail("emission %d was accepted after the end", e.v)
		}
		if ended == nil && !overflowed && e.result == sinks.FailTerminated && !p.is("empty") {
			p.fail("emission %d: there was no end", e.v)
		}
	}
	// Everybody's elements.
	order := map[int][]int{}
	for _, s := range p.subs {
		if f := s.Faults(); len(f) > 0 {
			p.fail("subscriber %d: %v", s.id, f)
		}
		items := s.Got()
		order[s.id] = items
		seen := map[int]bool{}
		last := map[int]int{}
		for _, v := range items {
			if seen[v] {
				p.fail("subscriber %d got %d twice", s.id, v)
			}
			seen[v] = true
			e := ok[v]
			if e == nil {
				p.fail("subscriber %d got %d, which was refused", s.id, v)
				continue
			}
			if last[e.by] > v && e.by < 100 {
				p.fail("subscriber %d got %d after %d of the same emitter", s.id, v, last[e.by])
			}
			last[e.by] = v
			if s.over != 0 && e.over != 0 && e.over < s.begun && (p.is("all or") || p.is("best") || p.is("unicast error")) {
				p.fail("subscriber %d got %d, which came before it", s.id, v)
			}
		}
	}
	for i, a := range p.subs {
		for _, b := range p.subs[:i] {
			at := map[int]int{}
			for n, v := range order[a.id] {
				at[v] = n
			}
			before := -1
			for _, v := range order[b.id] {
				if n, both := at[v]; both {
					if n < before {
						p.fail("subscribers %d and %d got %d in another order", a.id, b.id, v)
					}
					before = n
				}
			}
		}
	}
	failedSink := overflowed || ended != nil && ended.what == reactor.KindError
	for v, e := range ok {
		failedOn := 0
		for _, s := range p.subs {
			if s.failed.Load() && len(order[s.id]) > 0 && order[s.id][len(order[s.id])-1] == v {
				failedOn++
			}
		}
		if d := p.discarded[v]; d > 0 && got[v] > failedOn && !p.is("unicast") && d > failedOn {
			p.fail("%d was got by %d and discarded %d times", v, got[v], d)
		} else if d > 1+failedOn {
			p.fail("%d was discarded %d times", v, d)
		}
		if p.dropped[v] > 0 {
			p.fail("%d was accepted and dropped", v)
		}
		if got[v] == 0 && p.discarded[v] == 0 && !p.is("replay") && !p.is("one") {
			p.fail("%d was accepted, and nobody has heard of it", v)
		}
		for _, s := range p.subs {
			if !s.stays() || s.over == 0 || s.Up == nil || slices.Contains(order[s.id], v) {
				continue
			}
			there := s.over < e.begun
			if p.refused(s) {
				continue
			}
			switch {
			case p.is("unicast buffer"), p.is("unicast error"), p.is("all or") && there, p.is("replay all"), p.is("one"):
				p.fail("subscriber %d has not got %d", s.id, v)
			case p.is("best") && there && s.initial == probe.All:
				p.fail("subscriber %d has not got %d, which it has asked for", s.id, v)
			case p.is("replay") && there:
				p.fail("subscriber %d has not got %d", s.id, v)
			case p.is("multicast") && there && (!failedSink || got[v] > 0):
				p.fail("subscriber %d has not got %d", s.id, v)
			}
		}
	}
	for _, e := range p.emissions {
		if e.what != reactor.KindNext || e.result == sinks.OK || p.is("empty") {
			continue
		}
		d, x := p.discarded[e.v], p.dropped[e.v]
		if e.over == 0 {
			continue
		}
		keep := e.how == "try" || e.how == "wait" || e.result == sinks.FailNonSerialized
		switch {
		case keep && d+x > 0:
			p.fail("%d is the emitter's, and was discarded %d times and dropped %d times: %v by %s", e.v, d, x, e.result, e.how)
		case !keep && d+x != 1:
			p.fail("%d was discarded %d times and dropped %d times: %v by %s", e.v, d, x, e.result, e.how)
		case !keep && (e.result == sinks.FailTerminated) != (x == 1):
			p.fail("%d was discarded %d times and dropped %d times: %v by %s", e.v, d, x, e.result, e.how)
		}
	}
	// The end.
	for _, s := range p.subs {
		if !s.stays() || s.Up == nil {
			continue
		}
		switch {
		case ended == nil && !overflowed && s.Over() && !p.refused(s) && !(p.auto && s.over > 0):
			p.fail("subscriber %d has an end, %v, that nobody has emitted", s.id, s.Failure())
		case ended != nil && !s.Over():
			p.fail("subscriber %d has not heard of the end", s.id)
		case ended != nil && !p.refused(s) && !overflowed && (ended.what == reactor.KindError) != (s.Failure() != nil):
			p.fail("subscriber %d has ended with %v", s.id, s.Failure())
		}
	}
	n := 0
	for _, s := range p.subs {
		if s.stays() && s.Up != nil && !s.Over() {
			n++
		}
	}
	if c := p.sink.CurrentSubscriberCount(); c != n {
		p.fail("%d subscribers are counted, of %d", c, n)
	}
	if p.is("replay") {
		p.checkReplay(ok, order, ended)
	}
}

// refused reports whether the subscriber may have come when there was nothing for it any more: a unicast sink has another one, and a sink
// that ends with its last subscriber has ended.
func (p *sinkProgram) refused(s *sinkSub) bool {
	if p.auto && s.Over() && len(s.Got()) == 0 {
		for _, o := range p.subs {
			if !o.stays() {
				return true
			}
		}
	}
	return p.is("unicast") && errors.Is(s.Failure(), reactor.ErrIllegalState)
}

// checkReplay looks at what those got who came late. What one got who was there all the time is the order.
func (p *sinkProgram) checkReplay(ok map[int]*sinkEmission, order map[int][]int, ended *sinkEmission) {
	var all []int
	for _, s := range p.subs {
		if s.stays() && len(order[s.id]) == len(ok) {
			all = order[s.id]
		}
	}
	if len(all) != len(ok) {
		return
	}
	for _, s := range p.subs {
		items := order[s.id]
		if s.over == 0 || s.Up == nil {
			continue
		}
		if s.stays() && len(items) > 0 && items[len(items)-1] != all[len(all)-1] {
			p.fail("subscriber %d has not got the last element", s.id)
		}
		first := len(all)
		if len(items) > 0 {
			first = slices.Index(all, items[0])
			if first+len(items) > len(all) || !slices.Equal(items, all[first:first+len(items)]) {
				p.fail("subscriber %d got %v of %v", s.id, items, all)
				continue
			}
		} else if !s.stays() {
			continue
		}
		// How many there were when it came.
		least, most := 0, 0
		for i, v := range all {
			e := ok[v]
			if e.over != 0 && e.over < s.begun {
				least = i + 1
			}
			if e.begun < s.over {
				most = i + 1
			}
		}
		limit := func(n int) int {
			if p.history > 0 {
				return max(0, n-p.history)
			}
			return 0
		}
		if p.ttl < 0 {
			if first < limit(least) || first > limit(most) {
				p.fail("subscriber %d came when there were %d to %d, and got those from %d on", s.id, least, most, first)
			}
			continue
		}
		if p.ttl == 0 {
			if first < least {
				p.fail("subscriber %d got what is kept for no time", s.id)
			}
			continue
		}
		if ended != nil && (ended.over == 0 || ended.begun < s.over) {
			continue
		}
		for i, v := range all {
			e := ok[v]
			if e.over == 0 {
				continue
			}
			age := s.at - e.at
			if e.over < s.begun && e.how != "wait" && i < first && age < p.ttl && i >= limit(most) {
				p.fail("subscriber %d came at %v, and has not got %d of %v", s.id, s.at, v, e.at)
			}
			if e.over < s.begun && i >= first && age >= p.ttl && e.how != "wait" {
				p.fail("subscriber %d came at %v, and got %d of %v", s.id, s.at, v, e.at)
			}
		}
	}
}

// String describes the program.
func (p *sinkProgram) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "program %d: %s", p.id, p.kind)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.emissions {
		fmt.Fprintf(&b, "\n  emission %v %d by %d, %s, ticks %d to %d at %v: %v; discarded %d, dropped %d", e.what, e.v, e.by, e.how, e.begun, e.over, e.at, e.result, p.discarded[e.v], p.dropped[e.v])
	}
	for _, s := range p.subs {
		fmt.Fprintf(&b, "\n  subscriber %d %s at %d, asks %d, ticks %d to %d at %v, cancelled %d, failed %t, got %v, over %t %v", s.id, s.does, s.when, s.initial, s.begun, s.over, s.at, s.cancelled.Load(), s.failed.Load(), s.Got(), s.Over(), s.Failure())
	}
	fmt.Fprintf(&b, "\n  errors: %v", p.errs)
	return b.String()
}

// TestStressSinks runs random programs: REACTOR_SINKS says how many, REACTOR_SINKS_NUMBER which one of REACTOR_SINKS_SEED.
func TestStressSinks(t *testing.T) {
	size := uint64(500)
	if os.Getenv("REACTOR_STRESS") != "" {
		size = 100_000
	}
	programs.Run(t, "REACTOR_SINKS", size, func(seed, id uint64) (wrong []string) {
		reactortest.Bubble(t, func(t *testing.T) { wrong = (&sinkProgram{seed: seed, id: id}).play(t) })
		return wrong
	})
}
