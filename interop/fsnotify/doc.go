// Package fsnotify makes a stream of what happens to files and folders, with
// github.com/fsnotify/fsnotify. Its name is that of the other package, so one of the two
// needs another name where both are imported:
//
//	import (
//		fs "github.com/fsnotify/fsnotify"
//		"github.com/goreactor/reactor/interop/fsnotify"
//	)
//
//	saved := fsnotify.Watch([]string{"config"}).
//		Filter(func(e fs.Event) bool { return e.Has(fs.Write) }).
//		SampleTimeoutFor(100 * time.Millisecond) // once it is quiet again
//
// It is a module of its own, so that other programs do not get its dependencies.
package fsnotify
