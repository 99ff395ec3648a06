//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"text/tabwriter"
	"time"
)

const opening = 1000 // of each account

var names = []string{"alice", "bob", "carol", "dave"}

// stage is three clerks at work on a ledger, and what they have reported.
type stage struct {
	out    io.Writer
	start  time.Time
	clerks [3]*process
	heard  chan heard

	moved, refused, failed int
}

type process struct {
	cmd   *exec.Cmd
	stdin io.Closer
	read  chan struct{} // closed when all it said was read
	last  news          // that it reported
}

type heard struct {
	clerk int
	news
}

// act shows what happens, and reports whether the ledger adds up.
func act(ctx context.Context, out io.Writer, j job) (bool, error) {
	book := ledger{dir: j.Dir, fenced: j.Fenced}
	if err := book.create(names, opening); err != nil {
		return false, err
	}
	s := &stage{out: out, start: time.Now(), heard: make(chan heard)}
	defer s.end()
	for i := range s.clerks {
		if err := s.hire(i, j); err != nil {
			return false, err
		}
	}
	if err := s.play(ctx, j); err != nil {
		return false, err
	}
	if err := s.retire(ctx); err != nil {
		return false, err
	}
	return s.audit(book)
}

// play stops one of the clerks and kills another one.
func (s *stage) play(ctx context.Context, j job) error {
	if err := s.until(ctx, func(heard) bool { return s.moved >= 10 }); err != nil {
		return err
	}
	const stopped, killed = 0, 1
	m, err := s.freeze(ctx, stopped, j)
	if err != nil {
		return err
	}
	s.tell("clerk %d is stopped while it moves %d from %s to %s, and holds both locks", stopped+1, m.Amount, m.From, m.To)
	over := time.Now().Add(3 * j.TTL)
	err = s.until(ctx, func(h heard) bool {
		if h.What != "moved" || !h.Move.touches(m.From) && !h.Move.touches(m.To) {
			return false
		}
		s.tell("clerk %d got locks of these accounts: it has moved %d from %s to %s", h.clerk+1, h.Move.Amount, h.Move.From, h.Move.To)
		return true
	})
	if err == nil {
		err = s.listen(ctx, time.Until(over))
	}
	if err != nil {
		return err
	}
	s.tell("clerk %d goes on, after three times as long as its locks live", stopped+1)
	if err := s.clerks[stopped].cmd.Process.Signal(syscall.SIGCONT); err != nil {
		return err
	}
	err = s.until(ctx, func(h heard) bool {
		if h.clerk != stopped || h.What == "thinks" {
			return false
		}
		switch h.What {
		case "refused":
			s.tell("its write is refused: %s", h.Error)
		case "moved":
			s.tell("it writes what it had read before")
		default:
			s.tell("it %s: %s", h.What, h.Error)
		}
		return true
	})
	if err != nil {
		return err
	}

	if m, err = s.freeze(ctx, killed, j); err != nil {
		return err
	}
	if err := s.clerks[killed].cmd.Process.Kill(); err != nil {
		return err
	}
	dead := time.Now()
	s.tell("clerk %d is killed while it moves %d from %s to %s", killed+1, m.Amount, m.From, m.To)
	err = s.until(ctx, func(h heard) bool {
		return h.clerk != killed && h.What == "moved" && (h.Move.touches(m.From) || h.Move.touches(m.To))
	})
	if err != nil {
		return err
	}
	s.tell("another one has moved money of these accounts, %v later", time.Since(dead).Round(10*time.Millisecond))
	last := s.moved + 10
	return s.until(ctx, func(heard) bool { return s.moved >= last })
}

func (m move) touches(name string) bool { return m.From == name || m.To == name }

// tell prints what happens.
func (s *stage) tell(format string, args ...any) {
	fmt.Fprintf(s.out, "  %5.1fs  %s\n", time.Since(s.start).Seconds(), fmt.Sprintf(format, args...))
}

// hire starts a clerk.
func (s *stage) hire(i int, j job) error {
	arg, err := json.Marshal(j)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p := &process{cmd: exec.Command(self), read: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), clerkEnv+"="+string(arg))
	p.cmd.Stderr = os.Stderr
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	s.clerks[i] = p
	go func() {
		defer close(p.read)
		for dec := json.NewDecoder(stdout); ; {
			h := heard{clerk: i}
			if dec.Decode(&h.news) != nil {
				return
			}
			s.heard <- h
		}
	}()
	return nil
}

// until takes in what the clerks report until enough says so.
func (s *stage) until(ctx context.Context, enough func(heard) bool) error {
	limit := time.NewTimer(time.Minute)
	defer limit.Stop()
	for {
		select {
		case h := <-s.heard:
			s.note(h)
			if enough(h) {
				return nil
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-limit.C:
			return errors.New("the clerks are not heard of any more")
		}
	}
}

// listen takes in what the clerks report for some time.
func (s *stage) listen(ctx context.Context, d time.Duration) error {
	over := time.NewTimer(d)
	defer over.Stop()
	for {
		select {
		case h := <-s.heard:
			s.note(h)
		case <-over.C:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (s *stage) note(h heard) {
	s.clerks[h.clerk].last = h.news
	switch h.What {
	case "moved":
		s.moved++
	case "refused":
		s.refused++
	case "failed":
		s.failed++
	}
}

// freeze stops a clerk between its reading and its writing, and returns what it is
// about to do.
func (s *stage) freeze(ctx context.Context, clerk int, j job) (move, error) {
	for {
		if err := s.until(ctx, func(h heard) bool { return h.clerk == clerk && h.What == "thinks" }); err != nil {
			return move{}, err
		}
		p := s.clerks[clerk]
		if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			return move{}, err
		}
		// Was that in time? If not, what it said after that arrives now.
		if err := s.listen(ctx, j.Think); err != nil {
			return move{}, err
		}
		if p.last.What == "thinks" {
			return p.last.Move, nil
		}
		if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
			return move{}, err
		}
	}
}

// retire lets the clerks finish what they are at.
func (s *stage) retire(ctx context.Context) error {
	for _, p := range s.clerks {
		p.stdin.Close()
	}
	for _, p := range s.clerks {
		for read := true; read; {
			select {
			case h := <-s.heard:
				s.note(h)
			case <-p.read:
				read = false
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	return nil
}

// end kills the clerks that are still there, and waits for them.
func (s *stage) end() {
	for _, p := range s.clerks {
		if p == nil {
			continue
		}
		_ = p.cmd.Process.Kill() // fails if it has ended
		for read := true; read; {
			select {
			case <-s.heard:
			case <-p.read:
				read = false
			}
		}
		_ = p.cmd.Wait() // it was killed
	}
}

// audit compares the balances with what the journal says they should be.
func (s *stage) audit(book ledger) (bool, error) {
	all, err := book.read()
	if err != nil {
		return false, err
	}
	moves, err := book.moves()
	if err != nil {
		return false, err
	}
	want := map[string]int{}
	for _, m := range moves {
		want[m.From] -= m.Amount
		want[m.To] += m.Amount
	}
	fmt.Fprintln(s.out)
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "account\topening\tmoved\tshould be\tis\tdifference\t\n")
	sum, right := 0, true
	for _, a := range all {
		should := opening + want[a.Name]
		fmt.Fprintf(w, "%s\t%d\t%+d\t%d\t%d\t%+d\t\n", a.Name, opening, want[a.Name], should, a.Balance, a.Balance-should)
		sum += a.Balance
		right = right && a.Balance == should
	}
	total := opening * len(all)
	fmt.Fprintf(w, "sum\t%d\t\t%d\t%d\t%+d\t\n", total, total, sum, sum-total)
	if err := w.Flush(); err != nil {
		return false, err
	}
	verdict := "The ledger adds up."
	if !right {
		verdict = "The ledger does not add up."
	}
	_, err = fmt.Fprintf(s.out, "\n%d moves, %d refused by the file, %d not begun. %s\n\n", s.moved, s.refused, s.failed, verdict)
	return right, err
}
