package reactortest

// laneTasks are the tasks of a lane that wait, and of the lanes below it. Each lane knows its own: those of all lanes are in
// one queue, and where each worker that is disposed looked for its own there, n of them, as n intervals that are
// cancelled, cost n². A lane below is known as long as something of it waits, so that a worker which nobody disposes
// is not kept.
type laneTasks struct {
	first   *virtualTask // of its own
	waiting int          // of its own, and of those below
	below   *lane        // the first of the lanes right below for which something waits
	before  *lane        // neighbours among those of its parent
	after   *lane
}

// joinLane makes t one of those of its lane that wait. The caller holds clock.mu.
func (t *virtualTask) joinLane() {
	own := &t.lane.tasks
	if t.after = own.first; t.after != nil {
		t.after.before = t
	}
	own.first = t
	for l := t.lane; l != nil; l = l.parent {
		if l.tasks.waiting++; l.tasks.waiting == 1 && l.parent != nil {
			l.tasks.join(l)
		}
	}
}

// leaveLane is the end of joinLane. The caller holds clock.mu.
func (t *virtualTask) leaveLane() {
	if t.before == nil {
		t.lane.tasks.first = t.after
	} else {
		t.before.after = t.after
	}
	if t.after != nil {
		t.after.before = t.before
	}
	t.before, t.after = nil, nil
	for l := t.lane; l != nil; l = l.parent {
		if l.tasks.waiting--; l.tasks.waiting == 0 && l.parent != nil {
			l.tasks.leave(l)
		}
	}
}

// join makes l, whose tasks these are, known to its parent.
func (ts *laneTasks) join(l *lane) {
	parent := &l.parent.tasks
	if ts.after = parent.below; ts.after != nil {
		ts.after.tasks.before = l
	}
	parent.below = l
}

// leave is the end of join.
func (ts *laneTasks) leave(l *lane) {
	if ts.before == nil {
		l.parent.tasks.below = ts.after
	} else {
		ts.before.tasks.after = ts.after
	}
	if ts.after != nil {
		ts.after.tasks.before = ts.before
	}
	ts.before, ts.after = nil, nil
}

// eachTask calls fn for each task of l and below that waits. The caller holds clock.mu, and fn changes nothing.
func (l *lane) eachTask(fn func(*virtualTask)) {
	for t := l.tasks.first; t != nil; t = t.after {
		fn(t)
	}
	for b := l.tasks.below; b != nil; b = b.tasks.after {
		b.eachTask(fn)
	}
}
