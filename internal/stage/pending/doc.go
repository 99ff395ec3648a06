// Package pending holds the elements that a stage keeps until it may send them: a Buffer, which one goroutine fills and
// empties while others may close it, a Deque, from which the producer can take, too, a Backlog, the stage that keeps
// all that comes and sends it after the end, and the Custody of a single value. What several goroutines fill or empty without
// a lock is a queue of internal/queue.
package pending
