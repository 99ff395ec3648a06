// Package direct is about publishers of at most one element that can be computed without a subscription:
// those that a stage may call, and those that a call that blocks, such as Block, may compute.
//
// It is not about elements that go from stage to stage by function calls. That is a Pusher, see package
// protocol.
package direct
