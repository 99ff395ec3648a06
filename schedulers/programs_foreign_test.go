package schedulers_test

// What is somebody else's in a random program (programs_test.go): an executor, a decorator and a meter.

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/programs"
)

// chance is a source that many use.
type chance struct {
	mu sync.Mutex
	r  *rand.Rand // mu
}

// of returns a number below n.
func (c *chance) of(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.r.IntN(n)
}

// bare is an executor that says nothing of what becomes of a task, and refuses some.
type bare struct {
	chance
	e     executors.Executor
	flaky bool
}

func (b *bare) Execute(ctx context.Context, task executors.Task) error {
	n := b.of(12)
	switch {
	case b.flaky && n == 0:
		return errors.New("the executor is not in the mood")
	case b.flaky && n == 1:
		panic(programs.ErrTask)
	}
	return b.e.Execute(ctx, task)
}

// decorator wraps the tasks of slots, refuses some, and fails behind others.
type decorator struct {
	chance
	p *program
}

func (d *decorator) Decorate(_, _ string, e executors.Executor) executors.Executor {
	return executors.Func(func(ctx context.Context, task executors.Task) error {
		switch n := d.of(12); n {
		case 0:
			return programs.ErrTask
		case 1:
			panic(programs.ErrTask)
		case 2, 3:
			err := e.Execute(ctx, task)
			if err != nil {
				return err
			}
			d.p.toldByDecorator.Add(1)
			if n == 2 {
				panic(programs.ErrTask)
			}
			return programs.ErrTask
		case 4:
			return e.Execute(ctx, task)
		}
		return e.Execute(ctx, func(ctx context.Context) { task(ctx) })
	})
}

// tally is a meter that adds up.
type tally struct {
	mu   sync.Mutex
	sums map[string]int64 // mu
}

func (m *tally) add(name string) func(n int64) {
	return func(n int64) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.sums[name] += n
	}
}

func (m *tally) Counter(name string, tags ...string) func(n int64) {
	return m.add(name + " " + tags[1])
}

func (m *tally) Gauge(name string, _ ...string) func(n int64) { return m.add(name) }

func (m *tally) Timer(name string, _ ...string) func(d time.Duration) {
	add := m.add(name)
	return func(time.Duration) { add(1) }
}

func (m *tally) Remove(string) {}
