package main

// moving breaks the way of a task from one slot of an elastic scheduler to another.
var moving = []mutation{
	{
		name: "context: no context is taken for one of a worker", kind: "bad input",
		file:  "schedulers/nonblocking.go",
		old:   "\tif ctx == nil {\n\t\treturn false\n\t}",
		new:   "\t_ = ctx",
		tests: "schedulers TestNoContextIsOfNoTask",
	},
	{
		name: "executor worker: what waits is not dropped before what runs", kind: "order of ends",
		file:  "schedulers/executor_task.go",
		old:   "\t\t\tall[i].dropWaiting()\n",
		new:   "",
		tests: "schedulers TestWorkerOfAnExecutorDrops",
	},
	{
		name: "executor worker: tasks are disposed of in any order", kind: "order of ends",
		file:  "schedulers/executor_worker.go",
		old:   "disposeAll(maps.Keys(tasks))",
		new:   "for t := range maps.Keys(tasks) {\n\t\tt.Dispose()\n\t}",
		tests: "schedulers TestWorkerOfAnExecutorDrops",
	},
	{
		name: "executor: series are disposed of in any order", kind: "order of ends",
		file:  "schedulers/executor_timed.go",
		old:   "disposeAll(slices.Values(all))",
		new:   "for t := range slices.Values(all) {\n\t\tt.Dispose()\n\t}",
		tests: "schedulers TestGracefulDisposalEndsTheSeries",
	},
	{
		name: "singleWorker: the last task may be dropped unheard", kind: "standstill",
		file:  "schedulers/executor_worker.go",
		old:   "\ttellLoss(d, dropped)\n\treturn err",
		new:   "\t_ = d\n\treturn err",
		tests: "schedulers TestA9_8_SingleWorkerGraceful",
	},
	{
		name: "singleWorker: whoever measures tasks keeps to himself that one is lost", kind: "standstill",
		file:  "schedulers/timed.go",
		old:   " tellLoss(h.Disposable, fn) ",
		new:   " _ = fn ",
		tests: "schedulers TestA9_8_SingleWorkerGraceful",
	},
	{
		name: "singleWorker: a Goexit is told by each level", kind: "error reported twice",
		file:  "schedulers/executor_task.go",
		old:   "case !t.x.tells:",
		new:   "default:",
		tests: "schedulers TestA9_8_GoexitOnASingleWorker",
	},
	{
		name: "close: the context of a series that waits for its time lives on", kind: "leak",
		file:  "schedulers/dispose.go",
		old:   "\t\t\th.release() // close does not end the context of the slot, which is above\n",
		new:   "",
		tests: "schedulers TestA6_4_ContextsOfSeries",
	},
	{
		name: "start: the context of a series that is skipped lives on", kind: "leak",
		file:  "schedulers/loop.go",
		old:   "\t\t\th.release() // it may have run before\n",
		new:   "",
		tests: "schedulers TestA6_4_ContextsOfSeries",
	},
	{
		name: "drop: direct tasks in the queue keep their places", kind: "leak",
		file:  "schedulers/queue.go",
		old:   "\t\t\t\tdirect++\n",
		new:   "\t\t\t\tdirect += 0\n",
		tests: "schedulers TestA10_NobodyHoldsASlot",
	},
	{
		name: "kill: direct tasks that wait for their time keep their places", kind: "leak",
		file:  "schedulers/dispose.go",
		old:   "\t\ts.cancelTimed(h)\n\t\tdirect += h.direct()",
		new:   "\t\ts.cancelTimed(h)",
		tests: "schedulers TestA10_NobodyHoldsASlot",
	},
	{
		name: "close: direct tasks that wait for their time keep their places", kind: "leak",
		file:  "schedulers/dispose.go",
		old:   "slot, which is above\n\t\t\tdirect += h.direct()",
		new:   "of the slot",
		tests: "schedulers TestA10_NobodyHoldsASlot",
	},
	{
		name: "trampoline: what a service has accepted is dropped behind a Goexit", kind: "task lost",
		file:  "schedulers/executor_lane.go",
		old:   "w.x.service != nil && w.x.IsDisposed() && !w.x.forced.Load()",
		new:   "w.x.service != nil && w.x.forced.Load()",
		tests: "schedulers TestA9_7_GracefulDisposalAfterAGoexit",
	},
	{
		name: "singleWorker: the last task is waited for alone", kind: "task lost",
		file:  "schedulers/pinned.go",
		old:   "if p.overtakes {",
		new:   "if p.overtakes && task == nil {",
		tests: "schedulers TestA9_8_SingleWorkerOfAPoolGracefully",
	},
	{
		name: "singleWorker: a worker of a pool is taken for one that keeps the order", kind: "task lost",
		file:  "schedulers/executor_worker.go",
		old:   "return !w.x.trampoline",
		new:   "return false",
		tests: "schedulers TestA9_8_SingleWorkerOfAPoolGracefully",
	},
	{
		name: "singleWorker: the last task is one of the user's", kind: "task lost",
		file:  "schedulers/worker.go",
		old:   "return w.slot.submit(item{task, &w.root})",
		new:   "return w.Execute(task)",
		tests: "schedulers TestA9_8_SingleWorkerGracefulPastADecorator",
	},
	{
		name: "executor: what is refused counts as dropped, too", kind: "figures wrong",
		file:  "schedulers/executor.go",
		old:   "\t\tx.dropped.Add(-1)\n",
		new:   "\t\tx.dropped.Add(0)\n",
		tests: "schedulers TestA9_5_RefusedIsNotDropped",
	},
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
	{
		name: "context: one that nobody has asked looks at itself only", kind: "cancel not propagated",
		file:  "schedulers/context.go",
		old:   "for t := c; t != nil; t = t.up {",
		new:   "for t := c; t != nil; t = nil {",
		tests: "schedulers TestA4_8_ContextLooks",
	},
	{
		name: "context: that of a series outlives it between two runs", kind: "cancel not propagated",
		file:  "schedulers/dispose.go",
		old:   "		h.release()\n		if h.w == nil",
		new:   "		if h.w == nil",
		tests: "schedulers TestA4_8_ContextOfASeries",
	},
	{
		name: "slot: contexts outlive a scheduler that its own task disposes", kind: "cancel not propagated",
		file:  "schedulers/dispose.go",
		old:   "		s.later = append(s.later, &s.ctx)\n",
		new:   "",
		tests: "schedulers TestA4_9_ContextAfter",
	},
	{
		name: "DropDelayed: what is due now is dropped", kind: "off by one",
		file:  "schedulers/dispose.go",
		old:   "dropDelayed && n.Due > now {",
		new:   "dropDelayed && n.Due >= now {",
		tests: "schedulers TestDropDelayedLeaves",
	},
	{
		name: "handle: it does not know that its scheduler was disposed", kind: "outcome wrong",
		file:  "schedulers/handle.go",
		old:   "return h.w != nil && h.w.disposed.Load() || s.killed.Load()",
		new:   "return h.w != nil && h.w.disposed.Load()",
		tests: "schedulers TestA8_4_Handle",
	},
	{
		name: "slot: it keeps all that a burst has needed", kind: "leak",
		file:  "schedulers/loop.go",
		old:   "	s.queue.trim()\n",
		new:   "",
		tests: "schedulers TestASlotThatRests",
	},
	{
		name: "slot: a series keeps a scheduler that is disposed for its next time", kind: "terminal held back",
		file:  "schedulers/loop.go",
		old:   "if s.closed || failed && h",
		new:   "if failed && h",
		tests: "schedulers TestA8_5_ASeries",
	},
	{
		name: "slot: a series that was withdrawn is counted out twice", kind: "wrong count",
		file:  "schedulers/queue.go",
		old:   "h != nil && h.state.CompareAndSwap(stateQueued, stateCancelled) {",
		new:   "h != nil {",
		tests: "schedulers TestSeriesAre",
	},
	{
		name: "slot: what is left when many were withdrawn comes too early", kind: "order broken",
		file:  "schedulers/queue.go",
		old:   "				if c.stamps != nil {\n					at = c.stamps[i]\n				}\n",
		new:   "				_ = i\n",
		tests: "schedulers TestA5_2_Withdrawn",
	},
	{
		name: "timed: what waits when its scheduler is disposed is pending for ever", kind: "wrong figure",
		file:  "schedulers/timed.go",
		old:   "	t.waiting.close(t.pending)\n",
		new:   "",
		tests: "schedulers TestA15_3",
	},
	{
		name: "singleWorker: a series that meets a graceful disposal goes on", kind: "late offer after close",
		file:  "schedulers/executor_timed.go",
		old:   "if x.noDelayed || x.noSeries && t.series != nil {",
		new:   "if x.noDelayed {",
		tests: "schedulers TestA9_8_SingleWorkerDisposed",
	},
	{
		name: "singleWorker: a delayed task that meets a disposal that drops such is kept", kind: "late offer after close",
		file:  "schedulers/executor_timed.go",
		old:   "if x.noDelayed || x.noSeries && t.series != nil {",
		new:   "if x.noSeries && t.series != nil {",
		tests: "schedulers TestA9_8_SingleWorkerDisposed",
	},
	{
		name: "lane of a pool: a series without a period outlives the pool", kind: "late offer after close",
		file:  "schedulers/executor_task.go",
		old:   "t.series.stopOnError || t.x.IsDisposed() ||",
		new:   "t.series.stopOnError ||",
		tests: "schedulers TestA6_4_PeriodZero",
	},
	{
		name: "fromExecutorService: a series whose next run is refused seems to go on", kind: "outcome wrong",
		file:  "schedulers/executor_task.go",
		old:   "	return !t.state.CompareAndSwap(stateQueued, stateRunning)",
		new:   "	return true",
		tests: "schedulers TestA9_6_SeriesThat",
	},
	{
		name: "fromExecutorService: timed tasks are noted for ever", kind: "leak",
		file:  "schedulers/executor_task.go",
		old:   "	if t.timed {\n		t.x.drop(t)\n	}\n",
		new:   "",
		tests: "schedulers TestTasksOfAnExecutor",
	},
	{
		name: "fromExecutorService: a handle keeps the function", kind: "state not cleared",
		file:  "schedulers/executor_task.go",
		old:   "	t.fn = nil\n	if t.w",
		new:   "	if t.w",
		tests: "schedulers TestTasksOfAnExecutor",
	},
	{
		name: "lane of a pool: what its owner drops is reported", kind: "error told twice",
		file:  "schedulers/executor_lane.go",
		old:   "	if t.lose(cause) && !w.x.forced.Load() {",
		new:   "	if t.lose(cause) {",
		tests: "schedulers TestA9_6_DisposeDrops",
	},
	{
		name: "lane of a pool: what is overdue at the turn of others is forgotten", kind: "lost wake-up",
		file:  "schedulers/executor_lane.go",
		old:   "w.bouncing = len(w.line) > 0 || w.overdue() != nil",
		new:   "w.bouncing = len(w.line) > 0",
		tests: "schedulers TestE8_Lanes",
	},
	{
		name: "decorator: what it submits itself takes off the holder of another task", kind: "wrong count",
		file:  "schedulers/decorator.go",
		old:   "if !s.stay() && !s.pool.hold(s) {",
		new:   "if s.pool.closed {",
		tests: "schedulers TestA13_6_Decorator",
	},
	{
		name: "decorator: what it submits itself holds a slot that was given up", kind: "late offer after close",
		file:  "schedulers/decorator.go",
		old:   "if !s.stay() && !s.pool.hold(s) {",
		new:   "if !s.stay() {\n\t\ts.pool.hold(s)\n\t}\n\tif s.closed {",
		tests: "schedulers TestA13_6_Decorator",
	},
	{
		name: "slot: a series that has vanished with its worker is counted out again when it is disposed", kind: "wrong count",
		file:  "schedulers/queue.go",
		old:   "h.state.CompareAndSwap(stateQueued, stateCancelled) {",
		new:   "h.state.Load() == stateQueued {",
		tests: "schedulers TestSeriesThatVanished",
	},
	{
		name: "decorator: one that panics over a refusal has accepted", kind: "error taken for success",
		file:  "schedulers/decorator.go",
		old:   "sub.entered.Store(false) //",
		new:   "//",
		tests: "schedulers TestA13_6_DecoratorThat",
	},
	{
		name: "fromExecutor: a submission that meets a graceful disposal comes behind it", kind: "two steps in the place of one",
		file:  "schedulers/executor.go",
		old:   "if !x.life.enter() { // the",
		new:   "if x.life.born(); false { // the",
		tests: "schedulers TestA9_5_GracefulDisposalMeets",
	},
	{
		name: "singleWorker: a graceful disposal drops what is being submitted", kind: "lost element",
		file:  "schedulers/pinned.go",
		old:   "	defer p.life.gone()\n",
		new:   "	p.life.gone()\n",
		tests: "schedulers TestA9_8_SingleWorkerGracefulDrops",
	},
	{
		name: "slot: a closed one that still runs takes tasks", kind: "late offer after clear",
		file:  "schedulers/slot.go",
		old:   "!s.closed && s.accepted-s.removed",
		new:   "s.accepted-s.removed",
		tests: "schedulers TestE7|TestA8|TestRace|TestHasty",
	},
	{
		name: "slot: a full one that runs takes tasks", kind: "limit ignored",
		file:  "schedulers/slot.go",
		old:   "s.accepted-s.removed-s.seen <= int64(s.limit) && ",
		new:   "",
		tests: "schedulers TestHasty",
	},
	{
		name: "slot: one more than the limit is taken", kind: "limit ignored",
		file:  "schedulers/slot.go",
		old:   "s.accepted-s.removed-s.seen <= int64(s.limit)",
		new:   "s.accepted-s.removed-s.seen <= int64(s.limit)+1",
		tests: "schedulers TestHasty",
	},
	{
		name: "slot: a disposed worker's task is taken where the slot runs", kind: "late offer after clear",
		file:  "schedulers/slot.go",
		old:   " && (w == nil || !w.gone) {",
		new:   " {",
		tests: "schedulers TestHasty",
	},
	{
		name: "slot: a task that comes before a timed one has no stamp where the slot runs", kind: "wrong order",
		file:  "schedulers/slot.go",
		old:   "c.n < chunkSize && s.timed() == 0 &&",
		new:   "c.n < chunkSize &&",
		tests: "schedulers TestHasty|TestA4",
	},
	{
		name: "slot: the context of a task that was disposed by itself is not stopped", kind: "cancel not propagated",
		file:  "schedulers/loop.go",
		old:   "if len(s.later) > 0 || it.h == nil && s.pool != nil {",
		new:   "if it.h == nil && s.pool != nil {",
		tests: "schedulers TestHasty|TestA9",
	},
	{
		name: "elastic: a direct task that has run still holds its slot", kind: "slot not given back",
		file:  "schedulers/loop.go",
		old:   "if len(s.later) > 0 || it.h == nil && s.pool != nil {",
		new:   "if len(s.later) > 0 {",
		tests: "schedulers TestA10_2",
	},
	{
		name: "pace: a try in vain goes on", kind: "condition left out",
		file: "schedulers/pace.go",
		old: `		p.pause, p.lean = 0, -vainLooks
	case`,
		new: `		p.lean = -vainLooks
	case`,
		tests: "schedulers TestPace",
	},
	{
		name: "pace: a look that finds nothing is followed by a pause", kind: "state not cleared",
		file:  "schedulers/loop.go",
		old:   "		s.pace.nothing()\n",
		new:   "",
		tests: "schedulers TestALoop",
	},
	{
		name: "pace: a loop that keeps up with who submits does not wait", kind: "condition left out",
		file:  "schedulers/loop.go",
		old:   "s.pace.found(len(s.batch))",
		new:   "s.pace.found(chunkSize)",
		tests: "schedulers TestALoop",
	},
	{
		name: "pace: who kills a slot waits for a pause", kind: "end too late",
		file:  "schedulers/pace.go",
		old:   "left > 0 && !s.killed.Load()",
		new:   "left > 0",
		tests: "schedulers TestAKilledSlot",
	},
	{
		name: "a nil task for later is refused as an executor's", kind: "argument",
		file:  "schedulers/executor_timed.go",
		old:   "\tcheckTask(\"ScheduleAfter\", task) // also where the answer is no\n",
		new:   "",
		tests: "schedulers TestNilTaskPanicsInTheCaller",
	},
	{
		name: "a nil series is refused as an executor's", kind: "argument",
		file:  "schedulers/executor_timed.go",
		old:   "\tcheckTask(\"SchedulePeriodically\", task)\n",
		new:   "",
		tests: "schedulers TestNilTaskPanicsInTheCaller",
	},
	{
		name: "executor: a timed task that its worker has disposed is noted", kind: "leak",
		file:  "schedulers/executor_timed.go",
		old:   "if t.state.Load() == stateQueued {",
		new:   "if true {",
		tests: "schedulers TestTimedTasksOfAWorkerThatIsDisposedMeanwhile",
	},
	{
		name: "pinned: a graceful disposal disposes the worker behind somebody who does", kind: "signal after cancellation",
		file:  "schedulers/pinned.go",
		old:   "if !p.forced.Swap(true) {\n\t\tclose(p.gone)\n\t\tp.worker.Dispose()\n\t}\n\treturn nil",
		new:   "if !p.forced.Swap(true) {\n\t\tclose(p.gone)\n\t}\n\tp.worker.Dispose()\n\treturn nil",
		tests: "schedulers TestA9_8_SingleWorkerDisposedByATaskDuring",
	},
	{
		name: "owned: a task that did not get in is taken out", kind: "wrong count",
		file:  "schedulers/owned.go",
		old:   "if !returned && !in.Load() {",
		new:   "if !returned && in.Load() {",
		tests: "schedulers TestHandleWhoseSubmissionDoesNotReturn",
	},
	{
		name: "executor task: a panic of who takes it back goes on", kind: "panic not handled",
		file:  "schedulers/executor_task.go",
		old:   "if r := recover(); r != nil {\n\t\t\thandleError(t.x.ctx, &reactor.PanicError{Op: t.x.name",
		new:   "if r := any(nil); r != nil {\n\t\t\thandleError(t.x.ctx, &reactor.PanicError{Op: t.x.name",
		tests: "schedulers TestA9_6_WithdrawalThatDoesNotReturn",
	},
	{
		name: "handlers: the first one is the only one", kind: "error lost",
		file:  "schedulers/hooks.go",
		old:   "failure.Persist(len(handlers),",
		new:   "failure.Persist(min(1, len(handlers)),",
		tests: "schedulers TestA13_3_HandlersBehindOneThatEnds",
	},
	{
		name: "executor: a task is counted before the clock is read", kind: "wrong order",
		file:  "schedulers/executor_timed.go",
		old:   "\tdue := x.now().Add(delay) // before the task is counted: the clock may panic\n\tt, err := x.newTask(\"ScheduleAfter\", task, w)\n",
		new:   "\tt, err := x.newTask(\"ScheduleAfter\", task, w)\n\tdue := x.now().Add(delay)\n",
		tests: "schedulers TestA9_8_ClockThatPanics",
	},
	{
		name: "subscribeOn: there is a worker before there is a subscriber", kind: "resource leak",
		file: "operators/subscribe_on.go",
		old: `	s.down = protocol.Strict(ctx, sub) // before there is a worker: it panics if there is no subscriber
	s.worker = p.scheduler.NewWorker()
`,
		new: `	s.worker = p.scheduler.NewWorker()
	s.down = protocol.Strict(ctx, sub)
`,
		tests: "operators TestSubscribeOnOfNobody",
	},
	{
		name: "runOn: there are workers before there are subscribers", kind: "resource leak",
		file: "operators/parallel_run_on.go",
		old: `	for i, s := range rails {
		hops[i] = protocol.Strict(ctx, s) // before there are workers: it panics if there is no subscriber
	}
	ends := railEnds{open: len(rails), due: len(rails), rails: make([]railEnd, len(rails))}
	workers := make([]schedulers.Worker, len(rails))
	if !failure.Guard(func() {
		for i := range workers {
			workers[i] = p.scheduler.NewWorker()
		}
	}, func(err error) { refuseRails(ctx, hops, workers, err) }) {
		return
	}
`,
		new: `	ends := railEnds{open: len(rails), due: len(rails), rails: make([]railEnd, len(rails))}
	workers := make([]schedulers.Worker, len(rails))
	if !failure.Guard(func() {
		for i := range workers {
			workers[i] = p.scheduler.NewWorker()
		}
	}, func(err error) { refuseRails(ctx, hops, workers, err) }) {
		return
	}
	for i, s := range rails {
		hops[i] = protocol.Strict(ctx, s)
	}
`,
		tests: "operators TestRunOnOfNobody",
	},
}
