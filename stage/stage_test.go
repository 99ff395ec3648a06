package stage_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/leak"
	"github.com/goreactor/reactor/stage"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

// source hands out its subscriber, and counts what it is asked for.
type source struct {
	protocol.Op
	s         reactor.Subscriber[int]
	requested int64
	cancelled int
}

func (p *source) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	p.s = s
	s.OnSubscribe((*asked)(p))
}

type asked source

func (a *asked) Request(n int64) { a.requested += n }
func (a *asked) Cancel()         { a.cancelled++ }

// sink keeps what it gets.
type sink struct {
	protocol.Inner
	up  reactor.Subscription
	out []int
	end []error // nil for completion
}

func (s *sink) OnSubscribe(up reactor.Subscription) { s.up = up }
func (s *sink) OnNext(v int)                        { s.out = append(s.out, v) }
func (s *sink) OnError(err error)                   { s.end = append(s.end, err) }
func (s *sink) OnComplete()                         { s.end = append(s.end, nil) }

// sums is a definition with state that ends at 100.
type sums struct{ built *int }

type sum struct {
	stage.Control
	n int
}

func (p sums) Step(s *sum, next func(int)) func(int) {
	*p.built++
	return func(v int) {
		if s.Dropped(v) {
			return
		}
		if s.n += v; s.n >= 100 {
			s.CompleteWithout(v)
			return
		}
		next(s.n)
	}
}

// counts is a definition with state that never ends, and hears of its subscription.
type counts struct{ built *int }

type count struct{ n int }

func (c *count) Start() { c.n += 10 }

func (p counts) Step(c *count, next func(int)) func(int) {
	*p.built++
	return func(v int) { c.n += v; next(c.n) }
}

func TestOnNextAndTheFunctionShareTheState(t *testing.T) {
	for name, subscribe := range map[string]func(built *int, src reactor.Publisher[int], s *sink){
		"passing": func(built *int, src reactor.Publisher[int], s *sink) {
			stage.Each("counts", src, count{n: -10}, counts{built}).Subscribe(t.Context(), s)
		},
		"ending": func(built *int, src reactor.Publisher[int], s *sink) {
			stage.Choose("sums", stage.Ends, src, sums{built}).Subscribe(t.Context(), s)
		},
	} {
		t.Run(name, func(t *testing.T) {
			built, src, s := 0, &source{}, &sink{}
			subscribe(&built, src, s)
			src.s.OnNext(1)
			src.s.OnNext(2)
			assert.Equal(t, 1, built, "once for all calls of OnNext")
			push := protocol.Push(src.s)
			push(3)
			src.s.OnNext(4)
			push(5)
			assert.Equal(t, []int{1, 3, 6, 10, 15}, s.out)
			src.s.OnError(assert.AnError)
			assert.Equal(t, []error{assert.AnError}, s.end)
		})
	}
}

func TestEndingEndsOnce(t *testing.T) {
	built, src, s := 0, &source{}, &sink{}
	var dropped, discarded []any
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{
		NextDropped:  func(_ context.Context, v any) { dropped = append(dropped, v) },
		ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) },
		Discard:      func(_ context.Context, v any) { discarded = append(discarded, v) },
	})
	stage.Choose("sums", stage.Ends, src, sums{&built}).Subscribe(ctx, s)
	src.s.OnNext(99)
	src.s.OnNext(1)
	src.s.OnNext(2)
	src.s.OnError(assert.AnError)
	src.s.OnComplete()
	assert.Equal(t, []int{99}, s.out)
	assert.Equal(t, []error{nil}, s.end)
	assert.Equal(t, 1, src.cancelled)
	assert.Equal(t, []any{1}, discarded)
	assert.Equal(t, []any{2, assert.AnError}, dropped)
}

// twice is a definition that ends the stream at the first element and does something more.
type twice struct {
	more func(s *stage.Control, v int)
}

func (p twice) Step(s *stage.Control, _ func(int)) func(int) {
	return func(v int) {
		s.Complete()
		p.more(s, v)
	}
}

// A definition that ends the stream again has not sent a second end.
func TestControlEndsOnce(t *testing.T) {
	for name, c := range map[string]struct {
		more func(s *stage.Control, v int)
		want []any
	}{
		"complete":         {func(s *stage.Control, _ int) { s.Complete() }, nil},
		"complete without": {func(s *stage.Control, v int) { s.CompleteWithout(v) }, []any{"discarded", 1}},
		"fail":             {func(s *stage.Control, v int) { s.Fail(assert.AnError, v) }, []any{"discarded", 1, "dropped", assert.AnError}},
		"fail with nil":    {func(s *stage.Control, v int) { s.Fail(nil, v) }, []any{"discarded", 1, "dropped", reactor.ErrNilError}},
	} {
		t.Run(name, func(t *testing.T) {
			var told []any
			ctx := reactor.WithHooks(t.Context(), reactor.Hooks{
				ErrorDropped: func(_ context.Context, err error) { told = append(told, "dropped", err) },
				Discard:      func(_ context.Context, v any) { told = append(told, "discarded", v) },
			})
			src, s := &source{}, &sink{}
			stage.Choose("twice", stage.Ends, src, twice{c.more}).Subscribe(ctx, s)
			src.s.OnNext(1)
			assert.Equal(t, []error{nil}, s.end)
			assert.Equal(t, 1, src.cancelled)
			assert.Equal(t, c.want, told)
		})
	}
}
