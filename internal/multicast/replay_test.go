package multicast

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
)

// Whoever asks the source for more counts with the place where a subscriber begins, not with what was there before.
func TestReplayTellsWhereASubscriberBegins(t *testing.T) {
	var at int64
	r := &Replay[int]{History: NewHistory[int](1, -1, nil), Batch: 2}
	r.Moved = func() { at, _ = r.Slowest() }
	for v := range 5 {
		r.Emit(v)
	}
	p := &probe.Probe[int]{}
	r.Subscribe(t.Context(), p)
	assert.EqualValues(t, 4, at)
	p.Request(1)
	p.Open(t, 4)
}

// A subscription that somebody has kept after its cancellation keeps nothing of the history.
func TestReplayCancelledWithoutDemandKeepsNothing(t *testing.T) {
	r := &Replay[int]{History: NewHistory[int](0, -1, nil)}
	r.Emit(1)
	p := &probe.Probe[int]{}
	r.Subscribe(t.Context(), p)
	player := p.Up.(*Player[int])
	assert.NotNil(t, player.cursor.chunk)
	p.Cancel()
	assert.Nil(t, player.cursor.chunk)
	assert.Zero(t, r.Subscribers())
}

// Who is behind is looked for a few times while n subscribers get on or leave, not n times: each look needs a list of all.
func TestReplaySubscribersThatGetOnOrLeaveDoNotLookAtAllOthers(t *testing.T) {
	const n, most = 1000, 150
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	orders := map[string][]int{"in order": order, "backwards": slices.Clone(order), "any order": rand.Perm(n)}
	slices.Reverse(orders["backwards"])
	for name, order := range orders {
		for _, leave := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				r := &Replay[int]{History: NewHistory[int](1, -1, nil), Batch: 1}
				looks, next := 0, int64(1)
				r.Moved = func() {
					was := r.late.Load()
					_ = r.Behind(next)
					if r.late.Load() != was {
						looks++
					}
				}
				probes := make([]*probe.Probe[int], n)
				for i := range probes {
					probes[i] = &probe.Probe[int]{}
					r.Subscribe(t.Context(), probes[i])
				}
				assert.True(t, r.Behind(next))
				r.Emit(1)
				for _, i := range order {
					assert.True(t, r.Behind(next))
					if leave {
						probes[i].Cancel()
					} else {
						probes[i].Request(1)
					}
				}
				assert.False(t, r.Behind(next))
				assert.LessOrEqual(t, looks, most)
			})
		}
	}
}

// What has ended keeps nobody who was behind.
func TestReplayThatHasEndedKeepsNobody(t *testing.T) {
	r := &Replay[int]{History: NewHistory[int](1, -1, nil), Batch: 1, Moved: func() {}}
	p := &probe.Probe[int]{}
	r.Subscribe(t.Context(), p)
	assert.True(t, r.Behind(1))
	r.End(nil)
	assert.Nil(t, r.late.Load())
	_ = r.Behind(1)
	assert.Nil(t, r.late.Load())
	p.Done(t)
}
