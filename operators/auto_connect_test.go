package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

func TestAutoConnect(t *testing.T) {
	src := &puppet[int]{}
	var handles []reactor.Disposable
	shared := AutoConnect(Publish[int](src), 2, OnConnect(func(d reactor.Disposable) { handles = append(handles, d) }))
	a := run(shared)
	assert.Zero(t, src.count())
	b := run(shared)
	assert.Equal(t, 1, src.count())
	a.Cancel()
	b.Cancel()
	assert.Zero(t, src.last().cancels.Load())
	c := run(shared)
	assert.Len(t, handles, 1)
	src.last().OnNext(1)
	c.Open(t, 1)
	handles[0].Dispose()
	c.Failed(t, reactor.ErrCancelled, 1)
	assert.Equal(t, int64(1), src.last().cancels.Load())
	run(shared).Open(t)
	assert.Equal(t, 1, src.count(), "once only")
}

func TestAutoConnectAtOnce(t *testing.T) {
	src := &puppet[int]{}
	shared := AutoConnect(Publish[int](src), 0)
	assert.Equal(t, 1, src.count())
	p := run(shared)
	src.last().OnNext(1)
	p.Open(t, 1)
}

func TestAutoConnectContext(t *testing.T) {
	type key struct{}
	for name, stage := range map[string]func(reactor.Publisher[int]) reactor.Publisher[int]{
		"autoConnect": func(src reactor.Publisher[int]) reactor.Publisher[int] { return AutoConnect(Publish(src), 1) },
		"refCount":    func(src reactor.Publisher[int]) reactor.Publisher[int] { return RefCount(Publish(src), 1) },
		"cache":       func(src reactor.Publisher[int]) reactor.Publisher[int] { return Cache(src) },
	} {
		t.Run(name, func(t *testing.T) {
			var seen context.Context
			ctx, cancel := context.WithCancel(context.WithValue(context.Background(), key{}, "v"))
			runWith(ctx, stage(contextTap{func(ctx context.Context) { seen = ctx }}))
			cancel()
			assert.Equal(t, "v", seen.Value(key{}))
			assert.NoError(t, seen.Err(), "others may still want it")
		})
	}
}
