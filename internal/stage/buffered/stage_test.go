package buffered

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/testkit/leak"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

var errBoom, errFull = errors.New("boom"), errors.New("full")

// begin returns a stage with room for two elements, which fails where there is none, and what its owner was told.
func begin(ctx context.Context, p *probe.Probe[int]) (s *Stage[int], up *probe.Source, told *[]string) {
	told, up = &[]string{}, &probe.Source{}
	s = &Stage[int]{Queue: queue.NewSPSC[int](2)}
	s.Init(ctx, p, 2)
	s.Full = func(v int) {
		s.Discard(v)
		s.Fail(errFull)
	}
	s.Taken = func() { *told = append(*told, "taken") }
	s.Released = func() { *told = append(*told, "released") }
	s.Dropped = func(int) { *told = append(*told, "dropped") }
	s.OnSubscribe(up)
	return s, up, told
}

func TestStraightThroughOrQueued(t *testing.T) {
	p := &probe.Probe[int]{Initial: 1}
	s, up, told := begin(t.Context(), p)
	assert.EqualValues(t, 2, up.Asked)
	s.OnNext(1)
	assert.Empty(t, *told, "there was demand")
	s.OnNext(2)
	assert.Equal(t, []string{"taken"}, *told)
	p.Open(t, 1)
	p.Request(3)
	p.Open(t, 1, 2)
	assert.Greater(t, up.Asked, int64(2), "it asks again for what it has delivered")
	s.OnNext(3)
	s.OnComplete()
	p.Done(t, 1, 2, 3)
}

// An end waits behind what is queued, an error too.
func TestTheEndWaits(t *testing.T) {
	for _, err := range []error{nil, errBoom} {
		p := &probe.Probe[int]{}
		s, _, _ := begin(t.Context(), p)
		s.OnNext(1)
		s.OnNext(2)
		if err == nil {
			s.OnComplete()
		} else {
			s.OnError(err)
		}
		p.Open(t)
		p.Request(1)
		p.Open(t, 1)
		p.Request(1)
		if err == nil {
			p.Done(t, 1, 2)
		} else {
			p.Failed(t, err, 1, 2)
		}
	}
}

func TestNoRoom(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := &probe.Probe[int]{}
	s, up, _ := begin(ctx, p)
	for v := range 3 {
		s.OnNext(v)
	}
	assert.Equal(t, 1, up.Cancelled)
	assert.Equal(t, []any{2}, hooks.Discarded)
	p.Request(2)
	p.Failed(t, errFull, 0, 1)
	s.OnNext(3)
	assert.Equal(t, []any{3}, hooks.Dropped, "what comes after the end")
}

func TestCancelDropsWhatIsQueued(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := &probe.Probe[int]{}
	s, up, told := begin(ctx, p)
	s.OnNext(1)
	s.OnNext(2)
	p.Cancel()
	assert.Equal(t, 1, up.Cancelled)
	assert.Equal(t, []string{"taken", "taken", "released", "dropped", "dropped"}, *told)
	s.OnNext(3)
	assert.Equal(t, []any{1, 2, 3}, hooks.Discarded)
	p.Open(t)
}

// An error goes with the elements that it waits behind. One that comes when they have been discarded has waited behind nothing.
func TestAnErrorThatComesWhenWhatIsQueuedHasBeenDropped(t *testing.T) {
	for name, before := range map[string]bool{"before": true, "after": false} {
		var s *Stage[int]
		var dropped []error
		p := &probe.Probe[int]{}
		s, _, _ = begin(reactor.WithHooks(context.Background(), reactor.Hooks{
			Discard: func(context.Context, any) {
				if !before {
					s.OnError(errBoom)
				}
			},
			ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) },
		}), p)
		s.OnNext(1)
		if before {
			s.OnError(errBoom)
		}
		p.Cancel()
		assert.Equal(t, !before, len(dropped) == 1, name)
		p.Open(t)
	}
}

// Whoever requests and cancels, each element is delivered or discarded, once.
func TestStageRaces(t *testing.T) {
	round := 0
	racetest.Rounds(t, 3000, func() ([]func(), func()) {
		round++
		cancels := round%2 == 0
		ctx, hooks := probe.Recorded()
		p := &probe.Probe[int]{}
		s := &Stage[int]{Queue: queue.NewSPSC[int](4)}
		s.Init(ctx, p, 4)
		s.OnSubscribe(&probe.Source{})
		calls := []func(){
			func() {
				for v := range 4 {
					s.OnNext(v)
				}
				s.OnComplete()
			},
			func() { p.Request(1); p.Request(2) },
		}
		if cancels {
			calls = append(calls, p.Cancel)
		}
		return calls, func() {
			p.Request(4)
			p.Faultless(t)
			assert.Equal(t, 4, len(p.Got())+len(hooks.Discarded)+len(hooks.Dropped))
			assert.True(t, cancels || p.Over())
		}
	})
}

// With what is queued goes the error behind it, unreported, as with Reactor. One that nothing waits for is reported.
func TestCancelDropsTheErrorBehindWhatIsQueued(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := &probe.Probe[int]{}
	s, _, _ := begin(ctx, p)
	s.OnNext(1)
	s.OnError(errBoom)
	p.Cancel()
	assert.Equal(t, []any{1}, hooks.Discarded)
	assert.Empty(t, hooks.Errs)

	ctx, hooks = probe.Recorded()
	p = &probe.Probe[int]{}
	s, _, _ = begin(ctx, p)
	p.Each = func(int) {
		s.OnError(errBoom) // of a source elsewhere
		p.Cancel()
	}
	s.OnNext(1)
	p.Request(1)
	p.Open(t, 1)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}

// An element that comes while another one is on its way down is queued, and its owner hears of it.
func TestElementsWithinADelivery(t *testing.T) {
	p := &probe.Probe[int]{Initial: probe.All}
	s, _, told := begin(t.Context(), p)
	p.Each = func(v int) {
		if v == 1 {
			s.OnNext(2)
			assert.Equal(t, []string{"taken"}, *told)
		}
	}
	s.OnNext(1)
	p.Open(t, 1, 2)
}

// An element without room need not be the end.
func TestGoesOnBehindAnElementWithoutRoom(t *testing.T) {
	p := &probe.Probe[int]{}
	s, _, _ := begin(t.Context(), p)
	var full []int
	s.Taken, s.Full = nil, func(v int) { full = append(full, v) }
	for v := range 4 {
		s.OnNext(v)
	}
	assert.Equal(t, []int{2, 3}, full)
	p.Request(3)
	p.Open(t, 0, 1)
	s.OnNext(4)
	s.OnComplete()
	p.Done(t, 0, 1, 4)
	p.Faultless(t)
}

func TestUpstreamIsAskedForSomething(t *testing.T) {
	p := &probe.Probe[int]{}
	s := &Stage[int]{Queue: queue.NewSPSC[int](8)}
	s.Init(t.Context(), p, 8)
	up := &probe.Exact{T: t}
	s.OnSubscribe(up)
	for v := range 8 {
		s.OnNext(v)
	}
	p.Request(8)
	p.Open(t, 0, 1, 2, 3, 4, 5, 6, 7)
	p.Request(8)
	for v := range 4 {
		s.OnNext(v)
	}
	assert.Greater(t, up.Asked, int64(8))
	assert.LessOrEqual(t, up.Asked, int64(8+12))
}
