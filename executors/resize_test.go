package executors_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
)

// Setters of several goroutines don't race, also where one refuses and says why.
func TestRaceSettersOfAPool(t *testing.T) {
	p := newPool(t, 1, 1, executors.Unbounded())
	assert.NoError(t, p.SetKeepAlive(0))
	var all sync.WaitGroup
	for _, call := range []func(){
		func() { assert.NoError(t, p.SetKeepAlive(0)) },
		func() {
			assert.ErrorContains(t, p.AllowCoreTimeout(true), "core time-out needs keepAlive > 0 but it was 0s")
		},
		func() { assert.ErrorContains(t, p.SetKeepAlive(-1), "but it was -1ns") },
		func() { assert.ErrorContains(t, p.SetMax(0), "most > 0 required but it was 0") },
		func() { assert.ErrorContains(t, p.SetCore(2), "most ≥ core required but they were 1 and 2") },
		func() { assert.NoError(t, p.Resize(1, 1)) },
	} {
		all.Go(func() {
			for range 300 {
				call()
			}
		})
	}
	all.Wait()
}

// Workers that have nothing to do leave at once when there may not be so many, and after the keep-alive time when they are no
// core workers any more.
func TestB7_1_IdleWorkersLeaveASmallerPool(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 4, 4, executors.Unbounded())
		assert.Equal(t, 4, p.PrestartAll())
		pass(time.Hour)
		assert.NoError(t, p.SetCore(2))
		pass(59 * time.Second)
		assert.Equal(t, 4, p.Stats().Workers)
		pass(time.Second)
		assert.Equal(t, 2, p.Stats().Workers)
		assert.NoError(t, p.Resize(1, 1))
		synctest.Wait()
		assert.Equal(t, 1, p.Stats().Workers)
	})
}

// A worker that is started beforehand, and can't be, is started all the same for a task that has relied on it.
func TestB3_5_OthersReliedOnAWorkerStartedBeforehand(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var ran journal[int]
		hold := make(chan struct{})
		p := newPool(t, 1, 1, executors.Unbounded(), executors.WithSpawn(func(string, func()) error {
			<-hold
			return errors.New("no goroutines today")
		}))
		go p.PrestartOne()
		synctest.Wait()
		assert.NoError(t, p.Execute(background, ran.noting(1)))
		close(hold)
		synctest.Wait()
		assert.Equal(t, []int{1}, ran.read())
		balanced(t, p.Stats())
	})
}
