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

	"github.com/goreactor/reactor/internal/testkit/awake"
)

// TestNoDescriptorsLeft runs itself in a process of its own, which may have few descriptors:
// connections that are there go on, the acceptor pauses without burning time, and goes on when
// there are descriptors again. With REACTOR_STRESS the shortage lasts for 10 s.
func TestNoDescriptorsLeft(t *testing.T) {
	if os.Getenv("NETREACTOR_FEW_DESCRIPTORS") == "" {
		if testing.Short() {
			t.Skip("it pauses for a second")
		}
		child := exec.Command(os.Args[0], "-test.run=^TestNoDescriptorsLeft$", "-test.v", "-test.timeout=120s")
		child.Env = append(os.Environ(), "NETREACTOR_FEW_DESCRIPTORS=1")
		out, err := child.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), "PASS: TestNoDescriptorsLeft")
		t.Logf("%s", out)
		return
	}
	shortage, busy := 300*time.Millisecond, 100*time.Millisecond
	if os.Getenv("REACTOR_STRESS") != "" {
		shortage, busy = 10*time.Second, 200*time.Millisecond // 2 %
	}
	if raceDetector {
		busy *= 4
	}
	inTurn(t, func(t *testing.T, bind binder) {
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
		messages, slowest := 0, time.Duration(0)
		for time.Since(begun) < shortage {
			time.Sleep(max(50*time.Millisecond, shortage/50)) // a message costs time, too
			sent := time.Now()
			old.SetDeadline(sent.Add(patience))
			old.send("meanwhile")
			assert.Equal(t, "meanwhile", old.receive())
			messages, slowest = messages+1, max(slowest, time.Since(sent))
		}
		cpu, shortage := processorTime(t)-cpu, time.Since(begun)
		assert.Less(t, cpu, busy, "it does not spin")
		for range 3 {
			free()
		}
		clock := awake.Watch(t) // not before: it takes processor time
		waiting.SetDeadline(time.Now().Add(patience))
		_, err = waiting.Write(framed("after"))
		require.NoError(t, err)
		got, err := (&peer{t: t, TCPConn: waiting.(*net.TCPConn), r: bufioReader(waiting)}).next()
		require.NoError(t, err)
		assert.Equal(t, "after", got)
		recovery := clock.Now()
		assert.Less(t, recovery, time.Second, "recovered")
		t.Logf("%v without descriptors: %v of processor time, %d messages, the slowest took %v; recovered in %v",
			shortage, cpu, messages, slowest, recovery)
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
