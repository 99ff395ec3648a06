package sinks

import (
	"context"
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// leaver is a subscriber from outside.
type leaver struct {
	up  reactor.Subscription
	got int
}

func (s *leaver) OnSubscribe(up reactor.Subscription) { s.up = up; up.Request(5) }
func (s *leaver) OnNext(int)                          { s.got++ }
func (s *leaver) OnError(error)                       {}
func (s *leaver) OnComplete()                         {}

// cameAndLeft is a function of its own so that nothing of the subscriber is left on the stack.
//
//go:noinline
func cameAndLeft(s *ManySink[int], leave func(s *ManySink[int], up reactor.Subscription)) weak.Pointer[leaver] {
	sub := &leaver{}
	s.Subscribe(context.Background(), sub)
	s.TryEmitNext(1)
	leave(s, sub.up)
	return weak.Make(sub)
}

// A sink that lives on holds nobody who has left it, or was told of its end (§3.13).
func TestSinksKeepNobody(t *testing.T) {
	for way, leave := range map[string]func(*ManySink[int], reactor.Subscription){
		"cancelled": func(_ *ManySink[int], up reactor.Subscription) { up.Cancel() },
		"completed": func(s *ManySink[int], _ reactor.Subscription) { s.TryEmitComplete() },
		"failed":    func(s *ManySink[int], _ reactor.Subscription) { s.TryEmitError(errBoom) },
	} {
		for name, s := range kinds(safe) {
			t.Run(name+" "+way, func(t *testing.T) {
				sub := cameAndLeft(s, leave)
				for i := 0; i < 5 && sub.Value() != nil; i++ {
					runtime.GC()
				}
				assert.Nil(t, sub.Value())
				runtime.KeepAlive(s)
			})
		}
	}
}
