package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// From returns p as a publisher that stages of this module can rely on. For a Flux or a
// Mono that is the publisher behind it; for a publisher of this package it is p itself;
// for any other p it is p behind checks for what the rules demand of a publisher (§1.9,
// §1.7, §2.13), and behind a guard against its panics. A nil p panics.
func From[T any](p reactor.Publisher[T]) reactor.Publisher[T] {
	return protocol.Trust("from", p)
}
