package executors_test

import (
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
