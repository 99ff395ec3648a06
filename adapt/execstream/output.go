package execstream

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/adapt/internal/blocking"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/live"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
	"github.com/goreactor/reactor/sinks"
)

// The errors with which [Output] fails; test for them with errors.Is. They come in a
// *reactor.OpError that names the program.
var (
	// ErrStart: the process could not be started.
	ErrStart = errors.New("start failed")
	// ErrExit: the process has ended with another status than 0, or by a signal; the
	// cause is an *exec.ExitError.
	ErrExit = errors.New("process failed")
	// ErrPipe: the output of the process can't be read, or its input can't be written;
	// the cause, of package bytestream, says what is wrong, and where.
	ErrPipe = errors.New("pipe failed")
)

// Stream is the output from which a line comes.
type Stream int

// The streams.
const (
	Stdout Stream = 1
	Stderr Stream = 2
)

// String returns "stdout" or "stderr".
func (s Stream) String() string {
	if s == Stderr {
		return "stderr"
	}
	return "stdout"
}

// Line is one line that a process has written, without its end.
type Line struct {
	Stream Stream
	Text   string
}

// Command returns a function for [Output] that makes the command of a program, as
// exec.Command does.
func Command(name string, args ...string) func(context.Context) *exec.Cmd {
	args = slices.Clone(args) // who calls with a slice of their own may go on to use it
	return func(context.Context) *exec.Cmd { return exec.Command(name, args...) }
}

// Output starts a process and emits the lines that it writes to its standard output
// and its standard error, each in order, as they come.
//
//	      Output(Command("sh", "-c", "echo a; echo b"))
//	out:  {stdout a} - {stdout b} |
//
// make is called once for each subscription; its context has the values of the subscription's
// context. The command that make returns must not be started, and its standard streams must not be
// set.
//
// Demand: a few dozen lines are read ahead; a process that writes more is held up by
// its pipe.
//
// Errors: a status other than 0 fails the stream when all lines were emitted, with an [ErrExit]
// that has the last line of standard error. A process that can't be started fails it with an
// [ErrStart]; a broken pipe with an [ErrPipe] and bytestream.ErrRead or bytestream.ErrWrite; too
// long a line, see [MaxLine], with an ErrPipe and bytestream.ErrTooLong.
//
// Cancellation, and failure: closes the pipes, interrupts the process, kills it after [Grace], and
// waits for it, so that no zombie is left; the cancellation itself does not wait. The status with
// which the process then ends is ignored.
//
// Goroutine: each pipe that is read or written has a goroutine of its own, or a worker, see [On];
// lines are emitted there. Output panics if make is nil.
func Output(make func(context.Context) *exec.Cmd, opts ...OutputOption) flux.Flux[Line] {
	const op = "execstream.output"
	argument.NotNil(op, "function that makes the command", make)
	c := config{grace: 5 * time.Second, maxLine: 1 << 20}
	for _, o := range argument.Options(op, opts) {
		o.applyOutput(&c)
	}
	argument.Positive(op, "longest line", c.maxLine)
	argument.NotNegative(op, "grace", c.grace)
	start := blocking.Call(op, c.on, func(ctx context.Context) (*process, error) { return startProcess(op, make(ctx), &c) })
	ended := func(*process) mono.Mono[Line] { return mono.Empty[Line]() }
	stop := func(p *process) mono.Mono[Line] {
		return blocking.Cleanup[Line](p.on, p.stop)
	}
	return flux.UsingWhenOutcome(start, (*process).lines,
		ended, func(p *process, _ error) mono.Mono[Line] { return stop(p) }, stop)
}

// process is a process that was started. Somebody has to wait for it.
type process struct {
	op             string
	c              *config
	on             schedulers.Scheduler
	cmd            *exec.Cmd
	stdout, stderr output
	stdin          input        // of nothing without Stdin
	said           string       // the last line on stderr that is not empty; written by who reads stderr, then read by status
	wait           func() error // once, for all who call it
	stopped        atomic.Bool  // what is read now, and how it ends, is of no interest
}

func startProcess(op string, cmd *exec.Cmd, c *config) (*process, error) {
	if cmd == nil {
		return nil, reactor.Failure(op, ErrStart, "the function that makes the command returned none")
	}
	p := &process{op: op, c: c, on: c.on, cmd: cmd, wait: sync.OnceValue(cmd.Wait)}
	if p.on == nil {
		// In a lane, a worker that waits for one pipe may hold up the one that reads the other pipe, which has to be read first.
		p.on = blocking.Waiting()
	}
	var errs [3]error
	p.stdout.r, errs[0] = cmd.StdoutPipe()
	p.stderr.r, errs[1] = cmd.StderrPipe()
	if c.stdin != nil {
		p.stdin.w, errs[2] = cmd.StdinPipe()
	}
	if err := errors.Join(errs[:]...); err != nil {
		cmd.Err = err
	}
	if err := cmd.Start(); err != nil { // which has closed the pipes, both ends of them
		return nil, reactor.Failure(op, ErrStart, "%s", cmd.Path).CausedBy(err)
	}
	return p, nil
}

// close closes our ends of the pipes, on the goroutine of stop.
func (p *process) close() {
	for _, c := range []io.Closer{p.stdout, p.stderr, p.stdin} {
		_ = c.Close()
	}
}

// output is a pipe that the process writes to, nil if it could not be made.
type output struct{ r io.ReadCloser }

func (o output) Read(p []byte) (int, error) { return o.r.Read(p) }
func (o output) Close() error               { return closed(o.r) }

// input is the pipe that the process reads.
type input struct{ w io.WriteCloser }

func (i input) Write(p []byte) (int, error) {
	n, err := i.w.Write(p)
	return n, i.failed(err)
}

func (i input) Close() error { return i.failed(closed(i.w)) }

// failed marks err as that of the pipe: what the source fails with may look the same.
func (i input) failed(err error) error {
	if err == nil {
		return nil
	}
	return &inputError{err, i}
}

// broke reports whether err comes from the pipe.
func (i input) broke(err error) bool {
	own, ok := errors.AsType[*inputError](err)
	return ok && own.pipe == i
}

// gone reports whether err says that the process has closed the pipe.
func (i input) gone(err error) bool {
	return i.broke(err) && closedThere(runtime.GOOS, err)
}

// closedThere reports whether err is that of a pipe whose reader has closed it, or that was closed here. Windows has errors of
// its own for that, ERROR_BROKEN_PIPE and ERROR_NO_DATA, whose numbers are something else elsewhere.
func closedThere(system string, err error) bool {
	if system == "windows" && (errors.Is(err, syscall.Errno(109)) || errors.Is(err, syscall.Errno(232))) {
		return true
	}
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed)
}

// inputError is an error of a pipe.
type inputError struct {
	error
	pipe input
}

func (e *inputError) Unwrap() error { return e.error }

// closed closes a pipe that may be closed already, because the wait for a process
// closes its pipes.
func closed(c io.Closer) error {
	if c == nil {
		return nil
	}
	if err := c.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// lines emits what the process writes, and then how it has ended. Its input ends with it.
//
// How it has ended is a part of the merge that waits for the others, not a stream behind it: that would be a
// stage more for each line.
func (p *process) lines() flux.Flux[Line] {
	silent, over := sinks.Empty[Line](), sinks.Empty[Line]()
	rest := countdown(2, func() { over.TryEmitEmpty() })
	written := countdown(2, func() {
		silent.TryEmitEmpty()
		rest()
	})
	parts := []flux.Flux[Line]{
		flux.From[Line](labelled{src: p.text(p.stdout), p: p, s: Stdout, ended: written}),
		flux.From[Line](labelled{src: p.text(p.stderr), p: p, s: Stderr, ended: written}),
		flux.From[Line](mono.From[Line](over).ThenMono(mono.FromRunnable[Line](p.status).SubscribeOn(p.on))),
	}
	if p.stdin.w == nil {
		rest()
	} else {
		parts = append(parts, p.feed(silent).DoOnComplete(rest))
	}
	return flux.MergeSlice(parts)
}

// countdown returns a function whose n-th call calls fn.
func countdown(n int32, fn func()) func() {
	left := new(atomic.Int32)
	left.Store(n)
	return func() {
		if left.Add(-1) == 0 {
			fn()
		}
	}
}

func (p *process) text(pipe output) flux.Flux[string] {
	return bytestream.Lines(bytestream.From(pipe), bytestream.MaxLine(p.c.maxLine), bytestream.On(p.on))
}

// labelled makes lines of a text, and of what the pipe fails with a failure of the process: both at once, because each
// stage costs a line something.
type labelled struct {
	protocol.Op
	src   flux.Flux[string]
	p     *process
	s     Stream
	ended func() // called at the end of the text
}

func (l labelled) Subscribe(ctx context.Context, s reactor.Subscriber[Line]) {
	l.src.Subscribe(ctx, &label{labelled: l, down: protocol.Strict(ctx, s)})
}

type label struct {
	protocol.Inner
	labelled
	down reactor.Subscriber[Line]
}

func (l *label) OnSubscribe(up reactor.Subscription) { l.down.OnSubscribe(up) }

func (l *label) OnNext(text string) {
	l.note(text)
	l.down.OnNext(Line{l.s, text})
}

// Push implements protocol.Pusher.
func (l *label) Push() func(string) {
	next, s := protocol.Push(l.down), l.s
	if s == Stderr {
		return func(text string) {
			l.note(text)
			next(Line{s, text})
		}
	}
	return func(text string) { next(Line{s, text}) }
}

// note keeps what may explain how the process ends.
func (l *label) note(text string) {
	if l.s == Stderr && text != "" {
		l.p.said = text
	}
}

// OnError leaves failures of stages downstream alone. A pipe that stop has closed is no failure:
// the merge hears of a cancellation only when it has delivered the line that is on its way.
func (l *label) OnError(err error) {
	if unreadable(err) {
		if l.p.stopped.Load() {
			l.down.OnComplete()
			return
		}
		err = l.p.broken(l.s.String())(err)
	}
	l.down.OnError(err)
}

func (l *label) OnComplete() {
	defer l.down.OnComplete() // even if who hears that the text has ended, the input, ends the goroutine
	l.ended()
}

// unreadable reports whether err says that a pipe can't be read, also if a hook has put something around it. What a
// function downstream has panicked with may look the same.
func unreadable(err error) bool {
	if _, panicked := errors.AsType[*reactor.PanicError](err); panicked {
		return false
	}
	return slices.ContainsFunc(readFailures, func(kind error) bool { return errors.Is(err, kind) })
}

// readFailures are what bytestream.Lines fails with here.
var readFailures = []error{bytestream.ErrRead, bytestream.ErrTooLong, bytestream.ErrClose, reactor.ErrRejected}

// broken returns the function that makes the failure of a pipe one of the process.
func (p *process) broken(pipe string) func(error) error {
	return func(err error) error {
		return reactor.Failure(p.op, ErrPipe, "%s of %s", pipe, p.cmd.Path).CausedBy(err)
	}
}

// feed writes the standard input, until the process has ended: a process that writes nothing more
// may still read. Nobody waits for the process before it has closed its output, because the wait
// closes the pipes. It is no failure if the process has closed its input.
func (p *process) feed(silent reactor.Publisher[Line]) flux.Flux[Line] {
	gone := mono.From(silent).ThenMono(mono.FromRunnable[Line](func() error {
		_ = p.wait() // for status
		return nil
	}).SubscribeOn(p.on))
	open := func(context.Context) (io.WriteCloser, error) { return p.stdin, nil }
	return flux.From(bytestream.Write(p.c.stdin, open, bytestream.On(p.on))).
		OnErrorComplete(flux.WhenError(p.stdin.gone)).
		OnErrorMap(p.broken("stdin"), flux.WhenError(p.stdin.broke)).
		MapOptional(func(int64) (Line, bool) { return Line{}, false }).
		TakeUntilOther(gone)
}

// status waits for the end of the process.
func (p *process) status() error {
	err := p.wait()
	switch {
	case err == nil || p.stopped.Load():
		return nil
	case p.said == "":
		return reactor.Failure(p.op, ErrExit, "%s", p.cmd.Path).CausedBy(err)
	}
	return reactor.Failure(p.op, ErrExit, "%s, whose last line on stderr was %.200q", p.cmd.Path, p.said).CausedBy(err)
}

// stop ends the process, and waits for that.
func (p *process) stop() error {
	p.stopped.Store(true)
	p.close()
	kill := func() { _ = p.cmd.Process.Kill() } // that it has ended is no failure
	var unset func() bool
	if err := p.interrupt(); err != nil {
		kill()
	} else {
		unset = live.After(p.c.grace, kill)
	}
	_ = p.wait()
	if unset != nil {
		unset()
	}
	return nil
}

// interrupt asks the process to end; an error says that it must be killed.
func (p *process) interrupt() error {
	if p.c.grace <= 0 {
		return errors.ErrUnsupported
	}
	if err := p.cmd.Process.Signal(os.Interrupt); !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// Discarded implements reactor.Discardable: nobody has got the process. It does not wait for the
// end of the process, because the caller may be one that cancels.
func (p *process) Discarded() { blocking.Aside(func() { _ = p.stop() }) }
