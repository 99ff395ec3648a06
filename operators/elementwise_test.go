package operators_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

type strs = reactor.Publisher[string]

// diagram is a use of an operator on a source of marbles.
type diagram struct {
	name     string
	src, out string
	use      func(strs) strs
}

// play plays each diagram on a cold source.
func play(t *testing.T, diagrams ...diagram) {
	t.Helper()
	for _, d := range diagrams {
		t.Run(d.name, func(t *testing.T) {
			m := reactortest.NewMarbles(t)
			m.ExpectMarbles(d.use(m.Cold(d.src)), d.out)
			m.Run()
		})
	}
}

// stepwise is a source that sends what the test says, and a subscriber that requests
// what the test says: one stage between them, seen from both sides.
type stepwise[T any] struct {
	up        reactor.Subscriber[T]
	requested int64
	cancelled int

	down      reactor.Subscription
	out       []any
	err       error
	completed bool

	discarded, dropped []any
	droppedErrs        []error
}

func (s *stepwise[T]) Subscribe(_ ctx, up reactor.Subscriber[T]) {
	s.up = up
	up.OnSubscribe((*stepwiseDemand[T])(s))
}

type stepwiseDemand[T any] stepwise[T]

func (d *stepwiseDemand[T]) Request(n int64) { d.requested += n }
func (d *stepwiseDemand[T]) Cancel()         { d.cancelled++ }

type stepwiseSubscriber[T, R any] struct{ s *stepwise[T] }

func (p stepwiseSubscriber[T, R]) OnSubscribe(down reactor.Subscription) { p.s.down = down }
func (p stepwiseSubscriber[T, R]) OnNext(v R)                            { p.s.out = append(p.s.out, v) }
func (p stepwiseSubscriber[T, R]) OnError(err error)                     { p.s.err = err }
func (p stepwiseSubscriber[T, R]) OnComplete()                           { p.s.completed = true }

// between puts use between a source and a subscriber.
func between[T, R any](use func(reactor.Publisher[T]) reactor.Publisher[R]) *stepwise[T] {
	s := &stepwise[T]{}
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{
		Discard:      func(_ ctx, v any) { s.discarded = append(s.discarded, v) },
		NextDropped:  func(_ ctx, v any) { s.dropped = append(s.dropped, v) },
		ErrorDropped: func(_ ctx, err error) { s.droppedErrs = append(s.droppedErrs, err) },
	})
	use(s).Subscribe(ctx, stepwiseSubscriber[T, R]{s})
	return s
}

var errFailed = errors.New("failed")

// oneForOne are the tests of a stage that emits 10 × n for n: demand, ends and
// cancellation pass through it as they are.
func oneForOne(t *testing.T, use func(ints) ints) {
	t.Helper()
	t.Run("demand passes through one for one", func(t *testing.T) {
		s := between(use)
		assert.Zero(t, s.requested, "nobody has asked")
		s.down.Request(2)
		s.up.OnNext(1)
		s.up.OnNext(2)
		assert.EqualValues(t, 2, s.requested)
		assert.Equal(t, []any{10, 20}, s.out)
		s.down.Request(reactor.Unbounded)
		assert.Equal(t, reactor.Unbounded, s.requested-2)
	})
	t.Run("an error passes", func(t *testing.T) {
		s := between(use)
		s.up.OnError(errFailed)
		assert.Equal(t, errFailed, s.err)
	})
	t.Run("completion passes without demand", func(t *testing.T) {
		s := between(use)
		s.up.OnComplete()
		assert.True(t, s.completed)
	})
	t.Run("cancellation passes", func(t *testing.T) {
		s := between(use)
		s.down.Cancel()
		assert.Equal(t, 1, s.cancelled)
	})
	t.Run("each subscription begins anew", func(t *testing.T) {
		src := use(operators.Range(1, 3))
		for range 2 {
			got, err := operators.Collect(context.Background(), src)
			assert.NoError(t, err)
			assert.Equal(t, []int{10, 20, 30}, got)
		}
	})
}

// leavingOut are the tests of a stage that lets even numbers through: what it leaves
// out is replaced by further requests, and discarded if discards says so.
func leavingOut(t *testing.T, discards bool, use func(ints) ints) {
	t.Helper()
	t.Run("another element is requested for one that is left out", func(t *testing.T) {
		s := between(use)
		s.down.Request(1)
		s.up.OnNext(1)
		s.up.OnNext(3)
		assert.EqualValues(t, 3, s.requested)
		s.up.OnNext(4)
		assert.EqualValues(t, 3, s.requested)
		assert.Len(t, s.out, 1)
	})
	t.Run("with unlimited demand nothing more is requested", func(t *testing.T) {
		s := between(use)
		s.down.Request(reactor.Unbounded)
		s.up.OnNext(1)
		assert.Equal(t, reactor.Unbounded, s.requested)
	})
	t.Run("what is left out", func(t *testing.T) {
		s := between(use)
		s.down.Request(reactor.Unbounded)
		s.up.OnNext(1)
		s.up.OnNext(2)
		if discards {
			assert.Equal(t, []any{1}, s.discarded)
		} else {
			assert.Empty(t, s.discarded, "the function has used it up")
		}
	})
}

// failingAt13 are the tests of a stage whose function returns errFailed for 13.
func failingAt13(t *testing.T, use func(ints) ints) {
	t.Helper()
	t.Run("an error of the function cancels, discards and ends the stream", func(t *testing.T) {
		s := between(use)
		s.down.Request(4)
		s.up.OnNext(13)
		assert.Equal(t, errFailed, s.err)
		assert.Equal(t, 1, s.cancelled)
		assert.Equal(t, []any{13}, s.discarded)
	})
	t.Run("what comes after the end is reported as dropped", func(t *testing.T) {
		s := between(use)
		s.down.Request(4)
		s.up.OnNext(13)
		s.up.OnNext(2)
		s.up.OnError(errors.New("late"))
		s.up.OnComplete()
		assert.Equal(t, []any{2}, s.dropped)
		assert.Len(t, s.droppedErrs, 1)
		assert.False(t, s.completed)
	})
	continuing(t, use)
}

// continuing are the tests under OnErrorContinue of a stage whose function fails for 13.
func continuing(t *testing.T, use func(ints) ints) {
	t.Helper()
	t.Run("onErrorContinue takes the error and asks for another element", func(t *testing.T) {
		var taken []any
		s := between(func(src ints) ints {
			return operators.OnErrorContinue(use(src), func(err error, v any) { taken = append(taken, v) })
		})
		s.down.Request(1)
		s.up.OnNext(13)
		assert.Equal(t, []any{13}, taken)
		assert.EqualValues(t, 2, s.requested)
		assert.Zero(t, s.cancelled)
		s.up.OnNext(2)
		assert.Len(t, s.out, 1)
		assert.NoError(t, s.err)
	})
}

// panicAt13 panics for 13.
func panicAt13(v int) {
	if v == 13 {
		panic("unlucky")
	}
}

// failAt13 fails for 13.
func failAt13(v int) error {
	if v == 13 {
		return errFailed
	}
	return nil
}
