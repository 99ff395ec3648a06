package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
)

// CombineLatestOption is an option of [CombineLatest] and its like: [Prefetch] (default
// 32).
type CombineLatestOption interface {
	applyCombineLatest(*combineLatestConfig)
}

type combineLatestConfig struct{ prefetch int64 }

func (n PrefetchOption) applyCombineLatest(c *combineLatestConfig) {
	c.prefetch = positiveSize("combineLatest", "prefetch", int(n))
}

// CombineLatest combines the newest elements of all sources each time one of them sends
// an element, as soon as each has sent one.
//
//	a:    1 ------- 2 --- 3 ------ |
//	b:    --- 10 ------------ 20 |
//	      CombineLatest([a, b], sum)
//	out:  --- 11 -- 12 -- 13 - 23 - |
//
// The sources are subscribed from left to right. Each is asked for 32 elements
// ([Prefetch]) ahead of demand, and for more as they are combined; no combination is
// left out for lack of demand. The stream completes when all sources have completed, or
// when a source that has sent nothing completes. The first error, of a source or of fn,
// cancels the sources and ends the stream at once. Cancellation cancels all sources.
// Elements that were never combined are discarded. fn owns the slice. fn runs, and
// elements come, on whatever goroutine delivers first: that of a source or of a
// request.
func CombineLatest[T, R any](sources []reactor.Publisher[T], fn func([]T) R, opts ...CombineLatestOption) reactor.Publisher[R] {
	argument.Given("combineLatest", "combiner", fn != nil)
	sources = protocol.TrustAll("combineLatest", sources)
	switch len(sources) {
	case 0:
		return Empty[R]()
	case 1:
		return Map(sources[0], func(v T) R { return fn([]T{v}) })
	}
	return newCombineLatest(opts, func(c *combineLatestCore) ([]combineMember, func() R) {
		inners := make([]*combineSource[T], len(sources))
		members := make([]combineMember, len(sources))
		for i, src := range sources {
			inners[i] = combineFrom(c, i, src)
			members[i] = inners[i]
		}
		return members, func() R {
			tuple := make([]T, len(inners))
			for i, in := range inners {
				tuple[i] = in.latest
			}
			r := fn(tuple)
			for _, in := range inners {
				in.used = true
			}
			return r
		}
	})
}

// combineLatestPublisher serves all numbers of sources.
type combineLatestPublisher[R any] struct {
	protocol.Op
	prefetch int64
	setup    combineSetup[R]
}

func newCombineLatest[R any](opts []CombineLatestOption, setup combineSetup[R]) reactor.Publisher[R] {
	cfg := combineLatestConfig{prefetch: defaultPrefetch()}
	for _, o := range argument.Options("combineLatest", opts) {
		o.applyCombineLatest(&cfg)
	}
	return &combineLatestPublisher[R]{prefetch: cfg.prefetch, setup: setup}
}

func (p *combineLatestPublisher[R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	subscribeCombineLatest(ctx, s, p.prefetch, p.setup)
}

// CombineLatest2 is [CombineLatest] for two sources of different types.
func CombineLatest2[A, B, R any](
	a reactor.Publisher[A], b reactor.Publisher[B],
	fn func(A, B) R, opts ...CombineLatestOption,
) reactor.Publisher[R] {
	argument.Given("combineLatest", "combiner", fn != nil)
	a, b = protocol.Trust("combineLatest", a), protocol.Trust("combineLatest", b)
	return newCombineLatest(opts, func(core *combineLatestCore) ([]combineMember, func() R) {
		iA, iB := combineFrom(core, 0, a), combineFrom(core, 1, b)
		return []combineMember{iA, iB}, func() R {
			r := fn(iA.latest, iB.latest)
			iA.used, iB.used = true, true
			return r
		}
	})
}

// CombineLatest3 is [CombineLatest] for three sources of different types.
func CombineLatest3[A, B, C, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C],
	fn func(A, B, C) R, opts ...CombineLatestOption,
) reactor.Publisher[R] {
	argument.Given("combineLatest", "combiner", fn != nil)
	a, b, c = protocol.Trust("combineLatest", a), protocol.Trust("combineLatest", b), protocol.Trust("combineLatest", c)
	return newCombineLatest(opts, func(core *combineLatestCore) ([]combineMember, func() R) {
		iA, iB, iC := combineFrom(core, 0, a), combineFrom(core, 1, b), combineFrom(core, 2, c)
		return []combineMember{iA, iB, iC}, func() R {
			r := fn(iA.latest, iB.latest, iC.latest)
			iA.used, iB.used, iC.used = true, true, true
			return r
		}
	})
}

// CombineLatest4 is [CombineLatest] for four sources of different types.
func CombineLatest4[A, B, C, D, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D],
	fn func(A, B, C, D) R, opts ...CombineLatestOption,
) reactor.Publisher[R] {
	argument.Given("combineLatest", "combiner", fn != nil)
	a, b, c, d = protocol.Trust("combineLatest", a), protocol.Trust("combineLatest", b), protocol.Trust("combineLatest", c), protocol.Trust("combineLatest", d)
	return newCombineLatest(opts, func(core *combineLatestCore) ([]combineMember, func() R) {
		iA, iB, iC, iD := combineFrom(core, 0, a), combineFrom(core, 1, b), combineFrom(core, 2, c), combineFrom(core, 3, d)
		return []combineMember{iA, iB, iC, iD}, func() R {
			r := fn(iA.latest, iB.latest, iC.latest, iD.latest)
			iA.used, iB.used, iC.used, iD.used = true, true, true, true
			return r
		}
	})
}

// CombineLatest5 is [CombineLatest] for five sources of different types.
func CombineLatest5[A, B, C, D, E, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D], e reactor.Publisher[E],
	fn func(A, B, C, D, E) R, opts ...CombineLatestOption,
) reactor.Publisher[R] {
	argument.Given("combineLatest", "combiner", fn != nil)
	a, b, c, d, e = protocol.Trust("combineLatest", a), protocol.Trust("combineLatest", b), protocol.Trust("combineLatest", c), protocol.Trust("combineLatest", d), protocol.Trust("combineLatest", e)
	return newCombineLatest(opts, func(core *combineLatestCore) ([]combineMember, func() R) {
		iA, iB, iC, iD, iE := combineFrom(core, 0, a), combineFrom(core, 1, b), combineFrom(core, 2, c), combineFrom(core, 3, d), combineFrom(core, 4, e)
		return []combineMember{iA, iB, iC, iD, iE}, func() R {
			r := fn(iA.latest, iB.latest, iC.latest, iD.latest, iE.latest)
			iA.used, iB.used, iC.used, iD.used, iE.used = true, true, true, true, true
			return r
		}
	})
}

// CombineLatest6 is [CombineLatest] for six sources of different types.
func CombineLatest6[A, B, C, D, E, F, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D], e reactor.Publisher[E], f reactor.Publisher[F],
	fn func(A, B, C, D, E, F) R, opts ...CombineLatestOption,
) reactor.Publisher[R] {
	argument.Given("combineLatest", "combiner", fn != nil)
	a, b, c, d, e, f = protocol.Trust("combineLatest", a), protocol.Trust("combineLatest", b), protocol.Trust("combineLatest", c), protocol.Trust("combineLatest", d), protocol.Trust("combineLatest", e), protocol.Trust("combineLatest", f)
	return newCombineLatest(opts, func(core *combineLatestCore) ([]combineMember, func() R) {
		iA, iB, iC, iD, iE, iF := combineFrom(core, 0, a), combineFrom(core, 1, b), combineFrom(core, 2, c), combineFrom(core, 3, d), combineFrom(core, 4, e), combineFrom(core, 5, f)
		return []combineMember{iA, iB, iC, iD, iE, iF}, func() R {
			r := fn(iA.latest, iB.latest, iC.latest, iD.latest, iE.latest, iF.latest)
			iA.used, iB.used, iC.used, iD.used, iE.used, iF.used = true, true, true, true, true, true
			return r
		}
	})
}
