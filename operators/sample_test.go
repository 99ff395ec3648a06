package operators

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

func TestSampleEvery(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := runWith(ctx, SampleEvery(src, 10, On(h)))
	up := src.last()
	assert.Equal(t, reactor.Unbounded, up.requested.Load())
	up.OnNext(1)
	up.OnNext(2)
	h.forward(9)
	p.Open(t)
	h.forward(1)
	p.Open(t, 2)
	h.forward(10)
	p.Open(t, 2)
	up.OnNext(3)
	h.forward(10)
	up.OnNext(4)
	up.OnComplete()
	p.Done(t, 2, 3, 4)
	assert.Zero(t, h.pending())
	assert.Zero(t, up.cancels.Load())
	accounted(t, p, hooks, 1, 2, 3, 4)
}

func TestSampleLastElementWaitsForDemand(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[string]{}
	p := probeOf[int](0)
	Sample(src, reactor.Publisher[string](other)).Subscribe(context.Background(), p)
	assert.Equal(t, reactor.Unbounded, other.last().requested.Load(), "all it has to say")
	src.last().OnNext(1)
	src.last().OnComplete()
	assert.EqualValues(t, 1, other.last().cancels.Load())
	p.Open(t)
	p.Request(1)
	p.Done(t, 1)
}

// The errors of a publisher that goes on behind the end are reported as dropped.
func TestSampleOfPublishersThatGoOn(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, other := &puppet[int]{}, &puppet[string]{}
	p := runWith(ctx, Sample(src, reactor.Publisher[string](other)))
	other.last().OnComplete()
	p.Done(t)
	other.last().OnError(errBoom)
	src.last().OnError(errOther)
	assert.Equal(t, []any{errBoom, errOther}, hooks.Errs)
}

func TestSampleWithoutDemand(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, other := &puppet[int]{}, &puppet[string]{}
	p := probeOf[int](1)
	Sample(src, reactor.Publisher[string](other)).Subscribe(ctx, p)
	for i := range 2 {
		src.last().OnNext(i)
		other.last().OnNext("now")
	}
	p.Failed(t, reactor.ErrOverflow, 0)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.EqualValues(t, 1, other.last().cancels.Load())
	src.last().OnNext(2)
	accounted(t, p, hooks, 0, 1, 2)
}

func TestSampleEnds(t *testing.T) {
	for name, c := range map[string]struct {
		signal func(src *puppetSubscription[int], other *puppetSubscription[string])
		err    error
	}{
		"source fails":    {func(s *puppetSubscription[int], _ *puppetSubscription[string]) { s.OnError(errBoom) }, errBoom},
		"other fails":     {func(_ *puppetSubscription[int], o *puppetSubscription[string]) { o.OnError(errBoom) }, errBoom},
		"other completes": {func(_ *puppetSubscription[int], o *puppetSubscription[string]) { o.OnComplete() }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			src, other := &puppet[int]{}, &puppet[string]{}
			p := runWith(ctx, Sample(src, reactor.Publisher[string](other)))
			src.last().OnNext(1)
			c.signal(src.last(), other.last())
			if c.err != nil {
				p.Failed(t, c.err)
			} else {
				p.Done(t)
			}
			assert.EqualValues(t, 1, src.last().cancels.Load()+other.last().cancels.Load(), "the other side is cancelled")
			accounted(t, p, hooks, 1)
		})
	}
}

func TestSampleCancel(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := runWith(ctx, SampleEvery(src, 10, On(h)))
	src.last().OnNext(1)
	p.Cancel()
	src.last().OnNext(2)
	assert.Zero(t, h.pending())
	assert.EqualValues(t, 1, src.last().cancels.Load())
	accounted(t, p, hooks, 1, 2)
}

func TestSampleRejected(t *testing.T) {
	h := &handScheduler{}
	h.refuse(schedulers.ErrUnavailable)
	src := &puppet[int]{}
	run(SampleEvery(src, 10, On(h))).Failed(t, reactor.ErrRejected)
	assert.EqualValues(t, 1, src.last().cancels.Load())
}

func TestSampleDownstreamPanics(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := runWith(ctx, Map(SampleEvery(src, 10, On(h)), func(int) int { panic(errBoom) }))
	src.last().OnNext(1)
	h.forward(10)
	p.Failed(t, errBoom)
	assert.Zero(t, h.pending())
	accounted(t, p, hooks, 1)
}

func TestSamplesRace(t *testing.T) {
	for name, stage := range map[string]func(src elements, h *handScheduler) elements{
		"every": func(src elements, h *handScheduler) elements { return SampleEvery(src, time.Second, On(h)) },
		"other": func(src elements, h *handScheduler) elements { return Sample(src, Delay(time.Second, On(h))) },
		"first": func(src elements, h *handScheduler) elements { return SampleFirstFor(src, time.Second, On(h)) },
		"firstOther": func(src elements, h *handScheduler) elements {
			return SampleFirst(src, func(element) reactor.Publisher[int64] { return Delay(time.Second, On(h)) })
		},
		"timeout": func(src elements, h *handScheduler) elements { return SampleTimeoutFor(src, time.Second, On(h)) },
		"timeoutOther": func(src elements, h *handScheduler) elements {
			return SampleTimeout(src, func(element) reactor.Publisher[int64] { return Delay(time.Second, On(h)) })
		},
	} {
		t.Run(name, func(t *testing.T) { raceStage(t, 60, stage) })
	}
}

// TestSampleGoexitOfTheOther: the source is subscribed to although a function that hears that the other publisher is asked ends the
// goroutine.
func TestSampleGoexitOfTheOther(t *testing.T) {
	src, p := &puppet[int]{}, probeOf[int](reactor.Unbounded)
	other := DoOnRequest(Never[int](), func(int64) { runtime.Goexit() })
	racetest.Aside(func() { Sample(src, other).Subscribe(quiet(), p) })
	assert.Equal(t, 1, src.count())
}
