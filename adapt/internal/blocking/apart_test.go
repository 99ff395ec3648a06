package blocking

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// manyMore is more than there are lanes.
func manyMore() int { return 2 * schedulers.BoundedElastic().Stats().Capacity }

// Those that wait for a resource leave the lanes to who is to give it back.
func TestOpeningKeepsNoLane(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		given, settings := make(chan struct{}), Settings{OpenApart: true}
		n := manyMore()
		sources := make([]reactor.Publisher[int], n)
		fakes := make([]*fake, n)
		for i := range sources {
			fakes[i] = newFake()
			fakes[i].block, fakes[i].next = given, upTo(1, errBoom)
			sources[i] = flux.From(fakes[i].publisher(settings)).OnErrorComplete()
		}
		s := reactortest.Subscribe(t, flux.MergeDelayError(sources...))
		synctest.Wait()
		give := mono.FromRunnable[int](func() error { close(given); return nil }).SubscribeOn(schedulers.BoundedElastic())
		_, _, err := give.BlockOptional(t.Context())
		require.NoError(t, err)
		s.ExpectNextCount(n)
		s.ExpectComplete()
		for _, f := range fakes {
			f.check(t)
		}
	})
}

func TestCallKeepsNoLane(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		given := make(chan struct{})
		call := Call("call", nil, func(context.Context) (int, error) { <-given; return 1, nil })
		s := reactortest.Subscribe(t, flux.Range(0, manyMore()).FlatMap(func(int) mono.Mono[int] { return call }))
		synctest.Wait()
		give := mono.FromRunnable[int](func() error { close(given); return nil }).SubscribeOn(schedulers.BoundedElastic())
		_, _, err := give.BlockOptional(t.Context())
		require.NoError(t, err)
		s.ExpectNextCount(manyMore())
		s.ExpectComplete()
	})
}

// Where it is said what opens, nobody else does.
func TestOpeningWhereItIsSaid(t *testing.T) {
	f := newFake()
	f.next = upTo(1, errBoom)
	s := reactortest.Subscribe(t, f.publisher(Settings{OpenApart: true, On: schedulers.Immediate()}), reactortest.InitialRequest(0))
	assert.EqualValues(t, 1, f.opened.Load(), "within Subscribe")
	s.Cancel()
	f.check(t)
}

func TestOpeningEndsItsGoroutine(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		s := reactortest.Subscribe(t, New(Settings{Op: "fake.read", OpenApart: true}, func() Source[int] { return exits{newFake()} }))
		s.ExpectErrorIs(reactor.ErrGoexit)
		synctest.Wait()
		assert.Zero(t, schedulers.BoundedElastic().Stats().Busy)
	})
}

type exits struct{ *fake }

func (exits) Open(context.Context) error { runtime.Goexit(); return nil }

// A scheduler that refuses to read, when the resource is there, has it closed.
func TestRefusedWhileOpening(t *testing.T) {
	for name, err := range map[string]error{"opened": nil, "failed": errBoom} {
		t.Run(name, func(t *testing.T) {
			reactortest.Bubble(t, func(t *testing.T) {
				later := schedulers.NewSingle("later")
				f := &late{fake: newFake(), err: err}
				p := New(Settings{Op: "late", On: later, OpenApart: true, inStep: true}, func() Source[int] { return f })
				s := reactortest.Subscribe(t, p, reactortest.InitialRequest(1))
				synctest.Wait()
				later.Dispose()
				time.Sleep(time.Minute)
				s.ExpectErrorIs(reactor.ErrRejected)
				f.check(t)
			})
		})
	}
}

// late opens a second after it was told to.
type late struct {
	*fake
	err error
}

func (l *late) Open(ctx context.Context) error {
	l.openErr = l.err
	time.Sleep(time.Second)
	return l.fake.Open(ctx)
}

// What is opened when nobody wants it any more is closed by who has opened it.
func TestCancelledWhileOpening(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		f := &late{fake: newFake()}
		s := reactortest.Subscribe(t, New(Settings{Op: "late", OpenApart: true}, func() Source[int] { return f }))
		synctest.Wait()
		s.Cancel()
		synctest.Wait()
		assert.Zero(t, f.closed.Load(), "it is not open yet")
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.EqualValues(t, 1, f.opened.Load())
		f.check(t)
		assert.Empty(t, s.Values())
		assert.Zero(t, schedulers.BoundedElastic().Stats().Busy)
	})
}

// What has to be given back is, also where the test has put its clock away.
func TestAsideOfADisposedClock(t *testing.T) {
	reactortest.UseVirtualTime(t).Dispose()
	done := make(chan struct{})
	Aside(func() { close(done) })
	<-done
}
