package operators

import "github.com/goreactor/reactor"

// Share lets all subscribers use one run of src, which begins with the first subscriber
// and is cancelled when the last one has cancelled: it is [Publish] with [RefCount].
//
//	src:  1 --- 2 --- 3 --- 4 |
//	      Share()
//	out:  1 --- 2 --- 3 --- 4 |
//	out:     -- 2 --- 3 --- 4 |      a second subscriber
//
// A subscriber that comes after the end begins a new run. Demand, errors and goroutines
// are as with [Publish].
func Share[T any](src reactor.Publisher[T]) reactor.Publisher[T] {
	return RefCount(ConnectablePublisher[T](newPublish("share", src, int64(defaultHopPrefetch()))), 1)
}
