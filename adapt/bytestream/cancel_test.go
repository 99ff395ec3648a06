package bytestream_test

import (
	"bufio"
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/reactortest"
)

// A source that goes on without an element ends when its stream is cancelled, also where nothing but a
// Read that returns would tell it.
func TestCancelWhileThereIsNoElement(t *testing.T) {
	after := bytestream.CloseAfterRead()
	for name, subscribe := range map[string]func(context.Context, *testing.T, *tracked) reactor.Subscription{
		"a record without an end": func(ctx context.Context, t *testing.T, r *tracked) reactor.Subscription {
			return cancellable(ctx, t, bytestream.Records(r.open, neverEnding, after))
		},
		"JSON": func(ctx context.Context, t *testing.T, r *tracked) reactor.Subscription {
			return cancellable(ctx, t, bytestream.JSONLines[int](r.open, after))
		},
		"records": func(ctx context.Context, t *testing.T, r *tracked) reactor.Subscription {
			return cancellable(ctx, t, bytestream.Records(r.open, bufio.ScanWords, after))
		},
		"CSV": func(ctx context.Context, t *testing.T, r *tracked) reactor.Subscription {
			return cancellable(ctx, t, bytestream.CSV(r.open, after))
		},
		"full chunks": func(ctx context.Context, t *testing.T, r *tracked) reactor.Subscription {
			return cancellable(ctx, t, bytestream.Chunks(r.open, 1<<20, bytestream.Full(), after))
		},
	} {
		reactortest.Bubble(t, func(t *testing.T) {
			begin := time.Now()
			src := &tracked{Reader: readFunc(func(p []byte) (int, error) {
				if time.Sleep(time.Second); time.Since(begin) > time.Hour {
					return 0, io.EOF
				}
				p[0] = '\n'
				return 1, nil
			})}
			ctx := reactor.WithHooks(t.Context(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) {
				t.Errorf("%s: dropped: %v", name, err)
			}})
			s := subscribe(ctx, t, src)
			time.Sleep(time.Minute + time.Second/2)
			s.Cancel()
			synctest.Wait()
			n := src.reads.Load()
			time.Sleep(time.Minute)
			assert.Equal(t, n, src.reads.Load(), "%s: Reads after the cancellation", name)
			assert.EqualValues(t, 1, src.closed.Load(), name)
			assert.Zero(t, bytestream.AbandonedReads(), name)
		})
	}
}

func neverEnding([]byte, bool) (int, []byte, error) { return 0, nil, nil }

func cancellable[T any](ctx context.Context, t *testing.T, f flux.Flux[T]) reactor.Subscription {
	s := reactortest.NewTestSubscriber[T](t)
	f.Subscribe(ctx, s)
	return s
}
