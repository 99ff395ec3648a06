// Package own holds two operators and a source, written outside of this library with nothing but its public
// packages. docs/own-operator.md explains them.
package own
