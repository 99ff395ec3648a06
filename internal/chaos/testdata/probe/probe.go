// Package probe holds two functions that must compile to the same machine code
// as long as chaos is off.
package probe

import "github.com/goreactor/reactor/internal/chaos"

// With has a Yield in its loop.
//
//go:noinline
func With(p *[64]int) (sum int) {
	for _, v := range p {
		chaos.Yield()
		sum += v
	}
	chaos.Yield()
	return sum
}

// Bare is With without Yield.
//
//go:noinline
func Bare(p *[64]int) (sum int) {
	for _, v := range p {
		sum += v
	}
	return sum
}
