package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
)

// MonoZip emits the result of fn for the elements of all sources, each of which sends
// at most one.
//
//	a:    --- 1 |
//	b:    --------- 2 |
//	      MonoZip([a, b], sum)
//	out:  --------- 3 |
//
// The sources are subscribed by the first request, in order. They run at the same time
// only if each works on a goroutine of its own: one that works on the goroutine that
// requests, such as [FromFunc], keeps the next one waiting unless it has a
// [SubscribeOn]. The first source that fails or is empty ends the stream in the same
// way, and cancels the others; with [DelayErrors] all sources run to their end first,
// and several errors are joined in the order of the sources. Elements that do not get
// to fn are discarded. A panic of fn ends the stream. fn runs on the goroutine of the
// last source to end. fn owns the slice.
func MonoZip[T, R any](sources []reactor.Publisher[T], fn func([]T) R, opts ...MonoZipOption) reactor.Publisher[R] {
	argument.Given("zip", "combiner", fn != nil)
	sources = protocol.TrustAll("zip", sources)
	switch len(sources) {
	case 0:
		return Empty[R]()
	case 1:
		return Map(sources[0], func(v T) R { return fn([]T{v}) })
	}
	return newMonoZip(opts, &zipMany[T, R]{sources, fn})
}

type zipMany[T, R any] struct {
	sources []reactor.Publisher[T] // never changed
	fn      func([]T) R
}

func (z *zipMany[T, R]) computable() bool {
	for _, src := range z.sources {
		if !isComputable(src) {
			return false
		}
	}
	return true
}

func (z *zipMany[T, R]) compute(ctx context.Context) (R, bool, error) { return computeMembers(ctx, z) }

func (z *zipMany[T, R]) members(j *join[R]) ([]joinMember, func() R) {
	inners := make([]joinInner[T, R], len(z.sources))
	members := make([]joinMember, len(z.sources))
	for i, src := range z.sources {
		inners[i].parent, inners[i].src, inners[i].values = j, src, true
		members[i] = &inners[i]
	}
	return members, func() R {
		items := make([]T, len(inners))
		for i := range inners {
			items[i] = inners[i].value
		}
		return z.fn(items)
	}
}

// MonoZipOption is an option of [MonoZip] and its like: [DelayErrors].
type MonoZipOption interface{ applyMonoZip(*monoZipConfig) }

type monoZipConfig struct{ delay bool }

func (d DelayErrorsOption) applyMonoZip(c *monoZipConfig) { c.delay = bool(d) }

// monoZipPublisher serves all numbers of sources.
type monoZipPublisher[R any] struct {
	protocol.Op
	delay bool
	of    zipSources[R]
}

// zipSources are the sources of a zip, whose types they know, and the user's function.
type zipSources[R any] interface {
	// computable reports whether all of them are.
	computable() bool
	// compute is Direct if they are.
	compute(ctx context.Context) (r R, ok bool, err error)
	// members makes the inner subscribers, and the call of the function.
	members(*join[R]) (members []joinMember, combine func() R)
}

func newMonoZip[R any](opts []MonoZipOption, of zipSources[R]) reactor.Publisher[R] {
	var cfg monoZipConfig
	for _, o := range argument.Options("zip", opts) {
		o.applyMonoZip(&cfg)
	}
	return &monoZipPublisher[R]{delay: cfg.delay, of: of}
}

func (p *monoZipPublisher[R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	j := &join[R]{ctx: ctx, down: protocol.Strict(ctx, s), delay: p.delay}
	members, combine := p.of.members(j)
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
	argument.Given("zip", "combiner", fn != nil)
	a, b = protocol.Trust("zip", a), protocol.Trust("zip", b)
	return newMonoZip(opts, &zip2[A, B, R]{a, b, fn})
}

type zip2[A, B, R any] struct {
	a  reactor.Publisher[A]
	b  reactor.Publisher[B]
	fn func(A, B) R
}

func (z *zip2[A, B, R]) computable() bool {
	return isComputable(z.a) && isComputable(z.b)
}

// compute does without the members as long as there is nothing to subscribe to.
func (z *zip2[A, B, R]) compute(ctx context.Context) (r R, ok bool, err error) {
	a, ok, failed, err := attempted(ctx, z.a)
	if !ok {
		return r, false, z.stopped(ctx, 0, func(iA *joinInner[A, R], _ *joinInner[B, R]) (computedOutcome, error) {
			return iA.take(a, false, failed, err)
		})
	}
	var b B
	used, both := false, false
	defer func() {
		if used {
			return
		}
		if abandon(ctx, a); both {
			abandon(ctx, b)
		}
	}()
	if ctx.Err() != nil {
		return r, false, context.Cause(ctx)
	}
	b, both, err = computed(ctx, z.b)
	if _, is := err.(*instead[B]); is {
		used = true
		return r, false, z.stopped(ctx, 1, func(iA *joinInner[A, R], iB *joinInner[B, R]) (computedOutcome, error) {
			iA.take(a, true, nil, nil)
			return iB.take(b, false, nil, err)
		})
	}
	if !both || err != nil {
		return r, false, err
	}
	r = z.fn(a, b)
	used = true
	return r, true, nil
}

// stopped returns how the zip ends; take knows the outcomes of the members up to the ith.
func (z *zip2[A, B, R]) stopped(ctx context.Context, i int, take func(*joinInner[A, R], *joinInner[B, R]) (computedOutcome, error)) error {
	j, combine := zipMembers(ctx, z)
	out, end := take(j.members[0].(*joinInner[A, R]), j.members[1].(*joinInner[B, R]))
	end, _ = j.stopped(i, out, end, combine)
	return end
}

func (z *zip2[A, B, R]) members(j *join[R]) ([]joinMember, func() R) {
	iA, iB := zipInner(j, z.a), zipInner(j, z.b)
	return []joinMember{iA, iB}, func() R { return z.fn(iA.value, iB.value) }
}

// MonoZip3 is [MonoZip] for three sources of different types.
func MonoZip3[A, B, C, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C],
	fn func(A, B, C) R, opts ...MonoZipOption,
) reactor.Publisher[R] {
	argument.Given("zip", "combiner", fn != nil)
	a, b, c = protocol.Trust("zip", a), protocol.Trust("zip", b), protocol.Trust("zip", c)
	return newMonoZip(opts, &zip3[A, B, C, R]{a, b, c, fn})
}

type zip3[A, B, C, R any] struct {
	a  reactor.Publisher[A]
	b  reactor.Publisher[B]
	c  reactor.Publisher[C]
	fn func(A, B, C) R
}

func (z *zip3[A, B, C, R]) computable() bool {
	return isComputable(z.a) && isComputable(z.b) && isComputable(z.c)
}

func (z *zip3[A, B, C, R]) compute(ctx context.Context) (R, bool, error) {
	return computeMembers(ctx, z)
}

func (z *zip3[A, B, C, R]) members(j *join[R]) ([]joinMember, func() R) {
	iA, iB, iC := zipInner(j, z.a), zipInner(j, z.b), zipInner(j, z.c)
	return []joinMember{iA, iB, iC}, func() R { return z.fn(iA.value, iB.value, iC.value) }
}

// MonoZip4 is [MonoZip] for four sources of different types.
func MonoZip4[A, B, C, D, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D],
	fn func(A, B, C, D) R, opts ...MonoZipOption,
) reactor.Publisher[R] {
	argument.Given("zip", "combiner", fn != nil)
	a, b, c, d = protocol.Trust("zip", a), protocol.Trust("zip", b), protocol.Trust("zip", c), protocol.Trust("zip", d)
	return newMonoZip(opts, &zip4[A, B, C, D, R]{a, b, c, d, fn})
}

type zip4[A, B, C, D, R any] struct {
	a  reactor.Publisher[A]
	b  reactor.Publisher[B]
	c  reactor.Publisher[C]
	d  reactor.Publisher[D]
	fn func(A, B, C, D) R
}

func (z *zip4[A, B, C, D, R]) computable() bool {
	return isComputable(z.a) && isComputable(z.b) && isComputable(z.c) && isComputable(z.d)
}

func (z *zip4[A, B, C, D, R]) compute(ctx context.Context) (R, bool, error) {
	return computeMembers(ctx, z)
}

func (z *zip4[A, B, C, D, R]) members(j *join[R]) ([]joinMember, func() R) {
	iA, iB, iC, iD := zipInner(j, z.a), zipInner(j, z.b), zipInner(j, z.c), zipInner(j, z.d)
	return []joinMember{iA, iB, iC, iD}, func() R { return z.fn(iA.value, iB.value, iC.value, iD.value) }
}

// MonoZip5 is [MonoZip] for five sources of different types.
func MonoZip5[A, B, C, D, E, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D], e reactor.Publisher[E],
	fn func(A, B, C, D, E) R, opts ...MonoZipOption,
) reactor.Publisher[R] {
	argument.Given("zip", "combiner", fn != nil)
	a, b, c, d, e = protocol.Trust("zip", a), protocol.Trust("zip", b), protocol.Trust("zip", c), protocol.Trust("zip", d), protocol.Trust("zip", e)
	return newMonoZip(opts, &zip5[A, B, C, D, E, R]{a, b, c, d, e, fn})
}

type zip5[A, B, C, D, E, R any] struct {
	a  reactor.Publisher[A]
	b  reactor.Publisher[B]
	c  reactor.Publisher[C]
	d  reactor.Publisher[D]
	e  reactor.Publisher[E]
	fn func(A, B, C, D, E) R
}

func (z *zip5[A, B, C, D, E, R]) computable() bool {
	return isComputable(z.a) && isComputable(z.b) && isComputable(z.c) && isComputable(z.d) && isComputable(z.e)
}

func (z *zip5[A, B, C, D, E, R]) compute(ctx context.Context) (R, bool, error) {
	return computeMembers(ctx, z)
}

func (z *zip5[A, B, C, D, E, R]) members(j *join[R]) ([]joinMember, func() R) {
	iA, iB, iC, iD, iE := zipInner(j, z.a), zipInner(j, z.b), zipInner(j, z.c), zipInner(j, z.d), zipInner(j, z.e)
	return []joinMember{iA, iB, iC, iD, iE}, func() R { return z.fn(iA.value, iB.value, iC.value, iD.value, iE.value) }
}

// MonoZip6 is [MonoZip] for six sources of different types.
func MonoZip6[A, B, C, D, E, F, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D], e reactor.Publisher[E], f reactor.Publisher[F],
	fn func(A, B, C, D, E, F) R, opts ...MonoZipOption,
) reactor.Publisher[R] {
	argument.Given("zip", "combiner", fn != nil)
	a, b, c, d, e, f = protocol.Trust("zip", a), protocol.Trust("zip", b), protocol.Trust("zip", c), protocol.Trust("zip", d), protocol.Trust("zip", e), protocol.Trust("zip", f)
	return newMonoZip(opts, &zip6[A, B, C, D, E, F, R]{a, b, c, d, e, f, fn})
}

type zip6[A, B, C, D, E, F, R any] struct {
	a  reactor.Publisher[A]
	b  reactor.Publisher[B]
	c  reactor.Publisher[C]
	d  reactor.Publisher[D]
	e  reactor.Publisher[E]
	f  reactor.Publisher[F]
	fn func(A, B, C, D, E, F) R
}

func (z *zip6[A, B, C, D, E, F, R]) computable() bool {
	return isComputable(z.a) && isComputable(z.b) && isComputable(z.c) && isComputable(z.d) && isComputable(z.e) && isComputable(z.f)
}

func (z *zip6[A, B, C, D, E, F, R]) compute(ctx context.Context) (R, bool, error) {
	return computeMembers(ctx, z)
}

func (z *zip6[A, B, C, D, E, F, R]) members(j *join[R]) ([]joinMember, func() R) {
	iA, iB, iC, iD, iE, iF := zipInner(j, z.a), zipInner(j, z.b), zipInner(j, z.c), zipInner(j, z.d), zipInner(j, z.e), zipInner(j, z.f)
	return []joinMember{iA, iB, iC, iD, iE, iF}, func() R { return z.fn(iA.value, iB.value, iC.value, iD.value, iE.value, iF.value) }
}

// MonoZip7 is [MonoZip] for seven sources of different types.
func MonoZip7[A, B, C, D, E, F, G, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D], e reactor.Publisher[E], f reactor.Publisher[F], g reactor.Publisher[G],
	fn func(A, B, C, D, E, F, G) R, opts ...MonoZipOption,
) reactor.Publisher[R] {
	argument.Given("zip", "combiner", fn != nil)
	a, b, c, d, e, f, g = protocol.Trust("zip", a), protocol.Trust("zip", b), protocol.Trust("zip", c), protocol.Trust("zip", d), protocol.Trust("zip", e), protocol.Trust("zip", f), protocol.Trust("zip", g)
	return newMonoZip(opts, &zip7[A, B, C, D, E, F, G, R]{a, b, c, d, e, f, g, fn})
}

type zip7[A, B, C, D, E, F, G, R any] struct {
	a  reactor.Publisher[A]
	b  reactor.Publisher[B]
	c  reactor.Publisher[C]
	d  reactor.Publisher[D]
	e  reactor.Publisher[E]
	f  reactor.Publisher[F]
	g  reactor.Publisher[G]
	fn func(A, B, C, D, E, F, G) R
}

func (z *zip7[A, B, C, D, E, F, G, R]) computable() bool {
	return isComputable(z.a) && isComputable(z.b) && isComputable(z.c) && isComputable(z.d) && isComputable(z.e) && isComputable(z.f) && isComputable(z.g)
}

func (z *zip7[A, B, C, D, E, F, G, R]) compute(ctx context.Context) (R, bool, error) {
	return computeMembers(ctx, z)
}

func (z *zip7[A, B, C, D, E, F, G, R]) members(j *join[R]) ([]joinMember, func() R) {
	iA, iB, iC, iD, iE, iF, iG := zipInner(j, z.a), zipInner(j, z.b), zipInner(j, z.c), zipInner(j, z.d), zipInner(j, z.e), zipInner(j, z.f), zipInner(j, z.g)
	return []joinMember{iA, iB, iC, iD, iE, iF, iG}, func() R { return z.fn(iA.value, iB.value, iC.value, iD.value, iE.value, iF.value, iG.value) }
}

// MonoZip8 is [MonoZip] for eight sources of different types.
func MonoZip8[A, B, C, D, E, F, G, H, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D], e reactor.Publisher[E], f reactor.Publisher[F], g reactor.Publisher[G], h reactor.Publisher[H],
	fn func(A, B, C, D, E, F, G, H) R, opts ...MonoZipOption,
) reactor.Publisher[R] {
	argument.Given("zip", "combiner", fn != nil)
	a, b, c, d, e, f, g, h = protocol.Trust("zip", a), protocol.Trust("zip", b), protocol.Trust("zip", c), protocol.Trust("zip", d), protocol.Trust("zip", e), protocol.Trust("zip", f), protocol.Trust("zip", g), protocol.Trust("zip", h)
	return newMonoZip(opts, &zip8[A, B, C, D, E, F, G, H, R]{a, b, c, d, e, f, g, h, fn})
}

type zip8[A, B, C, D, E, F, G, H, R any] struct {
	a  reactor.Publisher[A]
	b  reactor.Publisher[B]
	c  reactor.Publisher[C]
	d  reactor.Publisher[D]
	e  reactor.Publisher[E]
	f  reactor.Publisher[F]
	g  reactor.Publisher[G]
	h  reactor.Publisher[H]
	fn func(A, B, C, D, E, F, G, H) R
}

func (z *zip8[A, B, C, D, E, F, G, H, R]) computable() bool {
	return isComputable(z.a) && isComputable(z.b) && isComputable(z.c) && isComputable(z.d) && isComputable(z.e) && isComputable(z.f) && isComputable(z.g) && isComputable(z.h)
}

func (z *zip8[A, B, C, D, E, F, G, H, R]) compute(ctx context.Context) (R, bool, error) {
	return computeMembers(ctx, z)
}

func (z *zip8[A, B, C, D, E, F, G, H, R]) members(j *join[R]) ([]joinMember, func() R) {
	iA, iB, iC, iD, iE, iF, iG, iH := zipInner(j, z.a), zipInner(j, z.b), zipInner(j, z.c), zipInner(j, z.d), zipInner(j, z.e), zipInner(j, z.f), zipInner(j, z.g), zipInner(j, z.h)
	return []joinMember{iA, iB, iC, iD, iE, iF, iG, iH}, func() R { return z.fn(iA.value, iB.value, iC.value, iD.value, iE.value, iF.value, iG.value, iH.value) }
}
