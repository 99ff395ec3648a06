package operators

import "github.com/goreactor/reactor"

// As returns src as a publisher of S. S must be the same type as T under another name
// of the compiler's: a type parameter that a constraint such as interface{ []T } ties
// to T. As costs nothing; for any other S it panics.
func As[S, T any](src reactor.Publisher[T]) reactor.Publisher[S] {
	return any(src).(reactor.Publisher[S])
}
