package stages

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/goid"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/proofs/roster"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// slowElsewhere is a function that takes an hour where it is not called on the goroutine that has made it.
type slowElsewhere struct {
	here   uintptr
	called atomic.Bool
	inside bool // no lock: who reads it has waited
}

func newSlowElsewhere() *slowElsewhere { return &slowElsewhere{here: goid.Current()} }

func (f *slowElsewhere) call() {
	if goid.Current() == f.here {
		return
	}
	f.called.Store(true)
	f.inside = true
	time.Sleep(time.Hour)
	f.inside = false
}

// forEachFor is ForEach under a context that ends after d, and returns how long it took.
func forEachFor(d time.Duration, src reactor.Publisher[any], fn func(any)) time.Duration {
	ctx, cancel := context.WithTimeout(quietContext(), d)
	defer cancel()
	began := time.Now()
	_ = operators.ForEach(ctx, src, fn)
	return time.Since(began)
}

// sourcesElsewhere send elements on another goroutine: some tell of their runs, some begin on this one.
var sourcesElsewhere = map[string]func(schedulers.Scheduler) reactor.Publisher[int]{
	"hop": func(worker schedulers.Scheduler) reactor.Publisher[int] {
		return operators.PublishOn(operators.Map(operators.Range(1, 3), itself), worker)
	},
	"subscribeOn": func(worker schedulers.Scheduler) reactor.Publisher[int] {
		return operators.SubscribeOn(operators.Map(operators.Range(1, 3), itself), worker)
	},
	"range on a worker": func(worker schedulers.Scheduler) reactor.Publisher[int] {
		return operators.SubscribeOn(operators.Range(1, 3), worker)
	},
	"one element on a worker": func(worker schedulers.Scheduler) reactor.Publisher[int] {
		return operators.SubscribeOn(operators.Just(1), worker)
	},
	"here, then on a worker": hereThenElsewhere,
	"here, then on a worker, two stages": func(worker schedulers.Scheduler) reactor.Publisher[int] {
		return operators.Retry(operators.Map(hereThenElsewhere(worker), itself))
	},
}

// hereThenElsewhere begins on the goroutine that asks.
func hereThenElsewhere(worker schedulers.Scheduler) reactor.Publisher[int] {
	broken := operators.TryMap(operators.Range(1, 4), func(v int) (int, error) {
		if v == 4 {
			return 0, errors.New("no")
		}
		return v, nil
	})
	return operators.OnErrorResume(broken, func(error) reactor.Publisher[int] {
		return operators.PublishOn(operators.Map(operators.Range(1, 3), itself), worker)
	})
}

// newWorker returns a scheduler of one goroutine of the bubble.
func newWorker(t *testing.T) schedulers.Scheduler {
	s := schedulers.NewSingle("elsewhere")
	t.Cleanup(s.Dispose)
	return s
}

func itself(v int) int { return v }

// TestForEachIsLeftWhileAFunctionHangs has a function below each stage hang on another goroutine: a deadline does not wait for
// it.
func TestForEachIsLeftWhileAFunctionHangs(t *testing.T) {
	for name, newSource := range sourcesElsewhere {
		reached := 0
		for _, stage := range roster.Stages[int]() {
			t.Run(name+" "+stage.Name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					worker, fn := newWorker(t), newSlowElsewhere()
					stream := operators.Map(stage.Build(reactortest.NewVirtualTime(), newSource(worker)), func(v any) any { fn.call(); return v })
					took := forEachFor(time.Second, stream, func(any) {})
					assert.LessOrEqual(t, took, time.Second)
					if fn.called.Load() {
						reached++
					}
					time.Sleep(24 * time.Hour)
				})
			})
		}
		assert.Greater(t, reached, 50, name)
	}
}

// TestForEachWaitsForItsFunction has the function that is given to ForEach take long on another goroutine: it has returned when
// ForEach has, whatever stage is above.
func TestForEachWaitsForItsFunction(t *testing.T) {
	for name, newSource := range sourcesElsewhere {
		reached := 0
		for _, stage := range roster.Stages[int]() {
			t.Run(name+" "+stage.Name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					worker, fn := newWorker(t), newSlowElsewhere()
					forEachFor(time.Second, stage.Build(reactortest.NewVirtualTime(), newSource(worker)), func(any) { fn.call() })
					assert.False(t, fn.inside)
					if fn.called.Swap(false) {
						reached++
					}
					time.Sleep(24 * time.Hour)
					assert.False(t, fn.called.Load(), "called again")
				})
			})
		}
		assert.Greater(t, reached, 50, name)
	}
}
