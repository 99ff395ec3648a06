// Package reactortest holds what tests of pipelines need: a virtual clock that
// is a scheduler.
package reactortest
