package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestDematerialize(t *testing.T) {
	bothPaths(t, []intSignal{sigNext(1), sigNext(2), sigComplete, sigNext(3)}, func(t *testing.T, src reactor.Publisher[intSignal]) {
		p := probeOf[int](1)
		Dematerialize(src).Subscribe(context.Background(), p)
		p.Open(t, 1)
		p.Request(2)
		p.Done(t, 1, 2)
		run(MonoDematerialize(src)).Done(t, 1)
	})
	for end, want := range map[intSignal]error{sigBoom: errBoom, {}: reactor.ErrIllegalArgument} {
		bothPaths(t, []intSignal{sigNext(1), end}, func(t *testing.T, src reactor.Publisher[intSignal]) {
			run(Dematerialize(src)).Failed(t, want, 1)
		})
	}
	run(Dematerialize(Map(Just(1), sigNext))).Done(t, 1)
	run(Dematerialize(Error[intSignal](errBoom))).Failed(t, errBoom)
	run(Dematerialize(Materialize(failing(1, 2)))).Failed(t, errBoom, 1, 2)

	ctx, hooks := probe.Recorded()
	src := &puppet[intSignal]{}
	p := runWith(ctx, Dematerialize(src))
	push := protocol.Push(src.last().Subscriber)
	push(sigBoom)
	push(sigNext(1))
	src.last().OnNext(sigNext(2))
	p.Failed(t, errBoom)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.Equal(t, []any{sigNext(1), sigNext(2)}, hooks.Dropped)
}

func TestMonoDematerialize(t *testing.T) {
	run(MonoDematerialize(Just(reactor.NextSignal(7)))).Done(t, 7)
	run(MonoDematerialize(Just(reactor.CompleteSignal[int]()))).Done(t)
	run(MonoDematerialize(Just(reactor.ErrorSignal[int](errBoom)))).Failed(t, errBoom)
	run(MonoDematerialize(Empty[reactor.Signal[int]]())).Done(t)
}
