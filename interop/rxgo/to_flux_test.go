package rxgo_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	rx "github.com/reactivex/rxgo/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/interop/rxgo"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/reactortest/tck"
)

// itself is a stage of RxGo.
func itself(o rx.Observable) rx.Observable {
	return o.Map(func(_ context.Context, v any) (any, error) { return v, nil })
}

func TestToFlux(t *testing.T) {
	ctx := t.Context()
	for name, o := range map[string]rx.Iterable{
		"Just":             rx.Just(0, 1, 2)(),
		"Range":            rx.Range(0, 3),
		"behind a stage":   itself(rx.Range(0, 3)),
		"with a buffer":    rx.Range(0, 3, rx.WithBufferedChannel(2)),
		"Create":           rx.Create([]rx.Producer{func(_ context.Context, next chan<- rx.Item) { next <- rx.Of(0); next <- rx.Of(1); next <- rx.Of(2) }}),
		"on several":       rx.Range(0, 3).Map(func(_ context.Context, v any) (any, error) { return v, nil }, rx.WithPool(2)),
		"eager":            rx.Range(0, 3).Map(func(_ context.Context, v any) (any, error) { return v, nil }, rx.WithObservationStrategy(rx.Eager)),
		"FlatMap":          rx.Just(0)().FlatMap(func(rx.Item) rx.Observable { return rx.Range(0, 3) }),
		"a foreign source": iterable(func(...rx.Option) <-chan rx.Item { return rx.Range(0, 3).Observe() }),
	} {
		got, err := rxgo.ToFlux[int](o).Collect(ctx)
		require.NoError(t, err, name)
		assert.ElementsMatch(t, []int{0, 1, 2}, got, name)
	}
	got, err := rxgo.ToFlux[int](rx.Range(1, 4).Last()).Collect(ctx)
	require.NoError(t, err)
	assert.Equal(t, []int{4}, got, "an OptionalSingle")
	got, err = rxgo.ToFlux[int](rx.Empty()).Collect(ctx)
	require.NoError(t, err)
	assert.Empty(t, got)
}

// iterable is a foreign source.
type iterable func(...rx.Option) <-chan rx.Item

func (f iterable) Observe(opts ...rx.Option) <-chan rx.Item { return f(opts...) }

func TestToFluxObservesAtEachSubscription(t *testing.T) {
	f := rxgo.ToFlux[int](rx.Range(0, 3))
	for range 2 {
		n, err := f.Count().Block(t.Context())
		require.NoError(t, err)
		assert.EqualValues(t, 3, n)
	}
}

// A producer is at most one item ahead, and one more in each stage.
func TestToFluxReadsOnDemand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var produced atomic.Int64
		source := rx.Defer([]rx.Producer{func(ctx context.Context, next chan<- rx.Item) {
			for i := 0; ; i++ {
				produced.Add(1)
				if !rx.Of(i).SendContext(ctx, next) {
					return
				}
			}
		}})
		var r record
		s := reactortest.NewTestSubscriber[int](t, reactortest.InitialRequest(0))
		rxgo.ToFlux[int](itself(source)).Subscribe(r.withHooks(t.Context()), s)
		synctest.Wait()
		assert.EqualValues(t, 2, produced.Load(), "one in the stage, one before it")
		assert.Empty(t, s.Values())
		for i := range 3 {
			s.Request(1)
			synctest.Wait()
			assert.EqualValues(t, 3+i, produced.Load())
			assert.Len(t, s.Values(), i+1)
		}
		s.Cancel()
		synctest.Wait()
		assert.Empty(t, r.told().errors)
	})
}

func TestToFluxEndsAtTheFirstError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r record
		// RxGo goes on after an error.
		assert.Len(t, collectItems(rx.Just(1, errBoom, 2, errors.New("second"))()), 4)
		got, err := rxgo.ToFlux[int](rx.Just(1, errBoom, 2, errors.New("second"))()).Materialize().Collect(r.withHooks(t.Context()))
		require.NoError(t, err)
		assert.Equal(t, []reactor.Signal[int]{reactor.NextSignal(1), reactor.ErrorSignal[int](errBoom)}, got)
		synctest.Wait()
		// Whether the producer sees the end of its context before it sends is open.
		assert.LessOrEqual(t, len(r.told().dropped), 1)
		assert.Empty(t, r.told().discarded)

		r.reset()
		hot := make(chan rx.Item, 3) // does not look at any context
		hot <- rx.Error(errBoom)
		hot <- rx.Of(2)
		hot <- rx.Error(errors.New("second"))
		close(hot)
		_, err = rxgo.ToFlux[int](rx.FromChannel(hot)).Collect(r.withHooks(t.Context()))
		assert.Equal(t, errBoom, err)
		synctest.Wait()
		assert.Equal(t, []any{2}, r.told().dropped)
		assert.Equal(t, []string{"second"}, r.told().errors)
	})
}

func collectItems(o rx.Observable) (items []rx.Item) {
	for item := range o.Observe() {
		items = append(items, item)
	}
	return items
}

func TestToFluxChecksTheType(t *testing.T) {
	for name, c := range map[string]struct {
		run  func(ctx context.Context) error
		want string
	}{
		"another type": {
			func(ctx context.Context) error { return rxgo.ToFlux[int](rx.Just(1, "two", 3)()).Run(ctx) },
			"reactor: rxgo.toFlux: illegal argument: item 2 is of type string, not int: two",
		},
		"nil": {
			func(ctx context.Context) error { return rxgo.ToFlux[int](justNil(1)).Run(ctx) },
			"reactor: rxgo.toFlux: illegal argument: item 2 is of type <nil>, not int: <nil>",
		},
		"nil instead of a pointer": {
			func(ctx context.Context) error { return rxgo.ToFlux[*int](justNil()).Run(ctx) },
			"reactor: rxgo.toFlux: illegal argument: item 1 is of type <nil>, not *int: <nil>",
		},
		"long": {
			func(ctx context.Context) error {
				return rxgo.ToFlux[int](rx.Just(strings.Repeat("é", 1000))()).Run(ctx)
			},
			"reactor: rxgo.toFlux: illegal argument: item 1 is of type string, not int: " + strings.Repeat("é", 100) + "…",
		},
		"does not implement it": {
			func(ctx context.Context) error { return rxgo.ToFlux[fmt.Stringer](rx.Just(7)()).Run(ctx) },
			"reactor: rxgo.toFlux: illegal argument: item 1 is of type int, not fmt.Stringer: 7",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var r record
				err := c.run(r.withHooks(t.Context()))
				assert.EqualError(t, err, c.want)
				assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
				assert.Len(t, r.told().discarded, 1, "the item")
			})
		})
	}
}

// The item is done with when the error comes.
func TestToFluxDiscardsBeforeItFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r record
		discarded := -1
		err := rxgo.ToFlux[int](rx.Just("x")()).
			DoOnError(func(error) { discarded = len(r.told().discarded) }).
			Run(r.withHooks(t.Context()))
		assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
		assert.Equal(t, 1, discarded)
	})
}

// justNil sends items and then nil, which Just can't: it ends the process.
func justNil(items ...any) rx.Observable {
	return rx.Create([]rx.Producer{func(_ context.Context, next chan<- rx.Item) {
		for _, v := range append(items, nil) {
			next <- rx.Of(v)
		}
	}})
}

func TestToFluxNilIsAnElementOfAnInterface(t *testing.T) {
	got, err := rxgo.ToFlux[any](justNil(1)).Collect(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []any{1, nil}, got)
}

func TestToFluxCancelled(t *testing.T) {
	for name, o := range map[string]func(ctx context.Context) rx.Observable{
		"a producer that ends with its context": func(context.Context) rx.Observable { return rx.Just(0, 1, 2, 3)() },
		"a stage":                               func(context.Context) rx.Observable { return itself(rx.Range(0, 1000)) },
		// It runs from its creation to the end of the context it was created with.
		"endless": func(ctx context.Context) rx.Observable {
			return rx.Interval(rx.WithDuration(time.Second), rx.WithContext(ctx)).Map(toInt)
		},
		"a producer that knows of no context": func(context.Context) rx.Observable {
			return rx.Create([]rx.Producer{func(_ context.Context, next chan<- rx.Item) {
				for i := range 100 {
					next <- rx.Of(i)
				}
			}})
		},
		"FlatMap": func(context.Context) rx.Observable {
			return rx.Just(1, 2)().FlatMap(func(rx.Item) rx.Observable { return rx.Just(0, 1, 2, 3)() })
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // whose end fails if a goroutine is left
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var r record
				got, err := rxgo.ToFlux[int](o(ctx)).Take(2).Collect(r.withHooks(t.Context()))
				require.NoError(t, err)
				assert.Equal(t, []int{0, 1}, got)
				time.Sleep(time.Minute)
				assert.Empty(t, r.told().errors)
			})
		})
	}
}

func toInt(_ context.Context, v any) (any, error) { return v.(int), nil }

func TestToFluxCancelledBeforeTheFirstRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r record
		s := reactortest.NewTestSubscriber[int](t, reactortest.InitialRequest(0))
		rxgo.ToFlux[int](rx.Create([]rx.Producer{func(_ context.Context, next chan<- rx.Item) {
			next <- rx.Of(1)
			next <- rx.Of(2)
		}})).Subscribe(r.withHooks(t.Context()), s)
		s.Cancel()
		synctest.Wait()
		assert.Equal(t, []any{1, 2}, r.told().discarded)
		assert.Empty(t, s.Values())
	})
}

func TestToFluxPatience(t *testing.T) {
	for name, c := range map[string]struct {
		o    func(done <-chan struct{}) rx.Observable
		sent string
	}{
		"silent": {func(done <-chan struct{}) rx.Observable {
			return rx.Create([]rx.Producer{func(_ context.Context, next chan<- rx.Item) { next <- rx.Of(0); <-done }})
		}, "sent 0 items"},
		"endless": {func(done <-chan struct{}) rx.Observable {
			return rx.Create([]rx.Producer{func(_ context.Context, next chan<- rx.Item) {
				for i := 0; ; i++ {
					select {
					case next <- rx.Of(i):
						time.Sleep(300 * time.Millisecond)
					case <-done:
						return
					}
				}
			}})
		}, "sent 3 items"},
		"gone without a word": {func(<-chan struct{}) rx.Observable { return rx.Range(0, 10) }, "sent "},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				done := make(chan struct{})
				defer func() { close(done); time.Sleep(time.Second) }()
				var r record
				_, err := rxgo.ToFlux[int](c.o(done), rxgo.Patience(time.Second)).BlockFirst(r.withHooks(t.Context()))
				require.NoError(t, err)
				time.Sleep(999 * time.Millisecond)
				synctest.Wait()
				assert.Empty(t, r.told().errors)
				time.Sleep(time.Millisecond)
				synctest.Wait()
				require.Len(t, r.told().errors, 1)
				assert.Contains(t, r.told().errors[0], "reactor: rxgo.toFlux: timeout: the Observable has not closed its channel within 1s of the end of its context, and "+c.sent)
			})
		})
	}
}

func TestToFluxEndOfContext(t *testing.T) {
	cause := errors.New("shut down")
	for name, o := range map[string]rx.Observable{"silent": rx.Never(), "closes its channel": itself(rx.Never())} {
		t.Run(name, func(t *testing.T) {
			var r record
			ctx, cancel := context.WithCancelCause(r.withHooks(t.Context()))
			time.AfterFunc(time.Millisecond, func() { cancel(cause) })
			_, err := rxgo.ToFlux[int](o, rxgo.Patience(time.Millisecond)).Collect(ctx)
			assert.Equal(t, cause, err)
			_, err = rxgo.ToFlux[int](o).Collect(ctx)
			assert.Equal(t, cause, err, "ended before")
		})
	}
}

// The error with which a function answers the end of its context is no news.
func TestToFluxAnswersToTheCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r record
		o := rx.Range(0, 10).Map(func(ctx context.Context, v any) (any, error) {
			if v.(int) > 0 {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return v, nil
		})
		_, err := rxgo.ToFlux[int](o).BlockFirst(r.withHooks(t.Context()))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		assert.Empty(t, r.told().errors)
	})
}

func TestToFluxDownstreamPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r record
		err := rxgo.ToFlux[int](rx.Just(1, 2, 3)()).Map(func(v int) int {
			if v == 2 {
				panic(errBoom)
			}
			return v
		}).Run(r.withHooks(t.Context()))
		assert.ErrorIs(t, err, errBoom)
		synctest.Wait()
		assert.Equal(t, []any{2}, r.told().discarded)
	})
}

func TestToFluxBadObservables(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: rxgo.toFlux: the Observable is nil", func() { rxgo.ToFlux[int](nil) })
	assert.PanicsWithValue(t, "reactor: rxgo.toFlux: the Observable is nil", func() { rxgo.ToFlux[int]((*rx.ObservableImpl)(nil)) })
	assert.PanicsWithValue(t, "reactor: rxgo: patience must be positive, got -1ns", func() { rxgo.Patience(-1) })
	err := rxgo.ToFlux[int](iterable(func(...rx.Option) <-chan rx.Item { return nil })).Run(t.Context())
	assert.EqualError(t, err, "reactor: rxgo.toFlux: protocol violation: Observe of a rxgo_test.iterable returned no channel")
	err = rxgo.ToFlux[int](iterable(func(...rx.Option) <-chan rx.Item { panic(errBoom) })).Run(t.Context())
	assert.ErrorIs(t, err, errBoom)
}

// Each at another point of its life; the end of the bubble fails if a goroutine is left.
func TestToFluxTenThousandCancellations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r record
		ctx := r.withHooks(t.Context())
		for i := range 10_000 {
			var o rx.Observable
			switch i % 4 {
			case 0:
				o = itself(itself(rx.Range(0, 100)))
			case 1:
				o = rx.Range(0, 100)
			case 2:
				o = rx.Create([]rx.Producer{func(_ context.Context, next chan<- rx.Item) {
					for i := range 20 {
						next <- rx.Of(i)
					}
				}})
			case 3:
				o = rxgo.FromFlux(flux.Range(0, 100)).Map(toInt)
			}
			n := i / 4 % 10
			s := reactortest.NewTestSubscriber[int](t, reactortest.InitialRequest(int64(n)))
			rxgo.ToFlux[int](o).Subscribe(ctx, s)
			if i%3 == 0 {
				synctest.Wait()
			}
			s.Cancel()
		}
		time.Sleep(time.Minute)
		for _, err := range r.told().errors {
			assert.Contains(t, err, "rxgo.toFlux: timeout", "of Range, which goes without closing its channel")
		}
	})
}

// failsAtOnce returns a Flux that fails without demand. An Observable can't make it: what it
// sends is read on demand, errors too.
func failsAtOnce() reactor.Publisher[int] {
	return rxgo.ToFlux[int](iterable(func(...rx.Option) <-chan rx.Item { panic(errBoom) }))
}

func TestToFluxConformance(t *testing.T) {
	tck.VerifyPublisher(t, tck.Publisher[int]{
		Create: func(n int64) reactor.Publisher[int] { return rxgo.ToFlux[int](itself(rx.Range(0, int(n)))) },
		Failed: failsAtOnce,
	}, tck.InBubbles(), tck.Rounds(10))
}

func TestRoundTripConformance(t *testing.T) {
	tck.VerifyPublisher(t, tck.Publisher[int]{
		Create: func(n int64) reactor.Publisher[int] {
			return rxgo.ToFlux[int](rxgo.FromFlux(flux.Range(0, int(n))))
		},
		Failed: failsAtOnce,
	}, tck.InBubbles(), tck.Rounds(10))
}

func TestRoundTrip(t *testing.T) {
	const n = 100_000
	got, err := rxgo.ToFlux[int](rxgo.FromFlux(flux.Range(0, n))).Collect(t.Context())
	require.NoError(t, err)
	require.Len(t, got, n)
	for i, v := range got {
		if i != v {
			t.Fatalf("element %d is %d", i, v)
		}
	}
	items := collectItems(rxgo.FromFlux(rxgo.ToFlux[int](rx.Range(0, n))))
	require.Len(t, items, n)
	for i, item := range items {
		if item != rx.Of(i) {
			t.Fatalf("item %d is %v", i, item)
		}
	}
}

// What RxGo does to the process, in one of its own.

const programVariable = "REACTOR_RXGO_PROGRAM"

var programs = map[string]func(){
	"nil element": func() { <-rx.Just(1, nil)().Observe(); time.Sleep(time.Minute) },
	"observed twice": func() {
		o := rx.Just(1)().FlatMap(func(item rx.Item) rx.Observable { return rx.Just(item.V)() })
		for range 2 {
			for range o.Observe() {
			}
		}
		time.Sleep(time.Minute)
	},
	"panic in a mapper": func() {
		err := rxgo.ToFlux[int](rx.Just(1)().Map(func(context.Context, any) (any, error) { panic("in a mapper of RxGo") })).Run(context.Background())
		fmt.Println("survived:", err)
	},
}

func TestWhatEndsTheProcess(t *testing.T) {
	for name, want := range map[string]string{
		"nil element":       "nil pointer dereference",
		"observed twice":    "panic: close of closed channel",
		"panic in a mapper": "panic: in a mapper of RxGo",
	} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), programVariable+"="+name)
		out, err := cmd.CombinedOutput()
		assert.Error(t, err, name)
		assert.Contains(t, string(out), want, name)
	}
}

// Stages of RxGo with contexts of their own keep a goroutine until the context that they were
// observed with has ended, which the end of the bubble would find.
func TestToFluxEndsItsContextAfterCompletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := endless{context.Background(), make(chan struct{})}
		items := make(chan rx.Item, 1)
		items <- rx.Of(1)
		close(items)
		got, err := rxgo.ToFlux[int](itself(rx.FromChannel(items, rx.WithContext(other)))).Collect(context.Background())
		require.NoError(t, err)
		assert.Equal(t, []int{1}, got)
	})
}

// endless is a context that could end and does not.
type endless struct {
	context.Context
	done chan struct{}
}

func (c endless) Done() <-chan struct{} { return c.done }

// trusted is a subscriber without the watch over the context that others get.
type trusted struct {
	protocol.Inner
	completed atomic.Bool
	failed    atomic.Bool
}

func (*trusted) OnSubscribe(up reactor.Subscription) { up.Request(1) }
func (*trusted) OnNext(int)                          {}
func (s *trusted) OnError(error)                     { s.failed.Store(true) }
func (s *trusted) OnComplete()                       { s.completed.Store(true) }

// At the end of its context an Observable closes its channel, perhaps before the subscriber has
// been told of the cause.
func TestToFluxEndOfContextIsNoCompletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		items := make(chan rx.Item)
		ctx, cancel := context.WithCancel(t.Context())
		s := &trusted{}
		rxgo.ToFlux[int](iterable(func(...rx.Option) <-chan rx.Item {
			cancel()
			close(items)
			return items
		})).Subscribe(ctx, s)
		synctest.Wait()
		assert.False(t, s.completed.Load())
	})
}

// The error with which a producer answers the end of the context is not that of the stream, whose error is the cause.
func TestToFluxEndOfContextIsNoFailure(t *testing.T) {
	for name, end := range map[string]func(context.Context) (context.Context, context.CancelFunc){
		"cancelled": context.WithCancel,
		"too late": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Second)
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			var r record
			ctx, cancel := end(r.withHooks(t.Context()))
			defer cancel()
			items := make(chan rx.Item, 1)
			s := &trusted{}
			rxgo.ToFlux[int](iterable(func(...rx.Option) <-chan rx.Item {
				time.Sleep(time.Second)
				synctest.Wait()
				cancel() // it may be too late for that
				items <- rx.Error(ctx.Err())
				close(items)
				return items
			})).Subscribe(ctx, s)
			synctest.Wait()
			assert.False(t, s.failed.Load(), name)
			assert.Empty(t, r.told().errors, name)
		})
	}
}

// An error that came with the end of the context, and is no answer to it, is told as dropped.
func TestToFluxFailureAtTheEndOfTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r record
		ctx, cancel := context.WithCancel(r.withHooks(t.Context()))
		items := make(chan rx.Item, 1)
		s := &trusted{}
		rxgo.ToFlux[int](iterable(func(...rx.Option) <-chan rx.Item {
			cancel()
			items <- rx.Error(errBoom)
			close(items)
			return items
		})).Subscribe(ctx, s)
		synctest.Wait()
		assert.False(t, s.failed.Load())
		assert.Equal(t, []string{errBoom.Error()}, r.told().errors)
	})
}

// Who hears that a function has failed, and ends the goroutine, leaves no producer waiting.
func TestToFluxWhoHearsOfAFailureEndsTheGoroutine(t *testing.T) {
	for name, fail := range map[string]func(int){
		"of a panic":  func(int) { panic(errBoom) },
		"of a Goexit": func(int) { runtime.Goexit() },
	} {
		reactortest.Bubble(t, func(t *testing.T) {
			var r record
			var ended atomic.Bool
			o := rx.Defer([]rx.Producer{func(ctx context.Context, next chan<- rx.Item) {
				next <- rx.Of(1)
				next <- rx.Of(2) // nobody wants it
				<-ctx.Done()
				ended.Store(true)
			}})
			s := reactortest.Subscribe(t, rxgo.ToFlux[int](o).
				DoOnNext(fail).
				DoOnError(func(error) { runtime.Goexit() }).
				ContextWrite(r.withHooks), reactortest.InitialRequest(1))
			synctest.Wait()
			assert.Error(t, s.Err(), name)
			assert.True(t, ended.Load(), name)
			assert.Equal(t, []any{1}, r.told().discarded, name)
			assert.Equal(t, []any{2}, r.told().dropped, name)
		})
	}
}
