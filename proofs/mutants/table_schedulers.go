package main

// moving breaks the way of a task from one slot of an elastic scheduler to another.
var moving = []mutation{
	{
		name: "elastic: who has tried the lock often enough goes on without it", kind: "lock left out",
		file: "schedulers/pick.go",
		old: `return
		}
	}
	e.mu.Lock()`,
		new: `return
		}
	}`,
		tests: "schedulers TestA10_11|TestRace|TestLoopTells",
	},
	{
		name: "schedulers: a handle of the caller passes the hooks", kind: "hook not called",
		file:  "schedulers/owned.go",
		old:   `if s.outer == nil && len(scheduleHooks.load()) == 0 {`,
		new:   `if s.outer == nil {`,
		tests: "schedulers TestHandle|Move|TestA",
	},
	{
		name: "schedulers: a handle of the caller passes the decorators", kind: "hook not called",
		file:  "schedulers/owned.go",
		old:   `if s.outer == nil && len(scheduleHooks.load()) == 0 {`,
		new:   `if len(scheduleHooks.load()) == 0 {`,
		tests: "schedulers TestHandle|Move|TestA",
	},
	{
		name: "schedulers: a refused handle of the caller holds its slot", kind: "slot not given back",
		file: "schedulers/owned.go",
		old: `			s.release(slot)
`,
		new: `			_ = slot
`,
		tests: "schedulers TestHandle|Move|TestA",
	},
	{
		name: "schedulers: a handle of the caller forgets the task of another scheduler", kind: "missing cancel",
		file: "schedulers/owned.go",
		old: `	t.handle = d
`,
		new:   ``,
		tests: "schedulers TestHandle|Move|TestA",
	},
	{
		name: "elastic: a slot that becomes idle looks after itself alone", kind: "lost wake-up",
		file:  "schedulers/pick.go",
		old:   "if e.relieve(s, now) {",
		new:   "if e.closed && e.relieve(s, now) {",
		tests: "schedulers Move|TakeDirect|TestEveryTask|TestA10",
	},
	{
		name: "elastic: a slot to which a task has moved keeps its age", kind: "wrong choice",
		file: "schedulers/pick.go",
		old: `		e.busy.remove(s)
		e.busy.add(s)
`,
		new: `		e.busy.recount(s)
`,
		tests: "schedulers Move|TakeDirect|TestEveryTask|TestA10",
	},
	{
		name: "elastic: a task that has moved is disposed where it was", kind: "stale state",
		file: "schedulers/move.go",
		old: `		h.id.Store(&to.id) // from here on it is disposed there
`,
		new:   "",
		tests: "schedulers Move|TakeDirect|TestEveryTask|TestA10",
	},
	{
		name: "elastic: who disposes of a task that moves takes the slot that it found first", kind: "check-then-act",
		file:  "schedulers/handle.go",
		old:   "if h.slot() == s {",
		new:   "if h.slot() == s || s != nil {",
		tests: "schedulers Move|TakeDirect|TestEveryTask|TestA10",
	},
	{
		name: "elastic: a task that has moved counts in the slot that it has left", kind: "wrong count",
		file: "schedulers/move.go",
		old: `	s.accepted--
`,
		new:   "",
		tests: "schedulers Move|TakeDirect|TestEveryTask|TestA10",
	},
	{
		name: "elastic: a task that has moved holds the slot that it has left", kind: "slot not given back",
		file: "schedulers/move.go",
		old: `	s.holders.Add(-1)
	if start {`,
		new:   "\tif start {",
		tests: "schedulers Move|TakeDirect|TestEveryTask|TestA10",
	},
	{
		name: "elastic: a task moves without a place in its new slot", kind: "wrong count",
		file: "schedulers/move.go",
		old: `	to.holders.Add(1)
`,
		new:   "",
		tests: "schedulers Move|TakeDirect|TestEveryTask|TestA10",
	},
	{
		name: "elastic: a task moves to a slot that nobody starts", kind: "lost wake-up",
		file: "schedulers/move.go",
		old: `	if start {
		go to.run()`,
		new: `	if start && to.killed.Load() {
		go to.run()`,
		tests: "schedulers Move|TakeDirect|TestEveryTask|TestA10",
	},
	{
		name: "elastic: two loops run a slot to which a task has moved", kind: "two owners",
		file: "schedulers/move.go",
		old: `	start := to.take(it)
`,
		new: `	start := to.take(it) || true
`,
		tests: "schedulers Move|TakeDirect|TestEveryTask|TestA10",
	},
	{
		name: "elastic: tasks move while the scheduler ends", kind: "end forgotten",
		file:  "schedulers/move.go",
		old:   "if e.closed || idle.outer != nil {",
		new:   "if idle.outer != nil {",
		tests: "schedulers Move|TakeDirect|TestEveryTask|TestA10",
	},
	{
		name: "elastic: tasks move to a slot with a decorator", kind: "decorator passed by",
		file:  "schedulers/move.go",
		old:   "if e.closed || idle.outer != nil {",
		new:   "if e.closed {",
		tests: "schedulers Move|TakeDirect|TestEveryTask|TestA10",
	},
	{
		name: "elastic: tasks move from a slot with a decorator", kind: "decorator passed by",
		file:  "schedulers/pick.go",
		old:   "if direct && s.outer == nil {",
		new:   "if direct {",
		tests: "schedulers Move|TakeDirect|TestEveryTask|TestA10",
	},
	{
		name: "elastic: a slot with more than one task that could move is forgotten after the first", kind: "lost wake-up",
		file:  "schedulers/move.go",
		old:   "if from.holders.Load() > 1 {",
		new:   "if from.holders.Load() > 99 {",
		tests: "schedulers Move|TakeDirect|TestEveryTask|TestA10",
	},
	{
		name: "elastic: a slot that has given away what it held is never idle", kind: "slot not given back",
		file:  "schedulers/move.go",
		old:   "if s.holders.Load() == 0 && s.isQuiet() {",
		new:   "if s.holders.Load() == 0 && s.killed.Load() {",
		tests: "schedulers Move|TakeDirect|TestEveryTask|TestA10",
	},
	{
		name: "elastic: a worker's task moves", kind: "order lost",
		file:  "schedulers/queue.go",
		old:   "if it.worker() != nil || it.h != nil",
		new:   "if it.h != nil",
		tests: "schedulers Move|TakeDirect|TestEveryTask|TestA10",
	},
	{
		name: "elastic: a periodic task moves", kind: "wrong count",
		file:  "schedulers/queue.go",
		old:   "(it.h.timed != nil || !it.live())",
		new:   "!it.live()",
		tests: "schedulers Move|TakeDirect|TestEveryTask|TestA10",
	},
	{
		name: "elastic: a withdrawn task moves", kind: "wrong count",
		file:  "schedulers/queue.go",
		old:   "(it.h.timed != nil || !it.live())",
		new:   "it.h.timed != nil",
		tests: "schedulers Move|TakeDirect|TestEveryTask|TestA10",
	},
	{
		name: "elastic: stamps stay where they are when a task moves", kind: "stale index",
		file: "schedulers/queue.go",
		old: `			copy(c.stamps[i:c.n], c.stamps[i+1:c.n])
`,
		new:   "",
		tests: "schedulers Move|TakeDirect|TestEveryTask|TestA10",
	},
	{
		name: "elastic: an empty chunk stays in the queue", kind: "invariant broken",
		file:  "schedulers/queue.go",
		old:   "if c.n == 0 { // the loop",
		new:   "if c.n < 0 { // the loop",
		tests: "schedulers Move|TakeDirect|TestEveryTask|TestA10",
	},
	{
		name: "elastic: a loop that finds the lock of the pool taken says nothing", kind: "lost wake-up",
		file:  "schedulers/pick.go",
		old:   "		return false, false\n	}\n	moved",
		new:   "		return true, false\n	}\n	moved",
		tests: "schedulers LoopTells",
	},
	{
		name: "elastic: a loop ends before the pool knows", kind: "lost wake-up",
		file:  "schedulers/loop.go",
		old:   "if (look >= s.looks || s.closed) && !quiet {",
		new:   "if look >= s.looks || s.closed {",
		tests: "schedulers LoopTells",
	},
	{
		name: "elastic: the goroutine behind one that has ended says nothing", kind: "lost wake-up",
		file:  "schedulers/loop.go",
		old:   "s.more(ran || before)",
		new:   "s.more(ran || before && s.killed.Load())",
		tests: "schedulers TestASlotWhose",
	},
	{
		name: "elastic: what a slot refuses that was given up is in no figure", kind: "wrong figure",
		file:  "schedulers/pick.go",
		old:   "s.givenUp = true",
		new:   "s.givenUp = false",
		tests: "schedulers TestA10_12",
	},
	{
		name: "slot: what was submitted after a late series has begun comes before its next run", kind: "order",
		file:  "schedulers/loop.go",
		old:   "				end = i + 1\n",
		new:   "",
		tests: "schedulers TestA5_2_Series",
	},
	{
		name: "lane of a pool: an overdue task waits for the pool to say so", kind: "order broken",
		file:  "schedulers/executor_lane.go",
		old:   "n.Due <= w.line[0].since()",
		new:   "w.x.base.IsZero()",
		tests: "schedulers TestA5_2_Lanes",
	},
	{
		name: "lane of a pool: what is submitted at the time of a timed task comes before that", kind: "off by one",
		file:  "schedulers/executor_lane.go",
		old:   "n.Due <= w.line[0].since()",
		new:   "n.Due < w.line[0].since()",
		tests: "schedulers TestA5_2_Lanes",
	},
	{
		name: "lane of a pool: a series without a period comes before what has come in the same instant", kind: "starvation",
		file:  "schedulers/executor_task.go",
		old:   "case t.w != nil && t.x.trampoline:",
		new:   "case false:",
		tests: "schedulers TestA4_5_PeriodZeroWithin",
	},
	{
		name: "lane of a pool: a disposed task stays until its time", kind: "cancel leaves the entry",
		file:  "schedulers/executor_worker.go",
		old:   "	delete(w.tasks, t)\n	w.takeOut(t)",
		new:   "	delete(w.tasks, t)",
		tests: "schedulers TestA4_8_Disposed",
	},
	{
		name: "lane of a pool: a worker keeps the pool to itself", kind: "starvation",
		file:  "schedulers/executor_lane.go",
		old:   "n%turns == 0 && w.x.later",
		new:   "n%turns == 0 && w.x.later == nil && w.x.later",
		tests: "schedulers TestE8_Lanes",
	},
}
