package goid

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCurrentIsStableWithinAGoroutine(t *testing.T) {
	for _, f := range []func() uintptr{Current, fromStack} {
		id := f()
		assert.NotZero(t, id)
		assert.Equal(t, id, deep(200, f), "also after the stack has moved")
	}
}

func TestCurrentDiffersBetweenLiveGoroutines(t *testing.T) {
	for _, f := range []func() uintptr{Current, fromStack} {
		const n = 100
		var wg, all sync.WaitGroup
		ids := make([]uintptr, n)
		all.Add(n)
		for i := range n {
			wg.Go(func() {
				ids[i] = f()
				all.Done()
				all.Wait()
			})
		}
		wg.Wait()
		seen := map[uintptr]bool{f(): true}
		for _, id := range ids {
			assert.False(t, seen[id])
			seen[id] = true
		}
	}
}

//go:noinline
func deep(n int, f func() uintptr) uintptr {
	var pad [256]byte
	if n == 0 {
		return f()
	}
	id := deep(n-1, f)
	pad[n%256] = 1
	return id + uintptr(pad[(n+1)%256])
}

func BenchmarkCurrent(b *testing.B) {
	for b.Loop() {
		Current()
	}
}

func BenchmarkFromStack(b *testing.B) {
	for b.Loop() {
		fromStack()
	}
}
