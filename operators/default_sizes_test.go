package operators_test

import (
	"context"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

// The settings are read once, so a process of its own has them.
func TestDefaultSizesAreThoseOfTheEnvironment(t *testing.T) {
	const setting = "REACTOR_BUFFER_SIZE_SMALL"
	if os.Getenv(setting) == "" {
		child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		child.Env = append(os.Environ(), setting+"=16")
		out, err := child.CombinedOutput()
		require.NoError(t, err, string(out))
		return
	}
	never := operators.Never[int]()
	subscribe := func(p reactor.Publisher[int]) { reactortest.Subscribe(t, p, reactortest.InitialRequest(1)) }
	for name, run := range map[string]func(ctx context.Context, src reactor.Publisher[int]){
		"all": func(ctx context.Context, src reactor.Publisher[int]) {
			//reactorvet:ignore it ends with its context
			for range operators.All(ctx, src) {
			}
		},
		"toChan": func(ctx context.Context, src reactor.Publisher[int]) {
			elements, _ := operators.ToChan(ctx, src)
			for range elements {
			}
		},
		"filterWhen": func(_ context.Context, src reactor.Publisher[int]) {
			subscribe(operators.FilterWhen(src, func(int) reactor.Publisher[bool] { return operators.Just(true) }))
		},
		"sequenceEqual": func(_ context.Context, src reactor.Publisher[int]) {
			subscribe(operators.Map(operators.SequenceEqual(src, never), func(bool) int { return 0 }))
		},
		"publishOn": func(_ context.Context, src reactor.Publisher[int]) {
			subscribe(operators.PublishOn(src, reactortest.NewVirtualTime()))
		},
		"windowUntil": func(_ context.Context, src reactor.Publisher[int]) {
			subscribe(operators.WindowUntil(src, func(int) bool { return true }, func(reactor.Publisher[int]) int { return 0 }))
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var asked atomic.Int64
		run(ctx, operators.DoOnRequest(never, func(n int64) {
			asked.Add(n)
			cancel()
		}))
		cancel()
		require.EqualValues(t, 16, asked.Load(), name)
	}
}
