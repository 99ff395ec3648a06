package execstream_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/adapt/execstream"
	"github.com/goreactor/reactor/internal/testkit/beside"
)

// A child that writes many lines to both of its pipes, beside the usual loop over both of them:
// a goroutine each, and a lock around what is done with a line.
func BenchmarkOutput(b *testing.B) {
	const n = 50_000
	side := func(all func(b *testing.B, s *started, each func(execstream.Line)) error) beside.Side {
		return func(b *testing.B) func() {
			return func() {
				var s started
				var lines [2]int
				require.NoError(b, all(b, &s, func(l execstream.Line) {
					if len(l.Text) > 0 {
						lines[l.Stream-execstream.Stdout]++
					}
				}))
				require.Equal(b, [2]int{n, n}, lines)
			}
		}
	}
	beside.Run(b, side(func(b *testing.B, s *started, each func(execstream.Line)) error {
		cmd := s.child("both", n)(b.Context())
		out, err := cmd.StdoutPipe()
		require.NoError(b, err)
		failed, err := cmd.StderrPipe()
		require.NoError(b, err)
		require.NoError(b, cmd.Start())
		var mu sync.Mutex
		var readers sync.WaitGroup
		var errs [2]error
		for i, pipe := range []io.Reader{out, failed} {
			readers.Go(func() {
				lines := bufio.NewScanner(pipe)
				for lines.Scan() {
					line := execstream.Line{Stream: execstream.Stdout + execstream.Stream(i), Text: lines.Text()}
					mu.Lock()
					each(line)
					mu.Unlock()
				}
				errs[i] = lines.Err()
			})
		}
		readers.Wait()
		return errors.Join(errs[0], errs[1], cmd.Wait())
	}), side(func(_ *testing.B, s *started, each func(execstream.Line)) error {
		return execstream.Output(s.child("both", n)).ForEach(context.Background(), each)
	}))
}
