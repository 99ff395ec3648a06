package netreactor

import (
	"context"
	"time"
)

// CanPark says whether connections of the Net engine are parked on this system.
const CanPark = canPark

// Lot is where connections are parked that a test looks at.
type Lot struct{ p *parking }

// NewLot returns one with a tick of so long, where so many connections have goroutines before new ones have none.
func NewLot(tick time.Duration, crowd int) Lot { return Lot{newParking(tick, crowd)} }

// Use has connections parked there.
func (l Lot) Use() ConnOption {
	return func(s *settings) error { s.parking = l.p; return nil }
}

// Parked returns how many are.
func (l Lot) Parked() int { return l.p.count() }

// Newcomers returns how many have a goroutine although nothing has come from them.
func (l Lot) Newcomers() int {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	return l.p.newcomers
}

// ParkEarly has connections parked as early as possible: before their first message, and when
// nothing has come for a millisecond.
func ParkEarly() ConnOption {
	return func(s *settings) error { s.parking = newParking(time.Millisecond, 0); return nil }
}

// ParkNever has each connection keep its goroutine: no tick helps one that was not woken.
func ParkNever() ConnOption {
	return func(s *settings) error { s.parking = newParking(time.Hour, 1<<30); return nil }
}

// Places returns how many places of [OutstandingLimit] are taken.
func Places(s *Server) int64 { return s.eng.throttle.taken.Load() }

// Waiting returns how many connections wait for one.
func Waiting(s *Server) int {
	t := &s.eng.throttle
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.queue)
}

// Draining reports whether the server has begun to shut down, and takes no connection any more.
func Draining(s *Server) bool { return s.eng.draining.Load() }

// Lingering returns how many connections have ended whose sockets are not closed yet.
func Lingering(s *Server) (n int) {
	for _, l := range s.eng.loops {
		l.mu.Lock()
		n += len(l.lingering)
		l.mu.Unlock()
	}
	return n
}

// BusinessEnds reports whether the workers of [Business] take no more tasks.
func BusinessEnds(s *Server) bool { return s.set.business.Execute(func(context.Context) {}) != nil }

// Reserved returns how many connections count for [MaxConns].
func Reserved(s *Server) int {
	l := &s.eng.limits
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all
}
