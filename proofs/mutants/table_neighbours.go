package main

// neighbours breaks what the tests of docs/regressions.md hold on to and the other tables
// do not break.
var neighbours = []mutation{
	{
		name: "unwanted: a stage that is new looks for a hook that it makes", kind: "cost",
		file:  "internal/stage/pending/discard.go",
		old:   "\t\tu.owns = u.hook == nil && reactor.Owns[T]()",
		new:   "\t\tif u.hook == nil && reactor.Owns[T]() {\n\t\t\tu.hook = reactor.DiscardHookFor[T](ctx)\n\t\t}",
		tests: "internal/stage/pending TestUnwanted",
	},
	{
		name: "windowWhile: the boundary is boxed", kind: "cost",
		file:  "operators/window_cut.go",
		old:   "failure.Before(s.Out.Context(), v, s.close)\n\t\ts.refused.Discard(",
		new:   "failure.Before(s.Out.Context(), v, s.close)\n\t\treactor.Discard(",
		tests: "operators TestBoundariesOfWindowsAreNotBoxed",
	},
	{
		name: "buffer: what is sorted comes back to a queue that was closed", kind: "discard lost",
		file:  "internal/stage/pending/buffer.go",
		old:   "\tif h.closed {\n\t\treturn false\n\t}\n\th.items, h.head = append",
		new:   "\th.items, h.head = append",
		tests: "internal/stage/pending TestElementsThatAreSorted",
	},
	{
		name: "retryFrom: an end that comes after a cancellation is passed on", kind: "protocol",
		file:  "operators/retry_when.go",
		old:   "\tif !s.IsCancelled() { // else",
		new:   "\tif true { // else",
		tests: "operators TestEndsThatComeAfter",
	},
	{
		name: "scanWith: an end that comes after a cancellation is passed on", kind: "protocol",
		file:  "operators/scan_with.go",
		old:   "if !s.s.IsCancelled() {",
		new:   "if true {",
		tests: "operators TestEndOfScanWith",
	},
	{
		name: "tryScanWith: an end that comes after a cancellation is passed on", kind: "protocol",
		file:  "operators/try_scan_with.go",
		old:   "if !s.s.IsCancelled() {",
		new:   "if true {",
		tests: "operators TestEndOfScanWith",
	},
	{
		name: "parallel: transform asks its function twice", kind: "duplicated call",
		file: "flux/parallel.go",
		old: `	argument.Given("transform", "function", fn != nil)
	return fn(p)`,
		new: `	argument.Given("transform", "function", fn != nil)
	fn(p)
	return fn(p)`,
		tests: "flux TestParallelTransformAndAs",
	},
	{
		name: "parallel: as takes nil for a function", kind: "check left out",
		file:  "flux/parallel.go",
		old:   "	argument.Given(\"as\", \"function\", fn != nil)\n",
		new:   "",
		tests: "flux TestParallelTransformAndAs",
	},
	{
		name: "outlet: what comes after the end stays", kind: "late offer after clear",
		file: "internal/protocol/outlet.go",
		old: `	case state&outletOver != 0:
		o.flow.Drop()`,
		new:   `	case state&outletOver != 0:`,
		tests: "internal/protocol TestOutlet",
	},
	{
		name: "outlet: a failure waits for the end", kind: "terminal held back",
		file:  "internal/protocol/outlet.go",
		old:   `	case state&outletCut != 0:`,
		new:   `	case state&outletCut != 0 && o.flow.Dry():`,
		tests: "internal/protocol TestOutlet",
	},
	{
		name: "outlet: the last element is lost", kind: "done read after the queue",
		file: "internal/protocol/outlet.go",
		old: `	case o.flow.Dry():
		o.finish()`,
		new: `	case o.flow.Dry() || state&outletDone != 0:
		o.finish()`,
		tests: "internal/protocol TestOutlet",
	},
	{
		name: "outlet: two ends when the first one fails downstream", kind: "terminal sent twice",
		file:  "internal/protocol/outlet.go",
		old:   `	defer crashedWith(o.ctx, o.down, o.over(), v, full, err)`,
		new:   `	defer crashedWith(o.ctx, o.down, false, v, full, err)`,
		tests: "internal/protocol TestOutlet",
	},
	{
		name: "outlet: a crash lets the sources run on", kind: "upstream not cancelled",
		file: "internal/protocol/outlet.go",
		old: `	if !over {
		o.stop()
	}`,
		new:   `	_ = over`,
		tests: "internal/protocol TestOutlet",
	},
	{
		name: "outlet: a source that has failed is cancelled", kind: "cancelled after the end",
		file:  "internal/protocol/outlet.go",
		old:   `			bits |= outletCut | outletStopped`,
		new:   `			bits |= outletCut`,
		tests: "internal/protocol TestOutlet",
	},
	{
		name: "outlet: each cancellation stops the sources", kind: "cancel not idempotent",
		file:  "internal/protocol/outlet.go",
		old:   `o.state.Or(outletStopped)&outletStopped == 0`,
		new:   `o.state.Or(outletStopped) >= 0`,
		tests: "internal/protocol TestOutlet",
	},
	{
		name: "outlet: an error behind what is dropped is reported", kind: "error told twice",
		file:  "internal/protocol/outlet.go",
		old:   "	if waited {\n		o.failures.Terminate()\n		return\n	}\n",
		new:   "",
		tests: "internal/protocol TestOutletDrops",
	},
	{
		name: "outlet: a goroutine that ends within an element is told of twice", kind: "error told twice",
		file:  "internal/protocol/outlet.go",
		old:   "		err = o.failures.Untold(err)\n		o.release()",
		new:   "		o.release()",
		tests: "internal/protocol TestOutletUnwind",
	},
	{
		name: "buffered: an error behind what is queued is reported when that is dropped", kind: "error told twice",
		file:  "internal/stage/buffered/stage.go",
		old:   "s.Out.DropFailuresBehind(ended && !s.Queue.IsEmpty())",
		new:   "s.Out.DropFailuresBehind(ended && false)",
		tests: "internal/stage/buffered TestCancelDrops",
	},
	{
		name: "buffered: an error that nothing waits before is forgotten", kind: "error dropped silently",
		file:  "internal/stage/buffered/stage.go",
		old:   "s.Out.DropFailuresBehind(ended && !s.Queue.IsEmpty())",
		new:   "s.Out.DropFailuresBehind(ended || true)",
		tests: "internal/stage/buffered TestCancelDrops",
	},
	{
		name: "outlet: a goroutine that ends above is told of twice", kind: "terminal sent twice",
		file:  "internal/protocol/outlet.go",
		old:   `return asking && o.Done() && `,
		new:   `return false && asking && `,
		tests: "internal/protocol TestOutlet",
	},
	{
		name: "outlet: a failure that the guard above told of cancels it again", kind: "cancelled after the end",
		file:  "internal/protocol/outlet.go",
		old:   `	o.unwind(err)`,
		new:   `	o.crashed(err)`,
		tests: "internal/protocol TestOutlet",
	},
	{
		name: "outlet: a slice is discarded as one", kind: "discard forgotten",
		file: "internal/protocol/sender.go",
		old: `			s.DiscardAll(buf)
		}`,
		new:   `		}`,
		tests: "internal/protocol TestOutlet",
	},
	{
		name: "outlet: a function that failed is taken for the next failure, too", kind: "state shared",
		file:  "internal/protocol/outlet.go",
		old:   `	case o.Call.Failed():`,
		new:   `	case o.Call.Active():`,
		tests: "internal/protocol TestOutlet",
	},
	{
		name: "outlet: the failure of a function is that of the stream", kind: "error swallowed",
		file:  "internal/protocol/outlet.go",
		old:   `		o.flow.(caller).CallFailed(err)`,
		new:   `		o.flow.crash(o, err)`,
		tests: "internal/protocol TestOutlet",
	},
	{
		name: "outlet: a window that fails on its way is left open", kind: "discard forgotten",
		file:  "internal/protocol/sender.go",
		old:   `		if w != *new(S) {`,
		new:   `		if false {`,
		tests: "internal/protocol TestOutlet",
	},
	{
		name: "outlet: a window that fails on its way stops nothing", kind: "upstream not cancelled",
		file: "internal/protocol/sender.go",
		old: `		if !over {
			o.stop()
		}`,
		new:   ``,
		tests: "internal/protocol TestOutlet",
	},
	{
		name: "outlet: what waits stays when a window fails", kind: "discard forgotten",
		file:  "internal/protocol/sender.go",
		old:   `	}, o.release, func() {`,
		new:   `	}, func() {`,
		tests: "internal/protocol TestOutlet",
	},
	{
		name: "filterWhen: a rejected element is not discarded", kind: "discard forgotten",
		file: "operators/filter_when.go",
		old: `	s.InFlight.Clear()
	s.Discard(v)`,
		new: `	s.InFlight.Clear()
	_ = v`,
		tests: "operators TestFilterWhen , proofs/stages TestBooksOfFailures",
	},
	{
		name: "failure list: what a Goexit is taken out of counts too few", kind: "outcome wrong",
		file: "internal/failure/list.go",
		old: `	left = &failureList{err: l.err, before: before, count: 1}
	if before != nil {
		left.count += before.count
	}`,
		new:   `	left = &failureList{err: l.err, before: before, count: 1}`,
		tests: "internal/failure TestRemoveGoexit",
	},
	{
		name: "windowTimeout: the open window is completed if the source fails", kind: "error swallowed",
		file: "internal/failure/list.go",
		old: `l != nil && l != closedFailures {
		return l.join()`,
		new: `l != nil && l != closedFailures {
		return nil`,
		tests: "operators TestWindow",
	},
	{
		name: "windows: an error that nobody gets is lost", kind: "error swallowed",
		file: "internal/protocol/outlet.go",
		old: `	if err := o.failures.Terminate(); err != nil {
		reactor.DropError(o.ctx, err)`,
		new: `	if err := o.failures.Terminate(); err != nil {
		return`,
		tests: "operators TestWindow , proofs/stages TestBooksOfFailures",
	},
	{
		name: "windowWhen: a window that failed on its way gets elements", kind: "discarded twice",
		file:  "operators/window_when.go",
		old:   `last >= 0 && open[last].IsAbandoned()`,
		new:   `last < -1 && open[last].IsAbandoned()`,
		tests: "operators TestWindow",
	},
	{
		name: "quiet drain: a Goexit is reported again", kind: "reported twice",
		file:  "internal/protocol/drain.go",
		old:   `	if !errors.Is(err, reactor.ErrGoexit) {`,
		new:   `	if err != nil {`,
		tests: "internal/protocol TestQuiet",
	},
	{
		name: "apply: a Goexit of the function is told to nobody", kind: "Goexit not handled",
		file: "internal/failure/guard.go",
		old:  `			failed(v, Recovered(recover()))`,
		new: `			if p := recover(); p != nil {
				failed(v, Recovered(p))
			}`,
		tests: "internal/failure TestApply",
	},
	{
		name: "emit each: an element that has arrived is discarded", kind: "discarded twice",
		file: "internal/stage/pending/backlog.go",
		old: `		now.Sent()
		sent++`,
		new:   `		sent++`,
		tests: "internal/stage/pending TestEmitEach",
	},
	{
		name: "emit each: how many were sent is not told", kind: "demand not debited",
		file:  "internal/stage/pending/backlog.go",
		old:   `more; v, more = next(sent) {`,
		new:   `more; v, more = next(sent - 1) {`,
		tests: "internal/stage/pending TestEmitEach",
	},
	{
		name: "unwinding: a Goexit that a guard further in has dealt with looks like the first", kind: "Goexit not handled",
		file:  "internal/failure/goexit.go",
		old:   `			failed(passing())`,
		new:   `			failed(false)`,
		tests: "internal/failure TestUnwinding",
	},
	{
		name: "outside: a Goexit that has ended code of the user settles the element in its hands", kind: "element lost",
		file:  "internal/failure/goexit.go",
		old:   `	return n <= of.nested && !of.open`,
		new:   `	return n <= of.nested`,
		tests: "internal/failure TestOutside",
	},
	{
		name: "edge: a Goexit goes on through code that has cancelled as if it were the library's", kind: "element lost",
		file:  "internal/protocol/strict.go",
		old:   `failure.Outside(s.cancel)`,
		new:   `s.cancel()`,
		tests: "operators TestGoexitInTheCancellationByAFunction",
	},
	{
		name: "edge: a Goexit goes on through code that has asked for more as if it were the library's", kind: "element lost",
		file:  "internal/protocol/strict.go",
		old:   `failure.Outside(func() { s.link.Request(n) })`,
		new:   `s.link.Request(n)`,
		tests: "proofs/stages TestGoexitInTheRequestByAFunction",
	},
	{
		name: "await: a Goexit goes on through code that waits for a stream as if it were the library's", kind: "element lost",
		file: "operators/await.go",
		old: `			defer failure.Left() // it was code of the user that has called
			a.link.Cancel()`,
		new:   `			a.link.Cancel()`,
		tests: "proofs/stages TestGoexitInWhatAFunctionRuns",
	},
	{
		name: "block: a Goexit goes on through code that waits for a stream as if it were the library's", kind: "element lost",
		file:  "operators/block.go",
		old:   `			failure.Left() // it was code of the user that has called`,
		new:   ``,
		tests: "proofs/stages TestGoexitInWhatAFunctionRuns",
	},
	{
		name: "failures: a Goexit that was reported is joined with what it was reported as", kind: "error told twice",
		file:  "internal/failure/list.go",
		old:   `if old != nil && reported {`,
		new:   `if old != nil && reported && false {`,
		tests: "internal/failure TestFailuresOfAGoexit",
	},
	{
		name: "waiter: an error that others get is reported as dropped by one who leaves", kind: "error told twice",
		file:  "internal/stage/single/waiter.go",
		old:   "if w.add(slotOver)&slotOver == 0 {\n			w.add(slotHeard)",
		new:   "if w.IsOver() {\n			reactor.DropError(w.Ctx, sig.Err())\n		} else {\n			w.add(slotOver | slotHeard)",
		tests: "internal/stage/single TestWaiterDropsNoError",
	},
	{
		name: "end of a context: what was joined with it deep down is taken for it", kind: "error swallowed",
		file:  "internal/belated/belated.go",
		old:   `		return inner != nil && isEnd(ctx, end, inner)`,
		new:   `		return inner != nil && is(ctx, end, inner)`,
		tests: "internal/belated TestDrop",
	},
	{
		name: "unwinding: a Goexit that nobody has dealt with looks settled", kind: "Goexit not handled",
		file:  "internal/failure/goexit.go",
		old:   `	return n <= of.nested && !of.open`,
		new:   `	return n > 0 && !of.open`,
		tests: "internal/failure TestUnwinding",
	},
	{
		name: "unwinding: the element that has come is discarded here and by the guard", kind: "discarded twice",
		file: "internal/failure/goexit.go",
		old: `		if settled {
			reactor.Discard(ctx, v)`,
		new: `		if settled || true {
			reactor.Discard(ctx, v)`,
		tests: "internal/failure TestUnwinding",
	},
	{
		name: "two upstreams: the other one goes on", kind: "upstream not cancelled",
		file:  "internal/stage/paired/stage.go",
		old:   `	defer u.Other.Dispose() // also if a function that hears of the first ends the goroutine`,
		new:   `	_ = u.Other.Dispose`,
		tests: "operators TestSample|TestBuffer",
	},
	{
		name: "A15 flatMap: an inner publisher is made of the element before (G#208)", kind: "state shared",
		file: "operators/flat_map.go",
		old: `	if s.main.cont == nil {
		return s.fn(v), true
	}`,
		new: `	if s.main.cont == nil {
		return s.fn(*new(T)), true
	}`,
		tests: "operators TestRegressionA15",
	},
	{
		name: "B1 groupBy: one group more than allowed (R#596)", kind: "capacity off by one",
		file:  "operators/group_by.go",
		old:   `len(m.groups) >= m.of.maxGroups`,
		new:   `len(m.groups) > m.of.maxGroups`,
		tests: "operators TestRegressionB1",
	},
	{
		name: "B1 groupBy: a standstill is not reported (R#2138)", kind: "error dropped silently",
		file: "operators/group_by_watch.go",
		old: `		reactor.DropError(m.out.Context(), err)
		return true`,
		new:   `		return true`,
		tests: "operators TestRegressionB1",
	},
	{
		name: "B15 groupBy: the groups do not hear of the standstill (G#323)", kind: "terminal forgotten",
		file:  "operators/group_by_watch.go",
		old:   `all[i].Stop(err); return true`,
		new:   `return true`,
		tests: "operators TestRegressionB15",
	},
	{
		name: "B15 groupBy: nobody notices that src has run dry (G#323)", kind: "lost wake-up",
		file: "operators/group_by_debt.go",
		old: `	if dry {
		m.ranDry()`,
		new: `	if false {
		m.ranDry()`,
		tests: "operators TestRegressionB1|TestRegressionB15",
	},
	{
		name: "groupBy: a reader that takes its time is a standstill", kind: "wrong comparison",
		file:  "operators/group_by_watch.go",
		old:   `			return nil, 0, false`,
		new:   `			unread++`,
		tests: "operators TestGroupByPatience",
	},
	{
		name: "groupBy: a group begins while the stream is given up", kind: "terminal forgotten",
		file:  "operators/group_by_watch.go",
		old:   `over = m.Ended.Swap(true)`,
		new:   `over = m.Ended.Load()`,
		tests: "operators TestGroupByPatience",
	},
	{
		name: "switchOnFirst: an end behind an element that is discarded is not told", kind: "terminal forgotten",
		file:  "operators/switch_on_first.go",
		old:   `a.down.OnError(a.gone())`,
		new:   ``,
		tests: "operators TestSwitchOnFirst",
	},
	{
		name: "an element that says when is not given up", kind: "element lost",
		file:  "internal/stage/paired/other.go",
		old:   `reactor.Abandon(ctx, v)`,
		new:   ``,
		tests: "operators TestElementsOfCompanions",
	},
	{
		name: "groupBy: a timer that has gone off takes the place of the next", kind: "cancel of the wrong one",
		file:  "operators/group_by_watch.go",
		old:   `	turn, dry := w.turn, w.dry.Load()`,
		new:   `	turn, dry := w.dry.Load(), w.dry.Load()`,
		tests: "operators TestGroupByPatience",
	},
	{
		name: "bufferUntil: demand is seen before what is asked for it", kind: "wrong order of two stores",
		file: "operators/buffer_cut.go",
		old: `	demand.Add(&s.awaited, n)
	chaos.Yield()
	demand.Add(&s.Demand, n)
	if s.Done`,
		new: `	demand.Add(&s.Demand, n)
	chaos.Yield()
	demand.Add(&s.awaited, n)
	if s.Done`,
		tests: "operators TestBufferUntil",
	},
	{
		name: "InFlight: the element that fails downstream is lost", kind: "discard forgotten",
		file: "internal/protocol/in_flight.go",
		old:  `		Crash(ctx, down, err, v)`,
		new: `		Crash(ctx, down, err, nil)
		_ = v`,
		tests: "proofs/stages TestBooksOfFailures",
	},
	{
		name: "InFlight: the element comes back", kind: "order of clean-up",
		file: "internal/protocol/in_flight.go",
		old: `	v, full := f.give()
	crashedWith(ctx, down, over, v, full, err)`,
		new: `	crashedWith(ctx, down, over, f.element, f.full, err)
	f.Clear()`,
		tests: "internal/protocol TestInFlight",
	},
	{
		name: "InFlight: every guard reports a Goexit", kind: "reported twice",
		file:  "internal/failure/goexit.go",
		old:   `return !s.untold`,
		new:   `return false && !s.untold`,
		tests: "internal/protocol TestCrash",
	},
	{
		name: "InFlight: an error that comes when all is over is forgotten", kind: "error swallowed",
		file:  "internal/protocol/in_flight.go",
		old:   "		reactor.DropError(ctx, err)\n	case full",
		new:   "	case full",
		tests: "internal/protocol TestInFlight",
	},
	{
		name: "InFlight: the element stays", kind: "retained",
		file:  "internal/protocol/in_flight.go",
		old:   `f.element, f.full = *new(T), false`,
		new:   `f.full = false`,
		tests: "proofs/stages TestNothingIsRetained",
	},
	{
		name: "sort and takeLast: the element going down is not in flight", kind: "discard forgotten",
		file: "internal/stage/pending/backlog.go",
		old: `		now.Hold(v)
		down.OnNext(v)`,
		new:   `		down.OnNext(v)`,
		tests: "proofs/stages TestBooksOfFailures",
	},
	{
		name: "filterWhen: the element that fails downstream is lost", kind: "discard forgotten",
		file: "operators/filter_when.go",
		old:  `			s.InFlight.SendHeld(s.PushDown)`,
		new: `			v := s.InFlight.Element()
			s.InFlight.Clear()
			s.PushDown(v)`,
		tests: "proofs/stages TestBooksOfFailures",
	},
	{
		name: "skipLast: the guard upstream discards what the stage discards, too", kind: "wrong one dropped",
		file: "operators/skip_last.go",
		old:  `	if s.pending.Len() == s.n {`,
		new: `	if s.pending.Push(v); s.pending.Len() > s.n {
		defer s.pending.Pop()`,
		tests: "proofs/stages TestBooksOfFailures",
	},
	{
		name: "unicast: a subscriber that failed is kept (§3.13)", kind: "state not cleared",
		file:  "internal/unicast/unicast.go",
		old:   `	defer p.detach() // also`,
		new:   `	// also`,
		tests: "internal/unicast TestSubscriberFails",
	},
	{
		name: "B9 bufferTimeout: the fair one sends what is neither full nor due (R#4377)", kind: "terminal overtaking elements",
		file:  "operators/buffer_timeout_fair.go",
		old:   `n == 0 || n < s.size && !all && s.overdue == 0`,
		new:   `n == 0`,
		tests: "operators TestRegressionB9",
	},
	{
		name: "tap: an end that fails does not cancel the source", kind: "cancel not propagated",
		file: "operators/tap.go",
		old: `		defer s.fail(reactor.OperatorError(s.ctx, err, nil))
		s.up.Cancel()
`,
		new: `		defer s.fail(reactor.OperatorError(s.ctx, err, nil))
`,
		tests: "operators TestTap",
	},
	{
		name: "M1 fanout: elements pile up after the last subscriber (R#3715)", kind: "queue not cleared on cancel",
		file: "internal/multicast/fanout.go",
		old: `	if f.over {
		f.clear()
		return true`,
		new: `	if f.over {
		return true`,
		tests: "sinks TestRegressionM1",
	},
	{
		name: "M3 sinks: an element that nobody gets is answered with OK (R#2340)", kind: "error dropped silently",
		file: "sinks/multicast.go",
		old: `	case c.direct.IsDeserted():
		return FailZeroSubscriber
	}
	return FailOverflow`,
		new: `	case c.direct.IsDeserted():
		return FailZeroSubscriber
	}
	return OK`,
		tests: "sinks TestRegressionM3",
	},
	{
		name: "M4 sinks: an emission after the end is answered with OK (R#2342)", kind: "error dropped silently",
		file: "sinks/multicast.go",
		old: `	case c.direct.Ended():
		return FailTerminated
	case c.direct.IsDeserted():
		return FailZeroSubscriber`,
		new: `	case c.direct.Ended():
		return OK
	case c.direct.IsDeserted():
		return FailZeroSubscriber`,
		tests: "sinks TestRegressionM4",
	},
	{
		name: "M6 refCount: who joins a run that ends stays there (X#6185)", kind: "lost wake-up",
		file: "operators/ref_count.go",
		old: `		p.retire(c, s)
	}`,
		new: `		p.retire(c, s)
		return
	}`,
		tests: "operators TestRegressionM6",
	},
	{
		name: "M7 refCount: who cancels in OnSubscribe counts for ever (R#4387)", kind: "slot not given back",
		file: "operators/ref_count.go",
		old: `	if sub.over {
		p.mu.Unlock()
		return nil, 0
	}
`,
		new:   "",
		tests: "operators TestRegressionM7",
	},
	{
		name: "M8 fanout: the error is stored after the end (R#3618)", kind: "wrong order of two stores",
		file: "internal/multicast/fanout.go",
		old: `	f.err = err
	chaos.Yield()
	f.done.Store(true)`,
		new: `	f.done.Store(true)
	chaos.Yield()
	f.err = err`,
		tests: "operators TestRegressionM8",
	},
	{
		name: "C1 subscribeOn: a cancellation keeps the worker (R#2037)", kind: "slot not given back",
		file:  "operators/subscribe_on.go",
		old:   `	l.CancelAnd(l.closed)`,
		new:   `	l.CancelOnce()`,
		tests: "operators TestRegressionC1",
	},
	{
		name: "C2 create: OnCancel after the cancellation is not called (R#1622)", kind: "cancel not propagated",
		file: "operators/sink_disposal.go",
		old: `	run := d.cancelled
	d.mu.Unlock()`,
		new: `	run := false
	d.mu.Unlock()`,
		tests: "operators TestRegressionC2",
	},
	{
		name: "C3 usingWhen: a resource that comes after the cancellation stays (R#2836)", kind: "discard forgotten",
		file:  "operators/using_when.go",
		old:   `		sub.abandon()`,
		new:   `		_ = sub`,
		tests: "operators TestRegressionC3",
	},
	{
		name: "D1 collect: an element that meets the cancellation is lost (R#1660)", kind: "discard forgotten",
		file: "operators/fold.go",
		old: `	if !s.custody.Return() {
		s.drop()
	}`,
		new:   `	s.custody.Return()`,
		tests: "operators TestRegressionD1",
	},
	{
		name: "D3 flatMapSequential: what waits for its turn is forgotten (R#4379)", kind: "discard forgotten",
		file: "operators/flat_map_sequential.go",
		old: `	for _, in := range s.closed {
		if q`,
		new: `	for _, in := range s.closed[:0] {
		if q`,
		tests: "operators TestRegressionD3",
	},
	{
		name: "D5 create: the element of a Mono that meets the cancellation is lost (R#2120)", kind: "discard forgotten",
		file: "operators/mono_create.go",
		old: `		reactor.Discard(s.ctx, pending.Take(&s.value))
	case old&monoRequested`,
		new: `		pending.Take(&s.value)
	case old&monoRequested`,
		tests: "operators TestRegressionD5",
	},
	{
		name: "T1 timeout: the source goes on beside the fallback (X#4945)", kind: "cancel not propagated",
		file:  "operators/timeout.go",
		old:   `failure.InTurn(s.limit.Dispose, s.link.Cancel, func() { // either`,
		new:   `failure.InTurn(s.limit.Dispose, func() { // either`,
		tests: "operators TestRegressionT1|TestRegressionT3",
	},
	{
		name: "T4 delayElement: a task that runs at once finds nothing (R#3537)", kind: "wrong order of two stores",
		file: "operators/delay_element.go",
		old:  `	timer, err := s.scheduler.ScheduleAfter(s.deliver, s.after)`,
		new: `	s.state.Store(hopWaiting)
	timer, err := s.scheduler.ScheduleAfter(s.deliver, s.after)
	time.Sleep(time.Millisecond)
	s.state.CompareAndSwap(hopWaiting, hopReady)`,
		tests: "operators TestRegressionT4",
	},
	{
		name: "H1 publishOn: asks for more than it has room for (R#44)", kind: "demand credited twice",
		file:  "operators/worker_stage.go",
		old:   `s.out.Refill(s.up, n)`,
		new:   `s.out.Refill(s.up, n+1)`,
		tests: "operators TestRegressionH1",
	},
	{
		name: "H1 publishOn: a batch of one is asked for too late (R#44)", kind: "prefetch refill off by one",
		file:  "internal/demand/demand.go",
		old:   `	r.consumed += n`,
		new:   `	r.consumed += n - 1`,
		tests: "operators TestRegressionH1",
	},
	{
		name: "M5 sinks: a refused outcome takes the place of the first (R#3257)", kind: "double terminal",
		file: "sinks/one.go",
		old: `if !p.outcome.CompareAndSwap(nil, &sig) {
		return FailTerminated
	}`,
		new: `if !p.outcome.CompareAndSwap(nil, &sig) {
		p.outcome.Store(&sig)
		return FailTerminated
	}`,
		tests: "sinks TestRegressionM5",
	},
	{
		name: "D2 publishOn: the queue waits for a task that does not begin (R#4396)", kind: "queue not cleared on cancel",
		file:  "internal/protocol/task_outlet.go",
		old:   `defer o.drain.Cancel()`,
		new:   `defer o.drain.Run()`,
		tests: "operators TestRegressionD2",
	},
	{
		name: "D4 create: an element that meets the cancellation is lost (R#1634)", kind: "element not discarded",
		file: "operators/sink_core.go",
		old: `		// entering the drain.
		s.spurn(v)`,
		new: `		// entering the drain.
`,
		tests: "operators TestRegressionD4",
	},
	{
		name: "D4 create: an element put in beside the drain stays there (R#2114)", kind: "late offer after clear",
		file: "operators/sink_core.go",
		old: `default:
		s.queue.Offer(v)
		chaos.Yield()
		s.drain.Run(s)`,
		new: `default:
		s.queue.Offer(v)`,
		tests: "operators TestRegressionD4",
	},
	{
		name: "T2 timeout: the element and the timeout both count (R#744)", kind: "double terminal",
		file: "operators/timeout.go",
		old: `if !s.index.CompareAndSwap(id, timeoutOver) {
		return
	}`,
		new:   "s.index.Store(timeoutOver)",
		tests: "operators TestRegressionT2",
	},
	{
		name: "M9 fanout: a subscriber that leaves does not let the others go on (G#318)", kind: "lost wake-up",
		file: "internal/multicast/fanout.go",
		old: `f.leave(s)
		f.turn.Run(f)`,
		new:   "f.leave(s)",
		tests: "operators TestRegressionM9",
	},
	{
		name: "zip: an element beside the drain wakes nobody", kind: "lost wake-up",
		file:  "operators/zipping_source.go",
		old:   "if in.queue.Len() == 1 {",
		new:   "if in.queue.Len() == 1 && false {",
		tests: "operators TestZipKeepsOrderUnderRace",
	},
	{
		name: "unicast: one that is discarded keeps its source", kind: "cancel not propagated",
		file: "internal/unicast/unicast.go",
		old: `	p.Cancel()
	return true`,
		new:   "	return true",
		tests: "operators TestDiscardedWindowsAreCancelled",
	},
	{
		name: "M2 set: of two that leave at once one stays (R#3001)", kind: "no lock",
		file: "internal/multicast/set.go",
		old: `	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.find(e)`,
		new:   "	i := s.find(e)",
		tests: "sinks TestRegressionM2",
	},
	{
		name: "E8 a task runs what it schedules before others get a turn (R#3954)", kind: "no turns",
		file: "schedulers/submit.go",
		old: `	var h *handle
	if w != nil {
		h = &w.root
	}`,
		new: `	if s.onLoop() {
		task(nil)
		return nil
	}
	var h *handle
	if w != nil {
		h = &w.root
	}`,
		tests: "schedulers TestE8",
	},
	{
		name: "owns in: a container of what owns is overlooked", kind: "discard forgotten",
		file:  "discardable.go",
		old:   "(k == reflect.Slice || k == reflect.Map) && owns(t.Elem())",
		new:   "k == reflect.UnsafePointer",
		tests: ". TestElementsThatOwn",
	},
	{
		name: "cacheInvalidateIf: who hears of the failure finds the element kept", kind: "order",
		file:  "operators/mono_shared.go",
		old:   "\t\t\tdefer reactor.Discard(sub.Ctx, v) // also if the subscriber ends the goroutine\n\t\t}\n\t\tsub.Fail(",
		new:   "\t\t\tdefer reactor.Discard(sub.Ctx, v) // also if the subscriber ends the goroutine\n\t\t\tg.entry = e\n\t\t}\n\t\tsub.Fail(",
		tests: "operators TestMonoCacheInvalidateIfSubscribedAgain",
	},
	{
		name: "mono cache: an element that its timer was refused for counts as kept", kind: "discard forgotten",
		file:  "operators/mono_shared.go",
		old:   "if entry != nil && g.forgotten(entry) {",
		new:   "if false {",
		tests: "operators TestMonoCacheWithASchedulerThatRefuses",
	},
	{
		name: "mono cache: an element that somebody has found is discarded by who leaves", kind: "discard too often",
		file:  "operators/mono_shared.go",
		old:   "return g.entry != e && !e.found",
		new:   "return g.entry != e",
		tests: "operators TestMonoCacheWithASchedulerThatRefusesLate",
	},
	{
		name: "unicast sink: an error that its subscriber leaves without is lost", kind: "wrong",
		file:  "sinks/unicast.go",
		old:   "c.EndOnly(err)",
		new:   "c.End(err)",
		tests: "sinks TestErrorThatTheOnlySubscriberLeavesWithout",
	},
	{
		name: "unicast sink without a buffer: an error that its subscriber leaves without is lost", kind: "wrong",
		file:  "sinks/unicast.go",
		old:   "\tc.direct.Only = true\n",
		new:   "",
		tests: "sinks TestErrorThatTheOnlySubscriberLeavesWithout",
	},
	{
		name: "direct: an error is lost if the subscriber has left as it comes", kind: "wrong",
		file:  "internal/multicast/direct.go",
		old:   "\tif len(end.to) == 0 {\n\t\td.unheard(d.Context(), err)\n\t}\n",
		new:   "",
		tests: "sinks TestErrorOfASinkWhoseOnlySubscriberLeaves",
	},
}
