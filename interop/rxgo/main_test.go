package rxgo_test

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/leak"
	"github.com/goreactor/reactor/schedulers"
)

func TestMain(m *testing.M) {
	if program := programs[os.Getenv(programVariable)]; program != nil {
		program()
		return
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		schedulers.ShutdownNow() // the examples leave idle workers, which wait for their end
		leak.Exit(code)
	}))
}

var errBoom = errors.New("boom")

// record is what the hooks of subscriptions were told.
type record struct {
	mu  sync.Mutex
	all told // guarded by mu
}

type told struct {
	dropped   []any
	discarded []any
	errors    []string
}

// withHooks returns a context under which r is written.
func (r *record) withHooks(ctx context.Context) context.Context {
	add := func(change func(*told)) {
		r.mu.Lock()
		defer r.mu.Unlock()
		change(&r.all)
	}
	return reactor.WithHooks(ctx, reactor.Hooks{
		NextDropped:  func(_ context.Context, v any) { add(func(t *told) { t.dropped = append(t.dropped, v) }) },
		Discard:      func(_ context.Context, v any) { add(func(t *told) { t.discarded = append(t.discarded, v) }) },
		ErrorDropped: func(_ context.Context, err error) { add(func(t *told) { t.errors = append(t.errors, err.Error()) }) },
	})
}

// told returns what there is so far.
func (r *record) told() told {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all
}

func (r *record) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = told{}
}
