package executors

// dropOldest takes out the first task that may be dropped. Tasks before firm were looked at by earlier calls, and none of them may
// ever be dropped; new tasks come behind them. So each task is looked at once: if every drop began at the head, n drops behind
// n essential tasks would cost n². The gate is shut.
func (q *segments) dropOldest() (entry, bool) {
	at, tail := q.at(), q.tail.Load()
	for ; at < tail && q.hole(at); at++ {
		q.next() // takes the hole out, so that no later drop meets it
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
