package executors_test

import (
	"sync"
	"testing"

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
