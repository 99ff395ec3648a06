package protocol

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// sendingStage sends what is queued, from a drain of its own.
type sendingStage struct {
	LoopSender[int]
	Drain
	ctx    context.Context
	down   Signals
	queued []int
	over   bool
	fell   []error
	onFell func()
}

func newSendingStage(ctx context.Context, down reactor.Subscriber[int]) *sendingStage {
	s := &sendingStage{ctx: ctx, down: down}
	s.PushDown = Push[int](down)
	return s
}

func (s *sendingStage) DrainPass() {
	for len(s.queued) > 0 && !s.over {
		v := s.queued[0]
		s.queued = s.queued[1:]
		s.InFlight.Send(s.PushDown, v)
	}
}

func (s *sendingStage) Downstream() (context.Context, Signals, bool) { return s.ctx, s.down, s.over }

func (s *sendingStage) Fell(err error) error {
	s.over = true
	s.fell = append(s.fell, err)
	if s.onFell != nil {
		s.onFell()
	}
	return err
}

func (s *sendingStage) offer(v ...int) {
	s.queued = append(s.queued, v...)
	s.Run(s)
}

func TestLoopSender(t *testing.T) {
	boom := func(int) { panic(assert.AnError) }
	t.Run("panic", func(t *testing.T) {
		ctx, f := capture()
		r := &receiver{onNext: boom}
		s := newSendingStage(ctx, r)
		s.offer(1, 2)
		require.Len(t, r.errs, 1)
		assert.ErrorIs(t, r.errs[0], assert.AnError)
		assert.Equal(t, []any{1}, f.discarded)
		assert.Len(t, s.fell, 1)
		assert.False(t, s.InFlight.Full())
		assert.False(t, s.Active())
	})
	t.Run("over", func(t *testing.T) {
		ctx, f := capture()
		r := &receiver{onNext: boom}
		s := newSendingStage(ctx, r)
		r.onNext = func(v int) {
			s.over = true
			boom(v)
		}
		s.offer(1)
		assert.Empty(t, r.errs, "it has had its end")
		require.Len(t, f.errs, 1)
		assert.ErrorIs(t, f.errs[0], assert.AnError)
		assert.Equal(t, []any{1}, f.discarded)
	})
	t.Run("who hears of the failure ends the goroutine", func(t *testing.T) {
		ctx, f := capture()
		r := &receiver{onNext: boom}
		s := newSendingStage(ctx, r)
		s.onFell = runtime.Goexit
		racetest.Aside(func() { s.offer(1) })
		require.Len(t, r.errs, 1)
		assert.ErrorIs(t, r.errs[0], assert.AnError)
		assert.Empty(t, f.errs, "it was told")
		assert.False(t, s.Active())
	})
	t.Run("on the short way", func(t *testing.T) {
		ctx, _ := capture()
		r := &receiver{onNext: boom}
		s := newSendingStage(ctx, r)
		send := func(v int) (ok bool) {
			require.True(t, s.TryEnter())
			defer func() {
				if !ok {
					s.Drain.Fell(s, recover())
				}
			}()
			s.InFlight.Send(s.PushDown, v)
			s.Leave(s)
			return true
		}
		assert.False(t, send(1))
		assert.Len(t, r.errs, 1)
		assert.False(t, s.Active())
		r.onNext, s.over = nil, false
		assert.True(t, send(2))
		assert.Len(t, r.errs, 1)
		assert.False(t, s.Active())
	})
}

// comparing calls a function and sends nothing.
type comparing struct {
	quiet
	sendingStage
}

func (c *comparing) DrainPass() { c.quiet.pass() }

func (c *comparing) DrainCrashed(stage Drainer, err error) { c.quiet.DrainCrashed(stage, err) }

func TestQuietFallible(t *testing.T) {
	ctx, f := capture()
	r := &receiver{}
	c := &comparing{sendingStage: *newSendingStage(ctx, r)}
	c.quiet.pass = func() {
		if !c.over {
			panic(assert.AnError)
		}
	}
	c.quiet.Run(c)
	require.Len(t, r.errs, 1)
	assert.ErrorIs(t, r.errs[0], assert.AnError)
	assert.Len(t, c.fell, 1)
	assert.Empty(t, f.errs)
}

// settledError is what the outer one of two guards makes of a Goexit.
func settledError() (err error) {
	racetest.Aside(func() {
		failure.Guard(func() { failure.Guard(runtime.Goexit, func(error) {}) }, func(e error) { err = e })
	})
	return err
}

func TestAheadSender(t *testing.T) {
	for name, c := range map[string]struct {
		err       error
		discarded []any
	}{
		"panic":          {assert.AnError, []any{1}}, // the guard upstream has the other
		"settled Goexit": {settledError(), []any{2}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, f := capture()
			r := &receiver{onNext: func(int) { panic(assert.AnError) }}
			s := &AheadSender[int]{}
			s.PushDown = Push[int](r)
			assert.Panics(t, func() { s.SendAhead(ctx, 1, 2) })
			s.Unwind(ctx, c.err)
			assert.Equal(t, c.discarded, f.discarded)
			r.onNext = nil
			s.SendAhead(ctx, 3, 4)
			s.Unwind(ctx, c.err)
			assert.Equal(t, c.discarded, f.discarded, "nothing is in flight")
		})
	}
}
