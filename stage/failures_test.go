package stage_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/stage"
)

// brittle is a stage without elements of its own, whose functions may panic.
type brittle struct {
	stage.Trusted
	out             stage.Outlet[int]
	flow, dry, drop func()
	asks            int64
}

func (b *brittle) OnSubscribe(up reactor.Subscription) {
	b.out.Begin(up)
	if b.asks > 0 {
		up.Request(b.asks)
	}
}

func (b *brittle) OnNext(v int) {
	if b.out.Closed() {
		b.out.Late(v)
	} else if !b.out.Pass(v) {
		b.out.Discard(v)
	}
}

func (b *brittle) OnError(err error) { b.out.End(err) }
func (b *brittle) OnComplete()       { b.out.End(nil) }

func (b *brittle) Flow() {
	if b.flow != nil {
		b.flow()
	}
	b.out.Open()
}

func (b *brittle) Dry() bool {
	if b.dry != nil {
		b.dry()
	}
	return true
}

func (b *brittle) Drop() {
	if b.drop != nil {
		b.drop()
	}
}

// panicking returns a function that panics each time, and how often it was called. It gives up before the stack does.
func panicking() (fn func(), calls *int) {
	calls = new(int)
	return func() {
		if *calls++; *calls < 10 {
			panic(assert.AnError)
		}
	}, calls
}

func TestOutletOfAStageThatPanics(t *testing.T) {
	t.Run("Flow", func(t *testing.T) {
		flow, calls := panicking()
		src, s := &source{}, &sink{}
		b := &brittle{flow: flow}
		b.out.Attach(t.Context(), s, b)
		src.Subscribe(t.Context(), b)
		s.up.Request(1)
		if assert.Len(t, s.end, 1) {
			assert.ErrorIs(t, s.end[0], assert.AnError)
		}
		b.out.Run()
		assert.Equal(t, 1, *calls, "it is over")
		assert.Equal(t, 1, src.cancelled)
	})
	t.Run("Drop", func(t *testing.T) {
		var dropped []error
		ctx := reactor.WithHooks(t.Context(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) }})
		drop, calls := panicking()
		src, s := &source{}, &sink{}
		b := &brittle{drop: drop}
		b.out.Attach(ctx, s, b)
		src.Subscribe(ctx, b)
		s.up.Request(1)
		src.s.OnComplete()
		assert.Equal(t, []error{nil}, s.end)
		assert.Equal(t, 1, *calls)
		if assert.Len(t, dropped, 1) {
			assert.ErrorIs(t, dropped[0], assert.AnError)
		}
	})
	t.Run("Dry", func(t *testing.T) {
		s := reactortest.NewTestSubscriber[int](t, reactortest.InitialRequest(2))
		dry, _ := panicking()
		b := &brittle{dry: dry, asks: 3}
		b.out.Attach(t.Context(), s, b)
		flux.Range(1, 3).Source().Subscribe(t.Context(), b)
		assert.ErrorIs(t, s.ExpectError(), assert.AnError)
	})
}

// late is a state that fails when it hears of the subscription.
type late struct{ stage.Control }

func (*late) Start() { panic(assert.AnError) }

type same struct{}

func (same) Step(s *late, next func(int)) func(int) {
	return func(v int) {
		if !s.Dropped(v) {
			next(v)
		}
	}
}

// plain is late without a Control.
type plain struct{ started int }

func (s *plain) Start() {
	s.started++
	panic(assert.AnError)
}

type samePlain struct{}

func (samePlain) Step(_ *plain, next func(int)) func(int) { return next }

func TestStartThatPanics(t *testing.T) {
	for name, of := range map[string]func(src reactor.Publisher[int]) reactor.Publisher[int]{
		"Each": func(src reactor.Publisher[int]) reactor.Publisher[int] {
			return stage.Each("each", src, plain{}, samePlain{})
		},
		"Choose, Ends": func(src reactor.Publisher[int]) reactor.Publisher[int] {
			return stage.Choose("choose", stage.Ends, src, same{})
		},
		"Choose, Skips": func(src reactor.Publisher[int]) reactor.Publisher[int] {
			return stage.Choose("choose", stage.Skips, src, same{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, src := range []flux.Flux[int]{flux.Range(0, 3), flux.Empty[int](), flux.Error[int](context.Canceled), flux.Just(1)} {
				assert.NotPanics(t, func() {
					got, err := flux.From(of(src)).Collect(t.Context())
					assert.Empty(t, got)
					assert.ErrorIs(t, err, assert.AnError)
				})
			}
			src, s := &source{}, &sink{}
			of(src).Subscribe(t.Context(), s)
			assert.Equal(t, 1, src.cancelled)
			src.s.OnNext(1)
			src.s.OnComplete()
			assert.Empty(t, s.out)
			assert.Len(t, s.end, 1)
		})
	}
}

// odd is a definition that rejects, of the kind that skips.
type odd struct{}

func (odd) Step(s *stage.Control, next func(int)) func(int) {
	return func(v int) {
		if v%2 == 0 {
			s.Reject(v)
			return
		}
		next(v)
	}
}

func TestRejectDiscardsWhateverTheKind(t *testing.T) {
	for _, kind := range []stage.Kind{stage.Skips, stage.Rejects} {
		var discarded []any
		ctx := reactor.WithHooks(t.Context(), reactor.Hooks{Discard: func(_ context.Context, v any) { discarded = append(discarded, v) }})
		got, err := flux.From(stage.Choose("odd", kind, flux.Range(1, 4), odd{})).Collect(ctx)
		assert.NoError(t, err)
		assert.Equal(t, []int{1, 3}, got)
		assert.Equal(t, []any{2, 4}, discarded)
	}
}

// A Pull that has sent too much and failed as well: the one ends the stream, the other is not lost.
func TestPullThatFailsAfterTooMany(t *testing.T) {
	var dropped []error
	ctx := reactor.WithHooks(t.Context(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) }})
	src := upTo(5, func(out *stage.Emitter[int]) bool {
		out.Next(7)
		out.Next(8)
		return out.Fail(assert.AnError)
	}, nil)
	s := &sink{}
	src.Subscribe(ctx, s)
	s.up.Request(3)
	if assert.Len(t, s.end, 1) {
		assert.ErrorIs(t, s.end[0], reactor.ErrOverflow)
	}
	assert.Equal(t, []error{assert.AnError}, dropped)
}

// A stage without a source, such as one that is fed by callbacks, has nothing to cancel.
func TestOutletWithoutUpstream(t *testing.T) {
	for name, end := range map[string]func(k *keeping[int], s *sink){
		"cancelled": func(_ *keeping[int], s *sink) { s.up.Cancel() },
		"failed":    func(k *keeping[int], _ *sink) { k.out.Fail(assert.AnError) },
		"completed": func(k *keeping[int], _ *sink) { k.out.Complete() },
	} {
		t.Run(name, func(t *testing.T) {
			var told []any
			ctx := reactor.WithHooks(t.Context(), reactor.Hooks{
				ErrorDropped: func(_ context.Context, err error) { told = append(told, err) },
				Discard:      func(_ context.Context, v any) { told = append(told, v) },
			})
			k, s := &keeping[int]{queue: make(chan int, 1)}, &sink{}
			k.out.Attach(ctx, s, k)
			k.out.Begin(nil)
			k.OnNext(7)
			assert.NotPanics(t, func() { end(k, s) })
			assert.Equal(t, []any{7}, told)
			assert.True(t, k.out.Closed())
		})
	}
}

// A Pull that has failed and then panics, or fails once more: the stream has one error, the other is not lost.
func TestPullThatFailsTwice(t *testing.T) {
	other := errors.New("other")
	for name, then := range map[string]func(*stage.Emitter[int]) bool{
		"panic": func(out *stage.Emitter[int]) bool { out.Fail(other); panic(assert.AnError) },
		"error": func(out *stage.Emitter[int]) bool { out.Fail(assert.AnError); return out.Fail(other) },
	} {
		var dropped []error
		ctx := reactor.WithHooks(t.Context(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) }})
		s := &sink{}
		upTo(5, then, nil).Subscribe(ctx, s)
		s.up.Request(9)
		if assert.Len(t, s.end, 1, name) {
			assert.ErrorIs(t, s.end[0], assert.AnError, name)
		}
		assert.Equal(t, []error{other}, dropped, name)
	}
}
