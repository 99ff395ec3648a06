package main

// protocol breaks the shared pieces of the protocol.
var protocol = []mutation{
	{
		name: "half: the error is kept when it has been told", kind: "state not cleared",
		file:  "internal/protocol/half.go",
		old:   "\th.end.Store(halfComplete)\n",
		new:   "",
		tests: "operators TestEndsLetGoOfTheError",
	},
	{
		name: "drain: work announced during a pass is forgotten", kind: "lost wake-up",
		file: "internal/protocol/drain.go",
		old: `if d.state.CompareAndSwap(drainBusy, drainIdle) {
		return true
	}
	d.state.Store(drainBusy)
	return false`,
		new: `d.state.Store(drainIdle)
	return true`,
		tests: "internal/protocol Drain",
	},
	{
		name: "drain: an announcement that loses the race is not repeated", kind: "un-retried compare-and-swap",
		file: "internal/protocol/drain.go",
		old: `if d.state.CompareAndSwap(drainBusy, drainAgain) {
				return false
			}`,
		new: `chaos.Yield()
			d.state.CompareAndSwap(drainBusy, drainAgain)
			return false`,
		tests: "internal/protocol Drain",
	},
	{
		name: "drain: leaving does not look for announced work", kind: "lost wake-up",
		file: "internal/protocol/drain.go",
		old: `if !d.state.CompareAndSwap(drainBusy, drainIdle) {
		d.again(o)
	}`,
		new:   "d.state.Store(drainIdle)",
		tests: "internal/protocol Drain",
	},
	{
		name: "drain: a pass that ends its goroutine keeps the drain", kind: "Goexit not handled",
		file: "internal/protocol/drain.go",
		old: `defer d.Loop(o) // also if that ends the goroutine again
		crashed(o, failure.Recovered(recover()))`,
		new: `r := recover()
		if r == nil {
			return
		}
		defer d.Loop(o)
		crashed(o, failure.Recovered(r))`,
		tests: "internal/protocol Drain",
	},
	{
		name: "the sum of demands overflows", kind: "non-saturating add",
		file: "internal/demand/demand.go",
		old: `if s := a + b; s >= 0 {
		return s
	}
	return reactor.Unbounded`,
		new:   "return a + b",
		tests: "internal/demand Demand|Refill",
	},
	{
		name: "a request that meets another one gets lost", kind: "un-retried compare-and-swap",
		file: "internal/demand/demand.go",
		old: `if r.CompareAndSwap(old, Sum(old, n)) {
			return old
		}`,
		new: `r.CompareAndSwap(old, Sum(old, n))
		return old`,
		tests: "internal/demand Demand|Refill",
	},
	{
		name: "what was produced overwrites what was requested meanwhile", kind: "lost update",
		file: "internal/demand/demand.go",
		old: `if r.CompareAndSwap(old, left) {
			return left
		}`,
		new: `r.Store(left)
		return left`,
		tests: "internal/demand Demand|Refill",
	},
	{
		name: "unbounded demand is used up", kind: "demand not credited",
		file: "internal/demand/demand.go",
		old: `return old
		}
		left := max(old-n, 0)`,
		new: `}
		left := max(old-n, 0)`,
		tests: "internal/demand Demand|Refill",
	},
	{
		name: "refill: one element late", kind: "prefetch refill off by one",
		file:  "internal/demand/demand.go",
		old:   "if r.consumed < r.limit {",
		new:   "if r.consumed <= r.limit {",
		tests: "internal/demand Demand|Refill",
	},
	{
		name: "refill: what was asked for is asked for again", kind: "demand credited twice",
		file: "internal/demand/demand.go",
		old: `n = r.consumed
	r.consumed = 0
	return n`,
		new: `n = r.consumed
	return n`,
		tests: "internal/demand Demand|Refill",
	},
	{
		name: "A4 arbiter: a subscription after the cancellation stays (R#4398)", kind: "cancel not propagated",
		file: "internal/protocol/arbiter.go",
		old: `if a.cancelled {
		a.mu.Unlock()
		up.Cancel()
		return
	}`,
		new:   "",
		tests: "internal/protocol Arbiter",
	},
	{
		name: "A5 arbiter: what was produced is asked for again (R#2567)", kind: "demand credited twice",
		file: "internal/protocol/arbiter.go",
		old: `a.open = max(a.open-n, 0)
	}
	return !a.cancelled`,
		new: `a.open = max(a.open, 0)
	}
	return !a.cancelled`,
		tests: "internal/protocol Arbiter",
	},
	{
		name: "A2 arbiter: the next source is due after the cancellation (R#2778)", kind: "cancel not propagated",
		file:  "internal/protocol/arbiter.go",
		old:   "return !a.cancelled",
		new:   "return true",
		tests: "internal/protocol Arbiter , operators TestSwap|TestConcat",
	},
	{
		name: "arbiter: the open demand is requested under the lock", kind: "call under a lock",
		file: "internal/protocol/arbiter.go",
		old: `open := a.open
	a.mu.Unlock()
	chaos.Yield()
	if open > 0 {
		up.Request(open)
	}`,
		new: `if a.open > 0 {
		up.Request(a.open)
	}
	a.mu.Unlock()`,
		tests: "internal/protocol Arbiter , operators TestSwap|TestConcat",
	},
	{
		name: "deferred: demand that meets the subscription stays behind", kind: "lost wake-up",
		file: "internal/protocol/deferred.go",
		old: `demand.Add(&d.requested, n)
		chaos.Yield()
		if d.state.Load() == deferredSet {
			d.flush()
		}`,
		new:   "demand.Add(&d.requested, n)",
		tests: "internal/protocol Deferred",
	},
	{
		name: "deferred: a subscription that meets the cancellation stays", kind: "cancel not propagated",
		file: "internal/protocol/deferred.go",
		old: `if !d.state.CompareAndSwap(deferredWaiting, deferredSet) {
		d.up.Cancel()
		return false
	}`,
		new: `if !d.state.CompareAndSwap(deferredWaiting, deferredSet) {
		return false
	}`,
		tests: "internal/protocol Deferred",
	},
	{
		name: "deferred: the subscription is announced before it is there", kind: "wrong order of two stores",
		file: "internal/protocol/deferred.go",
		old: `	d.up = up
	return true`,
		new: `	set := d.state.CompareAndSwap(deferredWaiting, deferredSet)
	chaos.Yield()
	d.up = up
	return set`,
		tests: "internal/protocol Deferred",
	},
	{
		name: "half: an end that comes during an element is lost", kind: "lost wake-up",
		file:  "internal/protocol/half.go",
		old:   "h.calling = false\n\tchaos.Yield()\n\treturn h.letGo()",
		new:   "h.calling = false\n\tchaos.Yield()\n\treturn h.letGo() && false",
		tests: "internal/protocol Half",
	},
	{
		name: "half: the end is delivered during an element", kind: "unlocked call-out",
		file: "internal/protocol/half.go",
		old: `if heldAt(h.word.Add(halfEnded)) == halfEnded {
		h.Settle()
	}`,
		new: `h.word.Add(halfEnded)
	h.Settle()`,
		tests: "internal/protocol Half",
	},
	{
		name: "half: what came during a run is not told", kind: "lost wake-up",
		file:  "internal/protocol/half.go",
		old:   `			return heldAt(over) == halfEnded`,
		new:   `			return false`,
		tests: "internal/protocol Half",
	},
	{
		name: "half: an element in a run of its own comes after the end", kind: "signal after cancellation",
		file:  "internal/protocol/half.go",
		old:   `	live := !h.Ended()`,
		new:   `	live := true`,
		tests: "internal/stage/resubscribe Succession",
	},
	{
		name: "half: the end is told once more after a run", kind: "duplicated signal",
		file:  "internal/protocol/half.go",
		old:   "if h.sent.Swap(true) {",
		new:   "if h.sent.Swap(true) && false {",
		tests: "internal/protocol Half",
	},
	{
		name: "half: the end is told at the end of the run, and a second time", kind: "duplicated signal",
		file:  "internal/protocol/half.go",
		old:   "if !h.sent.Swap(true) {",
		new:   "if !h.sent.Swap(true) || true {",
		tests: "internal/protocol Half",
	},
	{
		name: "half: elements of a run go on after the end", kind: "condition left out",
		file: "internal/protocol/half.go",
		old: `		if h.Ended() {
			return false
		}
		down.OnNext(v)`,
		new:   `		down.OnNext(v)`,
		tests: "internal/protocol Half",
	},
	{
		name: "subscribeFunc: a function is called after the cancellation, during a run", kind: "condition left out",
		file:  "operators/subscribe_func.go",
		old:   "		// During a run this is the whole question: who ends the stream has cancelled it before. So\n		// it is with a host, and where nobody else can end it.\n		if s.link.IsCancelled() {",
		new:   "		if s.link.IsCancelled() && false {",
		tests: "operators TestSubscribeFuncCancelledAbove",
	},
	{
		name: "half: every end counts", kind: "double terminal",
		file: "internal/protocol/half.go",
		old:  "return h.end.CompareAndSwap(nil, endWith(err))",
		new: `h.end.Store(endWith(err))
	return true`,
		tests: "internal/protocol Half",
	},
	{
		name: "handle: a timer set after the disposal goes on", kind: "timer not stopped",
		file:  "internal/protocol/handle.go",
		old:   "if !h.disposed && n >= h.wanted {",
		new:   "if n >= h.wanted {",
		tests: "internal/protocol Handle",
	},
	{
		name: "handle: a cleared timer goes on", kind: "timer not stopped",
		file:  "internal/protocol/handle.go",
		old:   "d, h.current = h.current, nil",
		new:   "h.current = nil",
		tests: "internal/protocol Handle",
	},
	{
		name: "pull: an idle source is not released by the cancellation", kind: "slot not given back",
		file: "internal/protocol/pull.go",
		old: `if demand.Add(&p.demand, 1) == 0 {
		p.source.Release()
	}`,
		new:   "",
		tests: "internal/protocol Pull",
	},
	{
		name: "pull: an element that ends the goroutine leaves the loop taken", kind: "Goexit not handled",
		file:  "internal/protocol/pull.go",
		old:   `case clean:`,
		new:   `case clean || recover() == nil:`,
		tests: "internal/protocol Pull",
	},
	{
		name: "pull: the panic of a range loop's body is taken for the stream's", kind: "panic swallowed",
		file:  "internal/protocol/pull.go",
		old:   `case p.aside():`,
		new:   `case false:`,
		tests: "operators TestAllLets",
	},
	{
		name: "pull: the demand is given up before the run", kind: "wrong order of two stores",
		file: "internal/protocol/pull.go",
		old: `		if p.runs != nil {
			p.runs.endRun(run) // before the demand is given up: the next run may be another goroutine's
		}
		if over {
			return
		}
		if n = demand.Produced(&p.demand, n); n == 0 {
			break
		}`,
		new: `		if !over {
			n = demand.Produced(&p.demand, n)
			chaos.Yield()
		}
		if p.runs != nil {
			p.runs.endRun(run)
		}
		if over {
			return
		}
		if n == 0 {
			break
		}`,
		tests: "internal/protocol TestHalfRunsOfSeveralGoroutines",
	},
	{
		name: "all: what the loop has left is told again", kind: "cancel not propagated",
		file:  "operators/all.go",
		old:   `s.broken = true`,
		new:   `s.broken = false`,
		tests: "operators TestAll",
	},
	{
		name: "slot: the element of a cancelled stream vanishes", kind: "discard forgotten",
		file: "internal/stage/single/slot.go",
		old: `// Cancelled after value and demand had met: it is ours to discard.
			reactor.Discard(s.Ctx, v)`,
		new:   "",
		tests: "internal/stage/single Slot",
	},
	{
		name: "waiter: one that has got its outcome leaves", kind: "condition left out",
		file: "internal/stage/single/waiter.go",
		old: `if old&slotOver != 0 {
		return
	}
	defer`,
		new:   `defer`,
		tests: "internal/stage/single Waiter",
	},
	{
		name: "failures: an error that meets another one gets lost", kind: "error dropped silently",
		file: "internal/failure/list.go",
		old: `if f.list.CompareAndSwap(old, next) {
			return true
		}`,
		new: `f.list.CompareAndSwap(old, next)
		return true`,
		tests: "internal/failure Failures",
	},
	{
		name: "strict: demand goes up before OnSubscribe has returned", kind: "request before OnSubscribe",
		file: "internal/protocol/strict.go",
		old:  `	s.guarded(func() bool { s.out.Down.OnSubscribe(s); survived = true; return true })`,
		new: `	s.link.Set(up)
	s.guarded(func() bool { s.out.Down.OnSubscribe(s); survived = true; return true })`,
		tests: "internal/protocol Strict",
	},
	{
		name: "strict: nobody watches the context", kind: "context ignored",
		file:  "internal/protocol/strict.go",
		old:   "if s.ctx.Done() != nil {",
		new:   "if s.ctx == nil {",
		tests: "internal/protocol Strict",
	},
	{
		name: "strict: the watch over the context outlives the stream", kind: "timer not stopped",
		file: "internal/protocol/strict.go",
		old: `live := s.link.Close()
	s.unwatch()`,
		new:   "live := s.link.Close()",
		tests: "internal/protocol Strict",
	},
	{
		name: "strict: elements go on after the cancellation", kind: "cancel not propagated",
		file: "internal/protocol/strict.go",
		old: `if s.edge.link.IsCancelled() {
		reactor.Discard(s.edge.ctx, v)
		return
	}`,
		new:   "",
		tests: "internal/protocol Strict",
	},
	{
		name: "task drain: refused work is not done", kind: "queue not cleared on cancel",
		file: "internal/protocol/task_drain.go",
		old: `	if d.task.CompareAndSwap(taskPending, taskNone) {
		defer d.loop() // also if a function that hears of the cancellation ends the goroutine
		d.owner.DrainRejected(err)`,
		new: `	if d.task.CompareAndSwap(taskPending, taskNone) {
		d.owner.DrainRejected(err)`,
		tests: "internal/protocol TaskDrain",
	},
	{
		name: "task drain: the cancellation waits for a task that has not started", kind: "queue not cleared on cancel",
		file: "internal/protocol/task_drain.go",
		old: `chaos.Yield()
	d.takeOver()`,
		new:   "",
		tests: "internal/protocol TaskDrain",
	},
	{
		name: "task drain: work that is on its way to the lane hears of no cancellation", kind: "check-then-act",
		file:  "internal/protocol/task_drain.go",
		old:   "if d.cancelled.Load() { // Cancel may",
		new:   "if false { // Cancel may",
		tests: "internal/protocol TaskDrain",
	},
	{
		name: "task drain: a pass that hands over hears of no cancellation", kind: "check-then-act",
		file:  "internal/protocol/task_drain.go",
		old:   "return !d.cancelled.Load() || !d.task.CompareAndSwap(taskPending, taskNone)",
		new:   "return true",
		tests: "internal/protocol TaskDrain",
	},
	{
		name: "task drain: the task and the cancellation drain both", kind: "un-retried compare-and-swap",
		file: "internal/protocol/task_drain.go",
		old: `if d.task.CompareAndSwap(taskPending, taskNone) {
				d.loop()
				return
			}`,
		new: `chaos.Yield()
			d.task.Store(taskNone)
			d.loop()
			return`,
		tests: "internal/protocol TaskDrain",
	},
	{
		name: "Goexit is no error", kind: "Goexit not handled",
		file:  "internal/failure/guard.go",
		old:   "return reactor.ErrGoexit",
		new:   "return nil",
		tests: "internal/failure Goexit|Exits",
	},
	{
		name: "Goexit does not say where", kind: "outcome wrong",
		file:  "internal/failure/opname.go",
		old:   `|| f.Function == "runtime.Goexit"`,
		new:   `|| f.Function == ""`,
		tests: "operators TestFailuresName",
	},
	{
		name: "a failure has the name of the file", kind: "outcome wrong",
		file: "internal/failure/opname.go",
		old: `if op := exportedOp(name); op != "" {
		return op
	}`,
		new:   "_ = exportedOp",
		tests: "operators TestFailuresName",
	},
	{
		name: "the stack is searched no deeper than 64 frames", kind: "off by one",
		file:  "internal/failure/opname.go",
		old:   "ok || n < size",
		new:   "ok || n <= size",
		tests: "operators TestFailuresName",
	},
	{
		name: "the failure of a shared stage keeps its name", kind: "outcome wrong",
		file:  "internal/failure/opname.go",
		old:   "if e.Op == shared {",
		new:   `if e.Op == "" {`,
		tests: "operators TestFailuresName",
	},
	{
		name: "foreign: what follows the completion passes", kind: "double terminal",
		file: "internal/protocol/foreign.go",
		old: `s.done = true
	s.finish(nil)`,
		new:   "s.signals.OnComplete()",
		tests: "internal/protocol Foreign",
	},
	{
		name: "live: a context that has ended is left to another goroutine", kind: "end too late",
		file:  "internal/live/watch.go",
		old:   "if ctx.Err() != nil {",
		new:   "if false {",
		tests: "internal/live TestContextsThat",
	},
	{
		name: "hub: who is alone has one", kind: "cost",
		file:  "internal/live/hub.go",
		old:   "if seen[i].Load() != at {",
		new:   "if seen[i].Load() != at && false {",
		tests: "internal/live TestWhoWatchesOverTheSameContextSharesAHub",
	},
	{
		name: "hub: one whose context has ended stays in the table", kind: "leak",
		file:  "internal/live/hub.go",
		old:   "\thubs[slotOf(address(h.done))].CompareAndSwap(h, nil)",
		new:   "\t_ = h.done",
		tests: "internal/live TestWhoWatchesOverTheSameContextSharesAHub",
	},
	{
		name: "hub: one that was ended while it was made stays in the table", kind: "leak",
		file:  "internal/live/hub.go",
		old:   "\t\thubs[i].CompareAndSwap(h, nil) // end may",
		new:   "\t\t// end may",
		tests: "internal/live TestHubsInTurmoil",
	},
	{
		name: "hub: all hear on one goroutine", kind: "stall",
		file:  "internal/live/hub.go",
		old:   "\t\tgo p.on.ContextEnded()",
		new:   "\t\tp.on.ContextEnded()",
		tests: "internal/live TestEachOneHearsOnAGoroutineOfItsOwn",
	},
	{
		name: "hub: who enters behind the end", kind: "end lost",
		file:  "internal/live/hub.go",
		old:   "\tif h.ended || h.closed {\n\t\treturn nil",
		new:   "\tif h.closed {\n\t\treturn nil",
		tests: "internal/live TestWhoWatchesOverTheSameContextSharesAHub",
	},
	{
		name: "hub: who enters where nobody is told any more", kind: "end lost",
		file:  "internal/live/hub.go",
		old:   "\tif h.ended || h.closed {\n\t\treturn nil",
		new:   "\tif h.ended {\n\t\treturn nil",
		tests: "internal/live TestAHubThatHasLostItsPlaceAndItsLast",
	},
	{
		name: "hub: the last one that leaves stops nothing", kind: "leak",
		file:  "internal/live/hub.go",
		old:   "\tif last {\n\t\th.stop()\n\t}\n\tunwatched()",
		new:   "\t_ = last\n\tunwatched()",
		tests: "internal/live TestAHubThatHasLostItsPlaceAndItsLast",
	},
	{
		name: "hub: one that nobody uses is displaced and stays", kind: "leak",
		file:  "internal/live/hub.go",
		old:   "\th.kept = false\n",
		new:   "",
		tests: "internal/live TestAHubThatHasLostItsPlace",
	},
	{
		name: "hub: who has left keeps the others", kind: "leak",
		file:  "internal/live/hub.go",
		old:   "\t\tnext := p.next\n\t\tp.prev, p.next = nil, nil",
		new:   "\t\tnext := p.next",
		tests: "internal/live TestWhoWatchesOverTheSameContextSharesAHub",
	},
	{
		name: "hub: a context of another kind has one", kind: "wrong owner",
		file:  "internal/live/hub.go",
		old:   "ok && std.Done() == done",
		new:   "ok",
		tests: "internal/live TestContextsOfAnotherKindHaveNoHub",
	},
	{
		name: "pull: to compute ahead is demand for one", kind: "wrong",
		file:  "internal/protocol/pull.go",
		old:   "\tif p.demand.CompareAndSwap(0, 1) { // else whoever emits would take the 1 for demand\n",
		new:   "\tif demand.Add(&p.demand, 1) == 0 {\n",
		tests: "operators TestFlatMapSeqIsAskedWhileItIsSubscribedTo",
	},
	{
		name: "failure: a panic of the log goes on", kind: "wrong",
		file:  "internal/logged/logged.go",
		old:   "\tdefer func() { _ = recover() }()\n\twrite()",
		new:   "\twrite()",
		tests: "executors TestALogThatPanics , schedulers TestALogThatPanics",
	},
	{
		name: "hooks: one that ends the goroutine is not logged", kind: "silent",
		file:  "hooks.go",
		old:   "what, attrs := \"reactor: hook ended its goroutine, which it must not do\", []any{\"hook\", hook}\n\t\tif r := recover(); r != nil {",
		new:   "what, attrs := \"\", []any{\"hook\", hook}\n\t\tif r := recover(); r != nil {",
		tests: ". TestHookThatEndsItsGoroutineIsLogged",
	},
	{
		name: "crash: the error is told behind the hook for errors", kind: "error handling",
		file:  "internal/protocol/guard.go",
		old:   "\tdefer func() { down.OnError(err) }() // also if a hook ends the goroutine\n\tif !failure.IsSettled(err) {\n\t\tfailure.Beside(ctx, v, func() { err = reactor.OperatorError(ctx, err, v) })\n\t\treactor.Discard(ctx, v)\n\t}\n",
		new:   "\tif !failure.IsSettled(err) {\n\t\terr = reactor.OperatorError(ctx, err, v)\n\t\treactor.Discard(ctx, v)\n\t}\n\tdown.OnError(err)\n",
		tests: "operators TestErrorsEndTheStreamBehindTheirHook",
	},
	{
		name: "link: the error is told behind the hook for errors", kind: "error handling",
		file:  "internal/protocol/subscription.go",
		old:   "\tdefer func() { l.Down.OnError(err) }() // also if a hook ends the goroutine\n\tfailure.Beside(l.Ctx, v, func() { err = reactor.OperatorError(l.Ctx, err, v) })\n\treactor.Discard(l.Ctx, v)\n",
		new:   "\terr = reactor.OperatorError(l.Ctx, err, v)\n\treactor.Discard(l.Ctx, v)\n\tl.Down.OnError(err)\n",
		tests: "operators TestErrorsEndTheStreamBehindTheirHook",
	},
	{
		name: "link: an element is discarded by two guards behind the hook for errors", kind: "double discard",
		file:  "internal/protocol/subscription.go",
		old:   "\tfailure.Beside(l.Ctx, v, func() { err = reactor.OperatorError(l.Ctx, err, v) })\n\treactor.Discard(l.Ctx, v)\n",
		new:   "\tdefer reactor.Discard(l.Ctx, v)\n\terr = reactor.OperatorError(l.Ctx, err, v)\n",
		tests: "operators TestErrorsEndTheStreamBehindTheirHook",
	},
	{
		name: "foreign: an error behind an element is kept", kind: "kept behind the end",
		file: "internal/protocol/foreign.go",
		old: `		s.end = nil // else the error would hang on a subscription that somebody keeps
`,
		new:   ``,
		tests: "operators TestForeignLetsGo",
	},
}
