package main

// timing breaks operators that hop, cut, time and repeat.
var timing = []mutation{
	{
		name: "multiplier: what is no finite number is taken", kind: "argument",
		file:  "operators/retry_spec.go",
		old:   "\tif math.IsNaN(factor) || math.IsInf(factor, 0) {",
		new:   "\tif math.IsNaN(factor) {",
		tests: "operators TestRetrySpecArguments",
	},
	{
		name: "publishOn: elements are asked for before downstream is there", kind: "request before OnSubscribe",
		file:  "operators/worker_stage.go",
		old:   `defer up.Request(s.prefetch) // also`,
		new:   `up.Request(s.prefetch) // also`,
		tests: "operators TestPublishOn",
	},
	{
		name: "publishOn: the queue stays when downstream leaves", kind: "queue not cleared on cancel",
		file: "operators/publish_on.go",
		old: `		defer s.out.DropFailuresBehind(waited)
	}
	for v, ok := s.queue.Poll(); ok; v, ok = s.queue.Poll() {
		s.Discard(v)
	}`,
		new: `		defer s.out.DropFailuresBehind(waited)
	}`,
		tests: "operators TestPublishOn",
	},
	{
		name: "runOn: an error that no rail hears of is not reported", kind: "error lost",
		file:  "operators/parallel_run_on.go",
		old:   "\tfor _, err := range errs {\n\t\treactor.DropError(out.Context(), err)\n\t}",
		new:   "\t_ = out",
		tests: "operators TestErrorOfRails|TestErrorsOfRails",
	},
	{
		name: "publish of a mono: who leaves discards what others have got", kind: "discarded twice",
		file:  "operators/mono_publish.go",
		old:   "last := p.holders == 0 && !p.taken",
		new:   "last := true",
		tests: "operators TestMonoPublish",
	},
	{
		name: "publishOn: one stream starves the others of its worker", kind: "no turns",
		file:  "operators/publish_on.go",
		old:   "if turn <= 0 && !s.queue.IsEmpty() {",
		new:   "if turn < -1<<60 && !s.queue.IsEmpty() {",
		tests: "operators TestPublishOn",
	},
	{
		name: "publishOn: an error overtakes elements", kind: "terminal overtaking elements",
		file:  "internal/protocol/outlet.go",
		old:   "if o.EagerErrors {",
		new:   "if true {",
		tests: "operators TestPublishOn",
	},
	{
		name: "publishOn: the worker is kept", kind: "slot not given back",
		file:  "operators/publish_on.go",
		old:   `	s.worker.Dispose()`,
		new:   ``,
		tests: "operators TestPublishOn",
	},
	{
		name: "publishOn: the batch is forgotten at a cancellation", kind: "discard forgotten",
		file: "internal/protocol/sender.go",
		old: `for _, v := range rest {
		s.Discard(v)
	}`,
		new:   "_ = rest",
		tests: "operators TestPublishOn",
	},
	{
		name: "subscribeOn: the worker is kept", kind: "slot not given back",
		file: "operators/subscribe_on.go",
		old: `	defer s.worker.Dispose()
	s.link.Close()
	s.out.SourceEnd(nil)`,
		new: `	s.link.Close()
	s.out.SourceEnd(nil)`,
		tests: "operators TestSubscribeOn",
	},
	{
		name: "subscribeOn: a function is called without demand", kind: "demand ignored",
		file:  "operators/subscribe_on_call.go",
		old:   `if before&callAsked != 0 && before&callGone == 0 {`,
		new:   `if before&callGone == 0 {`,
		tests: "operators TestSubscribeOnCall",
	},
	{
		name: "subscribeOn: a task that comes after the cancellation calls the function", kind: "cancel not propagated",
		file:  "operators/subscribe_on_call.go",
		old:   `	s.call.Cancel()`,
		new:   ``,
		tests: "operators TestSubscribeOnCall",
	},
	{
		name: "subscribeOn: the task for a function is not taken back", kind: "slot not given back",
		file:  "operators/subscribe_on_call.go",
		old:   `if before&callPlaced != 0 {`,
		new:   `if before&callPlaced != 0 && before&callRefused != 0 {`,
		tests: "operators TestSubscribeOnCall",
	},
	{
		name: "publishOn: a pulled source keeps the worker from other tasks", kind: "starvation",
		file:  "operators/publish_on_pulled.go",
		old:   `				s.out.Yield()`,
		new:   `				turn = publishOnTurn; continue`,
		tests: "operators TestPublishOn",
	},
	{
		name: "groupBy: what comes for no group is replaced while a cancellation asks", kind: "unbounded work",
		file:  "operators/group_by_debt.go",
		old:   `if m.debt.cancelling.Load() == 0 {`,
		new:   `if m.debt.cancelling.Load() >= 0 {`,
		tests: "operators TestGroupBy",
	},
	{
		name: "groupBy: what came for no group in a cancellation is never asked for", kind: "demand lost",
		file:  "operators/group_by_debt.go",
		old:   `m.Live.Load() > 0 && !m.Ended.Load() {`,
		new:   `m.Live.Load() < 0 && n > 0 {`,
		tests: "operators TestGroupBy",
	},
	{
		name: "groupBy: groups that are left stand still where no timer can be had", kind: "error lost",
		file: "operators/group_by_debt.go",
		old: `		failure.InTurn(m.up.Cancel, func() { // which may end the goroutine
			m.OnError(rejected(m.out.Context(), "groupBy", err, nil))
		})
`,
		new:   ``,
		tests: "operators TestGroupBy",
	},
	{
		name: "fromFunc: the end of the context while it is computed is not looked at", kind: "cancellation lost",
		file: "operators/from_func.go",
		old: `	case ctx.Err() == nil:
		if err != nil {`,
		new: `	case ctx != nil:
		if err != nil {`,
		tests: "operators TestFromFunc",
	},
	{
		name: "subscribeOn: a map behind a function is left out", kind: "wrong result",
		file:  "operators/map.go",
		old:   `elementwise.Map[T](ctx, mapper[T, R](p.fn), &calledOn[T]{src: p.src, scheduler: scheduler}, down)`,
		new:   `any(&calledOn[T]{src: p.src, scheduler: scheduler}).(reactor.Publisher[R]).Subscribe(ctx, down)`,
		tests: "operators TestSubscribeOn",
	},
	{
		name: "groupBy: what is owed is not asked for when src has run dry", kind: "demand lost",
		file:  "operators/group_by.go",
		old:   `dry || m.owed >= m.batch`,
		new:   `m.owed >= m.batch`,
		tests: "operators TestGroupBy",
	},
	{
		name: "groupBy: what has gone straight down is not asked for again", kind: "demand not credited",
		file: "operators/group_by_debt.go",
		old: `		m.owed++
	} else {`,
		new:   `	} else {`,
		tests: "operators TestGroupBy|TestRegressionB",
	},
	{
		name: "groupBy: an element that its reader leaves at is not asked for again", kind: "demand not credited",
		file:  "operators/group_by_debt.go",
		old:   `		m.groupLost(1)`,
		new:   ``,
		tests: "operators TestGroupBy|TestRegressionB",
	},
	{
		name: "unicast: what has failed has passed", kind: "counted too early",
		file:  "internal/unicast/unicast.go",
		old:   `return passed, OK`,
		new:   `return true, OK`,
		tests: "internal/unicast",
	},
	{
		name: "subscribeOn: demand is passed on twice", kind: "demand credited twice",
		file: "operators/subscribe_on.go",
		old:  "s.request(s.asked.Swap(0))",
		new: `n := s.asked.Load()
	s.asked.Store(0)
	s.up.Request(2 * n)`,
		tests: "operators TestSubscribeOn",
	},
	{
		name: "groupBy: the source goes on after the last group", kind: "cancel not propagated",
		file: "operators/group_by.go",
		old: `case left == 0:
		m.cancel()`,
		new:   "case left == 0:",
		tests: "operators TestGroupBy|TestRegressionB",
	},
	{
		name: "B3 groupBy: the stream is counted down twice (X#6974)", kind: "slot given back twice",
		file:  "operators/group_by.go",
		old:   `if m.Left() {`,
		new:   `if m.Left() || m.Left() {`,
		tests: "operators TestGroupBy|TestRegressionB",
	},
	{
		name: "groupBy: the first element of a group that is discarded is asked for twice", kind: "demand credited twice",
		file:  "operators/group.go",
		old:   `g.emitted.Load() {`,
		new:   `!g.IsAbandoned() {`,
		tests: "operators TestGroupByDiscardedGroups",
	},
	{
		name: "groupBy: what downstream leaves with uses the prefetch up", kind: "request lost",
		file:  "operators/group_by.go",
		old:   `m.leave()`,
		new:   `m.sent = 0`,
		tests: "operators TestGroupByLeftWithinAGroup",
	},
	{
		name: "fair bufferTimeout: the source is asked with the outlet taken", kind: "hang",
		file: "operators/buffer_timeout_fair.go",
		old: `if s.verbatim {
		s.up`,
		new: `if s.verbatim || n > 0 {
		s.up`,
		tests: "operators TestBufferTimeoutFairWhileTheSourceWorks",
	},
	{
		name: "delaySequence: an element waits for a source that works", kind: "hang",
		file: "operators/delay_sequence.go",
		old: `	s.ticks.Add(1)
	defer s.behind`,
		new: `	s.ticks.Add(1)
	if !s.out.Done() {
		return
	}
	defer s.behind`,
		tests: "operators TestDelaySequenceWhileTheSourceWorks",
	},
	{
		name: "sampleTimeout: a slow element comes behind a later one", kind: "order",
		file:  "operators/sample_timeout.go",
		old:   `d.id < s.sent`,
		new:   `d.id < 0`,
		tests: "operators TestSampleTimeoutInOrder",
	},
	{
		name: "bufferInto: what is refused is discarded on its way down", kind: "element discarded twice",
		file: "operators/buffer_into.go",
		old: `	s.push(c)
	pending.DiscardAll(s.discard, s.f.refused)`,
		new: `	pending.DiscardAll(s.discard, s.f.refused)
	s.push(c)`,
		tests: "operators TestBufferIntoStrideFailureBelow",
	},
	{
		name: "groupBy: the first element of a group is asked for twice", kind: "demand credited twice",
		file: "operators/group.go",
		old: `if !g.counted && g.emitted.Load() {
		n--
	}`,
		new:   "",
		tests: "operators TestGroupBy|TestRegressionB",
	},
	{
		name: "B3 groupBy: what cancelled groups discard is not refilled (X#6982)", kind: "demand not credited",
		file: "operators/group_by.go",
		old: `if n = m.lost.Swap(0); n > 0 && !m.Ended.Load() {
			m.askInCancel(n)
		}`,
		new:   "m.lost.Swap(0)",
		tests: "operators TestGroupBy|TestRegressionB",
	},
	{
		name: "groupBy: groups that nobody has seen keep their elements", kind: "discard forgotten",
		file:  "operators/group_by.go",
		old:   `windows.AbandonAll(m.queue)`,
		new:   ``,
		tests: "operators TestGroupBy|TestRegressionB",
	},
	{
		name: "B1 groupBy: stands still when all groups have been cancelled (R#596)", kind: "demand not credited",
		file:  "operators/group_by.go",
		old:   `m.lost.Add(n) >= demand.Batch(m.of.prefetch)`,
		new:   `m.lost.Add(n) > m.of.prefetch`,
		tests: "operators TestGroupBy|TestRegressionB",
	},
	{
		name: "B5 windowUntil: stands still at exact demand (R#2744)", kind: "demand not credited",
		file: "operators/window_cut.go",
		old: `s.send(v)
		s.close()
		s.ask(1)`,
		new: `s.send(v)
		s.close()`,
		tests: "operators TestWindow(|s|Demand|UntilDemand|UntilSupply|OverlapWaits|KeepsElements.*|Gap|sOfAllKinds|Cuts)$|TestRegressionB",
	},
	{
		name: "B5 windowWhile: a cancelled window consumes nothing (R#2585)", kind: "demand not credited",
		file: "operators/window_cut.go",
		old: `if s.window.Next(v) != unicast.OK {
		s.refused.Discard(s.Out.Context(), v)
		s.taken(1)`,
		new: `if s.window.Next(v) != unicast.OK {
		s.refused.Discard(s.Out.Context(), v)`,
		tests: "operators TestWindow(|s|Demand|UntilDemand|UntilSupply|OverlapWaits|KeepsElements.*|Gap|sOfAllKinds|Cuts)$|TestRegressionB",
	},
	{
		name: "window: the source goes on after the last window", kind: "cancel not propagated",
		file:  "internal/stage/windows/stage.go",
		old:   `return c.Live.Add(-1) == 0 && !c.Ended.Load()`,
		new:   `return c.Live.Add(-1) < 0`,
		tests: "operators TestWindow(|s|Demand|UntilDemand|UntilSupply|OverlapWaits|KeepsElements.*|Gap|sOfAllKinds|Cuts)$|TestRegressionB",
	},
	{
		name: "window: the elements of a gap go to the closed window", kind: "discard forgotten",
		file: "operators/window.go",
		old: `s.window = nil
			w.Complete()`,
		new:   "w.Complete()",
		tests: "operators TestWindow(|s|Demand|UntilDemand|UntilSupply|OverlapWaits|KeepsElements.*|Gap|sOfAllKinds|Cuts)$|TestRegressionB",
	},
	{
		name: "B13 windowTimeout: the timer of a full window closes the next (R#912)", kind: "timer not stopped",
		file:  "operators/window_timeout.go",
		old:   "s.due.Load() == s.index && !s.done.Load()",
		new:   "s.due.Load() >= 0 && !s.done.Load()",
		tests: "operators TestWindowTimeout|TestRegressionB13",
	},
	{
		name: "B7 bufferTimeout: asks for a negative number (R#2839)", kind: "non-positive request",
		file: "operators/buffer_timeout.go",
		old: `if wanted <= awaited {
			return
		}`,
		new:   "",
		tests: "operators TestBuffer|TestRegressionB",
	},
	{
		name: "bufferTimeout: asks for what it has asked for already", kind: "demand credited twice",
		file: "operators/buffer_timeout.go",
		old: `if wanted != reactor.Unbounded {
				wanted -= awaited
			}`,
		new:   "",
		tests: "operators TestBuffer|TestRegressionB",
	},
	{
		name: "B9 bufferTimeout: the timer of an earlier buffer cuts (R#4377)", kind: "timer not stopped",
		file:  "internal/stage/batch/stage.go",
		old:   "if e.id == s.id || e.id == Open {",
		new:   "if e.id <= s.id {",
		tests: "operators TestBuffer|TestRegressionB",
	},
	{
		name: "bufferTimeout: the timer of a full buffer goes on", kind: "timer not stopped",
		file: "internal/stage/batch/stage.go",
		old: `if s.Opened != nil {
		s.Other.Clear(s.id)
	}`,
		new:   "",
		tests: "operators TestBuffer|TestRegressionB",
	},
	{
		name: "B15 bufferTimeout: every element starts the time anew (G#234)", kind: "timer moved",
		file:  "internal/stage/batch/stage.go",
		old:   `if len(s.open) == 1 && s.Opened != nil && s.Size != 1 {`,
		new:   `if s.Opened != nil && s.Size != 1 {`,
		tests: "operators TestBuffer|TestRegressionB",
	},
	{
		name: "bufferTimeout: the open buffer vanishes", kind: "discard forgotten",
		file: "internal/stage/batch/stage.go",
		old: `s.open = nil
	s.DiscardAll(buf)`,
		new: `s.open = nil
	_ = buf`,
		tests: "operators TestBuffer|TestRegressionB",
	},
	{
		name: "B11 bufferUntil: runs out of demand (R#1937)", kind: "demand not credited",
		file: "operators/buffer_cut.go",
		old: `if demand.Produced(&s.awaited, 1) == 0 && s.Demand.Load() > 0 && s.awaited.CompareAndSwap(0, 1) {
		s.Up.Request(1)
	}`,
		new:   "demand.Produced(&s.awaited, 1)",
		tests: "operators TestBuffer|TestRegressionB",
	},
	{
		name: "retry: one attempt less", kind: "off by one",
		file:  "operators/retry.go",
		old:   "s.Call.Active() || s.left == 0",
		new:   "s.Call.Active() || s.left <= 1",
		tests: "operators TestRetry",
	},
	{
		name: "retry: failures of downstream are retried", kind: "double terminal",
		file:  "operators/retry.go",
		old:   "s.Call.Active() || s.left == 0",
		new:   "s.left == 0",
		tests: "operators TestRetry|TestErrorHandlers|TestSwap",
	},
	{
		name: "retryWhen: the delay goes on after the cancellation", kind: "timer not stopped",
		file: "operators/backoff_settings.go",
		old: `	defer s.Arbiter.Cancel() // also if a function that hears of the first ends the goroutine
	s.backoff.current.Cancel()`,
		new:   "	s.Arbiter.Cancel()",
		tests: "operators TestRetry",
	},
	{
		name: "take: asks for more than it takes", kind: "demand credited twice",
		file:  "operators/take.go",
		old:   "n = min(n, can)",
		new:   "",
		tests: "operators TestTake(Asks|Late|Unlim|Requests)",
	},
	{
		name: "take: the source is not cancelled", kind: "cancel not propagated",
		file: "operators/take.go",
		old: `	if s.left == 0 {
		s.Finish()
	}`,
		new: `	if s.left == 0 {
		s.down.OnComplete()
	}`,
		tests: "operators TestTake(Asks|Late|Unlim|Requests)",
	},
	{
		name: "A16 takeUntilOther: a source that has completed is cancelled (R#3184)", kind: "cancel after the end",
		file:  "internal/stage/paired/until.go",
		old:   "s.EndOfSource(s.Link.Close(), nil)",
		new:   "s.sourceEnded(nil)",
		tests: "operators TestTakeUntil|TestTakeFor|TestUntilOther|TestRegressionA16",
	},
	{
		name: "A16 takeUntilOther: the source survives the failure of the other (R#4230)", kind: "cancel not propagated",
		file: "internal/stage/paired/until.go",
		old: `	s.Link.CancelAnd(func() {
		if s.Started.Swap(true) {`,
		new: `	if !s.Link.Close() {
		return false
	}
	func(f func()) { f() }(func() {
		if s.Started.Swap(true) {`,
		tests: "operators TestTakeUntil|TestTakeFor|TestUntilOther|TestRegressionA16",
	},
	{
		name: "timeout: the timer outlives the stream", kind: "timer not stopped",
		file: "operators/timeout.go",
		old: `if s.index.Swap(timeoutOver) != timeoutOver {
		defer s.down.OnComplete() // also if a function that hears of what follows ends the goroutine
		s.limit.Dispose()`,
		new: `if s.index.Swap(timeoutOver) != timeoutOver {
		s.down.OnComplete()`,
		tests: "operators TestTimeout|TestMonoTimeout",
	},
	{
		name: "timeout: a timer that is too late counts", kind: "double terminal",
		file: "operators/timeout.go",
		old: `if !s.index.CompareAndSwap(id, timeoutOver) {
		return
	}`,
		new:   "s.index.Store(timeoutOver)",
		tests: "operators TestTimeout|TestMonoTimeout",
	},
	{
		name: "timeout: the fallback is asked for what was delivered", kind: "demand credited twice",
		file:  "operators/timeout.go",
		old:   "s.stage.arb.Next(delivered)",
		new:   "s.stage.arb.Next(0)",
		tests: "operators TestTimeout|TestMonoTimeout",
	},
	{
		name: "slot: a late timer forgets the one that is set", kind: "timer not stopped",
		file:  "schedulers/slot.go",
		old:   "s.disarm() // the timer that has called, or one that was set after that had gone off",
		new:   "s.stopTimer = nil",
		tests: "schedulers TestALateTimer",
	},
	{
		name: "interval: ticks go on after the cancellation", kind: "timer not stopped",
		file: "operators/interval.go",
		old: `if !s.over.Swap(true) {
		s.worker.Dispose()
	}`,
		new:   "s.over.Store(true)",
		tests: "operators TestInterval",
	},
	{
		name: "create: an element put in beside the drain stays there", kind: "late offer after clear",
		file: "operators/sink_core.go",
		old: `default:
		s.queue.Offer(v)
		chaos.Yield()
		s.drain.Run(s)`,
		new: `default:
		s.queue.Offer(v)`,
		tests: "operators TestCreate",
	},
	{
		name: "create: the end overtakes what waits for demand", kind: "terminal overtaking elements",
		file:  "operators/sink_core.go",
		old:   "if state&sinkDone != 0 && !s.backlog {",
		new:   "if state&sinkDone != 0 {",
		tests: "operators TestCreate",
	},
	{
		name: "create: two that end it at once", kind: "double terminal",
		file:  "operators/sink_core.go",
		old:   "if s.state.Load() != 0 || s.ending.Swap(true) {",
		new:   "if s.state.Load() != 0 {",
		tests: "operators TestCreate",
	},
	{
		name: "create: what waits beside an element that fails stays", kind: "queue not cleared on cancel",
		file:  "internal/protocol/drain.go",
		old:   `	defer d.Leave(o) // also if that ends the goroutine again`,
		new:   ``,
		tests: "operators TestCreate",
	},
	{
		name: "loop sender: an error after the end", kind: "double terminal",
		file:  "internal/protocol/sending.go",
		old:   `	ctx, down, over := f.Downstream()`,
		new:   "	ctx, down, over := f.Downstream()\n	over = false",
		tests: "internal/protocol TestLoopSender",
	},
	{
		name: "loop sender: a Goexit of who hears of the failure hides it", kind: "Goexit not handled",
		file: "internal/protocol/sending.go",
		old: `	defer func() { s.InFlight.Crash(ctx, down, over, err) }() // also if a function that Fell calls ends the goroutine
	err = f.Fell(err)`,
		new: `	err = f.Fell(err)
	s.InFlight.Crash(ctx, down, over, err)`,
		tests: "internal/protocol TestLoopSender",
	},
	{
		name: "ahead sender: an element that waits is lost with what goes ahead of it", kind: "discard forgotten",
		file:  "internal/protocol/sending.go",
		old:   `	s.came.UnwindLate(ctx, err)`,
		new:   `	s.came.Clear()`,
		tests: "internal/protocol TestAheadSender",
	},
	{
		name: "slice sender: what goes down within OnNext is lost if it fails", kind: "discard forgotten",
		file:  "internal/protocol/sender.go",
		old:   `		s.DiscardAll(s.inFlight)`,
		new:   ``,
		tests: "operators TestBuffer",
	},
	{
		name: "flatMapSlice: an element that fails downstream is taken for a failure of the function", kind: "own failure handled",
		file: "operators/flat_map_slice.go",
		old: `	if s.items != nil {
		s.InFlight.Hold(s.items[s.next-1])
	}`,
		new:   ``,
		tests: "operators TestFlatMapSlice|TestFlatMapSeq",
	},
	{
		name: "flatMapSlice: the element that the function has failed for is lost", kind: "discard forgotten",
		file:  "internal/protocol/sender.go",
		old:   "	v := p.element\n",
		new:   "	v := *new(T)\n",
		tests: "operators TestFlatMapSlice|TestFlatMapSeq",
	},
	{
		name: "flatMapSeq: a sequence that fails is taken for the function", kind: "discarded twice",
		file: "operators/flat_map_slice.go",
		old: `	if s.current {
		s.out.Refuse`,
		new: `	if s.current && false {
		s.out.Refuse`,
		tests: "operators TestFlatMapSlice|TestFlatMapSeq",
	},
	{
		name: "sequenceEqual: a comparison that fails ends nothing", kind: "error dropped silently",
		file:  "internal/protocol/drain.go",
		old:   `if _, ok := stage.(Fallible); ok {`,
		new:   `if _, ok := stage.(Fallible); ok && false {`,
		tests: "operators TestSequenceEqual",
	},
	{
		name: "stopclock: the time of the system, whoever keeps it", kind: "wrong time",
		file:  "operators/stopclock.go",
		old:   "\tif c.system {",
		new:   "\tif true {",
		tests: "operators TestElapsed",
	},
	{
		name: "foreign: a scheduler of the program is not guarded", kind: "wrong",
		file:  "internal/foreign/scheduler.go",
		old:   "\treturn &guarded{lane{s}, scheduler{s}}\n",
		new:   "\treturn s\n",
		tests: "operators TestSchedulerThatFails",
	},
	{
		name: "foreign: a panic of a handle goes on", kind: "wrong",
		file:  "internal/foreign/scheduler.go",
		old:   "\tdefer caught(&err)\n\td.Dispose()\n",
		new:   "\td.Dispose()\n",
		tests: "internal/foreign TestAPanicOfAHandleIsReported",
	},
	{
		name: "throttle: the clock is not guarded", kind: "wrong",
		file:  "operators/throttle.go",
		old:   "\tif !failure.Guard(func() { s.pacing.init(p.pace, p.scheduler) }, func(err error) { // the clock may be one of the user\n\t\tprotocol.Fail(protocol.Strict(ctx, sub), reactor.OperatorError(ctx, err, nil))\n\t}) {\n\t\treturn\n\t}\n",
		new:   "\ts.pacing.init(p.pace, p.scheduler)\n\t_ = failure.Persist\n",
		tests: "operators TestSchedulerThatFails",
	},
	{
		name: "all: there is no queue where nothing was subscribed", kind: "wrong",
		file:  "operators/all.go",
		old:   "\tif !s.direct {\n\t\ts.queued.Do(s.makeQueue) //",
		new:   "\tif false {\n\t\ts.queued.Do(s.makeQueue) //",
		tests: "operators TestAllBehindASubscribeThatEndsTheGoroutine",
	},
	{
		name: "publishOn of a Mono: who is refused leaves the source", kind: "wrong",
		file:  "operators/publish_on_mono.go",
		old:   "\t\tcancel = s.up.Cancel",
		new:   "\t\t_ = s.up.Cancel",
		tests: "operators TestSchedulerThatFails",
	},
	{
		name: "onBackpressureBufferTimeout: the clock of a timer is not guarded", kind: "wrong",
		file:  "operators/on_backpressure_buffer_timeout.go",
		old:   "\tif !failure.Guard(func() { limit = q.publisher.scheduler.Now().Add(-q.publisher.ttl) }, func(err error) { // the clock may be one of the user\n\t\tq.stage.Fail(rejected(q.stage.Out.Context(), \"onBackpressureBufferTimeout\", err, nil))\n\t}) {\n\t\treturn\n\t}\n",
		new:   "\tlimit = q.publisher.scheduler.Now().Add(-q.publisher.ttl)\n",
		tests: "operators TestSchedulerThatFails",
	},
	{
		name: "at: the clock of a timer is not guarded", kind: "wrong",
		file:  "operators/at.go",
		old:   "\tok = failure.Guard(func() { now = wallTime(s.clock) }, s.refused)\n\treturn now, ok\n",
		new:   "\treturn wallTime(s.clock), true\n",
		tests: "operators TestSchedulerThatFails",
	},
	{
		name: "runOn: an error that can't be compared panics", kind: "wrong",
		file:  "operators/parallel_run_on.go",
		old:   "\t\tif recover() != nil {\n\t\t\tis = false\n\t\t}",
		new:   "\t\tis = is && true",
		tests: "operators TestRailsWithErrorsThatCannotBeCompared",
	},
	{
		name: "windowOther: the end is not told behind a window that ends the goroutine", kind: "wrong",
		file:  "operators/window_other.go",
		old:   "\tfailure.InTurn(func() { // who listens to the window may end the goroutine\n\t\tif w != nil {\n\t\t\tw.End(err)\n\t\t}\n\t}, func() { s.FinishDown(err) })",
		new:   "\tif w != nil {\n\t\tw.End(err)\n\t}\n\ts.FinishDown(err)",
		tests: "operators TestWindowsEndThoughASubscriberEndsTheGoroutine",
	},
	{
		name: "windowTimeout: the end is not told behind a window that ends the goroutine", kind: "wrong",
		file:  "operators/window_timeout.go",
		old:   "\t\t\tw.End(end)\n\t\tdefault:",
		new:   "\t\t\tfunc() { defer func() { s.FinishDown(reactor.ErrGoexit) }(); w.End(end) }()\n\t\tdefault:",
		tests: "operators TestWindowsEndThoughASubscriberEndsTheGoroutine",
	},
}
