package itest_test

import "github.com/goreactor/reactor/keylock/fence"

// guard stands where what a lock protects is.
type guard struct{ fence.Guard }

func newGuard() *guard { return &guard{} }

// write lets a write pass that a process has reported, or refuses it.
func (g *guard) write(s saying) error {
	return g.Check("resource", fence.Mark{Token: s.Token, Nonce: s.Nonce})
}
