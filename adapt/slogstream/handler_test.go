package slogstream_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/slogtest"
	"testing/synctest"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/slogstream"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/testkit/beside"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/reactortest/tck"
	"github.com/goreactor/reactor/schedulers"
)

func messages(h *slogstream.Handler) flux.Flux[string] {
	return h.Records().Map(func(r slog.Record) string { return r.Message })
}

func TestRecords(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		h := slogstream.NewHandler()
		log := slog.New(h)
		log.Info("nobody is there")
		s := reactortest.Subscribe(t, messages(h))
		log.Info("a")
		log.Debug("too low")
		log.Warn("b")
		s.ExpectNext("a", "b")
		s.ExpectNothing()
		assert.True(t, h.Enabled(t.Context(), slog.LevelInfo))
		s.Cancel()
		synctest.Wait()
		assert.False(t, h.Enabled(t.Context(), slog.LevelInfo), "unregistered")
		assert.Zero(t, h.Dropped())
	})
}

// Hooks see records, whatever the stages inside carry.
func TestHooksSeeRecords(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		var discarded []string
		var inHand any
		ctx := reactor.WithHooks(t.Context(), reactor.Hooks{
			Discard: func(_ context.Context, v any) { discarded = append(discarded, v.(slog.Record).Message) },
			OperatorError: func(_ context.Context, err error, v any) error {
				inHand = v
				return err
			},
		})
		h := slogstream.NewHandler(slogstream.Capacity(2), slogstream.On(schedulers.Immediate()))
		log := slog.New(h)
		sub := &requester{}
		h.Records().Subscribe(ctx, sub)
		log.Info("a")
		log.Info("b")
		log.Info("c")
		assert.Equal(t, []string{"b"}, discarded, "no room")
		assert.EqualValues(t, 1, h.Dropped())
		sub.up.Cancel()
		assert.ElementsMatch(t, []string{"a", "b", "c"}, discarded)

		failing := h.Records().DoOnNext(func(slog.Record) { panic("boom") }).SubscribeFunc(ctx, func(slog.Record) {})
		defer failing.Dispose()
		log.Info("d")
		r, ok := inHand.(slog.Record)
		require.True(t, ok, "%T", inHand)
		assert.Equal(t, "d", r.Message)
	})
}

// requester is a subscriber that requests nothing.
type requester struct{ up reactor.Subscription }

func (r *requester) OnSubscribe(up reactor.Subscription) { r.up = up }
func (r *requester) OnNext(slog.Record)                  {}
func (r *requester) OnError(error)                       {}
func (r *requester) OnComplete()                         {}

// The handler does what package slog wants of one.
func TestHandlerConforms(t *testing.T) {
	h := slogstream.NewHandler(slogstream.On(schedulers.Immediate()))
	var out []map[string]any
	sub := h.Records().SubscribeFunc(t.Context(), func(r slog.Record) { out = append(out, asMap(r)) })
	defer sub.Dispose()
	require.NoError(t, slogtest.TestHandler(h, func() []map[string]any { return out }))
}

func asMap(r slog.Record) map[string]any {
	m := map[string]any{slog.LevelKey: r.Level, slog.MessageKey: r.Message}
	if !r.Time.IsZero() {
		m[slog.TimeKey] = r.Time
	}
	r.Attrs(func(a slog.Attr) bool { put(m, a); return true })
	return m
}

func put(m map[string]any, a slog.Attr) {
	v := a.Value.Resolve()
	switch {
	case a.Equal(slog.Attr{}):
	case v.Kind() != slog.KindGroup:
		m[a.Key] = v.Any()
	case len(v.Group()) == 0:
	default:
		inner := m
		if a.Key != "" {
			inner = map[string]any{}
			m[a.Key] = inner
		}
		for _, x := range v.Group() {
			put(inner, x)
		}
	}
}

func TestSlowSubscriberMissesTheOldest(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		h := slogstream.NewHandler(slogstream.Capacity(3))
		s := reactortest.Subscribe(t, messages(h), reactortest.InitialRequest(0))
		synctest.Wait()
		for i := range 10 {
			slog.New(h).Info(fmt.Sprint(i))
			synctest.Wait()
		}
		s.Request(10)
		s.ExpectNext("0", "8", "9") // one was on its way already
		assert.EqualValues(t, 7, h.Dropped())

		h = slogstream.NewHandler(slogstream.Capacity(1))
		s = reactortest.Subscribe(t, messages(h), reactortest.InitialRequest(0))
		for i := range 10 {
			slog.New(h).Info(fmt.Sprint(i))
			synctest.Wait()
		}
		s.Request(10)
		s.ExpectNext("0", "9")
		assert.EqualValues(t, 8, h.Dropped())
	})
}

// The memory of a record is used again when all have got it, and not before.
func TestRecordsWaitForTheSlowerSubscriber(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		const n = 100
		h := slogstream.NewHandler()
		fast := reactortest.Subscribe(t, messages(h))
		slow := reactortest.Subscribe(t, messages(h), reactortest.InitialRequest(0))
		var want []string
		for i := range n {
			want = append(want, fmt.Sprint(i))
			slog.New(h).Info(want[i])
			synctest.Wait()
		}
		slow.Request(n)
		slow.ExpectNext(want...)
		assert.Equal(t, want, fast.Values())
	})
}

// Nothing of a record is kept when it was handed on and another one has come.
func TestRecordsAreLetGo(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		h := slogstream.NewHandler()
		s := reactortest.Subscribe(t, h.Records().Map(func(r slog.Record) string { return r.Message }))
		var kept weak.Pointer[[1 << 10]byte]
		func() {
			value := new([1 << 10]byte)
			kept = weak.Make(value)
			slog.New(h).Info("a", "value", value)
		}()
		synctest.Wait()
		slog.New(h).Info("b")
		synctest.Wait()
		s.ExpectNext("a", "b")
		runtime.GC()
		assert.Nil(t, kept.Value())
		runtime.KeepAlive(h)
	})
}

func TestManyLog(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		h := slogstream.NewHandler(slogstream.Capacity(10_000), slogstream.On(schedulers.Single()))
		subs := []*reactortest.TestSubscriber[string]{reactortest.Subscribe(t, messages(h)), reactortest.Subscribe(t, messages(h))}
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				for range 100 {
					slog.New(h).Info("x")
				}
			})
		}
		wg.Wait()
		synctest.Wait()
		for _, s := range subs {
			assert.Len(t, s.Values(), 1000)
		}
	})
}

// Subscribers that come and go at the same time: none is lost, and none stays.
func TestSubscribersComeAndGo(t *testing.T) {
	h := slogstream.NewHandler(slogstream.On(schedulers.Immediate()))
	const n = 8
	for range 200 {
		var wg sync.WaitGroup
		staying := make([]*reactortest.TestSubscriber[string], n)
		for i := range n {
			wg.Go(func() {
				staying[i] = reactortest.NewTestSubscriber[string](t)
				messages(h).Subscribe(t.Context(), staying[i])
			})
			wg.Go(func() {
				s := reactortest.NewTestSubscriber[string](t)
				messages(h).Subscribe(t.Context(), s)
				s.Cancel()
			})
		}
		wg.Wait()
		slog.New(h).Info("a")
		for _, s := range staying {
			assert.Equal(t, []string{"a"}, s.Values())
			wg.Go(s.Cancel)
		}
		wg.Wait()
		assert.False(t, h.Enabled(t.Context(), slog.LevelInfo))
	}
}

func TestOver(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		var text bytes.Buffer
		h := slogstream.NewHandler(slogstream.Level(slog.LevelWarn))
		log := slog.New(h.Over(slog.NewTextHandler(&text, nil))).With("a", 1).WithGroup("g")
		s := reactortest.Subscribe(t, h.Records())
		log.Info("low", "b", 2)
		log.Warn("high", "b", 2)
		r := s.ExpectNextCount(1)[0]
		assert.Equal(t, map[string]any{"a": int64(1), "g": map[string]any{"b": int64(2)}}, without(asMap(r), slog.TimeKey, slog.LevelKey, slog.MessageKey))
		assert.Equal(t, 2, strings.Count(text.String(), "g.b=2"))
	})
}

func without(m map[string]any, keys ...string) map[string]any {
	for _, k := range keys {
		delete(m, k)
	}
	return m
}

func TestArguments(t *testing.T) {
	for want, fn := range map[string]func(){
		"reactor: slogstream.newHandler: option 2 is nil":                   func() { slogstream.NewHandler(slogstream.Capacity(3), nil) },
		"reactor: slogstream.newHandler: capacity must be positive, got -3": func() { slogstream.NewHandler(slogstream.Capacity(-3)) },
		"reactor: slogstream.level: the level is nil":                       func() { slogstream.Level(nil) },
		"reactor: slogstream.on: the scheduler is nil":                      func() { slogstream.On(nil) },
		"reactor: slogstream.over: the handler is nil":                      func() { slogstream.NewHandler().Over(nil) },
	} {
		assert.PanicsWithValue(t, want, fn)
	}
}

// eager logs n records as soon as somebody has subscribed.
type eager struct {
	h *slogstream.Handler
	n int64
}

func (e eager) Subscribe(ctx context.Context, s reactor.Subscriber[slog.Record]) {
	e.h.Records().Subscribe(ctx, s)
	for range e.n {
		slog.New(e.h).Info("x")
	}
}

func TestCompatibility(t *testing.T) {
	tck.VerifyPublisher(t, tck.Publisher[slog.Record]{
		Create: func(n int64) reactor.Publisher[slog.Record] {
			return eager{slogstream.NewHandler(slogstream.Capacity(10_000)), min(n, 5000)}
		},
		NeverCompletes: true, Max: 5000,
	}, tck.InBubbles(), tck.Rounds(3))
}

// A channel that a goroutine reads is what one would write. Both sides have room for all records.
func BenchmarkHandler(b *testing.B) {
	const n = 10_000
	beside.Run(b, func(*testing.B) func() {
		return func() {
			ch := make(chan slog.Record, n)
			done := make(chan struct{})
			go func() {
				for range n {
					<-ch
				}
				close(done)
			}()
			log := slog.New(toChan(ch))
			for range n {
				log.Info("x", "n", 1)
			}
			<-done
		}
	}, func(*testing.B) func() {
		return func() {
			h := slogstream.NewHandler(slogstream.Capacity(n))
			done := make(chan struct{})
			got := 0
			sub := h.Records().SubscribeFunc(context.Background(), func(slog.Record) {
				if got++; got == n {
					close(done)
				}
			})
			log := slog.New(h)
			for range n {
				log.Info("x", "n", 1)
			}
			<-done
			sub.Dispose()
		}
	})
}

type toChan chan slog.Record

func (toChan) Enabled(context.Context, slog.Level) bool { return true }
func (c toChan) Handle(_ context.Context, r slog.Record) error {
	c <- r.Clone()
	return nil
}
func (c toChan) WithAttrs([]slog.Attr) slog.Handler { return c }
func (c toChan) WithGroup(string) slog.Handler      { return c }

// Who subscribes later finds the shared scheduler that there is by then.
func TestSharedSchedulerThatWasShutDown(t *testing.T) {
	h := slogstream.NewHandler()
	records := h.Records()
	for range 2 {
		got := make(chan string, 1)
		d := records.SubscribeFunc(t.Context(), func(r slog.Record) { got <- r.Message })
		slog.New(h).Info("a")
		assert.Equal(t, "a", <-got)
		d.Dispose()
		schedulers.ShutdownNow()
	}
}
