//go:build linux && (amd64 || arm64)

package netreactor

import (
	"io"
	"net"
	"net/netip"

	"github.com/goreactor/reactor/netreactor/internal/epoll"
)

// haveEpoll says whether there is an epoll driver.
const haveEpoll = true

// epollDriver has selectors that wait for events and workers that make the passes, or
// selectors that make them as well.
type epollDriver struct {
	selectors []*selector
	workers   *workers // nil if the selectors do their work
}

func newEpollDriver(eng *engine) (*epollDriver, error) {
	d := &epollDriver{}
	if eng.set.Workers > 0 {
		d.workers = newWorkers(eng)
	}
	for _, l := range eng.loops {
		s, err := newSelector(eng, l, d.workers)
		if err != nil {
			for _, s := range d.selectors {
				s.poller.Close()
			}
			return nil, err
		}
		d.selectors = append(d.selectors, s)
	}
	return d, nil
}

// start starts the goroutines, inside out.
func (d *epollDriver) start() {
	if d.workers != nil {
		d.workers.start()
	}
	for _, s := range d.selectors {
		s.done.Add(1)
		go s.run()
	}
}

// passAfterTheEnd makes a full pass of a connection whose server has stopped, on a goroutine of its own: for who enters the connection
// that late, as a subscriber does that hears of the end then.
func passAfterTheEnd(c *connection) {
	go func() {
		if work, ok := c.own(0); ok {
			c.run(nil, work)
		}
	}()
}

func (d *epollDriver) name() Engine { return Epoll }

func (d *epollDriver) stop() {
	for _, s := range d.selectors {
		s.stop()
	}
	if d.workers != nil {
		d.workers.stop()
	}
}

func (d *epollDriver) stats(st *Stats) {
	for i, s := range d.selectors {
		s.stats(&st.Selectors[i])
	}
	if d.workers != nil {
		st.Workers = d.workers.stats()
	}
}

// epollTransport is the socket of a connection of the epoll driver.
//
// Events are told once, when something happens (edge-triggered), so that in the flow of
// messages no call of the kernel is needed but read and write. While nobody wants to read and
// there is something to read, they are switched off, except for the end of the peer and for
// room to write.
type epollTransport struct {
	c   *connection
	sel *selector
	fd  int32

	slot, generation int32 // written before the first pass, then immutable

	remote peerAddr // immutable

	// What follows belongs to the owner of a full pass.
	events uint8 // what is told: eventsNone and the others
	may    uint8 // what may be found: bits mayRead and mayEnd
}

// What events are switched on.
const (
	eventsNone = iota // the socket is not added to the poller yet
	eventsAll
	eventsButRead
)

// The bits of may.
const (
	mayRead = 1 << iota // there may be something to read
	mayEnd              // the peer has closed: read until the end is seen
)

// peerAddr is the address of a peer without a zone, in less room than a netip.AddrPort takes. An
// IPv4 address is mapped; the zero value is that of a unix socket. A peer may come from port 0.
type peerAddr struct {
	ip   [16]byte
	port uint16
}

func newPeerAddr(at netip.AddrPort) peerAddr {
	if !at.IsValid() {
		return peerAddr{}
	}
	return peerAddr{at.Addr().As16(), at.Port()}
}

// addr returns the address, which is not valid for a unix socket.
func (p *peerAddr) addr() netip.AddrPort {
	if *p == (peerAddr{}) {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(netip.AddrFrom16(p.ip).Unmap(), p.port)
}

const (
	eventsOn  = epoll.In | epoll.Out | epoll.PeerClosed | epoll.EdgeTriggered
	eventsOff = epoll.Out | epoll.PeerClosed | epoll.EdgeTriggered
)

func (t *epollTransport) submit() {
	if w := t.sel.workers; w != nil {
		w.push(t.c, t.c, 1)
	} else {
		t.sel.push(t.c)
	}
}

func (t *epollTransport) noted(work uint64) {
	if work&workRead != 0 {
		t.may |= mayRead
	}
	if work&workHungUp != 0 {
		t.may |= mayRead | mayEnd
	}
}

func (t *epollTransport) pulls() bool { return t.unread() }

func (t *epollTransport) pull(r *runner) bool {
	to := t.c.space()
	if to == nil {
		to = r.chunk
	}
	n, err := epoll.Read(int(t.fd), to)
	if err == errAgain {
		// What comes from here on is told.
		t.may &^= mayRead
		return false
	}
	// Less than there was room for is all there was, and the end has an event of its own,
	// unless that has been told together with these bytes.
	if n < len(to) && t.may&mayEnd == 0 {
		t.may &^= mayRead
	}
	if n == 0 && err == nil {
		err = io.EOF
	}
	t.c.received(r.chunk, n, err)
	return true
}

func (t *epollTransport) write(out *output) (blocked bool, err error) {
	for out.size > 0 {
		var n int
		if len(out.list) == 1 {
			n, err = epoll.Write(int(t.fd), out.first())
		} else {
			n, err = epoll.Writev(int(t.fd), out.list, out.off)
		}
		if err == errAgain {
			return true, nil // that there is room again is told
		}
		if err != nil {
			return false, err
		}
		out.wrote(n)
	}
	return false, nil
}

func (t *epollTransport) resume(out *output) (blocked bool, err error) { return t.write(out) }

func (t *epollTransport) arm(wants bool) {
	switch {
	case t.events == eventsNone:
		t.events = eventsAll
		if err := t.sel.poller.Add(int(t.fd), t.slot, t.generation, eventsOn); err != nil {
			t.c.fail(ReasonReadFailed, err)
			t.c.enter(workClose)
		}
	case !wants && t.may&mayRead != 0 && t.events == eventsAll:
		t.set(eventsButRead, eventsOff)
	case wants && t.events == eventsButRead && t.may&mayRead == 0:
		t.set(eventsAll, eventsOn) // what has come meanwhile is told now
	}
}

// set switches the events of reading on or off. Owner of a full pass.
func (t *epollTransport) set(now uint8, events uint32) {
	t.events = now
	if err := t.sel.poller.Modify(int(t.fd), t.slot, t.generation, events); err != nil {
		t.c.fail(ReasonReadFailed, err)
		t.c.enter(workClose)
	}
}

func (t *epollTransport) interrupt() {}

func (t *epollTransport) broken() error { return epoll.Broken(int(t.fd)) }

func (t *epollTransport) unread() bool { return t.may&mayRead != 0 }

func (t *epollTransport) finishes() bool { return true }

func (t *epollTransport) finish() bool {
	epoll.Finish(int(t.fd))
	return true
}

func (t *epollTransport) shut(hard bool) {
	t.sel.vacate(t)
	epoll.Close(int(t.fd), hard)
}

func (t *epollTransport) unacked() (n int, ok bool) { return t.sel.unacked(t) }

func (t *epollTransport) losing() bool { return t.remote.addr().IsValid() && losing(uintptr(t.fd)) }

func (t *epollTransport) hurry() bool { return false }

func (t *epollTransport) client() netip.Addr   { return t.remote.addr().Addr() }
func (t *epollTransport) localAddr() net.Addr  { return t.sel.localAddr(t) }
func (t *epollTransport) remoteAddr() net.Addr { return addrOf(t.remote.addr()) }

// addrOf returns the address for users.
func addrOf(at netip.AddrPort) net.Addr {
	if at.IsValid() {
		return net.TCPAddrFromAddrPort(at)
	}
	return &net.UnixAddr{Net: "unix"}
}
