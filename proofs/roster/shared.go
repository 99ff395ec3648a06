package roster

import (
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

// What subscribers share. A history is kept for those who are still to come, and a
// connection that nobody has ended goes on: there the books can't be balanced.
var (
	hot     = Traits{Hot: true}
	keeping = Traits{Hot: true, Swallows: true}
)

// sharing are the stages that connect several subscribers to one subscription.
func sharing[T any]() []Stage[T] {
	return []Stage[T]{
		plain("publish autoConnect", keeping, func(src Publisher[T]) Publisher[T] {
			return operators.AutoConnect(operators.Publish(src), 1)
		}).keeping("subscribers may come"),
		plain("publish refCount", hot, func(src Publisher[T]) Publisher[T] {
			return operators.RefCount(operators.Publish(src, operators.Prefetch(2)), 1)
		}),
		onScheduler("refCount with grace", hot, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.RefCount(operators.Publish(src), 1, operators.Grace(1000), operators.On(s))
		}),
		plain("share", hot, operators.Share[T]),
		plain("shareNext", keeping, operators.ShareNext[T]).keeping("subscribers may come"),
		plain("publishSelector", whole, func(src Publisher[T]) Publisher[T] { return operators.PublishSelector(src, same[Publisher[T]]) }),
		plain("publishSelector that cuts", partial, func(src Publisher[T]) Publisher[T] {
			return operators.PublishSelector(src, func(shared Publisher[T]) Publisher[T] { return operators.Take(shared, 2) })
		}),
		plain("replay refCount", keeping, func(src Publisher[T]) Publisher[T] { return operators.RefCount(operators.Replay(src), 1) }).keeping("subscribers may come"),
		plain("replay the last", keeping, func(src Publisher[T]) Publisher[T] {
			return operators.AutoConnect(operators.Replay(src, operators.History(1)), 1)
		}).keeping("subscribers may come"),
		onScheduler("replay for a time", keeping, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.AutoConnect(operators.Replay(src, operators.TTL(1000), operators.On(s)), 1)
		}).keeping("subscribers may come"),
		plain("cache", keeping, func(src Publisher[T]) Publisher[T] { return operators.Cache(src) }).keeping("subscribers may come"),
	}
}
