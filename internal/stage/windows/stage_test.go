package windows

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/testkit/leak"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

var errBoom = errors.New("boom")

// stage sends a window when it is told to.
type stage struct {
	Events[int, *Window[int], reactor.Publisher[int]]
	cancelled int
}

func (s *stage) CancelAll()                       { s.cancelled++ }
func (s *stage) Flow()                            {}
func (s *stage) Drop()                            {}
func (s *stage) OnSubscribe(reactor.Subscription) {}

func begin(ctx context.Context, p *probe.Probe[reactor.Publisher[int]]) *stage {
	s := &stage{}
	s.Init(ctx, p, func(w reactor.Publisher[int]) reactor.Publisher[int] { return w }, s)
	s.Out.BeginWith(s)
	return s
}

// open sends a new window down.
func (s *stage) open() *Window[int] {
	w := s.Open("windows", 4)
	s.Hold(w)
	s.Emit(s.Wrap(w))
	return w
}

// The windows that are open go on after the stream of windows has gone; with the last of them what they are made of
// is cancelled, once.
func TestWindowsOutliveTheirStream(t *testing.T) {
	p := &probe.Probe[reactor.Publisher[int]]{Initial: 2}
	s := begin(t.Context(), p)
	a, b := s.open(), s.open()
	inA := probe.Listen(p.Got()[0], probe.All)
	inB := probe.Listen(p.Got()[1], probe.All)
	p.Cancel()
	a.Send(1)
	b.Send(2)
	inA.Open(t, 1)
	inB.Open(t, 2)
	assert.Zero(t, s.cancelled)
	inA.Cancel()
	assert.Zero(t, s.cancelled)
	inB.Cancel()
	assert.Equal(t, 1, s.cancelled)
}

// Nothing is cancelled that has ended by itself.
func TestWindowsOfWhatHasEnded(t *testing.T) {
	p := &probe.Probe[reactor.Publisher[int]]{Initial: 1}
	s := begin(t.Context(), p)
	w := s.open()
	in := probe.Listen(p.Got()[0], probe.All)
	s.Ended.Store(true)
	w.Complete()
	in.Done(t)
	s.Out.TryEnter()
	s.FinishDown(errBoom)
	s.Out.Leave()
	p.Cancel()
	assert.Zero(t, s.cancelled)
}

func TestCount(t *testing.T) {
	var c Count
	c.Live.Store(2)
	assert.False(t, c.Left())
	assert.True(t, c.Left())
	c.Live.Store(1)
	c.Ended.Store(true)
	assert.False(t, c.Left())
}

// A window that nobody has subscribed is given up, with what it has; one that somebody has is not.
func TestAbandonAll(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := &probe.Probe[reactor.Publisher[int]]{Initial: 2}
	s := begin(ctx, p)
	a, b := s.open(), s.open()
	in := probe.Listen(p.Got()[1], probe.All)
	a.Send(1)
	q := queue.NewLinked[*Window[int]](4)
	q.Offer(a)
	q.Offer(b)
	AbandonAll(q)
	assert.True(t, q.IsEmpty())
	assert.Equal(t, []any{1}, hooks.Discarded)
	probe.Listen(p.Got()[0], probe.All).Failed(t, reactor.ErrCancelled)
	b.Send(2)
	in.Open(t, 2)
}
