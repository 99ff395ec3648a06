package main

// elsewhere breaks schedulers, sinks and virtual time.
var elsewhere = []mutation{
	{
		name: "materialize: the last signal is kept when it has been sent", kind: "state not cleared",
		file:  "operators/materialize.go",
		old:   "protocol.Emit(l.ctx, l.down, pending.Take(&l.value))",
		new:   "protocol.Emit(l.ctx, l.down, l.value)",
		tests: "operators TestEndsLetGoOfTheError",
	},
	{
		name: "env: a time that is too long is said to be none", kind: "message",
		file:  "internal/env/env.go",
		old:   "\tcase err != nil && isDuration(value):",
		new:   "\tcase err != nil && isDuration(value) && *to < 0:",
		tests: "internal/env TestReaderOfTimes",
	},
	{
		name: "settings: a drift that is too long is said to be no number", kind: "message",
		file:  "schedulers/config.go",
		old:   "case errors.Is(err, strconv.ErrRange) && minutes > 0:",
		new:   "case errors.Is(err, strconv.ErrRange) && minutes < 0:",
		tests: "schedulers TestNumbersThatAreTooLarge",
	},
	{
		name: "env: what can't be used is logged while the settings are read", kind: "deadlock",
		file:  "internal/env/env.go",
		old:   "return c, errors.Join(err, unknown(pkg, prefix, known, e.Environ()))",
		new:   "if err = errors.Join(err, unknown(pkg, prefix, known, e.Environ())); err != nil {\n\t\t\tslog.Warn(pkg+\": settings ignored\", \"error\", err)\n\t\t}\n\t\treturn c, nil",
		tests: "internal/env TestOnceForTheHandler",
	},
	{
		name: "netreactor: the resets of Windows are failed reads", kind: "reason wrong",
		file:  "netreactor/input.go",
		old:   "range resets {",
		new:   "range resets[:2] {",
		tests: "netreactor TestResets",
	},
	{
		name: "disposables: members behind one that fails are left alone", kind: "resource not released",
		file:  "disposable.go",
		old:   "disposeAll(each[i+1:])",
		new:   "_ = each[i+1:]",
		tests: ". TestCompositeDisposableDisposesOfAll",
	},
	{
		name: "checkpoint: what an error has passed is copied at each one", kind: "work repeated",
		file:  "checkpoint.go",
		old:   "if n < fewCheckpoints {",
		new:   "if n >= 0 {",
		tests: ". TestCheckpointsOfARecursion",
	},
	{
		name: "checkpoint: ways that part write over one another", kind: "wrong result",
		file:  "checkpoint.go",
		old:   " || !w.used.CompareAndSwap(int64(n), int64(n+1)) {",
		new:   " {",
		tests: ". TestCheckpointsOfARecursion",
	},
	{
		name: "virtual time: a task that is gone is still known to its lane", kind: "state not cleared",
		file:  "reactortest/virtual_time.go",
		old:   "			t.leaveLane()\n",
		new:   "",
		tests: "reactortest TestTasksOfLanes|TestVirtualTime",
	},
	{
		name: "checkpoint: those of an error that was thrown are not printed", kind: "lost error",
		file:  "checkpoint.go",
		old:   "!tells || panicked {",
		new:   "!tells || panicked && false {",
		tests: ". TestCheckpointErrorPrints",
	},
	{
		name: "sampleFirst emits without demand", kind: "demand not credited",
		file:  "operators/sample_first.go",
		old:   "s.link.IsCancelled() || s.demand.Load() == 0",
		new:   "s.link.IsCancelled()",
		tests: "operators TestSampleFirst",
	},
	{
		name: "the demonstration writes into the last column, where lines wrap", kind: "off by one",
		file:  "examples/jobs/terminal.go",
		old:   "columns--",
		new:   "_ = columns",
		tests: "examples/jobs TestScreen",
	},
	{
		name: "a schedule hook that panics breaks who schedules", kind: "outcome wrong",
		file:  "schedulers/hooks.go",
		old:   "task = callHook(e, task)",
		new:   "task = e.fn(task)",
		tests: "schedulers TestScheduleHook",
	},
	{
		name: "timeout: src is asked before the limit runs", kind: "timer not armed",
		file:  "operators/timeout.go",
		old:   "if s.of.after == 0 {",
		new:   "if s.of.after >= 0 {",
		tests: "operators TestTimeoutOfASource",
	},
	{
		name: "the context of a producer outlives the subscription", kind: "cancel not propagated",
		file:  "operators/sink_disposal.go",
		old:   "own.end(ctx, cancelled) // first",
		new:   "_ = own // first",
		tests: "operators TestSinkContext",
	},
	{
		name: "the context of a producer that asks too late does not end", kind: "cancel not propagated",
		file: "operators/sink_disposal.go",
		old: `if over {
		made.end(ctx, cancelled)
	}`,
		new:   "_, _ = over, cancelled",
		tests: "operators TestSinkContext",
	},
	{
		name: "the end of a context is dropped a second time", kind: "reported twice",
		file:  "internal/belated/belated.go",
		old:   "end != nil && isEnd(",
		new:   "end != nil && ctx == nil && isEnd(",
		tests: "internal/protocol TestStrict",
	},
	{
		name: "SubscribeFunc: a cancellation is a failure that nobody handles", kind: "reported twice",
		file:  "operators/subscribe_func.go",
		old:   "if ctx.Err() == context.Canceled {",
		new:   "if ctx.Err() != nil && ctx == nil {",
		tests: "operators TestSubscribeFunc",
	},
	{
		name: "SubscribeFunc: a deadline is no failure", kind: "error dropped silently",
		file:  "operators/subscribe_func.go",
		old:   "if ctx.Err() == context.Canceled {",
		new:   "if ctx.Err() != nil {",
		tests: "operators TestSubscribeFunc",
	},
	{
		name: "SubscribeFunc: nobody handles it, and the log says dropped", kind: "outcome wrong",
		file:  "operators/subscribe_func.go",
		old:   `err = &reactor.OpError{Op: "subscribe", Kind: reactor.ErrUnhandled, Cause: err}`,
		new:   "",
		tests: "operators TestSubscribeFunc",
	},
	{
		name: "SubscribeFunc: elements of another goroutine do not ask whether it was disposed", kind: "called after Dispose",
		file:  "operators/subscribe_func.go",
		old:   "s.caller.Load() == goid.Current();",
		new:   "s.caller.Load() != 0 && goid.Current() != 0;",
		tests: "operators TestSubscribeFunc",
	},
	{
		name: "SubscribeFunc: elements that come later do not ask whether it was disposed", kind: "called after Dispose",
		file:  "operators/subscribe_func.go",
		old:   "	s.caller.Store(0)\n",
		new:   "",
		tests: "operators TestSubscribeFunc",
	},
	{
		name: "SubscribeFunc: who has asked for the subscription is called after Cancel", kind: "called after Dispose",
		file:  "operators/subscribe_func.go",
		old:   "within := s.config.onSubscribe == nil && ",
		new:   "within := ",
		tests: "operators TestSubscribeFunc",
	},
	{
		name: "SubscribeFunc: waits for what a flatMap has to wait for", kind: "blocks",
		file:  "operators/computed.go",
		old:   "	if !isComputable(src) {\n		return none, false, &instead[T]{src}",
		new:   "	if !isComputable(src) {\n		return block(ctx, \"second\", src, reactor.Unbounded, false)",
		tests: "operators TestSubscribeFuncDoesNotComputeAll",
	},
	{
		name: "computed: a stage is left out in front of what has to be waited for", kind: "stage lost",
		file:  "operators/computed.go",
		old:   "		return &instead[R]{stage.behind(of.src)}",
		new:   "		if same, is := any(of).(*instead[R]); is {\n			return same\n		}\n		return &instead[R]{stage.behind(of.src)}",
		tests: "operators TestChainsAreComputed",
	},
	{
		name: "computed: what has to be waited for is taken for a failure", kind: "outcome wrong",
		file:  "operators/computed.go",
		old:   "	if _, is := err.(*instead[T]); is {",
		new:   "	if ctx == nil {",
		tests: "operators TestChainsAreComputed",
	},
	{
		name: "computed: a panic passes a stage that takes failures", kind: "outcome wrong",
		file:  "operators/computed.go",
		old:   "		if failed = failure.Recovered(recover()); ctx.Err() != nil {",
		new:   "		if err = failure.Recovered(recover()); ctx.Err() != nil {",
		tests: "operators TestChainsAreComputed",
	},
	{
		name: "computed: who takes failures takes the end of the context", kind: "called after the end",
		file:  "operators/computed.go",
		old:   "		return err == errGivenUp\n	}\n	return ctx.Err() != nil",
		new:   "		return err == errGivenUp\n	}\n	return false",
		tests: "operators TestComputedUnderAContextThatEnds",
	},
	{
		name: "computed: a stage keeps what it rejects", kind: "element lost",
		file:  "operators/computed.go",
		old:   "used = err == nil && kind != elementwise.Rejects",
		new:   "used = err == nil",
		tests: "operators TestChainsAreComputed",
	},
	{
		name: "handle: what was sent before it failed is lost, if it is computed", kind: "element lost",
		file:  "operators/handle.go",
		old:   "	case sent && failed:",
		new:   "	case sent && failed && ctx == nil:",
		tests: "operators TestChainsAreComputed",
	},
	{
		name: "flatMap: takes more than one element of the second publisher, if it is computed", kind: "one signal too many",
		file:  "operators/mono_flat_map.go",
		old:   "	if of, is := err.(*instead[R]); is {",
		new:   "	if of, is := err.(*instead[R]); is && ctx == nil {",
		tests: "operators TestChainsAreComputed",
	},
	{
		name: "retry: counts from the start where an attempt has to be waited for", kind: "attempt too many",
		file:  "operators/retry.go",
		old:   "&retryPublisher[T]{src: p.src, times: left, when: p.when})",
		new:   "p)",
		tests: "operators TestRetryComputedInPart",
	},
	{
		name: "doOnSuccess: what is called when all is over is not, if it is computed", kind: "not called",
		file:  "operators/do_on_success.go",
		old:   "	if p.hooks.after != nil {\n		return 0\n	}\n",
		new:   "",
		tests: "operators TestMonoDoAfterTerminate|TestChainsAreComputed|TestInners",
	},
	{
		name: "cache: what is kept too long is computed", kind: "stale element",
		file:  "operators/mono_shared.go",
		old:   "	if e == nil || e.life.isOver(func(error) {}) { // whoever subscribes then hears of the failure of the clock\n		return nil",
		new:   "	if e == nil {\n		return nil",
		tests: "operators TestComputedFromACache",
	},
	{
		name: "cache: nobody is asked whether what is kept is good, if it is computed", kind: "stale element",
		file:  "operators/mono_shared.go",
		old:   "	if g.stale != nil {\n		return nil",
		new:   "	if g == nil {\n		return nil",
		tests: "operators TestComputedFromACache",
	},
	{
		name: "doFinally: the last one hears of a cancellation first, if it is computed", kind: "order",
		file:  "operators/computed.go",
		old:   "	if how != reactor.KindCancel {",
		new:   "	if how != 0 {",
		tests: "operators TestComputedDoFinally",
	},
	{
		name: "doFinally: is left out in front of what has to be waited for", kind: "not called",
		file:  "operators/subscribe_computed.go",
		old:   "return finishing(src, rest)",
		new:   "return rest",
		tests: "operators TestComputedDoFinally",
	},
	{
		name: "doFinally: other stages that look on are taken for one", kind: "not called",
		file:  "operators/computed.go",
		old:   "return is && p.hooks.finally != nil",
		new:   "return is && p != nil",
		tests: "operators TestOthersThatLookOn",
	},
	{
		name: "contextWrite: computes under hooks", kind: "hook not called",
		file:  "operators/context_write.go",
		old:   " || !direct.MayCompute(inner) {",
		new:   " {",
		tests: "operators TestComputedUnderAContextThatIsWritten",
	},
	{
		name: "SubscribeFunc: computes where the context has ended", kind: "outcome wrong",
		file:  "operators/subscribe_computed.go",
		old:   "case ok && ctx.Err() != nil:",
		new:   "case ok && ctx == nil:",
		tests: "operators TestSubscribeFunc",
	},
	{
		name: "SubscribeFunc: completes where the context has ended", kind: "outcome wrong",
		file:  "operators/subscribe_computed.go",
		old:   "	if ctx.Err() != nil {\n		failed(context.Cause(ctx))\n		return nil\n	}\n	cfg.completed(ctx)",
		new:   "	cfg.completed(ctx)",
		tests: "operators TestSubscribeFunc",
	},
	{
		name: "SubscribeFunc: an element whose function fails is nobody's", kind: "element lost",
		file:  "operators/subscribe_computed.go",
		old:   "			abandon(ctx, v)\n			failed(err)",
		new:   "			failed(err)",
		tests: "operators TestSubscribeFunc",
	},
	{
		name: "Retry, OnErrorReturn: the stage below does not count", kind: "demand wrong",
		file:  "internal/stage/resubscribe/subscriber.go",
		old:   "			inner.Produced++\n",
		new:   "",
		tests: "operators TestRe",
	},
	{
		name: "SingleWorker: Dispose leaves who waits for delayed tasks", kind: "waiter forgotten",
		file:  "schedulers/pinned.go",
		old:   "p.life.waitUnless(ctx, p.gone, lost)",
		new:   "p.life.wait(ctx)",
		tests: "schedulers TestA9_8",
	},
	{
		name: "SingleWorker: who waits second waits for what was dropped", kind: "waiter forgotten",
		file:  "schedulers/pinned.go",
		old:   "case <-p.gone: // somebody else has disposed the worker, which drops the task",
		new:   "case <-chan struct{}(nil):",
		tests: "schedulers TestA9_8",
	},
	{
		name: "a setting that is neither true nor false is false without a word", kind: "argument not checked",
		file:  "schedulers/config.go",
		old:   `!c.BoundedElasticPerTask && !strings.EqualFold(value, "false")`,
		new:   `!c.BoundedElasticPerTask && value == "-"`,
		tests: "schedulers TestA1",
	},
	{
		name: "a drift tolerance that is no number is passed over", kind: "argument not checked",
		file:  "schedulers/config.go",
		old:   `errs = append(errs, fmt.Errorf("schedulers: %s=%q is not a number of minutes, using %d", name, value, c.DriftTolerance/time.Minute))`,
		new:   "_ = name",
		tests: "schedulers TestA1",
	},
	{
		name: "a misspelt setting is reported with any name", kind: "wrong comparison",
		file:  "internal/env/env.go",
		old:   "row[j+1] = min(replaced, row[j]+1, before+1)",
		new:   "row[j+1] = replaced",
		tests: "schedulers TestA1 , internal/env TestOnce",
	},
	{
		name: "a shared scheduler says that it has run out", kind: "error dropped silently",
		file:  "schedulers/cached.go",
		old:   `return fmt.Errorf("%s: %w", s.name, ErrShared)`,
		new:   "return nil",
		tests: "schedulers TestA3",
	},
	{
		name: "Shutdown does not wait for what is made meanwhile", kind: "waiter forgotten",
		file: "schedulers/shutdown.go",
		old: `if err := errors.Join(errs...); err != nil {
			return err
		}`,
		new:   "return errors.Join(errs...)",
		tests: "schedulers TestShutdown",
	},
	{
		name: "Shutdown forgets what has not ended in time", kind: "waiter forgotten",
		file: "schedulers/shutdown.go",
		old: `errs[i] = fmt.Errorf("schedulers: Shutdown: %s: %w", s.name, err)
					return`,
		new:   `errs[i] = fmt.Errorf("schedulers: Shutdown: %s: %w", s.name, err)`,
		tests: "schedulers TestShutdown",
	},
	{
		name: "ShutdownNow leaves those that run out", kind: "cancel not propagated",
		file: "schedulers/cached.go",
		old: `take().Dispose()
	disposeDraining()`,
		new:   "take().Dispose()",
		tests: "schedulers TestShutdown",
	},
	{
		name: "E1 a holder of a slot is not counted down (R#1973)", kind: "slot not given back",
		file: "schedulers/loop.go",
		old: `		if s.holders.Add(-1) != 0 {
			s.pool.busy.lowered(s)
		}`,
		new:   "",
		tests: "schedulers TestE|TestA10",
	},
	{
		name: "elastic: a direct task that has ended is still counted where a slot is chosen", kind: "stale state",
		file: "schedulers/loop.go",
		old: `		if s.holders.Add(-1) != 0 {
			s.pool.busy.lowered(s)
		}`,
		new:   "		s.holders.Add(-1)",
		tests: "schedulers TestA10_2",
	},
	{
		name: "a task that ends its goroutine takes the slot along", kind: "Goexit not handled",
		file: "schedulers/loop.go",
		old: `s.loopID.Store(0)
			go s.run()`,
		new:   "s.loopID.Store(0)",
		tests: "schedulers TestA13|TestA4",
	},
	{
		name: "the timer is not armed when the loop ends", kind: "lost wake-up",
		file: "schedulers/loop.go",
		old: `s.queue.trim()
	s.arm()
	s.tellEnd()`,
		new: `s.queue.trim()
	s.tellEnd()`,
		tests: "schedulers TestA4",
	},
	{
		name: "an earlier delay does not move the timer", kind: "timer not moved",
		file: "schedulers/slot.go",
		old: `if s.armed <= due {
			return
		}
		s.stopTimer()`,
		new:   "return",
		tests: "schedulers TestA4",
	},
	{
		name: "the task that starts the loop runs before a timed one that was due", kind: "wrong order",
		file:  "schedulers/slot.go",
		old:   "if s.timed() > 0 { // one may be due before it",
		new:   "if s.timed() < 0 {",
		tests: "schedulers TestTheTaskThatStartsTheLoop",
	},
	{
		name: "the task that starts the loop is not counted", kind: "slot not given back",
		file: "schedulers/slot.go",
		old: `s.note(it)
	s.one[0] = it`,
		new:   "s.one[0] = it",
		tests: "schedulers TestTheTaskThatStartsTheLoop",
	},
	{
		name: "the task that starts the loop is dropped with the slot and not said to be", kind: "error dropped silently",
		file: "schedulers/loop.go",
		old: `if !counted {
		s.removed++
	}`,
		new:   "",
		tests: "schedulers TestTheTaskThatStartsTheLoop",
	},
	{
		name: "E7 a closed slot takes tasks (R#4061)", kind: "late offer after clear",
		file:  "schedulers/slot.go",
		old:   "if s.closed || s.limit != Unlimited",
		new:   "if s.limit != Unlimited",
		tests: "schedulers TestE7|TestA8|TestRace",
	},
	{
		name: "E6 a task that disposes itself is interrupted (R#1107)", kind: "cancel of the wrong one",
		file:  "schedulers/executor_task.go",
		old:   "if cancel != nil && !self {",
		new:   "if _ = self; cancel != nil {",
		tests: "schedulers TestE6|TestA9|TestA4",
	},
	{
		name: "a delayed task disposed too early runs", kind: "cancel not propagated",
		file: "schedulers/executor_task.go",
		old: `if s := t.state.Load(); s == stateCancelled || s == stateDone && t.x.repeats != nil {
		t.takeOut(withdraw) // disposed in the meantime, or it is not to run again
	}`,
		new:   "",
		tests: "schedulers TestA9|TestRace",
	},
	{
		name: "singleWorker: late runs of a series are put behind what has come meanwhile", kind: "order",
		file:  "schedulers/pinned.go",
		old:   "x.later, x.repeats = e, e.repeat",
		new:   "x.later = e",
		tests: "schedulers TestA9_8",
	},
	{
		name: "a series counts as under way for ever", kind: "slot not given back",
		file: "schedulers/loop.go",
		old: `defer s.mu.Unlock()
	s.inFlight--`,
		new:   "defer s.mu.Unlock()",
		tests: "schedulers TestSeries|TestA4|TestA10",
	},
	{
		name: "sinks: emissions of two goroutines overlap", kind: "unlocked call-out",
		file: "sinks/guard.go",
		old: `if g.owner.Load() != me {
		return false
	}`,
		new:   "",
		tests: "sinks",
	},
	{
		name: "sinks: one has two outcomes", kind: "double terminal",
		file: "sinks/one.go",
		old: `if !p.outcome.CompareAndSwap(nil, &sig) {
		return FailTerminated
	}`,
		new:   "p.outcome.Store(&sig)",
		tests: "sinks One|Empty",
	},
	{
		name: "sinks: a subscriber that comes after the end hears nothing", kind: "error dropped silently",
		file: "internal/multicast/direct.go",
		old: `case !d.set.Add(r):
		r.end(d.err)`,
		new:   "case !d.set.Add(r):",
		tests: "sinks Direct|Race|Come",
	},
	{
		name: "sinks: a subscriber that has left is kept", kind: "slot not given back",
		file: "sinks/one.go",
		old: `case sub.IsOver():
		p.set.Remove(sub)`,
		new:   "case sub.IsOver():",
		tests: "sinks One|Empty",
	},
	{
		name: "E2 a task runs under the lock of its slot (R#1992)", kind: "call under a lock",
		file: "schedulers/loop.go",
		old: `s.begin()
			it.fn(&s.ctx)`,
		new: `s.begin()
			s.mu.Lock()
			it.fn(&s.ctx)
			s.mu.Unlock()`,
		tests: "schedulers TestE2|TestRecursion",
	},
	{
		name: "E3 a refused task keeps its slot busy (R#3182)", kind: "slot not given back",
		file: "schedulers/elastic.go",
		old: `if err := s.execute(task, nil); err != nil {
		e.release(s)`,
		new:   "if err := s.execute(task, nil); err != nil {",
		tests: "schedulers TestE3|TestA6",
	},
	{
		name: "E4 a refusal ends the scheduler (R#1080)", kind: "refusal taken for the end",
		file: "schedulers/slot.go",
		old: `s.refused()
	return &RejectedError{Reason: Capacity,`,
		new: `s.refused()
	s.closed = true
	return &RejectedError{Reason: Capacity,`,
		tests: "schedulers TestE4|TestA6",
	},
	{
		name: "E5 the slot with the most holders is picked (R#1474)", kind: "wrong comparison",
		file:  "schedulers/busy.go",
		old:   "x.rank < y.rank ||",
		new:   "x.rank > y.rank ||",
		tests: "schedulers TestE5|TestA10_2",
	},
	{
		name: "elastic: of two slots with as many holders the one that is busy for less time is chosen", kind: "wrong choice",
		file:  "schedulers/busy.go",
		old:   "x.rank == y.rank && x.since < y.since",
		new:   "x.rank == y.rank && x.since > y.since",
		tests: "schedulers TestA10_2|TestBusySlots",
	},
	{
		name: "elastic: the order of choice looks at one branch of several", kind: "wrong choice",
		file:  "schedulers/busy.go",
		old:   "k < min(first+branches, len(b.heap))",
		new:   "k < min(first+2, len(b.heap))",
		tests: "schedulers TestBusySlots",
	},
	{
		name: "E9 virtual time stands still while nothing is scheduled (R#1251)", kind: "lost wake-up",
		file:  "reactortest/virtual_time.go",
		old:   "c.due(c.now) || c.ahead > 0 && (!c.deferring || len(c.queue) > 0)",
		new:   "c.due(c.now) || c.ahead > 0 && len(c.queue) > 0",
		tests: "reactortest TestE9|TestVirtualTime",
	},
	{
		name: "E10 virtual time: of two steps made at once one is lost (X#5661)", kind: "lost update",
		file: "reactortest/virtual_time.go",
		old: `c.ahead = addTime(c.ahead, d)
	c.mu.Unlock()
	c.drain()`,
		new: `c.ahead = d
	c.mu.Unlock()
	c.drain()`,
		tests: "reactortest TestE10|TestVirtualTime",
	},
	{
		name: "E10 virtual time: a cancelled task makes the first one vanish (X#5661)", kind: "cancel of the wrong one",
		file:  "reactortest/virtual_time.go",
		old:   "heap.Remove(&c.queue, t.index)",
		new:   "heap.Remove(&c.queue, 0)",
		tests: "reactortest TestE10|TestVirtualTime",
	},
	{
		name: "E10 virtual time: a task that is disposed stays", kind: "cancel not propagated",
		file: "reactortest/virtual_time.go",
		old: `if t.index >= 0 {
		heap.Remove(&c.queue, t.index)
		t.leaveLane()
		c.dropped++
	}`,
		new:   "",
		tests: "reactortest TestE10|TestVirtualTime",
	},
	{
		name: "verifier: an end is one signal too many", kind: "outcome wrong",
		file:  "reactortest/run.go",
		old:   "len(r.unread) == mostUnread && !r.ended &&",
		new:   "len(r.unread) == mostUnread &&",
		tests: "reactortest TestScriptThatWaits",
	},
	{
		name: "subscribeFunc: an element whose request has ended the goroutine is forgotten", kind: "discard forgotten",
		file:  "operators/subscribe_func.go",
		old:   "\tfailure.Outside(func() { s.abort(reactor.IllegalRequest(n)) })",
		new:   "\ts.abort(reactor.IllegalRequest(n))",
		tests: "operators TestSubscribeFuncLeftByWhatHearsOfItsRequest",
	},
	{
		name: "outlet: who hears of the end behind a run keeps the drain", kind: "discard forgotten",
		file:  "internal/protocol/outlet.go",
		old:   "\t\to.settleAnd(o.Leave)\n",
		new:   "\t\to.runs.Settle()\n\t\to.Leave()\n",
		tests: "operators TestSubscribeFuncEndsTheGoroutineOfAStageThatHasQueued",
	},
	{
		name: "hooks: a panic of the log goes on", kind: "wrong",
		file:  "hooks.go",
		old:   "\tdefer func() { _ = recover() }()\n\twrite()",
		new:   "\twrite()",
		tests: ". TestALogThatPanics",
	},
	{
		name: "errors: a method of an error of the program is taken for that of a Goexit", kind: "wrong",
		file:  "errors.go",
		old:   "\t\tif s, ok := err.(interface{ SettledGoexit() bool }); ok {",
		new:   "\t\tif s, ok := err.(interface{ Settled() bool }); ok {\n\t\t\treturn s.Settled()\n\t\t}\n\t\tif s, ok := err.(interface{ SettledGoexit() bool }); ok {",
		tests: ". TestAnErrorWithAMethodOfItsOwnIsReported",
	},
	{
		name: "discard: a nil pointer is asked for its element", kind: "wrong",
		file:  "discardable.go",
		old:   "if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && p.IsNil() {",
		new:   "if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && false {",
		tests: ". TestDiscardedNilPointers",
	},
	{
		name: "composite: a handle that is refused keeps the lock", kind: "wrong",
		file:  "disposable.go",
		old:   "\tc.mu.Lock()\n\tdefer c.mu.Unlock()\n\tif c.disposed {\n\t\treturn false\n\t}\n\tif c.members == nil {\n\t\tc.members = make(map[Disposable]struct{})\n\t}\n\tc.members[d] = struct{}{}\n",
		new:   "\tc.mu.Lock()\n\tif c.disposed {\n\t\tc.mu.Unlock()\n\t\treturn false\n\t}\n\tif c.members == nil {\n\t\tc.members = make(map[Disposable]struct{})\n\t}\n\tc.members[d] = struct{}{}\n\tc.mu.Unlock()\n",
		tests: ". TestCompositeGoesOnBehindAHandleThatIsRefused",
	},
	{
		name: "reactorvet: an option that can't be seen is none", kind: "wrong",
		file:  "cmd/reactorvet/check/worker.go",
		old:   "if !ok || call.Ellipsis.IsValid() {\n\t\t\treturn unknown, \"\"",
		new:   "if !ok || call.Ellipsis.IsValid() {\n\t\t\tcontinue",
		tests: "cmd/reactorvet/check TestAnalyzers",
	},
	{
		name: "reactorvet: the option that a function returns is none", kind: "wrong",
		file:  "cmd/reactorvet/check/worker.go",
		old:   "if g == nil || !isSource(g) && pathOf(g) != module+\"/operators\" {\n\t\t\treturn unknown, \"\"",
		new:   "if g == nil || !isSource(g) && pathOf(g) != module+\"/operators\" {\n\t\t\tcontinue",
		tests: "cmd/reactorvet/check TestAnalyzers",
	},
	{
		name: "reactorvet: an option in a variable is not looked up", kind: "wrong",
		file:  "cmd/reactorvet/check/worker.go",
		old:   "made := ast.Unparen(arg)\n\t\tif id, ok := made.(*ast.Ident); ok {\n\t\t\tmade = p.definition(id)",
		new:   "made := ast.Unparen(arg)\n\t\tif id, ok := made.(*ast.Ident); ok {\n\t\t\tmade = id",
		tests: "cmd/reactorvet/check TestAnalyzers",
	},
	{
		name: "reactorvet: a comment behind code counts for the next line", kind: "wrong",
		file:  "cmd/reactorvet/check/check.go",
		old:   "if p.isBehind(f, c) {",
		new:   "if false && p.isBehind(f, c) {",
		tests: "cmd/reactorvet/check TestAnalyzers",
	},
	{
		name: "parallel: an element that fails in a rail is not replaced", kind: "wrong",
		file:  "operators/parallel.go",
		old:   "\ts.owed = s.refill.Consumed(1) // the other rails share what src was asked for; the next pass asks\n",
		new:   "",
		tests: "operators TestOtherRailsGoOnBehindAnElementThatFails|TestElementsThatFailInRailsAreReplaced",
	},
	{
		name: "runOn: workers stay where the scheduler ends the goroutine", kind: "wrong",
		file:  "operators/parallel_run_on.go",
		old:   "\t\t\t\tw.Dispose()\n",
		new:   "",
		tests: "operators TestRunOnWhoseSchedulerEndsTheGoroutine",
	},
	{
		name: "runOn: rails do not end where the scheduler ends the goroutine", kind: "wrong",
		file:  "operators/parallel_run_on.go",
		old:   "func(err error) { refuseRails(ctx, hops, workers, err) }",
		new:   "func(error) {}",
		tests: "operators TestRunOnWhoseSchedulerEndsTheGoroutine",
	},
	{
		name: "contextWrite: the context is asked whether it ends outside of the guard", kind: "bad input",
		file: "operators/context_write.go",
		old: `			if inner, err = p.written(ctx); err == nil {
				ends = inner.Done() != nil && inner.Done() != ctx.Done() // here, because it is code of the function's, too
			}
		},
		func(err error) { protocol.Fail(down, reactor.OperatorError(ctx, err, nil)) },
	) {
		return
	}
	if err != nil {
		protocol.Fail(down, err)
		return
	}
`,
		new: `			inner, err = p.written(ctx)
		},
		func(err error) { protocol.Fail(down, reactor.OperatorError(ctx, err, nil)) },
	) {
		return
	}
	if err != nil {
		protocol.Fail(down, err)
		return
	}
	ends = inner.Done() != nil && inner.Done() != ctx.Done()
`,
		tests: "operators TestContextWriteOfABroken",
	},
}
