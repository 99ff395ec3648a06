package vectors_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

// foreign is a publisher by somebody else, whose subscriptions panic where they must not
// (§3.16 and around). The original lets that through to whoever requests or cancels, and its
// stages are in no defined state then; here the edge makes a failure of the publisher out of it.
type foreign struct {
	in              *input
	request, cancel bool // panics there
	late            bool // sends its elements before it panics
}

func (f foreign) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	s.OnSubscribe(&foreignSubscription{foreign: f, down: s})
}

type foreignSubscription struct {
	foreign
	down reactor.Subscriber[int]
	sent int
	over bool
}

func (f *foreignSubscription) Request(n int64) {
	if f.request && !f.late {
		panic(errBoom)
	}
	for ; n > 0 && f.sent < 3 && !f.over; n-- {
		f.sent++
		f.down.OnNext(f.sent)
	}
	if f.request {
		panic(errBoom)
	}
}

func (f *foreignSubscription) Cancel() {
	if f.over {
		return
	}
	f.over = true
	f.in.note("cancel")
	if f.cancel {
		panic(errBoom)
	}
}

// behind are stages behind such a publisher, each of which sends on what it gets.
var behind = map[string]func(in *input, f flux.Flux[int]) flux.Flux[int]{
	"nothing":              func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f },
	"map":                  func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.Map(same) },
	"filter":               func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.Filter(func(int) bool { return true }) },
	"doOnNext":             func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.DoOnNext(func(int) {}) },
	"scan":                 func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.Scan(func(_, v int) int { return v }) },
	"flatMap":              func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.FlatMap(hiddenOne) },
	"concatMap":            func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.ConcatMap(hiddenOne) },
	"concatMap, 0":         func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.ConcatMap(hiddenOne, flux.Prefetch(0)) },
	"flatMapSequential":    func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.FlatMapSequential(hiddenOne) },
	"switchMap":            func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.SwitchMap(hiddenOne) },
	"filterWhen":           func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.FilterWhen(hiddenTrue) },
	"delayUntil":           func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.DelayUntil(hiddenOne) },
	"publishOn":            func(in *input, f flux.Flux[int]) flux.Flux[int] { return f.PublishOn(in.clock) },
	"subscribeOn":          func(in *input, f flux.Flux[int]) flux.Flux[int] { return f.SubscribeOn(in.clock) },
	"limitRate":            func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.LimitRate(2) },
	"onBackpressureBuffer": func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.OnBackpressureBuffer() },
	"window": func(_ *input, f flux.Flux[int]) flux.Flux[int] {
		return f.Window(2).FlatMap(func(w flux.Flux[int]) flux.Flux[int] { return w })
	},
	"groupBy": func(_ *input, f flux.Flux[int]) flux.Flux[int] {
		return f.GroupBy(odd).FlatMap(func(g group) flux.Flux[int] { return g.Flux })
	},
	"buffer": func(_ *input, f flux.Flux[int]) flux.Flux[int] {
		return f.Buffer(1).Map(func(b []int) int { return b[0] })
	},
	"rails":  func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.Parallel(2).Sequential() },
	"share":  func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.Share() },
	"replay": func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.Replay().RefCount(1) },
	"publish": func(_ *input, f flux.Flux[int]) flux.Flux[int] {
		return f.PublishSelector(func(s flux.Flux[int]) flux.Flux[int] { return s })
	},
	"mergeWith":  func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.MergeWith(flux.Never[int]()) },
	"concatWith": func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.ConcatWith(flux.Never[int]()) },
	"zip": func(_ *input, f flux.Flux[int]) flux.Flux[int] {
		return f.ZipWith(flux.Range(1, 9), func(a, _ int) int { return a })
	},
	"combineLatest": func(_ *input, f flux.Flux[int]) flux.Flux[int] {
		return flux.CombineLatest[int, int](flux.Just(0), f, add)
	},
	"withLatestFrom":    func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.WithLatestFrom(flux.Just(0), add) },
	"timeout":           func(in *input, f flux.Flux[int]) flux.Flux[int] { return f.Timeout(time.Hour, in.on()) },
	"retry":             func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.Retry(flux.Times(0)) },
	"repeat":            func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.Repeat() },
	"or":                func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.Or(flux.Never[int]()) },
	"takeUntilOther":    func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.TakeUntilOther(flux.Never[int]()) },
	"delaySubscription": func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.DelaySubscription(mono.Just(1)) },
	"doFinally":         func(_ *input, f flux.Flux[int]) flux.Flux[int] { return f.DoFinally(func(reactor.SignalKind) {}) },
	"using": func(_ *input, f flux.Flux[int]) flux.Flux[int] {
		return flux.Using(func(context.Context) (int, error) { return 0, nil }, func(int) flux.Flux[int] { return f }, func(int) error { return nil })
	},
}

// TestForeignPublishersThatPanic asks, sends and cancels through each of them.
func TestForeignPublishersThatPanic(t *testing.T) {
	for name, stage := range behind {
		t.Run(name, func(t *testing.T) {
			of := func(in *input, f foreign) flux.Flux[int] {
				f.in = in
				return stage(in, flux.From[int](f))
			}
			seen := func(program func(in *input) run) []string {
				return play(plain, reactor.Unbounded, time.Millisecond, program).lines
			}
			got := seen(func(in *input) run { return ofFlux(of(in, foreign{request: true})) })
			assert.Equal(t, []string{"cancel", "error boom"}, got, "in Request: it is the error of the stream")

			got = seen(func(in *input) run { return ofFlux(of(in, foreign{request: true, late: true})) })
			end := slices.Index(got, "error boom")
			assert.GreaterOrEqual(t, end, 0, "in Request, behind elements: %v", got)
			for _, line := range got[end+1:] {
				assert.Equal(t, "dropped boom", line, "of further requests")
			}

			got = seen(func(in *input) run { return ofFlux(of(in, foreign{cancel: true}).Take(2)) })
			slices.Sort(got)
			assert.Equal(t, []string{"1", "2", "cancel", "done", "dropped boom"}, got, "in Cancel: the stream ends, and the failure is dropped")
		})
	}
}

func ofFlux(f flux.Flux[int]) run { return of[int](f) }
