package keylock_test

// The managers of a random program (programs_test.go), their options, and how they are closed. A new option goes into settings.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/internal/testkit/programs"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/keylock/locktest"
)

// note adds to the description of the program.
func (p *program) note(format string, args ...any) { p.what += " " + fmt.Sprintf(format, args...) }

// open makes the managers.
func (p *program) open(t *testing.T) {
	p.ordered = true
	opts, n := p.settings(), 1
	if p.Rand.IntN(3) == 0 {
		p.stores, p.ordered = true, false
		n = 1 + p.Rand.IntN(2)
		opts = append(opts, p.store(n)...)
	}
	for range n {
		m, err := keylock.New(opts...)
		require.NoError(t, err)
		p.managers = append(p.managers, m)
	}
}

// settings returns the options that do not change who gets a key from whom, but for barging.
func (p *program) settings() []keylock.Option {
	r := p.Rand
	ttl := programs.Pick(r, 0, 5*time.Millisecond, time.Minute)
	p.note("idle %v", ttl)
	opts := []keylock.Option{keylock.IdleTTL(ttl)}
	if r.IntN(4) == 0 {
		p.note("barging")
		p.ordered = false
		opts = append(opts, keylock.Barging())
	}
	if r.IntN(3) == 0 {
		p.note("clock")
		p.clock = &countedClock{}
		opts = append(opts, keylock.WithClock(p.clock))
	}
	if r.IntN(3) == 0 {
		p.note("slow")
		opts = append(opts, keylock.WithSlowHolder(programs.Milliseconds(r, 1, 10), func(h keylock.Held) {
			if h.Age < 0 || h.Key == "" {
				p.Fail("slow: %+v", h)
			}
		}))
	}
	if r.IntN(2) == 0 {
		opts = append(opts, p.metered()...)
	}
	return opts
}

// metered returns the options of a meter.
func (p *program) metered() []keylock.Option {
	p.note("meter")
	p.meter = &tally{sums: map[string]int64{}}
	if p.Rand.IntN(4) == 0 {
		p.note("that ends goroutines")
		p.endsOut, p.meter.fails = true, true
	}
	opts := []keylock.Option{keylock.WithMeter(p.meter, "t")}
	if p.Rand.IntN(3) == 0 {
		opts = append(opts, keylock.WithKeyTag(func(key string) string { return key }))
	}
	return opts
}

// store returns the options of a store for n managers.
func (p *program) store(n int) []keylock.Option {
	r := p.Rand
	var b keylock.Backend
	if r.IntN(2) == 0 {
		p.note("%d tree", n)
		b = locktest.NewTree()
	} else {
		p.note("%d stream", n)
		b = locktest.NewStream()
	}
	if r.IntN(2) == 0 {
		p.note("with losses")
		b = locktest.Intercept(b, loses)
	}
	return []keylock.Option{keylock.WithBackend(b, 3*time.Second), keylock.LockDelay(time.Duration(r.IntN(2)) * time.Second)}
}

// end closes a manager while clients go on, somehow, or does not.
func (p *program) end(r *rand.Rand) {
	if r.IntN(2) == 0 {
		return
	}
	m := programs.Pick(r, p.managers...)
	p.closing.Store(true)
	how, patience := r.IntN(3), programs.Milliseconds(r, 0, 49)
	racetest.Aside(func() { // the meter may end it
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		switch how {
		case 0:
			m.Close()
		case 1:
			_ = m.Shutdown(ctx)
		case 2:
			_ = m.Shutdown(ctx, keylock.DrainWaiters())
		}
	})
}

// endsAtLast closes the managers when all clients have gone: nobody holds a key or waits for one, and nothing has to be waited for.
func (p *program) endsAtLast() {
	for _, m := range p.managers {
		if s := m.Stats(); s.Holders+s.Waiters+s.Late != 0 {
			p.Fail("before the end there are still: %+v, %v", s, m.Snapshot())
		}
		racetest.Aside(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
			defer cancel()
			if err := m.Shutdown(ctx); err != nil {
				p.Fail("shutdown: %v", err)
			}
		})
	}
}
