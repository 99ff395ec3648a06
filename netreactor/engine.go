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

// engine is what the connections of a server share.
type engine struct {
	set      *settings
	ctx      context.Context // with the values of whoever made the server
	labels   context.Context // for the goroutines of connections
	loops    []*loop
	driver   driver
	local    net.Addr // of the listener, where the driver has no other; immutable
	expirer  expirer
	throttle throttle
	limits   limits
	within   goroutines

	waited   bool                       // the shutdown has begun with patience; written before draining
	draining atomic.Bool                // no more reading
	cutting  atomic.Pointer[CloseError] // no more patience: what becomes of connections that are busy; written before draining, if at once
	turn     atomic.Uint32
	live     sync.WaitGroup // connections, and goroutines of the driver
	freed    func()         // called when a connection has gone; immutable
	broken   func(error)    // called when a goroutine of the driver can't go on; immutable
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

// loop is the owner of some of the connections: the selector of the epoll driver, and
// with both drivers where they are registered and counted.
type loop struct {
	eng *engine
	id  int

	mu        sync.Mutex
	conns     *connection              // the first of a list, each in it once; mu
	lingering map[*connection]struct{} // that have ended, but whose socket is not closed; mu
	past      totals                   // of those that have ended; mu

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

// nextLoop returns whose turn it is to get a connection.
func (e *engine) nextLoop() *loop {
	return e.loops[int(e.turn.Add(1)-1)%len(e.loops)]
}

// cuts returns what becomes of connections that are busy, or nil as long as they may be: also where nobody has patience, a shutdown
// begins when it drains, and reports nothing of what ends before.
func (e *engine) cuts() *CloseError {
	if !e.draining.Load() {
		return nil
	}
	return e.cutting.Load()
}

// prepare makes c, which is new, a connection of l.
func (l *loop) prepare(c *connection) {
	e := l.eng
	c.eng, c.loop = e, l
	c.id = connIDs.Add(1)
	c.in.max = e.set.MaxFrame
}

// add registers c. It refuses when the engine drains.
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

// ended is called when c has ended.
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

// freed is called when the socket of c is closed.
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

// each calls fn for the connections there are now, those that linger included.
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

	overAll, overClient atomic.Uint64 // refused
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

// release gives the place back.
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
