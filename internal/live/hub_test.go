package live

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/internal/chaos"
)

// hubFor returns the hub that the table has for ctx, or nil.
func hubFor(ctx context.Context) *hub {
	h := hubs[slotOf(address(ctx.Done()))].Load()
	if h == nil || h.done != ctx.Done() {
		return nil
	}
	return h
}

// drop takes the hub of ctx out of the table, as another one does that wants its place.
func drop(ctx context.Context) *hub {
	h := hubs[slotOf(address(ctx.Done()))].Swap(nil)
	h.leaveTable()
	return h
}

// shared begins with a watch that is the only one over ctx, and returns the stop of the second one, in the list of a hub.
func shared(t *testing.T, ctx context.Context, x Ended) (stop func() bool) {
	t.Helper()
	AfterContext(ctx, Func(func() {}))()
	assert.Nil(t, hubFor(ctx), "who is alone pays for no hub")
	stop = AfterContext(ctx, x)
	require.NotNil(t, hubFor(ctx), "package context has asked for another key, or not at all")
	return stop
}

func TestWhoWatchesOverTheSameContextSharesAHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type name struct{}
		ctx, cancel := context.WithCancel(context.WithValue(context.Background(), name{}, 0))
		var told [4]atomic.Int32
		tell := func(i int) Ended { return Func(func() { told[i].Add(1) }) }
		times := func() (n [4]int32) {
			for i := range told {
				n[i] = told[i].Load()
			}
			return n
		}
		a := shared(t, ctx, tell(0))
		h := hubFor(ctx)
		b := AfterContext(context.WithValue(ctx, name{}, 1), tell(1))
		c, d := AfterContext(ctx, tell(2)), AfterContext(ctx, tell(3))
		var places []*place
		for p := h.list.next; p != &h.list; p = p.next {
			places = append(places, p)
		}
		assert.Len(t, places, 4)
		check(t, 0, 4)
		assert.True(t, c())
		assert.False(t, c(), "it was stopped")
		check(t, 0, 3)
		cancel()
		synctest.Wait()
		assert.Equal(t, [4]int32{1, 1, 0, 1}, times())
		for _, stop := range []func() bool{a, b, c, d} {
			assert.False(t, stop())
		}
		check(t, 0, 0)
		assert.Nil(t, hubFor(ctx), "an ended context is kept alive by nothing")
		for _, p := range places {
			assert.Nil(t, p.next, "who keeps one keeps no other")
		}

		late := AfterContext(ctx, tell(2))
		synctest.Wait()
		assert.Equal(t, [4]int32{1, 1, 1, 1}, times())
		assert.False(t, late())
		check(t, 0, 0)
		assert.Nil(t, h.enter(tell(2)), "nobody would be told")
	})
}

// One that blocks, or ends its goroutine, keeps the end of the context from nobody.
func TestEachOneHearsOnAGoroutineOfItsOwn(t *testing.T) {
	for name, stay := range map[string]func(release chan struct{}){
		"blocks":             func(release chan struct{}) { <-release },
		"ends its goroutine": func(chan struct{}) { runtime.Goexit() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				release := make(chan struct{})
				told := 0
				shared(t, ctx, Func(func() { stay(release) }))
				AfterContext(ctx, Func(func() { told++ }))
				AfterContext(ctx, Func(func() { stay(release) }))
				cancel()
				synctest.Wait()
				assert.Equal(t, 1, told)
				close(release)
			})
		})
	}
}

// What is in the list of a hub that another one has displaced is told all the same.
func TestAHubThatHasLostItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		var told atomic.Int32
		tell := Func(func() { told.Add(1) })
		a := shared(t, ctx, tell)
		b := AfterContext(ctx, tell)
		h := drop(ctx)
		assert.NotNil(t, h.enter(watched(tell)), "who has found it still")
		assert.True(t, a())
		assert.False(t, h.closed)
		cancel()
		synctest.Wait()
		assert.EqualValues(t, 2, told.Load())
		assert.False(t, b())
		check(t, 0, 0)
	})
}

func TestAHubThatHasLostItsPlaceAndItsLast(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	nobody := Func(func() { t.Error("told") })
	stop := shared(t, ctx, nobody)
	h := drop(ctx)
	assert.False(t, h.closed)
	assert.True(t, stop())
	assert.True(t, h.closed)
	assert.False(t, h.stop(), "its AfterFunc was stopped")
	assert.Nil(t, h.enter(nobody), "nobody would be told")

	// Somebody finds it in the table yet.
	i := slotOf(address(ctx.Done()))
	hubs[i].Store(h)
	again := AfterContext(ctx, nobody)
	hubs[i].Store(nil)
	assert.True(t, again(), "there is one by itself")
	check(t, 0, 0)

	other, cancelOther := context.WithCancel(context.Background())
	defer cancelOther()
	shared(t, other, nobody)()
	h = drop(other)
	assert.True(t, h.closed, "it had nobody in its list")
	assert.False(t, h.stop())
}

// A context takes the place of another one in the table when it is watched over for the second time in a row.
func TestTheTableHasAPlaceForWhoComesBack(t *testing.T) {
	one, cancelOne := context.WithCancel(context.Background())
	defer cancelOne()
	shared(t, one, Func(func() {}))()
	h := hubFor(one)
	for {
		other, cancel := context.WithCancel(context.Background())
		defer cancel()
		if slotOf(address(other.Done())) != slotOf(address(one.Done())) {
			continue
		}
		AfterContext(other, Func(func() {}))()
		assert.Same(t, h, hubFor(one))
		AfterContext(other, Func(func() {}))()
		assert.Nil(t, hubFor(one))
		assert.NotNil(t, hubFor(other))
		assert.True(t, h.closed, "nobody was in its list")
		return
	}
}

// Contexts of another kind need a goroutine for each AfterFunc, which must not stay longer than somebody watches.
func TestContextsOfAnotherKindHaveNoHub(t *testing.T) {
	std, cancel := context.WithCancel(context.Background())
	defer cancel()
	for name, ctx := range map[string]context.Context{
		"by itself":         foreign{context.Background(), make(chan struct{})},
		"below a value":     context.WithValue(foreign{context.Background(), make(chan struct{})}, foreign{}, 1),
		"over the standard": foreign{std, make(chan struct{})},
	} {
		t.Run(name, func(t *testing.T) {
			for range 3 {
				assert.True(t, AfterContext(ctx, Func(func() {}))())
			}
			assert.Nil(t, hubFor(ctx))
		})
	}
}

type foreign struct {
	context.Context
	done chan struct{}
}

func (f foreign) Done() <-chan struct{} { return f.done }

func (f foreign) Err() error {
	select {
	case <-f.done:
		return context.Canceled
	default:
		return nil
	}
}

// The table is full of contexts that end, are left, and are watched over by several goroutines at once: each watch is
// either stopped or told, once.
func TestHubsInTurmoil(t *testing.T) {
	for range 8 {
		synctest.Test(t, func(t *testing.T) {
			contexts := make([]context.Context, 2*slots)
			cancels := make([]context.CancelFunc, len(contexts))
			for i := range contexts {
				contexts[i], cancels[i] = context.WithCancel(context.Background())
			}
			var begun, stopped, told atomic.Int64
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					for range 4 * slots {
						i := rand.IntN(len(contexts))
						mine := make([]func() bool, 3)
						for k := range mine {
							begun.Add(1)
							mine[k] = AfterContext(contexts[i], Func(func() { told.Add(1) }))
						}
						if rand.IntN(4) == 0 {
							cancels[i]()
						}
						for _, stop := range mine[rand.IntN(3):] {
							if stop() {
								stopped.Add(1)
							}
							assert.False(t, stop())
						}
					}
				})
			}
			all.Wait()
			for _, cancel := range cancels {
				cancel()
			}
			synctest.Wait()
			check(t, 0, 0)
			assert.Equal(t, begun.Load(), told.Load()+stopped.Load())
			for _, ctx := range contexts {
				assert.Nil(t, hubFor(ctx), "an ended context is kept alive by nothing")
			}
		})
	}
}

// A watch in a hub takes its place, and the function to stop it.
func TestAllocationsOfAWatch(t *testing.T) {
	most := 2.0
	if chaos.Enabled {
		most = 3 // one is that which is counted
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	x := Func(func() {})
	shared(t, ctx, x)()
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { AfterContext(ctx, x)() }), most)
	assert.Zero(t, testing.AllocsPerRun(100, func() { AfterContext(context.Background(), x)() }))
}
