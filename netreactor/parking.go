package netreactor

import (
	"net"
	"sync"
	"time"

	"github.com/goreactor/reactor/internal/timers"
)

// parking is where connections of package net wait that are parked: they have no goroutine, since one
// takes more memory than the rest of an idle connection. Those that can tell when bytes come, and to
// whom nothing has happened from one tick to the next, are asked to leave their goroutine. Who wants
// bytes is watched by the waiter, one goroutine for all; who wants none needs nobody.
//
// A server has one, and all connections that were dialled share one. There is a waiter from the
// first connection that needs it to the last one that there is.
type parking struct {
	tick    time.Duration // immutable
	crowd   int           // so many newcomers may have a goroutine before the next one is parked at once; immutable
	foreign bool          // others may close sockets; immutable
	waiters sync.WaitGroup

	mu        sync.Mutex
	awake     []awakeConn         // that have a goroutine and can be parked; mu
	newcomers int                 // among them; mu
	parked    int                 // how many are; mu
	watched   slots[netTransport] // those of them that want bytes; mu
	waiter    *waiter             // or nil; mu
	alarm     timers.Alarm        // for the next tick, if it is needed; mu
	looked    int32               // the slot of watched that was looked at last; mu
	broken    bool                // a waiter could not go on: nobody is watched any more; mu
	stopped   bool                // mu
}

// awakeConn is a connection that has a goroutine.
type awakeConn struct {
	t        *netTransport
	seen     uint64 // what had happened to it at the last tick
	newcomer bool   // nothing had come yet
}

// age makes it one that is no newcomer. The caller holds mu.
func (a *awakeConn) age(p *parking) {
	if a.newcomer {
		a.newcomer = false
		p.newcomers--
	}
}

const (
	// parkTick is how long nothing has happened to a connection that is parked, at least. It may be twice as
	// long.
	parkTick = time.Second
	// parkCrowd is how many connections that have not sent anything have goroutines before the next ones are parked
	// at once. To resume one takes some microseconds, which are for those to spend who are many and silent.
	parkCrowd = 128
	// parkLooks is how many sockets are looked at by a tick, whether somebody else has closed them.
	parkLooks = 1024
	// neverSeen is what has happened to no connection.
	neverSeen = ^uint64(0)
)

// dialled is where connections wait that were dialled.
var dialled = newParking(parkTick, parkCrowd)

func newParking(tick time.Duration, crowd int) *parking {
	return &parking{tick: tick, crowd: crowd}
}

// socketOf returns the socket below conn if all that is read of it comes by way of that, or nil. What
// others have made may keep bytes that no socket tells of.
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

// wake notes that t has a goroutine now.
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

// park is called by the goroutine of t, which ends if the result is true: from then on t may be resumed.
// Nothing that was read is left with it, or below.
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

// watch has t resumed when bytes come, or were there, and returns its place, or 0 if that is not
// possible. The caller holds mu, and whoever resumes t waits for that.
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
		return 0 // closed by somebody else: who reads is told
	}
	return watchedAt(n)
}

// drop takes t out of those that are awake. The caller holds mu.
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

// leave is called at the end of the goroutine of t, whose socket is closed.
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

// stop ends the waiter and waits for that. All connections are closed.
func (p *parking) stop() {
	p.mu.Lock()
	p.stopped = true
	p.alarm.Stop()
	p.endWaiter()
	p.mu.Unlock()
	p.waiters.Wait()
}

// count returns how many are parked.
func (p *parking) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.parked
}

// ticks reports whether a tick has something to look at. The caller holds mu.
func (p *parking) ticks() bool {
	return !p.stopped && (len(p.awake) > 0 || p.foreign && p.parked > 0)
}

// set sets the alarm if it is needed and not set. The caller holds mu.
func (p *parking) set() {
	if p.ticks() && !p.alarm.SetBefore(0) {
		p.alarm.Set(timers.System{}, 0, p.tick, p.ring)
	}
}

// ring is the tick.
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

// look resumes those of the next parkLooks connections whose sockets somebody else has closed: that is
// no event. The caller holds mu.
func (p *parking) look() {
	for range min(p.watched.made, parkLooks) {
		p.looked = (p.looked + 1) % p.watched.made
		if t := p.watched.at(p.looked).of; t != nil && p.waiter != nil && p.waiter.isClosed(t) {
			t.unpark()
		}
	}
}
