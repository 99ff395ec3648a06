package operators

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
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

// aside is v from a goroutine of its own.
func aside(v int) reactor.Publisher[int] {
	return Create(func(s *FluxSink[int]) {
		go func() { s.Next(v); s.Complete() }()
	})
}
