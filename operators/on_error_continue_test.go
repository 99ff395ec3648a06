package operators

import (
	"context"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestOnErrorContinue(t *testing.T) {
	type seen struct {
		err error
		v   any
	}
	var log []seen
	report := func(err error, v any) { log = append(log, seen{err, v}) }
	odd := func(v int) int {
		if v%2 == 0 {
			panic(errBoom)
		}
		return v
	}
	for name, src := range map[string]reactor.Publisher[int]{
		"map": Map(FromSlice([]int{1, 2, 3, 4}), odd),
		"tryMap": TryMap(FromSlice([]int{1, 2, 3, 4}), func(v int) (int, error) {
			if v%2 == 0 {
				return 0, errBoom
			}
			return v, nil
		}),
		"filter": Filter(FromSlice([]int{1, 2, 3, 4}), func(v int) bool { return odd(v) > 0 }),
	} {
		t.Run(name, func(t *testing.T) {
			log = nil
			run(OnErrorContinue(src, report)).Done(t, 1, 3)
			require.Len(t, log, 2)
			assert.ErrorIs(t, log[0].err, errBoom)
			assert.Equal(t, 2, log[0].v)
			assert.Equal(t, 4, log[1].v)

			p := probeOf[int](2)
			OnErrorContinue(src, report).Subscribe(context.Background(), p)
			p.Open(t, 1, 3)
			p.Request(1)
			p.Done(t, 1, 3)

			p = run(OnErrorContinue(src, report, WhenIs(io.EOF)))
			p.Failed(t, errBoom, 1)

			log = nil
			run(OnErrorContinue(OnErrorStop(src), report)).Failed(t, errBoom, 1)
			assert.Empty(t, log)

			p = run(OnErrorContinue(src, func(error, any) { panic(errOther) }))
			p.Failed(t, errOther, 1)
			assert.ErrorIs(t, p.Failure(), errBoom)
		})
	}
}

func TestOnErrorContinueReplacesWhatItDrops(t *testing.T) {
	src := &puppet[int]{}
	p := probeOf[int](1)
	OnErrorContinue(TryMap(src, func(int) (int, error) { return 0, errBoom }), func(error, any) {}).Subscribe(context.Background(), p)
	src.last().OnNext(1)
	assert.Equal(t, int64(2), src.last().requested.Load())
	p.Request(reactor.Unbounded)
	src.last().OnNext(1)
	assert.Equal(t, reactor.Unbounded, src.last().requested.Load())
	assert.Equal(t, int64(3), src.last().requests.Load(), "nothing to replace")
}

func TestOnErrorContinueLeavesFailuresDownstreamAlone(t *testing.T) {
	src := OnErrorContinue(Map(FromSlice([]int{1, 2, 3}), func(v int) int { return v }), func(error, any) { t.Error("called") })
	p := run(Map(src, func(v int) int {
		if v == 2 {
			panic(errBoom)
		}
		return v
	}))
	p.Failed(t, errBoom, 1)
}

func TestOnErrorContinueEndsWithGoexit(t *testing.T) {
	p := probeOf[int](reactor.Unbounded)
	done := make(chan struct{})
	go func() {
		defer close(done)
		OnErrorContinue(Map(FromSlice([]int{1, 2, 3}), func(v int) int {
			if v == 2 {
				runtime.Goexit()
			}
			return v
		}), func(error, any) { t.Error("called") }).Subscribe(context.Background(), p)
	}()
	<-done
	p.Failed(t, reactor.ErrGoexit, 1)
}

func TestOnErrorContinueDiscardsWhatItCannotSkip(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := TryMap(FromSlice([]int{1, 2, 3}), func(v int) (int, error) { return v, errBoom })
	runWith(ctx, OnErrorContinue(src, func(error, any) {}, WhenIs(io.EOF))).Failed(t, errBoom)
	assert.Equal(t, []any{1, 2, 3}, hooks.Discarded)
}
