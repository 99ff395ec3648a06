//go:build unix

package osstream_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/adapt/osstream"
	"github.com/goreactor/reactor/reactortest"
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

func TestSignalsOfACancelledStreamAreIgnored(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := reactortest.Subscribe(t, osstream.Signals(os.Interrupt), reactortest.InContext(ctx))
	s.ExpectErrorIs(context.Canceled)
}

func TestArguments(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: osstream.signals: there are no signals", func() { osstream.Signals() })
	assert.PanicsWithValue(t, "reactor: osstream.signals: a signal is nil", func() { osstream.Signals(nil) })
}

func ExampleSignals() {
	first := osstream.Signals(syscall.SIGUSR2).Next()
	go func() {
		time.Sleep(10 * time.Millisecond)
		_ = syscall.Kill(os.Getpid(), syscall.SIGUSR2)
	}()
	fmt.Println(first.Block(context.Background()))
	// Output: user defined signal 2 <nil>
}
