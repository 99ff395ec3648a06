package operators

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// edgeCalls is what the functions at the end of a stream see. That it has no lock shows the race detector that they are
// called one after the other.
type edgeCalls struct {
	inside, ends   int
	items          []int
	overlaps, late bool
	err            error
	ended          chan struct{} // closed by the first end
}

// edges are the ways to consume a stream in which the end of a context comes from elsewhere. They do not wait.
func edges() map[string]func(context.Context, reactor.Publisher[int], *edgeCalls, func(int)) *edgeCalls {
	return map[string]func(context.Context, reactor.Publisher[int], *edgeCalls, func(int)) *edgeCalls{
		"SubscribeFunc": func(ctx context.Context, src reactor.Publisher[int], c *edgeCalls, each func(int)) *edgeCalls {
			SubscribeFunc(ctx, src, c.next(each), OnError(c.end), OnComplete(func() { c.end(nil) }))
			return c
		},
		"ForEach": func(ctx context.Context, src reactor.Publisher[int], c *edgeCalls, each func(int)) *edgeCalls {
			go func() { c.end(ForEach(ctx, src, c.next(each))) }()
			return c
		},
	}
}

func newEdgeCalls() *edgeCalls { return &edgeCalls{ended: make(chan struct{})} }

func (c *edgeCalls) next(each func(int)) func(int) {
	return func(v int) {
		c.inside++
		c.late = c.late || c.ends > 0
		c.items = append(c.items, v)
		each(v)
		c.inside--
	}
}

func (c *edgeCalls) end(err error) {
	c.overlaps = c.overlaps || c.inside > 0
	c.err = err
	if c.ends++; c.ends == 1 {
		close(c.ended)
	}
}

func (c *edgeCalls) check(t *testing.T) {
	t.Helper()
	<-c.ended
	assert.False(t, c.overlaps, "an end during an element")
	assert.False(t, c.late, "an element after the end")
	assert.Equal(t, 1, c.ends)
}

// hosted is the stream of a host, which sends the elements 0 to 3.
type hosted struct {
	stream  reactor.Publisher[int]
	sources []*puppet[int] // none: the elements come while it is subscribed
	send    []func()       // each on a goroutine of its own, behind the subscription
}

// hosts are the ways in which elements come out of a flatMap, and the sources that look after ends from elsewhere themselves.
func hosts() map[string]func() hosted {
	taken := func(inner reactor.Publisher[int]) func() hosted {
		return func() hosted {
			return hosted{stream: FlatMap(Range(0, 1), func(int) reactor.Publisher[int] { return inner })}
		}
	}
	send := func(p *puppet[int], from, to int) func() {
		return func() {
			for v := from; v < to; v++ {
				p.last().OnNext(v)
			}
			p.last().OnComplete()
		}
	}
	fed := func(fn func(int) reactor.Publisher[int]) func() hosted {
		return func() hosted {
			p := &puppet[int]{}
			return hosted{FlatMap(p, fn), []*puppet[int]{p}, []func(){send(p, 0, 4)}}
		}
	}
	return map[string]func() hosted{
		"known":              fed(Just[int]),
		"called":             fed(func(v int) reactor.Publisher[int] { return FromSupplier(func() int { return v }) }),
		"subscribed":         fed(func(v int) reactor.Publisher[int] { return Hide(Just(v)) }),
		"taken":              taken(Range(0, 4)),
		"taken behind a map": taken(Map(Range(0, 4), func(v int) int { return v })),
		"queue": func() hosted {
			p := &puppet[int]{}
			return hosted{OnBackpressureBuffer(p), []*puppet[int]{p}, []func(){send(p, 0, 4)}}
		},
		"create": func() hosted { return sunk(Create[int]) },
		"push":   func() hosted { return sunk(Push[int]) },
		"channel": func() hosted {
			ch := make(chan int, 4)
			return hosted{stream: FromChan(ch), send: []func(){func() {
				for v := range 4 {
					ch <- v
				}
				close(ch)
			}}}
		},
		"merged": func() hosted {
			a, b := &puppet[int]{}, &puppet[int]{}
			return hosted{Merge[int](a, b), []*puppet[int]{a, b}, []func(){send(a, 0, 2), send(b, 2, 4)}}
		},
	}
}

// sunk is a source with a sink.
func sunk(newSource func(func(*FluxSink[int]), ...CreateOption) reactor.Publisher[int]) hosted {
	sinks := make(chan *FluxSink[int], 1)
	return hosted{stream: newSource(func(s *FluxSink[int]) { sinks <- s }), send: []func(){func() {
		s := <-sinks
		for v := range 4 {
			s.Next(v)
		}
		s.Complete()
	}}}
}

// consumed subscribes, which may take as long as there are elements, and waits until the sources know of it.
func (f hosted) consumed(subscribe func() *edgeCalls) *edgeCalls {
	var seen sync.WaitGroup
	for _, p := range f.sources {
		seen.Add(1)
		p.onSubscription = func(int, *puppetSubscription[int]) { seen.Done() }
	}
	c := subscribe()
	seen.Wait()
	return c
}

func TestHostTellsAnEndFromElsewhereBehindTheElement(t *testing.T) {
	for edge, consume := range edges() {
		for name, newStream := range hosts() {
			t.Run(edge+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancelCause(t.Context())
					f, c := newStream(), newEdgeCalls()
					go f.consumed(func() *edgeCalls {
						return consume(ctx, f.stream, c, func(int) {
							cancel(errBoom)
							time.Sleep(time.Second)
						})
					})
					synctest.Wait()
					for _, send := range f.send {
						go send()
					}
					time.Sleep(time.Second / 2)
					synctest.Wait()
					select {
					case <-c.ended:
						t.Error("an end during an element")
					default:
					}
					time.Sleep(time.Second)
					synctest.Wait()
					c.check(t)
					assert.ErrorIs(t, c.err, errBoom)
					assert.Len(t, c.items, 1)
				})
			})
		}
	}
}

// The end of a context meets the elements: each of them is delivered or given back, and the end is told once.
func TestHostsEndsOfContextsMeetElements(t *testing.T) {
	for edge, consume := range edges() {
		for name, newStream := range hosts() {
			t.Run(edge+" "+name, func(t *testing.T) {
				racetest.Repeat(racetest.Iterations(300), func(race func(...func())) {
					if t.Failed() {
						return
					}
					hooked, hooks := probe.Recorded()
					ctx, cancel := context.WithCancelCause(hooked)
					f, c := newStream(), newEdgeCalls()
					subscribe := func() { f.consumed(func() *edgeCalls { return consume(ctx, f.stream, c, func(int) {}) }) }
					racers := append(f.send, func() { cancel(errBoom) })
					if f.sources == nil {
						racers = append(racers, subscribe)
					} else {
						subscribe()
					}
					race(racers...)
					c.check(t)
					for f.sources != nil { // the last of them may still be on its way to a hook
						discarded, dropped, _ := hooks.Seen()
						if n := len(c.items) + len(discarded) + len(dropped); n >= 4 {
							assert.Equal(t, 4, n)
							break
						}
						runtime.Gosched()
					}
					if c.err != nil {
						assert.ErrorIs(t, c.err, errBoom)
					}
					assert.Empty(t, hooks.Errs)
				})
			})
		}
	}
}

// The end of a context meets the subscription, which nobody has seen whole by then.
func TestHostsEndsOfContextsMeetSubscriptions(t *testing.T) {
	for edge, consume := range edges() {
		t.Run(edge, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(1000), func(race func(...func())) {
				if t.Failed() {
					return
				}
				ctx, cancel := context.WithCancelCause(context.Background())
				src, c := &puppet[int]{}, newEdgeCalls()
				race(func() { consume(ctx, FlatMap(src, Just[int]), c, func(int) {}) }, func() { cancel(errBoom) })
				c.check(t)
				assert.ErrorIs(t, c.err, errBoom)
			})
		})
	}
}
