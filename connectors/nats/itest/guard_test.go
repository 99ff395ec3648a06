package itest_test

import "fmt"

// guard refuses what comes with an old token: what a lock protects has one.
type guard struct {
	token uint64
	nonce string
}

func newGuard() *guard { return &guard{} }

func (g *guard) write(s saying) error {
	if s.Token < g.token || s.Token == g.token && s.Nonce != g.nonce {
		return fmt.Errorf("token %d after %d", s.Token, g.token)
	}
	g.token, g.nonce = s.Token, s.Nonce
	return nil
}
