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
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// What Open has failed with is reported, where the refusal of the scheduler is what downstream is told.
func TestRefusedAfterOpeningHasFailed(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		var dropped []error
		ctx := reactor.WithHooks(t.Context(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) }})
		later := schedulers.NewSingle("later")
		f := &late{fake: newFake(), err: errBoom}
		p := New(Settings{Op: "late", On: later, OpenApart: true, inStep: true}, func() Source[int] { return f })
		s := reactortest.Subscribe(t, p, reactortest.InitialRequest(1), reactortest.InContext(ctx))
		synctest.Wait()
		later.Dispose()
		time.Sleep(time.Minute)
		synctest.Wait()
		s.ExpectErrorIs(reactor.ErrRejected)
		require.Len(t, dropped, 1)
		assert.ErrorIs(t, dropped[0], errBoom)
	})
}

// A resource whose Close ends the goroutine keeps nobody from hearing of the end.
func TestClosingEndsItsGoroutine(t *testing.T) {
	for _, apart := range []bool{false, true} {
		reactortest.Bubble(t, func(t *testing.T) {
			f := newFake()
			f.next = upTo(1, errBoom)
			s := reactortest.Subscribe(t, New(Settings{Op: "fake.read", OpenApart: apart}, func() Source[int] { return leaves{f} }))
			synctest.Wait()
			require.True(t, s.IsTerminated())
			assert.Equal(t, []int{1}, s.Values())
			assert.ErrorIs(t, s.Err(), errBoom)
			f.check(t)
			assert.Zero(t, schedulers.BoundedElastic().Stats().Busy)
		})
	}
}

type leaves struct{ *fake }

func (l leaves) Close() error { _ = l.fake.Close(); runtime.Goexit(); return nil }
