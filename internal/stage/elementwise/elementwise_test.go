package elementwise

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

// evens is a Function in its two forms.
type evens struct{ stepping *int }

func (evens) Apply(v int) (int, bool, error) {
	if v == 13 {
		return 0, true, errUnlucky
	}
	return v, v%2 == 0, nil
}

var errUnlucky = errors.New("unlucky")

type steppingEvens struct{ evens }

func (p steppingEvens) Step(s *Stage, down reactor.Subscriber[int]) func(int) {
	*p.stepping++
	next := protocol.Push(down)
	return func(v int) {
		if v%2 == 0 {
			next(v)
			return
		}
		s.Reject(v)
	}
}

func TestChoose(t *testing.T) {
	for kind, wantRequested := range map[Kind]int64{Skips: 3, Rejects: 3, Ends: 2} {
		built := 0
		for name, def := range map[string]Function[int, int]{"apply": evens{}, "step": steppingEvens{evens{&built}}} {
			for _, pushed := range []bool{false, true} {
				var discarded []any
				ctx := reactor.WithHooks(context.Background(), reactor.Hooks{Discard: func(_ context.Context, v any) { discarded = append(discarded, v) }})
				src, s := &source{}, &sink{}
				Choose(ctx, kind, def, src, reactor.Subscriber[int](s))
				next := src.s.OnNext
				if pushed {
					next = protocol.Push(src.s)
				}
				s.up.Request(2)
				next(1)
				next(2)
				assert.Equal(t, []int{2}, s.out, name)
				assert.Equal(t, wantRequested, src.requested, name)
				assert.Equal(t, kind == Rejects, len(discarded) == 1, name)
				if name == "apply" {
					next(13)
					next(14)
					assert.Equal(t, []error{errUnlucky}, s.end)
					assert.Equal(t, 1, src.cancelled)
					assert.Equal(t, []int{2}, s.out)
				}
			}
		}
		assert.Equal(t, 1, built, "the faster form is for loops")
	}
}

func TestUnlimitedDemandIsNotReplaced(t *testing.T) {
	src, s := &source{}, &sink{}
	Choose(context.Background(), Skips, Function[int, int](evens{}), src, reactor.Subscriber[int](s))
	s.up.Request(reactor.Unbounded)
	src.s.OnNext(1)
	assert.Equal(t, reactor.Unbounded, src.requested)
	s.up.Cancel()
	assert.Equal(t, 1, src.cancelled)
}

func TestSubscribersAreSmall(t *testing.T) {
	per := testing.AllocsPerRun(100, func() {
		src.Subscribe(context.Background(), &mapping[int, int]{def: twice, down: quiet})
		src.s.OnNext(1)
	})
	assert.Equal(t, 1.0, per, "an element that comes alone costs nothing")
}

var (
	src   = &quietSource{}
	quiet = quietSink{}
	twice = &doubling{}
)

type doubling struct{}

func (*doubling) Apply(v int) (int, bool, error) { return 2 * v, true, nil }
func (*doubling) Step(_ *Stage, down reactor.Subscriber[int]) func(v int) {
	next := protocol.Push(down)
	return func(v int) { next(2 * v) }
}

type quietSource struct {
	protocol.Op
	s reactor.Subscriber[int]
}

func (p *quietSource) Subscribe(_ context.Context, s reactor.Subscriber[int]) { p.s = s }

type quietSink struct{ protocol.Inner }

func (quietSink) OnSubscribe(reactor.Subscription) {}
func (quietSink) OnNext(int)                       {}
func (quietSink) OnError(error)                    {}
func (quietSink) OnComplete()                      {}

// A stage whose state can't be made tells both sides, also if upstream ends the goroutine; what comes all the same is dropped.
func TestStageThatIsNotStarted(t *testing.T) {
	for _, exits := range []bool{false, true} {
		ctx, hooks := probe.Recorded()
		p, up := &probe.Probe[int]{}, &leavingSource{exits: exits}
		s := &Stage{}
		Init[int](s, ctx, Rejects)
		racetest.Aside(func() { s.Unstarted(up, errNever, signals(p)) })
		p.Failed(t, errNever)
		assert.Equal(t, 1, up.Cancelled)
		assert.True(t, s.Dropped(1))
		s.OnError(errNever, signals(p))
		s.OnComplete(signals(p))
		p.Failed(t, errNever)
		p.Faultless(t)
		assert.Equal(t, []any{1}, hooks.Dropped)
		assert.Equal(t, []any{errNever}, hooks.Errs)
	}
}

var errNever = errors.New("never")

// leavingSource may end the goroutine of who cancels it.
type leavingSource struct {
	probe.Source
	exits bool
}

func (l *leavingSource) Cancel() {
	l.Source.Cancel()
	if l.exits {
		runtime.Goexit()
	}
}
