package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

type intSignal = reactor.Signal[int]

var (
	sigNext     = reactor.NextSignal[int]
	sigComplete = reactor.CompleteSignal[int]()
	sigBoom     = reactor.ErrorSignal[int](errBoom)
)

func TestMaterialize(t *testing.T) {
	bothPaths(t, []int{1, 2}, func(t *testing.T, src reactor.Publisher[int]) {
		p := probeOf[intSignal](2)
		Materialize(src).Subscribe(context.Background(), p)
		p.Open(t, sigNext(1), sigNext(2))
		p.Request(1)
		p.Done(t, sigNext(1), sigNext(2), sigComplete)
		run(Materialize(src)).Done(t, sigNext(1), sigNext(2), sigComplete)
	})
	run(Materialize(failing(1))).Done(t, sigNext(1), sigBoom)
	run(Materialize(Empty[int]())).Done(t, sigComplete)
}

func TestMaterializeWaitsWithTheEnd(t *testing.T) {
	for name, build := range map[string]func(reactor.Publisher[int]) reactor.Publisher[intSignal]{
		"flux": func(src reactor.Publisher[int]) reactor.Publisher[intSignal] { return Materialize(src) },
		"mono": func(src reactor.Publisher[int]) reactor.Publisher[intSignal] { return MonoMaterialize(src) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, end := range []intSignal{sigComplete, sigBoom} {
				src := &puppet[int]{}
				ctx, hooks := probe.Recorded()
				p := probeOf[intSignal](0)
				build(src).Subscribe(ctx, p)
				end.Accept(src.last().Subscriber)
				src.last().OnNext(7)
				src.last().OnComplete()
				src.last().OnError(errOther)
				p.Open(t)
				p.Request(1)
				p.Request(1)
				p.Done(t, end)
				assert.Equal(t, []any{7}, hooks.Dropped)
				assert.Equal(t, []any{errOther}, hooks.Errs)

				p = probeOf[intSignal](0)
				build(src).Subscribe(ctx, p)
				end.Accept(src.last().Subscriber)
				p.Cancel()
				p.Request(1)
				p.Open(t)

				p = probeOf[intSignal](1)
				build(src).Subscribe(ctx, p)
				p.Cancel()
				end.Accept(src.last().Subscriber)
				p.Open(t)
			}
		})
	}
}

func TestMaterializePassesFailuresOfDownstream(t *testing.T) {
	calls := 0
	broken := func(intSignal) int { calls++; panic(errBoom) }
	check := func(t *testing.T, stage reactor.Publisher[intSignal]) {
		calls = 0
		run(Map(stage, broken)).Failed(t, errBoom)
		assert.Equal(t, 1, calls, "the failure is no signal of the source")
	}
	bothPaths(t, []int{1, 2}, func(t *testing.T, src reactor.Publisher[int]) {
		check(t, Materialize(src))
		check(t, MonoMaterialize(src))
	})
	check(t, Materialize(Empty[int]()))
	check(t, MonoMaterialize(Empty[int]()))
}

func TestMaterializeAfterTheEndOnTheElementPath(t *testing.T) {
	src := &puppet[int]{}
	ctx, hooks := probe.Recorded()
	p := runWith(ctx, Materialize(src))
	push := protocol.Push(src.last().Subscriber)
	push(1)
	src.last().OnComplete()
	push(2)
	p.Done(t, sigNext(1), sigComplete)
	assert.Equal(t, []any{2}, hooks.Dropped)
}

func TestMaterializeRaces(t *testing.T) {
	for name, second := range map[string]func(*probe.Probe[intSignal]){
		"request": func(p *probe.Probe[intSignal]) { p.Request(1) },
		"cancel":  func(p *probe.Probe[intSignal]) { p.Cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(1000), func(race func(...func())) {
				src := &puppet[int]{}
				p := probeOf[intSignal](1)
				Materialize(src).Subscribe(context.Background(), p)
				up := src.last()
				race(func() { up.OnNext(1); up.OnComplete() }, func() { second(p) })
				p.Faultless(t)
				if name == "request" {
					p.Done(t, sigNext(1), sigComplete)
				}
			})
		})
	}
}
