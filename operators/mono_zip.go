package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
)

// MonoZip emits what fn makes of the elements of all sources, each of which sends at
// most one.
//
//	a:    --- 1 |
//	b:    --------- 2 |
//	      MonoZip([a, b], sum)
//	out:  --------- 3 |
//
// The sources are subscribed by the first request, in order. They run at the same time
// if they do so by themselves: one that works where it is asked, such as [FromFunc],
// needs a [SubscribeOn], else it keeps the next one waiting. The first one that fails
// or is empty ends the stream so, and cancels the others; with [DelayErrors] all run to
// their end first, and several errors are joined in the order of the sources. Elements
// that do not get to fn are discarded. A panic of fn ends the stream. fn runs on the
// goroutine of the source that is last. It owns the slice.
func MonoZip[T, R any](sources []reactor.Publisher[T], fn func([]T) R, opts ...MonoZipOption) reactor.Publisher[R] {
	argument.NotNil("zip", "combiner", fn)
	sources = protocol.TrustAll("zip", sources)
	switch len(sources) {
	case 0:
		return Empty[R]()
	case 1:
		return Map(sources[0], func(v T) R { return fn([]T{v}) })
	}
	return newMonoZip(opts, func(j *join[R]) ([]joinMember, func() R) {
		inners := make([]joinInner[T, R], len(sources))
		members := make([]joinMember, len(sources))
		for i, src := range sources {
			inners[i].parent, inners[i].src, inners[i].values = j, src, true
			members[i] = &inners[i]
		}
		return members, func() R {
			items := make([]T, len(inners))
			for i := range inners {
				items[i] = inners[i].value
			}
			return fn(items)
		}
	})
}

// MonoZipOption is an option of [MonoZip] and its like: [DelayErrors].
type MonoZipOption interface{ applyMonoZip(*monoZipConfig) }

type monoZipConfig struct{ delay bool }

func (d DelayErrorsOption) applyMonoZip(c *monoZipConfig) { c.delay = bool(d) }

// monoZipPublisher serves all numbers of sources: setup makes the inner subscribers,
// which know their types, and the call of the user's function.
type monoZipPublisher[R any] struct {
	protocol.Op
	delay bool
	setup func(*join[R]) (members []joinMember, combine func() R)
}

func newMonoZip[R any](opts []MonoZipOption, setup func(*join[R]) ([]joinMember, func() R)) reactor.Publisher[R] {
	var cfg monoZipConfig
	for _, o := range argument.Options("zip", opts) {
		o.applyMonoZip(&cfg)
	}
	return &monoZipPublisher[R]{delay: cfg.delay, setup: setup}
}

func (p *monoZipPublisher[R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	j := &join[R]{ctx: ctx, down: protocol.Strict(ctx, s), delay: p.delay}
	members, combine := p.setup(j)
	j.finish = func() (R, bool) { return combine(), true }
	j.subscribe(members...)
}

// zipInner returns the inner subscriber for one source of a zip.
func zipInner[T, R any](j *join[R], src reactor.Publisher[T]) *joinInner[T, R] {
	return &joinInner[T, R]{parent: j, src: src, values: true}
}

// MonoZip2 is [MonoZip] for two sources of different types.
func MonoZip2[A, B, R any](
	a reactor.Publisher[A], b reactor.Publisher[B],
	fn func(A, B) R, opts ...MonoZipOption,
) reactor.Publisher[R] {
	argument.NotNil("zip", "combiner", fn)
	a, b = protocol.Trust("zip", a), protocol.Trust("zip", b)
	return newMonoZip(opts, func(j *join[R]) ([]joinMember, func() R) {
		iA, iB := zipInner(j, a), zipInner(j, b)
		return []joinMember{iA, iB}, func() R { return fn(iA.value, iB.value) }
	})
}

// MonoZip3 is [MonoZip] for three sources of different types.
func MonoZip3[A, B, C, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C],
	fn func(A, B, C) R, opts ...MonoZipOption,
) reactor.Publisher[R] {
	argument.NotNil("zip", "combiner", fn)
	a, b, c = protocol.Trust("zip", a), protocol.Trust("zip", b), protocol.Trust("zip", c)
	return newMonoZip(opts, func(j *join[R]) ([]joinMember, func() R) {
		iA, iB, iC := zipInner(j, a), zipInner(j, b), zipInner(j, c)
		return []joinMember{iA, iB, iC}, func() R { return fn(iA.value, iB.value, iC.value) }
	})
}

// MonoZip4 is [MonoZip] for four sources of different types.
func MonoZip4[A, B, C, D, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D],
	fn func(A, B, C, D) R, opts ...MonoZipOption,
) reactor.Publisher[R] {
	argument.NotNil("zip", "combiner", fn)
	a, b, c, d = protocol.Trust("zip", a), protocol.Trust("zip", b), protocol.Trust("zip", c), protocol.Trust("zip", d)
	return newMonoZip(opts, func(j *join[R]) ([]joinMember, func() R) {
		iA, iB, iC, iD := zipInner(j, a), zipInner(j, b), zipInner(j, c), zipInner(j, d)
		return []joinMember{iA, iB, iC, iD}, func() R { return fn(iA.value, iB.value, iC.value, iD.value) }
	})
}

// MonoZip5 is [MonoZip] for five sources of different types.
func MonoZip5[A, B, C, D, E, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D], e reactor.Publisher[E],
	fn func(A, B, C, D, E) R, opts ...MonoZipOption,
) reactor.Publisher[R] {
	argument.NotNil("zip", "combiner", fn)
	a, b, c, d, e = protocol.Trust("zip", a), protocol.Trust("zip", b), protocol.Trust("zip", c), protocol.Trust("zip", d), protocol.Trust("zip", e)
	return newMonoZip(opts, func(j *join[R]) ([]joinMember, func() R) {
		iA, iB, iC, iD, iE := zipInner(j, a), zipInner(j, b), zipInner(j, c), zipInner(j, d), zipInner(j, e)
		return []joinMember{iA, iB, iC, iD, iE}, func() R { return fn(iA.value, iB.value, iC.value, iD.value, iE.value) }
	})
}

// MonoZip6 is [MonoZip] for six sources of different types.
func MonoZip6[A, B, C, D, E, F, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D], e reactor.Publisher[E], f reactor.Publisher[F],
	fn func(A, B, C, D, E, F) R, opts ...MonoZipOption,
) reactor.Publisher[R] {
	argument.NotNil("zip", "combiner", fn)
	a, b, c, d, e, f = protocol.Trust("zip", a), protocol.Trust("zip", b), protocol.Trust("zip", c), protocol.Trust("zip", d), protocol.Trust("zip", e), protocol.Trust("zip", f)
	return newMonoZip(opts, func(j *join[R]) ([]joinMember, func() R) {
		iA, iB, iC, iD, iE, iF := zipInner(j, a), zipInner(j, b), zipInner(j, c), zipInner(j, d), zipInner(j, e), zipInner(j, f)
		return []joinMember{iA, iB, iC, iD, iE, iF}, func() R { return fn(iA.value, iB.value, iC.value, iD.value, iE.value, iF.value) }
	})
}

// MonoZip7 is [MonoZip] for seven sources of different types.
func MonoZip7[A, B, C, D, E, F, G, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D], e reactor.Publisher[E], f reactor.Publisher[F], g reactor.Publisher[G],
	fn func(A, B, C, D, E, F, G) R, opts ...MonoZipOption,
) reactor.Publisher[R] {
	argument.NotNil("zip", "combiner", fn)
	a, b, c, d, e, f, g = protocol.Trust("zip", a), protocol.Trust("zip", b), protocol.Trust("zip", c), protocol.Trust("zip", d), protocol.Trust("zip", e), protocol.Trust("zip", f), protocol.Trust("zip", g)
	return newMonoZip(opts, func(j *join[R]) ([]joinMember, func() R) {
		iA, iB, iC, iD, iE, iF, iG := zipInner(j, a), zipInner(j, b), zipInner(j, c), zipInner(j, d), zipInner(j, e), zipInner(j, f), zipInner(j, g)
		return []joinMember{iA, iB, iC, iD, iE, iF, iG}, func() R { return fn(iA.value, iB.value, iC.value, iD.value, iE.value, iF.value, iG.value) }
	})
}

// MonoZip8 is [MonoZip] for eight sources of different types.
func MonoZip8[A, B, C, D, E, F, G, H, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D], e reactor.Publisher[E], f reactor.Publisher[F], g reactor.Publisher[G], h reactor.Publisher[H],
	fn func(A, B, C, D, E, F, G, H) R, opts ...MonoZipOption,
) reactor.Publisher[R] {
	argument.NotNil("zip", "combiner", fn)
	a, b, c, d, e, f, g, h = protocol.Trust("zip", a), protocol.Trust("zip", b), protocol.Trust("zip", c), protocol.Trust("zip", d), protocol.Trust("zip", e), protocol.Trust("zip", f), protocol.Trust("zip", g), protocol.Trust("zip", h)
	return newMonoZip(opts, func(j *join[R]) ([]joinMember, func() R) {
		iA, iB, iC, iD, iE, iF, iG, iH := zipInner(j, a), zipInner(j, b), zipInner(j, c), zipInner(j, d), zipInner(j, e), zipInner(j, f), zipInner(j, g), zipInner(j, h)
		return []joinMember{iA, iB, iC, iD, iE, iF, iG, iH}, func() R { return fn(iA.value, iB.value, iC.value, iD.value, iE.value, iF.value, iG.value, iH.value) }
	})
}
