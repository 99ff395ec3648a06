// Package multicast holds what stages with many subscribers have in common, the
// multicasting operators and the sinks: who the subscribers are, and how an element
// reaches all of them.
//
//	Fanout  one queue, drained at the pace of the slowest subscriber    publish, buffering sinks
//	Replay  a history, which each subscriber reads at its own pace      replay, cache, replaying sinks
//	Direct  no queue: an element is for those who have asked for it     direct sinks, unicast ones that refuse
//	Set     who the subscribers are
//
// Each of them has one producer, whose calls are serial like the signals of a stream;
// what subscribers do may come from any goroutine. A subscriber that fails leaves, and
// the others go on. Every subscriber ends once, with the terminal signal of the
// producer, or by cancelling.
package multicast
