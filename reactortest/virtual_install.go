package reactortest

import (
	"sync"

	"github.com/goreactor/reactor/schedulers"
)

// installed is the clock that stands for all schedulers of the process.
var installed struct {
	mu  sync.Mutex
	now *installation // nil if there is none; guarded by mu
}

// installation is a clock while it is installed.
type installation struct {
	clock    *VirtualTime         // constant
	snapshot *schedulers.Snapshot // what it has put aside; constant
	holders  int                  // tests that use it to their end; guarded by installed.mu
	kept     bool                 // until ResetVirtualTime; guarded by installed.mu
}

// InstallVirtualTime puts a virtual clock in the place of all schedulers: those of
// schedulers.Single, Parallel and BoundedElastic, and those that
// schedulers.NewSingle and the like make from now on; each of the latter can be
// disposed separately. If a clock is installed already, it stays and is returned,
// whatever opts say. Call [ResetVirtualTime] when the test has ended; tests that
// run in parallel with it see the clock as well.
func InstallVirtualTime(opts ...VirtualTimeOption) *VirtualTime {
	return NewVirtualTime(opts...).Install()
}

// Install puts v in the place of all schedulers, see [InstallVirtualTime]. If a
// clock is installed already, that clock stays. Install returns the installed
// clock.
func (v *VirtualTime) Install() *VirtualTime {
	installed.mu.Lock()
	defer installed.mu.Unlock()
	in := v.place()
	in.kept = true
	return in.clock
}

// hold is Install for a test, which calls release once, at its end.
func (v *VirtualTime) hold() *installation {
	installed.mu.Lock()
	defer installed.mu.Unlock()
	in := v.place()
	in.holders++
	return in
}

// place installs v, unless there is one. The caller holds installed.mu.
func (v *VirtualTime) place() *installation {
	if installed.now == nil {
		installed.now = &installation{clock: v, snapshot: schedulers.SetFactoryWithSnapshot(virtualFactory{v})}
	}
	return installed.now
}

// release is the end of hold: the last one takes the clock away.
func (in *installation) release() {
	installed.mu.Lock()
	defer installed.mu.Unlock()
	if in.holders--; in.holders == 0 && !in.kept && in == installed.now {
		in.remove()
	}
}

// remove disposes the clock and brings back what it took the place of. The caller holds installed.mu.
func (in *installation) remove() {
	in.clock.Dispose()
	schedulers.ResetFrom(in.snapshot)
	installed.now = nil
}

// InstalledVirtualTime returns the clock that is installed, or nil.
func InstalledVirtualTime() *VirtualTime {
	installed.mu.Lock()
	defer installed.mu.Unlock()
	if installed.now == nil {
		return nil
	}
	return installed.now.clock
}

// ResetVirtualTime disposes the installed clock, whoever uses it, and brings back the
// schedulers that it replaced. Without an installed clock it does nothing.
func ResetVirtualTime() {
	installed.mu.Lock()
	defer installed.mu.Unlock()
	if installed.now != nil {
		installed.now.remove()
	}
}

// UseVirtualTime is [InstallVirtualTime] for one test: the clock is removed when the test has
// ended, unless another test that still runs uses it in this way, such as the test that t is a
// part of. t is a *testing.T or *testing.B.
func UseVirtualTime(t interface{ Cleanup(func()) }, opts ...VirtualTimeOption) *VirtualTime {
	in := NewVirtualTime(opts...).hold()
	t.Cleanup(in.release)
	return in.clock
}

// virtualFactory makes schedulers that all live on one clock.
type virtualFactory struct{ v *VirtualTime }

func (f virtualFactory) scheduler() schedulers.Scheduler {
	return &lane{clock: &f.v.clock, parent: f.v.lane}
}

func (f virtualFactory) NewSingle(string, ...schedulers.Option) schedulers.Scheduler {
	return f.scheduler()
}

func (f virtualFactory) NewParallel(string, int, ...schedulers.Option) (schedulers.Scheduler, error) {
	return f.scheduler(), nil
}

func (f virtualFactory) NewBoundedElastic(int, int, string, ...schedulers.Option) (schedulers.Scheduler, error) {
	return f.scheduler(), nil
}

func (f virtualFactory) NewPerTaskBoundedElastic(int, int, string, ...schedulers.Option) (schedulers.Scheduler, error) {
	return f.scheduler(), nil
}
