package protocol

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listQueue is a queue.SPSC for one goroutine.
type listQueue struct{ items []int }

func (q *listQueue) Offer(v int) bool { q.items = append(q.items, v); return true }

func (q *listQueue) Poll() (v int, ok bool) {
	if len(q.items) == 0 {
		return 0, false
	}
	v, q.items = q.items[0], q.items[1:]
	return v, true
}

func (q *listQueue) PollBatch(dst []int) int {
	n := copy(dst, q.items)
	q.items = q.items[n:]
	return n
}

func (q *listQueue) IsEmpty() bool { return len(q.items) == 0 }
func (q *listQueue) Len() int      { return len(q.items) }

// inTheCall is a lane that runs tasks at once, or refuses them.
type inTheCall struct{ refuses error }

func (l *inTheCall) Execute(task func(context.Context)) error {
	if l.refuses == nil {
		task(context.Background())
	}
	return l.refuses
}

// batching is a stage that sends batches.
type batching struct {
	Inner
	BatchSender[int]
	out   TaskOutlet
	lane  inTheCall
	queue listQueue
	stops int

	dropped func() // called by Drop, unless nil
}

func newBatching(ctx context.Context, down *receiver) *batching {
	s := &batching{}
	s.Attach(&s.out, ctx, down, s, &s.lane)
	s.out.Begin()
	return s
}

func (s *batching) Flow() {
	for s.out.Open() && s.out.Demand() > 0 {
		k, all := s.SendBatch(&s.out, &s.queue, int(min(s.out.Demand(), 8)), 8)
		if k == 0 {
			return
		}
		if all {
			s.out.Produced(int64(k))
		}
	}
}

func (s *batching) Dry() bool                { return s.queue.IsEmpty() }
func (s *batching) Stop()                    { s.stops++ }
func (s *batching) Rejected(err error) error { return err }

func (s *batching) Drop() {
	if s.dropped != nil {
		s.dropped()
	}
	s.DropBatch()
	for v, ok := s.queue.Poll(); ok; v, ok = s.queue.Poll() {
		s.Discard(v)
	}
}

func TestTaskOutletCrash(t *testing.T) {
	ctx, f := capture()
	r := &receiver{onNext: func(v int) {
		if v == 2 {
			panic(assert.AnError)
		}
	}}
	s := newBatching(ctx, r)
	s.queue.items = []int{1, 2, 3}
	r.sub.Request(8)
	assert.Equal(t, []int{1, 2}, r.values)
	require.Len(t, r.errs, 1)
	assert.ErrorIs(t, r.errs[0], assert.AnError)
	assert.ElementsMatch(t, []any{2, 3}, f.discarded, "the one on its way and the rest of the batch")
	assert.Equal(t, 1, s.stops)
}

func TestTaskOutletCancelWithinABatch(t *testing.T) {
	ctx, f := capture()
	r := &receiver{}
	r.onNext = func(int) { r.sub.Cancel() }
	s := newBatching(ctx, r)
	s.queue.items = []int{1, 2}
	r.sub.Request(8)
	assert.Equal(t, []int{1}, r.values)
	assert.Equal(t, []any{2}, f.discarded)
	s.LateTask(&s.out, 3)
	assert.Equal(t, []any{2, 3}, f.discarded)
}

func TestTaskOutletRejected(t *testing.T) {
	ctx, f := capture()
	r := &receiver{}
	s := newBatching(ctx, r)
	s.lane.refuses = assert.AnError
	s.queue.items = []int{1}
	r.sub.Request(8)
	assert.Equal(t, []error{assert.AnError}, r.errs)
	assert.Equal(t, []any{1}, f.discarded)
	assert.Equal(t, 1, s.stops)
}

// An error of the source that waits behind what was refused goes nowhere else.
func TestTaskOutletRefusedBehindAnError(t *testing.T) {
	ctx, f := capture()
	r := &receiver{}
	s := newBatching(ctx, r)
	s.queue.Offer(1)
	s.out.Run()
	s.out.End(assert.AnError)
	refused := errors.New("refused")
	s.lane.refuses = refused
	r.sub.Request(1)
	assert.Equal(t, []error{refused}, r.errs)
	assert.Equal(t, []error{assert.AnError}, f.errs)
	assert.Equal(t, []any{1}, f.discarded)
}

// Another source may follow, on another goroutine.
func TestTaskOutletTellsOfNoRunsBehindTheEnd(t *testing.T) {
	r, h := &receiver{}, &Half{Down: &probe[int]{}}
	s := newBatching(t.Context(), r)
	require.False(t, h.AttachRequested(&s.out))
	require.True(t, h.Attach(&s.out))
	r.onNext = func(int) { assert.True(t, h.Running()) }
	s.queue.items = []int{1}
	r.sub.Request(2)
	assert.Equal(t, []int{1}, r.values)
	s.out.End(nil)
	passes := 0
	s.dropped = func() {
		passes++
		assert.False(t, h.Running())
	}
	s.out.Run()
	assert.Equal(t, 1, passes)
}
