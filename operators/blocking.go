package operators

import (
	"context"

	"github.com/goreactor/reactor/schedulers"
)

// checkBlocking is the one question that the blocking operators ask.
func checkBlocking(ctx context.Context, op string) error { return schedulers.CheckBlocking(ctx, op) }
