package netreactor_test

import (
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// descriptors returns how many there are, or -1 where nobody can tell.
func descriptors() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return -1
	}
	return len(list)
}

// TestStressStorms has 10,000 connects, half-opens and resets with REACTOR_STRESS, and fewer
// otherwise: no descriptor and no goroutine is left, and the server serves on.
func TestStressStorms(t *testing.T) {
	n := 300
	if os.Getenv("REACTOR_STRESS") != "" {
		n = 10_000
	}
	inTurn(t, func(t *testing.T, bind binder) {
		server := bind(echoBytes)
		p := connect(t, server)
		p.send("before")
		p.receive()
		if strings.HasSuffix(t.Name(), "parked") {
			until(t, "it is parked", func() bool { return server.Stats().Parked == 1 }) // which takes descriptors, for all at once
		}
		files, routines := descriptors(), runtime.NumGoroutine()
		for kind, storm := range map[string]func(*net.TCPConn){
			"connects":   func(c *net.TCPConn) { c.Close() },
			"half-opens": func(c *net.TCPConn) { c.CloseWrite(); c.Read(make([]byte, 1)); c.Close() },
			"resets":     func(c *net.TCPConn) { c.SetLinger(0); c.Write([]byte{0, 0}); c.Close() },
		} {
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					for range n / 4 {
						conn, err := net.Dial("tcp", server.Addr().String())
						if !assert.NoError(t, err, kind) {
							return
						}
						conn.SetDeadline(time.Now().Add(patience))
						storm(conn.(*net.TCPConn))
					}
				})
			}
			all.Wait()
			until(t, "one is left", func() bool { return server.Stats().Connections == 1 })
			until(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= routines+1 })
			until(t, "no descriptor is left", func() bool { return descriptors() <= files })
			p.SetDeadline(time.Now().Add(patience))
			p.send(kind)
			require.Equal(t, kind, p.receive())
		}
	})
}
