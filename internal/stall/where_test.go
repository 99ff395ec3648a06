package stall

import (
	"context"
	"runtime/pprof"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

//go:noinline
func block(ready chan<- struct{}, until <-chan struct{}) {
	close(ready)
	<-until
}

// Find tells where a goroutine waits, by its label and a function on its stack.
func TestFind(t *testing.T) {
	until := make(chan struct{})
	defer close(until)
	ready := make(chan struct{})
	go pprof.Do(t.Context(), pprof.Labels("worker", "w-1"), func(context.Context) { block(ready, until) })
	<-ready
	const below = "runtime/pprof.Do"
	assert.Eventually(t, func() bool {
		_, ok := Find("w-1", below)
		return ok
	}, 10*time.Second, time.Millisecond, "until it is parked")
	p, _ := Find("w-1", below)
	assert.Regexp(t, `^stall\.block \(where_test\.go:\d+\)$`, p.String())
	assert.False(t, p.Library)
	_, ok := Find("w-2", below)
	assert.False(t, ok, "another worker")
	_, ok = Find("w-1", "main.nothing")
	assert.False(t, ok, "a goroutine that a task has started has the label of its worker too")
}

func TestPlaceOf(t *testing.T) {
	const module = "github.com/goreactor/reactor/"
	for _, c := range []struct{ frames, want string }{
		{"#\t0x1\ttime.Sleep+0x1\t/go/time.go:1\n#\t0x2\tmain.parse.func1+0x2\t/src/parse.go:12\n#\t0x3\tmain.main+0x3\t/src/main.go:3\n",
			"time.Sleep, called by main.parse.func1 (parse.go:12)"},
		{"#\t0x1\tacme.org/shop/orders.(*Store).load+0x1\t/src/load.go:7\n", "orders.(*Store).load (load.go:7)"},
		{"#\t0x1\t" + module + "operators.(*await).wait+0x1\t/m/await.go:9\n#\t0x2\t" + module + "operators.Block[...]+0x1\t/m/block.go:9\n" +
			"#\t0x2\t" + module + "mono.Mono[...].Block[...]+0x1\t/m/terminal.go:9\n#\t0x3\tmain.main+0x3\t/src/main.go:3\n",
			"mono.Mono.Block, called by main.main (main.go:3)"},
		{"# labels: {\"scheduler\":\"single\", \"worker\":\"w-1\"}\n#\t0x1\tmain.read+0x1\t\t/src/read.go:5\n", "main.read (read.go:5)"},
		{"#\t0x1\tsync.runtime_Semacquire+0x1\t/go/sema.go:1\n", "sync.runtime_Semacquire"},
	} {
		assert.Equal(t, c.want, placeOf(c.frames).String())
	}
	assert.True(t, placeOf("#\t0x1\t"+module+"operators.Block[...]+0x1\t/m/block.go:9\n").Library)
}
