//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/goreactor/reactor/connectors/nats/itest"
	"github.com/goreactor/reactor/connectors/nats/natslock"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/keylock/fence"
)

// job is what a clerk is told: one of the processes that move money.
type job struct {
	URL    string
	Bucket string
	TTL    time.Duration // of the records of its locks
	Think  time.Duration // between reading the accounts and writing them
	Dir    string        // of the ledger
	Fenced bool
}

type move struct {
	From, To string
	Amount   int
}

// news is what a clerk reports.
type news struct {
	What  string // ready, thinks, moved, refused or failed
	Move  move
	Error string
}

// clerk moves money until its input ends.
func clerk(arg string, in io.Reader, out io.Writer) error {
	var j job
	if err := json.Unmarshal([]byte(arg), &j); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, in) // whatever ends it
	}()

	conn, js, err := itest.Connect(j.URL)
	if err != nil {
		return err
	}
	defer conn.Close()
	store, err := natslock.New(ctx, js, j.Bucket)
	if err != nil {
		return err
	}
	locks, err := keylock.New(keylock.WithBackend(store, j.TTL), keylock.LeaseTime(0), keylock.WaitTime(keylock.Forever),
		keylock.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return err
	}
	defer locks.Close()

	var mu sync.Mutex
	enc := json.NewEncoder(out)
	say := func(n news) {
		mu.Lock()
		defer mu.Unlock()
		_ = enc.Encode(n) // nobody listens: the input ends, too
	}
	book := ledger{dir: j.Dir, fenced: j.Fenced}
	say(news{What: "ready"})
	var stale *fence.StaleError
	for ctx.Err() == nil {
		m, err := pick(book)
		if err != nil {
			return err
		}
		moved, err := locks.DoAll(ctx, []string{m.From, m.To}, func(ctx context.Context, leases []keylock.Lease) (bool, error) {
			err := carryOut(ctx, book, m, leases, j.Think, say)
			return err == nil, err
		})
		switch {
		case moved: // even if a lease was lost meanwhile, which is what err says then
			say(news{What: "moved", Move: m})
		case errors.As(err, &stale): // and the lease is lost, which err says as well
			say(news{What: "refused", Move: m, Error: stale.Error()})
		case ctx.Err() == nil:
			say(news{What: "failed", Move: m, Error: err.Error()})
		}
	}
	return nil
}

// pick chooses two accounts and an amount.
func pick(book ledger) (move, error) {
	all, err := book.read()
	if err != nil {
		return move{}, err
	}
	from := rand.IntN(len(all))
	to := (from + 1 + rand.IntN(len(all)-1)) % len(all)
	return move{all[from].Name, all[to].Name, 10 + rand.IntN(40)}, nil
}

// carryOut reads two accounts, thinks, and writes them, under a lease of each.
func carryOut(ctx context.Context, book ledger, m move, leases []keylock.Lease, think time.Duration, say func(news)) error {
	all, err := book.read()
	if err != nil {
		return err
	}
	balances := map[string]int{}
	for _, a := range all {
		balances[a.Name] = a.Balance
	}
	changed := [2]account{
		{m.From, balances[m.From] - m.Amount, fence.MarkOf(leases[0])},
		{m.To, balances[m.To] + m.Amount, fence.MarkOf(leases[1])},
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	// The leases are good now. How long this takes is not in the program's hands: it
	// may be stopped, swapped out, or wait for a disk. Looking once more at the end
	// would make the gap smaller, and never close it.
	say(news{What: "thinks", Move: m})
	time.Sleep(think)
	return book.write(m, changed)
}
