package main

// executing breaks pools, timed tasks, jobs and cron expressions.
var executing = []mutation{
	{
		name: "executeWait: the lag of who gets a new worker begins with the submission", kind: "time",
		file:  "executors/wait.go",
		old:   "p.admit(w.e, w, again)",
		new:   "p.admit(e, w, again)",
		tests: "executors TestLagOfWhoWaited",
	},
	{
		name: "taskScheduler: jobs are ended one by one", kind: "order of ends",
		file:  "executors/task_scheduler.go",
		old:   "return !j.finish(becauseOfShutdown)",
		new:   "j.end(becauseOfShutdown); return true",
		tests: "executors TestTaskSchedulerShutdownNowLetsNoJobBegin",
	},
	{
		name: "invokeAny: what waits is not cancelled before what runs", kind: "order of ends",
		file:  "executors/invoke.go",
		old:   "f.withdraw(why)",
		new:   "_ = f",
		tests: "executors TestInvokeCancelsWhatWaitsFirst",
	},
	{
		name: "cron: what is refused is no illegal argument", kind: "message",
		file:  "executors/cron/parse.go",
		old:   " return reactor.ErrIllegalArgument ",
		new:   " return nil ",
		tests: "executors/cron TestC31",
	},
	{
		name: "pool: its end interrupts what a submitter runs", kind: "context ends too early",
		file:  "executors/shutdown.go",
		old:   "last := p.callers == 0",
		new:   "last := p.callers >= 0",
		tests: "executors TestWhatACallerRuns",
	},
	{
		name: "pool: its context does not end with the last task that a submitter runs", kind: "leak",
		file:  "executors/worker.go",
		old:   "\tif last {\n\t\tp.stop(ErrShutdown)",
		new:   "\tif last && p.callers < 0 {\n\t\tp.stop(ErrShutdown)",
		tests: "executors TestWhatACallerRuns",
	},
	{
		name: "task scheduler: what still runs is not named", kind: "error unclear",
		file:  "executors/task_scheduler.go",
		old:   "if j.Stats().Running > 0 {",
		new:   "if false {",
		tests: "executors TestTaskSchedulerCloseNames",
	},
	{
		name: "pool: the error of Close says nothing of the tasks", kind: "error unclear",
		file:  "executors/shutdown.go",
		old:   "if err != nil && p.made() {",
		new:   "if false {",
		tests: "executors TestB5_6",
	},
	{
		name: "job: who stops when asked has failed", kind: "error reported twice",
		file:  "executors/job_run.go",
		old:   "j.isOver() && (errors.Is(err, context.Canceled) || errors.Is(err, ErrCancelled) || errors.Is(err, ErrShutdown))",
		new:   "j.isOver() && (errors.Is(err, context.Canceled) || errors.Is(err, ErrCancelled))",
		tests: "executors TestAJobThatStops",
	},
	{
		name: "job: who fails with a shutdown that is not his stops when asked", kind: "lost error",
		file:  "executors/job_run.go",
		old:   "j.isOver() && (errors.Is(err, context.Canceled) || errors.Is(err, ErrCancelled) || errors.Is(err, ErrShutdown))",
		new:   "errors.Is(err, context.Canceled) || errors.Is(err, ErrCancelled) || errors.Is(err, ErrShutdown)",
		tests: "executors TestAJobThatStops",
	},
	{
		name: "cron: a step is no larger than a field", kind: "bound not kept",
		file:  "executors/cron/parse.go",
		old:   "n, err := strconv.ParseInt(text, 10, 64)",
		new:   "n, err := strconv.ParseInt(text, 10, 32)",
		tests: "executors/cron TestC32_C36",
	},
	{
		name: "handle: who cancels what is about to end does not end it", kind: "end lost",
		file:  "executors/admit.go",
		old:   "e.h.takenOut(indexDiscarded)",
		new:   "e.h.phase = phaseOver",
		tests: "executors TestRaceCancelOfTheOldest",
	},
	{
		name: "handle: a task that a shutdown has withdrawn is cancelled for another reason", kind: "outcome wrong",
		file:  "executors/shutdown.go",
		old:   "e.h.takenOut(indexOfShutdown)",
		new:   "e.h.phase = phaseOver",
		tests: "executors TestAMeterThatCancels , executors TestCancelOfWhatIs",
	},
	{
		name: "handle: who has come to a task that is being cancelled is not told", kind: "lost wake-up",
		file:  "executors/handle.go",
		old:   "		defer h.changed(before, after) // somebody may have made more meanwhile, and waits\n",
		new:   "	_ = before\n",
		tests: "executors TestRaceEndAgainst",
	},
	{
		name: "handle: a cancellation ends the pool before those who wait for the task are told", kind: "lost wake-up",
		file:  "executors/handle.go",
		old:   "		call = x.wake(after)\n",
		new:   "",
		tests: "executors TestOutcomesAreThere",
	},
	{
		name: "pool: what a caller runs and fails is reported to nobody", kind: "lost error",
		file:  "executors/worker.go",
		old:   "if err != nil && e.h.essential {",
		new:   "if false {",
		tests: "executors TestTrackedTasksThatTheCaller",
	},
	{
		name: "job: a plan that ends the goroutine loses the job", kind: "end lost",
		file:  "executors/job_plan.go",
		old:   "err == reactor.ErrGoexit {",
		new:   "err == nil {",
		tests: "executors TestJobWhoseDecorator",
	},
	{
		name: "periodic: a meter that ends the goroutine loses the series", kind: "end lost",
		file:  "executors/schedule.go",
		old:   "h.conclude(reactor.ErrGoexit, true)",
		new:   "_ = reactor.ErrGoexit",
		tests: "executors TestPeriodicTaskWhoseMeter",
	},
	{
		name: "policy: the room that was made is lost if it does not return", kind: "lost wake-up",
		file:  "executors/policy.go",
		old:   "defer func() {\n\t\tif r.dropped {",
		new:   "func() {\n\t\tif r.dropped {",
		tests: "executors TestDropOldestWhoseHandler",
	},
	{
		name: "invokeAll: what was submitted runs on when a submission does not return", kind: "leak",
		file:  "executors/invoke.go",
		old:   "if !submitted {",
		new:   "if !submitted && false {",
		tests: "executors TestInvokeAllWhosePolicy",
	},
	{
		name: "job: a clock that fails loses the job", kind: "end lost",
		file:  "executors/job_plan.go",
		old:   "j.refused(caught(j.name, recover()))",
		new:   "recover()",
		tests: "executors TestJobWhoseClock",
	},
	{
		name: "ShutdownNow: who tracks a decorated task is not told", kind: "end forgotten",
		file:  "executors/handle.go",
		old:   "if b, ok := d.body.(interface{ abandoned(err error) }); ok {",
		new:   "if b, ok := d.body.(interface{ abandoned(err error) }); ok && err == nil {",
		tests: "executors TestB5_3",
	},
	{
		name: "ShutdownNow: a decorated future is returned without its function", kind: "use after release",
		file:  "executors/handle.go",
		old:   "if b, ok := d.body.(detachable); ok {",
		new:   "if b, ok := d.body.(detachable); ok && d.task == nil {",
		tests: "executors TestB5_3",
	},
	{
		name: "line: a task is claimed although the gate is shut", kind: "lock not frozen",
		file: "executors/segments.go",
		old: `case h&gateShut != 0:
			return nil, 0, claimedLocked
		case at >= t.known:`,
		new:   "case at >= t.known:",
		tests: "executors TestSegments|TestStressFigures",
	},
	{
		name: "line: two workers claim the same task", kind: "compare-and-swap left out",
		file: "executors/segments.go",
		old: `if q.head.CompareAndSwap(h, h+2) {
			chaos.Yield()`,
		new: `if q.head.Store(h + 2); true {
			chaos.Yield()`,
		tests: "executors TestStressEachTask",
	},
	{
		name: "line: who loses a task to a taker finds none", kind: "compare-and-swap not tried again",
		file: "executors/segments.go",
		old: `s.left.Add(-1)
			return e, true
		}`,
		new: `s.left.Add(-1)
			return e, true
		}
		return entry{}, false`,
		tests: "executors TestStressEvery|TestStressWho",
	},
	{
		name: "line: a task is given out that a taker has", kind: "compare-and-swap left out",
		file:  "executors/segments.go",
		old:   "if q.head.CompareAndSwap(h, h+2) { // the gate need",
		new:   "if q.head.Store(h + 2); true { // the gate need",
		tests: "executors TestStressEachTask",
	},
	{
		name: "line: claims are counted twice", kind: "count not advanced",
		file: "executors/segments.go",
		old: `taken = uint64(at - q.seen)
	q.seen = at`,
		new:   "taken = uint64(at - q.seen)",
		tests: "executors TestSegments|TestB6",
	},
	{
		name: "line: whoever looks does not shut the gate", kind: "lock not frozen",
		file:  "executors/segments.go",
		old:   "q.head.Or(gateShut) >> 1",
		new:   "q.head.Load() >> 1",
		tests: "executors TestSegments|TestStressFigures",
	},
	{
		name: "line: the gate is opened while there are holes", kind: "gate opened too early",
		file:  "executors/segments.go",
		old:   "if q.holes == 0 {",
		new:   "if q.holes >= 0 {",
		tests: "executors TestSegments",
	},
	{
		name: "line: a hole is counted as a task", kind: "count not advanced",
		file: "executors/segments.go",
		old: `e := s.empty(i)
	q.holes++`,
		new:   "e := s.empty(i)",
		tests: "executors TestQueues|TestSegments|TestB8",
	},
	{
		name: "line: a hole that was passed is counted for ever", kind: "count not advanced",
		file: "executors/segments.go",
		old: `return e, ok
		}
		q.holes--`,
		new: `return e, ok
		}`,
		tests: "executors TestQueues|TestSegments|TestB8",
	},
	{
		name: "line: a drop takes what no policy may drop", kind: "wrong one dropped",
		file:  "executors/drop_oldest.go",
		old:   "return !h.essential",
		new:   "return true",
		tests: "executors TestQueues",
	},
	{
		name: "line: a drop leaves the holes before the head", kind: "work repeated",
		file: "executors/drop_oldest.go",
		old: `at < tail && q.hole(at); at++ {
		q.next() // takes the hole out, so that no later drop meets it
		q.holes--
	}`,
		new: `at < tail && q.hole(at); at++ {
	}`,
		tests: "executors TestSegmentsLook|TestSegmentsPass",
	},
	{
		name: "line: a piece is used again while somebody takes a task from it", kind: "reuse too early",
		file:  "executors/segments.go",
		old:   "used := s.left.Load() == 0",
		new:   "used := s.left.Load() >= 0",
		tests: "executors TestSegments|TestStressOrder",
	},
	{
		name: "line: only one used-up piece is kept", kind: "reuse lost",
		file:  "executors/segments.go",
		old:   "if used && q.spares < maxSpares {",
		new:   "if used && q.spares < 1 {",
		tests: "executors TestSegmentsKeepWhatWasUsedUp",
	},
	{
		name: "line: pieces are kept without a limit", kind: "bound not kept",
		file:  "executors/segments.go",
		old:   "if used && q.spares < maxSpares {",
		new:   "if used {",
		tests: "executors TestSegmentsKeepWhatWasUsedUp",
	},
	{
		name: "line: a piece whose taker has not settled is given up at once", kind: "reuse lost",
		file:  "executors/segments.go",
		old:   "if !used && head>>segmentBits-q.low < maxSpares {",
		new:   "if !used && head < 0 {",
		tests: "executors TestSegmentsWait",
	},
	{
		name: "line: a piece whose taker does not settle holds up the others for ever", kind: "bound not kept",
		file:  "executors/segments.go",
		old:   "if !used && head>>segmentBits-q.low < maxSpares {",
		new:   "if !used {",
		tests: "executors TestSegmentsWait",
	},
	{
		name: "line: who keeps a piece keeps all that came after it", kind: "state not cleared",
		file:  "executors/segments.go",
		old:   "s.after.Store(nil) // what keeps",
		new:   "// what keeps",
		tests: "executors TestSegmentsWait",
	},
	{
		name: "line: a piece does not know the one after it", kind: "fast path lost",
		file:  "executors/segments.go",
		old:   "if q.back != nil && q.back != s {",
		new:   "if q.back != nil && q.back == s {",
		tests: "executors TestClaimsPass",
	},
	{
		name: "line: a taker that goes on to another piece forgets what it took", kind: "count not advanced",
		file: "executors/segments.go",
		old: `if t.from != s {
		t.settle()
		t.from = s`,
		new: `if t.from != s {
		t.from = s`,
		tests: "executors TestSegmentsWait|TestSegmentsAreUsed",
	},
	{
		name: "line: what a taker took is counted twice", kind: "count not advanced",
		file: "executors/segments.go",
		old: `t.from.left.Add(-t.count)
		t.count = 0`,
		new:   "t.from.left.Add(-t.count)",
		tests: "executors TestSegmentsWait|TestSegmentsAreUsed",
	},
	{
		name: "line: a task loses its context on the way without the lock", kind: "state lost",
		file: "executors/segments.go",
		old: `cs != nil && cs[i] != nil {
		return nil`,
		new: `cs != nil && cs[i] == nil {
		return nil`,
		tests: "executors TestCells",
	},
	{
		name: "line: a place keeps the task that was taken without the lock", kind: "state not cleared",
		file: "executors/segments.go",
		old: `if fn != nil {
		s.tasks[i] = nil
	}`,
		new:   "",
		tests: "executors TestCells|TestSegments",
	},
	{
		name: "line: a place keeps the task that was taken", kind: "state not cleared",
		file: "executors/segments.go",
		old: `s.tasks[i] = nil
	if cs := s.contexts.Load(); cs != nil {
		cs[i] = nil`,
		new: `if cs := s.contexts.Load(); cs != nil {
		cs[i] = nil`,
		tests: "executors TestCells|TestSegments",
	},
	{
		name: "line: a place keeps the context that was taken", kind: "state not cleared",
		file: "executors/segments.go",
		old: `s.tasks[i] = nil
	if cs := s.contexts.Load(); cs != nil {
		cs[i] = nil
	}`,
		new:   "s.tasks[i] = nil",
		tests: "executors TestCells|TestSegments",
	},
	{
		name: "line: a place keeps the handle that was taken", kind: "state not cleared",
		file:  "executors/segments.go",
		old:   "hs[i] = nil",
		new:   "_ = hs",
		tests: "executors TestCells|TestSegments",
	},
	{
		name: "line: who is not in the queue any more takes another one out", kind: "cancel of the wrong one",
		file:  "executors/segments.go",
		old:   "at >= q.tail.Load() || q.handle(at) != h",
		new:   "at >= q.tail.Load()",
		tests: "executors TestQueues|TestSegments",
	},
	{
		name: "line: a drop looks at all that stay again", kind: "work repeated",
		file:  "executors/drop_oldest.go",
		old:   "at = max(at, q.firm)",
		new:   "at = max(at, 0)",
		tests: "executors TestDropsPassWhatStays",
	},
	{
		name: "line: a drop passes one that may be dropped", kind: "wrong one dropped",
		file:  "executors/drop_oldest.go",
		old:   "q.firm = at + 1",
		new:   "q.firm = at + 2",
		tests: "executors TestQueues|TestDropsPassWhatStays",
	},
	{
		name: "Priority: those of one rank run in any order", kind: "order broken",
		file:  "executors/queue.go",
		old:   "e.rank < other.rank || e.rank == other.rank && e.seq < other.seq",
		new:   "e.rank < other.rank",
		tests: "executors TestPriority|TestQueues|TestB2_6",
	},
	{
		name: "Priority: a drop takes the last one instead of the first", kind: "wrong one dropped",
		file:  "executors/queue.go",
		old:   "return q.droppable.take(0)",
		new:   "return q.droppable.take(len(q.droppable) - 1)",
		tests: "executors TestQueues|TestB2_6",
	},
	{
		name: "Priority: a task that moved does not know its place", kind: "cancel of the wrong one",
		file: "executors/queue.go",
		old: `r.note(i)
	r.note(j)`,
		new:   "r.note(i)",
		tests: "executors TestQueues",
	},
	{
		name: "pool: a worker counts as looking after it took a task", kind: "lost wake-up",
		file: "executors/worker.go",
		old: `p.looking.Add(-1) // before the task is taken: each worker in the count stands for one task that needs no other worker
		chaos.Yield()
		if s, i, c = p.line.claim(&w.taker); c == claimedTask {
			return s.empty(i), true
		} else if c == claimedLocked {
			return entry{}, false
		}
		p.looking.Add(1)`,
		new: `if s, i, c = p.line.claim(&w.taker); c != claimedNone {
			chaos.Yield()
			p.looking.Add(-1)
			if c == claimedLocked {
				return entry{}, false
			}
			return s.empty(i), true
		}`,
		tests: "executors TestStressWhoTook",
	},
	{
		name: "pool: a worker that rests counts as looking", kind: "lost wake-up",
		file: "executors/worker.go",
		old: `p.looking.Add(1)
	}
	p.looking.Add(-1)
	return`,
		new: `p.looking.Add(1)
	}
	return`,
		tests: "executors TestWorkersThatRest",
	},
	{
		name: "pool: the signal to a worker that is about to park is not sent", kind: "lost wake-up",
		file:  "executors/worker.go",
		old:   "if w.waiting.Swap(signalled) == parked {",
		new:   "if w.waiting.CompareAndSwap(parked, signalled) {",
		tests: "executors TestASignal|TestB3",
	},
	{
		name: "pool: the keep-alive timer is not armed", kind: "timer not armed",
		file: "executors/worker.go",
		old: `p.idle = append(p.idle, w)
	p.armReaper()`,
		new:   "p.idle = append(p.idle, w)",
		tests: "executors TestB3|TestS0",
	},
	{
		name: "pool: the timer of what waits is not armed when a worker rests", kind: "timer not armed",
		file: "executors/worker.go",
		old: `if p.scheduled != nil {
		p.armDue()
	}`,
		new:   "",
		tests: "executors TestC",
	},
	{
		name: "pool: a worker too many goes on", kind: "resize ignored",
		file:  "executors/worker.go",
		old:   "p.workers > p.most && p.workers > 1",
		new:   "p.workers > p.most && p.workers < 0",
		tests: "executors TestWorkersLeave|TestB7",
	},
	{
		name: "pool: a task finds what the one before it in the row left in its Locals", kind: "state leaks to the next task",
		file: "executors/worker.go",
		old: `if w.scratch != nil {
			w.scratch = nil
		}`,
		new:   "",
		tests: "executors TestB12",
	},
	{
		name: "pool: a task has the labels of the one before it in the row", kind: "state leaks to the next task",
		file: "executors/worker.go",
		old: `pprof.SetGoroutineLabels(w.base)
		s, i, c`,
		new:   "s, i, c",
		tests: "executors TestB12",
	},
	{
		name: "pool: what a task of a row throws is nobody's", kind: "failure not reported",
		file:  "executors/worker.go",
		old:   "for w.calling = true; ; {",
		new:   "for {",
		tests: "executors TestB12",
	},
	{
		name: "pool: a task finds what the one before left in its Locals", kind: "state leaks to the next task",
		file: "executors/worker.go",
		old: `w.now = run{}
	w.scratch = nil`,
		new:   "w.now = run{}",
		tests: "executors TestB12",
	},
	{
		name: "pool: a task finds the labels of the one before", kind: "state leaks to the next task",
		file: "executors/worker.go",
		old: `w.scratch = nil
	pprof.SetGoroutineLabels(w.base)`,
		new:   "w.scratch = nil",
		tests: "executors TestB12",
	},
	{
		name: "pool: a worker keeps the task that it ran", kind: "state leaks to the next task",
		file: "executors/worker.go",
		old: `w.now = run{}
	w.scratch`,
		new:   "w.scratch",
		tests: "executors TestB12|TestC18",
	},
	{
		name: "pool: the context of a run goes on after it", kind: "cancel not propagated",
		file: "executors/worker.go",
		old: `if own := w.now.own; own != nil {
		own.release()
	}`,
		new:   "",
		tests: "executors TestContext",
	},
	{
		name: "pool: a task that ends its goroutine takes the worker along", kind: "Goexit not handled",
		file:  "executors/worker.go",
		old:   "_ = w.pool.launch(w, func() { go w.loop() })",
		new:   "",
		tests: "executors TestB3_3",
	},
	{
		name: "pool: a function that ends its goroutine instead of starting a worker leaves one that is none", kind: "Goexit not handled",
		file:  "executors/admit.go",
		old:   "case err == nil:",
		new:   "case err == nil || !returned:",
		tests: "executors TestB3_5",
	},
	{
		name: "pool: a worker that runs already is given up", kind: "slot given back twice",
		file:  "executors/admit.go",
		old:   "case settled.Swap(true):",
		new:   "case settled.Swap(true) && !returned && returned:",
		tests: "executors TestB3_5",
	},
	{
		name: "pool: a meter is not told of a submission whose goroutine has ended", kind: "wrong figure",
		file:  "executors/admit.go",
		old:   "if !returned { // spawn ends the goroutine: whoever",
		new:   "if !returned && returned { // then who has offered",
		tests: "executors TestB3_5",
	},
	{
		name: "pool: a hook at its end brings the last worker back", kind: "Goexit not handled",
		file:  "executors/worker.go",
		old:   "	w.left = true // as in take\n",
		new:   "",
		tests: "executors TestB4_2",
	},
	{
		name: "pool: a hook at its end brings the last worker, which rested, back", kind: "Goexit not handled",
		file:  "executors/worker.go",
		old:   "			w.left = true // before",
		new:   "			w.left = false // before",
		tests: "executors TestB4_2",
	},
	{
		name: "pool: a future does not hear of Goexit", kind: "Goexit not handled",
		file: "executors/worker.go",
		old: `err = becauseOfShutdown // unless it was cancelled before
	}
	h.conclude(err, ran)`,
		new: `err = becauseOfShutdown // unless it was cancelled before
	}
	if err != reactor.ErrGoexit {
		h.conclude(err, ran)
	}`,
		tests: "executors TestB3_3",
	},
	{
		name: "pool: who waits is not let in by a worker that leaves", kind: "waiter forgotten",
		file: "executors/worker.go",
		old: `woken := p.room()
	p.wind() // unlocks
	woken.wake()`,
		new:   "p.wind() // unlocks",
		tests: "executors TestB11",
	},
	{
		name: "pool: who waits is not let in when a task is taken", kind: "waiter forgotten",
		file:  "executors/worker.go",
		old:   "return e, p.room(), true",
		new:   "return e, woken, true",
		tests: "executors TestB11|TestRoom",
	},
	{
		name: "pool: a task that was cancelled in the last moment counts as completed", kind: "count not advanced",
		file: "executors/worker.go",
		old: `w.skipped = false
		p.cancelled++`,
		new: `w.skipped = false
		p.completed++`,
		tests: "executors TestTheLast",
	},
	{
		name: "pool: a worker that rests keeps what it took to itself", kind: "count not advanced",
		file:  "executors/worker.go",
		old:   "w.taker.settle()",
		new:   "",
		tests: "executors TestWorkersSettle",
	},
	{
		name: "pool: a plain task is queued beside a worker that rests", kind: "lost wake-up",
		file:  "executors/admit.go",
		old:   "p.workers >= p.core && len(p.idle) == 0",
		new:   "p.workers >= p.core",
		tests: "executors TestB1|TestTasksBeyond",
	},
	{
		name: "pool: a plain task is queued although a core worker is missing", kind: "order of admission",
		file:  "executors/admit.go",
		old:   "p.workers > 0 && p.workers >= p.core && len",
		new:   "p.workers > 0 && len",
		tests: "executors TestB1",
	},
	{
		name: "pool: a plain task is queued where there is no worker", kind: "lost wake-up",
		file:  "executors/admit.go",
		old:   "p.workers > 0 && p.workers >= p.core && len",
		new:   "p.workers >= p.core && len",
		tests: "executors TestB1|TestB3",
	},
	{
		name: "pool: a plain task is taken after a shutdown", kind: "late offer after close",
		file:  "executors/admit.go",
		old:   "p.state == poolRunning && p.workers > 0",
		new:   "p.workers > 0",
		tests: "executors TestB5|TestB2",
	},
	{
		name: "pool: a plain task is not counted", kind: "count not advanced",
		file: "executors/admit.go",
		old: `p.line.push(task)
		p.submitted++`,
		new:   "p.line.push(task)",
		tests: "executors TestB6|TestStressFigures",
	},
	{
		name: "pool: a plain task passes the limit of the queue", kind: "bound not kept",
		file:  "executors/admit.go",
		old:   "len(p.idle) == 0 && p.capacity == Unlimited",
		new:   "len(p.idle) == 0",
		tests: "executors TestB1|TestB2",
	},
	{
		name: "pool: a plain task is not decorated", kind: "option ignored",
		file:  "executors/admit.go",
		old:   "p.bare && p.decorate == nil && task",
		new:   "p.bare && task",
		tests: "executors TestMetersAndDecorators|TestB",
	},
	{
		name: "pool: a plain task is run without the hooks", kind: "option ignored",
		file:  "executors/pool.go",
		old:   "p.bare = p.measure == nil && p.hooks.Before == nil && p.hooks.After == nil",
		new:   "p.bare = p.measure == nil",
		tests: "executors TestB",
	},
	{
		name: "pool: a plain task is not measured", kind: "option ignored",
		file:  "executors/pool.go",
		old:   "p.bare = p.measure == nil && p.hooks",
		new:   "p.bare = p.hooks",
		tests: "executors TestB|TestMeters",
	},
	{
		name: "pool: an idle worker is preferred to a new core worker", kind: "order of admission",
		file:  "executors/admit.go",
		old:   "case p.workers < p.core && failed == nil:",
		new:   "case p.workers < p.core && n == 0 && failed == nil:",
		tests: "executors TestB1",
	},
	{
		name: "pool: it grows to its maximum before it queues", kind: "order of admission",
		file:  "executors/admit.go",
		old:   "case p.workers > 0 && p.queue.offer(e):",
		new:   "case p.workers >= p.most && p.queue.offer(e):",
		tests: "executors TestB1",
	},
	{
		name: "pool: one worker more than the maximum", kind: "wrong comparison",
		file:  "executors/admit.go",
		old:   "case p.workers < p.most && failed == nil:",
		new:   "case p.workers <= p.most && failed == nil:",
		tests: "executors TestB1",
	},
	{
		name: "pool: tasks are taken after a shutdown", kind: "late offer after close",
		file:  "executors/admit.go",
		old:   "case p.state != poolRunning:",
		new:   "case p.state >= poolStop:",
		tests: "executors TestB5|TestB2",
	},
	{
		name: "pool: nobody is woken for a task too many for those who look", kind: "lost wake-up",
		file:  "executors/admit.go",
		old:   "waiting >= int(p.looking.Load())",
		new:   "waiting > int(p.looking.Load())",
		tests: "executors TestTasksBeyond",
	},
	{
		name: "pool: an idle worker is given the newest task", kind: "order broken",
		file: "executors/admit.go",
		old: `p.queue.offer(e)
	p.accept(&e)
	first, _ = p.queue.poll(0)
	return first`,
		new: `p.accept(&e)
	return e`,
		tests: "executors TestTasksBeyond",
	},
	{
		name: "pool: an idle worker is not told of its task", kind: "lost wake-up",
		file: "executors/admit.go",
		old: `p.mu.Unlock()
			idle.signal()`,
		new:   "p.mu.Unlock()",
		tests: "executors TestB1|TestTasksBeyond",
	},
	{
		name: "pool: a task that was accepted is not known to wait", kind: "state of a handle not set",
		file: "executors/admit.go",
		old: `p.submitted++
	if e.h != nil {
		e.h.phase = phaseQueued
	}`,
		new:   "p.submitted++",
		tests: "executors TestB8|TestB2_7",
	},
	{
		name: "pool: a worker that could not be started is counted", kind: "slot not given back",
		file: "executors/admit.go",
		old: `p.unstarted--
	p.workers--
`,
		new: `p.unstarted--
`,
		tests: "executors TestB3_5",
	},
	{
		name: "pool: others have relied on a worker that could not be started", kind: "lost wake-up",
		file: "executors/admit.go",
		old: `w.next, w.busy = entry{}, false
		p.unlock()
		go w.loop()`,
		new: `w.next, w.busy = entry{}, false
		p.unlock()`,
		tests: "executors TestB3_5",
	},
	{
		name: "pool: takers do not see who waits for room", kind: "lock not frozen",
		file:  "executors/admit.go",
		old:   "p.freeze() // from now on who takes a task looks for those who wait",
		new:   "",
		tests: "executors TestRoom|TestB11",
	},
	{
		name: "pool: who waits for room again is put behind the others", kind: "order broken",
		file: "executors/admit.go",
		old: `if again {
			p.waiters.pushFront(w)
		} else {
			p.waiters.pushBack(w)
		}`,
		new:   "p.waiters.pushBack(w)",
		tests: "executors TestWaitersKeep|TestB11",
	},
	{
		name: "pool: the future of a discarded task never ends", kind: "outcome forgotten",
		file: "executors/admit.go",
		old: `p.measure.discarded()
	p.dropped(e)`,
		new:   "p.measure.discarded()",
		tests: "executors TestB2",
	},
	{
		name: "pool: a meter is not told of a task that was discarded", kind: "wrong figure",
		file: "executors/admit.go",
		old: `p.measure.discarded()
	p.dropped(e)`,
		new:   "p.dropped(e)",
		tests: "executors TestWhatIsDiscarded",
	},
	{
		name: "pool: the future of the oldest task that is dropped never ends", kind: "outcome forgotten",
		file: "executors/admit.go",
		old: `p.measure.withdrawn()
	p.dropped(e)`,
		new:   "p.measure.withdrawn()",
		tests: "executors TestB2",
	},
	{
		name: "pool: figures are taken while tasks are", kind: "lock not frozen",
		file: "executors/pool.go",
		old: `p.mu.Lock()
	p.freeze()`,
		new:   "p.mu.Lock()",
		tests: "executors TestB6|TestStressFigures",
	},
	{
		name: "pool: the gate is opened while somebody waits for room", kind: "gate opened too early",
		file:  "executors/pool.go",
		old:   "p.line != nil && p.waiters.first == nil && p.workers",
		new:   "p.line != nil && p.workers",
		tests: "executors TestRoom",
	},
	{
		name: "pool: the gate is opened while there are too many workers", kind: "gate opened too early",
		file:  "executors/pool.go",
		old:   "p.waiters.first == nil && p.workers <= p.most",
		new:   "p.waiters.first == nil",
		tests: "executors TestWorkersLeave",
	},
	{
		name: "pool: who waits is not told that there may be a new worker", kind: "waiter forgotten",
		file:  "executors/wait.go",
		old:   "if p.workers < p.most || len(p.idle) > 0 {",
		new:   "if len(p.idle) > 0 {",
		tests: "executors TestB11",
	},
	{
		name: "pool: who gives up is let in", kind: "cancel not propagated",
		file: "executors/wait.go",
		old: `p.waiters.remove(w)
	return true`,
		new: `w.listed = false
	return true`,
		tests: "executors TestB11",
	},
	{
		name: "pool: who got a new worker does not look whether there is room for one more", kind: "waiter forgotten",
		file:  "executors/wait.go",
		old:   "p.letWaitersIn() // there may be room for one more",
		new:   "",
		tests: "executors TestB11",
	},
	{
		name: "handle: a run that was overtaken by the end of its context succeeds", kind: "outcome wrong",
		file: "executors/handle.go",
		old: `} else if ctx := h.body.context(); ctx.Err() != nil {
		err = &CancelError{Cause: reactor.NonNil(context.Cause(ctx))}
	}`,
		new:   "}",
		tests: "executors TestB10|TestB9",
	},
	{
		name: "handle: who waits for the outcome is not told", kind: "lost wake-up",
		file: "executors/handle.go",
		old: `close(x.done)
			x.done = nil`,
		new:   "",
		tests: "executors TestB2_7|TestB10",
	},
	{
		name: "handle: Finished never ends", kind: "lost wake-up",
		file: "executors/handle.go",
		old: `close(x.finished)
		x.finished = nil`,
		new:   "",
		tests: "executors TestB10|TestC13|TestB8",
	},
	{
		name: "handle: who makes the channel does not look again", kind: "lost wake-up",
		file: "executors/handle.go",
		old: `chaos.Yield()
	if h.ends.Load()&what != 0 {
		return closedChan
	}
	c :=`,
		new: `chaos.Yield()
	c :=`,
		tests: "executors TestRaceEndAgainst",
	},
	{
		name: "handle: who ends it looks for those who wait before", kind: "lost wake-up",
		file: "executors/handle.go",
		old:  `return h.changed(h.change(what))`,
		new: `x := h.more.Load()
	chaos.Yield()
	before, after := h.change(what)
	if x != nil {
		x.tell(after)
	}
	return before&settled == 0 && after&settled != 0`,
		tests: "executors TestRaceEndAgainst",
	},
	{
		name: "handle: an error that came too late is the outcome", kind: "outcome wrong",
		file: "executors/handle.go",
		old: `if before&settled != 0 {
			after = before | what&over
		}`,
		new:   "",
		tests: "executors TestRaceEndAgainst|TestB10",
	},
	{
		name: "handle: the context of a cancelled run goes on", kind: "cancel not propagated",
		file:  "executors/handle.go",
		old:   "own.stop(cmp.Or(why, withoutCause))",
		new:   "_ = cmp.Or(why, withoutCause)",
		tests: "executors TestB10|TestC13",
	},
	{
		name: "handle: a series whose run ends at its cancellation waits on", kind: "cancel not propagated",
		file: "executors/handle.go",
		old: `if h.series() != nil {
		h.cancelQueued() // the run may have ended in between, and again have planned the next one
	}`,
		new:   "",
		tests: "executors TestRaceCancelAgainst",
	},
	{
		name: "handle: who waits for room is not let in by a cancellation", kind: "waiter forgotten",
		file: "executors/handle.go",
		old: `woken := p.room()
		p.wind() // unlocks
		woken.wake()`,
		new:   "p.wind() // unlocks",
		tests: "executors TestB11",
	},
	{
		name: "handle: the removal of the last task does not end the pool", kind: "lost wake-up",
		file: "executors/handle.go",
		old: `woken := p.room()
		p.wind() // unlocks`,
		new: `woken := p.room()
		p.unlock()`,
		tests: "executors TestB5_5|TestC13",
	},
	{
		name: "handle: the end of the context of its submitter is not watched", kind: "cancel not propagated",
		file:  "executors/handle.go",
		old:   "if ctx.Done() == nil {",
		new:   "if true {",
		tests: "executors TestB8|TestB10|TestContext",
	},
	{
		name: "handle: a task that was cancelled in the last moment runs", kind: "cancel not propagated",
		file: "executors/handle.go",
		old: `if h.IsDone() {
		h.letGo()
		h.become(over)
		return false
	}`,
		new:   "",
		tests: "executors TestTheLast",
	},
	{
		name: "Submit: a context that has ended is not looked at", kind: "cancel not propagated",
		file: "executors/future.go",
		old: `if ctx == nil || ctx.Err() != nil {
		return nil, unusable(ctx)
	}
	f :=`,
		new:   "f :=",
		tests: "executors TestContext|TestB1",
	},
	{
		name: "future: the function is kept when it is over", kind: "state not cleared",
		file:  "executors/future.go",
		old:   "f.fn = nil",
		new:   "",
		tests: "executors TestC18|TestB12",
	},
	{
		name: "Remove: the task of another pool is taken out", kind: "cancel of the wrong one",
		file:  "executors/future.go",
		old:   "&& h.pool == p && h.cancelQueued()",
		new:   "&& h.cancelQueued()",
		tests: "executors TestRemove|TestB8",
	},
	{
		name: "Remove: a running task is cancelled", kind: "cancel of the wrong one",
		file:  "executors/future.go",
		old:   "h.pool == p && h.cancelQueued()",
		new:   "h.pool == p && h.Cancel(nil)",
		tests: "executors TestRemove|TestB8",
	},
	{
		name: "a context that is asked for after its cancellation goes on", kind: "cancel not propagated",
		file: "executors/context.go",
		old: `c.overtake(in)
	return in
`,
		new:   "return in\n",
		tests: "executors TestContext|TestB10",
	},
	{
		name: "InvokeAll: what was accepted before a refusal goes on", kind: "cancel not propagated",
		file: "executors/invoke.go",
		old: `cancelAll(futures, err)
			return nil, err`,
		new:   "return nil, err",
		tests: "executors TestB9|TestInvoke",
	},
	{
		name: "InvokeAny: the first failure is the result", kind: "outcome wrong",
		file: "executors/invoke.go",
		old: `if err == nil {
			return v, nil
		}
		errs`,
		new: `if err == nil || len(fns) > 1 {
			return v, err
		}
		errs`,
		tests: "executors TestB9|TestInvoke",
	},
	{
		name: "Local: another goroutine may use it", kind: "state leaks to the next task",
		file:  "executors/local.go",
		old:   "id.worker == nil || id.worker.runner.Load() != goid.Current()",
		new:   "id.worker == nil || id.worker.runner.Load() == 0 && goid.Current() == 0",
		tests: "executors TestB12",
	},
	{
		name: "CallerRuns: a task runs after the shutdown", kind: "late offer after close",
		file: "executors/policy.go",
		old: `if r.Stopped() {
		return r.Err()
	}
	r.Run()`,
		new:   "r.Run()",
		tests: "executors TestB2",
	},
	{
		name: "rejection: the last attempt decides what the error says", kind: "wrong cause",
		file:  "executors/policy.go",
		old:   "	if r.Stopped() {\n		kind",
		new:   "	if r.answer == refusedStopped {\n		kind",
		tests: "executors TestB2_8",
	},
	{
		name: "Discard: a policy drops the task of a scheduler", kind: "wrong one dropped",
		file:  "executors/policy.go",
		old:   "if !r.settled && !r.e.essential() {",
		new:   "if !r.settled {",
		tests: "executors TestB2|TestE4",
	},
	{
		name: "pool: the core time-out is ignored", kind: "timer not armed",
		file:  "executors/resize.go",
		old:   "(p.workers > p.core || p.coreTimeOut)",
		new:   "(p.workers > p.core)",
		tests: "executors TestB3|TestS0",
	},
	{
		name: "pool: the last worker leaves a queue", kind: "lost wake-up",
		file:  "executors/resize.go",
		old:   " && (p.workers > 1 || p.queue.len() == 0)",
		new:   "",
		tests: "executors TestB3|TestC6",
	},
	{
		name: "pool: of several idle workers only the first one leaves", kind: "timer not armed",
		file: "executors/resize.go",
		old: `gone = append(gone, p.dismiss())
	}
	p.armReaper()
	return gone`,
		new: `gone = append(gone, p.dismiss())
	}
	return gone`,
		tests: "executors TestB3|TestB7|TestS0",
	},
	{
		name: "pool: the keep-alive timer rings once", kind: "timer not armed",
		file: "executors/resize.go",
		old: `p.disarmReaper() // the timer that has called, or one that was set after that had gone off
	gone := p.expire()`,
		new:   "gone := p.expire()",
		tests: "executors TestB3|TestS0",
	},
	{
		name: "pool: a new keep-alive time counts from the last task", kind: "timer not moved",
		file: "executors/resize.go",
		old: `for _, w := range p.idle {
		w.idleSince = now
	}`,
		new:   "_ = now",
		tests: "executors TestB7|TestB3",
	},
	{
		name: "MissedSkip: a run of a job in time is left out", kind: "off by one",
		file:  "executors/task_scheduler.go",
		old:   "next.Before(now)",
		new:   "!next.After(now)",
		tests: "executors TestC19|TestTimes",
	},
	{
		name: "pool: a shorter keep-alive time holds for later ones only", kind: "timer not moved",
		file: "executors/resize.go",
		old: `p.disarmReaper()
	now := p.now()`,
		new:   "now := p.now()",
		tests: "executors TestB7",
	},
	{
		name: "pool: a larger core starts nobody for what waits", kind: "resize ignored",
		file:  "executors/resize.go",
		old:   "min(core-p.core, p.queue.len())",
		new:   "min(core-p.core, 0)",
		tests: "executors TestB7",
	},
	{
		name: "pool: who waits is not let in by a larger maximum", kind: "waiter forgotten",
		file: "executors/resize.go",
		old: `woken := p.room()
	p.unlock()
	woken.wake()
	for`,
		new: `p.unlock()
	for`,
		tests: "executors TestB11|TestB7",
	},
	{
		name: "Shutdown: who waits for room is not told", kind: "waiter forgotten",
		file: "executors/shutdown.go",
		old: `woken := p.roomForNone()
	p.wind() // unlocks
	woken.wake()`,
		new:   "p.wind() // unlocks",
		tests: "executors TestB11|TestB5",
	},
	{
		name: "ShutdownNow: what never ran is not returned", kind: "outcome forgotten",
		file:  "executors/shutdown.go",
		old:   "tasks = append(tasks, e.fn)",
		new:   "",
		tests: "executors TestB5",
	},
	{
		name: "ShutdownNow: the futures of what never ran do not end", kind: "outcome forgotten",
		file: "executors/shutdown.go",
		old: `tasks = append(tasks, e.h.asTask())
		e.h.abandon(becauseOfShutdown)`,
		new:   "tasks = append(tasks, e.h.asTask())",
		tests: "executors TestB5|TestB2_7|TestC16",
	},
	{
		name: "ShutdownNow: the contexts of what runs go on", kind: "cancel not propagated",
		file: "executors/shutdown.go",
		old: `left := p.close(poolStop)
	chaos.Yield()
	p.stop(ErrShutdown)`,
		new:   "left := p.close(poolStop)",
		tests: "executors TestB5|TestContext",
	},
	{
		name: "Shutdown after ShutdownNow: the state goes back", kind: "state goes back",
		file:  "executors/shutdown.go",
		old:   "p.state = max(p.state, s)",
		new:   "p.state = s",
		tests: "executors TestB5",
	},
	{
		name: "Shutdown: idle workers stay", kind: "lost wake-up",
		file: "executors/shutdown.go",
		old: `gone := p.idle
	p.idle = nil
	for`,
		new: `gone := p.idle[:0:0]
	for`,
		tests: "executors TestB5",
	},
	{
		name: "Shutdown: it is over before the last task is", kind: "terminal too early",
		file:  "executors/shutdown.go",
		old:   "ended := p.goroutines == 0 && p",
		new:   "ended := (p.goroutines == 0 || p.active < 2) && p",
		tests: "executors TestB5",
	},
	{
		name: "Shutdown: the timer of what waits goes on", kind: "timer not stopped",
		file: "executors/shutdown.go",
		old: `if p.scheduled != nil {
			p.scheduled.alarm.Stop()
		}`,
		new:   "",
		tests: "executors TestC|TestE1",
	},
	{
		name: "Close: nothing is forced at the end of its context", kind: "cancel not propagated",
		file: "executors/shutdown.go",
		old: `if err != nil {
		p.ShutdownNow()
	}
	return err`,
		new:   "return err",
		tests: "executors TestB5",
	},
	{
		name: "fixed rate: late runs move those after them", kind: "fixed-rate drift",
		file: "executors/schedule.go",
		old: `due = timers.Later(due, s.period)
	late`,
		new: `due = timers.Later(now, s.period)
	late`,
		tests: "executors TestC8|TestTimes",
	},
	{
		name: "fixed delay: it counts from the due time", kind: "fixed-rate drift",
		file:  "executors/schedule.go",
		old:   "return timers.Later(now, s.delay)",
		new:   "return timers.Later(due, s.delay)",
		tests: "executors TestC9",
	},
	{
		name: "MissedSkip: a run in time is left out", kind: "off by one",
		file:  "executors/schedule.go",
		old:   "due = timers.Later(due+(late-1)/period*period, s.period)",
		new:   "due = timers.Later(due+late/period*period, s.period)",
		tests: "executors TestC19|TestTimes",
	},
	{
		name: "a huge delay overflows", kind: "overflow of due time",
		file:  "executors/schedule.go",
		old:   "timers.Later(now, max(0, delay))",
		new:   "now + int64(max(0, delay))",
		tests: "executors TestC4",
	},
	{
		name: "a series goes on after a shutdown", kind: "late offer after close",
		file:  "executors/schedule.go",
		old:   "p.state >= poolStop || p.state == poolShutdown && !q.keepPeriodic || h.IsDone()",
		new:   "p.state >= poolStop || h.IsDone()",
		tests: "executors TestC15",
	},
	{
		name: "a series that was cancelled while it ran is planned again", kind: "cancel leaves the entry",
		file:  "executors/schedule.go",
		old:   "!q.keepPeriodic || h.IsDone()",
		new:   "!q.keepPeriodic",
		tests: "executors TestC13",
	},
	{
		name: "an earlier task does not move the timer", kind: "timer not moved",
		file:  "executors/schedule.go",
		old:   "soon = h.node.Due <= now || !p.scheduled.alarm.SetBefore(h.node.Due)",
		new:   "soon = h.node.Due <= now",
		tests: "executors TestC7|TestC3",
	},
	{
		name: "DropDelayed: what is due already is dropped", kind: "wrong one dropped",
		file:  "executors/schedule.go",
		old:   "!q.runDelayed && n.Due > now",
		new:   "!q.runDelayed && now > 0",
		tests: "executors TestC15|TestS0",
	},
	{
		name: "a cancelled task stays in the queue", kind: "cancel leaves the entry",
		file: "executors/schedule.go",
		old: `return false
	}
	q.take(h)
	return true`,
		new: `return false
	}
	return true`,
		tests: "executors TestC14",
	},
	{
		name: "the timer counts as armed for ever", kind: "timer not armed",
		file:  "executors/schedule.go",
		old:   "p.scheduled.alarm.Stop()",
		new:   "",
		tests: "executors TestC",
	},
	{
		name: "the timer is not armed for what is left", kind: "timer not armed",
		file: "executors/schedule.go",
		old: `p.armDue()
	p.mu.Unlock()
	for`,
		new: `p.mu.Unlock()
	for`,
		tests: "executors TestC",
	},
	{
		name: "tasks with a delay are counted for ever", kind: "count not advanced",
		file: "executors/schedule.go",
		old: `if h.delayed {
		q.delayed--
	}`,
		new:   "",
		tests: "executors TestC",
	},
	{
		name: "DropDelayed after a shutdown changes nothing", kind: "resize ignored",
		file: "executors/scheduled.go",
		old: `if shut {
		p.pool.Shutdown()
	}`,
		new:   "_ = shut",
		tests: "executors TestC15",
	},
	{
		name: "job: what waits stays when it is cancelled", kind: "cancel leaves the entry",
		file: "executors/job.go",
		old: `if withdraw != nil {
		withdraw()
	}
	return true`,
		new: `_ = withdraw
	return true`,
		tests: "executors TestC2",
	},
	{
		name: "job: who waits for a run is not told that there is none", kind: "lost wake-up",
		file: "executors/job.go",
		old: `*j.roundErr = err
		close(j.round)
		j.round = nil
	}
	close(j.done)`,
		new: `j.round = nil
	}
	close(j.done)`,
		tests: "executors TestC2",
	},
	{
		name: "WaitOnShutdown: runs under way are cancelled", kind: "cancel of the wrong one",
		file:  "executors/job.go",
		old:   "if !j.s.wait {",
		new:   "if true {",
		tests: "executors TestC28",
	},
	{
		name: "job: the clock is not looked at in between", kind: "timer not moved",
		file:  "executors/job_plan.go",
		old:   "wait = min(wait, j.s.rearm)",
		new:   "_ = j.s.rearm",
		tests: "executors TestC25",
	},
	{
		name: "job: a look at the clock that came too early was the last one", kind: "timer not armed",
		file: "executors/job_plan.go",
		old: `j.mu.Unlock()
		j.waits(j.wait(at, max(early, at.Sub(now))))
		return`,
		new: `j.mu.Unlock()
		return`,
		tests: "executors TestC25|TestC26",
	},
	{
		name: "job: it does not end with its trigger", kind: "terminal forgotten",
		file: "executors/job_plan.go",
		old: `if idle {
		j.end(err)
	}`,
		new:   "_ = idle",
		tests: "executors TestC2",
	},
	{
		name: "job: with a goroutine per run the next one waits for the last", kind: "order broken",
		file:  "executors/job_plan.go",
		old:   "waits := j.s.runs == nil || j.afterRun",
		new:   "waits := j.s.runs == nil || !j.afterRun",
		tests: "executors TestC29",
	},
	{
		name: "Forbid: runs overlap", kind: "unlocked call-out",
		file:  "executors/job_run.go",
		old:   "len(j.runs) == 0 || j.overlap.allow",
		new:   "len(j.runs) >= 0 || j.overlap.allow",
		tests: "executors TestC29",
	},
	{
		name: "Queued: what waits is not run", kind: "lost wake-up",
		file:  "executors/job_run.go",
		old:   "waiting = j.reserve(at)",
		new:   "_ = at",
		tests: "executors TestC29",
	},
	{
		name: "job: a failure ends a series", kind: "error taken for the end",
		file: "executors/job_run.go",
		old: `if j.repeating {
			return nil
		}`,
		new:   "",
		tests: "executors TestC24",
	},
	{
		name: "job: with a goroutine per run it does not end with its last run", kind: "terminal forgotten",
		file: "executors/job_run.go",
		old: `case exhausted:
		j.end(outcome)`,
		new:   "case exhausted:\n\t\t_ = outcome",
		tests: "executors TestC2",
	},
	{
		name: "job: its end does not reach the run under way", kind: "cancel not propagated",
		file:  "executors/job_run.go",
		old:   "func() { cancel(context.Cause(j.ctx)) }",
		new:   "func() {}",
		tests: "executors TestC2",
	},
	{
		name: "job: a start in the past makes runs to be made up for", kind: "fixed-rate drift",
		file:  "executors/task_scheduler.go",
		old:   "if r.start.After(c.Now) {",
		new:   "if !r.start.IsZero() {",
		tests: "executors TestC20",
	},
	{
		name: "MissedOne: a job leaves out the run for those it missed", kind: "off by one",
		file:  "executors/task_scheduler.go",
		old:   "next = next.Add(late / r.period * r.period)",
		new:   "next = next.Add(late / r.period * r.period).Add(r.period)",
		tests: "executors TestC19|TestTimes",
	},
	{
		name: "AwaitTermination: runs under way are not waited for", kind: "terminal too early",
		file: "executors/task_scheduler.go",
		old: `s.runs.Shutdown()
	return s.runs.AwaitTermination(ctx)`,
		new: `s.runs.Shutdown()
	return nil`,
		tests: "executors TestC28",
	},
	{
		name: "Periodic: a fixed rate counts from the end", kind: "fixed-rate drift",
		file:  "executors/trigger.go",
		old:   "return c.LastScheduled.Add(p.Period), true",
		new:   "return c.LastEnd.Add(p.Period), true",
		tests: "executors TestC22",
	},
	{
		name: "cron: it looks ahead thirty years", kind: "horizon",
		file:  "executors/cron/next.go",
		old:   "last := from + horizon",
		new:   "last := from + horizon/10*3",
		tests: "executors/cron TestC37",
	},
	{
		name: "cron: one of the two day fields is enough", kind: "wrong comparison",
		file: "executors/cron/next.go",
		old: `) &&
		(e.dayOfWeek`,
		new: `) ||
		(e.dayOfWeek`,
		tests: "executors/cron TestC34|TestC38",
	},
	{
		name: "cron: clocks never change", kind: "daylight saving",
		file: "executors/cron/next.go",
		old: `if !end.IsZero() {
			until`,
		new: `if !end.IsZero() && end.Unix() <= from {
			until`,
		tests: "executors/cron TestC38|TestC40",
	},
	{
		name: "Vixie: what clocks skip is left out", kind: "daylight saving",
		file:  "executors/cron/next.go",
		old:   "if shift > before && from <= at {",
		new:   "if shift > before && from < begin.Unix()-at {",
		tests: "executors/cron TestC41",
	},
	{
		name: "Vixie: what exists twice is met twice", kind: "daylight saving",
		file:  "executors/cron/next.go",
		old:   "from = max(from, at+int64(before-shift)) // clocks set back: local times that exist twice have matched the first time",
		new:   "",
		tests: "executors/cron TestC41",
	},
	{
		name: "cron: a match on the day of a change comes too early", kind: "daylight saving",
		file:  "executors/cron/next.go",
		old:   "return at, at < until",
		new:   "return at, true",
		tests: "executors/cron TestC38|TestC40",
	},
	{
		name: "LW: a month that ends with a Sunday", kind: "L, W and #",
		file:  "executors/cron/next.go",
		old:   "d.day >= d.length-2",
		new:   "d.day >= d.length-1",
		tests: "executors/cron TestC35",
	},
	{
		name: "1W: a month that begins with a Saturday", kind: "L, W and #",
		file:  "executors/cron/next.go",
		old:   "case d.day == r.d+1, r.d == 1 && d.day == 3:",
		new:   "case d.day == r.d+1:",
		tests: "executors/cron TestC35",
	},
	{
		name: "31W: months of 30 days", kind: "L, W and #",
		file: "executors/cron/next.go",
		old: `case r.d > d.length:
			return false
		case`,
		new:   "case",
		tests: "executors/cron TestC35",
	},
	{
		name: "d#n: the seventh day", kind: "L, W and #",
		file:  "executors/cron/next.go",
		old:   "(d.day-1)/7+1 == r.n",
		new:   "d.day/7+1 == r.n",
		tests: "executors/cron TestC35",
	},
	{
		name: "dL: the eighth day from the end", kind: "L, W and #",
		file:  "executors/cron/next.go",
		old:   "d.day > d.length-7",
		new:   "d.day >= d.length-7",
		tests: "executors/cron TestC35",
	},
	{
		name: "cron: the year 2100 is a leap year", kind: "calendar",
		file:  "executors/cron/next.go",
		old:   "d.year%4 == 0 && (d.year%100 != 0 || d.year%400 == 0)",
		new:   "d.year%4 == 0",
		tests: "executors/cron TestC3",
	},
	{
		name: "cron: minutes are not begun anew with the hour", kind: "order broken",
		file: "executors/cron/next.go",
		old: `if hour > h {
			m, s = 0, 0
		}`,
		new:   "",
		tests: "executors/cron TestC3",
	},
	{
		name: "cron: times before 1970", kind: "calendar",
		file: "executors/cron/next.go",
		old: `if a%b < 0 {
		q--
	}`,
		new:   "",
		tests: "executors/cron TestC3",
	},
	{
		name: "cron: 0 is not Sunday", kind: "calendar",
		file:  "executors/cron/parse.go",
		old:   "i == dayOfWeekField && p.set&1 != 0",
		new:   "i == dayOfWeekField && p.set == 1<<60",
		tests: "executors/cron TestC3",
	},
	{
		name: "cron: a week that begins with Sunday", kind: "calendar",
		file:  "executors/cron/parse.go",
		old:   "p.f.lowest < p.f.min && from == p.f.max",
		new:   "p.f.lowest < p.f.min && from > p.f.max",
		tests: "executors/cron TestC3",
	},
	{
		name: "0#n: Sunday", kind: "calendar",
		file:  "executors/cron/parse.go",
		old:   "dayRule{kind: nthOf, d: sunday(d), n: n}",
		new:   "dayRule{kind: nthOf, d: d, n: n}",
		tests: "executors/cron TestC3",
	},
	{
		name: "cron: nW passes by a Sunday that ends the month", kind: "calendar",
		file:  "executors/cron/next.go",
		old:   "case d.day == r.d-1, r.d == d.length && d.day == r.d-2:",
		new:   "case d.day == r.d-1:",
		tests: "executors/cron TestC3",
	},
	{
		name: "cron: a sixth Monday is waited for", kind: "argument not checked",
		file:  "executors/cron/parse.go",
		old:   "n < 1 || n > 5",
		new:   "n < 1",
		tests: "executors/cron TestC3",
	},
	{
		name: "cron: a huge step overflows", kind: "overflow of due time",
		file:  "executors/cron/parse.go",
		old:   "if n > p.f.max {",
		new:   "if n < 0 {",
		tests: "executors/cron TestC3",
	},
	{
		name: "cron trigger: a timer that came early meets a time twice", kind: "time met twice",
		file:  "executors/cron/triggers.go",
		old:   "t.fixed || c.LastEnd.Before(c.LastScheduled)",
		new:   "t.fixed",
		tests: "executors/cron TestC23|TestC22",
	},
	{
		name: "cron trigger: Resume forgets from when", kind: "state of a handle not set",
		file:  "executors/cron/triggers.go",
		old:   "if !t.from.IsZero() {",
		new:   "if t.from.After(c.Now) {",
		tests: "executors/cron TestC22",
	},
	{
		name: "Lenient: times during a run are met", kind: "time met twice",
		file:  "executors/cron/triggers.go",
		old:   "base = c.LastEnd",
		new:   "base = c.LastScheduled",
		tests: "executors/cron TestC22",
	},
	{
		name: "scheduled pool: the worker on demand stays when its last task is cancelled", kind: "goroutine left",
		file:  "executors/handle.go",
		old:   "			p.armReaper() // a worker may have stayed for this task\n",
		new:   "",
		tests: "executors TestC6_TheWorker",
	},
	{
		name: "a context that nobody has asked for does not know of ShutdownNow", kind: "cancel not propagated",
		file:  "executors/context.go",
		old:   "c.stopped.Load() == nil && c.pool.ctx.Err() == nil && c.up",
		new:   "c.stopped.Load() == nil && c.up",
		tests: "executors TestContextOfARunThat",
	},
	{
		name: "a context that was asked for stays with those above it", kind: "leak",
		file:  "executors/context.go",
		old:   "	if in := c.made.Load(); in != nil {\n		in.end()\n	}",
		new:   "",
		tests: "executors TestContextsOfRuns",
	},
	{
		name: "a context that was made in vain stays with those above it", kind: "leak",
		file:  "executors/context.go",
		old:   "		in.end()\n		return c.made.Load()",
		new:   "		return c.made.Load()",
		tests: "executors TestContextOfARunIsMade",
	},
	{
		name: "future: the context of its submitter is kept when it is over", kind: "state not cleared",
		file:  "executors/future.go",
		old:   "	f.ctx = nil\n",
		new:   "",
		tests: "executors TestContextIsForgotten",
	},
	{
		name: "ShutdownNow: a decorated future keeps its function", kind: "state not cleared",
		file:  "executors/handle.go",
		old:   "		b.release()\n",
		new:   "",
		tests: "executors TestContextIsForgotten",
	},
	{
		name: "SubmitWait: the end of its context is not watched", kind: "cancel not propagated",
		file:  "executors/wait.go",
		old:   "	f.watch(ctx)\n",
		new:   "",
		tests: "executors TestContextEndsWhat",
	},
	{
		name: "SubmitAfter: the end of its context is not watched", kind: "cancel not propagated",
		file:  "executors/scheduled.go",
		old:   "	f.watch(ctx)\n",
		new:   "",
		tests: "executors TestContextEndsWhat",
	},
	{
		name: "a decorator that loses a run has run the one before again", kind: "state leaks to the next task",
		file:  "executors/handle.go",
		old:   "d.err, d.ran = nil, false",
		new:   "d.err = nil",
		tests: "executors TestADecoratorThat",
	},
	{
		name: "handle: the context of one that has ended is watched", kind: "leak",
		file:  "executors/handle.go",
		old:   "	if !h.IsDone() {\n		x.unwatch =",
		new:   "	if true {\n		x.unwatch =",
		tests: "executors TestContextOfATaskThat",
	},
	{
		name: "handle: the watch over a context outlives the task", kind: "leak",
		file:  "executors/handle.go",
		old:   "		c.unwatch()\n",
		new:   "		_ = c.unwatch\n",
		tests: "executors TestContextsOfRuns",
	},
	{
		name: "handle: a meter is not told of a task that was cancelled", kind: "wrong figure",
		file:  "executors/handle.go",
		old:   "	defer p.measure.withdrawn()\n	if x != nil {",
		new:   "	if x != nil {",
		tests: "executors TestAMeterOfWhat",
	},
	{
		name: "Wait: the end of the context hides the outcome that is there", kind: "outcome wrong",
		file:  "executors/handle.go",
		old:   "	if h.IsDone() {\n		return h.Err()\n	}\n	select",
		new:   "	select",
		tests: "executors TestWaitFor",
	},
	{
		name: "InvokeAny: the end of the context is lost behind what the functions made of it", kind: "outcome wrong",
		file:  "executors/invoke.go",
		old:   "	if ctx.Err() != nil {\n		return zero, reactor.NonNil(context.Cause(ctx))\n	}\n	return zero, errors",
		new:   "	return zero, errors",
		tests: "executors TestB9_2",
	},
	{
		name: "InvokeAll: a refusal is taken for the end of the context", kind: "outcome wrong",
		file:  "executors/invoke.go",
		old:   "&& !errors.Is(err, ErrRejected) {",
		new:   "&& (errors.Is(err, ErrRejected) || true) {",
		tests: "executors TestB9_1",
	},
	{
		name: "DropOldest: one that finds nothing undoes the one before", kind: "waiter forgotten",
		file:  "executors/admit.go",
		old:   "if !ok {\n\t\tp.unlock()\n\t\treturn false\n\t}\n\tp.discarded++",
		new:   "if *noted = ok; !ok {\n\t\tp.unlock()\n\t\treturn false\n\t}\n\tp.discarded++",
		tests: "executors TestB11",
	},
	{
		name: "pool: idle workers stay although there may not be so many", kind: "resize ignored",
		file:  "executors/resize.go",
		old:   "for p.workers > p.most && len(p.idle) > 0 {",
		new:   "for p.workers > p.most && len(p.idle) > 99 {",
		tests: "executors TestB7",
	},
	{
		name: "pool: idle workers are core workers for ever", kind: "resize ignored",
		file:  "executors/resize.go",
		old:   "	if shrink {\n		gone",
		new:   "	if shrink && len(gone) > 99 {\n		gone",
		tests: "executors TestB7",
	},
	{
		name: "pool: others have relied on a worker that could not be started beforehand", kind: "lost wake-up",
		file:  "executors/resize.go",
		old:   "		p.unlock()\n		go w.loop()\n		return true",
		new:   "		p.unlock()\n		return true",
		tests: "executors TestB3_5",
	},
	{
		name: "Shutdown: a meter is not told of what never runs", kind: "wrong figure",
		file:  "executors/shutdown.go",
		old:   "		defer p.measure.withdrawn()\n		left[i].h",
		new:   "		left[i].h",
		tests: "executors TestAMeterOfWhat",
	},
	{
		name: "ShutdownNow: a meter is not told of what never runs", kind: "wrong figure",
		file:  "executors/shutdown.go",
		old:   "		defer p.measure.withdrawn()\n		if e.h == nil",
		new:   "		if e.h == nil",
		tests: "executors TestAMeterOfWhat",
	},
	{
		name: "pool: the contexts of plain tasks outlive it", kind: "cancel not propagated",
		file:  "executors/shutdown.go",
		old:   "		if last { // else",
		new:   "		if last && p.callers < 0 { // else",
		tests: "executors TestContextOfAPlain",
	},
	{
		name: "WaitOnShutdown: the pool of runs goes on", kind: "terminal forgotten",
		file:  "executors/task_scheduler.go",
		old:   "		if s.runs != nil {\n			s.runs.Shutdown()\n		}\n		return nil\n	}\n	jobs := s.Jobs()",
		new:   "		return nil\n	}\n	jobs := s.Jobs()",
		tests: "executors TestJobsOfBoth",
	},
	{
		name: "job: the scheduler keeps those that are over", kind: "leak",
		file:  "executors/task_scheduler.go",
		old:   "	delete(s.jobs, j)\n",
		new:   "",
		tests: "executors TestJobsAreForgotten",
	},
	{
		name: "job: one that is cancelled while it is planned waits on", kind: "cancel leaves the entry",
		file:  "executors/job_plan.go",
		old:   "	if over {\n		withdraw()\n	}\n",
		new:   "",
		tests: "executors TestJobsThatAreCancelled",
	},
	{
		name: "job: a run that was refused is under way for ever", kind: "count not advanced",
		file:  "executors/job_run.go",
		old:   "			delete(j.runs, r)\n			j.mu.Unlock()\n			j.refused",
		new:   "			j.mu.Unlock()\n			j.refused",
		tests: "executors TestJobsWhoseRun",
	},
	{
		name: "who waits for room again, and is alone, is forgotten with the next one", kind: "waiter forgotten",
		file:  "executors/wait.go",
		old:   "	if l.first == nil {\n		l.last = w\n	} else {\n		l.first.previous = w\n	}",
		new:   "	if l.first != nil {\n		l.first.previous = w\n	}",
		tests: "executors TestWaitersThat",
	},
	{
		name: "pool: who waits for a place in the queue is measured before it has one", kind: "wrong figure",
		file:  "executors/wait.go",
		old:   "		if p.measure != nil {\n			w.e.at = p.now()\n		}\n",
		new:   "",
		tests: "executors TestAMeterOfThose",
	},
	{
		name: "pool: who waits for a worker is measured before it is accepted", kind: "wrong figure",
		file:  "executors/worker.go",
		old:   "		if p.measure != nil {\n			w.e.at = p.now()\n		}\n",
		new:   "",
		tests: "executors TestAMeterOfThose",
	},
	{
		name: "pool: a meter is not told of a task that was cancelled in the last moment", kind: "wrong figure",
		file:  "executors/worker.go",
		old:   "		w.pool.measure.withdrawn()\n",
		new:   "",
		tests: "executors TestAMeterOfWhat",
	},
	{
		name: "CallerRuns: the context goes on after the run", kind: "cancel not propagated",
		file:  "executors/worker.go",
		old:   "		defer own.release()\n",
		new:   "",
		tests: "executors TestContextOfARunOf",
	},
	{
		name: "pool: the first task has the labels of its submitter", kind: "state leaks to the next task",
		file:  "executors/worker.go",
		old:   "	pprof.SetGoroutineLabels(w.base)\n	defer func() {",
		new:   "	defer func() {",
		tests: "executors TestB12",
	},
	{
		name: "decorators are applied in reverse", kind: "order broken",
		file:  "executors/pool.go",
		old:   "				if wrapped := inner(t); wrapped != nil {\n					t = wrapped\n				}\n				if wrapped := decorate(t); wrapped != nil {\n					t = wrapped\n				}",
		new:   "				if wrapped := decorate(t); wrapped != nil {\n					t = wrapped\n				}\n				if wrapped := inner(t); wrapped != nil {\n					t = wrapped\n				}",
		tests: "executors TestDecorators",
	},
	{
		name: "series: who rests is woken for a late run", kind: "needless wake-up",
		file:  "executors/schedule.go",
		old:   "if h.node.Due > now {",
		new:   "if h.node.Due > 0 {",
		tests: "executors TestC8_LateRuns",
	},
	{
		name: "taskScheduler: a shutdown that runs out of time does not say what runs", kind: "wrong figure",
		file:  "executors/task_scheduler.go",
		old:   "\t\treturn fmt.Errorf(\"executors: Shutdown: %v%s: %w\", s, stillRunning(jobs), err)",
		new:   "\t\t_ = jobs\n\t\treturn err",
		tests: "executors TestTaskSchedulerShutdownNames",
	},
	{
		name: "job: a run that was due at the zero time is none", kind: "timer not moved",
		file:  "executors/job_plan.go",
		old:   "due = due.Add(-1)",
		new:   "_ = due",
		tests: "executors TestC25_ClockThatBeginsWithTheZeroTime",
	},
	{
		name: "Missed: the run that a job waits for is run in any case", kind: "condition",
		file:  "executors/job_plan.go",
		old:   "at := j.regular(j.next, now, pool)",
		new:   "at := j.next\n\t_ = pool",
		tests: "executors TestC19_JumpOverSeveralRuns",
	},
	{
		name: "Missed: who waits for a worker leaves out runs", kind: "condition",
		file:  "executors/job_plan.go",
		old:   "now.Sub(at)-max(0, pool.Sub(j.look)) < r.period",
		new:   "now.Sub(at) < r.period",
		tests: "executors TestC19_NoWorkerIsNoJump",
	},
	{
		name: "Missed: a jump is no longer than a Duration", kind: "overflow",
		file:  "executors/task_scheduler.go",
		old:   "; late = now.Sub(next) {",
		new:   "; late = 0 {",
		tests: "executors TestC19_JumpOverCenturies",
	},
	{
		name: "jobs: the pool of times removes the instruments of both", kind: "order",
		file:  "executors/instruments.go",
		old:   "m.others.Add(-1) >= 0",
		new:   "m.others.Load() > 1",
		tests: "executors TestMeterOfJobsUntilTheLastRunHasEnded",
	},
	{
		name: "job: looks that come too early have no pause", kind: "timer not moved",
		file:  "executors/job_plan.go",
		old:   "max(early, at.Sub(now))",
		new:   "at.Sub(now)",
		tests: "executors TestC25_ClockThatStands",
	},
	{
		name: "Periodic: a negative period is taken", kind: "argument",
		file:  "executors/trigger.go",
		old:   "case p.Period < 0:",
		new:   "case false:",
		tests: "executors TestPeriodicWithoutAPeriod",
	},
	{
		name: "job: who stops when cancelled has failed", kind: "error reported twice",
		file:  "executors/job_run.go",
		old:   "errors.Is(err, ErrCancelled) || errors.Is(err, ErrShutdown)",
		new:   "errors.Is(err, ErrShutdown)",
		tests: "executors TestAJobThatIsCancelledHasNotFailed",
	},
	{
		name: "context: Err tells the last reason", kind: "outcome wrong",
		file:  "executors/context.go",
		old:   "in = c.inner() // which keeps the first reason",
		new:   "return context.Canceled",
		tests: "executors TestContextOfARunSaysOneError",
	},
	{
		name: "job: a run that is dropped stays under way", kind: "count not reset",
		file:  "executors/job_run.go",
		old:   "\t\tj.leave(r)\n\t\tj.refused(cause)",
		new:   "\t\tj.refused(cause)",
		tests: "executors TestRunThatIsDroppedIsNotUnderWay",
	},
	{
		name: "periodic: the meter hears of a refusal before the handle", kind: "end lost",
		file:  "executors/worker.go",
		old:   "defer p.decided(v) //",
		new:   "p.decided(v) //",
		tests: "executors TestPeriodicTaskThatIsShutDownWhoseMeter",
	},
	{
		name: "tracked: without a listener nobody waits for the run", kind: "task lost",
		file:  "executors/future.go",
		old:   "dropped = func(error) {} //",
		new:   "_ = dropped //",
		tests: "executors TestTrackedTaskBehindAHookThatPanics",
	},
	{
		name: "local: anybody may have it", kind: "owner not checked",
		file:  "executors/local.go",
		old:   "id.worker.runner.Load() != goid.Current()",
		new:   "goid.Current() == 0",
		tests: "executors TestLocalElsewhereWhileTheWorkerIsReplaced",
	},
}
