package batch

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/testkit/leak"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

var errBoom = errors.New("boom")

// pairs is a Slicer that cuts after two elements.
type pairs struct{ Slicer[int] }

func (s *pairs) OnSubscribe(up reactor.Subscription) {
	s.Up = up
	s.Down.OnSubscribe(s)
}
func (s *pairs) Request(n int64) { s.Up.Request(2 * n) }

func (s *pairs) OnNext(v int) {
	if s.Kept.Push(v); s.Kept.Len() == 2 {
		s.SendOwn(s.Take(), 1)
	}
}

// sliding is a RestSlicer whose buffers of two begin at each element.
type sliding struct{ RestSlicer[int] }

func (s *sliding) OnSubscribe(up reactor.Subscription) {
	s.Up = up
	s.Down.OnSubscribe(s)
}
func (s *sliding) OnNext(v int) { s.Kept.Push(v) }

func (s *sliding) Request(n int64) {
	demand.Add(&s.Demand, n)
	if s.Done.Load() {
		s.Drain.Run(s)
	}
}

func TestSlicer(t *testing.T) {
	for _, want := range map[string][][]int{"even": {{1, 2}, {3, 4}}, "odd": {{1, 2}, {3}}} {
		p := &probe.Probe[[]int]{Initial: 3}
		s, up := &pairs{}, &probe.Source{}
		s.Init(t.Context(), p, 2)
		s.OnSubscribe(up)
		assert.EqualValues(t, 6, up.Asked)
		for v := 1; v <= len(want[1])+2; v++ {
			s.OnNext(v)
		}
		s.OnComplete()
		p.Done(t, want...)
	}
}

// What was sent belongs to downstream: the next slice is another one.
func TestSlicesAreNotShared(t *testing.T) {
	p := &probe.Probe[[]int]{Initial: 3, Each: func(buf []int) { buf[0] = -1 }}
	s := &pairs{}
	s.Init(t.Context(), p, 2)
	s.OnSubscribe(&probe.Source{})
	for v := range 4 {
		s.OnNext(v)
	}
	p.Open(t, []int{-1, 1}, []int{-1, 3})
}

// An error, and a cancellation, discard the open slice element by element.
func TestSlicerDiscardsWhatIsOpen(t *testing.T) {
	for name, end := range map[string]func(*pairs){"error": func(s *pairs) { s.OnError(errBoom) }, "cancel": func(s *pairs) { s.Cancel() }} {
		ctx, hooks := probe.Recorded()
		p := &probe.Probe[[]int]{Initial: 3}
		s, up := &pairs{}, &probe.Source{}
		s.Init(ctx, p, 2)
		s.OnSubscribe(up)
		for v := range 3 {
			s.OnNext(v)
		}
		end(s)
		assert.Equal(t, []any{2}, hooks.Discarded, name)
		assert.Equal(t, name == "cancel", up.IsDisposed())
		p.Faultless(t)
	}
}

// The buffers that are open at the end wait for demand, each a slice of its own.
func TestRestWaitsForDemand(t *testing.T) {
	p := &probe.Probe[[]int]{}
	s := &sliding{}
	s.Init(t.Context(), p, 2)
	s.Stride = 1
	s.OnSubscribe(&probe.Source{})
	for v := range 3 {
		s.OnNext(v)
	}
	s.OnComplete()
	p.Open(t)
	p.Request(1)
	p.Open(t, []int{0, 1, 2})
	p.Request(2)
	p.Done(t, []int{0, 1, 2}, []int{1, 2}, []int{2})
	p.Got()[0][1] = -1
	assert.Equal(t, []int{1, 2}, p.Got()[1])
}

// What overlaps is discarded with each buffer that has it, once.
func TestRestIsDiscarded(t *testing.T) {
	for name, end := range map[string]func(*sliding){
		"error":                 func(s *sliding) { s.OnError(errBoom) },
		"cancel":                func(s *sliding) { s.Cancel() },
		"cancel after the end":  func(s *sliding) { s.OnComplete(); s.Cancel() },
		"cancelled twice":       func(s *sliding) { s.Cancel(); s.Cancel() },
		"cancelled, then ended": func(s *sliding) { s.Cancel(); s.OnComplete() },
	} {
		ctx, hooks := probe.Recorded()
		s := &sliding{}
		s.Init(ctx, &probe.Probe[[]int]{}, 2)
		s.Stride = 1
		s.OnSubscribe(&probe.Source{})
		s.OnNext(1)
		s.OnNext(2)
		end(s)
		assert.Equal(t, []any{1, 2, 2}, hooks.Discarded, name)
	}
}

// timed returns a Stage that notes which buffers were opened.
func timed(ctx context.Context, p *probe.Probe[[]int], size int) (s *Stage[int], opened *[]int64, up *probe.Source) {
	s, opened, up = &Stage[int]{}, &[]int64{}, &probe.Source{}
	s.Init("batch", ctx, p, size)
	s.Opened = func(id int64) { *opened = append(*opened, id) }
	s.Out.Begin()
	s.OnSubscribe(up)
	return s, opened, up
}

// A cut is for the buffer that it was ordered for: one that comes too late cuts nothing.
func TestCutsOfABufferThatHasGone(t *testing.T) {
	p := &probe.Probe[[]int]{Initial: probe.All}
	s, opened, _ := timed(t.Context(), p, 2)
	s.OnNext(1)
	s.Cut(0)
	p.Open(t, []int{1})
	s.OnNext(2)
	s.Cut(0)
	p.Open(t, []int{1})
	s.OnNext(3)
	p.Open(t, []int{1}, []int{2, 3})
	s.Cut(1)
	s.Cut(Open) // of nothing
	s.OnNext(4)
	s.Cut(Open)
	p.Open(t, []int{1}, []int{2, 3}, []int{4})
	s.OnNext(5)
	s.OnComplete()
	p.Done(t, []int{1}, []int{2, 3}, []int{4}, []int{5})
	assert.Equal(t, []int64{0, 1, 2, 3}, *opened)
}

// A buffer that nobody has asked for fails the stream, and is discarded, as what comes later is.
func TestNoDemandForABuffer(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := &probe.Probe[[]int]{Initial: 1}
	s, _, up := timed(ctx, p, 2)
	for v := range 4 {
		s.OnNext(v)
	}
	p.Failed(t, reactor.ErrOverflow, []int{0, 1})
	assert.Equal(t, 1, up.Cancelled)
	s.OnNext(4)
	assert.Equal(t, []any{2, 3, 4}, hooks.Discarded)
}

// Elements and cuts race: each element is in one buffer, in its order, and no buffer is empty or too long.
func TestStageRaces(t *testing.T) {
	racetest.Rounds(t, 3000, func() ([]func(), func()) {
		p := &probe.Probe[[]int]{Initial: probe.All}
		s, _, _ := timed(context.Background(), p, 3)
		calls := []func(){
			func() {
				for v := range 6 {
					s.OnNext(v)
				}
				s.OnComplete()
			},
			func() { s.Cut(Open); s.Cut(1) },
			func() { s.Cut(0); s.Cut(Open) },
		}
		return calls, func() {
			p.Faultless(t)
			var all []int
			for _, buf := range p.Got() {
				assert.True(t, len(buf) > 0 && len(buf) <= 3, fmt.Sprint(p.Got()))
				all = append(all, buf...)
			}
			assert.Equal(t, []int{0, 1, 2, 3, 4, 5}, all)
			assert.True(t, p.Over())
		}
	})
}

// A failure that no slice was on its way for is told once.
func TestCrashWithoutASlice(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := &probe.Probe[[]int]{}
	p.OnSubscribe(&probe.Source{})
	crashSlice[int](ctx, p, false, errBoom, nil)
	p.Failed(t, errBoom)
	p.Faultless(t)
	assert.Empty(t, hooks.Errs)

	p = &probe.Probe[[]int]{}
	p.OnSubscribe(&probe.Source{})
	crashSlice(ctx, p, true, errBoom, []int{1})
	p.Open(t)
	assert.Equal(t, []any{errBoom}, hooks.Errs, "the stage is over")
	assert.Empty(t, hooks.Discarded)
}
