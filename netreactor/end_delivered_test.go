package netreactor

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// behindTheEnd is a codec that finds nothing before all has come, and then a message in each byte.
type behindTheEnd struct{ Codec[[]byte, []byte] }

func (behindTheEnd) Decode(in *Input) ([]byte, bool, error) {
	if !in.End() || len(in.Bytes()) == 0 {
		return nil, false, nil
	}
	msg := []byte{in.Bytes()[0]}
	in.Advance(1)
	return msg, true, nil
}

// TestWhatWasNotDeliveredKeepsAConnection whose peer has closed, and of which nobody sends.
func TestWhatWasNotDeliveredKeepsAConnection(t *testing.T) {
	for name, mute := range map[string]bool{"nobody has sent": false, "CloseWrite": true} {
		t.Run(name, func(t *testing.T) {
			p, b := &script{data: []byte("abc"), ends: true}, &book{}
			conn := played(t, nil, p)
			conn.codec = behindTheEnd{conn.codec}
			conn.Inbound().Subscribe(context.Background(), b)
			if mute {
				require.NoError(t, conn.CloseWrite())
			}
			for _, want := range []string{"a", "ab"} {
				require.NoError(t, conn.Context().Err())
				b.request(1)
				p.settled()
				assert.Equal(t, want, string(b.items))
			}
			require.NoError(t, conn.Context().Err())
			b.request(1)
			p.settled()
			assert.Equal(t, "abc", string(b.items))
			assert.Equal(t, 1, b.ends)
			assert.NoError(t, b.err)
			var why *CloseError
			require.ErrorAs(t, conn.Context().Err(), &why)
			assert.Equal(t, ReasonPeerClosed, why.Reason)
		})
	}
}
