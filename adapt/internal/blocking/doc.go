// Package blocking is what the adapters on the standard library share. A [Source]
// is a resource that is read by calls that block: [New] makes a publisher of it
// that opens it at subscription, reads it on a worker while there is demand, and
// closes it once. A [Feed] is the other direction: one goroutine that may block
// takes the elements of a publisher. [Call] and [Cleanup] are for single calls.
package blocking
