package sinks

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

// full are the sinks in which an emission may have to wait, with room for one element if
// they keep any.
func full() map[string]func() *ManySink[int] {
	return map[string]func() *ManySink[int]{
		"unicast buffer":   func() *ManySink[int] { return Many().Unicast().OnBackpressureBuffer[int](Capacity(1)) },
		"unicast error":    func() *ManySink[int] { return Many().Unicast().OnBackpressureError[int]() },
		"multicast buffer": func() *ManySink[int] { return Many().Multicast().OnBackpressureBuffer[int](Capacity(1)) },
		"all or nothing":   func() *ManySink[int] { return Many().Multicast().DirectAllOrNothing[int]() },
		"best effort":      func() *ManySink[int] { return Many().Multicast().DirectBestEffort[int]() },
		"upstream":         func() *ManySink[int] { return &safe.ManyWithUpstream[int](Capacity(1)).ManySink },
	}
}

// fill emits until there is no room and returns how many elements there was room for.
func fill(s *ManySink[int]) (n int) {
	for s.TryEmitNext(n) == OK {
		n++
	}
	return n
}

func TestEmitNextWaitWaits(t *testing.T) {
	for name, newSink := range full() {
		t.Run(name, func(t *testing.T) {
			t.Run("for demand", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newSink()
					p := probe.Listen[int](s, 0)
					n := fill(s)
					var errs [3]error
					var returned sync.WaitGroup
					for i := range errs {
						returned.Go(func() { errs[i] = s.EmitNextWait(context.Background(), n+i) })
						synctest.Wait()
					}
					p.Request(1)
					synctest.Wait()
					p.Open(t, 0)
					p.Request(int64(n + 2))
					returned.Wait()
					assert.Equal(t, [3]error{}, errs)
					want := []int{0, 1, 2, 3}[:n+3]
					p.Open(t, want...)
				})
			})
			t.Run("for a subscriber", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newSink()
					n := fill(s)
					returned := make(chan error, 1)
					go func() { returned <- s.EmitNextWait(context.Background(), n) }()
					synctest.Wait()
					p := probe.Listen[int](s, 5)
					assert.NoError(t, <-returned)
					p.Open(t, []int{0, 1}[:n+1]...)
				})
			})
			t.Run("until its context ends", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					why := errors.New("shut down")
					s := newSink()
					p := probe.Listen[int](s, 0)
					n := fill(s)
					ctx, cancel := context.WithCancelCause(context.Background())
					var errs [2]error // the first one in line, and the one behind it
					var returned sync.WaitGroup
					for i := range errs {
						returned.Go(func() { errs[i] = s.EmitNextWait(ctx, 7) })
						synctest.Wait()
					}
					cancel(why)
					returned.Wait()
					assert.Equal(t, [2]error{why, why}, errs)
					assert.Equal(t, why, s.EmitNextWait(ctx, 7), "nor is it tried")
					p.Request(9)
					p.Open(t, []int{0}[:n]...)
					assert.NoError(t, s.EmitNextWait(context.Background(), n), "nobody is in line any more")
				})
			})
			t.Run("until the sink ends", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newSink()
					probe.Listen[int](s, 0)
					fill(s)
					returned := make(chan error, 1)
					go func() { returned <- s.EmitNextWait(context.Background(), 7) }()
					synctest.Wait()
					assert.Equal(t, OK, s.TryEmitError(errBoom))
					assert.Equal(t, &EmissionError{Result: FailTerminated}, <-returned)
				})
			})
		})
	}
}

// When its only subscriber leaves, a sink that takes no other tells those who wait.
func TestEmitNextWaitHearsOfTheCancellation(t *testing.T) {
	for _, name := range []string{"unicast buffer", "unicast error", "multicast buffer"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := full()[name]()
				p := probe.Listen[int](s, 0)
				fill(s)
				returned := make(chan error, 1)
				go func() { returned <- s.EmitNextWait(context.Background(), 7) }()
				synctest.Wait()
				p.Cancel()
				err := <-returned
				if name != "multicast buffer" || err != nil { // which swallows what comes, as ever
					assert.ErrorIs(t, err, reactor.ErrCancelled)
				}
			})
		})
	}
}

// The one subscriber without demand leaves: the others have some.
func TestEmitNextWaitHearsThatTheSlowOneHasLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := Many().Multicast().DirectAllOrNothing[int]()
		quick, slow := probe.Listen[int](s, 9), probe.Listen[int](s, 0)
		returned := make(chan error, 1)
		go func() { returned <- s.EmitNextWait(context.Background(), 7) }()
		synctest.Wait()
		slow.Cancel()
		assert.NoError(t, <-returned)
		quick.Open(t, 7)
	})
}

func TestEmitNextWaitWaitsForTheEmissionUnderWay(t *testing.T) {
	for name, s := range kinds(safe) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate := make(chan struct{})
				p := &probe.Probe[int]{Initial: all, Each: func(v int) {
					if v == 1 {
						<-gate
					}
				}}
				s.Subscribe(context.Background(), p)
				var emitted sync.WaitGroup
				for v := range 3 {
					emitted.Go(func() { assert.NoError(t, s.EmitNextWait(context.Background(), v+1)) })
					synctest.Wait()
				}
				p.Open(t, 1)
				close(gate)
				emitted.Wait()
				p.Open(t, 1, 2, 3)
			})
		})
	}
}

// The room is there as soon as an element has left the buffer, however long its subscriber needs for it.
func TestEmitNextWaitFindsTheRoomOfAnElementUnderWay(t *testing.T) {
	for _, name := range []string{"unicast buffer", "multicast buffer", "upstream"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := full()[name]()
				gate := make(chan struct{})
				p := &probe.Probe[int]{Each: func(v int) {
					if v == 0 {
						<-gate
					}
				}}
				s.Subscribe(context.Background(), p)
				n := fill(s)
				var emitted bool
				go func() {
					assert.NoError(t, s.EmitNextWait(context.Background(), n))
					emitted = true
				}()
				synctest.Wait()
				go p.Request(9)
				synctest.Wait()
				assert.True(t, emitted)
				close(gate)
				synctest.Wait()
				p.Open(t, 0, 1)
			})
		})
	}
}

// What is told at the end of an emission ends the goroutine: who waits for the turn gets it.
func TestEmitNextWaitAfterAnEmissionThatEndsTheGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := Many().Multicast().DirectAllOrNothing[int]()
		ctx, cancel := context.WithCancel(context.Background())
		gate := make(chan struct{})
		operators.SubscribeFunc(ctx, s, func(int) {
			cancel()
			<-gate
		}, operators.OnError(func(error) { runtime.Goexit() }))
		p := probe.Listen[int](s, all)
		go s.TryEmitNext(1)
		synctest.Wait()
		returned := make(chan error, 1)
		go func() { returned <- s.EmitNextWait(context.Background(), 2) }()
		synctest.Wait()
		close(gate)
		synctest.Wait()
		require.Len(t, returned, 1)
		assert.NoError(t, <-returned)
		p.Open(t, 1, 2)
	})
}

// A sink of Unsafe has no turns: who has to wait for room waits, and gets it.
func TestEmitNextWaitOnAnUnsafeSink(t *testing.T) {
	for name, s := range map[string]*ManySink[int]{
		"unicast":        Unsafe().Many().Unicast().OnBackpressureBuffer[int](Capacity(1)),
		"all or nothing": Unsafe().Many().Multicast().DirectAllOrNothing[int](),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := probe.Listen[int](s, 0)
				n := fill(s)
				returned := make(chan error, 1)
				go func() { returned <- s.EmitNextWait(context.Background(), n) }()
				synctest.Wait()
				p.Request(9)
				assert.NoError(t, <-returned)
				p.Open(t, []int{0, 1}[:n+1]...)
			})
		})
	}
}

// Who comes later does not get the room for which another one waits.
func TestEmitNextWaitIsNotOvertaken(t *testing.T) {
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			s := Many().Unicast().OnBackpressureBuffer[int](Capacity(2))
			p := &probe.Probe[int]{Each: func(v int) {
				if v == 1 { // there is room for two now, and perhaps 2 has not seen it yet
					assert.NoError(t, s.EmitNextWait(context.Background(), 3))
				}
			}}
			s.Subscribe(context.Background(), p)
			require.Equal(t, 2, fill(s))
			go func() { assert.NoError(t, s.EmitNextWait(context.Background(), 2)) }()
			synctest.Wait()
			p.Request(9)
			synctest.Wait()
			p.Open(t, 0, 1, 2, 3)
		})
	}
}

// There is room, but the context has ended.
func TestEmitNextWaitUnderAContextThatHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errBoom)
	for name, newSink := range full() {
		t.Run(name, func(t *testing.T) {
			s := newSink()
			p := probe.Listen[int](s, 9)
			assert.Equal(t, errBoom, s.EmitNextWait(ctx, 1))
			p.Open(t)
		})
	}
}

// A subscriber whose context ends while it gets the element that had to wait hears of that when it has got it.
func TestEmitNextWaitTellsOfAnEndMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := Many().Multicast().DirectAllOrNothing[int]()
		ctx, cancel := context.WithCancelCause(context.Background())
		gate := make(chan struct{})
		var told error
		operators.SubscribeFunc(ctx, s, func(int) {
			cancel(errBoom)
			<-gate
		}, operators.OnError(func(err error) { told = err }))
		slow := probe.Listen[int](s, 0)
		returned := make(chan error, 1)
		go func() { returned <- s.EmitNextWait(context.Background(), 1) }()
		synctest.Wait()
		slow.Request(1)
		synctest.Wait()
		assert.NoError(t, told, "it is at the element")
		close(gate)
		assert.NoError(t, <-returned)
		synctest.Wait()
		assert.Equal(t, errBoom, told)
		slow.Open(t, 1)
	})
}

// Whoever consumes can't wait for himself.
func TestEmitNextWaitFromWithinADelivery(t *testing.T) {
	s := Many().Unicast().OnBackpressureError[int]()
	p := &probe.Probe[int]{Initial: 2}
	var errs []error
	p.Each = func(v int) {
		if v == 1 {
			errs = append(errs, s.EmitNextWait(context.Background(), 2), s.EmitNextWait(context.Background(), 3))
		}
	}
	s.Subscribe(context.Background(), p)
	assert.NoError(t, s.EmitNextWait(context.Background(), 1))
	require.Len(t, errs, 2)
	assert.NoError(t, errs[0])
	assert.Equal(t, &EmissionError{Result: FailOverflow}, errs[1])
	p.Open(t, 1, 2)
}

func TestEmitNextWaitOnAWorkerThatMustNotBlock(t *testing.T) {
	w := schedulers.NewSingle("emitter")
	returned := make(chan error, 1)
	s := Many().Unicast().OnBackpressureBuffer[int]()
	assert.NoError(t, w.Execute(func(context.Context) { returned <- s.EmitNextWait(context.Background(), 1) }))
	assert.ErrorIs(t, <-returned, reactor.ErrBlocking)
	assert.NoError(t, w.DisposeGracefully(context.Background()))
}

// Many emitters and a reader that asks for little at a time: everything comes, that of each
// emitter in its order.
func TestEmitNextWaitOfMany(t *testing.T) {
	const emitters = 8
	n := racetest.Steps(200)
	for name, newSink := range full() {
		t.Run(name, func(t *testing.T) {
			s := newSink()
			p := probe.Listen[int](s, 1)
			var emitted sync.WaitGroup
			for e := range emitters {
				emitted.Go(func() {
					for v := range n {
						assert.NoError(t, s.EmitNextWait(context.Background(), e*n+v))
					}
				})
			}
			done := make(chan struct{})
			go func() {
				emitted.Wait()
				close(done)
			}()
			for range emitters * n {
				p.Request(1)
			}
			<-done
			p.Request(1)
			require.Len(t, p.Got(), emitters*n)
			next := [emitters]int{}
			for _, v := range p.Got() {
				require.Equal(t, next[v/n], v%n, "emitter %d", v/n)
				next[v/n]++
			}
		})
	}
}

// Every change that an emission waits for, at the moment in which it begins to wait.
func TestEmitNextWaitRaces(t *testing.T) {
	for name, newSink := range holding() {
		for what, change := range map[string]func(ctx context.Context, s *ManySink[element], p *probe.Probe[element]){
			"request": func(_ context.Context, _ *ManySink[element], p *probe.Probe[element]) { p.Request(9) },
			"emission": func(_ context.Context, s *ManySink[element], p *probe.Probe[element]) {
				p.Request(9)
				s.TryEmitComplete()
			},
			"subscribe": func(ctx context.Context, s *ManySink[element], p *probe.Probe[element]) {
				s.Subscribe(ctx, p)
				p.Request(9)
			},
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				racetest.Repeat(racetest.Iterations(200), func(race func(...func())) {
					l := ledger.New(t)
					remove := reactor.SetHooks("ledger", l.Hooks()) // for what waits before anybody has come
					defer remove()
					ctx := l.Context(context.Background())
					s, p := newSink(), &probe.Probe[element]{Each: func(e element) { l.Delivered(e) }}
					if what != "subscribe" {
						s.Subscribe(ctx, p)
					}
					e := l.Produce()
					var err error
					race(func() { err = s.EmitNextWait(context.Background(), e) }, func() { change(ctx, s, p) })
					if err != nil {
						assert.Equal(t, &EmissionError{Result: FailTerminated}, err)
						l.Delivered(e) // still the caller's
					}
					p.Cancel()
					l.Check()
				})
			})
		}
	}
}
