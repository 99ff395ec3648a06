package books

import (
	"context"
	"iter"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/sinks"
)

// sources are the leaves. The first one is what a tree is made smaller with.
var sources = []*stage{
	{name: "sequence", build: func(u use) publisher { return operators.FromSeq(u.sequence(u.arg)) }},
	{name: "hidden sequence", build: func(u use) publisher { return operators.Hide(operators.FromSeq(u.sequence(u.arg))) }},
	{name: "range", build: func(u use) publisher {
		return converted(operators.Range(0, u.arg), func(int) element { return u.produce() })
	}},
	{name: "failing sequence", build: func(u use) publisher {
		return operators.FromSeq2(func(yield func(element, error) bool) {
			for v := range u.sequence(u.arg) {
				if !yield(v, nil) {
					return
				}
			}
			yield(nil, u.fails())
		})
	}},
	{name: "error", build: func(u use) publisher { return operators.ErrorFrom[element](u.fails) }},
	{name: "empty", build: func(use) publisher { return operators.Empty[element]() }},
	{name: "never", build: func(use) publisher { return operators.Never[element]() }},
	{name: "callable", build: func(u use) publisher {
		return operators.FromCallable(func() (element, error) {
			if err := u.try(); err != nil {
				return nil, err
			}
			return u.produce(), nil
		})
	}},
	{name: "asynchronous sequence", build: func(u use) publisher {
		return operators.SubscribeOn(operators.FromSeq(u.sequence(u.arg)), u.scheduler)
	}},
	{name: "timed sequence", build: func(u use) publisher {
		return operators.DelayElements(operators.FromSeq(u.sequence(u.arg)), tick, u.on())
	}},
	{name: "interval", build: func(u use) publisher {
		ticks := operators.OnBackpressureDrop(operators.Interval(period, u.on()))
		return operators.ConcatMapSlice(operators.Take(ticks, u.arg), func(int64) []element { u.call(); return []element{u.produce()} })
	}},
	{name: "generate", build: func(u use) publisher {
		type state struct {
			n    int
			held *resource
		}
		return operators.Generate(func() *state {
			u.call()
			return &state{held: u.books.open("the state of " + u.name())}
		}, func(s *state, sink *operators.SyncSink[element]) *state {
			u.call()
			if s.n++; s.n > u.arg || !u.more() {
				sink.Complete()
			} else {
				sink.Next(u.produce())
			}
			return s
		}, func(s *state) { s.held.release(); u.call() })
	}},
	{name: "create", build: func(u use) publisher {
		return operators.Create(func(s *operators.FluxSink[element]) {
			held := u.books.open("what a sink of " + u.name() + " disposes of")
			s.OnDispose(held.release)
			u.call()
			u.emit(s)
		})
	}},
	{name: "asynchronous create", build: func(u use) publisher {
		return operators.Create(func(s *operators.FluxSink[element]) {
			held := u.books.open("what a sink of " + u.name() + " disposes of")
			s.OnDispose(held.release)
			u.start(func() {
				u.emit(s)
			})
		}, []operators.OverflowStrategy{operators.OverflowBuffer, operators.OverflowDrop, operators.OverflowLatest, operators.OverflowError}[u.arg%4])
	}},
	{name: "stateless generate", build: func(u use) publisher {
		return operators.Defer(func(context.Context) publisher {
			n := 0
			return operators.GenerateStateless(func(sink *operators.SyncSink[element]) {
				u.call()
				if n++; n > u.arg || !u.more() {
					sink.Complete()
				} else {
					sink.Next(u.produce())
				}
			})
		})
	}},
	{name: "push", build: func(u use) publisher {
		return operators.Push(func(s *operators.FluxSink[element]) { u.call(); u.emit(s) })
	}},
	{name: "create on request", build: func(u use) publisher {
		return operators.Create(func(s *operators.FluxSink[element]) {
			var left atomic.Int64
			left.Store(int64(u.arg))
			s.OnRequest(func(n int64) {
				u.call()
				for ; n > 0 && left.Add(-1) >= 0 && u.more(); n-- {
					s.Next(u.produce())
				}
				if left.Load() <= 0 || !u.more() {
					s.Complete()
				}
			})
			s.OnCancel(func() { u.call() })
		})
	}},
	{name: "mono create", build: func(u use) publisher {
		return operators.MonoCreate(func(s *operators.MonoSink[element]) {
			held := u.books.open("what a sink of " + u.name() + " disposes of")
			s.OnDispose(held.release)
			u.call()
			switch {
			case u.arg > 5:
				s.Error(u.fails())
			case u.arg%2 == 0:
				s.Success(u.produce())
			default:
				u.start(func() { s.Success(u.produce()) })
			}
		})
	}},
	{name: "supplier", build: func(u use) publisher {
		return operators.FromSupplier(func() element { u.call(); return u.produce() })
	}},
	{name: "foreign source", build: func(u use) publisher { return operators.Hide(publisher(stranger{use: u})) }},
	{name: "unicast sink", build: func(u use) publisher {
		return u.fed(func() *sinks.ManySink[element] { return sinks.Many().Unicast().OnBackpressureBuffer[element]() })
	}},
	{name: "unicast sink, refusing", build: func(u use) publisher {
		return u.fed(func() *sinks.ManySink[element] { return sinks.Many().Unicast().OnBackpressureError[element]() })
	}},
	{name: "direct sink", build: func(u use) publisher {
		return u.fed(func() *sinks.ManySink[element] { return sinks.Many().Multicast().DirectBestEffort[element]() })
	}},
	{name: "channel", build: func(u use) publisher {
		return operators.Defer(func(context.Context) publisher {
			ch := make(chan element)
			over := make(chan struct{})
			u.start(func() {
				defer close(ch)
				for range u.arg {
					v := u.produce()
					select {
					case ch <- v:
					case <-over:
						u.books.Discarded(v)
						return
					}
				}
			})
			held := u.books.open("a channel of " + u.name())
			return operators.DoFinally(operators.FromChan(ch), func(reactor.SignalKind) { close(over); held.release() })
		})
	}},
}

// sequence yields n elements that are made when they are asked for.
func (u use) sequence(n int) iter.Seq[element] {
	return func(yield func(element) bool) {
		for range n {
			if u.call(); !u.more() || !yield(u.produce()) {
				return
			}
		}
	}
}

// fed is a sink with a goroutine that emits.
func (u use) fed(open func() *sinks.ManySink[element]) publisher {
	return operators.Defer(func(context.Context) publisher {
		s := open()
		u.start(func() {
			for range u.arg {
				if !u.more() {
					break
				}
				if v := u.produce(); s.TryEmitNext(v) != sinks.OK {
					u.books.Discarded(v)
				}
				if u.arg%2 == 0 {
					time.Sleep(tick / 2)
				}
			}
			s.TryEmitComplete()
		})
		return s.Source()
	})
}

// emit sends elements to a sink, and an error behind them if there are many.
func (u use) emit(s *operators.FluxSink[element]) {
	for range u.arg {
		if !u.more() {
			break
		}
		s.Next(u.produce())
		if u.arg%2 == 0 {
			time.Sleep(tick / 2)
		}
	}
	if u.arg > 5 {
		s.Error(u.fails())
	} else {
		s.Complete()
	}
}
