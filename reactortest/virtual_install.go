package reactortest

import (
	"sync"

	"github.com/goreactor/reactor/schedulers"
)

// installed is the clock that stands for all schedulers of the process.
var installed struct {
	mu       sync.Mutex
	clock    *VirtualTime         // nil if there is none; guarded by mu
	snapshot *schedulers.Snapshot // what it has put aside; guarded by mu
}

// InstallVirtualTime puts a virtual clock in the place of all schedulers: those of
// schedulers.Single, Parallel and BoundedElastic, and what schedulers.NewSingle and
// the like make from now on, each of which can be disposed by itself. If one is
// installed already, it stays and is returned, whatever opts say. Call
// [ResetVirtualTime] when the test has ended; tests that run in parallel with it
// see the clock as well.
func InstallVirtualTime(opts ...VirtualTimeOption) *VirtualTime {
	return NewVirtualTime(opts...).Install()
}

// Install puts v in the place of all schedulers, see [InstallVirtualTime]. If one
// is installed already, that one stays; the result is the one that is installed.
func (v *VirtualTime) Install() *VirtualTime {
	installed.mu.Lock()
	defer installed.mu.Unlock()
	if installed.clock == nil {
		installed.clock = v
		installed.snapshot = schedulers.SetFactoryWithSnapshot(virtualFactory{v})
	}
	return installed.clock
}

// InstalledVirtualTime returns the clock that is installed, or nil.
func InstalledVirtualTime() *VirtualTime {
	installed.mu.Lock()
	defer installed.mu.Unlock()
	return installed.clock
}

// ResetVirtualTime disposes the clock that is installed and brings back the
// schedulers that it took the place of. Without one it does nothing.
func ResetVirtualTime() {
	installed.mu.Lock()
	defer installed.mu.Unlock()
	if installed.clock == nil {
		return
	}
	installed.clock.Dispose()
	schedulers.ResetFrom(installed.snapshot)
	installed.clock, installed.snapshot = nil, nil
}

// UseVirtualTime is [InstallVirtualTime] for one test: the clock is taken away
// when the test has ended. t is a *testing.T or *testing.B.
func UseVirtualTime(t interface{ Cleanup(func()) }, opts ...VirtualTimeOption) *VirtualTime {
	v := InstallVirtualTime(opts...)
	t.Cleanup(ResetVirtualTime)
	return v
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
