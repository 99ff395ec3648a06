package netreactor

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// put appends b to o, as a message of a pass is.
func put(o *output, b []byte) {
	to, ok := o.open(len(b))
	if !ok {
		to = o.another(len(b))
	}
	o.size += len(b)
	if grown := append(to, b...); cap(grown) != cap(to) {
		replace(o.tail(), grown)
	} else {
		*o.tail() = grown
	}
}

// TestOutputOfARunner: what is written within the pass takes the buffer of the runner each time;
// what is not written keeps it, and the runner gets another one.
func TestOutputOfARunner(t *testing.T) {
	r, o := &runner{}, &output{}
	o.borrow(r)
	lent := o.chunks
	require.Nil(t, r.spare, "it is lent")
	o.giveBack(r)
	require.Nil(t, o.chunks, "nothing was written")
	require.Same(t, lent, r.spare)

	for range 3 {
		o.borrow(r)
		put(o, []byte("abc"))
		put(o, []byte("def"))
		require.Equal(t, []byte("abcdef"), o.first())
		o.wrote(2)
		require.Equal(t, []byte("cdef"), o.first(), "a part was written")
		o.wrote(4)
		put(o, []byte("g"))
		require.Equal(t, []byte("g"), o.first(), "more after all was written")
		o.wrote(1)
		o.giveBack(r)
		require.Zero(t, o.size)
		require.Nil(t, o.chunks)
		require.Same(t, lent, r.spare)
	}

	o.borrow(r)
	put(o, []byte("0123456789"))
	o.wrote(4)
	o.giveBack(r)
	require.Same(t, lent, o.chunks, "something is left")
	require.Nil(t, r.spare)
	var other output
	other.borrow(r)
	require.NotSame(t, lent, other.chunks)
	put(&other, []byte("xyz"))
	assert.Equal(t, []byte("456789"), o.first())
	other.wrote(3)
	other.giveBack(r)
	o.borrow(r) // has something: nothing is lent to it
	require.NotNil(t, r.spare)
	put(o, []byte("ab"))
	assert.Equal(t, []byte("456789ab"), o.first())
	o.wrote(8)
	assert.Nil(t, o.chunks, "its own go back to the pool")
	o.giveBack(r)
}

// TestOutputOfARunnerAndLargeMessages: an empty buffer never stands before what has no room in it.
func TestOutputOfARunnerAndLargeMessages(t *testing.T) {
	large := bytes.Repeat([]byte("0123456789abcdef"), 5<<10)
	for _, add := range []struct {
		name string
		add  func(*output, []byte)
	}{
		{"of a pass", put},
		{"of the inbox", func(o *output, b []byte) { o.add(append(takeBuffer(len(b)), b...)) }},
	} {
		t.Run(add.name, func(t *testing.T) {
			r, o := &runner{}, &output{}
			o.borrow(r)
			add.add(o, large)
			require.Len(t, o.list, 1)
			require.Equal(t, large, o.first())
			o.wrote(len(large))
			o.giveBack(r)
			assert.Nil(t, o.chunks)
			assert.Nil(t, r.spare, "a larger buffer is not kept")

			o.borrow(r)
			add.add(o, []byte("a"))
			add.add(o, large)
			var all []byte
			for _, b := range o.pieces(1 << 20) {
				require.NotEmpty(t, b)
				all = append(all, b...)
			}
			require.Equal(t, append([]byte("a"), large...), all)
			o.drop()
			o.giveBack(r)
			assert.Nil(t, o.chunks)
		})
	}
}

// TestRoomThatComesMeanwhile: who finds no room is told of some that comes, or finds it when it looks again.
func TestRoomThatComesMeanwhile(t *testing.T) {
	eng := engineFor(t)
	racetest.Repeat(racetest.Iterations(20_000), func(race func(...func())) {
		c := bookkept(t, eng)
		c.unsent.Store(int64(eng.set.high))
		var room, told bool
		race(
			func() { room = c.hasRoom() },
			func() { // as who has written, see light
				set(&c.unsent, 0)
				chaos.Yield()
				told = c.held.Load()
			},
		)
		assert.True(t, room || told)
	})
}

// TestWaterMarks: there is room below the high one, and after that was reached below the low one.
func TestWaterMarks(t *testing.T) {
	low, high := int64(10), int64(20)
	for _, c := range []struct {
		held       bool
		waits      int64
		room, then bool
	}{
		{false, high - 1, true, false},
		{false, high, false, true},
		{true, low, false, true},
		{true, low - 1, true, false},
	} {
		conn := bookkept(t, engineFor(t, WaterMarks(int(low), int(high))))
		conn.held.Store(c.held)
		conn.unsent.Store(c.waits)
		assert.Equal(t, c.room, conn.hasRoom(), c)
		assert.Equal(t, c.then, conn.held.Load(), c)
	}
}
