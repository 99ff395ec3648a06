package stages

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/proofs/roster"
	"github.com/goreactor/reactor/reactortest"
)

// parcel is an element that is large enough to have an allocation of its own.
type parcel struct {
	number int
	_      [64]byte
}

// TestNothingIsRetained subscribes to every stage, lets the stream end in several ways,
// and then looks whether the garbage collector takes the subscriber and the elements
// while the publisher lives on (§3.13). After the end nothing hangs on a subscription
// that somebody has kept, either; after a cancellation, which may come from any
// goroutine, what a stage holds may go with its subscription.
func TestNothingIsRetained(t *testing.T) {
	ways := []struct {
		name   string
		end    func(src *puppet[*parcel], down *watcher)
		onNext func(any)
	}{
		{"cancelled", func(_ *puppet[*parcel], down *watcher) { down.cancel() }, nil},
		{"completed", func(src *puppet[*parcel], _ *watcher) { endAll(src, nil) }, nil},
		{"failed", func(src *puppet[*parcel], _ *watcher) { endAll(src, errBoom) }, nil},
		{"panicked below", func(src *puppet[*parcel], _ *watcher) { endAll(src, nil) }, func(any) { panic(errBoom) }},
	}
	for _, stage := range roster.Stages[*parcel]() {
		if stage.Hot {
			continue // what is shared belongs to all subscribers together
		}
		t.Run(stage.Name, func(t *testing.T) {
			// All ways at once: it is the collector that takes the time.
			var remains []*remainsOf
			for _, way := range ways {
				for _, demand := range []int64{1, reactor.Unbounded} {
					remains = append(remains, liveAndDie(stage, fmt.Sprintf("%s, %d requested", way.name, demand), demand, way.end, way.onNext))
				}
			}
			// look collects garbage and fails unless gone holds for all remains.
			look := func(what string, gone func(*remainsOf) bool) {
				t.Helper()
				for range 5 {
					runtime.GC()
					if !slices.ContainsFunc(remains, func(r *remainsOf) bool { return !gone(r) }) {
						return
					}
				}
				for _, r := range remains {
					assert.True(t, gone(r), "%s, %s", r.name, what)
				}
			}
			look("elements, while the subscription lives on", func(r *remainsOf) bool { return r.cancelled || stage.Lingers || r.elementsGone() })
			for _, r := range remains {
				runtime.KeepAlive(r.up)
				r.up = nil
			}
			look("elements, while the publisher lives on", (*remainsOf).elementsGone)
			look("the subscriber, while the publisher lives on", func(r *remainsOf) bool { return r.down.Value() == nil })
			for _, r := range remains {
				runtime.KeepAlive(r.pub)
				runtime.KeepAlive(r.src)
				runtime.KeepAlive(r.clock)
			}
		})
	}
}

// remainsOf is what is left of a subscription.
type remainsOf struct {
	name      string
	cancelled bool
	clock     *reactortest.VirtualTime
	src       *puppet[*parcel]
	pub       reactor.Publisher[any]
	up        reactor.Subscription
	down      weak.Pointer[watcher]
	parcels   []weak.Pointer[parcel]
}

func (r *remainsOf) elementsGone() bool {
	return !slices.ContainsFunc(r.parcels, func(p weak.Pointer[parcel]) bool { return p.Value() != nil })
}

// liveAndDie is a function of its own so that nothing of it is left on the stack.
//
//go:noinline
func liveAndDie(stage roster.Stage[*parcel], name string, demand int64, end func(*puppet[*parcel], *watcher), onNext func(any)) *remainsOf {
	r := &remainsOf{name: name, clock: reactortest.NewVirtualTime(), src: &puppet[*parcel]{single: stage.Single}}
	r.pub = stage.Build(r.clock, r.src)
	down := &watcher{demand: demand, onNext: onNext}
	quiet := func(context.Context, error) {}
	r.pub.Subscribe(reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: quiet}), down)
	r.clock.AdvanceBy(time.Millisecond)
	for i := range 6 {
		if up := r.src.last(); up != nil {
			nextGuarded(up, func() *parcel {
				p := &parcel{number: i}
				r.parcels = append(r.parcels, weak.Make(p))
				return p
			})
		}
		if i%2 == 0 {
			r.clock.AdvanceBy(time.Microsecond)
		}
	}
	end(r.src, down)
	r.cancelled = down.cancelled.Load()
	for range 4 { // as often as it is retried
		down.request(reactor.Unbounded)
		r.clock.AdvanceBy(time.Millisecond)
		end(r.src, down)
	}
	down.cancel()
	r.clock.AdvanceBy(time.Hour)
	r.down, r.up = weak.Make(down), down.up
	down.got, down.up = nil, nil
	return r
}

// nextGuarded sends an element, and guards that as the sources of the module do.
func nextGuarded(up *strings[*parcel], make func() *parcel) {
	var v *parcel
	down := up.subscriber()
	failure.Guard(func() { up.next(func() *parcel { v = make(); return v }) }, func(err error) {
		up.Cancel()
		protocol.Crash(context.Background(), down, err, v)
	})
}

func endAll(src *puppet[*parcel], err error) {
	src.mu.Lock()
	defer src.mu.Unlock()
	for _, up := range src.subs {
		src.mu.Unlock()
		up.end(err)
		src.mu.Lock()
	}
}
