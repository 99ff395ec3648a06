package programs_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/programs"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// described is a program.
type described struct{ *programs.Program }

func (described) String() string { return "it" }

func TestProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := described{programs.New(3, 4)}
		assert.Zero(t, p.Now())
		time.Sleep(time.Second)
		assert.Equal(t, time.Second, p.Now())
		assert.Equal(t, p.Rand.Uint64(), programs.New(3, 4).Rand.Uint64())
		assert.Equal(t, p.Own(5).Uint64(), programs.New(3, 4).Own(5).Uint64())
		assert.NotEqual(t, p.Own(5).Uint64(), p.Own(6).Uint64())
		assert.NotEqual(t, p.Own(5).Uint64(), programs.New(3, 5).Own(5).Uint64())

		assert.Empty(t, p.Wrong(p))
		p.Fail("%d is odd", 3)
		p.About("task %d%%: ", 7)("lost %d times, %s", 1, "100%")
		assert.Equal(t, []string{"3 is odd", "task 7%: lost 1 times, 100%", "it"}, p.Wrong(p))
		for range 20 {
			p.Fail("again")
		}
		assert.Len(t, p.Wrong(p), 11)
	})
}

func TestBook(t *testing.T) {
	type page struct{ n int }
	r := rand.New(rand.NewPCG(1, 1))
	var b programs.Book[page]
	assert.Nil(t, b.Some(r))
	assert.Empty(t, b.All())
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			p := &page{}
			b.Enter(p, func(n int) { p.n = n })
			assert.Contains(t, b.All(), p)
		})
	}
	all.Wait()
	pages := b.All()
	assert.Len(t, pages, 20)
	for i, p := range pages {
		assert.Equal(t, i, p.n)
	}
	some := map[*page]bool{}
	for range 500 {
		some[b.Some(r)] = true
	}
	assert.Len(t, some, 20)
}

func TestChoices(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	assert.Zero(t, programs.Pick[int](r))
	picked, lengths := map[string]int{}, map[time.Duration]bool{}
	for range 1000 {
		picked[programs.Pick(r, "a", "b", "b")]++
		lengths[programs.Milliseconds(r, -1, 2)] = true
	}
	assert.Len(t, picked, 2)
	assert.Greater(t, picked["b"], picked["a"])
	assert.Equal(t, map[time.Duration]bool{-time.Millisecond: true, 0: true, time.Millisecond: true, 2 * time.Millisecond: true}, lengths)
}

func TestAct(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		programs.Act("yields", time.Hour)
		programs.Act("anything else", time.Hour)
		assert.Zero(t, time.Since(start))
		programs.Act("sleeps", time.Hour)
		assert.Equal(t, time.Hour, time.Since(start))
		assert.PanicsWithValue(t, programs.ErrTask, func() { programs.Act("panics", 0) })
		returned := false
		racetest.Aside(func() {
			programs.Act("goexits", 0)
			returned = true
		})
		assert.False(t, returned)
	})
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.False(t, programs.Wait(ctx, time.Millisecond))
		assert.Equal(t, time.Millisecond, time.Since(start))
		assert.True(t, programs.Wait(ctx, time.Hour))
		assert.Equal(t, time.Second, time.Since(start))
	})
}

func TestInBubbles(t *testing.T) {
	var numbers []uint64
	play := func(_ *testing.T, p *programs.Program) []string {
		start := time.Now()
		time.Sleep(time.Hour) // which takes no time in a bubble
		assert.Equal(t, p.Now(), time.Since(start))
		numbers = append(numbers, p.Number)
		return nil
	}
	t.Setenv("REACTOR_STRESS", "")
	programs.InBubbles(t, "PROGRAMS", synctest.Test, play)
	assert.Len(t, numbers, 500)
	t.Setenv("PROGRAMS", "2")
	t.Setenv("PROGRAMS_NUMBER", "7")
	numbers = nil
	programs.InBubbles(t, "PROGRAMS", synctest.Test, play)
	assert.Equal(t, []uint64{7, 8}, numbers)
	t.Setenv("PROGRAMS", "")
	t.Setenv("REACTOR_STRESS", "1")
	numbers = nil
	none := func(t *testing.T, f func(*testing.T)) { f(t) }
	programs.InBubbles(t, "PROGRAMS", none, func(_ *testing.T, p *programs.Program) []string {
		numbers = append(numbers, p.Number)
		return nil
	})
	assert.Len(t, numbers, 100_000)

	t.Setenv("PROGRAMS", "1")
	r := &report{TB: t}
	programs.Run(r, "PROGRAMS", 1, func(seed, number uint64) []string {
		p := described{programs.New(seed, number)}
		p.Fail("wrong")
		return p.Wrong(p)
	})
	assert.Len(t, r.said, 1)
	assert.Contains(t, r.said[0], "PROGRAMS_NUMBER=7:\nwrong\nit")
}
