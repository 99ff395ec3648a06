package execstream_test

import (
	"bufio"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/adapt/execstream"
)

// A child that writes many lines to both of its pipes, beside the usual loop over one of them.
func BenchmarkOutput(b *testing.B) {
	const n = 100_000
	var s started
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			cmd := s.child("both", n)(b.Context())
			out, err := cmd.StdoutPipe()
			require.NoError(b, err)
			cmd.Stderr = discard{}
			require.NoError(b, cmd.Start())
			lines := 0
			for l := bufio.NewScanner(out); l.Scan(); {
				if len(l.Text()) > 0 {
					lines++
				}
			}
			require.NoError(b, cmd.Wait())
			require.Equal(b, n, lines)
		}
	})
	b.Run("stream", func(b *testing.B) {
		for b.Loop() {
			lines := 0
			require.NoError(b, execstream.Output(s.child("both", n)).ForEach(context.Background(), func(l execstream.Line) {
				if l.Stream == execstream.Stdout {
					lines++
				}
			}))
			require.Equal(b, n, lines)
		}
	})
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
