package netreactor_test

import (
	"errors"
	"runtime"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/netreactor"
	"github.com/goreactor/reactor/schedulers"
	"github.com/goreactor/reactor/sinks"
)

// behaviour is what a handler does.
type behaviour struct {
	name     string
	answers  bool // each message has one answer
	ordered  bool // in the order of the messages
	finishes bool // it completes when the inbound has, and not before
	make     func(p *program, c *stringConn, in flux.Flux[string]) reactor.Publisher[string]
}

var behaviours = []behaviour{
	{"echo", true, true, true, func(_ *program, _ *stringConn, in flux.Flux[string]) reactor.Publisher[string] { return in }},
	{"publishOn", true, true, true, func(_ *program, _ *stringConn, in flux.Flux[string]) reactor.Publisher[string] {
		return in.PublishOn(schedulers.Parallel())
	}},
	{"flatMap", true, false, true, func(_ *program, _ *stringConn, in flux.Flux[string]) reactor.Publisher[string] {
		return in.FlatMap(func(m string) mono.Mono[string] { return mono.Just(m).SubscribeOn(schedulers.Parallel()) })
	}},
	{"concatMap", true, true, true, func(_ *program, _ *stringConn, in flux.Flux[string]) reactor.Publisher[string] {
		return in.ConcatMap(func(m string) mono.Mono[string] { return mono.Just(m).PublishOn(schedulers.Parallel()) })
	}},
	{"limitRate", true, true, true, func(_ *program, _ *stringConn, in flux.Flux[string]) reactor.Publisher[string] {
		return in.LimitRate(2)
	}},
	{"twice", false, false, true, func(_ *program, _ *stringConn, in flux.Flux[string]) reactor.Publisher[string] {
		return in.ConcatMap(func(m string) flux.Flux[string] { return flux.Just(m, m) })
	}},
	{"some", false, false, true, func(_ *program, _ *stringConn, in flux.Flux[string]) reactor.Publisher[string] {
		return in.Filter(func(m string) bool { return number(m)%3 > 0 })
	}},
	{"goodbye", false, false, true, func(p *program, c *stringConn, in flux.Flux[string]) reactor.Publisher[string] {
		return in.ConcatWith(mono.Just(p.peer(c) + "/bye").PublishOn(schedulers.Parallel()))
	}},
	{"send", true, true, false, func(p *program, c *stringConn, in flux.Flux[string]) reactor.Publisher[string] {
		in.LimitRate(8).PublishOn(schedulers.Parallel()).SubscribeFunc(c.Context(), func(m string) {
			for {
				err := c.Send(m)
				if !errors.Is(err, netreactor.ErrFull) {
					if err == nil {
						p.account(m).ok.Add(1)
					}
					return
				}
				runtime.Gosched()
			}
		}, flux.OnError(func(error) {}))
		return flux.Never[string]()
	}},
	{"goesOn", true, true, false, func(_ *program, _ *stringConn, in flux.Flux[string]) reactor.Publisher[string] {
		return in.MergeWith(flux.Never[string]())
	}},
	{"take", false, true, false, func(p *program, _ *stringConn, in flux.Flux[string]) reactor.Publisher[string] {
		return in.Take(p.after)
	}},
	{"fails", false, true, false, func(p *program, _ *stringConn, in flux.Flux[string]) reactor.Publisher[string] {
		return in.Take(p.after).ConcatWith(flux.Error[string](errBroken))
	}},
	{"panics", false, true, false, func(p *program, c *stringConn, in flux.Flux[string]) reactor.Publisher[string] {
		n := 0
		return in.Map(func(m string) string {
			if n++; n > p.after {
				panic("not today")
			}
			return m
		})
	}},
	{"closes", false, true, false, func(p *program, c *stringConn, in flux.Flux[string]) reactor.Publisher[string] {
		n := 0
		return in.DoOnNext(func(string) {
			if n++; n > p.after {
				c.Close()
			}
		})
	}},
	{"aborts", false, true, false, func(p *program, c *stringConn, in flux.Flux[string]) reactor.Publisher[string] {
		n := 0
		return in.DoOnNext(func(string) {
			if n++; n > p.after {
				c.Abort()
			}
		})
	}},
	{"news", false, false, true, func(_ *program, _ *stringConn, in flux.Flux[string]) reactor.Publisher[string] {
		sink := sinks.Many().Unicast().OnBackpressureBuffer[string]()
		news, over := make(chan string, 1000), make(chan struct{}) // more than come
		go func() {
			for {
				select {
				case m := <-news:
					sink.TryEmitNext(m)
				case <-over: // a cancellation comes beside messages
					for len(news) > 0 {
						sink.TryEmitNext(<-news)
					}
					sink.TryEmitComplete()
					return
				}
			}
		}()
		return in.DoOnNext(func(m string) { news <- m }).DoFinally(func(reactor.SignalKind) { close(over) }).MergeWith(flux.From[string](sink))
	}},
	{"ends", false, true, false, func(p *program, _ *stringConn, in flux.Flux[string]) reactor.Publisher[string] {
		n := 0
		return in.DoOnNext(func(string) {
			if n++; n > p.after {
				<-p.bound
				p.server.Close()
			}
		})
	}},
	{"asksNoMore", false, true, false, func(p *program, _ *stringConn, in flux.Flux[string]) reactor.Publisher[string] {
		n := 0
		return in.ConcatMap(func(m string) mono.Mono[string] {
			if n++; n > p.after {
				return mono.Never[string]()
			}
			return mono.Just(m)
		}, flux.Prefetch(1))
	}},
	{"malformed", false, true, true, func(_ *program, _ *stringConn, in flux.Flux[string]) reactor.Publisher[string] {
		return in // the codec fails
	}},
	{"unencodable", false, true, true, func(_ *program, _ *stringConn, in flux.Flux[string]) reactor.Publisher[string] {
		return in
	}},
	{"goexit", false, true, false, func(p *program, c *stringConn, in flux.Flux[string]) reactor.Publisher[string] {
		n := 0
		return in.DoOnNext(func(m string) {
			if n++; n > p.after {
				runtime.Goexit()
			}
		})
	}},
	{"cancels", false, true, false, func(p *program, c *stringConn, in flux.Flux[string]) reactor.Publisher[string] {
		return in.Take(p.after).ConcatWith(flux.Never[string]())
	}},
	{"closeWrite", false, true, false, func(p *program, c *stringConn, in flux.Flux[string]) reactor.Publisher[string] {
		n := 0
		return in.DoOnNext(func(string) {
			if n++; n > p.after {
				c.CloseWrite()
			}
		})
	}},
}

var errBroken = errors.New("broken")
