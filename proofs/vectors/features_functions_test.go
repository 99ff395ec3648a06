package vectors_test

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

func (in *input) third(v int) int { return in.fn(v) % 3 }
func tenfold(v int) int           { return 10 * v }
func same(v int) int              { return v }
func appendTo(l *[]int, v int)    { *l = append(*l, v) }

// seen is a store for DistinctIn.
type seen map[int]bool

func newSeen() seen { return seen{} }

func (s seen) add(v int) bool {
	isNew := !s[v]
	s[v] = true
	return isNew
}

var accumulated = []feature{
	{name: "fold", want: `
		plain: 25 done
		ones: 25 done
		error: error boom
		cancel: 25 done
		empty: 10 done
		panic: cancel error boom
	`, make: func(in *input) run { return of(in.src().FoldWith(ten, in.sum)) },
		forms: map[string]func(in *input) run{"Fold": func(in *input) run { return of(in.src().Fold(10, in.sum)) }}},
	{name: "fold, seed", want: `
		plain: 28 done
		ones: 28 done
		error: error boom
		cancel: 28 done
		empty: 13 done
		panic: error boom
	`, make: func(in *input) run {
		return of(in.src().FoldWith(func() int { return 10 + in.fn(3) }, add))
	}},
	{name: "collectInto", want: `
		plain: [1 2 3 4 5] done
		ones: [1 2 3 4 5] done
		error: error boom
		cancel: [1 2 3 4 5] done
		empty: [] done
		panic: cancel error boom
	`, make: func(in *input) run {
		return of(in.src().CollectInto(newList, func(l *[]int, v int) { appendTo(l, in.fn(v)) }))
	}},
	{name: "collectInto, container", want: `
		plain: [1 2 3 4 5] done
		ones: [1 2 3 4 5] done
		error: error boom
		cancel: [1 2 3 4 5] done
		empty: [] done
		panic: error boom
	`, make: func(in *input) run { return of(in.src().CollectInto(in.container, appendTo)) }},
	{name: "collectMap", want: `
		plain: map[0:30 1:40 2:50] done
		ones: map[0:30 1:40 2:50] done
		error: error boom
		cancel: map[0:30 1:40 2:50] done
		empty: map[] done
		panic: cancel error boom
	`, make: func(in *input) run { return of(in.src().CollectMapOf(in.third, tenfold)) }},
	{name: "collectMultimap", want: `
		plain: map[0:[30] 1:[10 40] 2:[20 50]] done
		ones: map[0:[30] 1:[10 40] 2:[20 50]] done
		error: error boom
		cancel: map[0:[30] 1:[10 40] 2:[20 50]] done
		empty: map[] done
		panic: cancel error boom
	`, make: func(in *input) run {
		return of(in.src().CollectMultimapOf(func(v int) int { return v % 3 }, func(v int) int { return 10 * in.fn(v) }))
	}},
	{name: "collectSorted", want: `
		plain: [5 4 3 2 1] done
		ones: [5 4 3 2 1] done
		error: error boom
		cancel: [5 4 3 2 1] done
		empty: [] done
		panic: error boom
	`, make: func(in *input) run {
		return of(in.src().CollectSorted(func(a, b int) int { return cmp.Compare(in.fn(b), in.fn(a)) }))
	}},
	{name: "scan", want: `
		plain: 1 3 6 10 15 done
		ones: 1 3 6 10 15 done
		error: 1 3 6 error boom
		cancel: 1 3 cancel
		empty: done
		panic: 1 3 cancel error boom
	`, make: func(in *input) run { return of(in.src().Scan(in.sum)) }},
	{name: "scanWith", want: `
		plain: 10 11 13 16 20 25 done
		ones: 10 11 13 16 20 25 done
		error: 10 11 13 16 error boom
		cancel: 10 11 cancel
		empty: 10 done
		panic: 10 11 13 cancel error boom
	`, make: func(in *input) run { return of(in.src().ScanWith(ten, in.sum)) },
		forms: map[string]func(in *input) run{"ScanSeed": func(in *input) run { return of(in.src().ScanSeed(10, in.sum)) }}},
	{name: "scanWith, seed", want: `
		plain: 13 14 16 19 23 28 done
		ones: 13 14 16 19 23 28 done
		error: 13 14 16 19 error boom
		cancel: 13 14 cancel
		empty: 13 done
		panic: error boom
	`, make: func(in *input) run {
		return of(in.src().ScanWith(func() int { return 10 + in.fn(3) }, add))
	}},
	{name: "distinctIn", want: `
		plain: 1 2 0 cleanup done
		ones: 1 2 0 cleanup done
		error: 1 2 0 cleanup error boom
		cancel: 1 2 cancel cleanup
		empty: cleanup done
		panic: 1 cancel cleanup error boom
	`, make: func(in *input) run {
		return of(in.src().Map(func(v int) int { return v % 3 }).DistinctIn(newSeen, func(s seen, v int) bool {
			in.fn(v + 1)
			return s.add(v)
		}, func(seen) { in.note("cleanup") }))
	}},
	{name: "distinctIn, store", want: `
		plain: 1 2 3 4 5 cleanup done
		ones: 1 2 3 4 5 cleanup done
		error: 1 2 3 cleanup error boom
		cancel: 1 2 cancel cleanup
		empty: cleanup done
		panic: error boom
	`, make: func(in *input) run {
		return of(in.src().DistinctIn(func() seen { in.fn(3); return seen{} }, seen.add, func(seen) { in.note("cleanup") }))
	}},
	{name: "distinctIn, cleanup", want: `
		plain: 1 2 3 4 5 cleanup done
		ones: 1 2 3 4 5 cleanup done
		error: 1 2 3 cleanup error boom
		cancel: 1 2 cancel cleanup
		empty: cleanup done
		panic: 1 2 3 4 5 cleanup dropped boom open
	`, here: `
		panic: 1 2 3 4 5 cleanup dropped boom done
	`, why: "the original loses the end of the stream", make: func(in *input) run {
		return of(in.src().DistinctIn(newSeen, seen.add, func(seen) { in.marking("cleanup")() }))
	}},
}

func forever[T any](int) flux.Flux[T] { return flux.Never[T]() }

// dashed is x with each of ys.
func dashed(x int, ys flux.Flux[int]) flux.Flux[string] {
	return ys.Map(func(y int) string { return text(x) + "-" + text(y) })
}

func joined(f flux.Flux[string]) flux.Flux[string] { return f }

// tick is 0, 10, 20, 30, one each 3 ms.
func (in *input) tick() flux.Flux[int] {
	return in.interval(3).Map(func(t int64) int { return int(10 * t) }).Take(4)
}

func (in *input) lasting(ms int) func(int) mono.Mono[int64] {
	return func(int) mono.Mono[int64] { return in.delay(ms) }
}

var flattened = []feature{
	{name: "mergeAll", want: `
		plain: 1 10 2 20 3 30 4 40 5 50 done
		ones: 1 10 2 20 3 30 4 40 5 50 done
		error: 1 10 2 20 3 30 error boom
		cancel: 1 10 cancel
		empty: done
		panic: 1 10 2 20 cancel error boom
	`, make: func(in *input) run { return of(flux.MergeAll(in.src().Map(in.tens).Source())) }},
	{name: "mergeAll hidden", want: `
		plain: 1 10 2 20 3 30 4 40 5 50 done
		ones: 1 10 2 20 3 30 4 40 5 50 done
		error: 1 10 2 20 3 30 error boom
		cancel: 1 10 cancel
		empty: done
		panic: 1 10 2 20 cancel error boom
	`, make: func(in *input) run { return of(flux.MergeAll(in.src().Map(in.hiddenTens).Source())) }},
	{name: "mergeAll, two at a time", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run {
		return of(flux.MergeAll(in.src().Map(func(v int) mono.Mono[int] {
			return in.delay(v).Map(func(int64) int { return in.fn(v) })
		}).Source(), flux.Concurrency(2)))
	}},
	{name: "mergeAll, inner errors", want: `
		plain: 1 2 cancel error other
		ones: 1 2 cancel error other
		error: 1 2 cancel error other
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error other
	`, make: func(in *input) run {
		return of(flux.MergeAll(in.src().Map(func(v int) flux.Flux[int] {
			if v == 3 {
				return flux.Error[int](errOther)
			}
			return flux.Just(in.fn(v))
		}).Source()))
	}},
	{name: "mergeSequentialAll", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: error boom
		cancel: 1 2
		empty: done
		panic: error boom
	`, make: func(in *input) run {
		return of(flux.MergeSequentialAll(in.src().Map(func(v int) mono.Mono[int] {
			return in.delay(10 - v).Map(func(int64) int { return in.fn(v) })
		}).Source()))
	}},
	{name: "groupJoin", want: `
		plain: 1-10 2-10 3-10 4-10 5-10 1-20 2-20 3-20 4-20 5-20 done
		ones: 1-10 2-10 3-10 4-10 5-10 1-20 2-20 3-20 4-20 5-20 done
		error: error boom dropped boom
		cancel: 1-10 2-10
		empty: done
		panic: cancel error boom dropped boom
	`, make: func(in *input) run {
		return of(in.src().GroupJoin(flux.Just(10, 20), forever[int], forever[int], func(x int, ys flux.Flux[int]) flux.Flux[string] {
			in.fn(x)
			return dashed(x, ys)
		}).FlatMap(joined))
	}},
	{name: "groupJoin, timed", want: `
		plain: 1-0 2-0 2-10 3-10 3-20 4-20 5-20 5-30 done
		ones: 1-0 2-0 2-10 3-10 3-20 4-20 5-20 5-30 done
		error: 1-0 2-0 2-10 3-10 error boom dropped boom
		cancel: 1-0 2-0 cancel
		empty: done
		panic: 1-0 2-0 2-10 cancel error boom
	`, make: func(in *input) run {
		return of(in.timed().GroupJoin(in.tick(), func(v int) mono.Mono[int64] { return in.delay(in.fn(v)) }, in.lasting(1), dashed).FlatMap(joined))
	}},
	{name: "groupJoin, right ends", want: `
		plain: 1-0 2-0 2-10 3-10 3-20 4-20 5-20 5-30 done
		ones: 1-0 2-0 2-10 3-10 3-20 4-20 5-20 5-30 done
		error: 1-0 2-0 2-10 3-10 error boom dropped boom
		cancel: 1-0 2-0 cancel
		empty: done
		panic: 1-0 2-0 2-10 3-10 cancel error boom dropped boom
	`, make: func(in *input) run {
		return of(in.timed().GroupJoin(in.tick(), in.lasting(4), func(v int) mono.Mono[int64] { return in.delay(in.fn(1 + v/10)) }, dashed).FlatMap(joined))
	}},
	{name: "join", want: `
		plain: 1-0 2-0 2-10 3-10 3-20 4-20 5-20 5-30 done
		ones: 1-0 2-0 2-10 3-10 3-20 cancel error overflow
		error: 1-0 2-0 2-10 3-10 error boom
		cancel: 1-0 2-0 cancel
		empty: done
		panic: 1-0 2-0 2-10 cancel error boom
	`, make: func(in *input) run {
		return of(in.timed().Join(in.tick(), in.lasting(4), in.lasting(1), func(x, y int) string { return text(in.fn(x)) + "-" + text(y) }))
	}},
	{name: "sampleTimeoutFor", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run { return of(in.timed().Map(in.fn).SampleTimeoutFor(millis(1), in.on())) }},
	{name: "sampleTimeoutFor, longer", want: `
		plain: 5 done
		ones: 5 done
		error: error boom
		cancel: 5 done
		empty: done
		panic: cancel error boom
	`, make: func(in *input) run { return of(in.timed().Map(in.fn).SampleTimeoutFor(millis(3), in.on())) }},
	{name: "sampleTimeout", want: `
		plain: 2 4 5 done
		ones: 2 4 5 done
		error: 2 error boom
		cancel: 2 4 cancel
		empty: done
		panic: 2 cancel error boom
	`, make: func(in *input) run {
		return of(in.timed().SampleTimeout(func(v int) mono.Mono[int64] {
			if even(in.fn(v)) {
				return in.delay(1)
			}
			return in.delay(3)
		}))
	}},
	{name: "filterWhen", want: `
		plain: 1 3 5 done
		ones: 1 3 5 done
		error: 1 3 error boom
		cancel: 1 3 cancel
		empty: done
		panic: 1 5 error boom
	`, make: func(in *input) run {
		return of(in.src().FilterWhen(func(v int) mono.Mono[bool] { return mono.Just(in.fn(v)%2 == 1).Hide() }))
	}},
	{name: "expand", want: `
		plain: 1 2 3 4 5 10 20 30 40 50 done
		ones: 1 2 3 4 5 10 20 30 40 50 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 3 cancel error boom
	`, make: func(in *input) run { return of(in.src().Expand(in.tenfoldOnce)) }},
	{name: "handle", want: `
		plain: 10 30 50 done
		ones: 10 30 50 done
		error: 10 30 error boom
		cancel: 10 30 cancel
		empty: done
		panic: 10 cancel error boom
	`, make: func(in *input) run {
		return of(in.src().Handle(func(v int, sink *flux.SyncSink[int]) {
			if in.fn(v)%2 == 1 {
				sink.Next(10 * v)
			}
		}))
	}},
}

func (in *input) tenfoldOnce(v int) flux.Flux[int] {
	if v < 10 {
		return flux.Just(10 * in.fn(v))
	}
	return flux.Empty[int]()
}

// gate is a resource.
type gate struct{ close func() }

func (g gate) Close() error {
	g.close()
	return nil
}

func (in *input) open(close func()) func(context.Context) (gate, error) {
	return func(context.Context) (gate, error) { return gate{close}, nil }
}

var used = []feature{
	{name: "usingCloser", want: `
		plain: 1 2 3 4 5 closed done
		ones: 1 2 3 4 5 closed done
		error: 1 2 3 closed error boom
		cancel: 1 2 cancel closed
		empty: closed done
		panic: 1 2 cancel closed error boom
	`, make: func(in *input) run {
		return of(flux.UsingCloser(in.open(in.noting("closed")), func(gate) flux.Flux[int] { return in.src().Map(in.fn) }))
	}},
	{name: "usingCloser, resource", want: `
		plain: 1 2 3 4 5 closed done
		ones: 1 2 3 4 5 closed done
		error: 1 2 3 closed error boom
		cancel: 1 2 cancel closed
		empty: closed done
		panic: error boom
	`, make: func(in *input) run {
		return of(flux.UsingCloser(func(context.Context) (gate, error) {
			in.fn(3)
			return gate{in.noting("closed")}, nil
		}, func(gate) flux.Flux[int] { return in.src() }))
	}, forms: map[string]func(in *input) run{"an error": func(in *input) run {
		return of(flux.UsingCloser(func(context.Context) (gate, error) {
			_, err := in.try(3)
			return gate{in.noting("closed")}, err
		}, func(gate) flux.Flux[int] { return in.src() }))
	}}},
	{name: "usingCloser, use", want: `
		plain: 1 2 3 4 5 closed done
		ones: 1 2 3 4 5 closed done
		error: 1 2 3 closed error boom
		cancel: 1 2 cancel closed
		empty: closed done
		panic: closed error boom
	`, make: func(in *input) run {
		return of(flux.UsingCloser(in.open(in.noting("closed")), func(gate) flux.Flux[int] { in.fn(3); return in.src() }))
	}},
	{name: "usingCloser, close", want: `
		plain: 1 2 3 4 5 closed done
		ones: 1 2 3 4 5 closed done
		error: 1 2 3 closed error boom
		cancel: 1 2 cancel closed
		empty: closed done
		panic: 1 2 3 4 5 closed error boom
	`, make: func(in *input) run {
		return of(flux.UsingCloser(in.open(in.marking("closed")), func(gate) flux.Flux[int] { return in.src() }))
	}},
	{name: "usingCloser, late close", want: `
		plain: 1 2 3 4 5 done closed
		ones: 1 2 3 4 5 done closed
		error: 1 2 3 error boom closed
		cancel: 1 2 cancel closed
		empty: done closed
		panic: 1 2 3 4 5 done closed dropped boom
	`, make: func(in *input) run {
		return of(flux.UsingCloser(in.open(in.marking("closed")), func(gate) flux.Flux[int] { return in.src() }, flux.LateRelease()))
	}},
	{name: "using, mono", want: `
		plain: closed 3 done
		ones: closed 3 done
		error: closed error boom
		cancel: closed 3 done
		empty: closed done
		panic: closed error boom
	`, make: func(in *input) run {
		return of(mono.UsingCloser(in.open(in.marking("closed")), func(gate) mono.Mono[int] { return in.one() }))
	}},
}

// lineHandler makes the records of Log marks.
type lineHandler struct{ in *input }

func (h lineHandler) Enabled(context.Context, slog.Level) bool { return true }
func (h lineHandler) Handle(_ context.Context, r slog.Record) error {
	line := strings.ToLower(r.Level.String()) + " " + r.Message
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "category" {
			line += "(" + text(a.Value.Any()) + ")"
		}
		return true
	})
	h.in.note(line)
	return nil
}
func (h lineHandler) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h lineHandler) WithGroup(string) slog.Handler      { return h }

func (in *input) logger() operators.LogOption { return flux.LogTo(slog.New(lineHandler{in})) }

func (in *input) listener(context.Context) *operators.SignalListener[int] {
	return &operators.SignalListener[int]{
		First: in.noting("first"), Subscription: in.noting("sub"), Cancel: in.noting("c"),
		Request:  func(n int64) { in.note("req ", n) },
		Next:     func(v int) { in.note("see ", in.fn(v)) },
		Complete: in.noting("completes"), AfterComplete: in.noting("completed"),
		Error: func(err error) { in.note("fails ", err) }, AfterError: func(err error) { in.note("failed ", err) },
		Finally: func(how reactor.SignalKind) { in.note("finally ", how) },
		Failed:  func(err error) { in.note("listener ", err) },
	}
}

var peeked = []feature{
	{name: "log", want: `
		plain: info onSubscribe info request(unbounded) info onNext(1) 1 info onNext(2) 2 info onNext(3) 3 info onNext(4) 4 info onNext(5) 5 info onComplete done
		ones: info onSubscribe info request(1) info onNext(1) 1 info request(1) info onNext(2) 2 info request(1) info onNext(3) 3 info request(1) info onNext(4) 4 info request(1) info onNext(5) 5 info request(1) info onComplete done
		error: info onSubscribe info request(unbounded) info onNext(1) 1 info onNext(2) 2 info onNext(3) 3 error onError(boom) error boom
		cancel: info onSubscribe info request(unbounded) info onNext(1) 1 info onNext(2) 2 info cancel cancel
		empty: info onSubscribe info request(unbounded) info onComplete done
	`, make: func(in *input) run { return of(in.src().Log(in.logger())) }},
	{name: "log, some", want: `
		plain: debug onNext(1) 1 debug onNext(2) 2 debug onNext(3) 3 debug onNext(4) 4 debug onNext(5) 5 done
		ones: debug onNext(1) 1 debug onNext(2) 2 debug onNext(3) 3 debug onNext(4) 4 debug onNext(5) 5 done
		error: debug onNext(1) 1 debug onNext(2) 2 debug onNext(3) 3 debug onError(boom) error boom
		cancel: debug onNext(1) 1 debug onNext(2) 2 debug cancel cancel
		empty: done
		panic: debug onNext(1) 1 debug onNext(2) 2 cancel debug onError(boom) error boom
	`, make: func(in *input) run {
		return of(in.src().Map(in.fn).Log(in.logger(), flux.LogLevel(slog.LevelDebug), flux.LogSignals(reactor.KindNext, reactor.KindError, reactor.KindCancel)))
	}},
	{name: "log above", want: `
		plain: info onSubscribe info request(unbounded) info onNext(1) 1 info onNext(2) 2 info onNext(3) 3 info onNext(4) 4 info onNext(5) 5 info onComplete done
		ones: info onSubscribe info request(1) info onNext(1) 1 info request(1) info onNext(2) 2 info request(1) info onNext(3) 3 info request(1) info onNext(4) 4 info request(1) info onNext(5) 5 info request(1) info onComplete done
		error: info onSubscribe info request(unbounded) info onNext(1) 1 info onNext(2) 2 info onNext(3) 3 error onError(boom) error boom
		cancel: info onSubscribe info request(unbounded) info onNext(1) 1 info onNext(2) 2 info cancel cancel
		empty: info onSubscribe info request(unbounded) info onComplete done
		panic: info onSubscribe info request(unbounded) info onNext(1) 1 info onNext(2) 2 info onNext(3) info cancel cancel error boom
	`, here: `
		panic: info onSubscribe info request(unbounded) info onNext(1) 1 info onNext(2) 2 info onNext(3) cancel info cancel error boom
	`, why: "the guard of the source stops it before downstream hears of the failure", make: func(in *input) run { return of(in.src().Log(in.logger()).Map(in.fn)) }},
	{name: "log, mono", want: `
		plain: info onSubscribe info request(unbounded) info onNext(3) 3 info onComplete done
		ones: info onSubscribe info request(1) info onNext(3) 3 info request(1) info onComplete done
		error: info onSubscribe info request(unbounded) error onError(boom) error boom
		cancel: info onSubscribe info request(unbounded) info onNext(3) 3 info onComplete done
		empty: info onSubscribe info request(unbounded) info onComplete done
		panic: info onSubscribe info request(unbounded) cancel error onError(boom) error boom
	`, make: func(in *input) run { return of(in.one().Map(in.fn).Log(in.logger())) }},
	{name: "tap", want: `
		plain: first sub req all see 1 1 see 2 2 see 3 3 see 4 4 see 5 5 completes done completed finally onComplete
		ones: first sub req 1 see 1 1 req 1 see 2 2 req 1 see 3 3 req 1 see 4 4 req 1 see 5 5 req 1 completes done completed finally onComplete
		error: first sub req all see 1 1 see 2 2 see 3 3 fails boom error boom failed boom finally onError
		cancel: first sub req all see 1 1 see 2 2 c cancel finally cancel
		empty: first sub req all completes done completed finally onComplete
		panic: first sub req all see 1 1 see 2 2 cancel listener boom error boom
	`, here: `
		panic: first sub req all see 1 1 see 2 2 cancel fails boom error boom failed boom finally onError
	`, why: "a listener that has failed hears of the end like any other, so that it can clean up", make: func(in *input) run { return of(in.src().Tap(in.listener)) }},
	{name: "tap below", want: `
		plain: first sub req all see 1 1 see 2 2 see 3 3 see 4 4 see 5 5 completes done completed finally onComplete
		ones: first sub req 1 see 1 1 req 1 see 2 2 req 1 see 3 3 req 1 see 4 4 req 1 see 5 5 req 1 completes done completed finally onComplete
		error: first sub req all see 1 1 see 2 2 see 3 3 fails boom error boom failed boom finally onError
		cancel: first sub req all see 1 1 see 2 2 c cancel finally cancel
		empty: first sub req all completes done completed finally onComplete
		panic: first sub req all see 1 1 see 2 2 cancel listener boom error boom
	`, here: `
		panic: first sub req all see 1 1 see 2 2 cancel fails boom error boom failed boom finally onError
	`, why: "a listener that has failed hears of the end like any other, so that it can clean up", make: func(in *input) run { return of(in.src().Tap(in.listener).Map(same)) }},
	{name: "tap, mono", want: `
		plain: first sub req all see 3 3 completes done completed finally onComplete
		ones: first sub req 1 see 3 3 req 1 completes done completed finally onComplete
		error: first sub req all fails boom error boom failed boom finally onError
		cancel: first sub req all see 3 3 completes done completed finally onComplete
		empty: first sub req all completes done completed finally onComplete
		panic: first sub req all cancel listener boom error boom
	`, here: `
		panic: first sub req all cancel fails boom error boom failed boom finally onError
	`, why: "a listener that has failed hears of the end like any other, so that it can clean up", make: func(in *input) run { return of(in.one().Tap(in.listener)) }},
	{name: "checkpoint", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run { return of(in.src().Map(in.fn).Checkpoint("here")) }},
	{name: "checkpoint, with the place", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run { return of(in.src().Map(in.fn).Checkpoint("here", flux.StackTrace())) }},
	{name: "checkpoint, mono", want: `
		plain: 3 done
		ones: 3 done
		error: error boom
		cancel: 3 done
		empty: done
		panic: cancel error boom
	`, make: func(in *input) run { return of(in.one().Map(in.fn).Checkpoint("here")) }},
	{name: "rails, checkpoint", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run {
		return of(flux.From(operators.ParallelSequential(operators.ParallelCheckpoint(in.rails().Map(in.fn).Rails(), "here"))))
	}},
}

// marked sets the marks of a sink.
func (in *input) marked(sink interface {
	OnCancel(func())
	OnDispose(func())
}) {
	sink.OnCancel(in.noting("cancelled"))
	sink.OnDispose(in.noting("disposed"))
}

// produce sends 1 to 5, or 1 to 3 and an error, or nothing.
func (in *input) produce(sink *flux.Sink[int]) {
	n := map[situation]int{failing: 3, nothing: 0}
	last, ok := n[in.how]
	if !ok {
		last = 5
	}
	for i := range last {
		sink.Next(in.fn(i + 1))
	}
	if in.how == failing {
		sink.Error(errBoom)
		return
	}
	sink.Complete()
}

var createdBy = []feature{
	{name: "create", want: `
		plain: 1 2 3 4 5 done disposed
		ones: 1 2 3 4 5 done disposed
		error: 1 2 3 error boom disposed
		cancel: 1 2 cancelled disposed
		empty: done disposed
		panic: 1 2 error boom disposed
	`, make: func(in *input) run {
		return of(flux.Create(func(sink *flux.Sink[int]) { in.marked(sink); in.produce(sink) }))
	}},
	{name: "push", want: `
		plain: 1 2 3 4 5 done disposed
		ones: 1 2 3 4 5 done disposed
		error: 1 2 3 error boom disposed
		cancel: 1 2 cancelled disposed
		empty: done disposed
		panic: 1 2 error boom disposed
	`, make: func(in *input) run {
		return of(flux.Push(func(sink *flux.Sink[int]) { in.marked(sink); in.produce(sink) }))
	}},
	{name: "create, emission in OnRequest", want: `
		plain: req all 1 2 3 4 5 done disposed
		ones: req 1 1 req 1 2 req 1 3 req 1 4 req 1 5 req 1 done disposed
		error: req all 1 2 3 error boom disposed
		cancel: req all 1 2 cancelled disposed
		empty: req all done disposed
		panic: req all 1 2 error boom disposed
	`, make: func(in *input) run {
		return of(flux.Create(func(sink *flux.Sink[int]) {
			in.marked(sink)
			first := true
			sink.OnRequest(func(n int64) {
				in.note("req ", n)
				if first {
					first = false
					in.produce(sink)
				}
			})
		}))
	}},
	{name: "push, emission in OnRequest", want: `
		plain: req all 1 2 3 4 5 done disposed
		ones: req all 1 2 3 4 5 done disposed
		error: req all 1 2 3 error boom disposed
		cancel: req all 1 2 cancelled disposed
		empty: req all done disposed
		panic: req all 1 2 error boom disposed
	`, here: `
		ones: req 1 1 req 1 2 req 1 3 req 1 4 req 1 5 req 1 done disposed
	`, why: "the function hears of each demand; with the original once of all there may ever be", make: func(in *input) run {
		return of(flux.Push(func(sink *flux.Sink[int]) {
			in.marked(sink)
			first := true
			sink.OnRequest(func(n int64) {
				in.note("req ", n)
				if first {
					first = false
					in.produce(sink)
				}
			})
		}))
	}},
	{name: "create, one per request", want: `
		plain: req all 1 2 3 done disposed
		ones: req 1 1 req 1 2 req 1 3 req 1 done disposed
		error: req all 1 2 3 done disposed
		cancel: req all 1 2 cancelled disposed
		empty: req all 1 2 3 done disposed
		panic: req all 1 2 error boom disposed
	`, here: `
		ones: req 1 1 req 1 2 req 1 3 done disposed
	`, why: "the producer has ended before the last request comes", make: func(in *input) run {
		return of(flux.Create(func(sink *flux.Sink[int]) {
			in.marked(sink)
			k := 0
			sink.OnRequest(func(n int64) {
				in.note("req ", n)
				for ; n > 0 && k < 3; n-- {
					k++
					sink.Next(in.fn(k))
				}
				if k >= 3 {
					sink.Complete()
				}
			})
		}))
	}},
	{name: "create, OnRequest behind elements", want: `
		plain: 1 2 req all done disposed
		ones: 1 2 req 1 done disposed
		error: 1 2 req all done disposed
		cancel: 1 2 req all cancelled disposed
		empty: 1 2 req all done disposed
	`, here: `
		cancel: 1 2 cancelled disposed
	`, why: "there is no demand after the cancellation", make: func(in *input) run {
		return of(flux.Create(func(sink *flux.Sink[int]) {
			sink.Next(1)
			sink.Next(2)
			sink.OnRequest(func(n int64) { in.note("req ", n) })
			sink.Complete()
			in.marked(sink)
		}))
	}},
}

// counted counts its subscriptions.
func (in *input) counted() mono.Mono[int] {
	n := 0
	return mono.Defer(func(context.Context) mono.Mono[int] {
		n++
		in.note("run", n)
		switch in.how {
		case failing:
			return mono.Error[int](errBoom)
		case nothing:
			return mono.Empty[int]()
		default:
			return mono.Just(n)
		}
	})
}

// threeTimes subscribes at once, again, and 20 ms later.
func (in *input) threeTimes(m mono.Mono[int]) run {
	quiet := m.OnErrorReturn(-1)
	return of(flux.Concat[int](quiet, quiet, in.delay(20).ThenMono(m)))
}

func lifetimes(element, failure, empty time.Duration) func(reactor.Signal[int]) time.Duration {
	return func(s reactor.Signal[int]) time.Duration {
		switch s.Kind() {
		case reactor.KindNext:
			return element
		case reactor.KindError:
			return failure
		default:
			return empty
		}
	}
}

func (in *input) gone(v int) { in.note("gone ", v) }

var kept = []feature{
	{name: "cache for ever", want: `
		plain: run1 1 1 1 done
		ones: run1 1 1 1 done
		error: run1 -1 -1 error boom
		cancel: run1 1 1
		empty: run1 done
	`, make: func(in *input) run { return in.threeTimes(in.counted().Cache()) }},
	{name: "cache for a time", want: `
		plain: run1 1 1 run2 2 done
		ones: run1 1 1 run2 2 done
		error: run1 -1 -1 run2 error boom
		cancel: run1 1 1
		empty: run1 run2 done
	`, make: func(in *input) run { return in.threeTimes(in.counted().Cache(flux.TTL(millis(10)), in.on())) }},
	{name: "cacheFor", want: `
		plain: run1 1 1 1 done
		ones: run1 1 1 1 done
		error: run1 -1 -1 run2 error boom
		cancel: run1 1 1
		empty: run1 run2 done
		panic: run1 late 1 -1 run2 2 2 done
	`, here: `
		panic: run1 -1 run2 2 2 done
	`, why: "the element is discarded, it did not come too late", make: func(in *input) run {
		return in.threeTimes(in.counted().CacheFor(func(s reactor.Signal[int]) time.Duration {
			if v, ok := s.Value(); ok {
				return millis(10 * in.fn(v+2))
			}
			return millis(10)
		}, in.on()))
	}},
	{name: "cacheFor, not at all", want: `
		plain: run1 1 run2 2 run3 3 done
		ones: run1 1 run2 2 run3 3 done
		error: run1 -1 run2 -1 run3 error boom
		cancel: run1 1 run2 2
		empty: run1 run2 run3 done
	`, make: func(in *input) run { return in.threeTimes(in.counted().CacheFor(lifetimes(0, 0, 0), in.on())) }},
	{name: "cacheFor, one lifetime each", want: `
		plain: run1 1 1 run2 2 done
		ones: run1 1 1 run2 2 done
		error: run1 -1 -1 error boom
		cancel: run1 1 1
		empty: run1 run2 run3 done
	`, make: func(in *input) run {
		return in.threeTimes(in.counted().CacheFor(lifetimes(millis(5), millis(50), 0), in.on()))
	}},
	{name: "cacheInvalidateIf", want: `
		plain: run1 1 run2 2 2 done
		ones: run1 1 run2 2 2 done
		error: run1 -1 run2 -1 run3 error boom
		cancel: run1 1 run2 2
		empty: run1 -1 run2 -1 run3 error noSuchElement
		panic: run1 1 -1 run2 2 done
	`, make: func(in *input) run {
		return in.threeTimes(in.counted().CacheInvalidateIf(func(v int) bool { return in.fn(v+2) == 3 }))
	}},
	{name: "cacheInvalidateIf, good", want: `
		plain: run1 1 1 1 done
		ones: run1 1 1 1 done
		error: run1 -1 run2 -1 run3 error boom
		cancel: run1 1 1
		empty: run1 -1 run2 -1 run3 error noSuchElement
		panic: run1 1 -1 run2 2 done
	`, make: func(in *input) run {
		return in.threeTimes(in.counted().CacheInvalidateIf(func(v int) bool { return in.fn(v+2) == 4 }))
	}},
	{name: "cacheInvalidateWhen", want: `
		plain: run1 1 1 gone 1 run2 2 done gone 2
		ones: run1 1 1 gone 1 run2 2 done gone 2
		error: run1 -1 run2 -1 run3 error boom
		cancel: run1 1 1 gone 1
		empty: run1 -1 run2 -1 run3 error noSuchElement
		panic: run1 -1 gone 1 run2 2 gone 2 run3 3 done gone 3
	`, make: func(in *input) run {
		return in.threeTimes(in.counted().CacheInvalidateWhen(func(v int) mono.Mono[int64] { return in.delay(10 * (in.fn(v+2) - 2)) }, in.gone))
	}},
	{name: "cacheInvalidateWhen, at once", want: `
		plain: run1 1 gone 1 run2 2 gone 2 run3 3 done gone 3
		ones: run1 1 gone 1 run2 2 gone 2 run3 3 done gone 3
		error: run1 -1 run2 -1 run3 error boom
		cancel: run1 1 gone 1 run2 2 gone 2
		empty: run1 -1 run2 -1 run3 error noSuchElement
	`, make: func(in *input) run {
		return in.threeTimes(in.counted().CacheInvalidateWhen(func(int) mono.Mono[int] { return mono.Empty[int]() }, in.gone))
	}},
	{name: "cacheInvalidateWhen, never", want: `
		plain: run1 1 1 1 done
		ones: run1 1 1 1 done
		error: run1 -1 run2 -1 run3 error boom
		cancel: run1 1 1
		empty: run1 -1 run2 -1 run3 error noSuchElement
	`, make: func(in *input) run {
		return in.threeTimes(in.counted().CacheInvalidateWhen(func(int) mono.Mono[int] { return mono.Never[int]() }, in.gone))
	}},
	{name: "cacheInvalidateWhen, the trigger fails", want: `
		plain: run1 1 1 gone 1 run2 2 done gone 2
		ones: run1 1 1 gone 1 run2 2 done gone 2
		error: run1 -1 run2 -1 run3 error boom
		cancel: run1 1 1 gone 1
		empty: run1 -1 run2 -1 run3 error noSuchElement
	`, here: `
		plain: run1 1 1 gone 1 dropped other run2 2 done gone 2 dropped other
		ones: run1 1 1 gone 1 dropped other run2 2 done gone 2 dropped other
		cancel: run1 1 1 gone 1 dropped other
	`, why: "nothing is lost silently", make: func(in *input) run {
		return in.threeTimes(in.counted().CacheInvalidateWhen(func(int) mono.Mono[int] { return in.delay(10).ThenMono(mono.Error[int](errOther)) }, in.gone))
	}},
	{name: "cacheInvalidateWhen, told", want: `
		plain: run1 1 1 gone 1 run2 2 done gone 2
		ones: run1 1 1 gone 1 run2 2 done gone 2
		error: run1 -1 run2 -1 run3 error boom
		cancel: run1 1 1 gone 1
		empty: run1 -1 run2 -1 run3 error noSuchElement
		panic: run1 1 1 gone 1 run2 2 done gone 2
	`, here: `
		panic: run1 1 1 gone 1 dropped boom run2 2 done gone 2
	`, why: "nothing is lost silently", make: func(in *input) run {
		return in.threeTimes(in.counted().CacheInvalidateWhen(in.lasting(10), func(v int) {
			in.gone(v)
			in.fn(v + 2)
		}))
	}},
	{name: "cache, cancelled and back", want: `
		plain: 3 3 done
		ones: 3 3 done
		error: error boom
		cancel: 3 3
		empty: done
		panic: cancel error boom
	`, make: func(in *input) run {
		m := in.one().Map(in.fn).DelayElement(millis(5), in.on()).Cache()
		return of(flux.Concat[int](m.TakeFor(millis(2), in.on()), m, m))
	}},
	{name: "cacheInvalidateIf, cancelled and back", want: `
		plain: 3 3 done
		ones: 3 3 done
		error: error boom
		cancel: 3 3
		empty: error noSuchElement
		panic: cancel error boom
	`, make: func(in *input) run {
		m := in.one().Map(in.fn).DelayElement(millis(5), in.on()).CacheInvalidateIf(func(int) bool { return false })
		return of(flux.Concat[int](m.TakeFor(millis(2), in.on()), m, m))
	}},
}

func (in *input) retry(policy operators.RetryPolicy) run {
	return of(in.src().Map(in.fn).RetryWhen(policy))
}

func (in *input) told(line string) func(operators.RetrySignal) {
	return func(operators.RetrySignal) { in.note(line) }
}

// opening is a gate that leaves a mark.
func (in *input) opening(line string) func(operators.RetrySignal) mono.Mono[int] {
	return func(operators.RetrySignal) mono.Mono[int] {
		return mono.FromRunnable[int](func() error { in.note(line); return nil })
	}
}

func gateFails(operators.RetrySignal) mono.Mono[int] { return mono.Error[int](errOther) }
func hookFails(operators.RetrySignal)                { panic(errOther) }

var retried = []feature{
	{name: "retry hooks", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 before 0 after 0 1 2 3 error retryExhausted
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel before 0 after 0 1 2 cancel error retryExhausted
	`, make: func(in *input) run {
		return in.retry(flux.RetryFixedDelay(1, millis(3)).On(in.clock).
			DoBeforeRetry(func(r operators.RetrySignal) { in.note("before ", r.TotalRetries) }).
			DoAfterRetry(func(r operators.RetrySignal) { in.note("after ", r.TotalRetries) }))
	}},
	{name: "retry hooks, before panics", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error other
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error other
	`, make: func(in *input) run { return in.retry(flux.RetryMax(2).DoBeforeRetry(hookFails)) }},
	{name: "retry hooks, after panics", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error other
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error other
	`, make: func(in *input) run { return in.retry(flux.RetryMax(2).DoAfterRetry(hookFails)) }},
	{name: "retry hooks, several", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 b1 b2 a1 a2 1 2 3 error retryExhausted
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel b1 b2 a1 a2 1 2 cancel error retryExhausted
	`, make: func(in *input) run {
		return in.retry(flux.RetryMax(1).DoBeforeRetry(in.told("b1")).DoBeforeRetry(in.told("b2")).DoAfterRetry(in.told("a1")).DoAfterRetry(in.told("a2")))
	}},
	{name: "retry gates", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 before gate after gate' 1 2 3 error retryExhausted
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel before gate after gate' 1 2 cancel error retryExhausted
	`, make: func(in *input) run {
		return in.retry(flux.RetryMax(1).DoBeforeRetryAsync(in.opening("gate")).DoBeforeRetry(in.told("before")).
			DoAfterRetry(in.told("after")).DoAfterRetryAsync(in.opening("gate'")))
	}},
	{name: "retry gates, slow", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 gate 1 2 3 error retryExhausted
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel gate 1 2 cancel error retryExhausted
	`, make: func(in *input) run {
		return in.retry(flux.RetryMax(1).DoBeforeRetryAsync(func(r operators.RetrySignal) mono.Mono[int] {
			return in.delay(4).ThenMono(in.opening("gate")(r))
		}))
	}},
	{name: "retry gates, the first fails", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error other
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error other
	`, make: func(in *input) run {
		return in.retry(flux.RetryMax(1).DoBeforeRetryAsync(gateFails).DoAfterRetry(in.told("after")))
	}},
	{name: "retry gates, the last fails", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 after error other
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel after error other
	`, make: func(in *input) run {
		return in.retry(flux.RetryMax(1).DoAfterRetryAsync(gateFails).DoAfterRetry(in.told("after")))
	}},
	{name: "retry gates, panic", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error other
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error other
	`, make: func(in *input) run {
		return in.retry(flux.RetryMax(1).DoBeforeRetryAsync(func(operators.RetrySignal) mono.Mono[int] { panic(errOther) }))
	}},
	{name: "retry, exhausted fails", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 1 2 3 error other
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel 1 2 cancel error other
	`, make: func(in *input) run {
		return in.retry(flux.RetryMax(1).OnExhausted(func(operators.RetrySignal) error { panic(errOther) }))
	}},
	{name: "retry, exhausted", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 1 2 3 1 boom error other
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel 1 2 cancel 1 boom error other
	`, make: func(in *input) run {
		return in.retry(flux.RetryMax(1).OnExhausted(func(r operators.RetrySignal) error {
			in.note(r.TotalRetries, " ", r.Failure)
			return errOther
		}))
	}},
	{name: "retry, filter", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run { return in.retry(flux.RetryMax(1).Filter(flux.WhenIs(errOther))) }},
	{name: "retry, filter fails", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error other
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error other
	`, make: func(in *input) run {
		return in.retry(flux.RetryMax(1).Filter(flux.WhenError(func(error) bool { panic(errOther) })))
	}},
	{name: "retry, transient", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 1 2 3 1 2 3 cancel done
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel 1 2 cancel 1 2 cancel 1 2 cancel 1 cancel done
	`, make: func(in *input) run {
		return of(in.src().Map(in.fn).RetryWhen(flux.RetryMax(1).TransientErrors(true)).Take(9))
	}},
	{name: "retry, backoff without jitter", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 at 2 1 2 3 at 6 1 2 3 at 11 1 2 3 error retryExhausted
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel at 2 1 2 cancel at 6 1 2 cancel at 11 1 2 cancel error retryExhausted
	`, make: func(in *input) run {
		return in.retry(flux.RetryBackoff(3, millis(2)).Jitter(0).MaxBackoff(millis(5)).On(in.clock).
			DoAfterRetry(func(operators.RetrySignal) { in.note("at ", in.clock.Now().UnixMilli()) }))
	}},
	{name: "repeat", want: `
		plain: 1 2 3 4 5 1 2 3 4 5 done
		ones: 1 2 3 4 5 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run { return of(in.src().Map(in.fn).Repeat(flux.Times(1))) }},
	{name: "repeat, while", want: `
		plain: 1 2 3 4 5 1 2 3 4 5 done
		ones: 1 2 3 4 5 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run {
		n := 0
		return of(in.src().Map(in.fn).Repeat(flux.While(func() bool { n++; return n < 2 })))
	}},
	{name: "repeat, while panics", want: `
		plain: 1 2 3 4 5 1 2 3 4 5 done
		ones: 1 2 3 4 5 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 3 4 5 error boom
	`, make: func(in *input) run {
		n := 0
		return of(in.src().Repeat(flux.While(func() bool { in.fn(3); n++; return n < 2 })))
	}},
	{name: "repeat, while and times", want: `
		plain: 1 2 3 4 5 1 2 3 4 5 done
		ones: 1 2 3 4 5 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run {
		n := 0
		return of(in.src().Map(in.fn).Repeat(flux.Times(1), flux.While(func() bool { n++; return n < 9 })))
	}},
	{name: "repeatWhen, two", want: `
		plain: 1 2 3 4 5 emitted 5 1 2 3 4 5 done
		ones: 1 2 3 4 5 emitted 5 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: emitted 0 done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run {
		return of(in.src().Map(in.fn).RepeatWhen(flux.RepeatFrom(func(c flux.Flux[int64]) flux.Flux[int64] {
			return c.DoOnNext(func(n int64) { in.note("emitted ", n) }).Take(1)
		})))
	}},
	{name: "repeatWhen, fails", want: `
		plain: 1 2 3 4 5 error other
		ones: 1 2 3 4 5 error other
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: error other
		panic: 1 2 cancel error boom
	`, make: func(in *input) run {
		return of(in.src().Map(in.fn).RepeatWhen(flux.RepeatFrom(func(c flux.Flux[int64]) flux.Flux[int64] {
			return c.FlatMap(func(int64) mono.Mono[int64] { return mono.Error[int64](errOther) })
		})))
	}},
}
