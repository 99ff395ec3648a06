package schedulers

import (
	"context"
	"fmt"
	"sync/atomic"
)

// The schedulers that the whole process shares, made on first use. An entry is
// never changed, only replaced.
var cached struct {
	single, parallel, elastic atomic.Pointer[shared]
}

// shared is a scheduler that can't be disposed by its users.
type shared struct {
	Scheduler
	name string
	by   *Factory // the factory that was current when it was made, nil for the default
}

// Dispose does nothing.
func (*shared) Dispose() {}

// DisposeGracefully does nothing and says so, unless the scheduler is disposed: then
// it waits for its end.
func (s *shared) DisposeGracefully(ctx context.Context, opts ...DisposeOption) error {
	if s.IsDisposed() {
		return s.Scheduler.DisposeGracefully(ctx, opts...)
	}
	return fmt.Errorf("%s: %w", s.name, ErrShared)
}

// NeverPanics reports whether nothing but the clock does, if it is one of the user. That of a [Factory] may.
func (s *shared) NeverPanics() bool {
	own, ok := s.Scheduler.(interface{ NeverPanics() bool })
	return ok && own.NeverPanics()
}

// OnSystemClock reports whether time is that of the system.
func (s *shared) OnSystemClock() bool {
	on, ok := s.Scheduler.(interface{ OnSystemClock() bool })
	return ok && on.OnSystemClock()
}

// IsVirtual reports whether a test moves the time, and runs what is due.
func (s *shared) IsVirtual() bool {
	v, ok := s.Scheduler.(interface{ IsVirtual() bool })
	return ok && v.IsVirtual()
}

// Stats returns the figures of the scheduler under its shared name.
func (s *shared) Stats() Stats {
	st := s.Scheduler.Stats()
	st.Name = s.name
	return st
}

// String returns for example "schedulers.Parallel()".
func (s *shared) String() string { return s.name }

// Single returns the shared scheduler with one slot, for short tasks that must run in
// order, and for timers. It is made on first use; users can't dispose it, see
// [Shutdown] and [ShutdownNow].
func Single() Scheduler {
	return getShared(&cached.single, "schedulers.Single()", func() Scheduler {
		return NewSingle("single")
	})
}

// Parallel returns the shared scheduler for computation: as many slots as there
// are processors, or as REACTOR_SCHEDULERS_DEFAULT_POOL_SIZE says. It is made on
// first use; users can't dispose it, see [Shutdown] and [ShutdownNow].
func Parallel() Scheduler {
	return getShared(&cached.parallel, "schedulers.Parallel()", func() Scheduler {
		return must(NewParallel("parallel", Defaults().PoolSize))
	})
}

// BoundedElastic returns the shared scheduler for tasks that may block: up to ten
// slots per processor, each with a queue of 100,000, or as the environment says.
// It is made on first use; users can't dispose it, see [Shutdown] and [ShutdownNow].
func BoundedElastic() Scheduler {
	return getShared(&cached.elastic, "schedulers.BoundedElastic()", func() Scheduler {
		c := Defaults()
		if c.BoundedElasticPerTask {
			return must(NewPerTaskBoundedElastic(c.BoundedElasticSize, c.BoundedElasticQueueSize, "boundedElastic"))
		}
		return must(NewBoundedElastic(c.BoundedElasticSize, c.BoundedElasticQueueSize, "boundedElastic"))
	})
}

// must unwraps what can only fail in a factory that was set by the program.
func must(s Scheduler, err error) Scheduler {
	if err != nil {
		panic("schedulers: the factory failed for a shared scheduler: " + err.Error())
	}
	return s
}

func getShared(p *atomic.Pointer[shared], name string, build func() Scheduler) Scheduler {
	if s := p.Load(); s != nil {
		return s
	}
	for {
		by := factory.Load()
		made := &shared{build(), name, by}
		if p.CompareAndSwap(nil, made) {
			// SetFactory stores the new factory first, and then looks for what the old one has made: so one of the two sees the other.
			if factory.Load() == by || !p.CompareAndSwap(made, nil) {
				return made
			}
		}
		made.Scheduler.Dispose()
		if s := p.Load(); s != nil {
			return s
		}
	}
}

// Snapshot holds the factory and the shared schedulers that
// [SetFactoryWithSnapshot] has put aside.
type Snapshot struct {
	factory                   *Factory
	single, parallel, elastic *shared
}

// take empties the caches and returns what was in them.
func take() *Snapshot {
	return &Snapshot{
		single:   cached.single.Swap(nil),
		parallel: cached.parallel.Swap(nil),
		elastic:  cached.elastic.Swap(nil),
	}
}

// takeOther empties p, unless by has made what is there, and returns what was in it.
func takeOther(p *atomic.Pointer[shared], by *Factory) *shared {
	for {
		s := p.Load()
		if s == nil || s.by == by {
			return nil
		}
		if p.CompareAndSwap(s, nil) {
			return s
		}
	}
}

// Dispose disposes the shared schedulers that were put aside, for a snapshot that
// will not be restored.
func (s *Snapshot) Dispose() {
	for _, sh := range s.all() {
		sh.Scheduler.Dispose()
	}
}

// IsDisposed reports whether all shared schedulers that were put aside are
// disposed.
func (s *Snapshot) IsDisposed() bool {
	for _, sh := range s.all() {
		if !sh.IsDisposed() {
			return false
		}
	}
	return true
}

// all returns the shared schedulers that were put aside.
func (s *Snapshot) all() (list []*shared) {
	for _, sh := range []*shared{s.single, s.parallel, s.elastic} {
		if sh != nil {
			list = append(list, sh)
		}
	}
	return list
}

// ShutdownNow disposes the shared schedulers, also those that [Shutdown] waits for. A
// scheduler that somebody still holds refuses tasks from now on; the next call of
// [Single], [Parallel] or [BoundedElastic] makes a new one.
//
// Streams are not told. A stream that waits for a queued task, or for a task whose
// time has not come, waits for ever: that may happen behind PublishOn, a FlatMap of
// queued functions, Delay, Interval and Timeout. Cancel such a stream, or end its
// context. A stream that goes on and uses a scheduler that it holds fails with
// [ErrRejected]. To lose nothing, use [Shutdown].
func ShutdownNow() {
	take().Dispose()
	disposeDraining()
}

// SetFactory disposes the shared schedulers and makes f the factory of all
// schedulers that are made from now on. Other schedulers that were made before
// stay as they are. A nil f panics.
func SetFactory(f Factory) {
	if f == nil {
		panic("schedulers: SetFactory: factory is nil")
	}
	factory.Store(&f)
	ShutdownNow()
}

// ResetFactory disposes the shared schedulers and goes back to the default.
func ResetFactory() {
	factory.Store(nil)
	ShutdownNow()
}

// SetFactoryWithSnapshot is [SetFactory], but puts the shared schedulers aside
// instead of disposing them; [ResetFrom] brings them back.
func SetFactoryWithSnapshot(f Factory) *Snapshot {
	if f == nil {
		panic("schedulers: SetFactoryWithSnapshot: factory is nil")
	}
	old := factory.Swap(&f)
	return &Snapshot{
		factory:  old,
		single:   takeOther(&cached.single, &f),
		parallel: takeOther(&cached.parallel, &f),
		elastic:  takeOther(&cached.elastic, &f),
	}
}

// ResetFrom brings back what s has put aside, first the factory and then the shared
// schedulers, and disposes the shared schedulers that were made in between. A
// scheduler of s that was disposed meanwhile is made anew when it is needed. It may
// be called again. A nil s means [ResetFactory].
func ResetFrom(s *Snapshot) {
	if s == nil {
		ResetFactory()
		return
	}
	factory.Store(s.factory)
	between := &Snapshot{
		single:   bringBack(&cached.single, s.single, s.factory),
		parallel: bringBack(&cached.parallel, s.parallel, s.factory),
		elastic:  bringBack(&cached.elastic, s.elastic, s.factory),
	}
	between.Dispose()
}

// bringBack puts s where it was and returns what was there instead. If s is disposed, or
// there was none, what by has made meanwhile stays.
func bringBack(p *atomic.Pointer[shared], s *shared, by *Factory) (instead *shared) {
	if s == nil || s.IsDisposed() {
		return takeOther(p, by)
	}
	if instead = p.Swap(s); instead == s {
		return nil
	}
	return instead
}
