//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/goreactor/reactor/keylock/fence"
)

// account is a line of the file. The mark is that of the lease which wrote it last.
type account struct {
	Name    string
	Balance int
	Mark    fence.Mark
}

// ledger is the file with the accounts, and a journal of all that was written to it.
// Each call is one step, as a statement is in a database: the operating system keeps
// the steps of several processes apart, and a process that dies in one leaves the file
// as it was.
type ledger struct {
	dir    string
	fenced bool // refuse what comes with an old token
}

func (l ledger) accounts() string { return filepath.Join(l.dir, "accounts") }
func (l ledger) journal() string  { return filepath.Join(l.dir, "journal") }

// create writes the file for the first time.
func (l ledger) create(names []string, balance int) error {
	var all []account
	for _, name := range names {
		all = append(all, account{Name: name, Balance: balance})
	}
	return l.step(func() error { return l.save(all) })
}

// step runs fn while no other process is in a step.
func (l ledger) step(fn func() error) error {
	f, err := os.OpenFile(filepath.Join(l.dir, "step"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close() // which ends the step, as the end of the process does
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("flock: %w", err)
	}
	return fn()
}

// read returns the accounts.
func (l ledger) read() (all []account, err error) {
	err = l.step(func() error { all, err = l.load(); return err })
	return all, err
}

// write sets the balances of two accounts that are worked on under leases with these
// marks, unless the guard refuses one of them. The move is for the journal.
func (l ledger) write(m move, changed [2]account) error {
	return l.step(func() error {
		all, err := l.load()
		if err != nil {
			return err
		}
		var guard fence.Guard
		for _, c := range changed {
			for i := range all {
				if all[i].Name != c.Name {
					continue
				}
				if l.fenced {
					if err := check(&guard, all[i], c.Mark); err != nil {
						return err
					}
				}
				all[i] = c
			}
		}
		if err := l.note(m); err != nil {
			return err
		}
		return l.save(all)
	})
}

// check asks a guard that knows the mark which is stored with the account.
func check(guard *fence.Guard, stored account, m fence.Mark) error {
	if stored.Mark != (fence.Mark{}) {
		if err := guard.Check(stored.Name, stored.Mark); err != nil {
			return err
		}
	}
	return guard.Check(stored.Name, m)
}

// note adds a line to the journal.
func (l ledger) note(m move) error {
	f, err := os.OpenFile(l.journal(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s %s %d\n", m.From, m.To, m.Amount)
	return errors.Join(err, f.Close())
}

// moves returns what was written, in order.
func (l ledger) moves() ([]move, error) {
	text, err := os.ReadFile(l.journal())
	if err != nil {
		return nil, err
	}
	var all []move
	for line := range strings.Lines(string(text)) {
		var m move
		if _, err := fmt.Sscan(line, &m.From, &m.To, &m.Amount); err != nil {
			return nil, fmt.Errorf("the journal has a line %q: %w", line, err)
		}
		all = append(all, m)
	}
	return all, nil
}

func (l ledger) load() ([]account, error) {
	text, err := os.ReadFile(l.accounts())
	if err != nil {
		return nil, err
	}
	var all []account
	for line := range strings.Lines(string(text)) {
		var a account
		if _, err := fmt.Sscanf(line, "%s %d %d %q", &a.Name, &a.Balance, &a.Mark.Token, &a.Mark.Nonce); err != nil {
			return nil, fmt.Errorf("the file has a line %q: %w", line, err)
		}
		all = append(all, a)
	}
	return all, nil
}

// save puts a new file in the place of the old one.
func (l ledger) save(all []account) error {
	var b strings.Builder
	for _, a := range all {
		fmt.Fprintf(&b, "%s %d %d %q\n", a.Name, a.Balance, a.Mark.Token, a.Mark.Nonce)
	}
	next := l.accounts() + ".next"
	if err := os.WriteFile(next, []byte(b.String()), 0o600); err != nil {
		return err
	}
	return os.Rename(next, l.accounts())
}
