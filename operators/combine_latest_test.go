package operators

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestCombineLatest(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	ctx, hooks := probe.Recorded()
	p := runWith(ctx, CombineLatest2(a, b, add))
	a.last().OnNext(1)
	a.last().OnNext(2)
	p.Open(t)
	b.last().OnNext(10)
	b.last().OnNext(20)
	a.last().OnNext(3)
	a.last().OnComplete()
	b.last().OnNext(30)
	p.Open(t, 12, 22, 23, 33)
	b.last().OnComplete()
	p.Done(t, 12, 22, 23, 33)
	assert.Equal(t, []any{1}, hooks.Discarded, "the only one that was never combined")
}

func TestCombineLatestOfAnyNumber(t *testing.T) {
	j := Just[int]
	run(CombineLatest([]reactor.Publisher[int]{j(1), j(10), Range(100, 2)}, total)).Done(t, 111, 112)
	run(CombineLatest([]reactor.Publisher[int]{Range(1, 3)}, total)).Done(t, 1, 2, 3)
	run(CombineLatest(nil, total)).Done(t)
	run(CombineLatest3(j(1), j(2), Range(3, 2), func(a, b, c int) string { return fmt.Sprint(a, b, c) })).
		Done(t, "1 2 3", "1 2 4")
	run(CombineLatest4(j(1), j(2), j(3), Range(4, 2), func(a, b, c, d int) string { return fmt.Sprint(a, b, c, d) })).
		Done(t, "1 2 3 4", "1 2 3 5")
	run(CombineLatest5(j(1), j(2), j(3), j(4), j(5), func(a, b, c, d, e int) string { return fmt.Sprint(a, b, c, d, e) })).
		Done(t, "1 2 3 4 5")
	run(CombineLatest6(j(1), j(2), j(3), j(4), j(5), j(6), func(a, b, c, d, e, f int) string { return fmt.Sprint(a, b, c, d, e, f) })).
		Done(t, "1 2 3 4 5 6")
	p := run(CombineLatest([]reactor.Publisher[int]{j(1), Range(4, 2)}, func(row []int) []int { return row }))
	p.Done(t, []int{1, 4}, []int{1, 5})
}

func TestCombineLatestDemand(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](0)
	CombineLatest2(a, b, add, Prefetch(4)).Subscribe(context.Background(), p)
	assert.EqualValues(t, 4, a.last().requested.Load())
	for i := range 3 {
		a.last().OnNext(i)
	}
	assert.EqualValues(t, 7, a.last().requested.Load(), "they make no row, so they don't wait for demand")
	b.last().OnNext(10)
	a.last().OnNext(3)
	a.last().OnComplete()
	b.last().OnComplete()
	p.Open(t)
	p.Request(1)
	p.Open(t, 12)
	p.Request(1)
	p.Done(t, 12, 13)
	run(CombineLatest2(a, b, add, Prefetch(math.MaxInt)))
	assert.Equal(t, reactor.Unbounded, a.last().requested.Load())
}

func TestCombineLatestEnds(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	ctx, hooks := probe.Recorded()
	start := func(demand int64) *probe.Probe[int] {
		hooks.Discarded, hooks.Errs = nil, nil
		p := probeOf[int](demand)
		CombineLatest2(a, b, add).Subscribe(ctx, p)
		return p
	}
	p := start(0)
	a.last().OnNext(1)
	b.last().OnComplete()
	p.Done(t)
	assert.EqualValues(t, 1, a.last().cancels.Load())
	assert.Equal(t, []any{1}, hooks.Discarded)
	a.last().OnNext(2)
	a.last().OnError(errBoom)
	assert.Equal(t, []any{1, 2}, hooks.Discarded)
	assert.Equal(t, []any{errBoom}, hooks.Errs)

	p = start(1)
	a.last().OnNext(1)
	b.last().OnNext(10)
	b.last().OnNext(20)
	a.last().OnNext(2)
	a.last().OnError(errBoom)
	p.Failed(t, errBoom, 11)
	assert.ElementsMatch(t, []any{20, 2}, hooks.Discarded)
	assert.EqualValues(t, 1, b.last().cancels.Load())
	a.last().OnNext(3)
	a.last().OnError(errOther)
	assert.Equal(t, []any{3}, hooks.Dropped)
	assert.Equal(t, []any{errOther}, hooks.Errs)

	p = start(1)
	a.last().OnNext(1)
	b.last().OnNext(10)
	b.last().OnNext(20)
	p.Cancel()
	p.Cancel()
	p.Request(3)
	p.Open(t, 11)
	assert.Equal(t, []any{20}, hooks.Discarded)
	assert.EqualValues(t, 1, a.last().cancels.Load())
	assert.EqualValues(t, 1, b.last().cancels.Load())

	before := b.count()
	runWith(ctx, CombineLatest2(Error[int](errBoom), b, add)).Failed(t, errBoom)
	runWith(ctx, CombineLatest2(Empty[int](), b, add)).Done(t)
	assert.Equal(t, before, b.count(), "not subscribed")
}

func TestCombineLatestPanics(t *testing.T) {
	ctx, hooks := probe.Recorded()
	a, b := &puppet[int]{}, &puppet[int]{}
	fn := func(x, y int) int {
		switch x {
		case 2:
			panic(errBoom)
		case 3:
			runtime.Goexit()
		}
		return x + y
	}
	p := runWith(ctx, CombineLatest2(a, b, fn))
	b.last().OnNext(10)
	a.last().OnNext(1)
	a.last().OnNext(2)
	p.Failed(t, errBoom, 11)
	assert.Equal(t, []any{2}, hooks.Discarded)
	assert.EqualValues(t, 1, a.last().cancels.Load())
	assert.EqualValues(t, 1, b.last().cancels.Load())
	var wg sync.WaitGroup
	p = probeOf[int](reactor.Unbounded)
	wg.Go(func() { CombineLatest2(Just(3), Just(1), fn).Subscribe(ctx, p) })
	wg.Wait()
	p.Failed(t, reactor.ErrGoexit)
	p = runWith(ctx, Map(CombineLatest2(a, b, fn), func(int) int { panic(errOther) }))
	b.last().OnNext(10)
	a.last().OnNext(1)
	p.Failed(t, errOther)
	assert.Equal(t, any(11), hooks.Discarded[len(hooks.Discarded)-1])
}

func TestCombineLatestOverflow(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	ctx, hooks := probe.Recorded()
	p := probeOf[int](0)
	CombineLatest2(a, b, add, Prefetch(1)).Subscribe(ctx, p)
	b.last().OnNext(10)
	for i := range 3 {
		a.last().OnNext(i)
	}
	p.Failed(t, reactor.ErrOverflow)
	assert.Equal(t, 4, len(hooks.Discarded)+len(hooks.Dropped))
}

func TestCombineLatestArguments(t *testing.T) {
	requirePanics(t, "combineLatest: the combiner is nil", func() { CombineLatest2[int, int, int](Just(1), Just(1), nil) })
	requirePanics(t, "combineLatest: the publisher is nil", func() { CombineLatest2(Just(1), nil, add) })
	requirePanics(t, "combineLatest: prefetch must be positive, got 0", func() { CombineLatest2(Just(1), Just(1), add, Prefetch(0)) })
	requirePanics(t, "combineLatest: the combiner is nil", func() { CombineLatest[int, int](nil, nil) })
}

func TestCombineLatestStack(t *testing.T) {
	n := racetest.Steps(200_000)
	count := 0
	require.NoError(t, ForEach(context.Background(), CombineLatest2(Just(1), Range(0, n), add), func(int) { count++ }))
	assert.Equal(t, n, count)
	p := probeOf[int](1)
	p.Each = func(int) { p.Request(1) }
	CombineLatest2(Just(1), Range(0, n/10), add).Subscribe(context.Background(), p)
	assert.Len(t, p.Got(), n/10)
}

func TestCombineLatestAllocatesNothingPerElement(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	CombineLatest2(a, b, add).Subscribe(context.Background(), &ignoring[int]{})
	assert.Zero(t, testing.AllocsPerRun(1000, func() {
		a.last().OnNext(1)
		b.last().OnNext(1)
	}))
}

func TestCombineLatestRaces(t *testing.T) {
	for name, stage := range map[string]func(l *racedLedger, a, b elements) reactor.Publisher[int]{
		"two": func(l *racedLedger, a, b elements) reactor.Publisher[int] { return CombineLatest2(a, b, l.combine) },
		"slice": func(l *racedLedger, a, b elements) reactor.Publisher[int] {
			return CombineLatest([]elements{a, b}, func(row []element) int { return l.combine(row[0], row[1]) })
		},
	} {
		t.Run(name, func(t *testing.T) { raceTwoSources(t, 80, stage, func(*racedLedger, int) {}) })
	}
}

// Whatever the order in which two sources send, each element makes a row.
func TestCombineLatestLosesNothingUnderRace(t *testing.T) {
	const n = 32
	racetest.Repeat(racetest.Iterations(500), func(race func(...func())) {
		a, b := &puppet[int]{}, &puppet[int]{}
		p := run(CombineLatest2(a, b, func(x, y int) [2]int { return [2]int{x, y} }, Prefetch(2*n)))
		a.last().OnNext(0)
		b.last().OnNext(0)
		send := func(s *puppetSubscription[int]) func() {
			return func() {
				for i := range n {
					s.OnNext(i + 1)
				}
				s.OnComplete()
			}
		}
		race(send(a.last()), send(b.last()))
		rows := p.Got()
		if len(rows) != 2*n+1 || !p.Over() {
			t.Fatalf("%d rows, ended %v", len(rows), p.Over())
		}
		for i, row := range rows {
			if row[0]+row[1] != i {
				t.Fatalf("row %d is %v", i, row)
			}
		}
		p.Faultless(t)
	})
}

// With the first element of the last source there is a first result, with each further one another.
func TestCombineLatestArities(t *testing.T) {
	type in = reactor.Publisher[int]
	last := &puppet[int]{}
	for n, src := range map[int]reactor.Publisher[string]{
		2: CombineLatest2(Just(1), in(last), func(a, b int) string { return fmt.Sprint(a, b) }),
		3: CombineLatest3(Just(1), Just(2), in(last), func(a, b, c int) string { return fmt.Sprint(a, b, c) }),
		4: CombineLatest4(Just(1), Just(2), Just(3), in(last), func(a, b, c, d int) string { return fmt.Sprint(a, b, c, d) }),
		5: CombineLatest5(Just(1), Just(2), Just(3), Just(4), in(last), func(a, b, c, d, e int) string { return fmt.Sprint(a, b, c, d, e) }),
		6: CombineLatest6(Just(1), Just(2), Just(3), Just(4), Just(5), in(last), func(a, b, c, d, e, f int) string {
			return fmt.Sprint(a, b, c, d, e, f)
		}),
	} {
		p := run(src)
		p.Open(t)
		before := strings.Join(strings.Fields("1 2 3 4 5")[:n-1], " ")
		last.last().OnNext(8)
		last.last().OnNext(9)
		p.Open(t, before+" 8", before+" 9")
		last.last().OnComplete()
		p.Done(t, before+" 8", before+" 9")
	}
}

// replying sends as many numbers as it is asked for, where it is asked, once it may.
type replying struct {
	protocol.Op
	s    reactor.Subscriber[int]
	may  bool
	owed int64
	sent int
}

func (p *replying) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	p.s = s
	s.OnSubscribe((*repliesTo)(p))
}

func (p *replying) answer() {
	p.may = true
	for ; p.owed > 0 && p.sent < 100_000; p.owed-- {
		p.sent++
		p.s.OnNext(p.sent)
	}
}

type repliesTo replying

func (s *repliesTo) Request(n int64) {
	if s.owed += n; s.may && s.owed == n { // else it is at it
		(*replying)(s).answer()
	}
}

func (s *repliesTo) Cancel() { s.may, s.owed = false, 0 }

// A source that has completed without an element ends the stream at once, though others go on sending: none of that can be
// combined.
func TestCombineLatestEndsWhileAnotherSourceIsBusy(t *testing.T) {
	a, b, c := &puppet[int]{}, &replying{}, &puppet[int]{}
	ctx, hooks := probe.Recorded()
	first := true
	ctx = reactor.AddDiscard(ctx, func(v any) {
		if first {
			first = false // c has sent its second element, and is at it still
			b.answer()
			a.last().OnComplete()
		}
	})
	p := runWith(ctx, CombineLatest3[int, int, int](a, b, c, func(a, b, c int) int { return a + b + c }))
	c.last().OnNext(-1)
	c.last().OnNext(-2)
	p.Done(t)
	assert.Equal(t, 32, b.sent)
	assert.Len(t, hooks.Discarded, b.sent+2)
	assert.EqualValues(t, 1, c.last().cancels.Load())
}
