package stage_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/reactortest/tck"
	"github.com/goreactor/reactor/stage"
)

// numbers counts up to its state's end, doing something else at an element.
type numbers struct {
	at   int
	then func(out *stage.Emitter[int]) (more bool)
}

type progress struct {
	next, end int
	opened    *[]string
	fails     error
}

func (p *progress) Open(context.Context) error {
	p.note("open")
	return p.fails
}

func (p *progress) Close() { p.note("close") }

func (p *progress) note(s string) {
	if p.opened != nil {
		*p.opened = append(*p.opened, s)
	}
}

func (p numbers) Pull(s *progress, out *stage.Emitter[int]) bool {
	for s.next < s.end && out.Open() {
		s.next++
		if p.then != nil && s.next == p.at {
			return p.then(out)
		}
		out.Next(s.next)
	}
	return s.next < s.end
}

var numbersName = stage.Name[numbers]("numbers")

func upTo(end int, then func(out *stage.Emitter[int]) bool, opened *[]string) reactor.Publisher[int] {
	return stage.Pull(numbersName, progress{end: end, opened: opened}, numbers{3, then})
}

func TestPullKeepsTheRules(t *testing.T) {
	tck.VerifyPublisher(t, tck.Publisher[int]{
		Create: func(n int64) reactor.Publisher[int] { return upTo(int(n), nil, nil) },
		Failed: func() reactor.Publisher[int] {
			return stage.Pull("numbers", progress{fails: assert.AnError}, numbers{})
		},
	}, tck.InBubbles())
}

func TestPullEnds(t *testing.T) {
	for name, c := range map[string]struct {
		then func(out *stage.Emitter[int]) bool
		want error
		text string
	}{
		"it fails":          {func(out *stage.Emitter[int]) bool { return out.Fail(assert.AnError) }, assert.AnError, ""},
		"it does nothing":   {func(*stage.Emitter[int]) bool { return true }, reactor.ErrIllegalState, "neither sent an element nor ended"},
		"it panics":         {func(*stage.Emitter[int]) bool { panic(assert.AnError) }, assert.AnError, "reactor: numbers: panic"},
		"it fails with nil": {func(out *stage.Emitter[int]) bool { return out.Fail(nil) }, reactor.ErrProtocol, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var log []string
			s := reactortest.NewTestSubscriber[int](t, reactortest.InitialRequest(2))
			upTo(5, c.then, &log).Subscribe(t.Context(), s)
			s.ExpectNext(1, 2)
			s.Request(1)
			err := s.ExpectError()
			if c.text != "" {
				assert.ErrorContains(t, err, c.text)
			}
			if c.want != reactor.ErrProtocol {
				assert.ErrorIs(t, err, c.want)
			}
			assert.Equal(t, []string{"open", "close"}, log)
		})
	}
}

// Next without Open: the elements have gone down, and the stream says what is wrong.
func TestPullNoticesElementsThatNobodyRequested(t *testing.T) {
	src := upTo(5, func(out *stage.Emitter[int]) bool {
		out.Next(7)
		out.Next(8)
		return true
	}, nil)
	sink := &sink{}
	src.Subscribe(t.Context(), sink)
	sink.up.Request(3)
	if assert.Len(t, sink.end, 1) {
		assert.ErrorIs(t, sink.end[0], reactor.ErrOverflow)
	}
}

func TestPullOpening(t *testing.T) {
	var log []string
	src := stage.Pull("numbers", progress{opened: &log, fails: assert.AnError}, numbers{})
	_, err := flux.From(src).Collect(t.Context())
	assert.ErrorIs(t, err, assert.AnError)
	assert.Equal(t, []string{"open"}, log, "what is not open is not closed")

	log = nil
	got, err := flux.From(upTo(10, nil, &log)).Take(4).Collect(t.Context())
	assert.NoError(t, err)
	assert.Equal(t, []int{1, 2, 3, 4}, got)
	assert.Equal(t, []string{"open", "close"}, log, "also after a cancellation")
}

func TestPullDiscardsTheElementOnItsWay(t *testing.T) {
	var discarded []any
	ctx := reactor.WithHooks(t.Context(), reactor.Hooks{Discard: func(_ context.Context, v any) { discarded = append(discarded, v) }})
	_, err := flux.From(upTo(5, nil, nil)).Map(func(v int) int {
		if v == 2 {
			panic("no")
		}
		return v
	}).Collect(ctx)
	var p *reactor.PanicError
	assert.ErrorAs(t, err, &p)
	assert.Equal(t, "map", p.Op)
	assert.Contains(t, discarded, 2)

	discarded = nil
	err = flux.From(upTo(5, func(*stage.Emitter[int]) bool { panic("no") }, nil)).Run(ctx)
	assert.ErrorAs(t, err, &p)
	assert.Equal(t, "numbers", p.Op)
	assert.Empty(t, discarded, "it had arrived")
}

// keep is a stage that queues everything.
type keep[T any] struct {
	stage.Trusted
	src reactor.Publisher[T]
}

func (p *keep[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	k := &keeping[T]{queue: make(chan T, 1000)}
	k.out.Attach(ctx, s, k)
	p.src.Subscribe(ctx, k)
}

type keeping[T any] struct {
	stage.Trusted
	out   stage.Outlet[T]
	queue chan T // as simple as it gets
}

func (k *keeping[T]) OnSubscribe(up reactor.Subscription) {
	k.out.Begin(up)
	up.Request(reactor.Unbounded)
}

func (k *keeping[T]) OnNext(v T) {
	switch {
	case k.out.Closed():
		k.out.Late(v)
	case !k.out.Pass(v):
		k.queue <- v
		k.out.Run()
	}
}

func (k *keeping[T]) OnError(err error) { k.out.End(err) }
func (k *keeping[T]) OnComplete()       { k.out.End(nil) }

func (k *keeping[T]) Flow() {
	for k.out.Open() && k.out.Demand() > 0 && !k.Dry() {
		k.out.Send(<-k.queue)
	}
}

func (k *keeping[T]) Dry() bool { return len(k.queue) == 0 }

func (k *keeping[T]) Drop() {
	for !k.Dry() {
		k.out.Discard(<-k.queue)
	}
}

func TestOutletKeepsTheRules(t *testing.T) {
	tck.VerifyPublisher(t, tck.Publisher[int]{
		Max:    1000,
		Create: func(n int64) reactor.Publisher[int] { return &keep[int]{src: flux.Range(0, int(n)).Source()} },
		Failed: func() reactor.Publisher[int] { return &keep[int]{src: flux.Error[int](assert.AnError).Source()} },
	}, tck.InBubbles())
}

// elements is a source that hands out its subscriber.
type elements struct {
	s reactor.Subscriber[*ledger.Element]
}

func (p *elements) Subscribe(_ context.Context, s reactor.Subscriber[*ledger.Element]) {
	p.s = s
	s.OnSubscribe((*asked)(&source{}))
}

// books enters what it gets.
type books struct {
	stage.Trusted
	l  *ledger.Ledger
	up reactor.Subscription
}

func (s *books) OnSubscribe(up reactor.Subscription) { s.up = up }
func (s *books) OnNext(v *ledger.Element)            { s.l.Delivered(v) }
func (s *books) OnError(error)                       {}
func (s *books) OnComplete()                         {}

// Elements, requests and a cancellation that race: each element is delivered or discarded, once.
func TestOutletLosesNothing(t *testing.T) {
	racetest.Repeat(racetest.Iterations(500), func(race func(fns ...func())) {
		l := ledger.New(t)
		src, s := &elements{}, &books{l: l}
		(&keep[*ledger.Element]{src: src}).Subscribe(l.Context(t.Context()), s)
		race(
			func() {
				for _, v := range l.Slice(5) {
					src.s.OnNext(v)
				}
				src.s.OnComplete()
			},
			func() { s.up.Request(2); s.up.Request(1) },
			func() { s.up.Cancel() },
		)
		l.Check()
	})
}

func TestOutletFailure(t *testing.T) {
	src := &source{}
	var dropped []any
	ctx := reactor.WithHooks(t.Context(), reactor.Hooks{
		Discard:     func(_ context.Context, v any) { dropped = append(dropped, "discarded", v) },
		NextDropped: func(_ context.Context, v any) { dropped = append(dropped, "dropped", v) },
	})
	s := &sink{}
	(&keep[int]{src: src}).Subscribe(ctx, s)
	src.s.OnNext(1)
	k := src.s.(*keeping[int])
	k.out.Fail(errors.New("over"))
	assert.Len(t, s.end, 1)
	assert.Equal(t, 1, src.cancelled)
	src.s.OnNext(2)
	src.s.OnComplete()
	src.s.OnNext(3)
	assert.Equal(t, []any{"discarded", 1, "discarded", 2, "dropped", 3}, dropped)
	assert.Equal(t, ctx, k.out.Context())
}

func TestDemand(t *testing.T) {
	var d stage.Demand
	assert.True(t, d.Add(2))
	assert.False(t, d.Add(1))
	assert.EqualValues(t, 2, d.Take(1))
	d.Add(reactor.Unbounded)
	assert.Equal(t, reactor.Unbounded, d.Take(5))
	assert.Equal(t, reactor.Unbounded, d.Open())
}

func TestName(t *testing.T) {
	assert.Panics(t, func() { stage.Name[struct{}]("nobody") })
	assert.Panics(t, func() { stage.Name[numbers]("") })
	assert.Panics(t, func() { stage.Each("e", nil, count{}, counts{}) })
	assert.PanicsWithValue(t, "reactor: e: the publisher is nil", func() { stage.Upstream[int]("e", nil) })
}
