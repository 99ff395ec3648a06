package execstream_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/adapt/execstream"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/reactortest/tck"
	"github.com/goreactor/reactor/schedulers"
)

var errBoom = errors.New("boom")

// children are what the test binary does as a child.
var children = map[string]func(){
	"both": func() {
		out, err := bufio.NewWriter(os.Stdout), bufio.NewWriter(os.Stderr)
		n, _ := strconv.Atoi(os.Getenv("EXECSTREAM_N"))
		for i := range n {
			fmt.Fprintln(out, "out", i)
			fmt.Fprintln(err, "err", i)
		}
		out.Flush()
		err.Flush()
	},
	"fail": func() { fmt.Println("last words"); os.Exit(3) },
	"complain": func() {
		fmt.Fprint(os.Stderr, "usage: complain\nno such table\n\n")
		os.Exit(3)
	},
	"sleep": func() { fmt.Println("ready"); time.Sleep(time.Minute) },
	"stubborn": func() {
		signal.Ignore(os.Interrupt)
		fmt.Println("ready")
		time.Sleep(time.Minute)
	},
	"cat": func() {
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() {
			fmt.Println(lines.Text())
		}
		if lines.Err() != nil {
			os.Exit(1)
		}
	},
	"deaf": func() { fmt.Println("ready"); time.Sleep(50 * time.Millisecond) },
	"silent": func() { // reads all when it has closed its outputs
		os.Stdout.Close()
		os.Stderr.Close()
		text, _ := io.ReadAll(os.Stdin)
		if string(text) != "abc" {
			os.Exit(3)
		}
	},
	"long": func() { fmt.Println(strings.Repeat("x", 1000)) },
	"endless": func() {
		for {
			if _, err := fmt.Println("line"); err != nil {
				os.Exit(1)
			}
		}
	},
}

// started are the commands of a test.
type started struct {
	mu   sync.Mutex
	cmds []*exec.Cmd
}

func (s *started) list() []*exec.Cmd {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.cmds)
}

func (s *started) child(behaviour string, n int) func(context.Context) *exec.Cmd {
	return func(context.Context) *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "EXECSTREAM_CHILD="+behaviour, "EXECSTREAM_N="+strconv.Itoa(n))
		s.mu.Lock()
		defer s.mu.Unlock()
		s.cmds = append(s.cmds, cmd)
		return cmd
	}
}

// waited is what holds in the end: all processes have ended, and somebody has waited for them.
func (s *started) waited(t *testing.T) {
	t.Helper()
	for _, cmd := range s.list() {
		assert.NotNil(t, cmd.ProcessState, "a zombie")
	}
}

func TestBigOutputOnBothPipes(t *testing.T) {
	const n = 50_000
	var s started
	counts := map[execstream.Stream]int{}
	err := execstream.Output(s.child("both", n)).ForEach(t.Context(), func(l execstream.Line) {
		if want := fmt.Sprint(map[execstream.Stream]string{execstream.Stdout: "out ", execstream.Stderr: "err "}[l.Stream], counts[l.Stream]); l.Text != want {
			t.Fatalf("got %v, want %q", l, want)
		}
		counts[l.Stream]++
	})
	require.NoError(t, err)
	assert.Equal(t, map[execstream.Stream]int{execstream.Stdout: n, execstream.Stderr: n}, counts)
	s.waited(t)
}

// A command is made with each subscription: whose slice the arguments came from may use it again.
func TestCommandKeepsItsArguments(t *testing.T) {
	args := []string{"a", "b"}
	command := execstream.Command("program", args...)
	args[0] = "c"
	assert.Equal(t, []string{"program", "a", "b"}, command(t.Context()).Args)
}

func TestStatus(t *testing.T) {
	var s started
	sub := reactortest.Subscribe(t, execstream.Output(s.child("fail", 0)), reactortest.Patience(time.Minute))
	sub.ExpectNext(execstream.Line{execstream.Stdout, "last words"})
	err := sub.ExpectError()
	assert.ErrorIs(t, err, execstream.ErrExit)
	exit, ok := errors.AsType[*exec.ExitError](err)
	require.True(t, ok)
	assert.Equal(t, 3, exit.ExitCode())
	assert.EqualError(t, err, "reactor: execstream.output: process failed: "+os.Args[0]+": exit status 3")
	s.waited(t)
}

// TestStatusSaysWhy: whoever collects lines gets none of them with an error.
func TestStatusSaysWhy(t *testing.T) {
	for name, lines := range map[string]func(flux.Flux[execstream.Line]) flux.Flux[execstream.Line]{
		"as they come": func(f flux.Flux[execstream.Line]) flux.Flux[execstream.Line] { return f },
		"behind a filter": func(f flux.Flux[execstream.Line]) flux.Flux[execstream.Line] {
			return f.Filter(func(execstream.Line) bool { return true })
		},
	} {
		t.Run(name, func(t *testing.T) {
			var s started
			_, err := lines(execstream.Output(s.child("complain", 0))).Collect(t.Context())
			assert.EqualError(t, err, "reactor: execstream.output: process failed: "+os.Args[0]+`, whose last line on stderr was "no such table": exit status 3`)
			s.waited(t)
		})
	}
}

func TestStartFails(t *testing.T) {
	_, err := execstream.Output(execstream.Command("/no/such/program")).Collect(t.Context())
	assert.ErrorIs(t, err, execstream.ErrStart)
	assert.EqualError(t, err, "reactor: execstream.output: start failed: /no/such/program: fork/exec /no/such/program: no such file or directory")
	_, err = execstream.Output(func(context.Context) *exec.Cmd { return nil }).Collect(t.Context())
	assert.ErrorIs(t, err, execstream.ErrStart)
	assert.EqualError(t, err, "reactor: execstream.output: start failed: the function that makes the command returned none")
	_, err = execstream.Output(func(context.Context) *exec.Cmd { panic("boom") }).Collect(t.Context())
	assert.EqualError(t, err, "reactor: execstream.output: panic: boom")
	_, err = execstream.Output(func(context.Context) *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Stdout = os.Stdout
		return cmd
	}).Collect(t.Context())
	assert.ErrorIs(t, err, execstream.ErrStart)
	assert.EqualError(t, err, "reactor: execstream.output: start failed: "+os.Args[0]+": exec: Stdout already set")
}

// Where one pipe can't be made, nothing is left of the others.
func TestPipesThatCannotBeMade(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Stderr = io.Discard
	_, err := execstream.Output(func(context.Context) *exec.Cmd { return cmd }, execstream.Stdin(flux.Never[[]byte]())).Collect(t.Context())
	assert.EqualError(t, err, "reactor: execstream.output: start failed: "+os.Args[0]+": exec: Stderr already set")
	for _, end := range []any{cmd.Stdout, cmd.Stdin} { // the ends of the process
		file, ok := end.(*os.File)
		require.True(t, ok)
		assert.ErrorIs(t, file.Close(), os.ErrClosed)
	}
}

func TestChildThatIsKilled(t *testing.T) {
	var s started
	sub := reactortest.Subscribe(t, execstream.Output(s.child("sleep", 0)), reactortest.Patience(time.Minute))
	sub.ExpectNextCount(1)
	require.NoError(t, s.list()[0].Process.Kill())
	err := sub.ExpectError()
	assert.ErrorIs(t, err, execstream.ErrExit)
	assert.EqualError(t, err, "reactor: execstream.output: process failed: "+os.Args[0]+": signal: killed")
	s.waited(t)
}

// ended runs fn with a pool of its own and waits until nothing runs there any more.
func ended(t *testing.T, fn func(on execstream.OnOption)) {
	t.Helper()
	pool, err := schedulers.NewBoundedElastic(8, 1000, "processes")
	require.NoError(t, err)
	fn(execstream.On(pool))
	require.NoError(t, pool.DisposeGracefully(t.Context()))
}

func TestCancel(t *testing.T) {
	for _, behaviour := range []string{"sleep", "endless", "stubborn"} {
		var s started
		begin := time.Now()
		ended(t, func(on execstream.OnOption) {
			grace := execstream.Grace(time.Hour)
			if behaviour == "stubborn" {
				grace = execstream.Grace(50 * time.Millisecond)
			}
			sub := reactortest.Subscribe(t, execstream.Output(s.child(behaviour, 0), on, grace), reactortest.InitialRequest(1), reactortest.Patience(time.Minute))
			sub.ExpectNextCount(1)
			sub.Cancel()
			eventually(t, func() bool { return len(s.list()) == 1 && exited(s.list()[0]) })
		})
		s.waited(t)
		assert.Less(t, time.Since(begin), 30*time.Second)
	}
}

// A process is interrupted, and killed if it does not end then, or shall not have the time.
func TestHowAProcessIsEnded(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals")
	}
	for _, c := range []struct {
		behaviour string
		grace     time.Duration
		want      string
	}{
		{"sleep", time.Hour, "signal: interrupt"},
		{"sleep", 0, "signal: killed"},
		{"stubborn", 10 * time.Millisecond, "signal: killed"},
	} {
		var s started
		ended(t, func(on execstream.OnOption) {
			sub := reactortest.Subscribe(t, execstream.Output(s.child(c.behaviour, 0), on, execstream.Grace(c.grace)),
				reactortest.InitialRequest(1), reactortest.Patience(time.Minute))
			sub.ExpectNextCount(1)
			sub.Cancel()
			eventually(t, func() bool { return exited(s.list()[0]) })
		})
		s.waited(t)
		assert.Equal(t, c.want, s.list()[0].ProcessState.String(), c)
	}
}

// The names of the streams are those that everybody knows.
func TestNamesOfStreams(t *testing.T) {
	assert.Equal(t, []string{"stdout", "stderr"}, []string{execstream.Stdout.String(), execstream.Stderr.String()})
}

// exited reports whether signals don't reach the process any more, because it was waited for. It asks by one that does nothing.
func exited(cmd *exec.Cmd) bool {
	return errors.Is(cmd.Process.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// eventually polls what another process does.
func eventually(t *testing.T, cond func() bool) {
	t.Helper()
	for begin := time.Now(); !cond(); time.Sleep(time.Millisecond) {
		require.Less(t, time.Since(begin), time.Minute)
	}
}

// A scheduler that refuses, since it was disposed meanwhile, leaves no process behind.
func TestSchedulerThatRefusesToStop(t *testing.T) {
	for _, end := range []func(*reactortest.TestSubscriber[execstream.Line]){
		(*reactortest.TestSubscriber[execstream.Line]).Cancel,
		func(sub *reactortest.TestSubscriber[execstream.Line]) { // which asks the scheduler to read on
			sub.Request(reactor.Unbounded)
			sub.AwaitEnd()
			assert.ErrorIs(t, sub.Err(), reactor.ErrRejected)
		},
	} {
		var s started
		pool, err := schedulers.NewBoundedElastic(8, 1000, "processes")
		require.NoError(t, err)
		sub := reactortest.Subscribe(t, execstream.Output(s.child("endless", 0), execstream.On(pool)),
			reactortest.InitialRequest(1), reactortest.Patience(time.Minute))
		sub.ExpectNextCount(1)
		eventually(t, func() bool { return pool.Stats().Running == 1 }) // that waits for the other pipe
		pool.Dispose()
		end(sub)
		eventually(t, func() bool { return exited(s.list()[0]) })
	}
}

// What is kept and subscribed again finds the shared scheduler that there is by then.
func TestSharedSchedulerThatWasShutDown(t *testing.T) {
	var s started
	output := execstream.Output(s.child("cat", 0), execstream.Stdin(chunks("a\n")))
	for range 2 {
		got, err := output.Collect(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []execstream.Line{{execstream.Stdout, "a"}}, got)
		schedulers.ShutdownNow()
	}
	s.waited(t)
}

// The stream is cancelled while a line is on its way: the pipes are closed before those who read them have been
// told, and what they find then is no failure.
func TestCancelledByALine(t *testing.T) {
	gone, alive, err := os.Pipe()
	require.NoError(t, err)
	defer gone.Close()
	var s started
	child := func(ctx context.Context) *exec.Cmd {
		cmd := s.child("sleep", 0)(ctx)
		cmd.ExtraFiles = []*os.File{alive}
		return cmd
	}
	dropped := make(chan error, 10)
	ctx := reactor.WithHooks(t.Context(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { dropped <- err }})
	pool, err := schedulers.NewBoundedElastic(4, 10, "pipes")
	require.NoError(t, err)
	var up reactor.Subscription
	cancelled := make(chan struct{})
	execstream.Output(child, execstream.On(pool)).SubscribeFunc(ctx, func(execstream.Line) {
		defer close(cancelled)
		up.Cancel()
		_ = alive.Close()
		_, _ = io.Copy(io.Discard, gone) // until the process has ended
	}, flux.OnSubscribe(func(s reactor.Subscription) { up = s; s.Request(1) }))
	<-cancelled
	require.NoError(t, pool.DisposeGracefully(t.Context()))
	close(dropped)
	for err := range dropped {
		assert.NoError(t, err, "dropped")
	}
	s.waited(t)
}

func TestLineThatIsTooLong(t *testing.T) {
	var s started
	ended(t, func(on execstream.OnOption) {
		_, err := execstream.Output(s.child("long", 0), execstream.MaxLine(100), on).Collect(t.Context())
		assert.ErrorIs(t, err, bytestream.ErrTooLong)
		assert.ErrorIs(t, err, execstream.ErrPipe)
		assert.EqualError(t, err, "reactor: execstream.output: pipe failed: stdout of "+os.Args[0]+": reactor: bytestream.lines: too long: line 1, at byte 0: more than 100 bytes")
	})
	s.waited(t)
}

func chunks(parts ...string) flux.Flux[[]byte] {
	return flux.FromSlice(parts).Map(func(s string) []byte { return []byte(s) })
}

func TestStdin(t *testing.T) {
	var s started
	got, err := execstream.Output(s.child("cat", 0), execstream.Stdin(chunks("a\nb", "c\n"))).Collect(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []execstream.Line{{execstream.Stdout, "a"}, {execstream.Stdout, "bc"}}, got)

	// A child that never reads: what is left over is no error, and its stream is cancelled.
	cancelled := make(chan struct{})
	endless := flux.GenerateStateless(func(s *flux.SyncSink[[]byte]) { s.Next(make([]byte, 4096)) }).
		DoOnCancel(func() { close(cancelled) })
	got, err = execstream.Output(s.child("deaf", 0), execstream.Stdin(endless)).Collect(t.Context())
	require.NoError(t, err)
	assert.Len(t, got, 1)
	<-cancelled

	// Nor does a stream that has nothing to say hold up the end.
	_, err = execstream.Output(s.child("deaf", 0), execstream.Stdin(flux.Never[[]byte]())).Collect(t.Context())
	require.NoError(t, err)

	ended(t, func(on execstream.OnOption) {
		_, err = execstream.Output(s.child("cat", 0), execstream.Stdin(flux.Error[[]byte](errBoom)), on).Collect(t.Context())
		assert.ErrorIs(t, err, errBoom)
	})
	s.waited(t)
}

// A process gets all of its input, also when it has nothing more to say.
func TestStdinOfAProcessThatHasClosedItsOutputs(t *testing.T) {
	var s started
	late := chunks("a", "b", "c").DelayElements(20 * time.Millisecond)
	got, err := execstream.Output(s.child("silent", 0), execstream.Stdin(late)).Collect(t.Context())
	require.NoError(t, err)
	assert.Empty(t, got)
	s.waited(t)
}

// What the source of the input fails with is a failure, whatever it looks like.
func TestStdinThatFailsLikeAPipe(t *testing.T) {
	var s started
	for _, cause := range []error{os.ErrClosed, syscall.EPIPE, bytestream.ErrWrite} {
		failing := chunks("a\n").ConcatWith(flux.Error[[]byte](fmt.Errorf("source: %w", cause)))
		_, err := execstream.Output(s.child("cat", 0), execstream.Stdin(failing)).Collect(t.Context())
		assert.ErrorIs(t, err, cause)
		assert.NotErrorIs(t, err, execstream.ErrPipe)
	}
	s.waited(t)
}

// An input that ends the goroutine when it hears that it is not needed any more takes nothing from the output.
func TestStdinThatEndsTheGoroutineWhenItIsCancelled(t *testing.T) {
	var s started
	stdin := flux.Never[[]byte]().DoOnCancel(runtime.Goexit)
	got, err := execstream.Output(s.child("deaf", 0), execstream.Stdin(stdin)).Collect(t.Context())
	require.NoError(t, err)
	assert.Len(t, got, 1)
	s.waited(t)
}

func TestArguments(t *testing.T) {
	cmd := execstream.Command("x")
	//reactorvet:ignore they panic when they are put together
	for want, fn := range map[string]func(){
		"reactor: execstream.output: the function that makes the command is nil": func() { execstream.Output(nil) },
		"reactor: execstream.output: longest line must be positive, got 0":       func() { execstream.Output(cmd, execstream.MaxLine(0)) },
		"reactor: execstream.output: grace must not be negative, got -1s":        func() { execstream.Output(cmd, execstream.Grace(-time.Second)) },
		"reactor: execstream.stdin: the publisher is nil":                        func() { execstream.Stdin(nil) },
		"reactor: execstream.on: the scheduler is nil":                           func() { execstream.On(nil) },
	} {
		assert.PanicsWithValue(t, want, fn)
	}
}

func TestCompatibility(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a process for each of the kit's tests")
	}
	var s started
	tck.VerifyPublisher(t, tck.Publisher[execstream.Line]{
		Create: func(n int64) reactor.Publisher[execstream.Line] {
			if n == tck.Endless {
				return execstream.Output(s.child("endless", 0), execstream.Grace(0))
			}
			return flux.Defer(func(context.Context) flux.Flux[execstream.Line] {
				return execstream.Output(s.child("both", int(n+1)/2), execstream.Grace(0)).TakeWhile(even(n))
			})
		},
		Failed: func() reactor.Publisher[execstream.Line] {
			return execstream.Output(execstream.Command("/no/such/program"))
		},
		Max: 100,
	}, tck.Rounds(0), tck.Timeout(20*time.Second))
}

// even takes n lines of a child that writes pairs.
func even(n int64) func(execstream.Line) bool {
	return func(execstream.Line) bool { n--; return n >= 0 }
}

// A pipe that is silent keeps no lane from another one, whose process may have to be read before it says something there.
func TestOutputKeepsNoLane(t *testing.T) {
	var s started
	err := execstream.Output(s.child("sleep", 0)).Take(1).ForEach(t.Context(), func(execstream.Line) {
		stats := schedulers.BoundedElastic().Stats()
		assert.Zero(t, stats.Busy)
		assert.Zero(t, stats.Running)
	})
	require.NoError(t, err)
}
