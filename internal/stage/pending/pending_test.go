package pending

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// hooked returns a context whose discarded elements are appended to what is returned.
func hooked() (context.Context, *[]any) {
	discarded := &[]any{}
	return reactor.AddDiscard(context.Background(), func(v any) { *discarded = append(*discarded, v) }), discarded
}

func TestTakeEmptiesTheField(t *testing.T) {
	field := "kept"
	assert.Equal(t, "kept", Take(&field))
	assert.Empty(t, field)
}

func TestBuffer(t *testing.T) {
	ctx, discarded := hooked()
	for name, ctx := range map[string]context.Context{"with a discard hook": ctx, "without": context.Background()} {
		t.Run(name, func(t *testing.T) {
			*discarded = nil
			var b Buffer[int]
			b.Init(ctx)
			b.Room = 4
			for i := range 100 { // the start moves, so the storage is used again
				assert.True(t, b.Push(i))
				if i >= 3 {
					v, ok := b.Pop()
					assert.True(t, ok)
					assert.Equal(t, i-3, v)
				}
			}
			assert.Equal(t, 3, b.Len())
			b.Sort(slices.Reverse)
			assert.Equal(t, []int{99, 98, 97}, b.Take())
			_, ok := b.Pop()
			assert.False(t, ok)

			_, ok = b.Replace(1)
			assert.False(t, ok)
			older, ok := b.Replace(2)
			assert.True(t, ok)
			assert.Equal(t, 1, older)
			b.Fold(func(acc, v int) int { return 10*acc + v }, 3)
			assert.Equal(t, []int{23}, b.Take())
			if b.Discard == nil {
				fold := b.Folding(func(acc, v int) int { return 10*acc + v })
				fold(2)
				fold(3)
				assert.Equal(t, []int{23}, b.Take())
			}

			b.Push(1)
			b.Push(2)
			b.Push(3)
			dst := make([]int, 3)
			assert.True(t, b.Slide(dst, 2))
			assert.Equal(t, []int{1, 2, 3}, dst)
			assert.Equal(t, 1, b.Len())
			b.End()
			assert.Zero(t, b.Len())
			if b.Discard != nil {
				assert.Equal(t, []any{3}, *discarded)
			}
		})
	}
}

// Elements that come and go take no more memory than those that wait, and what is gone is not held on to.
func TestBufferLetsGo(t *testing.T) {
	var b Buffer[*int]
	b.Init(context.Background())
	for i := range 1000 {
		b.Push(new(int))
		b.Push(new(int))
		if i%2 == 0 {
			b.Pop()
			b.Pop()
		} else {
			assert.True(t, b.Slide(make([]*int, 2), 2))
		}
		assert.LessOrEqual(t, cap(b.items), 8)
		for _, v := range b.items[:b.head] {
			assert.Nil(t, v)
		}
	}
	assert.Zero(t, b.Len())
}

func TestAClosedBufferDiscards(t *testing.T) {
	ctx, discarded := hooked()
	var b Buffer[int]
	b.Init(ctx)
	b.Push(1)
	b.Close()
	assert.Equal(t, []any{1}, *discarded)
	assert.False(t, b.Push(2))
	assert.Equal(t, []any{1, 2}, *discarded)
	assert.False(t, b.Offer(3), "its caller discards what is not taken")
	_, ok := b.Replace(4)
	assert.False(t, ok)
	assert.Equal(t, []any{1, 2, 4}, *discarded)
	assert.False(t, b.Slide(nil, 0))
}

// A function that panics leaves the accumulator where a closing finds it.
func TestFoldGivesTheAccumulatorBack(t *testing.T) {
	ctx, discarded := hooked()
	var b Buffer[int]
	b.Init(ctx)
	b.Push(1)
	assert.Panics(t, func() {
		b.Fold(func(int, int) int {
			assert.Zero(t, b.Len(), "it is the function's")
			panic("no")
		}, 2)
	})
	b.Close()
	assert.Equal(t, []any{1}, *discarded)
}

// Each element is sent or discarded, once, however a closing meets the goroutine that fills and empties.
func TestBufferClosedMeanwhile(t *testing.T) {
	racetest.Rounds(t, 2000, func() (fns []func(), check func()) {
		ctx, discarded := hooked()
		b := &Buffer[int]{}
		b.Init(ctx)
		var sent, refused []int
		fill := func() {
			for i := range 3 {
				if !b.Offer(i) {
					refused = append(refused, i)
				}
				if v, ok := b.Pop(); ok {
					sent = append(sent, v)
				}
			}
		}
		return []func(){fill, b.Close}, func() { assert.Equal(t, 3, len(sent)+len(refused)+len(*discarded)) }
	})
}

func TestDeque(t *testing.T) {
	q := &Deque[int]{Capacity: 10}
	_, ok := q.Poll()
	assert.False(t, ok)
	for i := range 10 {
		assert.True(t, q.Offer(i))
	}
	assert.False(t, q.Offer(10))
	oldest, ok := q.Replace(10)
	assert.True(t, ok)
	assert.Equal(t, 0, oldest)
	_, ok = q.PollIf(func(v int) bool { return v != 1 })
	assert.False(t, ok)
	first, ok := q.PollIf(func(v int) bool { return v == 1 })
	assert.True(t, ok)
	assert.Equal(t, 1, first)
	for i := 2; i <= 10; i++ {
		assert.False(t, q.IsEmpty())
		v, ok := q.Poll()
		assert.True(t, ok)
		assert.Equal(t, i, v)
	}
	assert.True(t, q.IsEmpty())
	_, ok = q.Replace(1)
	assert.False(t, ok)
}

// What was put in order comes back in its own memory, also where discarded elements are heard of.
func TestSortedElementsStayInTheirMemory(t *testing.T) {
	ctx, discarded := hooked()
	var b Buffer[int]
	b.Init(ctx)
	for i := range 1000 {
		b.Push(i)
	}
	var first *int
	sort := func(items []int) { slices.Reverse(items); first = &items[0] }
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { b.Sort(sort) }), 3.0)
	assert.Same(t, &b.items[0], first)
	assert.Equal(t, 1000, b.Len())
	assert.Empty(t, *discarded)
}

// What is being sorted when the queue is closed is discarded, and so is what a sort that panics leaves.
func TestElementsThatAreSortedWhenTheQueueIsClosed(t *testing.T) {
	ctx, discarded := hooked()
	var b Buffer[int]
	b.Init(ctx)
	b.Push(1)
	b.Push(2)
	assert.Panics(t, func() { b.Sort(func([]int) { panic("sort") }) })
	assert.Equal(t, 2, b.Len())
	b.Sort(func(items []int) { slices.Reverse(items); b.Close() })
	assert.Equal(t, []any{2, 1}, *discarded)
	assert.Zero(t, b.Len())
}

// A queue whose elements may have to be told needs its lock from the first one on that has to.
func TestBufferIsGuardedByWhatOwns(t *testing.T) {
	told := 0
	for name, add := range map[string]func(b *Buffer[any], v any){
		"push":    func(b *Buffer[any], v any) { b.Push(v) },
		"replace": func(b *Buffer[any], v any) { b.Replace(v) },
		"fold":    func(b *Buffer[any], v any) { b.Fold(func(_, v any) any { return v }, v) },
	} {
		t.Run(name, func(t *testing.T) {
			told = 0
			var b Buffer[any]
			b.Init(context.Background())
			for _, v := range []any{1, "a", nil, []int{1}, reactor.ErrGoexit} {
				add(&b, v)
				assert.False(t, b.guarded, v)
			}
			add(&b, owned{&told})
			assert.True(t, b.guarded)
			if name != "push" {
				assert.Equal(t, 1, b.Len(), "that has taken the place of the others")
			}
			add(&b, 2)
			assert.True(t, b.guarded)
			b.Push(owned{&told})
			b.Close()
			assert.LessOrEqual(t, 1, told)
			assert.Zero(t, b.Len())
			told = 0
			add(&b, owned{&told})
			assert.Equal(t, 1, told)

			told, b = 0, Buffer[any]{}
			b.Init(context.Background())
			add(&b, 1)
			b.Close()
			assert.Equal(t, 1, b.Len(), "it belongs to who fills")
			add(&b, 2)
			assert.Zero(t, told)
			add(&b, owned{&told})
			assert.Equal(t, 1, told, "it comes behind the closing")
			_, ok := b.Pop()
			assert.False(t, ok, "what came before is of no use")
		})
	}
	for name, end := range map[string]func(b *Buffer[any]){"end": (*Buffer[any]).End, "all taken": func(b *Buffer[any]) { b.TakeAll() }} {
		t.Run(name, func(t *testing.T) {
			told = 0
			var b Buffer[any]
			b.Init(context.Background())
			b.Push(1)
			end(&b)
			assert.Zero(t, b.Len())
			assert.False(t, b.Push(owned{&told}))
			assert.Equal(t, 1, told)
		})
	}
	ctx, _ := hooked()
	var b Buffer[any]
	b.Init(ctx)
	b.Push(1)
	assert.True(t, b.guarded, "a hook hears of all")
}

// As TestBufferClosedMeanwhile, where the lock is not taken for the first element.
func TestUnguardedBufferClosedMeanwhile(t *testing.T) {
	racetest.Rounds(t, 2000, func() (fns []func(), check func()) {
		told := make([]int, 3)
		b := &Buffer[any]{}
		b.Init(context.Background())
		sent := 0
		fill := func() {
			b.Push(1)
			for i := range told {
				b.Push(owned{&told[i]})
				if v, ok := b.Pop(); ok && v != 1 {
					sent++
				}
			}
		}
		return []func(){fill, b.Close}, func() { assert.Equal(t, 3, sent+told[0]+told[1]+told[2]) }
	})
}

func TestCustody(t *testing.T) {
	var c Custody
	assert.True(t, c.Take())
	assert.True(t, c.Return())
	assert.True(t, c.GiveUp())
	assert.False(t, c.GiveUp())
	assert.False(t, c.Take())
	assert.False(t, c.End())

	c = Custody{}
	assert.True(t, c.Take())
	assert.False(t, c.GiveUp(), "it is the worker's")
	assert.False(t, c.GiveUp())
	assert.False(t, c.Return())
	assert.False(t, c.End(), "once")

	c = Custody{}
	assert.True(t, c.Take())
	assert.False(t, c.GiveUp())
	assert.True(t, c.End(), "work has failed")
	assert.False(t, c.Take())

	c = Custody{}
	assert.True(t, c.Take())
	assert.True(t, c.Take(), "work has failed unseen")
	assert.True(t, c.End())
	assert.False(t, c.GiveUp())
}

// However work, its end and a cancellation meet, the value is somebody's, once.
func TestCustodyGivenUpMeanwhile(t *testing.T) {
	racetest.Rounds(t, 2000, func() (fns []func(), check func()) {
		var c Custody
		var value, found atomic.Int32
		find := func() { found.Add(1); assert.EqualValues(t, 1, value.Add(1), "nobody else has it") }
		work := func() {
			for range 2 {
				if !c.Take() {
					return
				}
				assert.EqualValues(t, 1, value.Add(1), "nobody else has it")
				value.Add(-1)
				if !c.Return() {
					find()
					return
				}
			}
			if c.End() {
				find()
			}
		}
		giveUp := func() {
			if c.GiveUp() {
				find()
			}
		}
		return []func(){work, giveUp, giveUp}, func() { assert.EqualValues(t, 1, found.Load()) }
	})
}
