package operators

import (
	"context"
	"iter"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// ZipOption is an option of [Zip] and its like: [Prefetch] (default 32).
type ZipOption interface{ applyZip(*zipConfig) }

type zipConfig struct{ prefetch int64 }

func (n PrefetchOption) applyZip(c *zipConfig) { c.prefetch = positiveSize("zip", "prefetch", int(n)) }

// zipPrefetch returns the prefetch that the options say.
func zipPrefetch(opts []ZipOption) int64 {
	c := zipConfig{prefetch: defaultPrefetch()}
	for _, o := range argument.Options("zip", opts) {
		o.applyZip(&c)
	}
	return c.prefetch
}

// Zip combines the elements of all sources by position: the first elements, then the
// second ones, and so on. The shortest source ends the stream.
//
//	a:    1 ------- 2 --- 3 |
//	b:    --- 10 ------------ 20 |
//	      Zip([a, b], sum)
//	out:  --- 11 ------------ 22 |
//
// The sources are subscribed from left to right. Each is asked for 32 elements
// ([Prefetch]) ahead of demand, which wait in a queue of its own, and for more as they
// are combined. When a source has completed and all its elements were combined, the
// stream completes and cancels the other sources. The first error, of a source or of
// fn, cancels the other sources and ends the stream at once; the elements that wait are
// discarded.
//
// A source that has one element and knows it at once ([Just], …) is not subscribed to;
// in that case everything is requested of the other sources, and they are cancelled at
// their first element. Cancellation cancels all sources and discards the elements that
// wait. fn owns the slice. fn runs, and elements come, on whatever goroutine completes
// a tuple: that of a source or of a request.
func Zip[T, R any](sources []reactor.Publisher[T], fn func([]T) R, opts ...ZipOption) reactor.Publisher[R] {
	argument.Given("zip", "combiner", fn != nil)
	prefetch := zipPrefetch(opts)
	sources = protocol.TrustAll("zip", sources)
	switch len(sources) {
	case 0:
		return Empty[R]()
	case 1:
		return Map(sources[0], func(v T) R { return fn([]T{v}) })
	}
	return &zipPublisher[R]{prefetch: prefetch, setup: zipSlice(sources, fn)}
}

// ZipSeq is [Zip] for the publishers that seq yields; each subscription runs through
// seq. A panic of seq ends the stream.
func ZipSeq[T, R any, P reactor.Publisher[T]](seq iter.Seq[P], fn func([]T) R, opts ...ZipOption) reactor.Publisher[R] {
	argument.NotNil("zip", "sequence", seq)
	argument.Given("zip", "combiner", fn != nil)
	return &zipSeqPublisher[T, R, P]{seq: seq, fn: fn, prefetch: zipPrefetch(opts)}
}

type zipSeqPublisher[T, R any, P reactor.Publisher[T]] struct {
	protocol.Op
	seq      iter.Seq[P]
	fn       func([]T) R
	prefetch int64
}

func (p *zipSeqPublisher[T, R, P]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	var sources []reactor.Publisher[T]
	if !failure.Guard(func() {
		for src := range p.seq {
			sources = append(sources, protocol.Trust[T]("zip", src))
		}
	}, func(err error) { protocol.Fail(protocol.Strict(ctx, s), reactor.OperatorError(ctx, err, nil)) }) {
		return
	}
	if len(sources) == 0 {
		protocol.Complete(protocol.Strict(ctx, s))
		return
	}
	subscribeZip(ctx, s, p.prefetch, zipSlice(sources, p.fn))
}

// zipSlice combines any number of sources of one type.
func zipSlice[T, R any](sources []reactor.Publisher[T], fn func([]T) R) zipSetup[R] {
	return func(z *tuplesCore) ([]zipMember, zipTuple[R]) {
		inners := make([]*zipSource[T], len(sources))
		members := make([]zipMember, len(sources))
		for i, src := range sources {
			inners[i] = zipFrom(z, src)
			members[i] = inners[i]
		}
		combine := func() R {
			tuple := make([]T, len(inners))
			for i, in := range inners {
				tuple[i] = in.head()
			}
			return fn(tuple)
		}
		return members, zipTuple[R]{combine, func() {
			for _, in := range inners {
				in.advance()
			}
		}}
	}
}

// zipPublisher serves all numbers of sources.
type zipPublisher[R any] struct {
	protocol.Op
	prefetch int64
	setup    zipSetup[R]
	pairwise bool // ZipWith adds a source instead of a stage
}

func (p *zipPublisher[R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	subscribeZip(ctx, s, p.prefetch, p.setup)
}

// Zip2 is [Zip] for two sources of different types.
func Zip2[A, B, R any](
	a reactor.Publisher[A], b reactor.Publisher[B],
	fn func(A, B) R, opts ...ZipOption,
) reactor.Publisher[R] {
	argument.Given("zip", "combiner", fn != nil)
	a, b = protocol.Trust("zip", a), protocol.Trust("zip", b)
	return &zipPublisher[R]{prefetch: zipPrefetch(opts), pairwise: len(opts) == 0, setup: func(z *tuplesCore) ([]zipMember, zipTuple[R]) {
		iA, iB := zipFrom(z, a), zipFrom(z, b)
		return []zipMember{iA, iB}, zipTuple[R]{
			func() R { return fn(iA.head(), iB.head()) },
			func() {
				iA.advance()
				iB.advance()
			},
		}
	}}
}

// Zip3 is [Zip] for three sources of different types.
func Zip3[A, B, C, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C],
	fn func(A, B, C) R, opts ...ZipOption,
) reactor.Publisher[R] {
	argument.Given("zip", "combiner", fn != nil)
	a, b, c = protocol.Trust("zip", a), protocol.Trust("zip", b), protocol.Trust("zip", c)
	return &zipPublisher[R]{prefetch: zipPrefetch(opts), setup: func(z *tuplesCore) ([]zipMember, zipTuple[R]) {
		iA, iB, iC := zipFrom(z, a), zipFrom(z, b), zipFrom(z, c)
		return []zipMember{iA, iB, iC}, zipTuple[R]{
			func() R { return fn(iA.head(), iB.head(), iC.head()) },
			func() {
				iA.advance()
				iB.advance()
				iC.advance()
			},
		}
	}}
}

// Zip4 is [Zip] for four sources of different types.
func Zip4[A, B, C, D, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D],
	fn func(A, B, C, D) R, opts ...ZipOption,
) reactor.Publisher[R] {
	argument.Given("zip", "combiner", fn != nil)
	a, b, c, d = protocol.Trust("zip", a), protocol.Trust("zip", b), protocol.Trust("zip", c), protocol.Trust("zip", d)
	return &zipPublisher[R]{prefetch: zipPrefetch(opts), setup: func(z *tuplesCore) ([]zipMember, zipTuple[R]) {
		iA, iB, iC, iD := zipFrom(z, a), zipFrom(z, b), zipFrom(z, c), zipFrom(z, d)
		return []zipMember{iA, iB, iC, iD}, zipTuple[R]{
			func() R { return fn(iA.head(), iB.head(), iC.head(), iD.head()) },
			func() {
				iA.advance()
				iB.advance()
				iC.advance()
				iD.advance()
			},
		}
	}}
}

// Zip5 is [Zip] for five sources of different types.
func Zip5[A, B, C, D, E, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D], e reactor.Publisher[E],
	fn func(A, B, C, D, E) R, opts ...ZipOption,
) reactor.Publisher[R] {
	argument.Given("zip", "combiner", fn != nil)
	a, b, c, d, e = protocol.Trust("zip", a), protocol.Trust("zip", b), protocol.Trust("zip", c), protocol.Trust("zip", d), protocol.Trust("zip", e)
	return &zipPublisher[R]{prefetch: zipPrefetch(opts), setup: func(z *tuplesCore) ([]zipMember, zipTuple[R]) {
		iA, iB, iC, iD, iE := zipFrom(z, a), zipFrom(z, b), zipFrom(z, c), zipFrom(z, d), zipFrom(z, e)
		return []zipMember{iA, iB, iC, iD, iE}, zipTuple[R]{
			func() R { return fn(iA.head(), iB.head(), iC.head(), iD.head(), iE.head()) },
			func() {
				iA.advance()
				iB.advance()
				iC.advance()
				iD.advance()
				iE.advance()
			},
		}
	}}
}

// Zip6 is [Zip] for six sources of different types.
func Zip6[A, B, C, D, E, F, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D], e reactor.Publisher[E], f reactor.Publisher[F],
	fn func(A, B, C, D, E, F) R, opts ...ZipOption,
) reactor.Publisher[R] {
	argument.Given("zip", "combiner", fn != nil)
	a, b, c, d, e, f = protocol.Trust("zip", a), protocol.Trust("zip", b), protocol.Trust("zip", c), protocol.Trust("zip", d), protocol.Trust("zip", e), protocol.Trust("zip", f)
	return &zipPublisher[R]{prefetch: zipPrefetch(opts), setup: func(z *tuplesCore) ([]zipMember, zipTuple[R]) {
		iA, iB, iC, iD, iE, iF := zipFrom(z, a), zipFrom(z, b), zipFrom(z, c), zipFrom(z, d), zipFrom(z, e), zipFrom(z, f)
		return []zipMember{iA, iB, iC, iD, iE, iF}, zipTuple[R]{
			func() R { return fn(iA.head(), iB.head(), iC.head(), iD.head(), iE.head(), iF.head()) },
			func() {
				iA.advance()
				iB.advance()
				iC.advance()
				iD.advance()
				iE.advance()
				iF.advance()
			},
		}
	}}
}

// Zip7 is [Zip] for seven sources of different types.
func Zip7[A, B, C, D, E, F, G, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D], e reactor.Publisher[E], f reactor.Publisher[F], g reactor.Publisher[G],
	fn func(A, B, C, D, E, F, G) R, opts ...ZipOption,
) reactor.Publisher[R] {
	argument.Given("zip", "combiner", fn != nil)
	a, b, c, d, e, f, g = protocol.Trust("zip", a), protocol.Trust("zip", b), protocol.Trust("zip", c), protocol.Trust("zip", d), protocol.Trust("zip", e), protocol.Trust("zip", f), protocol.Trust("zip", g)
	return &zipPublisher[R]{prefetch: zipPrefetch(opts), setup: func(z *tuplesCore) ([]zipMember, zipTuple[R]) {
		iA, iB, iC, iD, iE, iF, iG := zipFrom(z, a), zipFrom(z, b), zipFrom(z, c), zipFrom(z, d), zipFrom(z, e), zipFrom(z, f), zipFrom(z, g)
		return []zipMember{iA, iB, iC, iD, iE, iF, iG}, zipTuple[R]{
			func() R { return fn(iA.head(), iB.head(), iC.head(), iD.head(), iE.head(), iF.head(), iG.head()) },
			func() {
				iA.advance()
				iB.advance()
				iC.advance()
				iD.advance()
				iE.advance()
				iF.advance()
				iG.advance()
			},
		}
	}}
}

// Zip8 is [Zip] for eight sources of different types.
func Zip8[A, B, C, D, E, F, G, H, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D], e reactor.Publisher[E], f reactor.Publisher[F], g reactor.Publisher[G], h reactor.Publisher[H],
	fn func(A, B, C, D, E, F, G, H) R, opts ...ZipOption,
) reactor.Publisher[R] {
	argument.Given("zip", "combiner", fn != nil)
	a, b, c, d, e, f, g, h = protocol.Trust("zip", a), protocol.Trust("zip", b), protocol.Trust("zip", c), protocol.Trust("zip", d), protocol.Trust("zip", e), protocol.Trust("zip", f), protocol.Trust("zip", g), protocol.Trust("zip", h)
	return &zipPublisher[R]{prefetch: zipPrefetch(opts), setup: func(z *tuplesCore) ([]zipMember, zipTuple[R]) {
		iA, iB, iC, iD, iE, iF, iG, iH := zipFrom(z, a), zipFrom(z, b), zipFrom(z, c), zipFrom(z, d), zipFrom(z, e), zipFrom(z, f), zipFrom(z, g), zipFrom(z, h)
		return []zipMember{iA, iB, iC, iD, iE, iF, iG, iH}, zipTuple[R]{
			func() R {
				return fn(iA.head(), iB.head(), iC.head(), iD.head(), iE.head(), iF.head(), iG.head(), iH.head())
			},
			func() {
				iA.advance()
				iB.advance()
				iC.advance()
				iD.advance()
				iE.advance()
				iF.advance()
				iG.advance()
				iH.advance()
			},
		}
	}}
}
