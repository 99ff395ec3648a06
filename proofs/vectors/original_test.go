package vectors_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/sinks"
)

// The programs of the vectors never call what is below. Each row is a program that was written
// for the original (reactor-core 3.8.0) too and run there under virtual time: want is what
// it wrote, signals and the marks that its functions left, in order. Where this library does
// otherwise, here is what that is, and why.
type comparison struct {
	name   string
	demand int64 // 0: unbounded
	make   func(s *stageBook) reactor.Publisher[any]
	want   string
	here   string // if it differs
	why    string
}

// stageBook is what happens to one program.
type stageBook struct {
	clock *reactortest.VirtualTime
	lines []string
}

func (s *stageBook) note(args ...any) { s.lines = append(s.lines, fmt.Sprint(args...)) }
func (s *stageBook) noting(line string) func() {
	return func() { s.note(line) }
}

// reader is the subscriber.
type reader struct {
	book   *stageBook
	demand int64
	up     reactor.Subscription
}

func (r *reader) OnSubscribe(up reactor.Subscription) {
	r.up = up
	up.Request(r.demand)
}
func (r *reader) OnNext(v any) { r.book.note(v) }
func (r *reader) OnError(err error) {
	text := err.Error()
	if errors.Is(err, errOriginal) {
		text = errOriginal.Error() // and what is around it
	}
	r.book.note("error ", text)
}
func (r *reader) OnComplete() { r.book.note("done") }

var errOriginal = errors.New("boom")

type stream = reactor.Publisher[int]

func boxed[T any](p reactor.Publisher[T]) reactor.Publisher[any] {
	return operators.Map(p, func(v T) any { return v })
}

func add(a, b int) int       { return a + b }
func ten() int               { return 10 }
func boom[T any]() stream    { return operators.Error[int](errOriginal) }
func failed[T any](T) (_ T)  { panic(errOriginal) }
func none() stream           { return operators.Empty[int]() }
func numbers(n int) stream   { return operators.Range(1, n) }
func list(v ...int) stream   { return operators.FromSlice(v) }
func hidden(n int) stream    { return operators.Hide(numbers(n)) }
func itself(p stream) stream { return p }

func newList() *[]int { return &[]int{} }

func listed(p reactor.Publisher[*[]int]) reactor.Publisher[any] {
	return operators.Map(p, func(l *[]int) any { return *l })
}

// closer is a resource.
type closer struct {
	book *stageBook
	err  error
}

func (c closer) Close() error {
	if c.err == nil {
		c.book.note("closed")
	}
	return c.err
}

func using(s *stageBook, err error, use func(closer) stream) reactor.Publisher[any] {
	return boxed(operators.UsingCloser(func(context.Context) (closer, error) { return closer{s, err}, nil }, use))
}

func TestAgainstTheOriginal(t *testing.T) {
	for _, c := range slices.Concat(accumulating, grouped, emitting, resources, rails, nested, hooksThatPanic, cached, splitting, again) {
		t.Run(c.name, func(t *testing.T) {
			s := &stageBook{clock: reactortest.NewVirtualTime()}
			ctx := reactor.WithHooks(context.Background(), reactor.Hooks{
				ErrorDropped: func(_ context.Context, err error) { s.note("dropped ", errOriginal) },
			})
			r := &reader{book: s, demand: cmp.Or(c.demand, reactor.Unbounded)}
			c.make(s).Subscribe(ctx, r)
			s.clock.AdvanceBy(100 * time.Millisecond)
			r.up.Cancel()
			want := c.want
			if c.here != "" {
				assert.NotEmpty(t, c.why)
				assert.NotEqual(t, c.want, c.here)
				want = c.here
			}
			assert.Equal(t, want, strings.Join(s.lines, " "), c.why)
		})
	}
}

var accumulating = []comparison{
	{name: "scanWith", want: "10 11 13 16 done", make: func(*stageBook) reactor.Publisher[any] { return boxed(operators.ScanWith(numbers(3), ten, add)) }},
	{name: "scanWith, empty", want: "10 done", make: func(*stageBook) reactor.Publisher[any] { return boxed(operators.ScanWith(none(), ten, add)) }},
	{name: "scanWith, one requested", demand: 1, want: "10", make: func(*stageBook) reactor.Publisher[any] { return boxed(operators.ScanWith(numbers(3), ten, add)) }},
	{name: "scanWith, error", want: "10 11 13 error boom", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.ScanWith(operators.Concat(numbers(2), boom[int]()), ten, add))
	}},
	{name: "fold", want: "16 done", make: func(*stageBook) reactor.Publisher[any] { return boxed(operators.Fold(numbers(3), ten, add)) }},
	{name: "fold, empty", want: "10 done", make: func(*stageBook) reactor.Publisher[any] { return boxed(operators.Fold(none(), ten, add)) }},
	{name: "fold, seed fails", want: "error boom", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.Fold(numbers(3), func() int { panic(errOriginal) }, add))
	}},
	{name: "collectInto", want: "[1 2 3] done", make: func(*stageBook) reactor.Publisher[any] {
		return listed(operators.CollectInto(numbers(3), newList, func(l *[]int, v int) { *l = append(*l, v) }))
	}},
	{name: "collectInto, empty", want: "[] done", make: func(*stageBook) reactor.Publisher[any] {
		return listed(operators.CollectInto(none(), newList, func(l *[]int, v int) { *l = append(*l, v) }))
	}},
	{name: "collectInto, add fails", want: "error boom", make: func(*stageBook) reactor.Publisher[any] {
		return listed(operators.CollectInto(numbers(3), newList, func(_ *[]int, v int) {
			if v == 2 {
				panic(errOriginal)
			}
		}))
	}},
	{name: "distinctIn", want: "1 2 3 done", make: func(*stageBook) reactor.Publisher[any] { return boxed(distinctIn(list(1, 2, 1, 3, 2))) }},
	{name: "distinctIn, two requested", demand: 2, want: "1 3", make: func(*stageBook) reactor.Publisher[any] { return boxed(distinctIn(list(1, 1, 1, 3, 2))) }},
	{name: "bufferInto a set", want: "[1 2] [2 5] done", make: func(*stageBook) reactor.Publisher[any] { return listed(intoSets(list(1, 2, 2, 2, 5))) }},
	{name: "bufferInto a set, one requested", demand: 1, want: "[1 2]", make: func(*stageBook) reactor.Publisher[any] { return listed(intoSets(list(1, 1, 2, 2, 5))) }},
}

func distinctIn(src stream) stream {
	return operators.DistinctIn(src, func() map[int]bool { return map[int]bool{} }, func(seen map[int]bool, v int) bool {
		if seen[v] {
			return false
		}
		seen[v] = true
		return true
	}, func(map[int]bool) {})
}

func intoSets(src stream) reactor.Publisher[*[]int] {
	return operators.BufferInto(src, 2, newList, func(l *[]int, v int) bool {
		if slices.Contains(*l, v) {
			return false
		}
		*l = append(*l, v)
		return true
	})
}

var grouped = []comparison{
	{name: "mergeAll", want: "1 2 3 done", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.MergeAll(operators.FromSlice([]stream{numbers(2), none(), operators.Just(3)})))
	}},
	{name: "mergeAll, inner error", want: "1 2 error boom", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.MergeAll(operators.FromSlice([]stream{numbers(2), boom[int](), operators.Just(3)})))
	}},
	{name: "groupByMap", want: "1:10 0:20 1:30 0:40 1:50 done", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.MergeAll(operators.GroupByMap(numbers(5), func(v int) int { return v % 2 }, func(v int) int { return 10 * v }, keyed)))
	}},
	{name: "groupByMap, value fails", want: "1:1 0:2 error boom dropped boom", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.MergeAll(operators.GroupByMap(numbers(5), func(v int) int { return v % 2 }, func(v int) int {
			if v == 3 {
				return failed(v)
			}
			return v
		}, keyed)))
	}},
	{name: "groupJoin", want: "1-10 2-10 1-20 2-20 done", make: func(*stageBook) reactor.Publisher[any] {
		never := func(int) reactor.Publisher[int] { return operators.Never[int]() }
		return boxed(operators.MergeAll(operators.GroupJoin(numbers(2), list(10, 20), never, never, func(x int, ys stream) reactor.Publisher[string] {
			return operators.Map(ys, func(y int) string { return fmt.Sprint(x, "-", y) })
		})))
	}},
}

func keyed(key int, g stream) reactor.Publisher[string] {
	return operators.Map(g, func(v int) string { return fmt.Sprint(key, ":", v) })
}

// created is Create with marks at disposal and cancellation.
func created(s *stageBook, produce func(*operators.FluxSink[int])) stream {
	return operators.Create(func(sink *operators.FluxSink[int]) {
		sink.OnDispose(s.noting("disposed"))
		sink.OnCancel(s.noting("cancelled"))
		produce(sink)
	})
}

var emitting = []comparison{
	{name: "create, on request", demand: 2, want: "req2 0 1 cancelled disposed", make: func(s *stageBook) reactor.Publisher[any] {
		return boxed(created(s, func(sink *operators.FluxSink[int]) {
			sink.OnRequest(func(n int64) {
				s.note("req", n)
				for i := range min(int(n), 2) {
					sink.Next(i)
				}
			})
		}))
	}},
	{name: "create, done", want: "1 done disposed", make: func(s *stageBook) reactor.Publisher[any] {
		return boxed(created(s, func(sink *operators.FluxSink[int]) { sink.Next(1); sink.Complete() }))
	}},
	{name: "create, error", want: "1 error boom disposed", make: func(s *stageBook) reactor.Publisher[any] {
		return boxed(created(s, func(sink *operators.FluxSink[int]) { sink.Next(1); sink.Error(errOriginal) }))
	}},
	{name: "create, disposal asked for after the end", want: "done disposed", make: func(s *stageBook) reactor.Publisher[any] {
		return boxed(operators.Create(func(sink *operators.FluxSink[int]) {
			sink.Complete()
			sink.OnDispose(s.noting("disposed"))
			sink.OnCancel(s.noting("cancelled"))
		}))
	}},
	{name: "create, panic", want: "1 error boom disposed", make: func(s *stageBook) reactor.Publisher[any] {
		return boxed(created(s, func(sink *operators.FluxSink[int]) { sink.Next(1); panic(errOriginal) }))
	}},
	{name: "create, the end waits", demand: 1, want: "1 disposed", make: func(s *stageBook) reactor.Publisher[any] {
		return boxed(operators.Create(func(sink *operators.FluxSink[int]) {
			sink.OnDispose(s.noting("disposed"))
			sink.Next(1)
			sink.Next(2)
			sink.Complete()
		}))
	}},
	{name: "create, cancelled", want: "0 1 cancelled disposed done", make: func(s *stageBook) reactor.Publisher[any] {
		return boxed(operators.Take(created(s, func(sink *operators.FluxSink[int]) {
			for i := range 5 {
				sink.Next(i)
			}
		}), 2))
	}},
	{name: "emission inside a subscriber", want: "in1 out1 1 in2 out2 2 in3 out3 3 done", make: func(s *stageBook) reactor.Publisher[any] {
		sink := sinks.Many().Unicast().OnBackpressureBuffer[int]()
		sink.TryEmitNext(1)
		return boxed(operators.DoOnNext[int](sink, func(v int) {
			s.note("in", v)
			if v < 3 {
				sink.TryEmitNext(v + 1)
			} else {
				sink.TryEmitComplete()
			}
			s.note("out", v)
		}))
	}},
}

var resources = []comparison{
	{name: "usingCloser", want: "1 2 closed done", make: func(s *stageBook) reactor.Publisher[any] {
		return using(s, nil, func(closer) stream { return numbers(2) })
	}},
	{name: "usingCloser, error", want: "closed error boom", make: func(s *stageBook) reactor.Publisher[any] {
		return using(s, nil, func(closer) stream { return boom[int]() })
	}},
	{name: "usingCloser, cancelled", want: "1 closed done", make: func(s *stageBook) reactor.Publisher[any] {
		return operators.Take(using(s, nil, func(closer) stream { return numbers(2) }), 1)
	}},
	{name: "usingCloser, close fails", want: "1 error boom", make: func(s *stageBook) reactor.Publisher[any] {
		return using(s, errOriginal, func(closer) stream { return operators.Just(1) })
	}},
}

// onRails puts an operator on each of two rails.
func onRails(src stream, op func(stream) stream) operators.ParallelPublisher[int] {
	return operators.ParallelRails(operators.Parallel(src, 2), op)
}

func pair(v int) stream { return list(v, 10*v) }

var rails = []comparison{
	{name: "rails, filter and map", want: "10 20 40 50 done", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.ParallelSequential(onRails(numbers(6), func(p stream) stream {
			return operators.Map(operators.Filter(p, func(v int) bool { return v%3 != 0 }), func(v int) int { return 10 * v })
		})))
	}},
	{name: "rails, flatMap", want: "1 10 2 20 3 30 done", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.ParallelSequential(onRails(numbers(3), func(p stream) stream { return operators.FlatMap(p, pair) })))
	}},
	{name: "rails, concatMap", want: "1 10 2 20 3 30 done", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.ParallelSequential(onRails(numbers(3), func(p stream) stream { return operators.ConcatMap(p, pair) })))
	}},
	{name: "rails, reduce", want: "21 done", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.ParallelReduce(operators.Parallel(numbers(6), 2), add))
	}},
	{name: "rails, reduce, empty", want: "done", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.ParallelReduce(operators.Parallel(none(), 2), add))
	}},
	{name: "rails, fold", want: "109 112 done", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.ParallelSequential(onRails(numbers(6), func(p stream) stream {
			return operators.Fold(p, func() int { return 100 }, add)
		})))
	}},
	{name: "rails, sorted", want: "1 2 3 4 5 done", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.ParallelSorted(operators.Parallel(list(3, 1, 2, 5, 4), 2), cmp.Compare[int]))
	}},
	{name: "rails, a function fails", want: "1 2 error boom", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.ParallelSequential(onRails(numbers(6), func(p stream) stream {
			return operators.Map(p, func(v int) int {
				if v == 3 {
					return failed(v)
				}
				return v
			})
		})))
	}},
	{name: "rails, doOnNext", want: "see1 1 see2 2 see3 3 done", make: func(s *stageBook) reactor.Publisher[any] {
		return boxed(operators.ParallelSequential(onRails(numbers(3), func(p stream) stream {
			return operators.DoOnNext(p, func(v int) { s.note("see", v) })
		})))
	}},
	{name: "rails, the end of each", want: "rail rail done", make: func(s *stageBook) reactor.Publisher[any] {
		return boxed(operators.IgnoreElements(operators.ParallelSequential(onRails(numbers(3), func(p stream) stream {
			return operators.DoOnComplete(p, s.noting("rail"))
		}))))
	}},
}

var nested = []comparison{
	{name: "windows subscribed twice", want: "1 2 -1 3 4 -1 done", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.ConcatMap(operators.Window(numbers(4), 2, itself), func(w stream) stream {
			return operators.ConcatWith(w, operators.OnErrorReturn(w, -1))
		}))
	}},
	{name: "windows subscribed late", want: "1 2 3 4 done", make: func(s *stageBook) reactor.Publisher[any] {
		late := operators.DelayElements(operators.Window(numbers(4), 2, itself), 5*time.Millisecond, operators.On(s.clock))
		return boxed(operators.ConcatMap(late, itself))
	}},
	{name: "windows never subscribed", want: "w w done", make: func(*stageBook) reactor.Publisher[any] {
		return operators.Map(operators.Window(numbers(4), 2, itself), func(stream) any { return "w" })
	}},
}

var hooksThatPanic = []comparison{
	{name: "doOnRequest panics", want: "1 2 3 done", here: "dropped boom 1 2 3 done", why: "nothing is lost silently", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.DoOnRequest(hidden(3), func(int64) { panic(errOriginal) }))
	}},
	{name: "doOnCancel panics", want: "1 dropped boom done", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.Take(operators.DoOnCancel(hidden(3), func() { panic(errOriginal) }), 1))
	}},
	{name: "doOnSubscribe panics", want: "error boom", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.DoOnSubscribe(hidden(3), func(reactor.Subscription) { panic(errOriginal) }))
	}},
	{name: "doOnComplete panics", want: "1 2 error boom", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.DoOnComplete(hidden(2), func() { panic(errOriginal) }))
	}},
	{name: "doAfterTerminate panics", want: "1 2 done dropped boom", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.DoAfterTerminate(hidden(2), func() { panic(errOriginal) }))
	}},
	{name: "doFinally panics", want: "1 2 done dropped boom", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.DoFinally(hidden(2), func(reactor.SignalKind) { panic(errOriginal) }))
	}},
	{name: "doOnError panics", want: "error boom", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.DoOnError(operators.Hide(operators.Error[int](errors.New("first"))), func(error) { panic(errOriginal) }))
	}},
	{name: "tap", want: "first sub req next1 1 next2 2 complete done afterComplete finally", make: func(s *stageBook) reactor.Publisher[any] {
		return boxed(operators.Tap(numbers(2), func(context.Context) *operators.SignalListener[int] {
			return &operators.SignalListener[int]{
				First: s.noting("first"), Subscription: s.noting("sub"), Request: func(int64) { s.note("req") },
				Next: func(v int) { s.note("next", v) }, Complete: s.noting("complete"), AfterComplete: s.noting("afterComplete"),
				Finally: func(reactor.SignalKind) { s.note("finally") },
			}
		}))
	}},
}

// counted is a source of one element that tells how often it was subscribed.
func counted() stream {
	n := 0
	return operators.FromCallable(func() (int, error) { n++; return n, nil })
}

// thrice subscribes at once, again, and 20 ms later.
func thrice(s *stageBook, p stream) reactor.Publisher[any] {
	return boxed(operators.Concat(p, p, operators.DelaySubscriptionFor(p, 20*time.Millisecond, operators.On(s.clock))))
}

var cached = []comparison{
	{name: "cache for a time", want: "1 1 2 done", make: func(s *stageBook) reactor.Publisher[any] {
		return thrice(s, operators.MonoCache(counted(), operators.TTL(10*time.Millisecond), operators.On(s.clock)))
	}},
	{name: "cacheInvalidateWhen", want: "1 1 2 done", make: func(s *stageBook) reactor.Publisher[any] {
		return thrice(s, operators.MonoCacheInvalidateWhen(counted(), func(int) reactor.Publisher[int64] {
			return operators.Delay(10*time.Millisecond, operators.On(s.clock))
		}, nil))
	}},
}
