package operators

import (
	"context"
	"iter"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// An end that comes while elements are sent one after the other leaves none of them with the subscription.
func TestFlatMapEndsWithoutTheElementBefore(t *testing.T) {
	src, inner := &puppet[int]{}, &puppet[*weighty]{}
	p := askedFor(FlatMap(src, func(int) reactor.Publisher[*weighty] { return inner }), 0)
	p.Each = func(bool) { src.last().OnError(errBoom) }
	src.last().OnNext(1)
	assert.True(t, letGo(func(v *weighty) {
		inner.last().OnNext(v)
		inner.last().OnNext(nil)
		p.Request(reactor.Unbounded)
	}))
	p.Failed(t, errBoom, true)
	runtime.KeepAlive(p.Up)
}

func TestFlatMapSeqEndsWithoutTheElementBefore(t *testing.T) {
	src := &puppet[int]{}
	var held *weighty
	p := askedFor(FlatMapSeq(src, func(int) iter.Seq[*weighty] {
		return func(yield func(*weighty) bool) {
			yield(held)
			panic(errBoom)
		}
	}), reactor.Unbounded)
	assert.True(t, letGo(func(v *weighty) {
		held = v
		src.last().OnNext(1)
		held = nil
	}))
	p.Failed(t, errBoom, true)
	runtime.KeepAlive(p.Up)
}

// Neither a producer that keeps its sink nor who keeps the subscription keeps the error of the end.
func TestCreateLetsGoOfTheError(t *testing.T) {
	for name, c := range map[string]struct {
		strategy OverflowStrategy
		end      func(sink *FluxSink[int], up *unhurried, v *weighty)
	}{
		"told": {OverflowBuffer, func(sink *FluxSink[int], up *unhurried, v *weighty) {
			up.up.Request(1)
			sink.Error(v)
		}},
		"behind an element that was cancelled": {OverflowBuffer, func(sink *FluxSink[int], up *unhurried, v *weighty) {
			sink.Next(1)
			sink.Error(v)
			up.up.Cancel()
		}},
		"behind an element too many": {OverflowError, func(sink *FluxSink[int], up *unhurried, v *weighty) {
			up.each = func() {
				sink.Next(2)
				sink.Error(v)
			}
			up.up.Request(1)
			sink.Next(1)
			up.each = nil
		}},
	} {
		var sink *FluxSink[int]
		src := Create(func(s *FluxSink[int]) { sink = s }, c.strategy)
		ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}})
		up := &unhurried{}
		src.Subscribe(ctx, up)
		assert.True(t, letGo(func(v *weighty) { c.end(sink, up, v) }), name)
		runtime.KeepAlive(sink)
		runtime.KeepAlive(up)
	}
}

// unhurried keeps its subscription, and requests nothing by itself.
type unhurried struct {
	forgetful
	each func()
}

func (u *unhurried) OnSubscribe(up reactor.Subscription) {
	u.up, u.over = up, new(bool)
}

func (u *unhurried) OnNext(int) {
	if u.each != nil {
		u.each()
	}
}

func TestMoreEndsLetGoOfTheError(t *testing.T) {
	for name, stage := range map[string]func(src reactor.Publisher[int]) reactor.Publisher[int]{
		"publishOn of a mono": func(src reactor.Publisher[int]) reactor.Publisher[int] {
			return MonoPublishOn(src, schedulers.Immediate())
		},
		"flatMapSignal": func(src reactor.Publisher[int]) reactor.Publisher[int] {
			return FlatMapSignal(src, func(int) reactor.Publisher[int] { return Empty[int]() },
				func(error) reactor.Publisher[int] { return Empty[int]() }, nil)
		},
	} {
		src := &puppet[int]{}
		ended := false
		up := &forgetful{over: &ended}
		stage(src).Subscribe(context.Background(), up)
		assert.True(t, letGo(func(v *weighty) { src.last().OnError(v) }), name)
		assert.True(t, ended, name)
		runtime.KeepAlive(up)
	}
}

// stranger is a publisher that the library does not know.
type stranger struct{ to reactor.Subscriber[int] }

func (o *stranger) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	o.to = s
	s.OnSubscribe(protocol.Empty)
}

// The error of a publisher of others that has waited for an element is not kept, either.
func TestForeignLetsGoOfTheErrorBehindAnElement(t *testing.T) {
	src, within := &stranger{}, func() {}
	ended := false
	up := &forgetful{over: &ended}
	Map(src, func(n int) int { within(); return n }).Subscribe(context.Background(), up)
	assert.True(t, letGo(func(v *weighty) {
		within = func() { src.to.OnError(v) }
		src.to.OnNext(1)
		within = nil
	}))
	assert.True(t, ended)
	runtime.KeepAlive(up)
	runtime.KeepAlive(src)
}

// A subscriber that is nil costs no worker.
func TestSubscribeOnOfNobodyLeavesNoWorker(t *testing.T) {
	h := &handScheduler{}
	assert.Panics(t, func() { SubscribeOn(Hide(Range(0, 2)), h).Subscribe(context.Background(), nil) })
	h.assertReleased(t)
}
