package operators

import (
	"context"

	"github.com/goreactor/reactor"
)

// part is a stage whose element depends on other publishers as well.
func (c *chances) part(src reactor.Publisher[*piece], to func(string) func(*piece) reactor.Publisher[*piece]) reactor.Publisher[*piece] {
	switch c.IntN(7) {
	case 0: // which does not ask for a second element, as there is if what comes in the place of an error comes behind one
		src = MonoFlatMap(src, func(v *piece) reactor.Publisher[*piece] { return Just(v) })
		return FilterWhenMono(src, c.answer())
	case 1:
		return MonoDelayUntil(src, to("delayUntil"))
	case 2:
		fn := c.outcome("zip")
		return MonoZip2(src, c.chain(c.IntN(2)), func(v, w *piece) *piece { c.noteElement("with", w); r, _, _ := fn(v); return r }, c.zipOptions()...)
	case 3:
		fn, other := c.outcome("zip"), c.chain(c.IntN(2))
		return MonoZip3(other, src, Map(c.chain(c.IntN(2)), func(*piece) int { c.note("int"); return 1 }),
			func(v, w *piece, _ int) *piece { c.noteElement("with", w); r, _, _ := fn(v); return r }, c.zipOptions()...)
	case 4:
		fn, sources := c.outcome("zip"), []reactor.Publisher[*piece]{src}
		for range 2 + c.IntN(2) {
			sources = append(sources, c.chain(c.IntN(2)))
		}
		return MonoZip(sources, func(vs []*piece) *piece {
			for _, v := range vs[1:] {
				c.noteElement("with", v)
			}
			r, _, _ := fn(vs[0])
			return r
		}, c.zipOptions()...)
	case 5:
		many := c.many()
		return c.last(MonoFlatMapMany(src, func(v *piece) reactor.Publisher[*piece] { c.noteElement("many", v); return many }))
	}
	return c.using(src)
}

func (c *chances) zipOptions() []MonoZipOption {
	if c.IntN(6) == 0 {
		return []MonoZipOption{DelayErrors()}
	}
	return nil
}

// answer is the function of a filterWhen. What it returns may have to be waited for, and may have more than one element.
func (c *chances) answer() func(*piece) reactor.Publisher[bool] {
	fn, inner, how := c.outcome("filterWhen"), c.chain(c.IntN(2)), c.IntN(6)
	return func(v *piece) reactor.Publisher[bool] {
		_, ok, err := fn(v)
		switch {
		case err != nil:
			return Error[bool](err)
		case how == 0:
			return Just(ok)
		case how == 1:
			return Hide(Just(ok))
		case how == 2:
			return FromSlice([]bool{ok, !ok})
		case how == 3:
			return nil
		}
		return Map(inner, func(w *piece) bool { c.noteElement("answer", w); return ok })
	}
}

// using acquires something for src, or for what comes after it.
func (c *chances) using(src reactor.Publisher[*piece]) reactor.Publisher[*piece] {
	acquire, use, release, fails := c.outcome("acquire"), c.outcome("use"), c.outcome("release"), c.IntN(3) == 0
	var opts []UsingOption
	if c.IntN(8) == 0 {
		opts = append(opts, LateRelease())
	}
	return MonoUsing(func(ctx context.Context) (int, error) {
		c.note("key %v", ctx.Value(key(0)))
		_, _, err := acquire(nil)
		return 7, err
	}, func(r int) reactor.Publisher[*piece] {
		c.note("resource %d", r)
		if _, _, err := use(nil); err != nil {
			return Error[*piece](err)
		}
		return src
	}, func(r int) error {
		c.note("resource %d", r)
		if !fails {
			return nil
		}
		_, _, err := release(nil)
		return err
	}, opts...)
}

// many is a source of several elements that are computed where they are asked for, or of one that is not.
func (c *chances) many() reactor.Publisher[*piece] {
	items := make([]*piece, c.IntN(5))
	for i := range items {
		items[i] = c.piece()
	}
	src := FromSlice(items)
	if c.IntN(8) == 0 {
		src = Hide(src)
	}
	for range c.IntN(3) {
		switch fn := c.outcome("each"); c.IntN(5) {
		case 0:
			src = Map(src, func(v *piece) *piece { r, _, _ := fn(v); return r })
		case 1:
			src = Filter(src, func(v *piece) bool { _, ok, _ := fn(v); return ok })
		case 2:
			src = TryMapOptional(src, fn)
		case 3:
			src = DoOnNext(src, func(v *piece) { fn(v) })
		case 4:
			src = TryFilter(src, func(v *piece) (bool, error) { _, ok, err := fn(v); return ok, err })
		}
	}
	return src
}

// last makes one element of many.
func (c *chances) last(src reactor.Publisher[*piece]) reactor.Publisher[*piece] {
	switch c.IntN(3) {
	case 0:
		return LastOr(src, &piece{id: 1001})
	case 1:
		return IgnoreElements(Last(src))
	}
	return Last(src)
}

func (c *chances) aggregate() reactor.Publisher[*piece] {
	src := c.many()
	switch c.IntN(5) {
	case 0:
		return Next(src)
	case 1:
		seed, fn := c.outcome("seed"), c.outcome("fold")
		return Fold(src, func() *piece { r, _, _ := seed(nil); return r }, func(acc, v *piece) *piece {
			c.noteElement("acc", acc)
			r, _, _ := fn(v)
			return r
		})
	case 2:
		seed, fn := c.outcome("seed"), c.outcome("tryFold")
		return TryFold(src, func() *piece { r, _, _ := seed(nil); return r }, func(acc, v *piece) (*piece, error) {
			c.noteElement("acc", acc)
			r, _, err := fn(v)
			return r, err
		})
	case 3:
		return Map(CollectSlice(src), func(all []*piece) *piece {
			for _, v := range all {
				c.noteElement("in", v)
			}
			return c.piece()
		})
	}
	return c.last(src)
}
