//go:build linux && (amd64 || arm64)

package epoll

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// Poller tells what happens to sockets. It is itself among what Go's poller waits for, so that who
// waits for it holds neither a thread nor a processor.
type Poller struct {
	fd, event int
	file      *os.File // owns fd
	raw       syscall.RawConn
	awake     atomic.Bool // Wake was called and Look has not come across it
}

// Event is what has happened to a socket.
type Event = syscall.EpollEvent

// What can happen; EdgeTriggered: an event is told once, when it happens; Once: nothing is told after
// the first event.
const (
	In            = syscall.EPOLLIN
	Out           = syscall.EPOLLOUT
	PeerClosed    = syscall.EPOLLRDHUP
	HungUp        = syscall.EPOLLHUP
	Failed        = syscall.EPOLLERR
	Once          = 1 << 30
	EdgeTriggered = 1 << 31
)

// wakeSlot marks the event of Wake.
const wakeSlot = -1

// New returns a Poller without sockets.
func New() (*Poller, error) {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	if err := syscall.SetNonblock(fd, true); err != nil { // os.NewFile asks for it
		syscall.Close(fd)
		return nil, os.NewSyscallError("fcntl", err)
	}
	p := &Poller{fd: fd, event: -1, file: os.NewFile(uintptr(fd), "epoll")}
	if err := p.init(); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func (p *Poller) init() (err error) {
	if err := p.file.SetReadDeadline(time.Time{}); err != nil {
		return fmt.Errorf("epoll: Go's poller does not take a descriptor of epoll: %w", err)
	}
	if p.raw, err = p.file.SyscallConn(); err != nil {
		return err
	}
	event, _, errno := syscall.RawSyscall(syscall.SYS_EVENTFD2, 0, syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if errno != 0 {
		return os.NewSyscallError("eventfd2", errno)
	}
	p.event = int(event)
	return p.Add(p.event, wakeSlot, 0, In|EdgeTriggered)
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

// Remove ends what Add began.
func (p *Poller) Remove(fd int) { _ = p.control(syscall.EPOLL_CTL_DEL, fd, 0, 0, 0) }

func (p *Poller) control(op, fd int, slot, generation int32, events uint32) error {
	e := Event{Events: events, Fd: slot, Pad: generation}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_CTL, uintptr(p.fd), uintptr(op), uintptr(fd), uintptr(unsafe.Pointer(&e)), 0, 0)
	if errno != 0 {
		return os.NewSyscallError("epoll_ctl", errno)
	}
	return nil
}

// Run calls turn, and again each time that something may have happened, until turn reports that
// it has ended. What happened before is not told again: turn looks until a list comes back that is
// not full.
func (p *Poller) Run(turn func() (ended bool)) error {
	return p.raw.Read(func(uintptr) bool { return turn() })
}

// Look fills list with what has happened and returns how much that is. Calls of Wake are not in
// the list.
func (p *Poller) Look(list []Event) (int, error) {
	got, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(p.fd), uintptr(unsafe.Pointer(&list[0])), uintptr(len(list)), 0, 0, 0)
	if errno != 0 {
		return 0, os.NewSyscallError("epoll_pwait", errno)
	}
	n := int(got)
	for i := range n {
		if list[i].Fd == wakeSlot {
			p.awake.Store(false) // the count stays: each addition to it is an edge
			list[i] = list[n-1]
			return n - 1, nil
		}
	}
	return n, nil
}

// Wake has Run call turn. Calls before that are one.
func (p *Poller) Wake() {
	if p.awake.Swap(true) {
		return
	}
	one := [8]byte{1} // a number: both processors are little-endian
	syscall.RawSyscall(syscall.SYS_WRITE, uintptr(p.event), uintptr(unsafe.Pointer(&one)), uintptr(len(one)))
}

// Close closes the poller, not the sockets. Run has returned.
func (p *Poller) Close() {
	if p.event >= 0 {
		syscall.Close(p.event)
	}
	p.file.Close()
}
