package fsnotify_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	fs "github.com/fsnotify/fsnotify"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/interop/fsnotify"
)

// An editor makes several events of one file when it saves. Here they are gathered until a
// tenth of a second has passed, and each file is mentioned once in a list. A busy machine may
// need more than one list for all of them.
func ExampleWatch() {
	dir, err := os.MkdirTemp("", "watch")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	save := flux.Push(func(s *flux.Sink[fs.Event]) { // what an editor would do, once the folder is watched
		for _, file := range []string{"a.txt", "b.txt", "a.txt"} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte("text"), 0o644); err != nil {
				s.Error(err)
				return
			}
		}
		s.Complete()
	})
	saved := map[string]bool{}
	err = flux.Merge[fs.Event](fsnotify.Watch([]string{dir}), save).
		Map(func(e fs.Event) string { return filepath.Base(e.Name) }).
		BufferTimeout(1000, 100*time.Millisecond).
		TakeUntil(func(names []string) bool {
			slices.Sort(names)
			for _, name := range slices.Compact(names) {
				saved[name] = true
			}
			return saved["a.txt"] && saved["b.txt"]
		}).
		Run(ctx)
	fmt.Println(slices.Sorted(maps.Keys(saved)), err)
	// Output:
	// [a.txt b.txt] <nil>
}

func ExampleBuffer() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	// Up to a hundred events are taken from the kernel while the reader is busy.
	err := fsnotify.Watch([]string{"."}, fsnotify.Buffer(100)).Run(ctx)
	fmt.Println(err)
	// Output:
	// context canceled
}
