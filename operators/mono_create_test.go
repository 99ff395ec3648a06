package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestMonoCreate(t *testing.T) {
	run(MonoCreate(func(s *MonoSink[int]) { s.Success(1) })).Done(t, 1)
	run(MonoCreate(func(s *MonoSink[int]) { s.Complete() })).Done(t)
	run(MonoCreate(func(s *MonoSink[int]) { s.Error(errBoom) })).Failed(t, errBoom)
	run(MonoCreate(func(s *MonoSink[int]) { panic(errBoom) })).Failed(t, errBoom)
	p := probeOf[int](0)
	disposed := 0
	MonoCreate(func(s *MonoSink[int]) {
		s.OnDispose(func() { disposed++ })
		s.Success(1)
		assert.True(t, s.IsCancelled())
	}).Subscribe(context.Background(), p)
	p.Open(t)
	assert.Zero(t, disposed)
	p.Request(1)
	p.Request(1)
	p.Done(t, 1)
	assert.Equal(t, 1, disposed)
	assert.Panics(t, func() { MonoCreate[int](nil) })
}

func TestMonoCreateTooLate(t *testing.T) {
	ctx, hooks := probe.Recorded()
	runWith(ctx, MonoCreate(func(s *MonoSink[int]) { s.Success(1); s.Success(2); s.Error(errBoom); s.Complete() })).
		Done(t, 1)
	assert.Equal(t, []any{2}, hooks.Dropped)
	assert.Equal(t, []any{errBoom}, hooks.Errs)

	var sink *MonoSink[int]
	cancelled := 0
	p := probeOf[int](0)
	MonoCreate(func(s *MonoSink[int]) { sink = s; s.OnCancel(func() { cancelled++ }) }).Subscribe(ctx, p)
	sink.Success(5)
	p.Cancel()
	p.Cancel()
	p.Request(1)
	p.Open(t)
	assert.Equal(t, 1, cancelled)
	p = probeOf[int](0)
	MonoCreate(func(s *MonoSink[int]) { sink = s }).Subscribe(ctx, p)
	p.Cancel()
	sink.Success(6)
	assert.Equal(t, []any{5, 6}, hooks.Discarded)
	sink.OnCancel(func() { cancelled++ })
	sink.OnDispose(func() { cancelled++ })
	assert.Equal(t, 3, cancelled)
	assert.Panics(t, func() { sink.OnCancel(nil) })
	assert.Panics(t, func() { sink.OnDispose(nil) })
	assert.Panics(t, func() { sink.OnRequest(nil) })
}

func TestMonoCreateOnRequest(t *testing.T) {
	for _, initial := range []int64{0, 1} {
		calls := 0
		p := probeOf[int](initial)
		MonoCreate(func(s *MonoSink[int]) {
			s.OnRequest(func() { calls++; s.Success(4) })
			assert.Panics(t, func() { s.OnRequest(func() {}) })
		}).Subscribe(context.Background(), p)
		p.Request(1)
		p.Request(1)
		p.Done(t, 4)
		assert.Equal(t, 1, calls)
	}
	run(MonoCreate(func(s *MonoSink[int]) { s.OnRequest(func() { panic(errBoom) }) })).Failed(t, errBoom)
}

func TestMonoCreateDownstreamPanics(t *testing.T) {
	ctx, hooks := probe.Recorded()
	cancelled := 0
	runWith(ctx, Map(MonoCreate(func(s *MonoSink[int]) {
		s.OnCancel(func() { cancelled++ })
		s.Success(1)
	}), func(int) int { panic(errBoom) })).Failed(t, errBoom)
	assert.Equal(t, []any{1}, hooks.Discarded)
	assert.Equal(t, 1, cancelled)
}

func TestMonoCreateRaces(t *testing.T) {
	for i := range racetest.Iterations(500) {
		l := ledger.New(t)
		disposed := make(chan struct{}, 3)
		var sink *MonoSink[*ledger.Element]
		p := probeOf[*ledger.Element](0)
		p.Each = func(e *ledger.Element) { l.Delivered(e) }
		MonoCreate(func(s *MonoSink[*ledger.Element]) { sink = s }).Subscribe(l.Context(context.Background()), p)
		sink.OnDispose(func() { disposed <- struct{}{} })
		racetest.Race(
			func() { sink.Success(l.Produce()) },
			func() { sink.Success(l.Produce()) },
			func() { p.Request(1) },
			func() {
				if i%2 == 0 {
					p.Cancel()
				} else {
					sink.Complete()
				}
			},
		)
		assert.Len(t, disposed, 1)
		assert.Empty(t, p.Faults())
		l.Check()
	}
}
