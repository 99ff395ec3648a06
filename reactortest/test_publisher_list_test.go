package reactortest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Subscribers that leave are not taken out of the list one by one, and those that are left get what is sent.
func TestSubscribersLeaveTogether(t *testing.T) {
	const n = 100
	p := NewTestPublisher[int](t)
	var all []*TestSubscriber[int]
	for range n {
		all = append(all, Subscribe(t, p))
	}
	for i := range n / 2 {
		all[2*i].Cancel()
		all[2*i].Cancel()
	}
	assert.Len(t, p.outlets, n)
	p.AssertSubscribers(n / 2)
	all[1].Cancel()
	assert.Len(t, p.outlets, n/2-1)
	p.AssertCancelled(n/2 + 1)
	p.Emit(7)
	for i, s := range all {
		if i%2 == 1 && i > 1 {
			s.ExpectNext(7)
			s.ExpectComplete()
		}
	}
	p.AssertSubscribers(0)
	assert.Empty(t, p.outlets)
	p.Subscribe(context.Background(), NewTestSubscriber[int](t))
}
