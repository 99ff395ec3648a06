package operators

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestFromFunc(t *testing.T) {
	type key struct{}
	ctx, cancel := context.WithTimeout(context.WithValue(context.Background(), key{}, 7), time.Hour)
	defer cancel()
	var own context.Context
	src := FromFunc(func(c context.Context) (int, error) {
		own = c
		_, hasDeadline := c.Deadline()
		assert.True(t, hasDeadline)
		return c.Value(key{}).(int), c.Err()
	})
	runWith(ctx, src).Done(t, 7)
	assert.NoError(t, own.Err(), "the result may go on using the context")
	run(FromFunc(func(context.Context) (int, error) { return 1, errBoom })).Failed(t, errBoom)
	run(FromFunc(func(context.Context) (int, error) { panic(errBoom) })).Failed(t, errBoom)
	assert.Panics(t, func() { FromFunc[int](nil) })
}

func TestFromFuncRunsOnceOnDemand(t *testing.T) {
	calls := 0
	p := probeOf[int](0)
	FromFunc(func(context.Context) (int, error) { calls++; return calls, nil }).Subscribe(context.Background(), p)
	assert.Zero(t, calls)
	p.Request(1)
	p.Request(1)
	p.Done(t, 1)
	p = probeOf[int](0)
	FromFunc(func(context.Context) (int, error) { calls++; return calls, nil }).Subscribe(context.Background(), p)
	p.Cancel()
	p.Request(1)
	assert.Equal(t, 1, calls)
}

func TestFromFuncCancelEndsItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, hooks := probe.Recorded()
		var cause error
		p := probeOf[int](0)
		FromFunc(func(c context.Context) (int, error) {
			<-c.Done()
			cause = context.Cause(c)
			return 0, c.Err()
		}).Subscribe(ctx, p)
		go p.Request(1)
		synctest.Wait()
		p.Cancel()
		synctest.Wait()
		p.Open(t)
		assert.Equal(t, reactor.ErrCancelled, cause)
		assert.Empty(t, hooks.Errs, "that it was cancelled is no news")
	})
}

// That the function was cancelled is no news; what else it has met with is.
func TestFromFuncErrorBesideTheCancellation(t *testing.T) {
	for name, c := range map[string]struct {
		err      func(end error) error
		reported bool
	}{
		"the end":                {func(end error) error { return end }, false},
		"the end, wrapped":       {func(end error) error { return fmt.Errorf("load: %w", end) }, false},
		"the end, of a kind":     {func(end error) error { return fmt.Errorf("%w: %w", errOther, end) }, false},
		"the end, twice":         {func(end error) error { return errors.Join(end, context.Canceled) }, false},
		"another error":          {func(error) error { return errBoom }, true},
		"joined with the end":    {func(end error) error { return errors.Join(end, errBoom) }, true},
		"joined, and wrapped":    {func(end error) error { return fmt.Errorf("load: %w", errors.Join(end, errBoom)) }, true},
		"joined within the join": {func(end error) error { return errors.Join(end, errors.Join(end, errBoom)) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			check := func(hooks *probe.Record) {
				t.Helper()
				if c.reported {
					assert.Len(t, hooks.Errs, 1)
				} else {
					assert.Empty(t, hooks.Errs)
				}
			}
			ctx, hooks := probe.Recorded()
			p := probeOf[int](0)
			FromFunc(func(own context.Context) (int, error) { p.Cancel(); return 0, c.err(own.Err()) }).Subscribe(ctx, p)
			p.Request(1)
			p.Open(t)
			check(hooks)

			ctx, hooks = probe.Recorded()
			src, q := &puppet[int]{}, probeOf[int](1)
			TryMapContext(src, func(own context.Context, v int) (int, error) { q.Cancel(); return v, c.err(own.Err()) }).Subscribe(ctx, q)
			src.last().OnNext(1)
			q.Open(t)
			check(hooks)
			assert.Equal(t, []any{1}, hooks.Discarded)
		})
	}
}

func TestFromFuncEndOfTheSubscriptionsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("shut down")
		ctx, cancel := context.WithCancelCause(context.Background())
		ended, seen := make(chan error, 1), make(chan error, 1)
		src := FromFunc(func(c context.Context) (int, error) {
			<-c.Done()
			seen <- context.Cause(c)
			return 0, c.Err()
		})
		go func() {
			_, err := Collect(ctx, src)
			ended <- err
		}()
		synctest.Wait()
		cancel(why)
		assert.Equal(t, why, <-ended)
		assert.Equal(t, why, <-seen)
	})
}

func TestFromFuncResultAfterCancel(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](0)
	FromFunc(func(context.Context) (int, error) { p.Cancel(); return 5, nil }).Subscribe(ctx, p)
	p.Request(1)
	p.Open(t)
	assert.Equal(t, []any{5}, hooks.Discarded)
	q := probeOf[int](0)
	FromFunc(func(context.Context) (int, error) { q.Cancel(); return 5, errBoom }).Subscribe(ctx, q)
	q.Request(1)
	q.Open(t)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}

func TestFromFuncCancelledByItsElement(t *testing.T) {
	p := probeOf[int](0)
	var own context.Context
	p.Each = func(int) { p.Cancel() }
	FromFunc(func(c context.Context) (int, error) { own = c; return 5, nil }).Subscribe(context.Background(), p)
	p.Request(1)
	p.Open(t, 5)
	assert.NoError(t, own.Err())
}

func TestFromFuncRaces(t *testing.T) {
	for range racetest.Iterations(300) {
		l := ledger.New(t)
		p := probeOf[*ledger.Element](0)
		p.Each = func(e *ledger.Element) { l.Delivered(e) }
		FromFunc(func(context.Context) (*ledger.Element, error) { return l.Produce(), nil }).
			Subscribe(l.Context(context.Background()), p)
		racetest.Race(func() { p.Request(1) }, func() { p.Request(1) }, func() { p.Cancel() })
		assert.Empty(t, p.Faults())
		l.Check()
	}
}
