package netreactor_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/netreactor"
)

// TestACodecThatDropsWhatWasThere when it has nothing to append: the answers before that are written, and the connection ends, which
// would lose them otherwise.
func TestACodecThatDropsWhatWasThere(t *testing.T) {
	codec := netreactor.Framed(netreactor.Lines(),
		func(frame []byte) (string, error) { return string(frame), nil },
		func(dst []byte, msg string) ([]byte, error) {
			if msg == "nothing" {
				return nil, nil
			}
			return append(dst, msg...), nil
		})
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			p, conns := echoed(t, codec, v.opts)
			_, err := p.Write([]byte("first\nsecond\nnothing\nthird\n"))
			require.NoError(t, err)
			for _, want := range []string{"first\n", "second\n"} {
				got, err := p.r.ReadString('\n')
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
			p.ended()
			c := take(t, conns)
			take(t, c.Context().Done())
			var why *netreactor.CloseError
			require.ErrorAs(t, c.Context().Err(), &why)
			assert.Equal(t, netreactor.ReasonEncodeFailed, why.Reason)
			assert.ErrorContains(t, why, "what was there before")
		})
	}
}
