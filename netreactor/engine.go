package netreactor

import (
	"context"
	"maps"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
)

// engine is what the connections of a server share. A connection that was dialled has one of its own.
type engine struct {
	set      *settings
	ctx      context.Context // has the values of the context of Bind or Dial, and does not end
	labels   context.Context // for the goroutines of connections
	loops    []*loop
	driver   driver
	local    net.Addr // the address of the listener, for sockets that can't tell theirs; nil on the Net engine; immutable
	expirer  expirer
	throttle throttle
	limits   limits
	within   goroutines

	waited   bool                       // the shutdown has begun with patience; written before draining is set, read after
	draining atomic.Bool                // the server shuts down: nothing more is read
	cutting  atomic.Pointer[CloseError] // the server waits no longer: what connections end with that are busy; before draining if it never waits
	turn     atomic.Uint32              // how often nextLoop was called
	live     sync.WaitGroup             // connections whose socket is not closed, and goroutines that write for one
	freed    func()                     // called when the socket of a connection is closed; nil for one that was dialled; immutable
	broken   func(error)                // called when a selector can't go on; immutable
	report   report
	refusals refusals
}

// driver moves the bytes. There are two: epoll, and the portable one on package net.
type driver interface {
	// name returns Epoll or Net.
	name() Engine
	// stop ends the goroutines of the driver. There are no connections any more.
	stop()
	// stats adds what only the driver knows.
	stats(*Stats)
}

// loop is where some of the connections are registered and counted, with both drivers. With the epoll driver each
// loop has a selector, which waits for the events of these connections.
type loop struct {
	eng *engine
	id  int

	mu        sync.Mutex
	conns     *connection              // the first of the list of connections that have not ended, by before and after; mu
	lingering map[*connection]struct{} // connections that have ended, but whose socket is not closed; mu
	past      totals                   // of connections that have ended; mu

	accepted atomic.Uint64
}

var connIDs atomic.Uint64

func newEngine(ctx context.Context, set *settings) *engine {
	e := &engine{set: set, ctx: ctx, labels: labels(set, "connection")}
	e.throttle.limit = int64(set.outstanding)
	e.limits.init(set)
	e.expirer.init(e)
	for i := range set.Selectors {
		e.loops = append(e.loops, &loop{eng: e, id: i, lingering: map[*connection]struct{}{}})
	}
	return e
}

// nextLoop returns the loop whose turn it is to get a connection.
func (e *engine) nextLoop() *loop {
	return e.loops[int(e.turn.Add(1)-1)%len(e.loops)]
}

// cuts returns what connections end with that are busy, or nil as long as the server waits for them. Also a shutdown without patience
// begins only when draining is set: the report has nothing of connections that end before.
func (e *engine) cuts() *CloseError {
	if !e.draining.Load() {
		return nil
	}
	return e.cutting.Load()
}

// prepare makes c, which is new, a connection of l; add is still to be called.
func (l *loop) prepare(c *connection) {
	e := l.eng
	c.eng, c.loop = e, l
	c.id = connIDs.Add(1)
	c.in.max = e.set.MaxFrame
}

// add registers c, and reports false if it refuses because the engine drains.
func (l *loop) add(c *connection) bool {
	l.eng.live.Add(1)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.eng.draining.Load() {
		l.eng.live.Done()
		return false
	}
	if c.after = l.conns; c.after != nil {
		c.after.before = c
	}
	l.conns = c
	l.accepted.Add(1)
	l.eng.expirer.add(c)
	return true
}

// ended counts c as ended, for why. Owner of a full pass.
func (l *loop) ended(c *connection, why *CloseError) {
	e := l.eng
	e.throttle.leave(c)
	c.giveAllBack()
	l.mu.Lock()
	l.past.add(c, why)
	l.lingering[c] = struct{}{}
	l.remove(c)
	l.mu.Unlock()
	if e.draining.Load() {
		e.report.add(c, why)
	}
	e.logClosed(c, why)
}

// remove takes c out of the list. The caller holds mu.
func (l *loop) remove(c *connection) {
	if c.before != nil {
		c.before.after = c.after
	} else {
		l.conns = c.after
	}
	if c.after != nil {
		c.after.before = c.before
	}
	c.before, c.after = nil, nil
}

// freed is called, once, when c has ended and its socket is closed. Owner of a full pass.
func (l *loop) freed(c *connection) {
	e := l.eng
	e.expirer.remove(c)
	l.mu.Lock()
	delete(l.lingering, c)
	l.mu.Unlock()
	e.limits.release(c.tr.client())
	if e.freed != nil {
		e.freed()
	}
	e.live.Done()
}

// each calls fn for the connections that there are now, those that linger included. fn is called without a lock.
func (e *engine) each(fn func(*connection)) {
	for _, l := range e.loops {
		l.mu.Lock()
		list := slices.Collect(maps.Keys(l.lingering))
		for c := l.conns; c != nil; c = c.after {
			list = append(list, c)
		}
		l.mu.Unlock()
		for _, c := range list {
			fn(c)
		}
	}
}

// limits counts connections. Who accepts one reserves its place first, so that a burst
// can't overshoot.
type limits struct {
	most, perClient int // 0 for none

	mu      sync.Mutex
	all     int
	clients map[netip.Addr]int

	overAll, overClient atomic.Uint64 // how many were refused, by which limit
}

func (l *limits) init(set *settings) {
	l.most, l.perClient = set.MaxConns, set.MaxPerClient
	l.clients = map[netip.Addr]int{}
}

// reserve takes a place for a connection of client and reports whether there was one. The
// zero client is one that can't be told from others: only the total counts.
func (l *limits) reserve(client netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.most > 0 && l.all >= l.most {
		l.overAll.Add(1)
		return false
	}
	if client.IsValid() && l.perClient > 0 {
		if l.clients[client] >= l.perClient {
			l.overClient.Add(1)
			return false
		}
		l.clients[client]++
	}
	l.all++
	return true
}

// release gives back the place that reserve has taken for client.
func (l *limits) release(client netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	if client.IsValid() && l.perClient > 0 {
		if l.clients[client]--; l.clients[client] <= 0 {
			delete(l.clients, client)
		}
	}
}
