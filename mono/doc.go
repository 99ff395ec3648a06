// Package mono holds [Mono], a stream of at most one element, and its operators.
package mono
