package fsnotify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	fs "github.com/fsnotify/fsnotify"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/argument"
)

// Option is an option of [Watch]: [Buffer].
type Option interface{ applyWatch(*config) }

type config struct{ buffer int }

// BufferOption is how many events wait outside of the kernel.
type BufferOption int

// Buffer sets how many events [Watch] takes from the kernel ahead of demand, beyond the one that it
// always takes ahead. Further events of a burst wait in the kernel's queue, whose size is a setting
// of the machine. Buffer panics if n is negative.
func Buffer(n int) BufferOption {
	if n < 0 {
		panic(fmt.Sprintf("reactor: fsnotify.watch: buffer must not be negative, got %d", n))
	}
	return BufferOption(n)
}

func (o BufferOption) applyWatch(c *config) { c.buffer = int(o) }

// Watch returns the Flux of what happens to the files and in the folders with the given paths, not
// in the folders below these, for as long as somebody is subscribed. Each subscription has a
// watcher of its own; put Share behind Watch if there are several subscribers. Watch panics if
// there is no path, or if an option is nil.
//
//	      Watch([]string{"config"})
//	out:  CREATE config/a --- WRITE config/a --- REMOVE config/a ---
//
// Demand: an event is taken from the kernel when there is demand for it, and one event ahead (see
// [Buffer]). Other events wait in the queue of the kernel.
//
// Errors: if that queue is full, events are lost, and the stream ends with an error that matches
// reactor.ErrOverflow and the library's ErrEventOverflow: what the program knows of the files may
// be out of date, so read them again, and subscribe again with Retry. A path that can't be watched,
// and any other error of the watcher, end the stream as well. The messages name the path, or how
// many events came before. Events that are then still in the [Buffer] are lost. The removal of a
// watched file or folder is an event; it does not end the stream.
//
// Cancellation: the watcher is closed before Cancel returns; events that it still has are lost. An
// error of closing is reported as a dropped error.
//
// Goroutine: each subscription has a goroutine on which events are emitted, another one that waits
// for errors, and that of the watcher.
func Watch(paths []string, opts ...Option) flux.Flux[fs.Event] {
	if len(paths) == 0 {
		panic("reactor: fsnotify.watch: there is no path")
	}
	paths = slices.Clone(paths)
	var c config
	for _, o := range argument.Options("fsnotify.watch", opts) {
		o.applyWatch(&c)
	}
	return flux.Using(
		func(context.Context) (*watcher, error) { return open(paths, c) },
		(*watcher).stream,
		(*watcher).close,
	)
}

// watcher is the resource of one subscription.
type watcher struct {
	fs    *fs.Watcher
	taken atomic.Int64 // events so far, without one that is on its way to the counter
}

// open makes a watcher of all paths, or of none.
func open(paths []string, c config) (*watcher, error) {
	library, err := fs.NewBufferedWatcher(uint(c.buffer))
	if err != nil {
		return nil, fmt.Errorf("reactor: fsnotify.watch: %w", err)
	}
	for i, path := range paths {
		if err := library.Add(path); err != nil {
			err = fmt.Errorf("reactor: fsnotify.watch: path %d of %d, %q: %w", i+1, len(paths), path, err)
			return nil, errors.Join(err, library.Close())
		}
	}
	return &watcher{fs: library}, nil
}

// stream returns what the watcher sees, for one subscriber. The library sends an error after what
// came before it has been received, so nothing is lost by reading two channels.
func (w *watcher) stream() flux.Flux[fs.Event] {
	failure := flux.FromChan(w.fs.Errors).TryMap(func(err error) (error, error) { return nil, w.failure(err) })
	return flux.FromChan(w.fs.Events).
		DoOnNext(func(fs.Event) { w.taken.Add(1) }).
		TakeUntilOther(failure)
}

// failure says what went wrong, and when.
func (w *watcher) failure(err error) error {
	if errors.Is(err, fs.ErrEventOverflow) {
		return reactor.Failure("fsnotify.watch", reactor.ErrOverflow,
			"events were lost after the first %d", w.taken.Load()).CausedBy(err)
	}
	return fmt.Errorf("reactor: fsnotify.watch: after %d events: %w", w.taken.Load(), err)
}

// close ends the watcher. Using calls it once.
func (w *watcher) close() error { return w.fs.Close() }
