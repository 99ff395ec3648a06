package slogstream_test

import (
	"fmt"
	"log/slog"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/slogstream"
	"github.com/goreactor/reactor/reactortest"
)

// allocated returns how many bytes fn allocates.
func allocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// No list of all subscribers is made for each that comes or goes.
func TestManySubscribersComeAndGo(t *testing.T) {
	const n = 4000
	records := slogstream.NewHandler().Records()
	var gone reactor.CompositeDisposable
	assert.Less(t, allocated(func() {
		for range n {
			gone.Add(records.SubscribeFunc(t.Context(), func(slog.Record) {}))
		}
		gone.Dispose()
	}), uint64(n*16_000))
}

// Attributes that were added by many calls are copied once for a record, and not for each call.
func TestRecordOfALoggerWithManyAttributes(t *testing.T) {
	const n = 2000
	h := slogstream.NewHandler()
	s := reactortest.Subscribe(t, h.Records())
	l := slog.New(h)
	for i := range n {
		l = l.With(fmt.Sprint(i), i)
	}
	assert.Less(t, allocated(func() { l.Info("x") }), uint64(20*n*48))
	got := s.ExpectNextCount(1)[0]
	i := 0
	got.Attrs(func(a slog.Attr) bool {
		assert.Equal(t, fmt.Sprint(i), a.Key)
		i++
		return true
	})
	assert.Equal(t, n, i)
	s.Cancel()
}
