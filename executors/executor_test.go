package executors_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/leak"
	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

func TestFuncIsAnExecutor(t *testing.T) {
	refused := errors.New("refused")
	var e executors.Executor = executors.Func(func(ctx context.Context, task executors.Task) error {
		if ctx.Err() != nil {
			return refused
		}
		task(ctx)
		return nil
	})
	ran := false
	assert.NoError(t, e.Execute(t.Context(), func(ctx context.Context) {
		assert.Equal(t, t.Context(), ctx)
		ran = true
	}))
	assert.True(t, ran)
	done, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, e.Execute(done, func(context.Context) {}), refused)
}

func ExampleFunc() {
	var e executors.Executor = executors.Func(func(ctx context.Context, task executors.Task) error {
		task(ctx)
		return nil
	})
	fmt.Println(e.Execute(context.Background(), func(context.Context) { fmt.Println("runs") }))
	// Output:
	// runs
	// <nil>
}
