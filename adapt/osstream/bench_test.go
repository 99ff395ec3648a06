//go:build unix

package osstream_test

import (
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/goreactor/reactor/adapt/osstream"
)

// The stream beside a channel of package os/signal: one signal at a time, from the process to
// itself.
func BenchmarkSignals(b *testing.B) {
	raise := func() { _ = syscall.Kill(os.Getpid(), syscall.SIGUSR1) }
	b.Run("plain", func(b *testing.B) {
		came := make(chan os.Signal, 1)
		signal.Notify(came, syscall.SIGUSR1)
		defer signal.Stop(came)
		for b.Loop() {
			raise()
			<-came
		}
	})
	b.Run("stream", func(b *testing.B) {
		came := make(chan os.Signal, 1)
		defer osstream.Signals(syscall.SIGUSR1).SubscribeFunc(b.Context(), func(s os.Signal) { came <- s }).Dispose()
		for b.Loop() {
			raise()
			<-came
		}
	})
}
