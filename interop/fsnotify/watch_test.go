package fsnotify_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	fs "github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/beside"
	"github.com/goreactor/reactor/interop/fsnotify"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/reactortest/tck"
	"github.com/goreactor/reactor/schedulers"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		schedulers.ShutdownNow()
		os.Exit(code)
	}))
}

func write(t testing.TB, path, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}

// descriptors returns how many files this process has open; on systems that do not tell, 0.
func descriptors() int {
	entries, _ := os.ReadDir("/proc/self/fd")
	return len(entries)
}

func TestWatch(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	before := descriptors()
	s := reactortest.Subscribe(t, fsnotify.Watch([]string{one, two}))
	a, b := filepath.Join(one, "a"), filepath.Join(two, "b")
	write(t, a, "1")
	s.ExpectNext(fs.Event{Name: a, Op: fs.Create}, fs.Event{Name: a, Op: fs.Write})
	require.NoError(t, os.Remove(a))
	s.ExpectNext(fs.Event{Name: a, Op: fs.Remove})
	write(t, b, "")
	s.ExpectNext(fs.Event{Name: b, Op: fs.Create})
	s.Cancel()
	assert.Equal(t, before, descriptors(), "closed when Cancel has returned")
	write(t, a, "2")
	assert.Len(t, s.Values(), 4)
}

func TestWatchReadsOnDemand(t *testing.T) {
	for name, c := range map[string]struct {
		opts  []fsnotify.Option
		ahead int
	}{
		"one ahead": {nil, 1},
		"and a few": {[]fsnotify.Option{fsnotify.Buffer(3)}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var discarded atomic.Int64
			ctx := reactor.AddDiscard(t.Context(), func(any) { discarded.Add(1) })
			s := reactortest.Subscribe(t, fsnotify.Watch([]string{dir}, c.opts...), reactortest.InitialRequest(0), reactortest.InContext(ctx))
			for i := range 20 {
				write(t, filepath.Join(dir, strconv.Itoa(i)), "")
			}
			for i := range 20 {
				s.Request(1)
				s.ExpectNext(fs.Event{Name: filepath.Join(dir, strconv.Itoa(i)), Op: fs.Create})
				assert.Len(t, s.Values(), i+1)
			}
		})
	}
}

func TestWatchBadPaths(t *testing.T) {
	before := descriptors()
	dir := t.TempDir()
	gone := filepath.Join(dir, "gone")
	err := fsnotify.Watch([]string{dir, gone}).Run(t.Context())
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, fmt.Sprintf("reactor: fsnotify.watch: path 2 of 2, %q: ", gone))
	assert.Equal(t, before, descriptors())
	assert.PanicsWithValue(t, "reactor: fsnotify.watch: there is no path", func() { fsnotify.Watch(nil) })
	assert.PanicsWithValue(t, "reactor: fsnotify.watch: option 2 is nil", func() {
		fsnotify.Watch([]string{"."}, fsnotify.Buffer(1), nil)
	})
	assert.PanicsWithValue(t, "reactor: fsnotify.watch: buffer must not be negative, got -1", func() { fsnotify.Buffer(-1) })
}

func TestWatchEndOfContext(t *testing.T) {
	cause := errors.New("shut down")
	ctx, cancel := context.WithCancelCause(t.Context())
	before := descriptors()
	s := reactortest.Subscribe(t, fsnotify.Watch([]string{t.TempDir()}), reactortest.InContext(ctx))
	cancel(cause)
	s.ExpectErrorIs(cause)
	require.Eventually(t, func() bool { return descriptors() == before }, 10*time.Second, time.Millisecond)
}

func TestWatchSurvivesTheRemovalOfItsFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	require.NoError(t, os.Mkdir(dir, 0o755))
	s := reactortest.Subscribe(t, fsnotify.Watch([]string{dir}))
	require.NoError(t, os.Remove(dir))
	s.ExpectNext(fs.Event{Name: dir, Op: fs.Remove})
	assert.False(t, s.IsTerminated())
}

// More events than the kernel keeps: the stream says that some are lost, after those it has.
func TestWatchOverflow(t *testing.T) {
	setting, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		t.Skip("how many events are kept is known of Linux only")
	}
	most, err := strconv.Atoi(strings.TrimSpace(string(setting)))
	require.NoError(t, err)
	if most > 200_000 {
		t.Skipf("the kernel keeps %d events", most)
	}
	dir := t.TempDir()
	before := descriptors()
	s := reactortest.Subscribe(t, fsnotify.Watch([]string{dir}), reactortest.InitialRequest(1), reactortest.Patience(time.Minute))
	change := changer(t, dir)
	for range most + 5000 { // some are read ahead, in the library and in a buffer of it
		change()
	}
	s.Request(reactor.Unbounded)
	s.AwaitEnd()
	err = s.Err()
	assert.ErrorIs(t, err, reactor.ErrOverflow)
	assert.ErrorIs(t, err, fs.ErrEventOverflow)
	n := len(s.Values())
	assert.GreaterOrEqual(t, n, most)
	// The error may come while the last event is on its way, which is not counted then.
	said := func(n int) string {
		return fmt.Sprintf("reactor: fsnotify.watch: overflow: events were lost after the first %d: fsnotify: queue or buffer overflow", n)
	}
	assert.Contains(t, []string{said(n), said(n - 1)}, err.Error())
	assert.Equal(t, before, descriptors())
}

// changer returns a function that makes one event in dir.
func changer(t testing.TB, dir string) func() {
	// Two in turn: the kernel makes one of equal events that follow each other.
	files := []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}
	for _, file := range files {
		write(t, file, "")
	}
	i := 0
	return func() {
		i++
		if err := os.Chmod(files[i%2], 0o600); err != nil {
			t.Error(err)
		}
	}
}

// Closing takes the kernel some milliseconds.
func TestWatchManyCancellations(t *testing.T) {
	dir := t.TempDir()
	change := changer(t, dir)
	before := descriptors()
	f := fsnotify.Watch([]string{dir})
	for i := range 300 {
		s := reactortest.NewTestSubscriber[fs.Event](t, reactortest.InitialRequest(int64(i%3)))
		f.Subscribe(t.Context(), s)
		for range i % 4 {
			change()
		}
		s.Cancel()
	}
	assert.Equal(t, before, descriptors())
}

func TestWatchConformance(t *testing.T) {
	dir := t.TempDir()
	change := changer(t, dir)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { // something happens all the time
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Microsecond):
				change()
			}
		}
	}()
	defer func() { close(stop); <-stopped }()
	tck.VerifyPublisher(t, tck.Publisher[fs.Event]{
		Create: func(n int64) reactor.Publisher[fs.Event] { return fsnotify.Watch([]string{dir}).Take(int(n)) },
		Failed: func() reactor.Publisher[fs.Event] { return fsnotify.Watch([]string{filepath.Join(dir, "gone")}) },
		Max:    1000,
	}, tck.Rounds(3), tck.Timeout(20*time.Second), tck.Quiet(20*time.Millisecond))
}

const burst = 4000

// Each side has a folder of its own.
func BenchmarkWatch(b *testing.B) {
	beside.Run(b, func(b *testing.B) func() {
		dir := b.TempDir()
		change := changer(b, dir)
		w, err := fs.NewWatcher()
		require.NoError(b, err)
		b.Cleanup(func() { w.Close() })
		require.NoError(b, w.Add(dir))
		read := make(chan struct{})
		go func() {
			n := 0
			for range w.Events {
				if n++; n%burst == 0 {
					read <- struct{}{}
				}
			}
		}()
		return func() {
			for range burst {
				change()
			}
			<-read
		}
	}, func(b *testing.B) func() {
		dir := b.TempDir()
		change := changer(b, dir)
		read := make(chan struct{})
		n := 0
		b.Cleanup(fsnotify.Watch([]string{dir}).SubscribeFunc(b.Context(), func(fs.Event) {
			if n++; n%burst == 0 {
				read <- struct{}{}
			}
		}).Dispose)
		return func() {
			for range burst {
				change()
			}
			<-read
		}
	})
}
