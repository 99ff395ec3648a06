package flux_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

// show prints the elements of a Flux, and how it ended.
func show[T any](f flux.Flux[T]) {
	items, err := f.Collect(context.Background())
	fmt.Println(items, err)
}

func ExampleJust() {
	show(flux.Just("a", "b"))
	// Output: [a b] <nil>
}

func ExampleFromSlice() {
	show(flux.FromSlice([]int{1, 2, 3}))
	// Output: [1 2 3] <nil>
}

func ExampleFromSeq() {
	show(flux.FromSeq(strings.SplitSeq("a,b,c", ",")))
	// Output: [a b c] <nil>
}

func ExampleFromSeq2() {
	numbers := func(yield func(int, error) bool) {
		for _, s := range []string{"1", "2", "x"} {
			if !yield(strconv.Atoi(s)) {
				return
			}
		}
	}
	err := flux.FromSeq2(numbers).ForEach(context.Background(), func(n int) { fmt.Println(n) })
	fmt.Println(errors.Is(err, strconv.ErrSyntax))
	// Output:
	// 1
	// 2
	// true
}

func ExampleFromChan() {
	ch := make(chan int)
	go func() {
		defer close(ch)
		ch <- 1
		ch <- 2
	}()
	show(flux.FromChan(ch))
	// Output: [1 2] <nil>
}

func ExampleRange() {
	show(flux.Range(5, 3))
	// Output: [5 6 7] <nil>
}

func ExampleEmpty() {
	show(flux.Empty[int]())
	// Output: [] <nil>
}

func ExampleNever() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err := flux.Never[int]().Collect(ctx)
	fmt.Println(err)
	// Output: context deadline exceeded
}

func ExampleError() {
	show(flux.Error[int](io.ErrUnexpectedEOF))
	// Output: [] unexpected EOF
}

func ExampleErrorFrom() {
	attempt := 0
	f := flux.ErrorFrom[int](func() error { attempt++; return fmt.Errorf("attempt %d", attempt) })
	show(f)
	show(f)
	// Output:
	// [] attempt 1
	// [] attempt 2
}

func ExampleErrorOnRequest() {
	show(flux.ErrorOnRequest[int](io.ErrClosedPipe))
	// Output: [] io: read/write on closed pipe
}

func ExampleDefer() {
	n := 0
	f := flux.Defer(func(context.Context) flux.Flux[int] { n++; return flux.Range(0, n) })
	show(f)
	show(f)
	// Output:
	// [0] <nil>
	// [0 1] <nil>
}

func ExampleFrom() {
	show(flux.From(mono.Just(7)))
	// Output: [7] <nil>
}

func ExampleGenerate() {
	type pair struct{ a, b int }
	fibonacci := flux.Generate(func() pair { return pair{0, 1} }, func(p pair, s *flux.SyncSink[int]) pair {
		if p.a > 10 {
			s.Complete()
		} else {
			s.Next(p.a)
		}
		return pair{p.b, p.a + p.b}
	})
	show(fibonacci)
	// Output: [0 1 1 2 3 5 8] <nil>
}

func ExampleGenerateStateless() {
	r := strings.NewReader("go")
	show(flux.GenerateStateless(func(s *flux.SyncSink[string]) {
		if b, err := r.ReadByte(); err != nil {
			s.Complete()
		} else {
			s.Next(string(b))
		}
	}))
	// Output: [g o] <nil>
}

func ExampleInterval() {
	fmt.Println(flux.Interval(time.Millisecond).Take(3).Collect(context.Background()))
	// Output: [0 1 2] <nil>
}

func ExampleInitialDelay() {
	ctx, cancel := context.WithCancelCause(context.Background())
	_ = flux.Interval(time.Hour, flux.InitialDelay(0)).ForEach(ctx, func(n int64) {
		fmt.Println(n)
		cancel(nil)
	})
	// Output: 0
}

func ExampleCreate() {
	removed := make(chan struct{})
	// listen calls back from a goroutine of its own.
	listen := func(onEvent func(string), onEnd func()) (stop func()) {
		go func() {
			onEvent("connected")
			onEvent("closed")
			onEnd()
		}()
		return func() { close(removed) }
	}
	show(flux.Create(func(s *flux.Sink[string]) {
		s.OnDispose(listen(s.Next, s.Complete))
	}))
	<-removed
	fmt.Println("listener removed")
	// Output:
	// [connected closed] <nil>
	// listener removed
}

func ExamplePush() {
	show(flux.Push(func(s *flux.Sink[int]) {
		for i := range 3 {
			s.Next(i)
		}
		s.Complete()
	}, flux.OverflowError))
	// Output: [0 1 2] <nil>
}

func ExampleUsing() {
	open := func(context.Context) (*strings.Reader, error) {
		fmt.Println("open")
		return strings.NewReader("abc"), nil
	}
	letters := func(r *strings.Reader) flux.Flux[string] {
		return flux.Defer(func(context.Context) flux.Flux[string] {
			all, err := io.ReadAll(r)
			if err != nil {
				return flux.Error[string](err)
			}
			return flux.FromSlice(strings.Split(string(all), ""))
		})
	}
	show(flux.Using(open, letters, func(*strings.Reader) error { fmt.Println("close"); return nil }))
	// Output:
	// open
	// close
	// [a b c] <nil>
}

func ExampleLateRelease() {
	acquire := func(context.Context) (string, error) { return "r", nil }
	release := func(string) error { fmt.Println("release"); return nil }
	f := flux.Using(acquire, func(r string) flux.Flux[string] { return flux.Just(r) }, release, flux.LateRelease())
	show(f.DoOnComplete(func() { fmt.Println("complete") }))
	// Output:
	// complete
	// release
	// [r] <nil>
}

func ExampleUsingCloser() {
	open := func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("text")), nil }
	show(flux.UsingCloser(open, func(r io.ReadCloser) flux.Flux[string] {
		b, err := io.ReadAll(r)
		if err != nil {
			return flux.Error[string](err)
		}
		return flux.Just(string(b))
	}))
	// Output: [text] <nil>
}

func ExampleUsingWhen() {
	connect := mono.FromSupplier(func() string { return "connection" })
	show(flux.UsingWhen(connect,
		func(c string) flux.Flux[string] { return flux.Just("rows of " + c) },
		func(c string) mono.Mono[int] { fmt.Println("close", c); return mono.Empty[int]() },
	))
	// Output:
	// close connection
	// [rows of connection] <nil>
}

func ExampleUsingWhenOutcome() {
	begin := mono.FromSupplier(func() string { return "tx" })
	step := func(what string) func(string) mono.Mono[int] {
		return func(tx string) mono.Mono[int] { fmt.Println(what, tx); return mono.Empty[int]() }
	}
	show(flux.UsingWhenOutcome(begin,
		func(string) flux.Flux[int] { return flux.Error[int](io.ErrShortWrite) },
		step("commit"),
		func(tx string, err error) mono.Mono[int] { return step("roll back, " + err.Error() + ":")(tx) },
		step("abandon"),
	))
	// Output:
	// roll back, short write: tx
	// [] short write
}

func ExampleFlux_Hide() {
	show(flux.Just(1).Hide())
	// Output: [1] <nil>
}

func ExampleFlux_Transform() {
	words := func(f flux.Flux[string]) flux.Flux[int] { return f.Map(func(s string) int { return len(s) }) }
	show(flux.Just("a", "bcd").Transform(words))
	// Output: [1 3] <nil>
}

func ExampleFlux_TransformDeferred() {
	f := flux.Just("a", "b").TransformDeferred(func(f flux.Flux[string]) flux.Flux[string] {
		n := 0 // one for each subscription
		return f.Map(func(s string) string { n++; return fmt.Sprint(n, s) })
	})
	show(f)
	show(f)
	// Output:
	// [1a 2b] <nil>
	// [1a 2b] <nil>
}

type tenant struct{}

func ExampleFlux_TransformDeferredContext() {
	f := flux.Just("a").TransformDeferredContext(func(ctx context.Context, f flux.Flux[string]) flux.Flux[string] {
		return f.Map(func(s string) string { return fmt.Sprint(ctx.Value(tenant{}), ":", s) })
	})
	show(f.ContextWriteValue(tenant{}, "acme"))
	// Output: [acme:a] <nil>
}

func ExampleFlux_As() {
	items, _ := flux.Range(1, 3).As(func(f flux.Flux[int]) flux.Flux[string] { return f.Map(strconv.Itoa) }).Collect(context.Background())
	fmt.Printf("%q\n", items)
	// Output: ["1" "2" "3"]
}

func ExampleFlux_ContextWrite() {
	f := flux.Defer(func(ctx context.Context) flux.Flux[any] { return flux.Just(ctx.Value(tenant{})) })
	show(f.ContextWrite(func(ctx context.Context) context.Context { return context.WithValue(ctx, tenant{}, "acme") }))
	// Output: [acme] <nil>
}

func ExampleFlux_ContextWriteValue() {
	f := flux.Defer(func(ctx context.Context) flux.Flux[any] { return flux.Just(ctx.Value(tenant{})) })
	show(f.ContextWriteValue(tenant{}, "acme"))
	// Output: [acme] <nil>
}

func ExampleFlux_DoFirst() {
	f := flux.Just(1).DoFirst(func() { fmt.Println("third") }).DoFirst(func() { fmt.Println("second") })
	show(f.DoFirst(func() { fmt.Println("first") }))
	// Output:
	// first
	// second
	// third
	// [1] <nil>
}

func ExampleFlux_DoOnSubscribe() {
	show(flux.Just(1).DoOnSubscribe(func(reactor.Subscription) { fmt.Println("subscribed") }))
	// Output:
	// subscribed
	// [1] <nil>
}

func ExampleFlux_DoOnRequest() {
	show(flux.Just(1).DoOnRequest(func(n int64) { fmt.Println(n == reactor.Unbounded) }))
	// Output:
	// true
	// [1] <nil>
}

func ExampleFlux_DoOnNext() {
	show(flux.Just(1, 2).DoOnNext(func(n int) { fmt.Println("seen", n) }))
	// Output:
	// seen 1
	// seen 2
	// [1 2] <nil>
}

func ExampleFlux_TryDoOnNextContext() {
	store := func(ctx context.Context, n int) error {
		fmt.Println("stored", n)
		return ctx.Err()
	}
	fmt.Println(flux.Just(1, 2).TryDoOnNextContext(store).Collect(context.Background()))
	// Output:
	// stored 1
	// stored 2
	// [1 2] <nil>
}

func ExampleFlux_TryDoOnNext() {
	show(flux.Just(1, -2).TryDoOnNext(func(n int) error {
		if n < 0 {
			return fmt.Errorf("negative: %d", n)
		}
		return nil
	}))
	// Output: [] negative: -2
}

func ExampleFlux_DoOnComplete() {
	show(flux.Just(1).DoOnComplete(func() { fmt.Println("complete") }))
	// Output:
	// complete
	// [1] <nil>
}

func ExampleFlux_DoOnError() {
	f := flux.Error[int](io.EOF).DoOnError(func(err error) { fmt.Println("seen", err) })
	show(f.DoOnError(func(error) { fmt.Println("not reached") }, flux.WhenIs(io.ErrClosedPipe)))
	// Output:
	// seen EOF
	// [] EOF
}

func ExampleFlux_DoOnErrorAs() {
	show(flux.Just("x").TryMap(strconv.Atoi).DoOnErrorAs(func(e *strconv.NumError) { fmt.Println("bad number", e.Num) }))
	// Output:
	// bad number x
	// [] strconv.Atoi: parsing "x": invalid syntax
}

func ExampleFlux_DoOnTerminate() {
	show(flux.Error[int](io.EOF).DoOnTerminate(func() { fmt.Println("over") }))
	// Output:
	// over
	// [] EOF
}

func ExampleFlux_DoAfterTerminate() {
	f := flux.Just(1).DoAfterTerminate(func() { fmt.Println("after") })
	_ = f.DoOnComplete(func() { fmt.Println("complete") }).ForEach(context.Background(), func(int) {})
	// Output:
	// complete
	// after
}

func ExampleFlux_DoOnCancel() {
	f := flux.Just(1, 2).DoOnCancel(func() { fmt.Println("cancelled") })
	show(f.TryMap(func(n int) (int, error) { return 0, io.ErrUnexpectedEOF }))
	// Output:
	// cancelled
	// [] unexpected EOF
}

func ExampleFlux_DoFinally() {
	show(flux.Just(1).DoFinally(func(how reactor.SignalKind) { fmt.Println(how) }))
	// Output:
	// onComplete
	// [1] <nil>
}

func ExampleFlux_DoOnEach() {
	show(flux.Just(1).DoOnEach(func(_ context.Context, s reactor.Signal[int]) { fmt.Println(s) }))
	// Output:
	// onNext(1)
	// onComplete()
	// [1] <nil>
}

func ExampleFlux_DoOnDiscard() {
	odd := flux.Range(1, 4).Filter(func(n int) bool { return n%2 == 1 })
	show(odd.DoOnDiscard(func(n int) { fmt.Println("discarded", n) }))
	// Output:
	// discarded 2
	// discarded 4
	// [1 3] <nil>
}
