package operators

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/internal/stage/windows"
	"github.com/goreactor/reactor/internal/unicast"
	"github.com/goreactor/reactor/schedulers"
)

// GroupBy splits src into groups of elements with the same key. For each key it
// emits group(key, elements) when the first element with that key comes.
//
//	src:      1 - 2 - 3 - 4 - 5 |
//	          GroupBy(n => n%2)
//	out:      a - b ------------|
//	group a:  1 ----- 3 ----- 5 |
//	group b:  --- 2 ----- 4 ----|
//
// # Demand
//
// A group can be subscribed once. It keeps its elements until its subscriber requests them. All
// groups share one prefetch: src is asked for 256 elements ([Prefetch]), and then for one more for
// each group that is emitted and for each further element that a group delivers. For elements that
// go straight through, src is asked when they are three quarters of the prefetch, or when src has
// sent all that it was asked for. So elements that nobody takes out of their group use the prefetch
// up, and then everything stands still: the source has not ended, and nobody asks it for more.
// Therefore every group has to be subscribed and read, or cancelled. In a [FlatMap] over the groups
// [Concurrency] (256 unless set) must not be less than the number of groups that are open at a
// time. Read a group that you don't need with [IgnoreElements]; better, filter out elements that
// you don't need before they are grouped. If the number of keys has no bound, give the groups an
// end, for example with [Take] or [TakeFor]. A larger Prefetch lets more elements wait, but does
// not remove the condition.
//
// Two options turn such a stall into an error that matches reactor.ErrOverflow. With [MaxGroups]
// the stream fails at once when one group more than allowed opens. With [Patience] the stream fails
// when for some time nothing could move because all elements wait in groups that nobody has
// subscribed to; without Patience, that is reported as a dropped error after 15 to 30 s, once for
// each subscription. Groups whose subscribers request nothing cause neither the failure nor the
// report.
//
// # The end
//
// A cancelled group discards the elements that it holds, and the next element with its key opens
// another group. src is asked for as many elements as were discarded, three quarters of the
// prefetch at a time. If the stream of groups is cancelled, open groups go on, elements without an
// open group are discarded and others requested in their place, and src is cancelled with the last
// group. If such a request has to wait for a timer and the scheduler refuses the timer, the open
// groups fail with reactor.ErrRejected. When src completes, the groups complete, then the stream
// does. Groups end in the order of their keys if those are numbers or strings, else in the order in
// which they were opened. An error of src, or a panic of key, fails every group and the stream at
// once. A group still delivers its elements before the error; groups that were not emitted are
// discarded.
//
// Groups come on the goroutine of src or on the one that requests; elements of a group come on the
// goroutine of src or on the one that requests from the group.
func GroupBy[T any, K comparable, G any](src reactor.Publisher[T], key func(T) K, group func(key K, elements reactor.Publisher[T]) G, opts ...GroupByOption) reactor.Publisher[G] {
	return GroupByMap(src, key, func(v T) T { return v }, group, opts...)
}

// GroupByMap is [GroupBy], but the groups get value(v) in the place of v. A panic of
// value has the effect of a panic of key.
func GroupByMap[T any, K comparable, V, G any](src reactor.Publisher[T], key func(T) K, value func(T) V, group func(key K, elements reactor.Publisher[V]) G, opts ...GroupByOption) reactor.Publisher[G] {
	argument.Given("groupBy", "key function", key != nil)
	argument.Given("groupBy", "value function", value != nil)
	argument.Given("groupBy", "group function", group != nil)
	c := groupByConfig{prefetch: defaultHopPrefetch(), maxGroups: math.MaxInt}
	for _, o := range argument.Options("groupBy", opts) {
		o.applyGroupBy(&c)
	}
	p := &groupByPublisher[T, K, V, G]{
		src: protocol.Trust("groupBy", src), key: key, value: value, group: group,
		prefetch: positiveSize("groupBy", "prefetch", c.prefetch), maxGroups: c.maxGroups, verbatim: c.verbatim,
		patience: c.patience, timer: schedulers.Parallel,
	}
	if len(c.scheduler) > 0 {
		given := timerOf("groupBy", c.scheduler)
		p.timer = func() schedulers.Scheduler { return given }
	}
	return p
}

// groupChunk is how many elements the queue of a group grows by.
const groupChunk = 16

type groupByPublisher[T any, K comparable, V, G any] struct {
	protocol.Op
	src       reactor.Publisher[T]
	key       func(T) K
	value     func(T) V
	group     func(K, reactor.Publisher[V]) G
	prefetch  int64
	maxGroups int
	verbatim  bool
	patience  time.Duration               // 0: a stall is reported, and no failure
	timer     func() schedulers.Scheduler // asked when it is needed
}

func (p *groupByPublisher[T, K, V, G]) Subscribe(ctx context.Context, s reactor.Subscriber[G]) {
	m := &groupByMain[T, K, V, G]{
		of:     p,
		groups: map[K]*group[K, V]{},
		queue:  queue.NewLinked[*group[K, V]](groupChunk),
		gone:   queue.NewMPSC[*group[K, V]](groupChunk),
	}
	m.out.EagerErrors = true
	m.Attach(&m.out, ctx, s, m)
	m.Live.Store(1)
	m.watch.asked.Store(p.prefetch)
	if m.batch = demand.Batch(p.prefetch); p.verbatim {
		m.batch = 1
	}
	m.next = m.route()
	p.src.Subscribe(ctx, m)
}

// groupByMain is the subscriber of src. Groups outlive the stream of groups, which the outlet
// sends.
type groupByMain[T any, K comparable, V, G any] struct {
	protocol.Inner
	protocol.WindowSender[*group[K, V], G]
	windows.Count
	out   protocol.Outlet
	of    *groupByPublisher[T, K, V, G]
	up    reactor.Subscription // set by OnSubscribe
	batch int64                // owed elements that src is asked for at a time
	next  func(T)              // what route returns

	// Touched by the signals of src only.
	groups map[K]*group[K, V] // the open ones, and some that are in gone; changed under mu
	opened int64              // groups so far
	came   int64              // elements so far
	owed   int64              // elements that have gone straight down, and src was not asked for others yet

	sent int64 // groups emitted, and src was not asked for others in the place of their first elements yet; owner of the outlet

	mu    sync.Mutex // for those who read groups beside its owners, and end the stream for lack of patience
	watch groupWatch
	debt  groupDebt

	queue   *queue.Linked[*group[K, V]] // to be emitted; offered to by the signals of src, polled by the owner of the outlet
	gone    *queue.MPSC[*group[K, V]]   // cancelled, and to be forgotten; polled by the signals of src
	anyGone atomic.Bool                 // there are some in gone; set behind the offer
	lost    atomic.Int64                // elements that cancelled groups have discarded since the last request for that
}

func (m *groupByMain[T, K, V, G]) OnSubscribe(up reactor.Subscription) {
	m.up = up
	defer up.Request(m.of.prefetch) // also if downstream ends the goroutine
	m.out.Begin()
}

func (m *groupByMain[T, K, V, G]) OnNext(v T) { m.next(v) }

// Push implements protocol.Pusher.
func (m *groupByMain[T, K, V, G]) Push() func(T) { return m.next }

// route returns the function that takes the elements of src. Not inlined, see publishOnSubscriber.Push.
//
//go:noinline
func (m *groupByMain[T, K, V, G]) route() func(T) {
	return func(v T) {
		if m.Ended.Load() {
			reactor.DropNext(m.out.Context(), v)
			return
		}
		m.came++
		key, value := m.of.key(v), m.of.value(v)
		if m.anyGone.Load() {
			m.removeCancelled()
		}
		if g, ok := m.groups[key]; !ok {
			m.open(key, value)
		} else if passed, r := g.Pass(value); passed {
			m.passed(g)
		} else if r != unicast.OK { // it has just been cancelled
			m.open(key, value)
		}
		if dry := m.came == m.watch.asked.Load(); dry || m.owed >= m.batch {
			m.replenish(dry)
		}
	}
}

// open opens a group. Signals of src only.
func (m *groupByMain[T, K, V, G]) open(key K, value V) {
	if m.out.Cancelled() {
		new(pending.Unwanted[V]).Discard(m.out.Context(), value)
		m.replace()
		return
	}
	if len(m.groups) >= m.of.maxGroups && m.groups[key] == nil {
		failure.InTurn(m.up.Cancel, func() { m.refuse(key, value) }) // the first may end the goroutine
		return
	}
	g := &group[K, V]{main: m, key: key, number: m.opened}
	g.Init("groupBy", m.out.Context(), queue.NewLinked[V](groupChunk), g)
	m.opened++
	m.Live.Add(1)
	g.Next(value)
	if !m.add(g) {
		g.Abandon()
		return
	}
	m.queue.Offer(g)
	chaos.Yield()
	m.out.Run()
}

// add adds an open group, unless the stream has just ended for lack of patience, which nobody would tell it. Signals of src only.
func (m *groupByMain[T, K, V, G]) add(g *group[K, V]) bool {
	chaos.Yield()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Ended.Load() {
		return false
	}
	m.groups[g.key] = g
	return true
}

// refuse fails all because there may be no group for key.
func (m *groupByMain[T, K, V, G]) refuse(key K, value V) {
	err := reactor.OperatorError(m.out.Context(), reactor.Failure("groupBy", reactor.ErrOverflow,
		"no group for key %v: %d are open, and no more may be", key, m.of.maxGroups), value)
	reactor.Discard(m.out.Context(), value)
	m.OnError(err)
}

// removeCancelled removes cancelled groups. Signals of src only.
func (m *groupByMain[T, K, V, G]) removeCancelled() {
	m.anyGone.Store(false)
	chaos.Yield()
	m.mu.Lock()
	defer m.mu.Unlock()
	odd := false
	for g, ok := m.gone.Poll(); ok; g, ok = m.gone.Poll() {
		if m.groups[g.key] == g {
			delete(m.groups, g.key)
		} else if key := g.key; key != g.key {
			odd = true
		}
	}
	if odd {
		m.copyGroups()
	}
}

// copyGroups is for keys that are not equal to themselves, such as NaN: a map does not find them. The caller holds mu.
func (m *groupByMain[T, K, V, G]) copyGroups() {
	groups := make(map[K]*group[K, V], len(m.groups))
	for key, g := range m.groups {
		if !g.IsCancelled() {
			groups[key] = g
		}
	}
	m.groups = groups
}

func (m *groupByMain[T, K, V, G]) OnError(err error) {
	if m.Ended.Swap(true) {
		reactor.DropError(m.out.Context(), err)
		return
	}
	m.finish(reactor.NonNil(err))
}

func (m *groupByMain[T, K, V, G]) OnComplete() {
	if !m.Ended.Swap(true) {
		m.finish(nil)
	}
}

// Stop implements protocol.Flow; open groups go on.
func (m *groupByMain[T, K, V, G]) Stop() {
	if m.Left() {
		m.cancel()
	}
}

// groupReleased implements groupOwner.
func (m *groupByMain[T, K, V, G]) groupReleased(g *group[K, V], cancelled bool) {
	if cancelled {
		m.gone.Offer(g)
		chaos.Yield()
		m.anyGone.Store(true)
	}
	chaos.Yield()
	left := m.Live.Add(-1)
	if m.Ended.Load() {
		return
	}
	switch {
	case left == 0:
		m.cancel()
	case left == 1 && m.of.verbatim:
		m.ask(m.of.prefetch)
	}
}

// groupDelivered implements groupOwner.
func (m *groupByMain[T, K, V, G]) groupDelivered(n int64) {
	if !m.Ended.Load() {
		m.ask(n)
	}
}

// ask asks src for n elements.
func (m *groupByMain[T, K, V, G]) ask(n int64) {
	demand.Add(&m.watch.asked, n) // before they can come
	m.up.Request(n)
}

// groupPassed implements groupOwner. What src is asked for again may wait as long as there is something
// that it was asked for.
func (m *groupByMain[T, K, V, G]) groupPassed() { m.owed++ }

// groupLost implements groupOwner: elements that groups discard when they are cancelled
// must not use the prefetch up.
func (m *groupByMain[T, K, V, G]) groupLost(n int64) {
	if m.of.verbatim {
		return
	}
	if m.lost.Add(n) >= demand.Batch(m.of.prefetch) {
		if n = m.lost.Swap(0); n > 0 && !m.Ended.Load() {
			m.askInCancel(n)
		}
	}
}

// Flow implements protocol.Flow.
func (m *groupByMain[T, K, V, G]) Flow() {
	for asked := m.out.Demand(); ; {
		if !m.out.Open() {
			m.leave()
			return
		}
		if m.sent == asked {
			break
		}
		g, ok := m.queue.Poll()
		if !ok {
			break
		}
		m.Hold(g)
		g.emitted.Store(true)
		m.sent++
		m.Send(&m.out, m.of.group(g.key, g))
	}
	if sent := pending.Take(&m.sent); sent > 0 {
		m.out.Produced(sent)
		if !m.Ended.Load() {
			m.ask(sent)
		}
	}
}

// leave is for groups that were emitted before downstream has left the stream of groups, or has
// failed: their elements must not use the prefetch up, if groups are open.
func (m *groupByMain[T, K, V, G]) leave() {
	if sent := pending.Take(&m.sent); sent > 0 && !m.of.verbatim && m.Live.Load() > 0 && !m.Ended.Load() {
		m.askInCancel(sent)
	}
}

// Dry implements protocol.Flow.
func (m *groupByMain[T, K, V, G]) Dry() bool { return m.queue.IsEmpty() }

// Drop implements protocol.Flow: it gives up the groups that wait to be emitted.
func (m *groupByMain[T, K, V, G]) Drop() {
	windows.AbandonAll(m.queue)
	m.out.DropFailures()
}
