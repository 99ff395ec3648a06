// Package own holds two operators and a source that this library does not have, written outside of it with
// nothing but public packages. docs/own-operator.md explains them.
package own
