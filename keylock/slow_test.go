package keylock_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/reactortest"
)

// The function that looks at slow holders takes nobody with it, whatever clock it runs on.
func TestASlowHolderFunctionThatFails(t *testing.T) {
	for name, fail := range map[string]func(){"panics": func() { panic("slow") }, "ends": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			reactortest.Bubble(t, func(t *testing.T) {
				var dropped atomic.Int32
				defer reactor.SetHooks("slow", reactor.Hooks{ErrorDropped: func(context.Context, error) { dropped.Add(1) }})()
				m := manager(t, keylock.WithClock(&failingClock{}), keylock.IdleTTL(0), keylock.WithSlowHolder(time.Second, func(keylock.Held) { fail() }))
				l := take(t, m, "k")
				time.Sleep(2 * time.Second)
				synctest.Wait()
				assert.EqualValues(t, 1, dropped.Load())
				assert.True(t, l.Release())
			})
		})
	}
}
