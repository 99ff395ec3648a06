package netreactor

import (
	"net"
	"sync"
	"time"

	"github.com/goreactor/reactor/internal/timers"
)

// parking is where connections of package net are parked: they wait without a goroutine, since one
// takes more memory than the rest of an idle connection. A connection whose socket can be watched, and to
// which nothing has happened from one tick to the next, is parked by its goroutine, which ends. A parked connection that wants
// bytes is watched by the waiter, one goroutine for all; one that wants none is not watched.
//
// A server has a parking, and all connections that were dialled share one. It has a waiter from the
// first connection that is watched until the last connection has ended.
type parking struct {
	tick    time.Duration // immutable
	crowd   int           // so many newcomers may have a goroutine before the next one is parked at once; immutable
	foreign bool          // somebody else may close sockets; immutable
	waiters sync.WaitGroup

	mu        sync.Mutex
	awake     []awakeConn         // connections that have a goroutine and can be parked; mu
	newcomers int                 // how many in awake are newcomers; mu
	parked    int                 // how many connections are parked; mu
	watched   slots[netTransport] // parked connections that want bytes; mu
	waiter    *waiter             // or nil; mu
	alarm     timers.Alarm        // for the next tick, if it is needed; mu
	looked    int32               // the slot of watched that was looked at last; mu
	broken    bool                // a waiter could not go on: nobody is watched any more; mu
	stopped   bool                // mu
}

// awakeConn is a connection that has a goroutine. All of it is under mu of parking.
type awakeConn struct {
	t        *netTransport
	seen     uint64 // what happened returned at the last tick
	newcomer bool   // nothing had come for the connection when somebody looked last
}

// age notes that the connection is no newcomer any more. The caller holds mu.
func (a *awakeConn) age(p *parking) {
	if a.newcomer {
		a.newcomer = false
		p.newcomers--
	}
}

const (
	// parkTick is how long nothing has to happen to a connection before it is parked; it may take twice as
	// long.
	parkTick = time.Second
	// parkCrowd is how many connections to which nothing has come have goroutines before the next ones are parked
	// at once. To resume one takes some microseconds: only where there are many that are silent is that worth the memory.
	parkCrowd = 128
	// parkLooks is how many sockets a tick looks at, at most, to see whether somebody else has closed them.
	parkLooks = 1024
	// neverSeen is a number that happened returns for no connection.
	neverSeen = ^uint64(0)
)

// dialled is where all connections are parked that were dialled.
var dialled = newParking(parkTick, parkCrowd)

func newParking(tick time.Duration, crowd int) *parking {
	return &parking{tick: tick, crowd: crowd}
}

// socketOf returns the socket of conn, which may be below TLS, or nil if conn is anything else: a connection that
// others have made may hold bytes of which no socket tells.
func socketOf(conn net.Conn) net.Conn {
	switch conn := below(conn).(type) {
	case *net.TCPConn:
		return conn
	case *net.UnixConn:
		if conn.LocalAddr().Network() == "unix" {
			return conn
		}
	}
	return nil
}

// wake notes that t has a goroutine now. It is called by that goroutine.
func (p *parking) wake(t *netTransport) {
	if !canPark {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.parked {
		t.parked = false
		p.parked--
	}
	if t.place < 0 {
		if p.waiter != nil {
			p.waiter.remove(t)
		}
		p.watched.vacate(watchedAt(t.place))
		t.place = 0
	}
	if t.place == 0 && t.parks {
		newcomer := t.happened() == 0
		if newcomer {
			p.newcomers++
		}
		p.awake = append(p.awake, awakeConn{t, neverSeen, newcomer})
		t.place = int32(len(p.awake))
	}
	p.set()
}

// watchedAt returns the slot of a connection whose place is below 0, or the other way round.
func watchedAt(place int32) int32 { return -1 - place }

// isCrowded reports whether a newcomer shall have no goroutine as long as nothing comes.
func (p *parking) isCrowded() bool {
	if !canPark {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.newcomers >= p.crowd
}

// park is called by the goroutine of t, which has to end if the result is true: t may have been resumed already when park returns.
// The caller has read all that TLS has, if t wants any.
func (p *parking) park(t *netTransport) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	place := int32(0)
	if t.wants {
		if place = p.watch(t); place == 0 {
			return false
		}
	}
	p.parked++
	p.drop(t)
	p.set()
	t.place, t.parked = place, true
	t.mode.Store(modeParked)
	return true
}

// watch has t resumed when bytes come, or are there already, and returns the place of t, or 0 if that is not
// possible. The caller holds mu, so that the waiter resumes t only after it is parked.
func (p *parking) watch(t *netTransport) int32 {
	if p.stopped || p.broken {
		return 0
	}
	if p.waiter == nil {
		w, err := newWaiter(labels(t.c.eng.set, "waiter"), p)
		if err != nil {
			return 0 // there are no descriptors left, say
		}
		p.waiter = w
	}
	n, generation := p.watched.take(t)
	if err := p.waiter.add(t, n, generation); err != nil {
		p.watched.vacate(n)
		return 0 // somebody else has closed the socket: the goroutine of t finds that out when it reads
	}
	return watchedAt(n)
}

// drop takes t out of awake, if it is there. The caller holds mu.
func (p *parking) drop(t *netTransport) {
	if t.place <= 0 {
		return
	}
	at, last := t.place-1, len(p.awake)-1
	p.awake[at].age(p)
	p.awake[at] = p.awake[last]
	p.awake[at].t.place = at + 1
	p.awake[last] = awakeConn{}
	p.awake = p.awake[:last]
	t.place = 0
	if !p.ticks() {
		p.alarm.Stop()
	}
}

// leave is called by the goroutine of t, whose socket is closed, when it ends.
func (p *parking) leave(t *netTransport) {
	if !canPark {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(t)
	if len(p.awake) == 0 && p.parked == 0 {
		p.endWaiter()
	}
}

// endWaiter ends the waiter, if there is one. The caller holds mu.
func (p *parking) endWaiter() {
	if p.waiter != nil {
		p.waiter.end()
		p.waiter = nil
	}
}

// stop ends the waiter and waits until its goroutine has ended. All connections are closed. It is called once, by the driver.
func (p *parking) stop() {
	p.mu.Lock()
	p.stopped = true
	p.alarm.Stop()
	p.endWaiter()
	p.mu.Unlock()
	p.waiters.Wait()
}

// count returns how many connections are parked.
func (p *parking) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.parked
}

// ticks reports whether a tick has something to look at. The caller holds mu.
func (p *parking) ticks() bool {
	return !p.stopped && (len(p.awake) > 0 || p.foreign && p.parked > 0)
}

// set sets the alarm for the next tick if there is something to look at and it is not set. The caller holds mu.
func (p *parking) set() {
	if p.ticks() && !p.alarm.SetBefore(0) {
		p.alarm.Set(timers.System{}, 0, p.tick, p.ring)
	}
}

// ring is the tick, on a goroutine of the clock: it asks connections to park to which nothing has happened since the last one.
func (p *parking) ring() {
	var idle []*netTransport
	p.mu.Lock()
	p.alarm.Stop()
	for i := range p.awake {
		a := &p.awake[i]
		if now := a.t.happened(); now != a.seen {
			if a.seen = now; now > 0 {
				a.age(p)
			}
		} else {
			idle = append(idle, a.t)
		}
	}
	if p.foreign {
		p.look()
	}
	p.set()
	p.mu.Unlock()
	for _, t := range idle {
		t.askToPark()
	}
}

// look looks at the next parkLooks connections in watched, and resumes those whose sockets somebody else has closed, for the waiter gets
// no event of that. The caller holds mu.
func (p *parking) look() {
	for range min(p.watched.made, parkLooks) {
		p.looked = (p.looked + 1) % p.watched.made
		if t := p.watched.at(p.looked).of; t != nil && p.waiter != nil && p.waiter.isClosed(t) {
			t.unpark()
		}
	}
}
