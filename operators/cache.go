package operators

import "github.com/goreactor/reactor"

// Cache runs src once for all subscribers and keeps its elements and its end for later
// subscribers: it is [Replay] with [AutoConnect].
//
//	src:  1 --- 2 --- 3 |
//	      Cache()
//	out:  1 --- 2 --- 3 |
//	out:         1 2 - 3 |           a second subscriber
//	out:                  1 2 3 |    one that came after
//
// The run begins when the first subscriber comes, with the values of its context, and goes
// on when all subscribers have left. What is kept, demand, errors and goroutines are as
// with [Replay].
func Cache[T any](src reactor.Publisher[T], opts ...ReplayOption) reactor.Publisher[T] {
	return AutoConnect(newReplay("cache", src, opts), 1)
}
