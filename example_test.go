package reactor_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/goreactor/reactor"
)

// countdown is a Publisher written by hand: it sends from, from-1, …, 1, no
// faster than it is asked. It serves subscribers that stay on one goroutine; what
// operators share to serve all is described in docs/writing-operators.md.
type countdown struct{ from int }

func (c countdown) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	n := &counting{ctx: ctx, left: c.from, down: s}
	s.OnSubscribe(n)
	if c.from == 0 && !n.done {
		n.done = true
		s.OnComplete() // the end needs no demand
	}
}

type counting struct {
	ctx     context.Context
	down    reactor.Subscriber[int]
	left    int
	demand  int64
	sending bool
	done    bool
}

func (c *counting) Request(n int64) {
	if c.done {
		return
	}
	if n <= 0 {
		c.end(reactor.IllegalRequest(n))
		return
	}
	c.demand += min(n, reactor.Unbounded-c.demand)
	if c.sending {
		return // called from OnNext: the loop that called it goes on
	}
	c.sending = true
	for c.demand > 0 && !c.done {
		if c.ctx.Err() != nil {
			c.end(context.Cause(c.ctx))
			return
		}
		c.demand--
		c.left--
		c.down.OnNext(c.left + 1)
		if c.left == 0 && !c.done {
			c.done = true
			c.down.OnComplete()
		}
	}
	c.sending = false
}

func (c *counting) end(err error) {
	c.done = true
	c.down.OnError(err)
}

func (c *counting) Cancel() { c.done = true }

// printer prints what it receives and leaves the demand to others.
type printer struct {
	up   reactor.Subscription
	seen int
}

func (p *printer) OnSubscribe(up reactor.Subscription) { p.up = up }
func (p *printer) OnNext(v int)                        { p.seen++; fmt.Println(v) }
func (p *printer) OnError(err error)                   { fmt.Println("error:", err) }
func (p *printer) OnComplete()                         { fmt.Println("complete") }

// The contract by hand: nothing comes that was not asked for.
func Example() {
	p := &printer{}
	countdown{from: 3}.Subscribe(context.Background(), p)
	p.up.Request(1)
	fmt.Println("took", p.seen)
	p.up.Request(5)
	// Output:
	// 3
	// took 1
	// 2
	// 1
	// complete
}

func ExampleFailure() {
	err := reactor.Failure("elementAt", reactor.ErrIndexOutOfRange, "index %d, the source ended after %d elements", 7, 3)
	fmt.Println(err)
	fmt.Println(errors.Is(err, reactor.ErrIndexOutOfRange))
	// Output:
	// reactor: elementAt: index out of range: index 7, the source ended after 3 elements
	// true
}

func ExampleOpError_CausedBy() {
	last := errors.New("connection refused")
	err := reactor.Failure("retry", reactor.ErrRetryExhausted, "after %d attempts", 3).CausedBy(last)
	fmt.Println(err)
	fmt.Println(errors.Is(err, reactor.ErrRetryExhausted), errors.Is(err, last))
	// Output:
	// reactor: retry: retries exhausted: after 3 attempts: connection refused
	// true true
}

func ExampleIllegalRequest() {
	fmt.Println(reactor.IllegalRequest(0))
	// Output: reactor: request: illegal request: §3.9: demand must be positive, got 0
}

func ExampleTimeoutFailure() {
	err := reactor.TimeoutFailure("timeout", 250*time.Millisecond)
	fmt.Println(err)
	fmt.Println(errors.Is(err, reactor.ErrTimeout))
	// Output:
	// reactor: timeout: no signal within 250ms
	// true
}

func ExamplePanicError() {
	var err error = &reactor.PanicError{Op: "map", Value: "index out of range [5]"}
	if p, ok := errors.AsType[*reactor.PanicError](err); ok {
		fmt.Println(p.Op, "panicked with", p.Value)
	}
	// Output: map panicked with index out of range [5]
}

func ExampleNonNil() {
	fmt.Println(reactor.NonNil(nil))
	// Output: a failure was reported with a nil error
}

func ExampleNextSignal() {
	s := reactor.NextSignal("tick")
	v, ok := s.Value()
	fmt.Println(s, v, ok, s.IsTerminal())
	// Output: onNext(tick) tick true false
}

func ExampleErrorSignal() {
	s := reactor.ErrorSignal[int](errors.New("boom"))
	fmt.Println(s, s.Kind() == reactor.KindError, s.Err(), s.IsTerminal())
	// Output: onError(boom) true boom true
}

func ExampleCompleteSignal() {
	s := reactor.CompleteSignal[int]()
	_, ok := s.Value()
	fmt.Println(s, ok, s.IsTerminal())
	// Output: onComplete() false true
}

func ExampleSetHooks() {
	remove := reactor.SetHooks("metrics", reactor.Hooks{
		NextDropped: func(_ context.Context, v any) { fmt.Println("too late:", v) },
	})
	defer remove()
	reactor.DropNext(context.Background(), 42)
	// Output: too late: 42
}

func ExampleWithHooks() {
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{
		OperatorError: func(_ context.Context, err error, v any) error {
			return fmt.Errorf("element %v: %w", v, err)
		},
	})
	fmt.Println(reactor.OperatorError(ctx, errors.New("bad checksum"), 7))
	// Output: element 7: bad checksum
}

func ExampleAddDiscard() {
	ctx := reactor.AddDiscard(context.Background(), func(v any) { fmt.Println("released", v) })
	reactor.Discard(ctx, "buffer 1")
	// Output: released buffer 1
}

func ExampleDiscardHook() {
	ctx := reactor.AddDiscard(context.Background(), func(v any) { fmt.Println("released", v) })
	if discard := reactor.DiscardHook(ctx); discard != nil { // once per subscription
		for _, v := range []int{1, 2} {
			discard(v)
		}
	}
	// Output:
	// released 1
	// released 2
}

func ExampleDiscard() {
	reactor.Discard(context.Background(), "nobody registered for it")
	fmt.Println("nothing happens without a hook")
	// Output: nothing happens without a hook
}

func ExampleDropNext() {
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{
		NextDropped: func(_ context.Context, v any) { fmt.Println("after the end:", v) },
	})
	reactor.DropNext(ctx, 3)
	// Output: after the end: 3
}

func ExampleDropError() {
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{
		ErrorDropped: func(_ context.Context, err error) { fmt.Println("after the end:", err) },
	})
	reactor.DropError(ctx, errors.New("connection reset"))
	// Output: after the end: connection reset
}

func ExampleOperatorError() {
	ctx := context.Background()
	fmt.Println(reactor.OperatorError(ctx, errors.New("unchanged without a hook"), 1))
	// Output: unchanged without a hook
}

func ExampleNewDisposable() {
	d := reactor.NewDisposable(func() { fmt.Println("stopped") })
	d.Dispose()
	d.Dispose()
	fmt.Println(d.IsDisposed())
	// Output:
	// stopped
	// true
}

func ExampleDisposed() {
	fmt.Println(reactor.Disposed().IsDisposed())
	// Output: true
}

func ExampleUndisposable() {
	d := reactor.Undisposable()
	d.Dispose()
	fmt.Println(d.IsDisposed())
	// Output: false
}

func ExampleCompositeDisposable() {
	var all reactor.CompositeDisposable
	all.Add(reactor.NewDisposable(func() { fmt.Println("timer stopped") }))
	all.Dispose()
	all.Add(reactor.NewDisposable(func() { fmt.Println("late one stopped") }))
	// Output:
	// timer stopped
	// late one stopped
}

func ExampleSwapDisposable() {
	var current reactor.SwapDisposable
	current.Update(reactor.NewDisposable(func() { fmt.Println("first stopped") }))
	current.Update(reactor.NewDisposable(func() { fmt.Println("second stopped") }))
	current.Dispose()
	// Output:
	// first stopped
	// second stopped
}

func ExampleHasHooks() {
	ctx := context.Background()
	fmt.Println(reactor.HasHooks(ctx))
	fmt.Println(reactor.HasHooks(reactor.AddDiscard(ctx, func(any) {})))
	// Output:
	// false
	// true
}
