//go:build unix

package osstream_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/osstream"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/reactortest/tck"
)

func raise(t *testing.T) { require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGUSR1)) }

func TestSignals(t *testing.T) {
	other := make(chan os.Signal, 100) // keeps the process alive when the stream has ended
	signal.Notify(other, syscall.SIGUSR1)
	defer signal.Stop(other)
	s := reactortest.Subscribe(t, osstream.Signals(syscall.SIGUSR1, syscall.SIGUSR2), reactortest.InitialRequest(1))
	raise(t)
	s.ExpectNext(syscall.SIGUSR1)
	<-other
	raise(t)
	<-other
	s.Request(1)
	s.ExpectNext(syscall.SIGUSR1)
	s.Cancel()
	raise(t)
	<-other
	assert.Len(t, s.Values(), 2)
}

// Whose slice the signals came from may use it again.
func TestSignalsAreThoseOfTheCall(t *testing.T) {
	other := make(chan os.Signal, 100) // keeps the process alive when the stream does not listen
	signal.Notify(other, syscall.SIGUSR1)
	defer signal.Stop(other)
	sigs := []os.Signal{syscall.SIGUSR1}
	f := osstream.Signals(sigs...)
	sigs[0] = syscall.SIGUSR2
	s := reactortest.Subscribe(t, f)
	raise(t)
	<-other
	s.ExpectNext(syscall.SIGUSR1)
	s.Cancel()
}

func TestSignalsOfACancelledStreamAreIgnored(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := reactortest.Subscribe(t, osstream.Signals(os.Interrupt), reactortest.InContext(ctx))
	s.ExpectErrorIs(context.Canceled)
}

// A process without listeners dies of the signal, also if a stream has listened before.
func TestSignalsAreUnregistered(t *testing.T) {
	if os.Getenv("OSSTREAM_CHILD") != "" {
		s := reactortest.Subscribe(t, osstream.Signals(syscall.SIGTERM))
		require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
		s.ExpectNext(syscall.SIGTERM)
		s.Cancel()
		require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
		time.Sleep(time.Minute)
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^TestSignalsAreUnregistered$")
	child.Env = append(os.Environ(), "OSSTREAM_CHILD=1")
	err := child.Run()
	exit, ok := errors.AsType[*exec.ExitError](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, syscall.SIGTERM, exit.Sys().(syscall.WaitStatus).Signal())
}

func TestArguments(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: osstream.signals: there are no signals", func() { osstream.Signals() })
	assert.PanicsWithValue(t, "reactor: osstream.signals: a signal is nil", func() { osstream.Signals(nil) })
}

// Each element makes the process raise the next signal.
func TestCompatibility(t *testing.T) {
	// Keeps the process alive when a stream has ended; for ever, since nobody waits for the last one.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR1)
	tck.VerifyPublisher(t, tck.Publisher[os.Signal]{
		Create: func(n int64) reactor.Publisher[os.Signal] {
			return flux.Defer(func(context.Context) flux.Flux[os.Signal] {
				first := sync.OnceFunc(func() { raise(t) })
				return osstream.Signals(syscall.SIGUSR1).
					DoOnRequest(func(int64) { first() }).
					DoOnNext(func(os.Signal) { raise(t) }).
					Take(int(n))
			})
		},
		Max: 100,
	}, tck.Rounds(3), tck.Timeout(20*time.Second), tck.Quiet(20*time.Millisecond))
}

func ExampleSignals() {
	// The registration comes before the first request.
	raise := func(int64) { _ = syscall.Kill(os.Getpid(), syscall.SIGUSR2) }
	fmt.Println(osstream.Signals(syscall.SIGUSR2).DoOnRequest(raise).Next().Block(context.Background()))
	// Output: user defined signal 2 <nil>
}
