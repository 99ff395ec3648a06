package operators

import (
	"context"
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// weighty is what a test would like to see collected.
type weighty struct{ _ [256]byte }

func (*weighty) Error() string { return "weighty" }

// letGo hands what it makes to use, and reports whether nothing keeps it then.
func letGo(use func(*weighty)) bool {
	ref := func() weak.Pointer[weighty] {
		v := new(weighty)
		use(v)
		return weak.Make(v)
	}()
	for range 3 {
		runtime.GC()
	}
	return ref.Value() == nil
}

// A stage that goes on keeps nothing of a buffer that it has sent, also if no other one is opened.
func TestBufferWhenLetsGoOfWhatItHasSent(t *testing.T) {
	src, open, closer := &puppet[*weighty]{}, &puppet[int]{}, &puppet[int]{}
	buffers := BufferWhen(src, open, func(int) reactor.Publisher[int] { return closer })
	p := run(Map(buffers, func(b []*weighty) int { return len(b) }))
	open.last().OnNext(1)
	assert.True(t, letGo(func(v *weighty) {
		src.last().OnNext(v)
		closer.last().OnComplete()
		p.Open(t, 1)
	}))
	p.Cancel()
}

// The failure of a round is not kept for as long as the next one lasts.
func TestRetryLetsGoOfTheFailure(t *testing.T) {
	for name, policy := range map[string]RetryPolicy{
		"function":  RetryFrom(func(f reactor.Publisher[RetrySignal]) reactor.Publisher[RetrySignal] { return f }),
		"at once":   RetryMax(3),
		"callbacks": RetryMax(3).DoBeforeRetry(func(RetrySignal) {}).DoAfterRetry(func(RetrySignal) {}),
		"gates":     RetryMax(3).DoAfterRetryAsync(func(RetrySignal) reactor.Publisher[int] { return Empty[int]() }),
	} {
		src := &puppet[int]{}
		p := run(RetryWhen(src, policy))
		assert.True(t, letGo(func(v *weighty) { src.last().OnError(v) }), name)
		assert.Equal(t, 2, src.count(), name)
		p.Cancel()
	}
}

// askedFor subscribes a probe that requests n and gets no element itself, only that there was one.
func askedFor(src reactor.Publisher[*weighty], n int64) *probe.Probe[bool] {
	return probe.Listen(Map(src, func(v *weighty) bool { return v != nil }), n)
}

// A source that computes elements keeps none that it has sent while nobody asks for more.
func TestGenerateLetsGoOfWhatItHasSent(t *testing.T) {
	var p *probe.Probe[bool]
	assert.True(t, letGo(func(v *weighty) {
		p = askedFor(GenerateStateless(func(s *SyncSink[*weighty]) { s.Next(v) }), 2)
		p.Open(t, true, true)
		v = nil // the source has it by reference
	}))
	p.Cancel()
}

// A subscriber of a replay that asks for nothing keeps nothing of what it has got, once that is not replayed any more.
func TestReplayLetsGoOfWhatASlowSubscriberHasGot(t *testing.T) {
	src := &puppet[*weighty]{}
	shared := Replay(src, History(1))
	shared.Connect(context.Background(), nil)
	p := askedFor(shared, 1)
	assert.True(t, letGo(func(v *weighty) {
		src.last().OnNext(v)
		p.Open(t, true)
		src.last().OnNext(nil)
	}))
	p.Request(1)
	p.Open(t, true, false)
	p.Cancel()
}

// A resource that was released is not kept by a stage that goes on with the next publisher, nor by the subscription.
func TestUsingLetsGoOfTheResource(t *testing.T) {
	closed := func(*weighty) reactor.Publisher[int] { return Empty[int]() }
	for name, using := range map[string]func(v **weighty, src reactor.Publisher[int]) reactor.Publisher[int]{
		"using": func(v **weighty, src reactor.Publisher[int]) reactor.Publisher[int] {
			return Using(
				func(context.Context) (*weighty, error) { return *v, nil },
				func(*weighty) reactor.Publisher[int] { return src }, func(*weighty) error { return nil })
		},
		"usingWhen": func(v **weighty, src reactor.Publisher[int]) reactor.Publisher[int] {
			return UsingWhen(
				FromFunc(func(context.Context) (*weighty, error) { return *v, nil }),
				func(*weighty) reactor.Publisher[int] { return src },
				AsyncCleanup[*weighty, int]{
					Complete: closed,
					Error:    func(r *weighty, _ error) reactor.Publisher[int] { return closed(r) },
				})
		},
	} {
		for _, src := range []reactor.Publisher[int]{Range(0, 2), Concat(Range(0, 2), Error[int](errBoom))} {
			for _, way := range []string{"concatMap", "subscription"} {
				outer := &puppet[int]{}
				var p *probe.Probe[int]
				assert.True(t, letGo(func(v *weighty) {
					stage := using(&v, src)
					if way == "concatMap" {
						p = run(ConcatMap(outer, func(int) reactor.Publisher[int] { return OnErrorComplete(stage) }))
						outer.last().OnNext(1)
						p.Open(t, 0, 1)
					} else {
						p = run(stage)
					}
					v = nil // the stage has it by reference
				}), "%s, %s", name, way)
				p.Cancel()
			}
		}
	}
}

// After the end nothing of what a second source, or a function, has provided hangs on a subscription that somebody keeps.
func TestEndsLetGoOfWhatElsewhereHasProvided(t *testing.T) {
	for _, failed := range []bool{false, true} {
		src, other := &puppet[int]{}, &puppet[*weighty]{}
		p := run(WithLatestFrom(src, other, func(int, *weighty) int { return 0 }))
		assert.True(t, letGo(func(v *weighty) {
			other.last().OnNext(v)
			src.last().OnNext(1)
			p.Open(t, 0)
			if failed {
				src.last().OnError(errBoom)
			} else {
				src.last().OnComplete()
			}
		}), "withLatestFrom")
		runtime.KeepAlive(p.Up)
	}
	for _, failed := range []bool{false, true} {
		src := &puppet[*weighty]{}
		calls := 0
		p := askedFor(Expand(src, func(v *weighty) reactor.Publisher[*weighty] {
			if calls++; calls == 2 {
				panic(errBoom)
			}
			return FromSlice([]*weighty{v, v})
		}), reactor.Unbounded)
		assert.True(t, letGo(func(v *weighty) {
			src.last().OnNext(v)
			if failed {
				src.last().OnError(errBoom)
			} else {
				src.last().OnNext(nil)
			}
		}), "expand")
		runtime.KeepAlive(p.Up)
	}
}

// The keys of Distinct, which may be many, and a store that the caller has made go with the end, not with the subscription.
func TestDistinctLetsGoOfItsStore(t *testing.T) {
	for name, distinct := range map[string]func(src reactor.Publisher[int], v **weighty) reactor.Publisher[int]{
		"keys": func(src reactor.Publisher[int], v **weighty) reactor.Publisher[int] {
			return Distinct(src, func(int) *weighty { return *v })
		},
		"store": func(src reactor.Publisher[int], v **weighty) reactor.Publisher[int] {
			return DistinctIn(src, func() *weighty { return *v }, func(*weighty, int) bool { return true }, nil)
		},
	} {
		for _, src := range []reactor.Publisher[int]{Just(1), Concat(Just(1), Error[int](errBoom))} {
			for _, way := range []string{"concatMap", "subscription"} {
				outer := &puppet[int]{}
				var p *probe.Probe[int]
				assert.True(t, letGo(func(v *weighty) {
					stage := distinct(src, &v)
					if way == "concatMap" {
						p = run(ConcatMap(outer, func(int) reactor.Publisher[int] { return OnErrorComplete(stage) }))
						outer.last().OnNext(1)
						p.Open(t, 1)
					} else {
						p = run(stage)
					}
					v = nil // the stage has it by reference
				}), "%s, %s", name, way)
				runtime.KeepAlive(p.Up)
				p.Cancel()
			}
		}
	}
}

// A source that does not know of its end finds no keys any more: what it still sends is discarded.
func TestDistinctBehindItsEnd(t *testing.T) {
	for _, end := range []error{nil, errBoom} {
		ctx, hooks := probe.Recorded()
		src := &puppet[int]{}
		p := runWith(ctx, Distinct(src, func(v int) int { return v }))
		s := src.last()
		push := protocol.Push[int](s.Subscriber)
		push(1)
		if end != nil {
			s.OnError(end)
		} else {
			s.OnComplete()
		}
		s.OnNext(2)
		push(3)
		assert.Equal(t, []int{1}, p.Got())
		assert.Equal(t, []any{2, 3}, hooks.Discarded)
		assert.Empty(t, hooks.Errs)
	}
}

// A producer that keeps its sink keeps nothing of an element that was discarded.
func TestMonoCreateLetsGoOfWhatWasDiscarded(t *testing.T) {
	var sink *MonoSink[*weighty]
	create := MonoCreate(func(s *MonoSink[*weighty]) { sink = s })
	p := askedFor(create, 0)
	assert.True(t, letGo(func(v *weighty) {
		sink.Success(v)
		p.Cancel()
	}))
	assert.True(t, sink.IsCancelled())
}

// Nothing of an error hangs on a subscription that somebody keeps, once it was delivered.
func TestEndsLetGoOfTheError(t *testing.T) {
	for name, stage := range map[string]func(src reactor.Publisher[int]) reactor.Publisher[int]{
		"takeUntilOther": func(src reactor.Publisher[int]) reactor.Publisher[int] { return TakeUntilOther(src, Never[int]()) },
		"skipUntilOther": func(src reactor.Publisher[int]) reactor.Publisher[int] { return SkipUntilOther(src, Never[int]()) },
		"withLatestFrom": func(src reactor.Publisher[int]) reactor.Publisher[int] {
			return WithLatestFrom(src, Never[int](), func(v, _ int) int { return v })
		},
		"takeUntilOther, from elsewhere": func(src reactor.Publisher[int]) reactor.Publisher[int] {
			return TakeUntilOther(Never[int](), src)
		},
		"materialize": func(src reactor.Publisher[int]) reactor.Publisher[int] {
			return Map(Materialize[int, reactor.Signal[int]](src), func(reactor.Signal[int]) int { return 0 })
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

// forgetful is a subscriber that keeps its subscription, and nothing of its end.
type forgetful struct {
	protocol.Inner
	up   reactor.Subscription
	over *bool
}

func (f *forgetful) OnSubscribe(up reactor.Subscription) { f.up = up; up.Request(reactor.Unbounded) }
func (*forgetful) OnNext(int)                            {}
func (f *forgetful) OnError(error)                       { *f.over = true }
func (f *forgetful) OnComplete()                         { *f.over = true }
