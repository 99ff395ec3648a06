//go:build unix

package osstream_test

import (
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/goreactor/reactor/adapt/osstream"
	"github.com/goreactor/reactor/internal/testkit/beside"
)

// The stream beside a channel of package os/signal: one signal at a time, from the process to
// itself. Each side has a signal of its own.
func BenchmarkSignals(b *testing.B) {
	raise := func(s syscall.Signal) { _ = syscall.Kill(os.Getpid(), s) }
	beside.Run(b, func(b *testing.B) func() {
		came := make(chan os.Signal, 1)
		signal.Notify(came, syscall.SIGUSR1)
		b.Cleanup(func() { signal.Stop(came) })
		return func() {
			raise(syscall.SIGUSR1)
			<-came
		}
	}, func(b *testing.B) func() {
		came := make(chan os.Signal, 1)
		b.Cleanup(osstream.Signals(syscall.SIGUSR2).SubscribeFunc(b.Context(), func(s os.Signal) { came <- s }).Dispose)
		return func() {
			raise(syscall.SIGUSR2)
			<-came
		}
	})
}
