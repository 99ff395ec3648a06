package execstream

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/foreign"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

type config struct {
	on      schedulers.Scheduler // nil is a goroutine for each pipe
	stdin   reactor.Publisher[[]byte]
	grace   time.Duration
	maxLine int
}

// OutputOption is an option of [Output]: [Grace], [MaxLine], [On], [Stdin].
type OutputOption interface{ applyOutput(*config) }

// OnOption is the scheduler on which [Output] blocks.
type OnOption struct{ scheduler schedulers.Scheduler }

// On sets the scheduler whose workers start the process, read, write and wait, instead of
// goroutines of their own. A process takes two lanes of s at a time, and a third one with [Stdin];
// if s has fewer lanes than all running processes take, a process that waits to be read may stand
// still. On panics if s is nil.
func On(s schedulers.Scheduler) OnOption {
	argument.NotNil("execstream.on", "scheduler", s)
	return OnOption{foreign.Scheduler(s)}
}

func (o OnOption) applyOutput(c *config) { c.on = o.scheduler }

// StdinOption is what the process reads.
type StdinOption struct{ src reactor.Publisher[[]byte] }

// Stdin writes the chunks of src to the standard input of the process, and closes that
// input at the end; a process that does not read holds src up. When the process has
// closed its input, or has ended, src is cancelled; that is no error. A failure of src
// is a failure of the stream. Without Stdin the process reads nothing. Stdin panics if
// src is nil.
func Stdin(src reactor.Publisher[[]byte]) StdinOption {
	return StdinOption{protocol.Trust("execstream.stdin", src)}
}

func (o StdinOption) applyOutput(c *config) { c.stdin = o.src }

// GraceOption is how long a process may take to end.
type GraceOption time.Duration

// Grace sets how long a process whose stream was cancelled, or has failed, may take to
// end after it was interrupted; by default 5 seconds. After that the process is killed.
// It is killed at once with 0, and where there is no signal to interrupt it, as on
// Windows. [Output] panics if d is negative.
func Grace(d time.Duration) GraceOption { return GraceOption(d) }

func (o GraceOption) applyOutput(c *config) { c.grace = time.Duration(o) }

// MaxLineOption is how many bytes a line may have.
type MaxLineOption int

// MaxLine sets how many bytes a line may have; by default 1 MiB. A longer line fails
// the stream with bytestream.ErrTooLong. [Output] panics unless n > 0.
func MaxLine(n int) MaxLineOption { return MaxLineOption(n) }

func (o MaxLineOption) applyOutput(c *config) { c.maxLine = int(o) }
