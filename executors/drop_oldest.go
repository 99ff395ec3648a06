package executors

// dropOldest takes the first task out that may be dropped. What was found to be none stays none, and who comes is behind it: so
// each task is looked at once, and not by every drop. With all those that none may drop looked at again, n tasks that are
// too many cost n². The gate is shut.
func (q *segments) dropOldest() (entry, bool) {
	at, tail := q.at(), q.tail.Load()
	for ; at < tail && q.hole(at); at++ {
		q.next() // each hole is looked at once, not by every drop
		q.holes--
	}
	for at = max(at, q.firm); at < tail; at++ {
		if q.mayDrop(at) {
			q.firm = at + 1 // it becomes a hole
			return q.take(at), true
		}
	}
	q.firm = at
	return entry{}, false
}

// mayDrop reports whether there is a task at a position in use that a policy may drop.
func (q *segments) mayDrop(at int64) bool {
	if h := q.handle(at); h != nil {
		return !h.essential
	}
	return !q.hole(at)
}
