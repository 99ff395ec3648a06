package failure

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/leak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

// captured is what the discard hook was told.
type captured struct{ discarded []any }

func capture() (context.Context, *captured) {
	c := &captured{}
	return reactor.WithHooks(context.Background(), reactor.Hooks{
		Discard: func(_ context.Context, v any) { c.discarded = append(c.discarded, v) },
	}), c
}
