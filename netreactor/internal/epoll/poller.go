//go:build linux && (amd64 || arm64)

package epoll

import (
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// Poller waits for sockets.
type Poller struct {
	fd, event int
	awake     atomic.Bool // Wake was called and Wait has not come across it
}

// Event is what has happened to a socket.
type Event = syscall.EpollEvent

// What can happen; EdgeTriggered: an event is told once, when it happens; Exclusive: to one at least of
// several pollers, and to those only that are waited on, if there are some.
const (
	In            = syscall.EPOLLIN
	Out           = syscall.EPOLLOUT
	PeerClosed    = syscall.EPOLLRDHUP
	HungUp        = syscall.EPOLLHUP
	Failed        = syscall.EPOLLERR
	EdgeTriggered = 1 << 31
	Exclusive     = 1 << 28
)

// wakeSlot marks the event of Wake.
const wakeSlot = -1

// New returns a Poller without sockets.
func New() (*Poller, error) {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	event, _, errno := syscall.RawSyscall(syscall.SYS_EVENTFD2, 0, syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if errno != 0 {
		syscall.Close(fd)
		return nil, os.NewSyscallError("eventfd2", errno)
	}
	p := &Poller{fd: fd, event: int(event)}
	if err := p.Add(p.event, wakeSlot, 0, In|EdgeTriggered); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Add registers a socket. Its events carry slot and generation, so that those of an earlier
// socket in the same slot can be told from those of this one.
func (p *Poller) Add(fd int, slot, generation int32, events uint32) error {
	return p.control(syscall.EPOLL_CTL_ADD, fd, slot, generation, events)
}

// Modify changes what is told of a socket. What is already so is told again.
func (p *Poller) Modify(fd int, slot, generation int32, events uint32) error {
	return p.control(syscall.EPOLL_CTL_MOD, fd, slot, generation, events)
}

func (p *Poller) control(op, fd int, slot, generation int32, events uint32) error {
	e := Event{Events: events, Fd: slot, Pad: generation}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_CTL, uintptr(p.fd), uintptr(op), uintptr(fd), uintptr(unsafe.Pointer(&e)), 0, 0)
	if errno != 0 {
		return os.NewSyscallError("epoll_ctl", errno)
	}
	return nil
}

// Wait fills list with what has happened and returns how much that is. With block it waits
// until there is something, or Wake is called, which is not in the list.
func (p *Poller) Wait(list []Event, block bool) (n int, woken bool, err error) {
	if block {
		n, err = syscall.EpollWait(p.fd, list, -1)
	} else {
		n, err = wait(p.fd, list)
	}
	if err != nil {
		if err == syscall.EINTR {
			return 0, false, nil
		}
		return 0, false, os.NewSyscallError("epoll_wait", err)
	}
	for i := range n {
		if list[i].Fd == wakeSlot {
			woken = true
			p.awake.Store(false) // the count stays: each addition to it is an edge
			list[i] = list[n-1]
			n--
			break
		}
	}
	return n, woken, nil
}

// wait looks without waiting, which need not be told to Go's scheduler.
func wait(fd int, list []Event) (int, error) {
	n, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(fd), uintptr(unsafe.Pointer(&list[0])), uintptr(len(list)), 0, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// Wake ends a Wait, or the next one. Calls before that are one.
func (p *Poller) Wake() {
	if p.awake.Swap(true) {
		return
	}
	one := [8]byte{1} // a number: both processors are little-endian
	syscall.RawSyscall(syscall.SYS_WRITE, uintptr(p.event), uintptr(unsafe.Pointer(&one)), uintptr(len(one)))
}

// Close closes the poller, not the sockets.
func (p *Poller) Close() {
	syscall.Close(p.event)
	syscall.Close(p.fd)
}
