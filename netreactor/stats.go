package netreactor

import (
	"net"
	"sync"
	"time"
)

// Stats are the figures of a server.
type Stats struct {
	Engine    Engine
	Acceptor  AcceptorStats
	Selectors []SelectorStats
	Workers   WorkerStats
	Totals
	Closed map[Reason]uint64 // connections that have ended, by reason
	Parked int               // open connections of the Net engine that wait without a goroutine, on Linux
}

// Totals are sums over connections, those that have ended included.
type Totals struct {
	Connections int // open now
	Paused      int // connections among them whose handler asks for nothing
	FramesIn    uint64
	FramesOut   uint64
	BytesIn     uint64
	BytesOut    uint64
	Outstanding int64 // messages that were given to handlers, less those that came from them, of connections that are open
	Unsent      int64 // bytes that wait to be written
}

// AcceptorStats are the figures of the goroutine that accepts connections.
type AcceptorStats struct {
	Accepted      uint64 // those of RejectedClose, too
	RejectedAll   uint64 // because of MaxConns
	RejectedIP    uint64 // because of MaxPerClient
	RejectedClose uint64 // because the server was shutting down
	Errors        uint64 // failures of accept
	Pauses        uint64 // because there were no descriptors left, or other errors
	Paused        bool
}

// SelectorStats are the figures of a selector. With the Net engine a selector exists in
// name only: each of its connections waits on its own.
type SelectorStats struct {
	Accepted uint64
	Totals
	Queued int    // connections that wait for their turn
	Waits  uint64 // calls of epoll_wait
	Events uint64
	Wakes  uint64 // from outside
}

// WorkerStats are the figures of the goroutines that do the I/O.
type WorkerStats struct {
	Workers int
	Busy    int
	Queued  int // connections that wait for one
	Passes  uint64
}

// ConnStats are the figures of a connection. Once the connection has ended, nothing of it is open,
// paused, outstanding or unsent.
type ConnStats struct {
	ID         uint64
	RemoteAddr net.Addr
	Totals
	PausedFor time.Duration // since when nobody asks for anything, 0 if somebody does
}

// totals are the sums over connections that have ended.
type totals struct {
	framesIn, framesOut, bytesIn, bytesOut uint64
	reasons                                [reasons]uint64
}

func (t *totals) add(c *connection, why *CloseError) {
	t.framesIn += c.delivered.Load()
	t.framesOut += c.answered.Load()
	t.bytesIn += c.bytesIn.Load()
	t.bytesOut += c.bytesOut.Load()
	t.reasons[why.Reason]++
}

// plus adds the figures of o.
func (t *Totals) plus(o Totals) {
	t.Connections += o.Connections
	t.Paused += o.Paused
	t.FramesIn += o.FramesIn
	t.FramesOut += o.FramesOut
	t.BytesIn += o.BytesIn
	t.BytesOut += o.BytesOut
	t.Outstanding += o.Outstanding
	t.Unsent += o.Unsent
}

func (c *connection) stats() ConnStats {
	totals, pausedFor := c.figures()
	return ConnStats{ID: c.id, RemoteAddr: c.tr.remoteAddr(), Totals: totals, PausedFor: pausedFor}
}

// figures is the part of stats that does not ask the socket, which may be one of a listener from elsewhere. Any goroutine.
func (c *connection) figures() (t Totals, pausedFor time.Duration) {
	in, out := c.delivered.Load(), c.answered.Load()
	t = Totals{FramesIn: in, FramesOut: out, BytesIn: c.bytesIn.Load(), BytesOut: c.bytesOut.Load()}
	if c.context().Err() != nil {
		return t, 0
	}
	t.Connections, t.Outstanding, t.Unsent = 1, max(0, int64(in-out)), c.waiting()
	if since := c.watch.paused.Load(); since != 0 {
		t.Paused, pausedFor = 1, time.Duration(max(1, c.eng.expirer.elapsed()+c.eng.expirer.ahead()-since))
	}
	return t, pausedFor
}

func (l *loop) stats() SelectorStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := SelectorStats{Accepted: l.accepted.Load()}
	s.FramesIn, s.FramesOut, s.BytesIn, s.BytesOut = l.past.framesIn, l.past.framesOut, l.past.bytesIn, l.past.bytesOut
	for c := l.conns; c != nil; c = c.after {
		t, _ := c.figures()
		s.plus(t)
	}
	return s
}

// report collects what a shutdown does to connections.
type report struct {
	mu sync.Mutex
	ShutdownReport
}

// ShutdownReport says what became of the connections that were open when a shutdown began. A
// connection that ended for another reason meanwhile, by a reset of the peer for example, or
// because it took too long, is neither drained nor cut: [Stats] has its reason.
type ShutdownReport struct {
	Drained    int   // connections that ended with nothing left to do
	Cut        int   // connections that did not in time, or whose peers were seen to send on and lose what was written
	Unanswered int64 // messages that were given to handlers of those that were cut and have no answer
	Unsent     int64 // bytes that were sent on them and not written
}

func (r *report) add(c *connection, why *CloseError) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case why.Reason == ReasonPeerClosed || why.Reason == ReasonShutdown || why == c.finish.Load(): // all was written
		r.Drained++
		c.drained = true
	case why.Reason == ReasonCut:
		r.Cut++
		r.Unanswered += max(0, int64(c.delivered.Load()-c.answered.Load()))
		r.Unsent += c.waiting()
	}
}

// lost counts c as cut, if it was counted as drained: its socket can't linger any longer, and the peer has not got all that was
// written. Owner of a full pass.
func (r *report) lost(c *connection) {
	if c.drained {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.Drained--
		r.Cut++
	}
}
