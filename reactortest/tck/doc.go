// Package tck checks publishers, subscribers and processors against the rules of Reactive
// Streams. It is the Technology Compatibility Kit of the JVM, re-expressed for Go: the tests have
// its names, so that what is known about them holds here.
//
//	func TestMyPublisher(t *testing.T) {
//		tck.VerifyPublisher(t, tck.Publisher[int]{
//			Create: func(n int64) reactor.Publisher[int] { return NewMyPublisher(n) },
//		})
//	}
//
// Each test is a subtest. One that fails names the rule, says what it demands, and what was seen
// instead. One that cannot be run on what was given, or whose rule is optional and not kept, is
// skipped with the reason; run with -v to see them. Tests that the original declares and leaves
// empty, and that are live here, are called untested_… as there. Those with contract_ in their names
// it does not have: they look at what package reactor promises besides.
//
// Where Java says null: a nil subscriber panics (§1.9), a nil subscription or error too, or it is
// treated as a failure (§2.13); a nil element is an element like any other. The end of the context
// that a publisher is subscribed with has to end the stream with its cause.
//
// Waiting for what must not come makes up most of the time that the tests take. [InBubbles] runs
// each in a bubble of testing/synctest, where waiting costs nothing and nothing depends on how
// busy the machine is; it is for everything that does not talk to the world outside.
package tck
