package sinks

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
	"github.com/goreactor/reactor/operators"
)

// What is emitted from within a delivery comes after it, to everybody.
func TestNestedEmissionsComeInOrder(t *testing.T) {
	for name, s := range map[string]*ManySink[int]{
		"all or nothing":   Many().Multicast().DirectAllOrNothing[int](),
		"best effort":      Many().Multicast().DirectBestEffort[int](),
		"unsafe":           Unsafe().Many().Multicast().DirectBestEffort[int](),
		"multicast buffer": Many().Multicast().OnBackpressureBuffer[int](),
	} {
		t.Run(name, func(t *testing.T) {
			a := &probe.Probe[int]{Initial: 5, Each: func(v int) {
				switch v {
				case 1:
					assert.Equal(t, OK, s.TryEmitNext(2))
					assert.Equal(t, OK, s.TryEmitNext(3))
				case 3:
					assert.Equal(t, OK, s.TryEmitComplete())
				}
			}}
			s.Subscribe(context.Background(), a)
			b, c := probe.Listen[int](s, 3), probe.Listen[int](s, all)
			assert.Equal(t, OK, s.TryEmitNext(1))
			for _, p := range []*probe.Probe[int]{a, b, c} {
				p.Done(t, 1, 2, 3)
			}
		})
	}
}

// An emission from within another one finds the demand that this leaves.
func TestNestedEmissionsTakeNoDemandTwice(t *testing.T) {
	for name, c := range map[string]struct {
		s    *ManySink[int]
		want EmitResult
	}{
		"all or nothing": {Many().Multicast().DirectAllOrNothing[int](), FailOverflow},
		"best effort":    {Many().Multicast().DirectBestEffort[int](), OK},
	} {
		t.Run(name, func(t *testing.T) {
			a := &probe.Probe[int]{Initial: 2, Each: func(v int) {
				if v == 1 {
					assert.Equal(t, c.want, c.s.TryEmitNext(2))
				}
			}}
			c.s.Subscribe(context.Background(), a)
			b := probe.Listen[int](c.s, 1)
			assert.Equal(t, OK, c.s.TryEmitNext(1))
			b.Open(t, 1)
			want := []int{1, 2}
			if c.want != OK {
				want = want[:1]
			}
			a.Open(t, want...)
		})
	}
}

// An element that was accepted, and whose subscribers leave before its turn comes, is let go.
func TestNestedEmissionThatNobodyWaitsFor(t *testing.T) {
	ctx, hooks := probe.Recorded()
	s := Many().Multicast().DirectBestEffort[int]()
	var p *probe.Probe[int]
	p = &probe.Probe[int]{Initial: all, Each: func(int) {
		assert.Equal(t, OK, s.TryEmitNext(2))
		p.Cancel()
		assert.Equal(t, FailZeroSubscriber, s.TryEmitNext(3))
	}}
	s.Subscribe(ctx, p)
	assert.Equal(t, OK, s.TryEmitNext(1))
	p.Open(t, 1)
	assert.Equal(t, []any{2}, hooks.Discarded)
}

// The hook that takes such an element ends the goroutine: the sink goes on.
func TestDiscardOfANestedEmissionEndsTheGoroutine(t *testing.T) {
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{Discard: func(context.Context, any) { runtime.Goexit() }})
	s := Many().Multicast().DirectBestEffort[int]()
	var p *probe.Probe[int]
	p = &probe.Probe[int]{Initial: all, Each: func(int) {
		assert.Equal(t, OK, s.TryEmitNext(2))
		p.Cancel()
	}}
	s.Subscribe(ctx, p)
	racetest.Aside(func() { s.TryEmitNext(1) })
	p.Open(t, 1)
	next := probe.Listen[int](s, 1)
	assert.Equal(t, OK, s.TryEmitNext(3))
	next.Open(t, 3)
}

// A failure in the middle: those behind get the element, once, and what was emitted meanwhile.
func TestSubscriberInTheMiddleFails(t *testing.T) {
	for failure, fail := range map[string]func(){"panic": func() { panic(errBoom) }, "goexit": runtime.Goexit} {
		for name, newSink := range map[string]func() *ManySink[int]{
			"all or nothing":   func() *ManySink[int] { return Many().Multicast().DirectAllOrNothing[int]() },
			"unsafe":           func() *ManySink[int] { return Unsafe().Many().Multicast().DirectAllOrNothing[int]() },
			"multicast buffer": func() *ManySink[int] { return Many().Multicast().OnBackpressureBuffer[int]() },
		} {
			t.Run(failure+" "+name, func(t *testing.T) {
				ctx, hooks := probe.Recorded()
				s := newSink()
				first := probe.Listen[int](s, 9)
				bad := probe.ListenIn(ctx, operators.Map(s, func(v int) int {
					s.TryEmitNext(v + 1)
					fail()
					return v
				}), all)
				worse := probe.ListenIn(ctx, operators.Map(s, func(int) int { runtime.Goexit(); return 0 }), all)
				last := probe.Listen[int](s, all)
				var wg sync.WaitGroup
				wg.Go(func() { s.TryEmitNext(1) })
				wg.Wait()
				first.Open(t, 1, 2)
				last.Open(t, 1, 2)
				assert.True(t, bad.Over())
				assert.True(t, worse.Over())
				assert.Equal(t, []any{1, 1}, hooks.Discarded)
				assert.Equal(t, OK, s.TryEmitNext(3))
				assert.Equal(t, OK, s.TryEmitComplete())
				first.Done(t, 1, 2, 3)
				last.Done(t, 1, 2, 3)
			})
		}
	}
}

// told counts what a function subscriber hears.
type told struct {
	inside, items, ends int
	overlaps, late      bool
	ended               chan struct{} // closed at the first end
}

func (c *told) subscribe(ctx context.Context, src reactor.Publisher[int], onNext func()) reactor.Disposable {
	c.ended = make(chan struct{})
	end := func() {
		c.overlaps = c.overlaps || c.inside > 0
		if c.ends++; c.ends == 1 {
			close(c.ended)
		}
	}
	return operators.SubscribeFunc(ctx, src, func(int) {
		c.inside++
		c.late = c.late || c.ends > 0
		c.items++
		onNext()
		c.inside--
	}, operators.OnError(func(error) { end() }), operators.OnComplete(end))
}

func (c *told) check(t *testing.T) {
	t.Helper()
	assert.False(t, c.overlaps, "an end during an element")
	assert.False(t, c.late, "an element after the end")
	assert.Equal(t, 1, c.ends)
}

func hosts() map[string]func() *ManySink[int] {
	return map[string]func() *ManySink[int]{
		"all or nothing":   func() *ManySink[int] { return Many().Multicast().DirectAllOrNothing[int]() },
		"unsafe":           func() *ManySink[int] { return Unsafe().Many().Multicast().DirectAllOrNothing[int]() },
		"unicast error":    func() *ManySink[int] { return Many().Unicast().OnBackpressureError[int]() },
		"multicast buffer": func() *ManySink[int] { return Many().Multicast().OnBackpressureBuffer[int](AutoCancel(false)) },
	}
}

// The end of a context meets elements, from everywhere: no end is lost, and none comes during an
// element. That told has no lock shows the race detector that what is told is serial.
func TestEndsOfContextsMeetEmissions(t *testing.T) {
	for name, newSink := range hosts() {
		t.Run(name, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(400), func(race func(...func())) {
				if t.Failed() {
					return
				}
				s := newSink()
				ctx, cancel := context.WithCancelCause(context.Background())
				a, b := &told{}, &told{}
				a.subscribe(ctx, s, func() {})
				if name != "unicast error" {
					b.subscribe(context.Background(), operators.Filter(s, func(v int) bool { return v != 1 }), func() {})
				}
				race(func() {
					for v := range 4 {
						s.TryEmitNext(v)
					}
				}, func() { cancel(errBoom) })
				<-a.ended
				a.check(t)
				if name != "unicast error" {
					assert.Equal(t, OK, s.TryEmitComplete())
					b.check(t)
					assert.Equal(t, 3, b.items)
				}
			})
		})
	}
}

// The end of a context meets the subscription, which nobody has seen whole by then.
func TestEndsOfContextsMeetSubscriptions(t *testing.T) {
	for name, newSink := range hosts() {
		t.Run(name, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(400), func(race func(...func())) {
				if t.Failed() {
					return
				}
				s := newSink()
				ctx, cancel := context.WithCancelCause(context.Background())
				a := &told{}
				race(func() { a.subscribe(ctx, s, func() {}) }, func() { cancel(errBoom) })
				<-a.ended
				a.check(t)
				assert.Zero(t, s.CurrentSubscriberCount())
			})
		})
	}
}

func TestEndOfContextDuringAnEmission(t *testing.T) {
	for name, newSink := range hosts() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSink()
				ctx, cancel := context.WithCancel(t.Context())
				c := &told{}
				c.subscribe(ctx, s, func() {
					cancel()
					time.Sleep(time.Second)
				})
				go s.TryEmitNext(1)
				time.Sleep(time.Millisecond)
				synctest.Wait()
				select {
				case <-c.ended:
					t.Error("an end during an element")
				default:
				}
				time.Sleep(time.Second)
				synctest.Wait()
				c.check(t)
				assert.Zero(t, s.CurrentSubscriberCount())
			})
		})
	}
}

// Who waits for the end of a stream does not wait for an element on its way to others.
func TestEndOfContextDuringAnEmissionToOthers(t *testing.T) {
	for name, newSink := range hosts() {
		if name == "unicast error" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSink()
				ctx, cancel := context.WithCancelCause(t.Context())
				operators.SubscribeFunc(t.Context(), s, func(int) { time.Sleep(time.Second) })
				returned := make(chan error, 1)
				go func() { returned <- operators.ForEach(ctx, s, func(int) {}) }()
				synctest.Wait()
				go s.TryEmitNext(1)
				synctest.Wait()
				cancel(errBoom)
				synctest.Wait()
				select {
				case err := <-returned:
					assert.ErrorIs(t, err, errBoom)
				default:
					t.Error("the call waits")
				}
				time.Sleep(time.Second)
			})
		})
	}
}

// Who is disposed of while an element is on its way to others, or to itself through a stage, is not
// called any more.
func TestDisposedDuringAnEmission(t *testing.T) {
	for name, newSink := range hosts() {
		if name == "unicast error" {
			continue
		}
		for among, ctx := range map[string]context.Context{"alone": context.Background(), "under a context": t.Context()} {
			t.Run(name+" "+among, func(t *testing.T) {
				s := newSink()
				var next, own reactor.Disposable
				operators.SubscribeFunc(ctx, s, func(int) { next.Dispose() })
				next = operators.SubscribeFunc(ctx, s, func(int) { t.Error("disposed of by the one before") })
				own = operators.SubscribeFunc(ctx, operators.Map(s, func(v int) int { own.Dispose(); return v }),
					func(int) { t.Error("disposed of on the way") })
				assert.Equal(t, OK, s.TryEmitNext(1))
				assert.Equal(t, 1, s.CurrentSubscriberCount())
			})
		}
	}
}
