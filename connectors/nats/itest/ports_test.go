package itest_test

import (
	"fmt"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/connectors/nats/itest"
)

// Each port is given once, can be listened on, and is none that a client gets.
func TestPorts(t *testing.T) {
	seen := map[int]bool{}
	for range 10 {
		ports, err := itest.Ports(10)
		require.NoError(t, err)
		for _, port := range ports {
			assert.False(t, seen[port])
			seen[port] = true
			assert.Less(t, port, 32_768)
			l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port))
			require.NoError(t, err)
			require.NoError(t, l.Close())
		}
	}
	assert.Len(t, seen, 100)
}
