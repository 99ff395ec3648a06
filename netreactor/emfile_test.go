//go:build unix

package netreactor_test

import (
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNoDescriptorsLeft runs itself in a process of its own, which may have few descriptors:
// connections that are there go on, the acceptor pauses without burning time, and goes on when
// there are descriptors again.
func TestNoDescriptorsLeft(t *testing.T) {
	if os.Getenv("NETREACTOR_FEW_DESCRIPTORS") == "" {
		if testing.Short() {
			t.Skip("it pauses for a second")
		}
		child := exec.Command(os.Args[0], "-test.run=^TestNoDescriptorsLeft$", "-test.v", "-test.timeout=60s")
		child.Env = append(os.Environ(), "NETREACTOR_FEW_DESCRIPTORS=1")
		out, err := child.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), "PASS: TestNoDescriptorsLeft")
		return
	}
	everywhere(t, func(t *testing.T, bind binder) {
		server := bind(echoBytes)
		old := connect(t, server)
		old.send("before")
		old.receive()

		var before syscall.Rlimit
		require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before))
		few := before
		few.Cur = 60
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few))
		defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before)
		// A descriptor of the client for each of the server's: the last connections have
		// their client only, and wait to be accepted.
		var files []*os.File
		for {
			f, err := os.Open(os.DevNull)
			if err != nil {
				break
			}
			files = append(files, f)
		}
		free := func() {
			files[len(files)-1].Close()
			files = files[:len(files)-1]
		}
		free()
		waiting, err := net.Dial("tcp", server.Addr().String())
		require.NoError(t, err)
		defer waiting.Close()
		until(t, "the acceptor pauses", func() bool { return server.Stats().Acceptor.Pauses >= 3 })

		cpu, begun := processorTime(t), time.Now()
		for time.Since(begun) < 300*time.Millisecond {
			time.Sleep(50 * time.Millisecond)
			old.send("meanwhile")
			assert.Equal(t, "meanwhile", old.receive())
		}
		assert.Less(t, processorTime(t)-cpu, 100*time.Millisecond, "it does not spin")
		for range 3 {
			free()
		}
		begun = time.Now()
		waiting.SetDeadline(begun.Add(patience))
		_, err = waiting.Write(framed("after"))
		require.NoError(t, err)
		got, err := (&peer{t: t, TCPConn: waiting.(*net.TCPConn), r: bufioReader(waiting)}).next()
		require.NoError(t, err)
		assert.Equal(t, "after", got)
		assert.Less(t, time.Since(begun), time.Second, "recovered")
		for _, f := range files {
			f.Close()
		}
	})
}

func processorTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
