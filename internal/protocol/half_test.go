package protocol

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// main stands for a stage whose elements go through a Half.
func TestHalfKeepsSignalsSerial(t *testing.T) {
	racetest.Rounds(t, 5000, func() ([]func(), func()) {
		p := &probe[int]{}
		h := &Half{Down: p}
		var refused atomic.Int32
		racers := []func(){
			func() {
				for i := range 4 {
					if !h.Deliver(p, i) {
						refused.Add(1)
					}
				}
				h.SourceEnd(nil)
			},
			func() { h.End(assert.AnError) },
		}
		return racers, func() {
			assert.Zero(t, p.overlaps.Load())
			assert.Equal(t, 1, p.done+len(p.errs), "one terminal signal")
			assert.Equal(t, 4, len(p.items)+int(refused.Load()))
			if p.done == 1 {
				assert.Len(t, p.items, 4)
			}
			assert.True(t, h.Ended())
		}
	})
}

func TestHalfFirstEndWins(t *testing.T) {
	p := &probe[int]{}
	h := &Half{Down: p}
	assert.True(t, h.Deliver(p, 1))
	assert.True(t, h.End(nil))
	assert.False(t, h.End(assert.AnError))
	assert.Equal(t, assert.AnError, h.SourceEnd(assert.AnError))
	assert.False(t, h.Deliver(p, 2))
	assert.Equal(t, []int{1}, p.items)
	assert.Equal(t, 1, p.done)
	assert.Empty(t, p.errs)
}

// An end that comes during an element that fails is never delivered: the stages on the way down have
// to hear of the failure.
func TestHalfReplacesAnEndByTheFailureBeforeIt(t *testing.T) {
	for name, end := range map[string]error{"completion": nil, "error": assert.AnError} {
		t.Run(name, func(t *testing.T) {
			p := &probe[int]{}
			h := &Half{Down: p}
			p.onNext = func(int) {
				assert.True(t, h.End(end))
				panic("below")
			}
			var unheard error
			failure.Guard(func() { h.Deliver(p, 1) }, func(err error) { unheard = h.SourceEnd(err) })
			assert.Equal(t, end, unheard)
			assert.Zero(t, p.done)
			require.Len(t, p.errs, 1)
			assert.ErrorAs(t, p.errs[0], new(*reactor.PanicError))
			assert.Equal(t, assert.AnError, h.SourceEnd(assert.AnError), "once")
		})
	}
}

// An element that panics downstream unwinds through Next; the guard above then
// ends the stage while the serialiser is still taken.
func TestHalfDeliversTheFailureThatUnwound(t *testing.T) {
	racetest.Rounds(t, 5000, func() ([]func(), func()) {
		p := &probe[int]{}
		h := &Half{Down: p}
		p.onNext = func(int) { panic("below") }
		var unheard error
		delivered, counts := true, false
		racers := []func(){
			func() {
				failure.Guard(func() { delivered = h.Deliver(p, 1) }, func(err error) { unheard = h.SourceEnd(err) })
			},
			func() { counts = h.End(assert.AnError) },
		}
		return racers, func() {
			assert.Zero(t, p.overlaps.Load())
			require.Len(t, p.errs, 1)
			if !delivered {
				assert.Equal(t, assert.AnError, p.errs[0], "the end came first")
				return
			}
			assert.ErrorAs(t, p.errs[0], new(*reactor.PanicError), "whenever the other end came")
			assert.Equal(t, counts, unheard == assert.AnError, "an end that counted is replaced")
		}
	})
}

// inRuns is a source that emits a number whenever it is asked, until it has emitted all.
type inRuns struct {
	loop PullLoop
	down *Half
	p    *probe[int]
	left int
	fail any // what the last one panics with
	lost atomic.Int32

	unheard error // what SourceEnd returned for the failure
}

func (s *inRuns) Pull(n int64) bool {
	for ; n > 0; n-- {
		s.left--
		if s.left == 0 && s.fail != nil {
			panic(s.fail)
		}
		if !s.down.Deliver(s.p, s.left) {
			s.lost.Add(1)
		}
		if s.loop.Cancelled() {
			return true
		}
		if s.left == 0 {
			s.down.SourceEnd(nil)
			return true
		}
	}
	return false
}

func (s *inRuns) Crashed(err error) { s.unheard = s.down.SourceEnd(err) }
func (s *inRuns) Release()          {}

func newInRuns(p *probe[int], left int) *inRuns {
	s := &inRuns{down: &Half{Down: p}, p: p, left: left}
	s.loop.Init(s)
	return s
}

func TestHalfDuringRuns(t *testing.T) {
	for _, failed := range []any{nil, "the source"} {
		racetest.Rounds(t, 3000, func() ([]func(), func()) {
			p := &probe[int]{}
			s := newInRuns(p, 4)
			s.fail = failed
			assert.True(t, s.down.Attach(&s.loop))
			assert.False(t, (&Half{}).Attach(&s.loop), "one is told")
			elsewhere := false
			racers := []func(){
				func() {
					for range 4 {
						s.loop.Request(1)
					}
				},
				func() {
					s.loop.Cancel()
					elsewhere = s.down.End(assert.AnError)
				},
			}
			return racers, func() {
				assert.Zero(t, p.overlaps.Load())
				assert.Equal(t, 1, p.done+len(p.errs), "one terminal signal")
				switch {
				case s.unheard == assert.AnError:
					assert.ErrorAs(t, p.errs[0], new(*reactor.PanicError), "the failure has taken its place")
				case elsewhere:
					assert.Equal(t, []error{assert.AnError}, p.errs)
				}
				assert.False(t, s.down.Running())
			}
		})
	}
}

// What comes from elsewhere during a run waits for its end, and nothing comes after it.
func TestHalfKeepsAnEndBackForARun(t *testing.T) {
	p := &probe[int]{}
	s := newInRuns(p, 3)
	s.down.Attach(&s.loop)
	p.onNext = func(int) {
		assert.True(t, s.down.End(assert.AnError))
		assert.Empty(t, p.errs)
		p.onNext = nil
	}
	s.loop.Request(3) // not cancelled, so the source goes on
	assert.Equal(t, []int{2}, p.items)
	assert.EqualValues(t, 2, s.lost.Load())
	assert.Equal(t, []error{assert.AnError}, p.errs)
	assert.Zero(t, p.done, "the first end counts")
}

func TestHalfOutsideOfRuns(t *testing.T) {
	p := &probe[int]{}
	s := newInRuns(p, 3)
	s.down.Attach(&s.loop)
	s.loop.Request(1)
	assert.True(t, s.down.End(assert.AnError))
	assert.Len(t, p.errs, 1, "nothing is on its way")
	s.loop.Request(1) // nobody has cancelled it
	assert.Equal(t, []int{2}, p.items)
	assert.Len(t, p.errs, 1)
}

// What fails in a run after the end has been told is told to nobody.
func TestHalfFailsAfterTheEnd(t *testing.T) {
	p := &probe[int]{}
	s := newInRuns(p, 1)
	s.fail = "the source"
	s.down.Attach(&s.loop)
	assert.True(t, s.down.End(assert.AnError))
	s.loop.Request(1) // nobody has cancelled it
	assert.Equal(t, []error{assert.AnError}, p.errs)
	assert.ErrorAs(t, s.unheard, new(*reactor.PanicError))
}

// A failure takes the place of an end that came during its run, and the end of the run tells no other.
func TestHalfFailsAfterAnEndThatIsKeptBack(t *testing.T) {
	p := &probe[int]{}
	s := newInRuns(p, 2)
	s.fail = "the source"
	s.down.Attach(&s.loop)
	p.onNext = func(int) { assert.True(t, s.down.End(assert.AnError)) }
	s.loop.Request(2)
	assert.Len(t, p.errs, 1)
	assert.ErrorAs(t, p.errs[0], new(*reactor.PanicError))
	assert.Equal(t, assert.AnError, s.unheard)
}

// A run is over before the demand that it served is given up: the next one may be another goroutine's.
func TestHalfRunsOfSeveralGoroutines(t *testing.T) {
	racetest.Rounds(t, 3000, func() ([]func(), func()) {
		p := &probe[int]{}
		s := newInRuns(p, 4)
		s.down.Attach(&s.loop)
		twice := func() {
			for range 2 {
				s.loop.Request(1)
			}
		}
		return []func(){twice, twice}, func() {
			assert.Zero(t, p.overlaps.Load())
			assert.Equal(t, []int{3, 2, 1, 0}, p.items)
			assert.Equal(t, 1, p.done)
		}
	})
}

// Where one source follows another, the first one returns, perhaps, when the next one is at work, on
// another goroutine even.
func TestHalfRunsOfSourcesThatFollowOneAnother(t *testing.T) {
	p := &probe[int]{}
	h := &Half{Down: p}
	first := h.BeginRun()
	h.EndRun()
	h.EndRun() // there is none
	second := h.BeginRun()
	assert.True(t, h.Deliver(p, 1))
	h.endRun(first)
	assert.True(t, h.Running())
	assert.True(t, h.End(assert.AnError))
	assert.Empty(t, p.errs, "the run is not over")
	h.EndRun()
	assert.Equal(t, []error{assert.AnError}, p.errs)
	h.endRun(second)
	assert.Zero(t, h.word.Load()&(halfEnded-1))
}

// What follows a run that has not returned is told apart from it.
func TestHalfElementsOfASourceThatFollowsARun(t *testing.T) {
	p := &probe[int]{}
	h := &Half{Down: p}
	run := h.BeginRun()
	h.EndRun()
	p.onNext = func(int) {
		h.endRun(run) // the source before returns
		assert.True(t, h.End(assert.AnError))
		assert.Empty(t, p.errs, "an element is on its way")
	}
	assert.True(t, h.Deliver(p, 1))
	assert.Equal(t, []error{assert.AnError}, p.errs)
	assert.False(t, h.Deliver(p, 2))
}

// Enter and Leave are Deliver in pieces.
func TestHalfInPieces(t *testing.T) {
	racetest.Rounds(t, 5000, func() ([]func(), func()) {
		p := &probe[int]{}
		h := &Half{Down: p}
		refused := 0
		racers := []func(){
			func() {
				for i := range 4 {
					if !h.Enter() {
						refused++
						continue
					}
					assert.True(t, h.Calling())
					p.OnNext(i)
					if h.Leave() {
						h.Settle()
					}
				}
			},
			func() { h.End(assert.AnError) },
		}
		return racers, func() {
			assert.Zero(t, p.overlaps.Load())
			assert.Equal(t, []error{assert.AnError}, p.errs)
			assert.Equal(t, 4, len(p.items)+refused)
			assert.False(t, h.Calling())
			assert.Zero(t, h.word.Load()&(halfEnded-1), "nobody keeps it back any more")
		}
	})
}
