package operators

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// Stages that keep elements of their source in a queue take one past it if nothing waits. With demand for everything that is the rule, and
// whatever is signalled within an element, what happens is what happens with less demand.

// within is a scenario: what happens within the i-th call of a function, of downstream or of a request.
type within struct {
	stage   string
	fn      map[int]string
	down    map[int]string
	request map[int]string
	pushes  bool // the source sends by the function for loops, as those do that send nothing within an element
}

func (w within) String() string {
	return fmt.Sprintf("%s, in functions %v, below %v, in requests %v", w.stage, w.fn, w.down, w.request)
}

var pastStages = map[string]func(src reactor.Publisher[int], within func()) reactor.Publisher[int]{
	"flatMapSlice": func(src reactor.Publisher[int], within func()) reactor.Publisher[int] {
		return FlatMapSlice(src, func(v int) []int { within(); return some(v) }, Prefetch(2))
	},
	"concatMap": func(src reactor.Publisher[int], within func()) reactor.Publisher[int] {
		return ConcatMap(src, func(v int) reactor.Publisher[int] { within(); return several(v, within) }, Prefetch(4))
	},
	"concatMap to one": func(src reactor.Publisher[int], within func()) reactor.Publisher[int] {
		return ConcatMap(src, func(v int) reactor.Publisher[int] { within(); return Just(v) })
	},
	"tryFlatMapSlice": func(src reactor.Publisher[int], within func()) reactor.Publisher[int] {
		return TryFlatMapSlice(src, func(v int) ([]int, error) {
			within()
			if v == 4 {
				return nil, errOther
			}
			return some(v), nil
		})
	},
	"flatMapSeq": func(src reactor.Publisher[int], within func()) reactor.Publisher[int] {
		return FlatMapSeq(src, func(v int) iter.Seq[int] { return slices.Values(some(v)) })
	},
	"flatMapSeq2": func(src reactor.Publisher[int], within func()) reactor.Publisher[int] {
		return FlatMapSeq2(src, func(v int) iter.Seq2[int, error] {
			return func(yield func(int, error) bool) {
				for _, r := range some(v) {
					if !yield(r, nil) {
						return
					}
				}
				if within(); v == 4 {
					yield(0, errOther)
				}
			}
		})
	},
}

// several returns a publisher of a kind of its own for each v, and calls within when that sends.
func several(v int, within func()) reactor.Publisher[int] {
	switch v % 6 {
	case 0:
		return Just(10 * v)
	case 1:
		return FromCallable(func() (int, error) { within(); return 10 * v, nil })
	case 2:
		return Empty[int]()
	case 3:
		return Range(10*v, 2)
	case 4:
		return FromCallable(func() (int, error) { within(); return 0, errOther })
	}
	return Map(Just(10*v), func(v int) int { within(); return v })
}

// some returns up to three elements for v.
func some(v int) (all []int) {
	for i := range (v + 1) % 4 {
		all = append(all, 10*v+i)
	}
	return all
}

// pastRun is one run of a scenario.
type pastRun struct {
	protocol.Inner // nobody stands between the stage and this
	within
	log    []string
	calls  int // of the function
	asked  int // requests
	came   int // elements downstream
	next   int // the next element
	up     reactor.Subscription
	src    reactor.Subscriber[int]
	push   func(int) // to src
	demand int64
}

// play runs w under a demand, and returns what has happened.
func (w within) play(demand int64) []string {
	r := &pastRun{within: w, demand: demand}
	say := func(what string) func(context.Context, any) {
		return func(_ context.Context, v any) { r.say("%s %v", what, v) }
	}
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{
		Discard: say("discarded"), NextDropped: say("dropped"),
		ErrorDropped: func(_ context.Context, err error) { r.say("dropped %v", err) },
	})
	racetest.Aside(func() {
		pastStages[w.stage](pastSource{r: r}, func() {
			r.calls++
			r.act(r.fn[r.calls])
		}).Subscribe(ctx, r)
		for range 6 {
			r.send(ctx)
		}
		r.act("complete")
	})
	return r.log
}

func (r *pastRun) say(format string, args ...any) {
	// What is on the stack when r fails differs, and with it the name.
	r.log = append(r.log, opOfFailure.ReplaceAllString(fmt.Sprintf(format, args...), ""))
}

var opOfFailure = regexp.MustCompile(`reactor: \w+: `)

// send is what a source does: it sends an element, and guards itself.
func (r *pastRun) send(ctx context.Context) {
	v := r.next
	r.next++
	clean := false
	defer func() {
		if !clean {
			r.say("cancelled by the guard")
			protocol.Crash(ctx, r.src, failure.Recovered(recover()), v)
		}
	}()
	if r.pushes {
		r.push(v)
	} else {
		r.src.OnNext(v)
	}
	clean = true
}

// act does what a scenario wants.
func (r *pastRun) act(what string) {
	switch what {
	case "next":
		r.next++
		r.src.OnNext(r.next - 1)
	case "complete":
		r.src.OnComplete()
	case "error":
		r.src.OnError(errBoom)
	case "cancel":
		r.up.Cancel()
	case "request":
		r.up.Request(1)
	case "cancel, panic":
		r.up.Cancel()
		panic("broken")
	case "panic":
		panic("broken")
	case "goexit":
		runtime.Goexit()
	}
}

func (r *pastRun) OnSubscribe(up reactor.Subscription) {
	r.up = up
	up.Request(r.demand)
}

func (r *pastRun) OnNext(v int) {
	r.came++
	r.say("next %d", v)
	r.act(r.down[r.came])
	r.say("next %d has returned", v)
}

func (r *pastRun) OnError(err error) { r.say("error %v", err) }

func (r *pastRun) OnComplete() { r.say("complete") }

// pastSource is the source of a scenario.
type pastSource struct {
	protocol.Op
	r *pastRun
}

func (s pastSource) Subscribe(_ context.Context, down reactor.Subscriber[int]) {
	s.r.src, s.r.push = down, protocol.Push(down)
	down.OnSubscribe(s.r.upstream())
}

func (r *pastRun) upstream() reactor.Subscription { return (*pastUpstream)(r) }

type pastUpstream pastRun

func (u *pastUpstream) Request(n int64) {
	r := (*pastRun)(u)
	r.say("requested %d", n)
	r.asked++
	r.act(r.request[r.asked])
}

func (u *pastUpstream) Cancel() { (*pastRun)(u).say("cancelled") }

func TestPastTheQueueAsThroughIt(t *testing.T) {
	var (
		names  = slices.Sorted(maps.Keys(pastStages))
		inside = []string{"next", "complete", "error", "cancel", "request", "panic", "cancel, panic", "goexit"}
		asking = []string{"next", "complete", "error"}
	)
	random := rand.New(rand.NewPCG(1, 2))
	for range racetest.Iterations(3000) {
		w := within{stage: names[random.IntN(len(names))], fn: map[int]string{}, down: map[int]string{}, request: map[int]string{}}
		for range 1 + random.IntN(3) {
			switch random.IntN(3) {
			case 0:
				w.fn[1+random.IntN(5)] = inside[random.IntN(len(inside))]
			case 1:
				w.down[1+random.IntN(8)] = inside[random.IntN(len(inside))]
			default:
				w.request[2+random.IntN(2)] = asking[random.IntN(len(asking))]
			}
		}
		all, less := w.play(reactor.Unbounded), w.play(1<<40)
		require.Equal(t, strings.Join(less, "\n"), strings.Join(all, "\n"), "%v", w)
	}
}

func TestPastTheDrainAsThroughTheQueue(t *testing.T) {
	inside := []string{"cancel", "request", "panic", "cancel, panic", "goexit"}
	random := rand.New(rand.NewPCG(3, 4))
	for range racetest.Iterations(1000) {
		w := within{stage: []string{"concatMap", "concatMap to one"}[random.IntN(2)], fn: map[int]string{}, down: map[int]string{}}
		for range 1 + random.IntN(2) {
			if random.IntN(2) == 0 {
				w.fn[1+random.IntN(5)] = inside[random.IntN(len(inside))]
			} else {
				w.down[1+random.IntN(8)] = inside[random.IntN(len(inside))]
			}
		}
		less := w.play(1 << 40)
		w.pushes = true
		all := w.play(reactor.Unbounded)
		require.Equal(t, toldBelow(less), toldBelow(all), "%v", w)
		require.Equal(t, whatHappened(less), whatHappened(all), "%v", w)
	}
}

// toldBelow is what downstream has heard, and when.
func toldBelow(log []string) (told []string) {
	for _, line := range log {
		if strings.HasPrefix(line, "next") || strings.HasPrefix(line, "error") || line == "complete" {
			told = append(told, line)
		}
	}
	return told
}

// whatHappened is what has become of everything, in any order: the guard of the source may have come first.
func whatHappened(log []string) []string {
	return slices.Sorted(slices.Values(slices.DeleteFunc(slices.Clone(log), func(line string) bool {
		return line == "cancelled by the guard"
	})))
}

// A request delivers what waits while more comes: that must not overtake.
func TestPastTheQueueInOrder(t *testing.T) {
	for name, stage := range map[string]func(reactor.Publisher[int]) reactor.Publisher[int]{
		"flatMapSlice": func(src reactor.Publisher[int]) reactor.Publisher[int] {
			return FlatMapSlice(src, func(v int) []int { return []int{v} })
		},
		"flatMapSeq": func(src reactor.Publisher[int]) reactor.Publisher[int] {
			return FlatMapSeq(src, func(v int) iter.Seq[int] { return slices.Values([]int{v}) })
		},
		"concatMap": func(src reactor.Publisher[int]) reactor.Publisher[int] { return ConcatMap(src, Just[int]) },
	} {
		t.Run(name, func(t *testing.T) {
			racetest.Rounds(t, 300, func() ([]func(), func()) {
				src, p := &puppet[int]{}, probeOf[int](0)
				p.Each = func(int) { runtime.Gosched() }
				stage(src).Subscribe(context.Background(), p)
				all := numbers(30)
				src.last().OnNext(all[0])
				return []func(){
					func() { p.Request(reactor.Unbounded) },
					func() {
						for _, v := range all[1:] {
							src.last().OnNext(v)
							runtime.Gosched()
						}
					},
				}, func() { p.Open(t, all...) }
			})
		})
	}
}

// What comes while a publisher is at work waits for that, wherever it ends.
func TestConcatMapPastTheQueueBesideAPublisher(t *testing.T) {
	racetest.Rounds(t, 300, func() ([]func(), func()) {
		src, inner, p := &puppet[int]{}, &puppet[int]{}, probeOf[int](reactor.Unbounded)
		p.Each = func(int) { runtime.Gosched() }
		ConcatMap(src, func(n int) reactor.Publisher[int] {
			if n == 0 {
				return inner
			}
			return Just(n)
		}).Subscribe(context.Background(), p)
		src.last().OnNext(0)
		return []func(){
			func() { inner.last().OnNext(10); inner.last().OnComplete() },
			func() { src.last().OnNext(1); src.last().OnNext(2); src.last().OnComplete() },
		}, func() { p.Done(t, 10, 1, 2) }
	})
}

// Of publishers that end elsewhere, each begins when the one before has ended, and gets all of its elements down.
func TestConcatMapOfPublishersThatEndElsewhere(t *testing.T) {
	racetest.Rounds(t, 300, func() ([]func(), func()) {
		src, inners, p := &puppet[int]{}, []*puppet[int]{{}, {}}, probeOf[int](reactor.Unbounded)
		p.Each = func(int) { runtime.Gosched() }
		var begun atomic.Int32
		ConcatMap(src, func(n int) reactor.Publisher[int] {
			if n == 2 {
				return Just(30)
			}
			runtime.Gosched()
			return Defer(func(context.Context) reactor.Publisher[int] { begun.Add(1); return inners[n] })
		}).Subscribe(context.Background(), p)
		src.last().OnNext(0)
		return []func(){
			func() { inners[0].last().OnNext(10); inners[0].last().OnComplete() },
			func() { src.last().OnNext(1); src.last().OnNext(2); src.last().OnComplete() },
		}, func() {
			assert.EqualValues(t, 2, begun.Load())
			inners[1].last().OnNext(20)
			inners[1].last().OnComplete()
			p.Done(t, 10, 20, 30)
		}
	})
}

// A subscriber that hears of runs is told of their end: the end of its context does not wait for ever.
func TestFlatMapSliceEndsItsRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		src := &puppet[int]{}
		var got []int
		var failed error
		SubscribeFunc(ctx, FlatMapSlice(src, func(v int) []int { return []int{v} }), func(v int) { got = append(got, v) },
			OnError(func(err error) { failed = err }))
		for v := range 3 {
			src.last().OnNext(v)
		}
		cancel()
		synctest.Wait()
		assert.Equal(t, numbers(3), got)
		assert.ErrorIs(t, failed, context.Canceled)
	})
}
