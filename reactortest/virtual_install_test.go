package reactortest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

func TestInstallReplacesEveryScheduler(t *testing.T) {
	before := schedulers.Parallel()
	v := InstallVirtualTime()
	defer ResetVirtualTime()
	assert.Same(t, v, InstalledVirtualTime())
	all := []schedulers.Scheduler{schedulers.Single(), schedulers.Parallel(), schedulers.BoundedElastic(), schedulers.NewSingle("x")}
	for _, make := range []func() (schedulers.Scheduler, error){
		func() (schedulers.Scheduler, error) { return schedulers.NewParallel("x", 2) },
		func() (schedulers.Scheduler, error) { return schedulers.NewBoundedElastic(2, 2, "x") },
		func() (schedulers.Scheduler, error) { return schedulers.NewPerTaskBoundedElastic(2, 2, "x") },
	} {
		s, err := make()
		require.NoError(t, err)
		all = append(all, s)
	}
	ran := 0
	for _, s := range all {
		_, err := s.ScheduleAfter(func(context.Context) { ran++ }, time.Hour)
		require.NoError(t, err)
		assert.Equal(t, v.Now(), s.Now())
	}
	v.AdvanceBy(time.Hour)
	assert.Len(t, all, ran)
	ResetVirtualTime()
	assert.Nil(t, InstalledVirtualTime())
	assert.Same(t, before, schedulers.Parallel(), "what was there before is back")
	assert.True(t, v.IsDisposed())
}

func TestInstallTwiceKeepsTheFirst(t *testing.T) {
	before := schedulers.Single()
	v := InstallVirtualTime()
	assert.Same(t, v, InstallVirtualTime())
	assert.Same(t, v, v.Install(), "the same one again does no harm")
	assert.Same(t, v, NewVirtualTime().Install())
	ResetVirtualTime()
	assert.Same(t, before, schedulers.Single())
	ResetVirtualTime()
	assert.Same(t, before, schedulers.Single(), "nothing to reset")
}

func TestResetAfterDispose(t *testing.T) {
	before := schedulers.Single()
	InstallVirtualTime().Dispose()
	ResetVirtualTime()
	assert.Same(t, before, schedulers.Single())
}

func TestRacingInstallsYieldOne(t *testing.T) {
	defer ResetVirtualTime()
	got := make(chan *VirtualTime)
	for range 10 {
		go func() { got <- InstallVirtualTime() }()
	}
	first := <-got
	for range 9 {
		assert.Same(t, first, <-got)
	}
}

func TestInstalledSchedulersAreDisposedByThemselves(t *testing.T) {
	v := UseVirtualTime(t)
	a, b := schedulers.NewSingle("a"), schedulers.NewSingle("b")
	ran := ""
	_, _ = a.ScheduleAfter(func(context.Context) { ran += "a" }, time.Second)
	_, _ = a.NewWorker().ScheduleAfter(func(context.Context) { ran += "a" }, time.Second)
	_, _ = b.ScheduleAfter(func(context.Context) { ran += "b" }, time.Second)
	a.Dispose()
	assert.True(t, a.IsDisposed())
	assert.ErrorIs(t, a.Execute(func(context.Context) {}), schedulers.ErrUnavailable)
	assert.False(t, b.IsDisposed())
	v.AdvanceBy(time.Second)
	assert.Equal(t, "b", ran)
	v.Dispose()
	assert.True(t, b.IsDisposed())
}

// A test and the tests inside it use one clock, until the last of them has ended.
func TestInstalledClockIsThatOfTheOuterTest(t *testing.T) {
	before := schedulers.Single()
	t.Run("outer", func(t *testing.T) {
		clock := UseVirtualTime(t)
		for name, use := range map[string]func(t *testing.T) *VirtualTime{
			"UseVirtualTime": func(t *testing.T) *VirtualTime { return UseVirtualTime(t) },
			"NewMarbles":     func(t *testing.T) *VirtualTime { return NewMarbles(t).Clock() },
			"WithVirtualTime": func(t *testing.T) *VirtualTime {
				hour := WithVirtualTime(t, func() mono.Mono[int64] { return mono.Delay(time.Hour) }).
					ThenAwait(time.Hour).ExpectNext(0).ExpectComplete()
				assert.Equal(t, time.Hour, hour.Verify())
				return clock
			},
		} {
			t.Run(name, func(t *testing.T) { assert.Same(t, clock, use(t)) })
			assert.Same(t, clock, InstalledVirtualTime(), name)
			assert.False(t, clock.IsDisposed(), name)
		}
	})
	assert.Nil(t, InstalledVirtualTime())
	assert.Same(t, before, schedulers.Single())
}

// Who has installed a clock takes it away again: no test that has used it meanwhile does, nor one that goes on
// for longer.
func TestInstalledClockStaysUntilItIsReset(t *testing.T) {
	clock := InstallVirtualTime()
	t.Run("inside", func(t *testing.T) { assert.Same(t, clock, UseVirtualTime(t)) })
	assert.Same(t, clock, InstalledVirtualTime())
	var next *VirtualTime
	t.Run("outlived", func(t *testing.T) {
		UseVirtualTime(t)
		ResetVirtualTime()
		assert.True(t, clock.IsDisposed())
		next = InstallVirtualTime()
	})
	assert.Same(t, next, InstalledVirtualTime(), "the one before is gone")
	ResetVirtualTime()
	assert.Nil(t, InstalledVirtualTime())
}

func TestUseVirtualTimeEndsWithTheTest(t *testing.T) {
	t.Run("inner", func(t *testing.T) {
		assert.Same(t, UseVirtualTime(t), InstalledVirtualTime())
	})
	assert.Nil(t, InstalledVirtualTime())
}
