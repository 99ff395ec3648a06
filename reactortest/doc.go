// Package reactortest holds what tests of pipelines need.
//
//   - [NewStepVerifier] begins a script of what a publisher is expected to do, and prints a
//     detailed report if it does something else; [WithVirtualTime] plays the script on a
//     virtual clock.
//   - [TestSubscriber] asks for what the test says, and keeps what comes.
//   - [TestPublisher] sends when the test says so, and keeps or breaks the rules of the
//     protocol.
//   - [PublisherProbe] tells whether a pipeline has subscribed to the publisher behind it.
//   - [Marbles] tests pipelines by diagrams of their signals.
//   - [VirtualTime] is a clock that the test moves, and a scheduler on it; [Bubble] runs a test
//     in a bubble of testing/synctest with schedulers of its own.
//   - [ChaosScheduler] starts tasks late, in any order that is allowed, and refuses some.
//   - [Race] and [RepeatRace] let functions meet.
//
// Package tck, below this one, checks publishers, subscribers and processors of your own
// against the rules of Reactive Streams.
package reactortest
