package proof

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/roster"
	"github.com/goreactor/reactor/reactortest"
)

// tellRuns are the stages that hand the runs of their source on. Each sends nothing but
// in a signal of its source, on its goroutine: whoever is told of a run keeps an end from
// elsewhere back for as long as it lasts.
var tellRuns = []string{
	"cast", "checkpoint", "contextWrite", "contextWriteValue", "defer", "doAfterTerminate", "doFirst",
	"doOnComplete", "doOnDiscard", "doOnEach", "doOnError", "doOnErrorAs", "doOnNext", "doOnSubscribe",
	"doOnTerminate", "elapsed", "filter all", "filter none", "hide", "index", "log", "map", "mapOptional",
	"mono doAfterTerminate", "mono doOnEach", "mono doOnError", "mono doOnSuccess", "mono doOnTerminate", "name",
	"ofType", "onErrorComplete", "onErrorContinue", "onErrorStop", "scan", "skip", "skip none", "tag", "take",
	"take many", "take unlimited", "timed", "timestamp", "tryDoOnNext", "tryFilter", "tryMap", "tryMapOptional",
	"tryScan", "zipWithSlice",
}

// teller is a source that tells of its runs.
type teller struct {
	protocol.Op
	run *protocol.Half
}

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
}

func (l *listener) OnSubscribe(up reactor.Subscription) {
	l.up = up
	protocol.Attach(up, &l.half)
}
func (l *listener) OnNext(any)    {}
func (l *listener) OnError(error) {}
func (l *listener) OnComplete()   {}

func TestWhoTellsOfRuns(t *testing.T) {
	var got []string
	for _, stage := range roster.Stages[int]() {
		src, down := &teller{}, &listener{}
		stage.Build(reactortest.NewVirtualTime(), src).Subscribe(t.Context(), down)
		if down.up != nil {
			down.up.Cancel()
		}
		if src.run == &down.half {
			got = append(got, stage.Name)
		}
	}
	slices.Sort(got)
	assert.Equal(t, tellRuns, got)
}
