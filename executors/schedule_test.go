package executors_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
)

// A worker that can't be started leaves its task to those that rest.
func TestC6_WorkerThatCanNotBeStarted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var no atomic.Bool
		p := newScheduled(t, 2, executors.WithSpawn(func(_ string, run func()) error {
			if no.Load() {
				return reactor.ErrGoexit
			}
			go run()
			return nil
		}))
		n := newRunNote()
		accept[*executors.Handle](t)(p.After(0, n.run))
		synctest.Wait()
		no.Store(true)
		accept[*executors.Handle](t)(p.After(0, n.run))
		synctest.Wait()
		assert.Equal(t, []int{0, 0}, n.read())
		accept[*executors.Handle](t)(p.After(time.Second, n.run))
		pass(time.Second)
		assert.Equal(t, []int{0, 0, 1000}, n.read())
	})
}

// The only worker there would be is started all the same: its tasks were accepted.
func TestC6_OnlyWorkerThatCanNotBeStarted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		asked := 0
		p := newScheduled(t, 1, executors.WithSpawn(func(string, func()) error { asked++; return errors.New("no goroutines today") }))
		n := newRunNote()
		accept[*executors.Handle](t)(p.After(time.Second, n.run))
		pass(time.Second)
		assert.Equal(t, []int{1000}, n.read())
		assert.Equal(t, 1, asked)
		assert.Equal(t, 1, p.Stats().Workers)
	})
}

// Nobody is woken for a run that is late already: the worker that has made it late takes it, which would leave who is woken without one.
func TestC8_LateRunsStayWithTheirWorker(t *testing.T) {
	bubble(t, func(t *testing.T) {
		clock := new(timersClock)
		p := newScheduled(t, 2, executors.WithClock(clock))
		assert.Equal(t, 2, p.PrestartAll())
		synctest.Wait()
		var of []string
		h := accept[*executors.Handle](t)(p.AtFixedRate(time.Millisecond, time.Millisecond, func(ctx context.Context) error {
			of = append(of, executors.WorkerName(ctx))
			time.Sleep(10 * time.Millisecond)
			return nil
		}))
		pass(time.Second)
		h.Cancel(nil)
		synctest.Wait()
		assert.Len(t, of, 100)
		assert.Len(t, slices.Compact(of), 1)
		assert.LessOrEqual(t, clock.all.Load(), int32(2))
	})
}
