package operators

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// childrenUpTo expands n to 2n and 2n+1 as far as the limit.
func childrenUpTo(limit int) func(int) reactor.Publisher[int] {
	return func(n int) reactor.Publisher[int] {
		var out []int
		for v := 2 * n; v <= 2*n+1 && v <= limit; v++ {
			out = append(out, v)
		}
		return FromSlice(out)
	}
}

type expander = func(reactor.Publisher[int], func(int) reactor.Publisher[int]) reactor.Publisher[int]

func eachExpand(t *testing.T, check func(t *testing.T, expand expander)) {
	t.Run("expand", func(t *testing.T) { check(t, Expand[int]) })
	t.Run("expandDeep", func(t *testing.T) { check(t, ExpandDeep[int]) })
}

func TestExpandOrder(t *testing.T) {
	wide, deep := []int{1, 2, 3, 4, 5, 6, 7}, []int{1, 2, 4, 5, 3, 6, 7}
	run(Expand(Just(1), childrenUpTo(7))).Done(t, wide...)
	run(ExpandDeep(Just(1), childrenUpTo(7))).Done(t, deep...)
	run(Expand(FromSlice([]int{2, 3}), childrenUpTo(7))).Done(t, 2, 3, 4, 5, 6, 7)
	run(ExpandDeep(FromSlice([]int{2, 3}), childrenUpTo(7))).Done(t, 2, 4, 5, 3, 6, 7)
	for step := int64(1); step < 4; step++ {
		for order, stage := range map[*[]int]reactor.Publisher[int]{
			&wide: Expand(Just(1), childrenUpTo(7)), &deep: ExpandDeep(Just(1), childrenUpTo(7)),
		} {
			p := probeOf[int](0)
			stage.Subscribe(context.Background(), p)
			for range 7 {
				if !p.Over() {
					p.Request(step)
				}
			}
			p.Done(t, *order...)
		}
	}
	eachExpand(t, func(t *testing.T, expand expander) {
		run(expand(Empty[int](), childrenUpTo(7))).Done(t)
		requirePanics(t, "the expander is nil", func() { expand(Just(1), nil) })
	})
}

func TestExpandIsFlat(t *testing.T) {
	eachExpand(t, func(t *testing.T, expand expander) {
		const n = 20_000
		count := 0
		p := probeOf[int](reactor.Unbounded)
		p.Each = func(int) { count++ }
		// A chain of n publishers, each of which completes at once.
		expand(Just(1), func(v int) reactor.Publisher[int] {
			if v == n {
				return Empty[int]()
			}
			return Just(v + 1)
		}).Subscribe(context.Background(), p)
		assert.Equal(t, n, count)
		assert.True(t, p.Over())
	})
}

func TestExpandFailures(t *testing.T) {
	bad := map[string]func(int) reactor.Publisher[int]{
		"panic":     func(int) reactor.Publisher[int] { panic(errBoom) },
		"publisher": func(int) reactor.Publisher[int] { return Error[int](errBoom) },
	}
	for name, fn := range bad {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			runWith(ctx, Expand(Just(1), fn)).Failed(t, errBoom, 1)
			runWith(ctx, ExpandDeep(Just(1), fn)).Failed(t, errBoom, 1)
			assert.Empty(t, hooks.Discarded, "it was delivered")
			// Breadth first an error ends the stream; depth first it ends its publisher.
			one := func(v int) reactor.Publisher[int] {
				if v == 2 {
					return fn(v)
				}
				return childrenUpTo(6)(v)
			}
			wide, deep := run(Expand(Just(1), one)), run(ExpandDeep(FromSlice([]int{1, 5}), one))
			if name == "panic" {
				wide.Failed(t, errBoom, 1, 2)
				deep.Failed(t, errBoom, 1, 2, 5)
			} else {
				wide.Failed(t, errBoom, 1, 2, 3)
				deep.Failed(t, errBoom, 1, 2, 3, 6, 5)
			}
		})
	}
	eachExpand(t, func(t *testing.T, expand expander) {
		run(expand(Just(1), func(int) reactor.Publisher[int] { return nil })).Items(t, 1)
		run(expand(failing(1), childrenUpTo(1))).Failed(t, errBoom, 1)

		ctx, hooks := probe.Recorded()
		p := runWith(ctx, Map(expand(Just(1), childrenUpTo(9)), func(v int) int {
			if v == 2 {
				panic(errBoom)
			}
			return v
		}))
		p.Failed(t, errBoom, 1)
		assert.Contains(t, hooks.Discarded, 2)
	})
	p := run(ExpandDeep(FromSlice([]int{1, 2}), func(v int) reactor.Publisher[int] {
		return Error[int]([]error{errBoom, errOther}[v-1])
	}))
	p.Failed(t, errBoom, 1, 2)
	p.Failed(t, errOther, 1, 2)
}

func TestExpandCancel(t *testing.T) {
	eachExpand(t, func(t *testing.T, expand expander) {
		p := probeOf[int](reactor.Unbounded)
		p.Each = func(v int) {
			if v == 3 {
				p.Cancel()
			}
		}
		asked := 0
		expand(Just(1), func(v int) reactor.Publisher[int] { asked++; return Just(v + 1) }).Subscribe(context.Background(), p)
		p.Open(t, 1, 2, 3)
		assert.LessOrEqual(t, asked, 3)

		inner := &allPuppets[int]{}
		src := &puppet[int]{}
		p = run(expand(src, inner.fn))
		src.last().OnNext(1)
		src.last().OnComplete()
		p.Cancel()
		p.Cancel()
		assert.EqualValues(t, 1, inner.at(0).cancels.Load())
		p.Open(t, 1)
	})
}

func TestExpandAfterItsEnd(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := runWith(ctx, Expand(src, func(int) reactor.Publisher[int] { panic(errBoom) }))
	src.last().OnNext(1)
	src.last().OnNext(2)
	src.last().OnError(errOther)
	src.last().OnComplete()
	p.Failed(t, errBoom, 1)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.Equal(t, []any{2}, hooks.Dropped)
	assert.Equal(t, []any{errOther}, hooks.Errs)
}

func TestExpandGoexit(t *testing.T) {
	eachExpand(t, func(t *testing.T, expand expander) {
		p := probeOf[int](reactor.Unbounded)
		done := make(chan struct{})
		go func() {
			defer close(done)
			expand(FromSlice([]int{1, 2}), func(int) reactor.Publisher[int] { runtime.Goexit(); return nil }).Subscribe(context.Background(), p)
		}()
		<-done
		p.Failed(t, reactor.ErrGoexit, 1)
	})
}

func TestExpandRaces(t *testing.T) {
	stages := map[string]func(elements, func(element) elements) elements{"expand": Expand[element], "expandDeep": ExpandDeep[element]}
	type scene struct {
		l     *ledger.Ledger
		p     *probe.Probe[element]
		src   *puppet[element]
		inner *allPuppets[element]
	}
	// next sends one element more of a publisher, if it is asked for and not cancelled.
	next := func(s scene, up *puppetSubscription[element]) {
		if up.requested.Load() > 0 {
			up.OnNext(s.l.Produce())
		}
	}
	ups := map[string]func(s scene, up *puppetSubscription[element]){
		"next":     next,
		"complete": func(s scene, up *puppetSubscription[element]) { next(s, up); up.OnComplete() },
		"error":    func(s scene, up *puppetSubscription[element]) { up.OnError(errBoom) },
	}
	downs := map[string]func(scene){
		"request": func(s scene) { s.p.Request(1); s.p.Request(1) },
		"cancel":  func(s scene) { s.p.Cancel() },
	}
	for name, stage := range stages {
		for first, up := range ups {
			for second, down := range downs {
				t.Run(fmt.Sprint(name, "-", first, "-", second), func(t *testing.T) {
					round := 0
					racetest.Repeat(racetest.Iterations(200), func(race func(...func())) {
						round++
						s := scene{l: ledger.New(t), src: &puppet[element]{}, inner: &allPuppets[element]{}}
						s.p = ledgerProbe(s.l, int64(1+round%2))
						stage(s.src, func(element) elements { return s.inner.fn(0) }).Subscribe(s.l.Context(context.Background()), s.p)
						s.src.last().OnNext(s.l.Produce())
						last := s.src.last()
						if name == "expandDeep" || round%3 == 0 {
							if name == "expand" {
								last.OnComplete()
							}
							if len(s.inner.made) > 0 && s.inner.made[0].count() > 0 {
								last = s.inner.at(0)
							}
						} else {
							last.requested.Add(-1)
						}
						race(func() { up(s, last) }, func() { down(s) })
						s.p.Cancel()
						s.l.Check()
						s.p.Faultless(t)
					})
				})
			}
		}
	}
}
