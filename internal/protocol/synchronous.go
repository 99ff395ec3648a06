package protocol

import "github.com/goreactor/reactor"

// Synchronous is a Subscription that sends everything, elements and the end, from
// within its Request: on the goroutine that calls it and before the call returns,
// as many elements as were asked for unless the stream ends or is cancelled before.
//
// A stage that alone calls Request, one call at a time, may therefore use it like
// a function that produces elements: without a queue in between and without
// synchronisation per element. Stages that hand upstream's subscription down
// unchanged, such as map, keep that property.
type Synchronous interface {
	reactor.Subscription
	// Feeds reports whether s is the very subscriber that is sent to, with no stage,
	// hence no user function, in between. Such a source does not fail by itself: its
	// OnError reports an element that has failed on its way down. A source that wants
	// to be asked as any other source is reports false.
	Feeds(s any) bool
}
