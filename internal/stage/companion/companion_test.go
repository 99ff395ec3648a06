package companion

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/leak"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

var errBoom = errors.New("boom")

// Before there is a subscriber only the latest end is kept; from then on each of them, as demand allows.
func TestFeedKeepsTheLatestEnd(t *testing.T) {
	f := &Feed[int]{}
	f.offer(1)
	f.offer(2)
	p := probe.Listen[int](f, 0)
	p.Open(t)
	f.offer(3)
	f.offer(4)
	p.Request(2)
	p.Open(t, 2, 3)
	p.Request(5)
	p.Open(t, 2, 3, 4)
	p.Cancel()
	f.offer(5)
	p.Open(t, 2, 3, 4)
	assert.Empty(t, f.pending, "nobody will get it")
}

func TestFeedForgetsWhatWaitsAtACancellation(t *testing.T) {
	f := &Feed[int]{}
	p := probe.Listen[int](f, 1)
	f.offer(1)
	f.offer(2)
	p.Cancel()
	p.Open(t, 1)
	assert.Empty(t, f.pending)
}

// A stage that lives for long may fail often after its companion has lost interest in how.
func TestFeedOfAFailedSubscriberKeepsNothing(t *testing.T) {
	f := &Feed[int]{}
	p := &probe.Probe[int]{Initial: 1, Each: func(int) { panic(errBoom) }}
	f.Subscribe(t.Context(), p)
	for n := range 3 {
		f.offer(n)
	}
	p.Failed(t, errBoom, 0)
	assert.Empty(t, f.pending)
}

func TestFeedServesOne(t *testing.T) {
	f := &Feed[int]{}
	p := probe.Listen[int](f, probe.All)
	probe.Listen[int](f, probe.All).Failed(t, reactor.ErrIllegalState)
	f.offer(1)
	p.Open(t, 1)
}

// Change may end the feed with its element.
func TestFeedThatChanges(t *testing.T) {
	f := &Feed[int]{Change: func(v int) (int, bool, error) {
		if v == 2 {
			return 20, true, errBoom
		}
		return 10 * v, true, nil
	}}
	p := probe.Listen[int](f, probe.All)
	f.offer(1)
	f.offer(2)
	f.offer(3)
	p.Failed(t, errBoom, 10, 20)
}

// Ends that are told while the subscriber comes and asks: none is told twice, the last one always.
func TestFeedRaces(t *testing.T) {
	racetest.Rounds(t, 3000, func() ([]func(), func()) {
		f := &Feed[int]{}
		p := &probe.Probe[int]{Initial: 1}
		calls := []func(){
			func() { f.Subscribe(context.Background(), p); p.Request(3) },
			func() { f.offer(1); f.offer(2); f.offer(3) },
		}
		return calls, func() {
			p.Faultless(t)
			got := p.Got()
			assert.NotEmpty(t, got)
			assert.Equal(t, 3, got[len(got)-1])
			assert.IsIncreasing(t, append([]int{0}, got...))
		}
	})
}

func TestOverlay(t *testing.T) {
	type key string
	below := context.WithValue(context.WithValue(t.Context(), key("a"), 1), key("b"), 2)
	o := overlaid(below, context.WithValue(t.Context(), key("a"), 3))
	assert.Equal(t, 3, o.Value(key("a")))
	assert.Equal(t, 2, o.Value(key("b")))
	assert.Nil(t, o.Value(key("c")))
}

// Values that are made of what they go before are asked alone: a key that nobody has is looked for once in each round, not
// twice as often as in the one before.
func TestOverlaysOfOverlays(t *testing.T) {
	type key string
	const rounds = 20
	base := &counting{Context: t.Context()}
	var ctx context.Context = base
	for n := range rounds {
		ctx = overlaid(ctx, context.WithValue(ctx, key("a"), n))
	}
	base.asked = 0
	assert.Equal(t, rounds-1, ctx.Value(key("a")))
	assert.Nil(t, ctx.Value(key("c")))
	assert.LessOrEqual(t, base.asked, 2, "the first round's values are made of a context that can't be told from others")

	old := overlaid(t.Context(), context.WithValue(t.Context(), key("a"), 1))
	now := overlaid(old, context.WithValue(t.Context(), key("b"), 2))
	now = overlaid(now, context.WithValue(old, key("c"), 3))
	assert.Equal(t, 2, now.Value(key("b")), "what came between stays, behind values that are made of something older")
}

// counting counts what it is asked for.
type counting struct {
	context.Context
	asked int
}

func (c *counting) Value(key any) any {
	c.asked++
	return c.Context.Value(key)
}

// told is an Owner that writes down what it hears.
type told struct{ what []any }

func (o *told) started(up reactor.Subscription) { up.Request(1) }
func (o *told) answered(v any)                  { o.what = append(o.what, v) }
func (o *told) ended(err error)                 { o.what = append(o.what, err) }

// The companion is made of the feed, and its signals are the owner's.
func TestAttach(t *testing.T) {
	o := &told{}
	f := &Feed[int]{}
	Attach("companion", func(ends reactor.Publisher[int]) reactor.Publisher[int] { return ends })(t.Context(), f, o)
	f.offer(7)
	assert.Equal(t, []any{7}, o.what)
	f.Change = func(v int) (int, bool, error) { return v, true, errBoom }
	f.offer(8)
	assert.Equal(t, []any{7}, o.what, "nobody has asked")
	f.Request(1)
	assert.Equal(t, []any{7, 8, errBoom}, o.what)
}

// By itself the goroutine of who gets an end tells nobody that it has gone.
func TestFeedOfASubscriberThatEndsTheGoroutine(t *testing.T) {
	f := &Feed[int]{}
	p := &probe.Probe[int]{Initial: probe.All, Each: func(int) { runtime.Goexit() }}
	f.Subscribe(t.Context(), p)
	for n := range 3 {
		racetest.Aside(func() { f.offer(n) })
	}
	p.Failed(t, reactor.ErrGoexit, 0)
	p.Faultless(t)
	assert.Empty(t, f.pending)
}

// An end that has come before is not sent before the subscriber has its subscription, whatever that asks for.
func TestFeedBeginsBehindTheSubscription(t *testing.T) {
	f := &Feed[int]{}
	f.offer(1)
	begun := false
	p := &probe.Probe[int]{Initial: 2}
	p.Subscribed = func(reactor.Subscription) {
		p.Items(t)
		begun = true
	}
	f.Subscribe(t.Context(), p)
	assert.True(t, begun)
	p.Open(t, 1)
}

// Of what a companion has answered with nobody else hears.
type answer struct{ told *int }

func (a answer) Discarded() { *a.told++ }

func TestAnswersAreSpent(t *testing.T) {
	n, owner := 0, &told{}
	subscriber[answer]{ctx: t.Context(), owner: owner}.OnNext(answer{&n})
	assert.Len(t, owner.what, 1)
	assert.Equal(t, 1, n)
}

// source remembers who has subscribed.
type source struct {
	protocol.Op
	subs []reactor.Subscriber[int]
	ups  []*probe.Source
}

func (s *source) Subscribe(_ context.Context, sub reactor.Subscriber[int]) {
	up := &probe.Source{}
	s.subs, s.ups = append(s.subs, sub), append(s.ups, up)
	sub.OnSubscribe(up)
}

// resumed tells its companion of each failure of the source.
type resumed struct{ *Stage[int, error] }

func (r resumed) OnError(err error) {
	if !r.Signal(err) {
		r.Finish(err)
	}
}

func (r resumed) OnComplete() { r.Finish(nil) }

// resume subscribes p to what resumes src, and returns the stage as its companion sees it, and the subscription of that.
func resume(ctx context.Context, src *source, p *probe.Probe[int], verbatim bool) (owner Owner, other *probe.Source) {
	other = &probe.Source{}
	(&Publisher[int, error]{
		Src:      src,
		Verbatim: verbatim,
		Attach: func(_ context.Context, _ *Feed[error], o Owner) {
			owner = o
			o.started(other)
		},
		Drive: func(s *Stage[int, error]) reactor.Subscriber[int] { return resumed{s} },
	}).Subscribe(ctx, p)
	return owner, other
}

// What the source sends when its companion has ended the stream is given up, and nothing else is.
func TestElementsBehindTheEndOfTheCompanionAreDiscarded(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, p := &source{}, &probe.Probe[int]{Initial: probe.All}
	owner, other := resume(ctx, src, p, false)
	src.subs[0].OnNext(1)
	p.Open(t, 1)
	assert.Empty(t, hooks.Discarded)
	owner.ended(nil)
	p.Done(t, 1)
	assert.Equal(t, 1, src.ups[0].Cancelled)
	src.subs[0].OnNext(2)
	assert.Equal(t, []any{2}, hooks.Discarded)
	assert.Empty(t, hooks.Errs)
	src.subs[0].OnError(errBoom)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
	p.Cancel()
	assert.Zero(t, other.Cancelled, "it has ended")
	p.Done(t, 1)
}

// The answer comes when nobody wants the stream any more.
func TestNothingIsResumedAfterACancellation(t *testing.T) {
	for _, verbatim := range []bool{false, true} {
		src, p := &source{}, &probe.Probe[int]{Initial: probe.All}
		owner, other := resume(t.Context(), src, p, verbatim)
		src.subs[0].OnError(errBoom)
		owner.answered(nil)
		assert.Len(t, src.subs, 2)
		src.subs[1].OnError(errBoom)
		p.Cancel()
		owner.answered(nil)
		assert.Len(t, src.subs, 2)
		assert.Equal(t, 1, other.Cancelled)
		assert.Equal(t, verbatim, src.ups[1].Cancelled == 1, "as Reactor does, though the source has ended")
		p.Open(t)
	}
}
