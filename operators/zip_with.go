package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
)

// ZipWith combines the elements of src and of other by position; the shorter of the two
// ends the stream.
//
//	src:    1 ------- 2 --- 3 |
//	other:  --- 10 ------------ 20 |
//	        ZipWith(other, sum)
//	out:    --- 11 ------------ 22 |
//
// src is subscribed first. Zipping the result with a further publisher, without options,
// makes one stage of three sources. See [Zip] for demand, errors, cancellation and the
// goroutine.
func ZipWith[T, U, R any](src reactor.Publisher[T], other reactor.Publisher[U], fn func(T, U) R, opts ...ZipOption) reactor.Publisher[R] {
	argument.Given("zipWith", "combiner", fn != nil)
	src, other = protocol.Trust("zipWith", src), protocol.Trust("zipWith", other)
	prefetch := zipPrefetch(opts)
	if p, ok := src.(*zipPublisher[T]); ok && p.pairwise && len(opts) == 0 {
		return &zipPublisher[R]{prefetch: p.prefetch, pairwise: true, setup: func(z *tuplesCore) ([]zipMember, zipTuple[R]) {
			members, tuple := p.setup(z)
			in := zipFrom(z, other)
			return append(members, in), zipTuple[R]{
				func() R { return fn(tuple.combine(), in.head()) },
				func() {
					tuple.advance()
					in.advance()
				},
			}
		}}
	}
	return &zipPublisher[R]{prefetch: prefetch, pairwise: len(opts) == 0, setup: func(z *tuplesCore) ([]zipMember, zipTuple[R]) {
		left, right := zipFrom(z, src), zipFrom(z, other)
		return []zipMember{left, right}, zipTuple[R]{
			func() R { return fn(left.head(), right.head()) },
			func() {
				left.advance()
				right.advance()
			},
		}
	}}
}
