package operators

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

// A function that hangs does not keep a deadline from who waits for the end, where elements come one by one.
func TestForEachIsLeftWhileAFunctionHangs(t *testing.T) {
	hang := func(v int) int { time.Sleep(time.Hour); return v }
	for name, newStream := range map[string]func() reactor.Publisher[int]{
		"channel": func() reactor.Publisher[int] {
			ch := make(chan int, 1)
			ch <- 1
			close(ch)
			return Map(FromChan(ch), hang)
		},
		"create": func() reactor.Publisher[int] {
			return Map(Create(func(s *FluxSink[int]) {
				go func() { s.Next(1); s.Complete() }()
			}), hang)
		},
		"flatMap": func() reactor.Publisher[int] {
			return Map(FlatMap(Just(1), func(v int) reactor.Publisher[int] { return aside(v) }), hang)
		},
		"below flatMap": func() reactor.Publisher[int] {
			return FlatMap(aside(1), func(v int) reactor.Publisher[int] { return Map(Range(v, 2), hang) })
		},
		"onBackpressureBuffer": func() reactor.Publisher[int] { return Map(OnBackpressureBuffer(aside(1)), hang) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				began := time.Now()
				assert.ErrorIs(t, ForEach(ctx, newStream(), func(int) {}), context.DeadlineExceeded)
				assert.Equal(t, time.Second, time.Since(began))
				time.Sleep(time.Hour)
			})
		})
	}
}

// A hop asks its source for more on its worker: that may hang, too, and what comes behind it is waited for as what came before.
func TestForEachAroundARefillOfItsHop(t *testing.T) {
	forEach := func(t *testing.T, above, below func(v int)) (took time.Duration) {
		s := schedulers.NewSingle("hop")
		defer s.Dispose()
		require.NoError(t, s.Execute(func(context.Context) { time.Sleep(time.Millisecond) })) // until the caller waits: else it may do what the hop asks for
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		src := Map(Range(1, 1000), func(v int) int { above(v); return v })
		began := time.Now()
		require.ErrorIs(t, ForEach(ctx, PublishOn(src, s), below), context.DeadlineExceeded)
		took = time.Since(began)
		time.Sleep(2 * time.Hour)
		return took
	}
	none := func(int) {}
	for _, at := range []int{257, 400, 1000} { // 256 are asked for first
		synctest.Test(t, func(t *testing.T) {
			took := forEach(t, func(v int) {
				if v == at {
					time.Sleep(time.Hour)
				}
			}, none)
			assert.Equal(t, time.Second, took, at)
		})
	}
	for _, at := range []int{1, 192, 193, 194, 1000} { // at 192 it asks for more
		synctest.Test(t, func(t *testing.T) {
			over := false
			took := forEach(t, none, func(v int) {
				assert.False(t, over, v)
				if v == at {
					time.Sleep(time.Hour)
					over = true
				}
			})
			assert.Equal(t, time.Hour+time.Millisecond, took, at)
		})
	}
}

// aside is v from a goroutine of its own.
func aside(v int) reactor.Publisher[int] {
	return Create(func(s *FluxSink[int]) {
		go func() { s.Next(v); s.Complete() }()
	})
}
