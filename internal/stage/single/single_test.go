package single

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/leak"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

// probe records what it gets. It has no lock on purpose: the race detector proves that signals are
// serial.
type probe[T any] struct {
	protocol.Inner
	up       reactor.Subscription
	busy     atomic.Bool
	overlaps atomic.Int32
	items    []T
	errs     []error
	done     int
	onNext   func()
}

func (p *probe[T]) record(signal func()) {
	if p.busy.Swap(true) {
		p.overlaps.Add(1)
	}
	signal()
	p.busy.Store(false)
}

func (p *probe[T]) OnSubscribe(up reactor.Subscription) { p.up = up }
func (p *probe[T]) OnError(err error)                   { p.record(func() { p.errs = append(p.errs, err) }) }
func (p *probe[T]) OnComplete()                         { p.record(func() { p.done++ }) }

func (p *probe[T]) OnNext(v T) {
	p.record(func() { p.items = append(p.items, v) })
	if p.onNext != nil {
		p.onNext()
	}
}

type captured struct{ errs, discarded []any }

// capture returns a context whose hooks write down what is dropped and discarded. At most one
// goroutine has something to report.
func capture() (context.Context, *captured) {
	c := &captured{}
	return reactor.WithHooks(context.Background(), reactor.Hooks{
		ErrorDropped: func(_ context.Context, err error) { c.errs = append(c.errs, err) },
		Discard:      func(_ context.Context, v any) { c.discarded = append(c.discarded, v) },
	}), c
}

func TestSlotEmitsWhenValueAndDemandHaveMet(t *testing.T) {
	racetest.Rounds(t, 5000, func() ([]func(), func()) {
		p := &probe[int]{}
		s := &Slot[int]{Ctx: context.Background(), Down: p}
		racers := []func(){
			func() { s.Complete(7) },
			func() { s.Request(1) },
			func() { s.Request(reactor.Unbounded) },
		}
		return racers, func() {
			assert.Equal(t, []int{7}, p.items)
			assert.Equal(t, 1, p.done)
			assert.Zero(t, p.overlaps.Load())
		}
	})
}

func TestSlotDeliversOrDiscardsExactlyOnce(t *testing.T) {
	racetest.Rounds(t, 10000, func() ([]func(), func()) {
		ctx, c := capture()
		p := &probe[int]{}
		s := &Slot[int]{Ctx: ctx, Down: p}
		racers := []func(){
			func() { s.Complete(7) },
			func() { s.Request(1) },
			s.Cancel,
		}
		return racers, func() {
			assert.Equal(t, 1, len(p.items)+len(c.discarded), "delivered %v, discarded %v", p.items, c.discarded)
		}
	})
}

func TestSlotEnds(t *testing.T) {
	ctx, c := capture()
	p := &probe[int]{}
	s := &Slot[int]{Ctx: ctx, Down: p}
	s.Fail(assert.AnError)
	s.Fail(context.Canceled)
	s.Complete(1)
	s.Empty()
	s.Request(1)
	assert.Equal(t, []error{assert.AnError}, p.errs)
	assert.Equal(t, []any{context.Canceled}, c.errs)
	assert.Equal(t, []any{1}, c.discarded)
	assert.Zero(t, p.done)
}

func TestScalarEmitsOnce(t *testing.T) {
	racetest.Rounds(t, 2000, func() ([]func(), func()) {
		ctx, c := capture()
		p := &probe[int]{}
		s := NewScalar(ctx, p, 7)
		racers := []func(){
			func() { s.Request(1) },
			func() { s.Request(1) },
			s.Cancel,
		}
		return racers, func() {
			assert.Equal(t, 1, len(p.items)+len(c.discarded))
			// A cancellation between the two signals keeps the second back.
			assert.LessOrEqual(t, p.done, len(p.items))
		}
	})
	racetest.Rounds(t, 2000, func() ([]func(), func()) {
		ctx, c := capture()
		p := &probe[int]{}
		s := NewScalar(ctx, p, 7)
		request := func() { s.Request(1) }
		return []func(){request, request}, func() {
			assert.Equal(t, []int{7}, p.items)
			assert.Equal(t, 1, p.done)
			assert.Empty(t, c.discarded)
		}
	})
}

func TestLastDoesNotCompleteWhatHasFailed(t *testing.T) {
	ctx, c := capture()
	p := &probe[int]{onNext: func() { panic("below") }}
	Last(ctx, p, 3)
	assert.Zero(t, p.done)
	assert.Len(t, p.errs, 1)
	assert.Equal(t, []any{3}, c.discarded)
	p = &probe[int]{}
	Last(ctx, p, 4)
	assert.Equal(t, []int{4}, p.items)
	assert.Equal(t, 1, p.done)
}

// shared is an outcome for one.
type shared struct{ left atomic.Int32 }

func (s *shared) Leave(*Waiter[int]) { s.left.Add(1) }

func TestWaiterLeavesOnce(t *testing.T) {
	racetest.Rounds(t, 2000, func() ([]func(), func()) {
		ctx, c := capture()
		p, among := &probe[int]{}, &shared{}
		w := NewWaiter(ctx, p, among)
		w.Introduce()
		assert.Same(t, w, p.up)
		racers := []func(){
			func() { p.up.Request(1); w.Settle(reactor.NextSignal(7), holding(1)) },
			p.up.Cancel,
			p.up.Cancel,
		}
		return racers, func() {
			assert.Equal(t, 1, len(p.items)+int(among.left.Load()), "the element or a cancellation")
			assert.Equal(t, 1, len(p.items)+len(c.discarded))
		}
	})
}

// Others get the same outcome: a failure that nobody here wants any more is not reported, whenever the waiter leaves.
func TestWaiterDropsNoError(t *testing.T) {
	ctx, c := capture()
	p := &probe[int]{}
	w := NewWaiter(ctx, p, &shared{})
	w.Introduce()
	p.up.Cancel()
	w.Settle(reactor.ErrorSignal[int](assert.AnError), nil)
	w.Settle(reactor.CompleteSignal[int](), nil)
	assert.Empty(t, c.errs)
	assert.Empty(t, p.errs)
	assert.Zero(t, p.done)
	assert.False(t, w.Heard())
	racetest.Rounds(t, 20000, func() ([]func(), func()) {
		ctx, c := capture()
		p := &probe[int]{}
		w := NewWaiter(ctx, p, &shared{})
		w.Introduce()
		return []func(){func() { w.Settle(reactor.ErrorSignal[int](assert.AnError), nil) }, p.up.Cancel}, func() {
			assert.Empty(t, c.errs)
			assert.Equal(t, len(p.errs) > 0, w.Heard())
		}
	})
}

// holding returns how many get an element that is kept for nobody else.
func holding(n int64) *atomic.Int64 {
	holders := new(atomic.Int64)
	holders.Store(n)
	return holders
}

// An element that is kept for others is not this one's to discard. One that is not is discarded by the last of those who got
// it, if all have left without it.
func TestWaiterDiscardsOnlyWhatIsKeptForNobody(t *testing.T) {
	ctx, c := capture()
	wait := func() (*probe[int], *Waiter[int]) {
		p := &probe[int]{}
		w := NewWaiter(ctx, p, &shared{})
		w.Introduce()
		return p, w
	}
	settle := func(holders *atomic.Int64, waiters ...*Waiter[int]) {
		for _, w := range waiters {
			w.Settle(reactor.NextSignal(7), holders)
		}
	}
	before, a := wait()
	after, b := wait()
	before.up.Cancel()
	settle(nil, a, b)
	after.up.Cancel()
	assert.Empty(t, c.discarded)

	before, a = wait()
	after, b = wait()
	before.up.Cancel()
	settle(holding(2), a, b)
	assert.Empty(t, c.discarded)
	after.up.Cancel()
	assert.Equal(t, []any{7}, c.discarded)

	racetest.Rounds(t, 5000, func() ([]func(), func()) {
		c.discarded = nil
		holders := holding(2)
		p, a := wait()
		q, b := wait()
		racers := []func(){
			func() { settle(holders, a, b) },
			func() { p.up.Request(1); p.up.Cancel() },
			func() { q.up.Cancel(); q.up.Request(1) },
		}
		return racers, func() {
			if len(p.items)+len(q.items) == 0 {
				assert.Equal(t, []any{7}, c.discarded)
			} else {
				assert.Empty(t, c.discarded)
			}
		}
	})
}
