package blocking

import (
	"context"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// dropping returns a context whose dropped errors are appended to the list that it returns. They are reported
// on one goroutine at a time.
func dropping(ctx context.Context) (context.Context, *[]error) {
	dropped := new([]error)
	return reactor.WithHooks(ctx, reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { *dropped = append(*dropped, err) }}), dropped
}

// A source that fails with io.EOF, as a decoder may, has not ended: what was taken is not all there is.
func TestFeedOfASourceThatFailsWithEOF(t *testing.T) {
	list, err := drained(NewFeed(t.Context(), "feed", flux.Just(1).ConcatWith(flux.Error[int](io.EOF)), 1))
	assert.Equal(t, []int{1}, list)
	assert.NotEqual(t, io.EOF, err)
	assert.ErrorIs(t, err, io.EOF)
	assert.EqualError(t, err, "reactor: feed: unexpected EOF: the source failed: EOF")

	ctx, end := context.WithCancelCause(t.Context())
	end(io.EOF)
	_, err = drained(NewFeed(ctx, "feed", flux.Never[int](), 1))
	assert.NotEqual(t, io.EOF, err, "nor has one whose context did")
}

// An error behind elements that the consumer does not take is reported.
func TestFeedReportsAnErrorThatNobodyHears(t *testing.T) {
	for name, c := range map[string]struct {
		consume func(*Feed[int])
		told    []error
	}{
		"closed":       {func(*Feed[int]) {}, []error{errBoom}},
		"after a part": {func(f *Feed[int]) { f.Poll() }, []error{errBoom}},
		"interrupted":  {func(f *Feed[int]) { f.Interrupt(); assert.Equal(t, reactor.ErrCancelled, f.Err()) }, []error{errBoom}},
		"closed twice": {func(f *Feed[int]) { f.Close() }, []error{errBoom}},
		"heard":        {func(f *Feed[int]) { _, err := drained(f); assert.Equal(t, errBoom, err) }, nil},
		"taken one by one": {func(f *Feed[int]) {
			for f.Wait() {
				f.Poll()
			}
			assert.Equal(t, errBoom, f.Err())
		}, nil},
	} {
		ctx, dropped := dropping(t.Context())
		f := NewFeed(ctx, "feed", flux.Just(1, 2).ConcatWith(flux.Error[int](errBoom)), 3)
		c.consume(f)
		f.Close()
		assert.Equal(t, c.told, *dropped, name)
	}
}

// An overflow is an error of the source, and the end of the context is none.
func TestFeedReportsAnOverflowThatNobodyHears(t *testing.T) {
	ctx, dropped := dropping(t.Context())
	ctx, end := context.WithCancel(ctx)
	up := &handDriven[int]{}
	f := NewFeed(ctx, "feed", up, 1)
	up.down.OnNext(1)
	up.down.OnNext(2)
	f.Close()
	if assert.Len(t, *dropped, 1) {
		assert.ErrorIs(t, (*dropped)[0], reactor.ErrOverflow)
	}
	*dropped = nil
	f = NewFeed(ctx, "feed", up, 1)
	end()
	f.Close()
	assert.Empty(t, *dropped)
}

// Whichever comes first, the error is reported, once.
func TestFeedIsClosedWhileItsSourceFails(t *testing.T) {
	racetest.Repeat(racetest.Iterations(5000), func(race func(fns ...func())) {
		ctx, dropped := dropping(context.Background())
		up := &handDriven[int]{}
		f := NewFeed(ctx, "feed", up, 1)
		race(func() { up.down.OnError(errBoom) }, f.Close)
		require.Equal(t, []error{errBoom}, *dropped)
	})
}

// Nobody gets a feed whose source ends the goroutine where it is subscribed to: what has come is discarded.
func TestFeedOfASourceThatEndsTheGoroutineWhereItIsSubscribedTo(t *testing.T) {
	for name, c := range map[string]struct {
		src       flux.Flux[int]
		discarded []any
	}{
		"create":      {flux.Create(func(s *flux.Sink[int]) { s.Next(1); runtime.Goexit() }), []any{1}},
		"doOnRequest": {flux.Just(1).DoOnRequest(func(int64) { runtime.Goexit() }), []any{1}},
		"map": {flux.Just(1, 2).Map(func(n int) int {
			if n == 2 {
				runtime.Goexit()
			}
			return n
		}), []any{2, 1}},
	} {
		var discarded []any
		ctx := reactor.AddDiscard(t.Context(), func(v any) { discarded = append(discarded, v) })
		racetest.Aside(func() { NewFeed(ctx, "feed", c.src, 2) })
		assert.Equal(t, c.discarded, discarded, name)
	}
}

// What has ended by itself is not cancelled, whoever closes the feed then.
func TestFeedDoesNotCancelWhatHasEnded(t *testing.T) {
	for name, end := range map[string]func(reactor.Subscriber[int]){
		"complete": func(s reactor.Subscriber[int]) { s.OnComplete() },
		"failed":   func(s reactor.Subscriber[int]) { s.OnError(errBoom) },
	} {
		up := &handDriven[int]{}
		f := NewFeed(t.Context(), "feed", up, 1)
		end(up.down)
		_, _ = drained(f)
		assert.False(t, up.cancelled.Load(), name)
	}
}
