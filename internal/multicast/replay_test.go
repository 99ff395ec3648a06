package multicast

import (
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
