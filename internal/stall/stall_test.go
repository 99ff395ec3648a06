package stall

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor/internal/testkit/leak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

// fake is a suspect.
type fake struct {
	born time.Time

	mu      sync.Mutex
	n       int64           // guarded by mu
	idle    bool            // guarded by mu
	mute    bool            // guarded by mu
	reports []time.Duration // guarded by mu
	asked   int             // guarded by mu
}

func (f *fake) with(fn func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fn()
}

func (f *fake) Progress() (n int64, waiting bool) {
	f.with(func() { n, waiting = f.n, !f.idle })
	return n, waiting
}

func (f *fake) Since() time.Time { return f.born }

func (f *fake) Report(_ context.Context, d time.Duration) (told bool) {
	f.with(func() {
		f.asked++
		if told = !f.mute; told {
			f.reports = append(f.reports, d)
		}
	})
	return told
}

func suspect(t *testing.T) *fake {
	f := &fake{born: time.Now()}
	t.Cleanup(Add(f))
	return f
}

// wait lets d pass while somebody waits for a stream.
func wait(d time.Duration) {
	stop := Watch(context.Background())
	time.Sleep(d)
	synctest.Wait()
	stop()
}

func TestAStallIsReportedOnceAfterTwoPeriods(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := suspect(t)
		wait(2*Period - 1)
		assert.Empty(t, f.reports)
		wait(20 * Period)
		assert.Equal(t, []time.Duration{2*Period - 1}, f.reports, "the first look of the second wait, which knows that of the first")
	})
	synctest.Test(t, func(t *testing.T) {
		f := suspect(t)
		wait(2 * Period)
		assert.Equal(t, []time.Duration{Period}, f.reports)
		wait(time.Hour)
		assert.Len(t, f.reports, 1)
	})
}

func TestWhatMovesIsNoStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		moving, idle := suspect(t), suspect(t)
		idle.idle = true
		stop := Watch(context.Background())
		for range 200 {
			time.Sleep(Period - 1)
			moving.with(func() { moving.n++ })
		}
		stop()
		assert.Empty(t, moving.reports)
		assert.Empty(t, idle.reports)
	})
}

func TestEachStallIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := suspect(t)
		wait(4 * Period)
		f.with(func() { f.n++ })
		wait(4 * Period)
		assert.Equal(t, []time.Duration{Period, Period}, f.reports)
	})
}

// One that has nothing to tell now may have later, and is not asked all the time.
func TestOneThatHasNothingToTellIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := suspect(t)
		f.mute = true
		wait(7 * Period) // looks at 1, 2, 4
		assert.Equal(t, 2, f.asked)
		f.mute = false
		wait(2 * Period)
		assert.Len(t, f.reports, 1)
	})
}

func TestNobodyIsAskedWhenNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := suspect(t)
		for range 100 {
			stop := Watch(context.Background())
			time.Sleep(Period - 1)
			stop()
			stop()
			time.Sleep(time.Hour)
		}
		assert.Zero(t, f.asked)
	})
}

// A suspect that was removed, is collected, or lives on another clock is not looked at.
func TestWhoIsNotLookedAt(t *testing.T) {
	outside := &fake{born: time.Now()}
	defer Add(outside)()
	synctest.Test(t, func(t *testing.T) {
		removed := &fake{born: time.Now()}
		Add(removed)()
		wait(10 * Period)
		assert.Zero(t, removed.asked)
		assert.Zero(t, outside.asked)
	})
}

// The looks of one wait have an end: a bubble in which nothing can move any more shall notice.
func TestTheLooksOfAWaitEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := suspect(t)
		f.mute = true
		wait(30 * 24 * time.Hour)
		assert.Equal(t, rounds-1, f.asked, "all but the first, which has nothing to compare with")
	})
}
