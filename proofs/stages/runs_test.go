package stages

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/proofs/roster"
	"github.com/goreactor/reactor/reactortest"
)

// teller is a source that tells of its runs.
type teller struct {
	protocol.Op
	run *protocol.Half
	host
}

// host is the Host of a teller.
type host struct{ told *protocol.Half }

func (h *host) Host() protocol.Host   { return h }
func (h *host) Lodged()               {}
func (h *host) Tell(g *protocol.Half) { h.told = g }

func (s *teller) Subscribe(_ context.Context, down reactor.Subscriber[int]) { down.OnSubscribe(s) }
func (s *teller) Request(int64)                                             {}
func (s *teller) Cancel()                                                   {}

func (s *teller) Attach(h *protocol.Half) bool {
	s.run = h
	return true
}

// listener attaches itself to what it gets.
type listener struct {
	protocol.Inner
	half protocol.Half
	up   reactor.Subscription // nil if the stage waits for something
	host protocol.Host
}

func (l *listener) OnSubscribe(up reactor.Subscription) {
	l.up = up
	l.half.Attach(up)
	l.host = protocol.HostOf(up)
}
func (l *listener) OnNext(any)    {}
func (l *listener) OnError(error) {}
func (l *listener) OnComplete()   {}

// hasty is a listener that knows whether it was asked for its function before it could attach itself.
type hasty struct {
	listener
	asked, early bool
	told         bool // of runs
	outside      int  // elements outside of runs
}

func (h *hasty) OnSubscribe(up reactor.Subscription) {
	h.early = h.asked
	h.told = h.half.Attach(up)
	up.Request(reactor.Unbounded)
}

func (h *hasty) OnNext(any) {
	if h.told && !h.half.Falling() {
		h.outside++
	}
}

func (h *hasty) Push() func(any) {
	h.asked = true
	return h.OnNext
}

// Who serialises the elements with an end from elsewhere hands out another function if it is told of runs. Who tells of them
// has to ask for it after OnSubscribe.
func TestRunsAreToldBeforeTheFunctionIsAsked(t *testing.T) {
	tell := 0
	for _, stage := range roster.Stages[int]() {
		clock, down := reactortest.NewVirtualTime(), &hasty{}
		stage.Build(clock, operators.Map(operators.Range(0, 3), func(n int) int { return n })).Subscribe(t.Context(), down)
		clock.AdvanceBy(time.Hour)
		if down.told && down.asked {
			tell++
			assert.False(t, down.early, stage.Name)
			assert.Zero(t, down.outside, "%s: elements outside of runs", stage.Name)
		}
	}
	assert.Greater(t, tell, 10)
}

func TestWhoTellsOfRuns(t *testing.T) {
	hosted := 0
	for _, stage := range roster.Stages[int]() {
		src, down := &teller{}, &listener{}
		stage.Build(reactortest.NewVirtualTime(), src).Subscribe(t.Context(), down)
		if down.up != nil {
			down.up.Cancel()
		}
		assert.Equal(t, stage.TellsRuns, src.run == &down.half, stage.Name)
		if down.host == &src.host {
			hosted++
			assert.True(t, stage.TellsRuns, "%s: what holds of the turns of a host holds of runs", stage.Name)
		}
	}
	assert.Greater(t, hosted, 60)
}
