package mono_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

// block prints the element of a Mono and its error.
func block[T any](m mono.Mono[T]) {
	v, err := m.Block(context.Background())
	fmt.Println(v, err)
}

func ExampleJust() {
	block(mono.Just(7))
	// Output: 7 <nil>
}

func ExampleJustOrEmpty() {
	ages := map[string]int{"ann": 30}
	age, ok := ages["bob"]
	block(mono.JustOrEmpty(age, ok))
	// Output: 0 reactor: block: no elements: the source completed empty: BlockOptional tells of that without an error, Run waits for the end alone
}

func ExampleEmpty() {
	_, ok, err := mono.Empty[int]().BlockOptional(context.Background())
	fmt.Println(ok, err)
	// Output: false <nil>
}

func ExampleNever() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err := mono.Never[int]().Block(ctx)
	fmt.Println(err)
	// Output: context deadline exceeded
}

func ExampleError() {
	block(mono.Error[int](io.ErrUnexpectedEOF))
	// Output: 0 unexpected EOF
}

func ExampleErrorFrom() {
	block(mono.ErrorFrom[int](func() error { return errors.New("now") }))
	// Output: 0 now
}

func ExampleDefer() {
	n := 0
	m := mono.Defer(func(context.Context) mono.Mono[int] { n++; return mono.Just(n) })
	block(m)
	block(m)
	// Output:
	// 1 <nil>
	// 2 <nil>
}

func ExampleDelay() {
	block(mono.Delay(time.Millisecond).Map(func(int64) string { return "later" }))
	// Output: later <nil>
}

func ExampleCreate() {
	// lookup calls back from a goroutine of its own.
	lookup := func(name string, done func(string)) { go done("address of " + name) }
	block(mono.Create(func(s *mono.Sink[string]) { lookup("ann", s.Success) }))
	// Output: address of ann <nil>
}

func ExampleFromFunc() {
	block(mono.FromFunc(func(ctx context.Context) (string, error) {
		select {
		case <-time.After(time.Microsecond):
			return "slow answer", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}))
	// Output: slow answer <nil>
}

func ExampleFromCallable() {
	m := mono.FromCallable(func() (int, error) { return strconv.Atoi("x") })
	_, err := m.Block(context.Background())
	fmt.Println(err)
	// Output: strconv.Atoi: parsing "x": invalid syntax
}

func ExampleFromSupplier() {
	block(mono.FromSupplier(func() string { return strings.Repeat("ab", 2) }))
	// Output: abab <nil>
}

func ExampleFromOptional() {
	_, ok, err := mono.FromOptional(func() (string, bool, error) {
		v, ok := os.LookupEnv("NO_SUCH_VARIABLE")
		return v, ok, nil
	}).BlockOptional(context.Background())
	fmt.Println(ok, err)
	// Output: false <nil>
}

func ExampleFromRunnable() {
	err := mono.FromRunnable[int](func() error { fmt.Println("flushed"); return nil }).Run(context.Background())
	fmt.Println(err)
	// Output:
	// flushed
	// <nil>
}

func ExampleFromChan() {
	ch := make(chan int, 1)
	ch <- 5
	block(mono.FromChan(ch))
	// Output: 5 <nil>
}

func ExampleFrom() {
	block(mono.From(mono.Just(1)))
	// Output: 1 <nil>
}

func ExampleFromDirect() {
	block(mono.FromDirect[int](mono.Just(1)))
	// Output: 1 <nil>
}

func ExampleUsing() {
	open := func(context.Context) (*strings.Reader, error) { return strings.NewReader("abc"), nil }
	read := func(r *strings.Reader) mono.Mono[string] {
		return mono.FromCallable(func() (string, error) { b, err := io.ReadAll(r); return string(b), err })
	}
	block(mono.Using(open, read, func(*strings.Reader) error { fmt.Println("close"); return nil }))
	// Output:
	// close
	// abc <nil>
}

func ExampleLateRelease() {
	open := func(context.Context) (int, error) { return 1, nil }
	release := func(int) error { fmt.Println("release"); return nil }
	m := mono.Using(open, mono.Just[int], release, mono.LateRelease())
	block(m.DoOnNext(func(v int) { fmt.Println("element", v) }))
	// Output:
	// element 1
	// release
	// 1 <nil>
}

func ExampleUsingCloser() {
	open := func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("text")), nil }
	block(mono.UsingCloser(open, func(r io.ReadCloser) mono.Mono[string] {
		return mono.FromCallable(func() (string, error) { b, err := io.ReadAll(r); return string(b), err })
	}))
	// Output: text <nil>
}

func ExampleUsingWhen() {
	block(mono.UsingWhen(mono.Just("connection"),
		func(c string) mono.Mono[string] { return mono.Just("row of " + c) },
		func(c string) mono.Mono[int] { fmt.Println("close", c); return mono.Empty[int]() },
	))
	// Output:
	// close connection
	// row of connection <nil>
}

func ExampleUsingWhenOutcome() {
	step := func(what string) func(string) mono.Mono[int] {
		return func(tx string) mono.Mono[int] { fmt.Println(what, tx); return mono.Empty[int]() }
	}
	block(mono.UsingWhenOutcome(mono.Just("tx"), mono.Just[string],
		step("commit"), func(tx string, _ error) mono.Mono[int] { return step("roll back")(tx) }, step("abandon")))
	// Output:
	// commit tx
	// tx <nil>
}

func ExampleMono_Block() {
	v, err := mono.Just(1).Block(context.Background())
	fmt.Println(v, err)
	_, err = mono.Empty[int]().Block(context.Background())
	fmt.Println(errors.Is(err, reactor.ErrNoElements))
	// Output:
	// 1 <nil>
	// true
}

func ExampleMono_BlockOptional() {
	fmt.Println(mono.Just(1).BlockOptional(context.Background()))
	fmt.Println(mono.Empty[int]().BlockOptional(context.Background()))
	// Output:
	// 1 true <nil>
	// 0 false <nil>
}

func ExampleMono_Run() {
	fmt.Println(mono.Error[int](io.EOF).Run(context.Background()))
	// Output: EOF
}

func ExampleMono_SubscribeFunc() {
	mono.Just(1).SubscribeFunc(context.Background(), func(v int) { fmt.Println("element", v) },
		mono.OnComplete(func() { fmt.Println("complete") }))
	// Output:
	// element 1
	// complete
}

func ExampleOnError() {
	mono.Error[int](io.EOF).SubscribeFunc(context.Background(), nil,
		mono.OnError(func(err error) { fmt.Println("failed:", err) }))
	// Output: failed: EOF
}

func ExampleOnComplete() {
	mono.Empty[int]().SubscribeFunc(context.Background(), nil, mono.OnComplete(func() { fmt.Println("complete") }))
	// Output: complete
}

func ExampleOnSubscribe() {
	mono.Just(1).SubscribeFunc(context.Background(), func(v int) { fmt.Println(v) },
		mono.OnSubscribe(func(s reactor.Subscription) { fmt.Println("asking"); s.Request(1) }))
	// Output:
	// asking
	// 1
}

func ExampleMono_SubscribeWith() {
	ctx := context.Background()
	mono.Just(1).SubscribeWith(ctx, operators.NewSubscriber(ctx, operators.SubscriberHooks[int]{
		OnNext: func(_ *operators.BaseSubscriber[int], v int) { fmt.Println(v) },
	}))
	// Output: 1
}

func ExampleMono_ToFuture() {
	f := mono.Delay(time.Millisecond).ToFuture(context.Background())
	v, ok, err := f.Wait(context.Background())
	fmt.Println(v, ok, err)
	// Output: 0 true <nil>
}

func ExampleFromFuture() {
	f := mono.Just(3).ToFuture(context.Background())
	block(mono.FromFuture(f))
	// Output: 3 <nil>
}

func ExampleSuppressCancel() {
	f := mono.Delay(time.Millisecond).ToFuture(context.Background())
	mono.FromFuture(f, mono.SuppressCancel()).SubscribeFunc(context.Background(), nil).Dispose()
	block(mono.FromFuture(f)) // is still there for others
	// Output: 0 <nil>
}

func ExampleMono_Transform() {
	length := func(m mono.Mono[string]) mono.Mono[int] { return m.Map(func(s string) int { return len(s) }) }
	block(mono.Just("abc").Transform(length))
	// Output: 3 <nil>
}

func ExampleMono_TransformDeferred() {
	m := mono.Just("a").TransformDeferred(func(m mono.Mono[string]) mono.Mono[string] {
		n := 0 // one for each subscription
		return m.Map(func(s string) string { n++; return fmt.Sprint(n, s) })
	})
	block(m)
	block(m)
	// Output:
	// 1a <nil>
	// 1a <nil>
}

func ExampleMono_As() {
	fmt.Println(mono.Just(1).As(func(m mono.Mono[int]) string { return fmt.Sprintf("%T", m) }))
	// Output: mono.Mono[int]
}

type tenant struct{}

func ExampleMono_DoOnNext() {
	block(mono.Just(1).DoOnNext(func(n int) { fmt.Println("seen", n) }))
	// Output:
	// seen 1
	// 1 <nil>
}

func ExampleMono_TryDoOnNextContext() {
	store := func(ctx context.Context, n int) error { return fmt.Errorf("no room for %d", n) }
	fmt.Println(mono.Just(1).TryDoOnNextContext(store).Block(context.Background()))
	// Output: 0 no room for 1
}

func ExampleMono_TryDoOnNext() {
	block(mono.Just(-2).TryDoOnNext(func(n int) error { return fmt.Errorf("negative: %d", n) }))
	// Output: 0 negative: -2
}

func ExampleMono_DoOnSuccess() {
	seen := func(v int, ok bool) { fmt.Println(v, ok) }
	_ = mono.Just(1).DoOnSuccess(seen).Run(context.Background())
	_ = mono.Empty[int]().DoOnSuccess(seen).Run(context.Background())
	// Output:
	// 1 true
	// 0 false
}

func ExampleMono_DoOnErrorAs() {
	m := mono.Just("x").TryMap(strconv.Atoi).DoOnErrorAs(func(e *strconv.NumError) { fmt.Println("bad number", e.Num) })
	_ = m.Run(context.Background())
	// Output: bad number x
}

func ExampleMono_DoOnCancel() {
	mono.Never[int]().DoOnCancel(func() { fmt.Println("cancelled") }).SubscribeFunc(context.Background(), nil).Dispose()
	// Output: cancelled
}

func ExampleMono_DoOnEach() {
	block(mono.Just(1).DoOnEach(func(_ context.Context, s reactor.Signal[int]) { fmt.Println(s) }))
	// Output:
	// onNext(1)
	// onComplete()
	// 1 <nil>
}

func ExampleMono_DoOnDiscard() {
	odd := mono.Just(2).Filter(func(n int) bool { return n%2 == 1 })
	_ = odd.DoOnDiscard(func(n int) { fmt.Println("discarded", n) }).Run(context.Background())
	// Output: discarded 2
}

func ExampleMono_Hide() {
	block(mono.Just(1).Hide())
	// Output: 1 <nil>
}

func ExampleMono_TransformDeferredContext() {
	m := mono.Just("a").TransformDeferredContext(func(ctx context.Context, m mono.Mono[string]) mono.Mono[string] {
		return m.Map(func(s string) string { return fmt.Sprint(ctx.Value(tenant{}), ":", s) })
	})
	block(m.ContextWriteValue(tenant{}, "acme"))
	// Output: acme:a <nil>
}

func ExampleMono_ContextWrite() {
	m := mono.Defer(func(ctx context.Context) mono.Mono[any] { return mono.Just(ctx.Value(tenant{})) })
	block(m.ContextWrite(func(ctx context.Context) context.Context { return context.WithValue(ctx, tenant{}, "acme") }))
	// Output: acme <nil>
}

func ExampleMono_ContextWriteValue() {
	m := mono.Defer(func(ctx context.Context) mono.Mono[any] { return mono.Just(ctx.Value(tenant{})) })
	block(m.ContextWriteValue(tenant{}, "acme"))
	// Output: acme <nil>
}

func ExampleMono_DoFirst() {
	m := mono.Just(1).DoFirst(func() { fmt.Println("third") }).DoFirst(func() { fmt.Println("second") })
	block(m.DoFirst(func() { fmt.Println("first") }))
	// Output:
	// first
	// second
	// third
	// 1 <nil>
}

func ExampleMono_DoOnSubscribe() {
	block(mono.Just(1).DoOnSubscribe(func(reactor.Subscription) { fmt.Println("subscribed") }))
	// Output:
	// subscribed
	// 1 <nil>
}

func ExampleMono_DoOnRequest() {
	block(mono.Just(1).DoOnRequest(func(n int64) { fmt.Println(n == reactor.Unbounded) }))
	// Output:
	// true
	// 1 <nil>
}

func ExampleMono_DoOnError() {
	m := mono.Error[int](io.EOF).DoOnError(func(err error) { fmt.Println("seen", err) })
	block(m.DoOnError(func(error) { fmt.Println("not reached") }, mono.WhenIs(io.ErrClosedPipe)))
	// Output:
	// seen EOF
	// 0 EOF
}

func ExampleMono_DoOnTerminate() {
	block(mono.Error[int](io.EOF).DoOnTerminate(func() { fmt.Println("over") }))
	// Output:
	// over
	// 0 EOF
}

func ExampleMono_DoAfterTerminate() {
	m := mono.Just(1).DoAfterTerminate(func() { fmt.Println("after") })
	block(m.DoOnNext(func(n int) { fmt.Println("element", n) }))
	// Output:
	// element 1
	// after
	// 1 <nil>
}

func ExampleMono_DoFinally() {
	block(mono.Just(1).DoFinally(func(how reactor.SignalKind) { fmt.Println(how) }))
	// Output:
	// onComplete
	// 1 <nil>
}
