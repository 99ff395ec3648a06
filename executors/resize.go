package executors

import (
	"fmt"
	"math"
	"time"

	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/timers"
)

// never is the idle time of a worker that need not leave.
const never = math.MaxInt64

// SetCore sets the core size. Raising it starts workers for what is in the queue;
// lowering it lets workers leave when they have been idle for the keep-alive time.
// It refuses n < 0 and n above the maximum.
func (p *ThreadPool) SetCore(n int) error {
	return p.resize(func(_, most int) (int, int) { return n, most })
}

// SetMax sets the most workers there may be. Raising it starts none for what is in
// the queue already; lowering it lets workers leave as soon as they are idle. It
// refuses n ≤ 0 and n below the core size.
func (p *ThreadPool) SetMax(n int) error {
	return p.resize(func(core, _ int) (int, int) { return core, n })
}

// Resize sets the core size and the maximum together.
func (p *ThreadPool) Resize(core, most int) error {
	return p.resize(func(int, int) (int, int) { return core, most })
}

func (p *ThreadPool) resize(to func(core, most int) (int, int)) error {
	if !p.made() {
		return errNotMade
	}
	p.lock()
	core, most := to(p.core, p.most)
	if err := checkSizes(core, most); err != nil {
		p.unlock()
		return err
	}
	grow := min(core-p.core, p.queue.len())
	shrink := core < p.core
	p.core, p.most = core, most
	var gone, hired []*worker
	for p.workers > p.most && len(p.idle) > 0 {
		gone = append(gone, p.dismiss())
	}
	if shrink {
		gone = append(gone, p.reconsider()...)
	}
	for range grow {
		if p.workers >= p.core || p.state >= poolStop {
			break
		}
		hired = append(hired, p.hire())
	}
	woken := p.room()
	p.unlock()
	woken.wake()
	for _, w := range gone {
		w.signal()
	}
	failure.Persist(len(hired), func(i int) bool {
		p.start(hired[i]) // may end the goroutine
		return true
	})
	return nil
}

// start starts a worker that has no task yet, and reports whether the worker runs.
func (p *ThreadPool) start(w *worker) bool {
	ok := true
	_ = p.launch(w, func() { ok = p.startAnyhow(w) })
	return ok
}

// startAnyhow is called when spawn has not started w. If w is the only worker and tasks wait, a go statement starts it, since their
// submitters have relied on it, and the result is true; otherwise its hiring is undone.
func (p *ThreadPool) startAnyhow(w *worker) bool {
	p.lock()
	if p.workers == 1 && p.queue.len() > 0 {
		p.unlock()
		go w.loop()
		return true
	}
	p.dismissUnstarted() // unlocks
	return false
}

// SetKeepAlive sets how long a worker that may leave stays idle before it does. It
// refuses d < 0, and it refuses 0 while core workers may leave.
func (p *ThreadPool) SetKeepAlive(d time.Duration) error {
	if !p.made() {
		return errNotMade
	}
	p.lock()
	if d < 0 || d == 0 && p.coreTimeOut {
		p.unlock()
		return fmt.Errorf("executors: keepAlive > 0 required, or ≥ 0 without core time-out, but it was %v: %w", d, errArgument)
	}
	p.keepAlive = d
	p.reconsidered()
	return nil
}

// AllowCoreTimeout says whether the last core workers may leave too. It refuses true
// while the keep-alive time is 0.
func (p *ThreadPool) AllowCoreTimeout(allow bool) error {
	if !p.made() {
		return errNotMade
	}
	p.lock()
	if d := p.keepAlive; allow && d <= 0 {
		p.unlock()
		return fmt.Errorf("executors: core time-out needs keepAlive > 0 but it was %v: %w", d, errArgument)
	}
	p.coreTimeOut = allow
	p.reconsidered()
	return nil
}

// PrestartOne starts a core worker before there is a task for it, and reports
// whether there was one to start.
func (p *ThreadPool) PrestartOne() bool {
	if !p.made() {
		return false
	}
	p.lock()
	if p.workers >= p.core || p.state != poolRunning {
		p.unlock()
		return false
	}
	w := p.hire()
	p.unlock()
	return p.start(w)
}

// PrestartAll starts all core workers and returns how many those were.
func (p *ThreadPool) PrestartAll() int {
	n := 0
	for p.PrestartOne() {
		n++
	}
	return n
}

// surplus reports whether a worker may leave. The last worker never leaves tasks in the
// queue behind. The caller holds mu.
func (p *ThreadPool) surplus() bool {
	return (p.workers > p.core || p.coreTimeOut) && (p.workers > 1 || p.queue.len() == 0)
}

// dismiss takes the worker that is idle longest off the list of idle workers. The caller
// holds mu, and signals that worker when mu is released.
func (p *ThreadPool) dismiss() *worker {
	w := p.idle[0]
	p.idle[0], p.idle = nil, p.idle[1:]
	if len(p.idle) == 0 {
		p.idle = nil
	}
	w.quit = true
	p.workers--
	return w
}

// armReaper sets the timer to the time when the next worker is to leave. The caller
// holds mu.
func (p *ThreadPool) armReaper() {
	if p.stopReaper != nil || len(p.idle) == 0 || !p.surplus() {
		return
	}
	now := p.now()
	first := p.idle[0]
	if first.idleSince == never {
		first.idleSince = now
	}
	wait := timers.Later(first.idleSince, p.keepAlive) - now
	p.stopReaper = p.clock.AfterFunc(time.Duration(wait), p.reap)
}

// disarmReaper stops the timer. The caller holds mu.
func (p *ThreadPool) disarmReaper() {
	if p.stopReaper != nil {
		p.stopReaper()
		p.stopReaper = nil
	}
}

// reap lets the workers leave that have been idle for too long.
func (p *ThreadPool) reap() {
	p.lock()
	p.disarmReaper() // the timer that has called, or one that was set after that had gone off
	gone := p.expire()
	p.unlock()
	for _, w := range gone {
		w.signal()
	}
}

// expire takes the workers that were idle for too long off the list of idle workers, and arms
// the timer for the next one. The caller holds mu, and signals those that are gone when mu is released.
func (p *ThreadPool) expire() (gone []*worker) {
	for len(p.idle) > 0 && p.surplus() {
		if timers.Later(p.idle[0].idleSince, p.keepAlive) > p.now() { // also where idleSince is never: armReaper has the time of that worker begin
			break
		}
		gone = append(gone, p.dismiss())
	}
	p.armReaper()
	return gone
}

// reconsider begins the idle times anew, under new rules. The caller holds mu.
func (p *ThreadPool) reconsider() (gone []*worker) {
	p.disarmReaper()
	now := p.now()
	for _, w := range p.idle {
		w.idleSince = now
	}
	return p.expire()
}

// reconsidered is reconsider for a caller that has nothing else to do: it releases mu, and signals the workers that leave.
func (p *ThreadPool) reconsidered() {
	gone := p.reconsider()
	p.unlock()
	for _, w := range gone {
		w.signal()
	}
}
