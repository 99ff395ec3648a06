package main

// flattening breaks operators that flatten, concatenate, merge and switch.
var flattening = []mutation{
	{
		name: "mergePriority: all are put in order anew for each that has something", kind: "growth",
		file:  "internal/stage/merge/order.go",
		old:   "\t\t\to.up(len(o.heads) - 1)\n",
		new:   "\t\t\tfor i := len(o.heads)/2 - 1; i >= 0; i-- {\n\t\t\t\to.down(i)\n\t\t\t}\n",
		tests: "internal/stage/merge TestSourcesThatHaveNothing",
	},
	{
		name: "merge: what comes as its queue is found empty is overlooked", kind: "lost wake-up",
		file:  "internal/stage/merge/ready.go",
		old:   "\treturn r.queue.IsEmpty() || r.announced.Swap(true)",
		new:   "\treturn true",
		tests: "internal/stage/merge TestNoElementIsOverlooked",
	},
	{
		name: "merge: who has nothing is looked at for ever", kind: "growth",
		file:  "internal/stage/merge/ready.go",
		old:   "\t\ta.marked.Unset(i)\n",
		new:   "",
		tests: "internal/stage/merge TestSourcesThatHaveNothing",
	},
	{
		name: "merge: each end after a cancellation has all looked at", kind: "growth",
		file:  "internal/stage/merge/main.go",
		old:   "\tif r.main.Out.Stopped() {\n\t\tr.ended.Store(true)",
		new:   "\tif r.ended.Load() {\n\t\tr.ended.Store(true)",
		tests: "internal/stage/merge TestEndsAfterACancellation",
	},
	{
		name: "mergePriority: a source whose last one was taken stays in the order", kind: "element twice",
		file:  "internal/stage/merge/order.go",
		old:   "\t\tif !o.heads[0].next() {\n\t\t\to.drop()\n\t\t}",
		new:   "\t\to.heads[0].next()",
		tests: "internal/stage/merge",
	},
	{
		name: "mergePriority: the few are kept in order, too", kind: "slower",
		file:  "internal/stage/merge/main.go",
		old:   "c.Eager && n > fewSources",
		new:   "c.Eager",
		tests: "internal/stage/merge TestFewSources",
	},
	{
		name: "sampleTimeout: each element has a timer of its own", kind: "allocation",
		file:  "operators/sample_timeout.go",
		old:   "\tif canLag(p.timer) {",
		new:   "\tif canLag(p.timer) && p.after < 0 {",
		tests: "operators TestSampleTimeoutForTakes",
	},
	{
		name: "sampleTimeout: the timer goes on when its element is emitted", kind: "leak",
		file:  "operators/sample_timeout.go",
		old:   "\ts.moving.Add(1)\n\ts.waits.CompareAndSwap(id, id+1)",
		new:   "\ts.moving.Add(1)",
		tests: "operators TestSampleTimeoutForOnTheSystemClock",
	},
	{
		name: "window, overlapping: what comes after the cancellation is boxed", kind: "allocation",
		file:  "operators/window_overlap.go",
		old:   "\t\ts.between.Discard(s.Out.Context(), v)",
		new:   "\t\treactor.Discard(s.Out.Context(), v)",
		tests: "operators TestElementsThatComeTooLate",
	},
	{
		name: "create: what nobody gets is boxed", kind: "allocation",
		file:  "operators/sink_core.go",
		old:   " new(pending.Unwanted[T]).Discard(s.ctx, v) ",
		new:   " reactor.Discard(s.ctx, v) ",
		tests: "operators TestElementsThatComeTooLate",
	},
	{
		name: "groupBy: what opens no group any more is boxed", kind: "allocation",
		file:  "operators/group_by.go",
		old:   "\t\tnew(pending.Unwanted[V]).Discard(m.out.Context(), value)",
		new:   "\t\treactor.Discard(m.out.Context(), value)",
		tests: "operators TestDiscardedElementsAreNotBoxed",
	},
	{
		name: "and: elements that only the end counts of are boxed", kind: "allocation",
		file:  "operators/mono_join.go",
		old:   "\t\tnew(pending.Unwanted[T]).Discard(s.parent.ctx, v)",
		new:   "\t\treactor.Discard(s.parent.ctx, v)",
		tests: "operators TestDiscardedElementsAreNotBoxed",
	},
	{
		name: "queue: a ring of any size is made at once", kind: "memory",
		file:  "internal/queue/spsc.go",
		old:   "\tif capacity > maxRingBytes/max(1, int(unsafe.Sizeof(*new(T)))) {",
		new:   "\tif capacity > MaxRing {",
		tests: "internal/queue TestLargeElements",
	},
	{
		name: "queue: a whole chunk of large elements is made at once", kind: "memory",
		file:  "internal/queue/linked.go",
		old:   "min(q.size, room)",
		new:   "q.size",
		tests: "internal/queue TestLargeElements",
	},
	{
		name: "queue: many producers have a whole chunk of large elements at once", kind: "memory",
		file:  "internal/queue/mpsc.go",
		old:   "min(chunk, Few[mpscSlot[T]]())-1",
		new:   "chunk-1",
		tests: "internal/queue TestLargeElements",
	},
	{
		name: "queue: one more than its limit is taken", kind: "bound",
		file:  "internal/queue/linked.go",
		old:   "q.tail.Load()-q.head.Load() >= q.limit",
		new:   "q.tail.Load()-q.head.Load() > q.limit",
		tests: "internal/queue TestBounded",
	},
	{
		name: "flatMapSeq: what each sequence is called with is allocated", kind: "allocation",
		file:  "operators/flat_map_seq.go",
		old:   "		if q.yield == nil {\n",
		new:   "		if true {\n",
		tests: "operators TestSequencesShare",
	},
	{
		name: "flatMapSeq: a sequence may go on after a panic of yield", kind: "failure lost",
		file:  "operators/flat_map_seq.go",
		old:   "	q.call.End()\n	if s.InFlight.Full() {",
		new:   "	q.call.End()\n	if s.InFlight.Full() && s.out.Stopped() {",
		tests: "operators TestFlatMapSeqOfNoSequence",
	},
	{
		name: "flatMapSeq2: the error of a sequence that is let go of is lost", kind: "failure lost",
		file:  "operators/flat_map_seq.go",
		old:   "		if err := cmp.Or(q.kept.coroutine.takeErr(), q.kept.err); err != nil {",
		new:   "		if err := cmp.Or(q.kept.coroutine.takeErr(), q.kept.err); err != nil && s.out.Open() {",
		tests: "operators TestFlatMapSeq2Errors",
	},
	{
		name: "flatMapSeq2: what comes behind an error is emitted", kind: "protocol",
		file:  "operators/flat_map_seq.go",
		old:   "	case err == nil && (q == nil || q.err == nil):",
		new:   "	case err == nil:",
		tests: "operators TestFlatMapSeq2Errors",
	},
	{
		name: "flatMapSeq: each sequence has a coroutine of its own", kind: "allocation",
		file:  "operators/flat_map_seq.go",
		old:   "\ts.seq = flattenSeq[R]{kept: s.seq.kept}\n",
		new:   "\ts.restSeq()\n\ts.seq = flattenSeq[R]{}\n",
		tests: "operators TestSequencesShare",
	},
	{
		name: "flatMapSeq: a coroutine is left to who waits for the source", kind: "leak",
		file:  "operators/flat_map_slice.go",
		old:   "\t\t\t\ts.restSeq()\n",
		new:   "",
		tests: "operators TestFlatMapSeqWaits",
	},
	{
		name: "flatMapSeq: the end of a sequence is taken for that of the next one", kind: "elements lost",
		file:  "operators/flat_map_seq.go",
		old:   "c.next, c.over = flattenedSeq[R]{}, false",
		new:   "c.next = flattenedSeq[R]{}",
		tests: "operators TestFlatMapSeqInTurn",
	},
	{
		name: "flatMapSeq: who has stopped a sequence has it begun again", kind: "called again",
		file:  "operators/flat_map_seq.go",
		old:   "\t\tif c.stopped || !c.more() {\n\t\t\treturn\n\t\t}\n",
		new:   "\t\tif c.stopped {\n\t\t\tc.stopped = false\n\t\t\tc.next = seq\n\t\t}\n",
		tests: "operators TestFlatMapSeqInTurn|TestFlatMapSeqLets",
	},
	{
		name: "zip: each signal costs a look at all sources", kind: "growth",
		file:  "operators/zipping.go",
		old:   "if len(z.members) > fewMembers {",
		new:   "if len(z.members) > fewMembers && z.looked < -1 {",
		tests: "operators TestZipLooksAtFew",
	},
	{
		name: "zip: those behind one without an element are looked at each time", kind: "growth",
		file:  "operators/zipping.go",
		old:   "case k == 0 && !all:",
		new:   "case k == 0 && !all && n < 0:",
		tests: "operators TestZipLooksAtFew",
	},
	{
		name: "zip: the end of a source behind one that waits is not looked for", kind: "end lost",
		file:  "operators/zipping_source.go",
		old:   "\t\tif !in.ready.Load() || in.queue.IsEmpty() {",
		new:   "\t\tif !in.ready.Load() {",
		tests: "operators TestZipHears",
	},
	{
		name: "places: each gap is closed at once", kind: "growth",
		file:  "internal/stage/places/places.go",
		old:   "n > few && 2*l.gaps > n || l.gaps == n",
		new:   "n > 0 && l.gaps > 0",
		tests: "internal/stage/places TestLeavingCosts",
	},
	{
		name: "places: who has left is held", kind: "state not cleared",
		file:  "internal/stage/places/places.go",
		old:   "\tclear(l.places[len(kept):])\n",
		new:   "",
		tests: "internal/stage/places TestAListLetsGo",
	},
	{
		name: "pending: what is unwanted is not told of", kind: "discard forgotten",
		file:  "internal/stage/pending/discard.go",
		old:   "\tcase u.hook != nil:\n\t\tu.hook(v)",
		new:   "\tcase u.hook != nil && !u.looked:\n\t\tu.hook(v)",
		tests: "internal/stage/pending TestUnwanted",
	},
	{
		name: "elementAt: what it passes over is boxed", kind: "allocation",
		file:  "operators/element_at.go",
		old:   "s.passed.Discard(s.Slot.Ctx, v)",
		new:   "reactor.Discard(s.Slot.Ctx, v)",
		tests: "operators TestDiscardedElementsAreNotBoxed",
	},
	{
		name: "tryFilterContext: what it rejects is boxed", kind: "allocation",
		file:  "operators/try_map_context_call.go",
		old:   "from.rejected.Discard(ctx, v)",
		new:   "reactor.Discard(ctx, v)",
		tests: "operators TestDiscardedElementsAreNotBoxed",
	},
	{
		name: "unicast: what its subscriber has refused is boxed", kind: "allocation",
		file:  "internal/unicast/unicast.go",
		old:   "p.refused.Discard(p.Context(), v)",
		new:   "reactor.Discard(p.Context(), v)",
		tests: "operators TestDiscardedElementsAreNotBoxed",
	},
	{
		name: "window: what is between two of them is boxed", kind: "allocation",
		file:  "operators/window.go",
		old:   "s.between.Discard(s.ctx, v)",
		new:   "reactor.Discard(s.ctx, v)",
		tests: "operators TestDiscardedElementsAreNotBoxed",
	},
	{
		name: "windowUntil: what a window refuses is boxed", kind: "allocation",
		file:  "operators/window_cut.go",
		old:   "!= unicast.OK {\n\t\ts.refused.Discard(s.Out.Context(), v)",
		new:   "!= unicast.OK {\n\t\treactor.Discard(s.Out.Context(), v)",
		tests: "operators TestDiscardedElementsAreNotBoxed",
	},
	{
		name: "windowWhen: what comes while none is open is boxed", kind: "allocation",
		file:  "operators/window_when.go",
		old:   "s.between.Discard(s.Out.Context(), v)",
		new:   "reactor.Discard(s.Out.Context(), v)",
		tests: "operators TestDiscardedElementsAreNotBoxed",
	},
	{
		name: "groupBy: groups end in the opposite order", kind: "order broken",
		file:  "operators/group_order.go",
		old:   "return cmp.Compare(a.by, b.by)",
		new:   "return cmp.Compare(b.by, a.by)",
		tests: "operators TestOrderOfGroups",
	},
	{
		name: "groupBy: numbers without a sign end in the order in which their groups were opened", kind: "order broken",
		file:  "operators/group_order.go",
		old:   "case value.CanUint():",
		new:   "case false:",
		tests: "operators TestOrderOfGroups",
	},
	{
		name: "groupBy: groups end in the order of the map", kind: "order broken",
		file:  "operators/group_order.go",
		old:   "found[i] = all[p.at]",
		new:   "_, found[i] = p, all[i]",
		tests: "operators TestOrderOfGroups",
	},
	{
		name: "flatMap: the next publisher is made in the turn that has made room for it", kind: "serialised",
		file: "operators/flat_map_main.go",
		old: `		m.asking.Add(refill)
		return false // who adds to what was found says so
`,
		new: `		m.up.Request(refill)
`,
		tests: "operators TestFlatMapWhileTheNext",
	},
	{
		name: "flatMap: a cancellation waits for the publisher that it comes from", kind: "cancel not propagated",
		file:  "operators/flat_map_main.go",
		old:   "m.drain.Run(m) // at once",
		new:   "m.run() // at once",
		tests: "operators TestFlatMapIsCancelledByTheNext",
	},
	{
		name: "flatMap: what comes where the source is asked does not wait for the pass after that", kind: "demand wrong",
		file:  "internal/asking/asking.go",
		old:   "			b.by.Store(me)\n",
		new:   "",
		tests: "proofs/vectors TestVectors",
	},
	{
		name: "asking: who finds that upstream has to be asked first forgets the pass", kind: "lost wake-up",
		file:  "internal/asking/asking.go",
		old:   "		if b.n.CompareAndSwap(n, n|1) {",
		new:   "		if n > 1 {",
		tests: "internal/asking TestNoWorkIsLeftBehind",
	},
	{
		name: "flatMapSequential: the next publisher is made in the turn that has made room for it", kind: "serialised",
		file:  "operators/flat_map_sequential.go",
		old:   "			s.asking.Add(1)",
		new:   "			s.up.Request(1)",
		tests: "operators TestFlatMapWhileTheNext",
	},
	{
		name: "flatMap: a Goexit that meets the cancellation keeps the failure of a call back", kind: "Goexit not handled",
		file: "operators/flat_map.go",
		old: `	failure.InTurn( // each may end the goroutine
		s.main.up.Cancel,
		func() { s.main.sourceError(err) },
		func() { pending.Discard(s.main.discard, v) },
	)`,
		new: `	s.main.up.Cancel()
	s.main.sourceError(err)
	pending.Discard(s.main.discard, v)`,
		tests: "operators TestFlatMapGoexitBehindTheFailure",
	},
	{
		name: "flatMap: the Goexit of an inner publisher within a pass is reported twice", kind: "reported twice",
		file:  "operators/flat_map_slots.go",
		old:   "	err = m.failures.Untold(err) // before they are dropped\n",
		new:   "",
		tests: "operators TestFlatMapGoexitOfAnInnerPublisherWithinAPass",
	},
	{
		name: "merge: the Goexit of a source that is called passes by the hook, and the next source is subscribed", kind: "Goexit not handled",
		file:  "operators/merge.go",
		old:   "func(goexit error) { p.failed(m, goexit) }",
		new:   "func(goexit error) { m.addFailure(goexit) }",
		tests: "operators TestMergeGoexitOfASourceThatIsCalled",
	},
	{
		name: "concatMap to the boundary: a Goexit that meets the cancellation keeps the end back", kind: "Goexit not handled",
		file: "operators/concat_map_inner.go",
		old: `	defer in.OnComplete() // also if a function that hears of what follows ends the goroutine
	if s.errors == errorsAtBoundary {
		defer s.done.Store(true)
		defer s.keep(err)
		s.up.Cancel()
		return
	}
	s.keep(err)
`,
		new: `	if s.errors == errorsAtBoundary {
		s.up.Cancel()
		s.done.Store(true)
	}
	s.keep(err)
	in.OnComplete()
`,
		tests: "operators TestConcatMapBoundaryGoexit",
	},
	{
		name: "concatMap: an element is left out where what hears of a request ends the goroutine", kind: "element lost",
		file:  "operators/concat_map_inner.go",
		old:   "			s.abort(failure.Recovered(nil))",
		new:   "			_ = failure.Recovered(nil)",
		tests: "operators TestConcatMapGoexitInARequestBeside",
	},
	{
		name: "switchMap with a queue: a Goexit that meets the cancellation keeps the inner publisher", kind: "cancel not propagated",
		file: "operators/switch_map_queued.go",
		old: `	defer s.stopCurrent() // also if a function that hears of what follows ends the goroutine
	if !s.out.Done() && !s.upEnded.Load() {
		s.up.Cancel()
	}
`,
		new: `	if !s.out.Done() && !s.upEnded.Load() {
		s.up.Cancel()
	}
	s.stopCurrent()
`,
		tests: "operators TestSwitchMapQueuedGoexit",
	},
	{
		name: "flatMapSlice: a Goexit that meets the cancellation keeps an overflow back", kind: "Goexit not handled",
		file: "operators/flat_map_slice.go",
		old: `	failure.InTurn(s.up.Cancel, func() {
		s.OnError(`,
		new: `	s.up.Cancel()
	failure.InTurn(func() {
		s.OnError(`,
		tests: "operators TestFlattenersGoexitInTheCancellation",
	},
	{
		name: "expandDeep: a Goexit that meets the cancellation keeps an overflow back", kind: "Goexit not handled",
		file: "operators/expand_deep.go",
		old:  "	failure.InTurn(t.link.Cancel, func() {",
		new: `	t.link.Cancel()
	failure.InTurn(func() {`,
		tests: "operators TestFlattenersGoexitInTheCancellation",
	},
	{
		name: "flatMap: upstream is asked within the turn where an inner publisher has ended", kind: "two owners",
		file: "operators/flat_map_taken.go",
		old: `	if m.done.Load() {
		// It may have been the last one.`,
		new: `	if more > 0 {
		m.up.Request(1)
		more = 0
	}
	if m.done.Load() {
		// It may have been the last one.`,
		tests: "operators TestFlatMapGoexit",
	},
	{
		name: "flatMap: a publisher that feeds downstream itself does not look at the stage", kind: "element after the end",
		file:  "operators/flat_map_taken.go",
		old:   "		loop.StopAt(&m.stop)\n",
		new:   "",
		tests: "operators TestFlatMapTaken",
	},
	{
		name: "flatMap: what fails below a publisher that feeds downstream itself is the publisher's", kind: "wrong owner",
		file:  "operators/flat_map_inner.go",
		old:   "in.plain && !in.done.Load() || ",
		new:   "",
		tests: "operators TestFlatMapTaken",
	},
	{
		name: "flatMap: what feeds downstream itself does so for the publisher after it", kind: "stale state",
		file:  "operators/flat_map_taken.go",
		old:   "in.direct, in.plain, m.taking = false, false, nil",
		new:   "in.direct, m.taking = false, nil",
		tests: "operators TestFlatMapTaken",
	},
	{
		name: "flatMap: a run keeps others out until its end", kind: "starvation",
		file:  "operators/flat_map_run.go",
		old:   "m.drain.Pending() && heldClock()-m.heldSince > holdTime",
		new:   "false",
		tests: "operators TestFlatMapRun",
	},
	{
		name: "flatMap: a run that has just begun lets others in", kind: "condition weakened",
		file:  "operators/flat_map_run.go",
		old:   "m.drain.Pending() && heldClock()-m.heldSince > holdTime",
		new:   "m.drain.Pending()",
		tests: "operators TestFlatMapRun",
	},
	{
		name: "flatMap: the end of a run leaves the drain taken", kind: "lost wake-up",
		file:  "operators/flat_map_run.go",
		old:   "	in.run = false\n	in.leaveHeld()",
		new:   "	in.run = false",
		tests: "operators TestFlatMapRun",
	},
	{
		name: "flatMap: a run sends more than was asked for", kind: "demand overflow",
		file:  "operators/flat_map_inner.go",
		old:   "if in.run && asked == reactor.Unbounded {",
		new:   "if in.run {",
		tests: "operators TestFlatMapRun",
	},
	{
		name: "flatMap: a cancelled run goes on", kind: "missing cancel",
		file:  "operators/flat_map_run.go",
		old:   "		defer in.leaveHeld() // also if the hook ends the goroutine\n",
		new:   "",
		tests: "operators TestFlatMapRun",
	},
	{
		name: "A1 flatMap: the completion overtakes an inner error (R#2618)", kind: "terminal overtaking elements",
		file: "operators/flat_map_inner.go",
		old: `if !m.addFailure(err) {
		in.done.Store(true)
		return
	}
	in.failed()`,
		new: `in.done.Store(true)
	in.flag()
	m.drain.Run(m)
	chaos.Yield()
	if !m.addFailure(err) {
		return
	}
	in.failed()`,
		tests: "operators TestFlatMap|TestRegressionA",
	},
	{
		name: "A9 flatMap: a one-element publisher keeps its slot (X#6945)", kind: "slot not given back",
		file: "operators/flat_map_scalar.go",
		old: `demand.Produced(&m.requested, 1)
			}
			more = m.due()`,
		new: `demand.Produced(&m.requested, 1)
			}`,
		tests: "operators TestFlatMap|TestRegressionA",
	},
	{
		name: "flatMap: what is known at once waits for a batch beside others that stay", kind: "demand not credited",
		file:  "operators/flat_map_scalar.go",
		old:   "return m.refill.Settle()",
		new:   "return 0",
		tests: "operators TestFlatMap",
	},
	{
		name: "flatMap: what is known at once is forgotten when the last place is taken", kind: "demand not credited",
		file:  "operators/flat_map_main.go",
		old:   "if m.refill.Owed() != 0 {",
		new:   "if m.refill.Owed() < 0 {",
		tests: "operators TestFlatMap",
	},
	{
		name: "A9 flatMap: a queued one-element publisher keeps its slot (X#6945)", kind: "slot not given back",
		file: "operators/flat_map_main.go",
		old: `refill += n
			asked = m.produced(asked, n)`,
		new:   "asked = m.produced(asked, n)",
		tests: "operators TestFlatMap|TestRegressionA",
	},
	{
		name: "A10 flatMap: inner publishers survive the error of the source (X#6825)", kind: "cancel not propagated",
		file: "operators/flat_map_slots.go",
		old: `			in.link.Cancel()
		}
		return true`,
		new: `		}
		return true`,
		tests: "operators TestFlatMap|TestRegressionA",
	},
	{
		name: "A11 flatMap: two that end in one pass are replaced by one (X#6282)", kind: "slot not given back",
		file: "operators/flat_map_main.go",
		old: `m.release(in)
			freed++
		} else`,
		new: `m.release(in)
			freed = 1
		} else`,
		tests: "operators TestFlatMap|TestRegressionA",
	},
	{
		name: "A7 flatMap: a resumed failure is counted twice (R#4290)", kind: "demand credited twice",
		file: "operators/flat_map_inner.go",
		old: `	if err == nil {
		in.OnComplete()`,
		new: `	if err == nil {
		m.up.Request(1)
		in.OnComplete()`,
		tests: "operators TestFlatMap|TestRegressionA",
	},
	{
		name: "flatMap: an element queued behind the drain stays there", kind: "late offer after clear",
		file: "operators/flat_map_inner.go",
		old: `if in.offer(v) {
			in.announce()
		}
		return`,
		new: `in.offer(v)
		return`,
		tests: "operators TestFlatMap|TestRegressionA",
	},
	{
		name: "flatMap: an element that is known overtakes those that wait", kind: "order broken",
		file:  "operators/flat_map_scalar.go",
		old:   `return !m.drain.Active()`,
		new:   `return true`,
		tests: "operators TestFlatMapScalars",
	},
	{
		name: "flatMap: an element that is known does not look at inner publishers", kind: "signals overlap",
		file:  "operators/flat_map_scalar.go",
		old:   `m.slots.size.Load() != 0 || m.stop.Load()`,
		new:   `m.stop.Load()`,
		tests: "operators TestFlatMapScalars",
	},
	{
		name: "flatMap: the failure of an element that needed no turn is kept", kind: "lost wake-up",
		file: "operators/flat_map_main.go",
		old: `m.broken.Store(&failure)
		m.run()`,
		new:   `m.broken.Store(&failure)`,
		tests: "operators TestFlatMapDownstream|TestFlatMapScalar",
	},
	{
		name: "flatMap: nobody hears of a failure behind the cancellation", kind: "error lost",
		file:  "operators/flat_map_main.go",
		old:   `m.crashedAlone(*err)`,
		new:   `m.crashed(*err)`,
		tests: "operators TestFlatMapScalar",
	},
	{
		name: "flatMap: who serves another goroutine is used again", kind: "signals overlap",
		file:  "operators/flat_map_taken.go",
		old:   `in.done.Load() && m.by.Load() == goid.Current()`,
		new:   `in.done.Load()`,
		tests: "operators TestFlatMapServesAgain",
	},
	{
		name: "flatMap: who is used again is still ended", kind: "stale state",
		file:  "operators/flat_map_taken.go",
		old:   `in.done = atomic.Bool{}`,
		new:   ``,
		tests: "operators TestFlatMapServesAgain",
	},
	{
		name: "flatMap: who is used again still belongs to the drain", kind: "stale state",
		file:  "operators/flat_map_taken.go",
		old:   `in.pulled, in.spent = false, false`,
		new:   `in.spent = false`,
		tests: "operators TestFlatMapServesAgain",
	},
	{
		name: "flatMap: who was used again is used for two", kind: "stale state",
		file:  "operators/flat_map_taken.go",
		old:   `in.pulled, in.spent = false, false`,
		new:   `in.pulled = false`,
		tests: "operators TestFlatMapServesAgain",
	},
	{
		name: "subscribeOn: a call that is cancelled while it is scheduled is made", kind: "missing cancel",
		file:  "operators/subscribe_on_call.go",
		old:   `if s.state.Or(callPlaced)&callGone != 0 {`,
		new:   `if s.state.Or(callPlaced)&callGone != 0 && s.first.IsDisposed() {`,
		tests: "operators TestSubscribeOnCall",
	},
	{
		name: "subscribeOn: the second task is left behind", kind: "missing cancel",
		file:  "operators/subscribe_on_call.go",
		old:   `if before&callPlacedTwice != 0 {`,
		new:   `if before&callPlacedTwice != 0 && before&callRefused != 0 {`,
		tests: "operators TestSubscribeOnCall",
	},
	{
		name: "subscribeOn: a second task that comes too late is left behind", kind: "missing cancel",
		file:  "operators/subscribe_on_call.go",
		old:   `if s.state.Or(callPlacedTwice)&callGone != 0 {`,
		new:   `if s.state.Or(callPlacedTwice)&callRefused != 0 {`,
		tests: "operators TestSubscribeOnCall",
	},
	{
		name: "flatMap: an only element is sent for nothing", kind: "demand overflow",
		file:  "operators/flat_map_last.go",
		old:   `demand.Produced(&m.requested, 1)`,
		new:   `_ = demand.Produced`,
		tests: "operators TestFlatMapOfTasks|TestFlatMapDelivers",
	},
	{
		name: "flatMap: an only element goes down without demand", kind: "demand overflow",
		file:  "operators/flat_map_last.go",
		old:   `if asked == 0 || m.stop.Load() {`,
		new:   `if m.stop.Load() {`,
		tests: "operators TestFlatMapOfTasks|TestFlatMapDelivers",
	},
	{
		name: "flatMap: an element goes past the stage behind its function", kind: "wrong result",
		file:  "operators/flat_map_last.go",
		old:   `d != in {`,
		new:   `d != in && d != nil {`,
		tests: "operators TestFlatMapOfTasks|TestFlatMapTakesWhole",
	},
	{
		name: "flatMap: the end of a function that was called comes by itself", kind: "serialised",
		file: "operators/flat_map_last.go",
		old: `		up = on.call
`,
		new: `		_ = on
`,
		tests: "operators TestFlatMapTakesWhole",
	},
	{
		name: "flatMap: who has an only element keeps its slot", kind: "slot not given back",
		file: "operators/flat_map_last.go",
		old: `	m.slots.remove(in)
`,
		new:   ``,
		tests: "operators TestFlatMapOfTasks|TestFlatMapDelivers",
	},
	{
		name: "flatMap: the last only element does not end the stream", kind: "lost wake-up",
		file: "operators/flat_map_last.go",
		old: `		m.drain.Announce() // it may have been the last publisher
`,
		new:   ``,
		tests: "operators TestFlatMapOfTasks|TestFlatMapDelivers",
	},
	{
		name: "flatMap: behind an only element nothing is asked for", kind: "lost demand",
		file: "operators/flat_map_last.go",
		old: `		more = 1
`,
		new:   ``,
		tests: "operators TestFlatMapOfTasks|TestFlatMapDelivers",
	},
	{
		name: "flatMap: who has an only element makes the next one in its turn", kind: "serialised",
		file: "operators/flat_map_last.go",
		old: `	m.leave(more)
`,
		new: `	if more > 0 {
		m.up.Request(1)
		more = 0
	}
	m.leave(more)
`,
		tests: "operators TestFlatMapOfTasks|TestFlatMapDelivers",
	},
	{
		name: "flatMap: an only element that has to wait keeps its slot", kind: "slot not given back",
		file: "operators/flat_map_last.go",
		old: `	in.done.Store(true)
	in.m.full.left()
	chaos`,
		new: `	in.m.full.left()
	chaos`,
		tests: "operators TestFlatMapOfTasks|TestFlatMapDelivers",
	},
	{
		name: "flatMap: an inner publisher is asked for the same elements again", kind: "demand credited twice",
		file:  "operators/flat_map_inner.go",
		old:   "n, in.consumed = in.consumed, 0",
		new:   "n = in.consumed",
		tests: "operators TestFlatMap|TestRegressionA",
	},
	{
		name: "flatMap: a word without a mark counts as one that has some", kind: "stale index",
		file: "internal/queue/marks.go",
		old: `	if m.above != nil && m.words[w] == 0 {
		m.above.Unset(w)
	}`,
		new:   ``,
		tests: "internal/queue TestMarks",
	},
	{
		name: "flatMap: marks from before there were words of words are lost", kind: "lost wake-up",
		file:  "internal/queue/marks.go",
		old:   `first && w < len(m.words)`,
		new:   `!first && w < len(m.words)`,
		tests: "internal/queue TestMarks",
	},
	{
		name: "flatMap: queues are not discarded at the end", kind: "discard forgotten",
		file: "operators/flat_map_slots.go",
		old: `				if q := in.waiting(); q != nil {
					m.discardAll(q)
				}`,
		new:   ``,
		tests: "operators TestFlatMap|TestRegressionA",
	},
	{
		name: "A6 concatMap: the queue is forgotten when an inner publisher fails (R#2840)", kind: "queue not cleared on cancel",
		file: "operators/concat_map_inner.go",
		old: `	defer s.drain.Run(s)
	failure.InTurn(s.up.Cancel`,
		new:   `	failure.InTurn(s.up.Cancel`,
		tests: "operators TestConcatMap|TestRegressionA6",
	},
	{
		name: "concatMap: an element of Just that fails is an error of an inner publisher", kind: "error dropped silently",
		file: "operators/concat_map.go",
		old: `	if s.InFlight.Full() {
		s.inner.call.Begin()
	}
	return err`,
		new:   `	return err`,
		tests: "operators TestConcatMap",
	},
	{
		name: "concatMap: the element is lost if the request behind it ends the goroutine", kind: "element lost",
		file:  "operators/concat_map_inner.go",
		old:   `failure.Beside(s.ctx, v, func() { s.up.Request(n) })`,
		new:   `s.up.Request(n)`,
		tests: "operators TestConcatMap",
	},
	{
		name: "concatMap: a function that fails is not seen to", kind: "element lost",
		file:  "operators/concat_map.go",
		old:   `			s.fnFailed(v, failure.Recovered(recover()))`,
		new:   `			s.abort(failure.Recovered(recover()))`,
		tests: "operators TestConcatMap",
	},
	{
		name: "parallel: an element that fails is not discarded", kind: "discard forgotten",
		file:  "operators/parallel.go",
		old:   `		r.InFlight.Crash(s.ctx, r.down, false, err)`,
		new:   `		r.InFlight.Clear(); r.InFlight.Crash(s.ctx, r.down, false, err)`,
		tests: "operators TestParallel",
	},
	{
		name: "concatMap: queued elements vanish", kind: "discard forgotten",
		file: "operators/concat_map.go",
		old: `for v, ok := s.queue.Poll(); ok; v, ok = s.queue.Poll() {
		pending.Discard(s.discard, v)
	}`,
		new: `for _, ok := s.queue.Poll(); ok; _, ok = s.queue.Poll() {
	}`,
		tests: "operators TestConcatMap",
	},
	{
		name: "concatMap: the source goes on after the cancellation", kind: "cancel not propagated",
		file: "operators/concat_map.go",
		old: `	defer s.leaving.leave(s.up)
	s.cancelInner()`,
		new:   `	s.cancelInner()`,
		tests: "operators TestConcatMap",
	},
	{
		name: "concatMap: the next publisher comes before the last one is accounted for", kind: "wrong order of two stores",
		file: "operators/concat_map_inner.go",
		old: `	in.arbiter.Produced(n)
	if in.runs {`,
		new: `	defer in.arbiter.Produced(n)
	if in.runs {`,
		tests: "operators TestConcatMap",
	},
	{
		name: "concatMap: an error that is held back is forgotten", kind: "error dropped silently",
		file:  "operators/concat_map_inner.go",
		old:   "		defer s.keep(err)\n",
		new:   "",
		tests: "operators TestConcatMap",
	},
	{
		name: "A3 concat: a source is subscribed after the cancellation (R#4399)", kind: "cancel not propagated",
		file: "internal/stage/resubscribe/subscriber.go",
		old: `if s.Next(n) {
		s.Subscribe()
	}`,
		new: `s.Next(n)
	s.Subscribe()`,
		tests: "operators TestSwap|TestConcat",
	},
	{
		name: "A12 switchMap: the inner publisher survives the error of the source (X#6914)", kind: "cancel not propagated",
		file: "operators/switch_map.go",
		old: `if in != nil && !in.retire() {
			return false`,
		new: `if in != nil && !fails && !in.retire() {
			return false`,
		tests: "operators TestSwitchMap|TestRegressionA12",
	},
	{
		name: "switchMap: an element that is replaced before its turn vanishes", kind: "discard forgotten",
		file: "operators/switch_map.go",
		old: `if old, replaced := s.next.Put(v); replaced {
		pending.Discard(s.discard, old)
	}`,
		new:   "s.next.Put(v)",
		tests: "operators TestSwitchMap|TestRegressionA12",
	},
	{
		name: "switchMap: the elements of a replaced publisher are asked for again", kind: "demand credited twice",
		file:  "operators/switch_map.go",
		old:   "sent = in.sent",
		new:   "sent = 0",
		tests: "operators TestSwitchMap|TestRegressionA12",
	},
	{
		name: "exhaustMap: two inner publishers at a time", kind: "capacity off by one",
		file:  "operators/exhaust_map.go",
		old:   "concurrency: 1,",
		new:   "concurrency: 2,",
		tests: "operators TestExhaustMap",
	},
	{
		name: "exhaustMap: what there is no room for vanishes", kind: "discard forgotten",
		file:  "operators/exhaust_map.go",
		old:   "discard: reactor.DiscardHookFor[T](ctx), down: one",
		new:   "down: one",
		tests: "operators TestExhaustMap",
	},
	{
		name: "A13 mergeSequential: queues smaller than the prefetch (R#1958)", kind: "capacity off by one",
		file:  "internal/stage/merge/main.go",
		old:   "queue.NewSPSC[T](c.Prefetch)",
		new:   "queue.NewSPSC[T](max(1, c.Prefetch-1))",
		tests: "operators TestMergeComparing|TestMergeSequential|TestRegressionA13",
	},
	{
		name: "mergeComparing: the end of a source is seen before its last element", kind: "reading after instead of before",
		file: "internal/stage/merge/order.go",
		old: `ended = r.ended.Load()
	r.first, r.has = r.queue.Poll()
	return r.has, ended`,
		new: `r.first, r.has = r.queue.Poll()
	if !r.has {
		r.queue.IsEmpty()
	}
	return r.has, r.ended.Load()`,
		tests: "operators TestMergeComparing",
	},
	{
		name: "mergeComparing: of equal elements any comes first", kind: "order",
		file:  "internal/stage/merge/order.go",
		old:   "return a.index < b.index",
		new:   "return a.index > b.index",
		tests: "operators TestMergeComparing",
	},
	{
		name: "mergeComparing: a source that has ended is compared once more", kind: "order",
		file: "internal/stage/merge/order.go",
		old: `	case ended:
		o.drop()`,
		new: `	case ended:
		if len(o.heads) > 2 {
			break
		}
		o.drop()`,
		tests: "operators TestMergeComparing",
	},
	{
		name: "mergeComparing: ends with an element left", kind: "element lost",
		file:  "internal/stage/merge/order.go",
		old:   "return len(o.heads) == 1 && o.heads[0].queue.IsEmpty()",
		new:   "return len(o.heads) == 1",
		tests: "operators TestMergeComparing",
	},
	{
		name: "mergeComparing: a source is not asked for more", kind: "demand not credited",
		file: "internal/stage/merge/main.go",
		old: `if n := s.produced(r); n > 0 {
		r.link.Request(n)
	}`,
		new:   "",
		tests: "operators TestMergeComparing",
	},
	{
		name: "A14 switchOnFirst: whoever comes late waits for ever (R#2598)", kind: "terminal forgotten",
		file: "operators/switch_on_first.go",
		old: `protocol.Fail(down, err)
		return
	case a.end`,
		new: `_ = err
		down.OnSubscribe(protocol.Empty)
		return
	case a.end`,
		tests: "operators TestSwitchOnFirst|TestRegressionA14",
	},
	{
		name: "zip: sources are not asked for more", kind: "demand not credited",
		file: "operators/zipping.go",
		old: `for _, m := range z.members {
		m.refill(sent)
	}`,
		new:   "",
		tests: "operators TestZip",
	},
	{
		name: "zip: the other sources go on after the end", kind: "cancel not propagated",
		file:  "operators/zipping.go",
		old:   `failure.Persist(len(z.members), func(i int) bool { z.members[i].cancel(); return true })`,
		new:   "",
		tests: "operators TestZip",
	},
	{
		name: "A17 zip: an element without room is ignored (X#5608)", kind: "discard forgotten",
		file: "operators/zipping_source.go",
		old: `case !in.queue.Offer(v):
		in.overflow(v)
	default:`,
		new: `default:
		in.queue.Offer(v)`,
		tests: "operators TestZip",
	},
	{
		name: "zip: an element that comes first wakes nobody", kind: "lost wake-up",
		file:  "operators/zipping_source.go",
		old:   "if in.queue.Len() == 1 {",
		new:   "if in.queue.Len() == 2 {",
		tests: "operators TestZip",
	},
	{
		name: "flatMapSlice: what comes past the queue overtakes the slice that waits for demand", kind: "overtaken",
		file:  "operators/flat_map_slice.go",
		old:   "	if !s.current && s.queue.IsEmpty() {",
		new:   "	if s.queue.IsEmpty() {",
		tests: "operators PastTheQueue",
	},
	{
		name: "flatMapSlice: what has come past the queue stays there", kind: "called twice",
		file:  "operators/flat_map_slice.go",
		old:   "		s.came, s.hasCame = *new(T), false\n",
		new:   "",
		tests: "operators FlatMapSlice",
	},
	{
		name: "flatMapSlice: an element for which there is no room is lost with its turn", kind: "element lost",
		file:  "operators/flat_map_slice.go",
		old:   "		failure.InTurn(s.out.Leave, func() { s.overflow(v) }) // each may end the goroutine\n		return",
		new:   "		s.out.Leave()\n		return",
		tests: "operators FlatMapSlice",
	},
	{
		name: "concatMap: what comes past the queue does not see the publisher at work", kind: "overtaken",
		file:  "operators/concat_map_alone.go",
		old:   "	if !active && !s.done.Load() && s.queue.IsEmpty() {",
		new:   "	if _ = active; !s.done.Load() && s.queue.IsEmpty() {",
		tests: "operators ConcatMap|PastTheQueue",
	},
	{
		name: "concatMap: what comes past the queue overtakes what waits there", kind: "overtaken",
		file:  "operators/concat_map_alone.go",
		old:   "	if !active && !s.done.Load() && s.queue.IsEmpty() {",
		new:   "	if !active && !s.done.Load() {",
		tests: "operators PastTheQueue|ConcatMap",
	},
	{
		name: "concatMap: the turn is kept when a function fails below", kind: "lost wake-up",
		file:  "operators/concat_map_alone.go",
		old:   "			s.drain.Fell(s, recover())",
		new:   "			crash := recover(); s.DrainCrashed(s, failure.Recovered(crash))",
		tests: "operators ConcatMap|PastTheQueue",
	},
	{
		name: "merge: an element is sent behind an end that comes from elsewhere", kind: "missing second look",
		file:  "internal/stage/merge/main.go",
		old:   `if !s.Out.Sending() {`,
		new:   `if s.Out.Sending(); false {`,
		tests: "operators TestNothingIsSentBehind",
	},
	{
		name: "flatMapSeq: what waits in the batch is not told", kind: "discard forgotten",
		file:  "operators/flat_map_slice_ahead.go",
		old:   "if reactor.Owns[T]() {",
		new:   "if false {",
		tests: "operators TestFlatMapSeqTells",
	},
	{
		name: "flatMapSeq: the sequence of a known element has nobody who looks ahead", kind: "end too late",
		file:  "operators/flat_map_slice.go",
		old:   "seq2: seq.pairs, ahead: true}",
		new:   "seq2: seq.pairs}",
		tests: "operators TestFlatMapSeqShowsItsEnd",
	},
	{
		name: "flatMapSeq: within the request of the source each sequence has its own coroutine", kind: "allocation",
		file:  "operators/flat_map_slice.go",
		old:   "s.within.Store(true)",
		new:   "s.within.Store(false)",
		tests: "operators TestSequencesOfInterfaces|TestFlatMapSeqKeeps",
	},
	{
		name: "flatMapSeq: the coroutine stays behind the request", kind: "goroutine left",
		file:  "operators/flat_map_slice.go",
		old:   "s.within.Store(false)\n\ts.out.Run()",
		new:   "s.within.Store(false)",
		tests: "operators TestFlatMapSeqKeeps",
	},
	{
		name: "flatMapSeq: the end of an empty sequence waits for demand", kind: "end too late",
		file:  "internal/protocol/pull.go",
		old:   "if p.demand.CompareAndSwap(0, 1) { // else whoever emits would take the 1 for demand\n\t\tp.starting",
		new:   "if false {\n\t\tp.starting",
		tests: "operators TestFlatMapSeqShowsItsEnd",
	},
	{
		name: "flatMapSeq: what a known source has computed ahead is lost", kind: "discard forgotten",
		file:  "operators/from_seq.go",
		old:   "if s.ahead != nil && s.ahead.has {",
		new:   "if false {",
		tests: "operators TestFlatMapSeqShowsItsEnd",
	},
	{
		name: "window: its subscriber keeps the completion from downstream", kind: "wrong",
		file:  "operators/window.go",
		old:   "\tif !s.broken {\n\t\tdefer s.down.OnComplete() // also if the subscriber of the window ends the goroutine\n\t}\n\tif s.window != nil {\n\t\ts.window.Complete()\n\t}\n",
		new:   "\tif s.window != nil {\n\t\ts.window.Complete()\n\t}\n\tif !s.broken {\n\t\ts.down.OnComplete()\n\t}\n",
		tests: "operators TestWindowsEndThoughASubscriberEndsTheGoroutine",
	},
	{
		name: "window: its subscriber keeps the error from downstream", kind: "wrong",
		file:  "operators/window.go",
		old:   "\t\tdefer s.down.OnError(err) // also if the subscriber of the window ends the goroutine\n\t\tif s.window != nil {\n\t\t\ts.window.Error(err)\n\t\t}\n",
		new:   "\t\tif s.window != nil {\n\t\t\ts.window.Error(err)\n\t\t}\n\t\ts.down.OnError(err)\n",
		tests: "operators TestWindowsEndThoughASubscriberEndsTheGoroutine",
	},
	{
		name: "windowCut: its subscriber keeps the completion from downstream", kind: "wrong",
		file:  "operators/window_cut.go",
		old:   "\tdefer s.Out.End(nil) // also if the subscriber of the window ends the goroutine\n\tif s.window != nil {\n\t\ts.close()\n\t}\n",
		new:   "\tif s.window != nil {\n\t\ts.close()\n\t}\n\ts.Out.End(nil)\n",
		tests: "operators TestWindowsEndThoughASubscriberEndsTheGoroutine",
	},
	{
		name: "windowCut: its subscriber keeps the error from downstream", kind: "wrong",
		file:  "operators/window_cut.go",
		old:   "\t\tdefer s.Out.End(err) // also if the subscriber of the window ends the goroutine\n\t\tw.End(err)\n\t\treturn\n",
		new:   "\t\tw.End(err)\n",
		tests: "operators TestWindowsEndThoughASubscriberEndsTheGoroutine",
	},
	{
		name: "windowOverlap: a subscriber keeps the end from the other windows", kind: "wrong",
		file:  "operators/window_overlap.go",
		old:   "\tfailure.Persist(len(open), func(i int) bool {",
		new:   "\tfailure.Persist(min(len(open), 1), func(i int) bool {",
		tests: "operators TestWindowsEndThoughASubscriberEndsTheGoroutine",
	},
	{
		name: "groupBy: a timer that fails keeps the end back", kind: "wrong",
		file:  "operators/group_by_end.go",
		old:   "\tdefer m.out.End(err) // also if a function that hears of what follows ends the goroutine\n\tfailure.InTurn(m.settle, func() {",
		new:   "\tm.settle()\n\tdefer m.out.End(err) // also if a function that hears of what follows ends the goroutine\n\tfailure.InTurn(func() {",
		tests: "operators TestGroupByEndsThoughItsTimerFails",
	},
	{
		name: "groupBy: a timer that fails keeps the cancellation from the source", kind: "wrong",
		file:  "operators/group_by_debt.go",
		old:   "\tdefer m.up.Cancel() // also if a function that hears of it ends the goroutine\n\tm.settle()\n",
		new:   "\tm.settle()\n\tm.up.Cancel()\n",
		tests: "operators TestGroupByIsCancelledThoughItsTimerFails",
	},
	{
		name: "windowTimeout: a timer that fails keeps the end back", kind: "wrong",
		file:  "operators/window_timeout.go",
		old:   "\tdefer s.told(err) // also if a function that hears of what follows ends the goroutine\n\ts.timer.Dispose()\n",
		new:   "\ts.timer.Dispose()\n\ts.told(err)\n",
		tests: "operators TestWindowTimeoutEndsThoughItsTimerFails",
	},
	{
		name: "windowTimeout: a timer that fails leaves a full window open", kind: "wrong",
		file:  "operators/window_timeout.go",
		old:   "\tdefer s.close() // also if a function that hears of what follows ends the goroutine\n\ts.timer.Clear(s.index)\n",
		new:   "\ts.timer.Clear(s.index)\n\ts.close()\n",
		tests: "operators TestWindowTimeoutEndsThoughItsTimerFails",
	},
	{
		name: "windowTimeout: with fair back-pressure a timer that fails loses an element", kind: "wrong",
		file:  "operators/window_timeout_fair.go",
		old:   "\tdefer s.timer.Clear(s.index) // last",
		new:   "\ts.timer.Clear(s.index) // last",
		tests: "operators TestWindowTimeoutEndsThoughItsTimerFails",
	},
	{
		name: "windowTimeout: with fair back-pressure a timer that fails keeps the error from the window", kind: "wrong",
		file:  "operators/window_timeout_fair.go",
		old:   "\tif s.window != nil {\n\t\tdefer s.window.End(s.out.Failure()) // also if a function that hears of what follows ends the goroutine\n\t}\n\ts.timer.Dispose()\n",
		new:   "\ts.timer.Dispose()\n\tif s.window != nil {\n\t\ts.window.End(s.out.Failure())\n\t}\n",
		tests: "operators TestWindowTimeoutEndsThoughItsTimerFails",
	},
	{
		name: "windowTimeout: a timer that fails loses the last element of the last window", kind: "wrong",
		file:  "operators/window_timeout_fair.go",
		old:   "\t\tdefer s.timer.Dispose() // last",
		new:   "\t\ts.timer.Dispose() // last",
		tests: "operators TestWindowTimeoutFairLastWindowThoughItsTimerFails",
	},
	{
		name: "buffered: what fails to be released is released again", kind: "wrong",
		file:  "internal/stage/buffered/stage.go",
		old:   "released := pending.Take(&s.Released); released != nil { // once: it may fail\n",
		new:   "released := pending.Take(&s.Released); released != nil {\n\t\ts.Released = released\n",
		tests: "operators TestOnBackpressureBufferTimeoutThoughItsWorkerFails",
	},
	{
		name: "refCount: a timer that fails keeps a subscriber out", kind: "wrong",
		file:  "operators/ref_count.go",
		old:   "\t\tfailure.InTurn(func() { c.timer.Clear(left) }, func() { // the first may end the goroutine",
		new:   "\t\tc.timer.Clear(left)\n\t\tfailure.InTurn(func() {",
		tests: "operators TestRefCountThoughTheTimerOfTheGraceFails",
	},
	{
		name: "mono cache: a clock that fails keeps the outcome for ever", kind: "wrong",
		file:  "operators/mono_cache.go",
		old:   "\t\tif !failure.Guard(func() { life.until = on.Now().Add(keep) }, func(err error) { reactor.DropError(ctx, err) }) {\n\t\t\treturn\n\t\t}\n\t\tis.keep, is.life = true, life\n",
		new:   "\t\tis.keep = true\n\t\tlife.until = on.Now().Add(keep)\n\t\tis.life = life\n",
		tests: "operators TestMonoCacheWhoseClockFailsAtTheOutcome",
	},
	{
		name: "mono cache: a scheduler that fails has the element discarded", kind: "wrong",
		file:  "operators/mono_cache.go",
		old:   "\t\t\tfailure.Guard(func() {\n\t\t\t\t// Not ScheduleAfter: schedulers that run out wait for delayed tasks, and nobody waits for this one.\n",
		new:   "\t\t\tfunc(fn func(), _ func(error)) { fn() }(func() {\n\t\t\t\t// Not ScheduleAfter: schedulers that run out wait for delayed tasks, and nobody waits for this one.\n",
		tests: "operators TestMonoCacheWhoseSchedulerFailsAtTheOutcome",
	},
	{
		name: "mono cache: a clock that fails goes past the subscriber", kind: "wrong",
		file:  "operators/mono_cache.go",
		old:   "\tfailure.Guard(func() { over = !l.clock.Now().Before(l.until) }, failed)",
		new:   "\tover = !l.clock.Now().Before(l.until)",
		tests: "operators TestCachesWhoseClockFailsAtASubscription",
	},
	{
		name: "replay: a clock that fails goes past the subscriber", kind: "wrong",
		file:  "operators/replay.go",
		old:   "\tif !failure.Guard(func() { c, renewed = p.fresh() }, func(err error) { p.refuse(ctx, down, err) }) {\n\t\treturn\n\t}\n",
		new:   "\tc, renewed = p.fresh()\n",
		tests: "operators TestCachesWhoseClockFailsAtASubscription",
	},
	{
		name: "replay: behind refCount a clock that fails goes past the subscriber", kind: "wrong",
		file:  "operators/replay.go",
		old:   "\tif !failure.Guard(p.refresh, func(err error) { p.refuse(ctx, down, err) }) {\n\t\treturn\n\t}\n",
		new:   "\tp.refresh()\n",
		tests: "operators TestCachesWhoseClockFailsAtASubscription",
	},
	{
		name: "parallelGroups: what was made before the function failed is forgotten", kind: "wrong",
		file:  "operators/parallel_groups.go",
		old:   "\t\tdefer p.giveUp(ctx, rails, groups[:made]) // also if downstream ends the goroutine\n",
		new:   "\t\t_ = made\n",
		tests: "operators TestParallelGroupsWhoseFunctionFails",
	},
	{
		name: "parallelGroups: rails do not begin behind a function that has failed", kind: "wrong",
		file:  "operators/parallel_groups.go",
		old:   "\tif slices.ContainsFunc(rails, (*rail[T]).wanted) {\n",
		new:   "\tif slices.ContainsFunc(rails[:0], (*rail[T]).wanted) {\n",
		tests: "operators TestParallelGroupsWhoseFunctionFails",
	},
	{
		name: "mono create: a failure below waits for who is told of the end", kind: "wrong",
		file:  "operators/mono_create.go",
		old:   "\t\t\tdefer protocol.Crash(s.ctx, s.down, failure.Recovered(recover()), v) // also if a function of the producer ends the goroutine\n\t\t\ts.disposal.end(s.ctx, true)\n",
		new:   "\t\t\ts.disposal.end(s.ctx, true)\n\t\t\tprotocol.Crash(s.ctx, s.down, failure.Recovered(recover()), v)\n",
		tests: "operators TestMonoCreateWhoseDisposalEndsTheGoroutine",
	},
	{
		name: "usingWhen: a further element takes the place of one that is being taken out", kind: "wrong",
		file:  "operators/using_when_subscriber.go",
		old:   "\t\tif s.cleaning.Load() { // who cleans may be about to take the one before\n\t\t\treactor.Discard(s.ctx, v)\n\t\t\treturn\n\t\t}\n\t\ts.value = v\n",
		new:   "\t\ts.value = v\n",
		tests: "operators TestMonoUsingWhenSendsTooMuchWhileItIsCancelled",
	},
	{
		name: "contextWrite: a cancellation that does not return leaves the watch", kind: "wrong",
		file:  "operators/context_write.go",
		old:   "\tdefer s.stop() // also if a function that hears of it ends the goroutine\n\ts.link.Cancel()\n",
		new:   "\ts.link.Cancel()\n\ts.stop()\n",
		tests: "operators TestContextWriteIsNotWatchedBehindACancellationThatDoesNotReturn",
	},
	{
		name: "sequenceEqual: a Goexit of a source that is asked is told twice", kind: "wrong",
		file:  "operators/sequence_equal.go",
		old:   "\treturn c.asking.Active() && (c.sides[0].hasFailed() || c.sides[1].hasFailed())\n",
		new:   "\treturn false\n",
		tests: "operators TestSequenceEqualWhereASourceEndsTheGoroutineThatAsks",
	},
	{
		name: "create: the latest element is let go of behind its discarding", kind: "wrong",
		file:  "operators/sink_core.go",
		old:   "\t\ts.hasLatest = false\n\t\treactor.Discard(s.ctx, pending.Take(&s.latest))\n",
		new:   "\t\treactor.Discard(s.ctx, s.latest)\n\t\ts.latest, s.hasLatest = *new(T), false\n",
		tests: "operators TestCreateLatestWhoseDiscardingEndsTheGoroutine",
	},
	{
		name: "create: a latest element is kept behind the discarding of the one before", kind: "wrong",
		file:  "operators/sink_core.go",
		old:   "\t\tv, s.latest = s.latest, v\n\t\ts.spurn(v)\n",
		new:   "\t\ts.spurn(s.latest)\n\t\ts.latest = v\n",
		tests: "operators TestCreateLatestWhoseDiscardingEndsTheGoroutine",
	},
	{
		name: "create: what waits stays behind a failure", kind: "wrong",
		file:  "operators/sink_core.go",
		old:   "\ts.drain.Announce() // a pass discards what waits\n",
		new:   "",
		tests: "operators TestCreateLatestWhoseDiscardingEndsTheGoroutine",
	},
	{
		name: "fromFuture: a stage that cancels is taken for code of the user", kind: "wrong",
		file:  "operators/from_future.go",
		old:   "\t\ts.f.cancel() // not Cancel: a stage has called, which knows what has become of its element\n",
		new:   "\t\ts.f.Cancel()\n",
		tests: "operators TestFutureThatIsCancelledBehindAnElement",
	},
	{
		name: "flatMap: what is above is cancelled behind the discard hook", kind: "wrong",
		file:  "operators/flat_map_slots.go",
		old:   "\tdefer m.closeInners() // also if the hook, or a function that hears of the cancellation, ends the goroutine\n\tdefer m.cancelUp()\n\tif q := m.scalars.Load(); q != nil {\n\t\tm.discardAll(q)\n\t}\n",
		new:   "\tif q := m.scalars.Load(); q != nil {\n\t\tm.discardAll(q)\n\t}\n\tdefer m.closeInners()\n\tm.cancelUp()\n",
		tests: "operators TestFlatMapCancelsBehindTheDiscardHook",
	},
	{
		name: "flatMapSlice: an element is let go of behind its discarding", kind: "wrong",
		file:  "operators/flat_map_slice.go",
		old:   "\t\ts.next++ // before the hook, which may end the goroutine: then the next call goes on\n\t\ts.Discard(s.items[s.next-1])\n",
		new:   "\t\ts.Discard(s.items[s.next])\n\t\ts.next++\n",
		tests: "operators TestFlatMapSliceDiscardsTheRestOnce",
	},
	{
		name: "flatMapSeq: the sequence is ended behind the discard hook", kind: "wrong",
		file:  "operators/flat_map_seq.go",
		old:   "\tif q.kept != nil {\n\t\tdefer s.endSeq(q) // also if the hook ends the goroutine\n\t}\n\tif q.hasAhead {\n\t\ts.Discard(q.ahead)\n\t}\n",
		new:   "\tif q.hasAhead {\n\t\ts.Discard(q.ahead)\n\t}\n\tif q.kept != nil {\n\t\ts.endSeq(q)\n\t}\n",
		tests: "operators TestSequencesEndBehindTheDiscardHook",
	},
	{
		name: "concatMap: the end is told behind the discard hook", kind: "wrong",
		file:  "operators/concat_map.go",
		old:   "\tdefer func() { // also if a hook ends the goroutine\n\t\tif !s.out.End(err) && err != nil {\n\t\t\treactor.DropError(s.ctx, err)\n\t\t}\n\t}()\n\ts.release()\n",
		new:   "\ts.release()\n\tif !s.out.End(err) && err != nil {\n\t\treactor.DropError(s.ctx, err)\n\t}\n",
		tests: "operators TestConcatMapToTheBoundaryEndsBehindTheDiscardHook",
	},
	{
		name: "concatMap: the source counts as ended behind the hook for its error", kind: "wrong",
		file:  "operators/concat_map.go",
		old:   "\t\tdefer s.OnComplete() // also if the hook ends the goroutine\n\t\ts.keep(err)\n",
		new:   "\t\ts.keep(err)\n\t\ts.OnComplete()\n",
		tests: "operators TestConcatMapEndsBehindTheHookForTheErrorOfItsSource",
	},
	{
		name: "mergeComparing: an overflow is told behind the discard hook", kind: "wrong",
		file:  "internal/stage/merge/main.go",
		old:   "\t\tfunc() { s.Discard(v) },\n\t\tr.link.Cancel,\n\t\tfunc() { r.OnError(err) },\n",
		new:   "\t\tfunc() { s.Discard(v); r.link.Cancel(); r.OnError(err) },\n",
		tests: "operators TestOverflowEndsTheStreamBehindTheDiscardHook",
	},
	{
		name: "flatMapSequential: an overflow is told behind the discard hook", kind: "wrong",
		file:  "operators/flat_map_sequential_inner.go",
		old:   "func() { s.Discard(v) }, func() { in.fail(err) }, func() {",
		new:   "func() { s.Discard(v); in.fail(err) }, func() {",
		tests: "operators TestOverflowEndsTheStreamBehindTheDiscardHook",
	},
	{
		name: "flatMap: the failure behind a known element is told behind the discard hook", kind: "wrong",
		file:  "operators/flat_map.go",
		old:   "\tfailure.InTurn( // each may end the goroutine\n\t\tfunc() { reactor.Discard(ctx, v) },\n\t\tfunc() { err = reactor.OperatorError(ctx, err, v) },\n\t\tfunc() { protocol.Fail(protocol.Strict(ctx, s), err) },\n\t)\n",
		new:   "\treactor.Discard(ctx, v)\n\tprotocol.Fail(protocol.Strict(ctx, s), reactor.OperatorError(ctx, err, v))\n",
		tests: "operators TestAKnownElementFailsBehindTheDiscardHook",
	},
	{
		name: "tryFlatMapSlice: the failure of a known element is told behind the discard hook", kind: "wrong",
		file:  "operators/flat_map_slice.go",
		old:   "\tfailKnown(ctx, s, p.value, p.err)\n",
		new:   "\treactor.Discard(ctx, p.value)\n\tfailKnown(ctx, s, p.value, p.err)\n",
		tests: "operators TestAKnownElementFailsBehindTheDiscardHook",
	},
	{
		name: "flatMapSignal: the error of the source is lost", kind: "wrong",
		file:  "operators/flat_map_signal.go",
		old:   "\t\tif !called && because != nil {\n\t\t\terr = failure.Both(err, because)\n\t\t}\n",
		new:   "\t\t_ = called\n",
		tests: "operators TestFlatMapSignalWhoseFunctionForTheErrorFails",
	},
	{
		name: "concatMap: a failure of the function is told behind the hook for errors", kind: "error handling",
		file:  "operators/concat_map_inner.go",
		old:   "\t\t\tdefer func() { s.abort(err) }() // also if the hook ends the goroutine\n\t\t\terr = reactor.OperatorError(s.ctx, err, v)\n",
		new:   "\t\t\ts.abort(reactor.OperatorError(s.ctx, err, v))\n",
		tests: "operators TestErrorsEndTheStreamBehindTheirHook",
	},
	{
		name: "concatMap alone: where demand is counted", kind: "demand not kept",
		file:  "operators/concat_map_alone.go",
		old:   `!s.inner.arbiter.IsUnbounded() || !s.queue.IsEmpty()`,
		new:   `!s.queue.IsEmpty()`,
		tests: "operators ConcatMap|PastTheQueue|Regression|Alone",
	},
	{
		name: "concatMap alone: an element overtakes what waits", kind: "overtaken",
		file:  "operators/concat_map_alone.go",
		old:   `!s.inner.arbiter.IsUnbounded() || !s.queue.IsEmpty()`,
		new:   `!s.inner.arbiter.IsUnbounded()`,
		tests: "operators ConcatMap|PastTheQueue|Regression|Alone",
	},
	{
		name: "concatMap alone: an element overtakes one that the owner of the drain has taken", kind: "overtaken",
		file:  "operators/concat_map_alone.go",
		old:   `s.drain.Active() || s.refill.Left() <= 1`,
		new:   `s.refill.Left() <= 1`,
		tests: "operators ConcatMap|PastTheQueue|Regression|Alone",
	},
	{
		name: "concatMap alone: a source that sends within its request overtakes", kind: "overtaken",
		file:  "operators/concat_map_alone.go",
		old:   `s.drain.Active() || s.refill.Left() <= 1`,
		new:   `s.drain.Active()`,
		tests: "operators ConcatMap|PastTheQueue|Regression|Alone",
	},
	{
		name: "concatMap alone: the publisher at work is not seen", kind: "overtaken",
		file:  "operators/concat_map_alone.go",
		old:   `return !s.active.Load() && !s.done.Load() && !s.stop.Load()`,
		new:   `return !s.done.Load() && !s.stop.Load()`,
		tests: "operators ConcatMap|PastTheQueue|Regression|Alone",
	},
	{
		name: "concatMap alone: an element comes behind an error that is held back", kind: "signal after end",
		file:  "operators/concat_map_alone.go",
		old:   `return !s.active.Load() && !s.done.Load() && !s.stop.Load()`,
		new:   `return !s.active.Load() && !s.stop.Load()`,
		tests: "operators ConcatMap|PastTheQueue|Regression|Alone",
	},
	{
		name: "concatMap alone: an element that comes behind the cancellation", kind: "signal after cancellation",
		file:  "operators/concat_map_alone.go",
		old:   `return !s.active.Load() && !s.done.Load() && !s.stop.Load()`,
		new:   `return !s.active.Load() && !s.done.Load()`,
		tests: "operators ConcatMap|PastTheQueue|Regression|Alone",
	},
	{
		name: "concatMap alone: what is taken is not counted", kind: "demand lost",
		file: "operators/concat_map_alone.go",
		old: `	s.refill.Consumed(1) // and nothing to ask for
`,
		new:   ``,
		tests: "operators ConcatMap|PastTheQueue|Regression|Alone",
	},
	{
		name: "concatMap alone: a cancellation within the function is not seen", kind: "signal after cancellation",
		file: "operators/concat_map_alone.go",
		old: `	case s.stop.Load():
`,
		new: `	case false:
`,
		tests: "operators ConcatMapAlone|PastTheDrain",
	},
	{
		name: "concatMap alone: a failure of the function is one of what is below", kind: "error handling",
		file: "operators/concat_map_alone.go",
		old: `	if called {
`,
		new: `	if true {
`,
		tests: "operators ConcatMapAlone|PastTheDrain",
	},
	{
		name: "concatMap alone: a failure below is one of the function", kind: "error handling",
		file: "operators/concat_map_alone.go",
		old: `	called = true
`,
		new:   ``,
		tests: "operators ConcatMapAlone|PastTheDrain",
	},
	{
		name: "concatMap: who drains does not look again whether a publisher is at work", kind: "overtaken",
		file:  "operators/concat_map_alone.go",
		old:   `	return s.active.Load()`,
		new:   `	return false`,
		tests: "operators TestConcatMapAloneIsSeen",
	},
	{
		name: "flatMap: an end amid elements that wait keeps the one before", kind: "kept behind the end",
		file: "operators/flat_map_main.go",
		old: `			m.InFlight.Clear() // of what was sent before
`,
		new:   ``,
		tests: "operators TestFlatMapEndsWithout",
	},
	{
		name: "flatMapSeq: a sequence that panics keeps the element before", kind: "kept behind the end",
		file: "operators/flat_map_slice.go",
		old: `	s.InFlight.Clear() // of what a sequence has sent before
`,
		new:   ``,
		tests: "operators TestFlatMapSeqEndsWithout",
	},
	{
		name: "flatMapSignal: the error that a function has taken is kept", kind: "kept behind the end",
		file: "operators/flat_map_signal.go",
		old: `		e.fn, e.err = nil, nil // nothing of the error hangs on a subscription that somebody keeps
`,
		new:   ``,
		tests: "operators TestMoreEndsLetGo",
	},
}
