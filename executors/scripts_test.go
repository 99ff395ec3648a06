package executors_test

// What random scripts have in common, which are played on a pool or a TaskScheduler and on a model of it.

import (
	"errors"
	"sync"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/programs"
)

// What tasks of scripts end with.
var (
	errScript = errors.New("fails")
	errPanic  = errors.New("panics")
	errGoexit = errors.New("goexits")
)

// alike reports whether got is an error of the kind of want.
func alike(got, want error) bool {
	if thrown, ok := errors.AsType[*reactor.PanicError](got); ok {
		return want == errPanic && thrown.Value == programs.ErrTask
	}
	switch w := want.(type) {
	case nil:
		return got == nil
	case *executors.CancelError:
		c, ok := got.(*executors.CancelError)
		return ok && (c.Cause == w.Cause || errors.Is(c.Cause, w.Cause) && w.Cause != nil)
	}
	if want == errGoexit {
		return got == reactor.ErrGoexit
	}
	return errors.Is(got, want)
}

// sums is a meter that adds up.
type sums struct {
	mu sync.Mutex
	of map[string]int64 // mu
}

func (s *sums) adder(name string) func(int64) {
	return func(n int64) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.of[name] += n
	}
}

func (s *sums) Counter(name string, _ ...string) func(int64) { return s.adder(name) }
func (s *sums) Gauge(name string, _ ...string) func(int64)   { return s.adder(name) }
func (s *sums) Remove(string)                                {}

func (s *sums) Timer(name string, _ ...string) func(time.Duration) {
	count, sum := s.adder(name), s.adder(name+" in ns")
	return func(d time.Duration) {
		count(1)
		sum(int64(d))
	}
}

// check compares the instruments of a pool with its figures at rest, and with how long its tasks have waited and run.
func (s *sums) check(p *programs.Program, of executors.Stats, waiters int, lag, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, want := range map[string]int64{
		"submitted": int64(of.Submitted), "rejected": int64(of.Rejected), "queued": int64(of.Queued + waiters), "active": int64(of.Active),
		"lag": int64(of.Completed) + int64(of.Active), "lag in ns": int64(lag), "completed": int64(of.Completed), "completed in ns": int64(took),
	} {
		if got := s.of["x.executor."+name]; got != want {
			p.Fail("%v: the meter says %s %d, want %d", p.Now(), name, got, want)
		}
	}
}
