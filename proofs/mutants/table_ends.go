package main

// ends breaks who hears of an end, when, and what has to come before it.
var ends = []mutation{
	{
		name: "usingWhen: the resource is released behind the discard hook", kind: "resource not released",
		file:  "operators/using_when_subscriber.go",
		old:   "\tdefer s.clean(func() reactor.Publisher[C] { return s.p.cleanup.Cancel(",
		new:   "\ts.discardValue()\n\ts.clean(func() reactor.Publisher[C] { return s.p.cleanup.Cancel(",
		tests: "operators TestMonoUsingWhenGoexitInTheDiscard",
	},
	{
		name: "delayElement: its timer is stopped behind the discard hook", kind: "timer not stopped",
		file:  "operators/delay_element.go",
		old:   "\tdefer s.timer.Dispose()\n\tif old == hopReady {\n\t\treactor.Discard(s.Ctx, s.value)\n\t}",
		new:   "\tif old == hopReady {\n\t\treactor.Discard(s.Ctx, s.value)\n\t}\n\ts.timer.Dispose()",
		tests: "operators TestMonoDelayElementGoexitInTheDiscard",
	},
	{
		name: "create: the sink of one element keeps what was discarded", kind: "state not cleared",
		file:  "operators/mono_create.go",
		old:   "reactor.Discard(s.ctx, pending.Take(&s.value)) // the producer may keep its sink",
		new:   "reactor.Discard(s.ctx, s.value)",
		tests: "operators TestMonoCreateLetsGo",
	},
	{
		name: "create: the sink of one element is disposed behind the discard hook", kind: "resource not released",
		file:  "operators/mono_create.go",
		old:   "\tdefer s.disposal.end(s.ctx, true) // also if the discard hook ends the goroutine\n\tif old&monoValue != 0 {",
		new:   "\tif old&monoValue == 0 {\n\t\ts.disposal.end(s.ctx, true)\n\t}\n\tif old&monoValue != 0 {",
		tests: "operators TestMonoCreateGoexitInTheDiscard",
	},
	{
		name: "cache: who waits is told behind the hooks of its scheduler", kind: "end lost",
		file:  "operators/mono_shared.go",
		old:   "\t\tr.tellAll(is, entry, waiting)\n\t}()\n\tif entry != nil && is.kept != nil {\n\t\tis.kept(entry)\n\t}",
		new:   "\t}()\n\tif entry != nil && is.kept != nil {\n\t\tis.kept(entry)\n\t}\n\tr.tellAll(is, entry, waiting)",
		tests: "operators TestMonoCacheGoexitInTheScheduling",
	},
	{
		name: "refCount: a grace that was not planned does not end", kind: "cancel not propagated",
		file:  "operators/ref_count.go",
		old:   "\t\tif !planned { // also if a hook of the scheduler ends the goroutine",
		new:   "\t\tif false && !planned {",
		tests: "operators TestRefCountGoexitInTheScheduling",
	},
	{
		name: "replay: a slow subscriber keeps what it has got", kind: "leak",
		file:  "internal/multicast/replay.go",
		old:   "\t\th.Leave(&p.cursor) // who asks for nothing keeps nothing of what it has got\n",
		new:   "",
		tests: "operators TestReplayLetsGoOfWhatASlow",
	},
	{
		name: "generate: what was sent is kept", kind: "leak",
		file:  "operators/generate.go",
		old:   "\ts.sink.value = *new(T) // the next request may be long in coming\n",
		new:   "",
		tests: "operators TestGenerateLetsGo",
	},
	{
		name: "using: a resource that was released is kept", kind: "leak",
		file:  "operators/using.go",
		old:   "resource := pending.Take(&s.resource)",
		new:   "resource := s.resource\n\tpending.Take(new(int))",
		tests: "operators TestUsingLetsGo",
	},
	{
		name: "usingWhen: a resource that was cleaned is kept", kind: "leak",
		file:  "operators/using_when_subscriber.go",
		old:   "s.p.cleanup.Complete(pending.Take(&s.resource))",
		new:   "s.p.cleanup.Complete(s.resource)",
		tests: "operators TestUsingLetsGo",
	},
	{
		name: "withLatestFrom: the latest element is kept behind the end", kind: "leak",
		file:  "operators/with_latest_from.go",
		old:   "\ts.latest = *new(U)\n\ts.drop()",
		new:   "\ts.drop()",
		tests: "operators TestEndsLetGo",
	},
	{
		name: "expand: what waits is kept behind a failure", kind: "leak",
		file:  "operators/expand.go",
		old:   "\ts.waiting = nil // somebody may keep the subscription\n",
		new:   "",
		tests: "operators TestEndsLetGo",
	},
	{
		name: "all: the loop waits for ever if a Goexit meets the cancellation", kind: "Goexit not handled",
		file:  "operators/all.go",
		old:   "defer s.cutOff(reactor.NonNil(context.Cause(s.ctx))) // even if who hears of the cancellation ends the goroutine\n\ts.link.Cancel()",
		new:   "s.link.Cancel()\n\ts.cutOff(reactor.NonNil(context.Cause(s.ctx)))",
		tests: "operators TestAllOfASourceThatEndsTheGoroutine",
	},
	{
		name: "error filters: what has ended the goroutine ends the stream only if it returns", kind: "Goexit not handled",
		file: "operators/error_filter.go",
		old: `	if !failure.Guard(func() { ok = f(err) }, func(broken error) { refused(whileHandling(ctx, broken, err)) }) {
		return false
	}`,
		new: `	if !failure.Guard(func() { ok = f(err) }, func(broken error) { err = whileHandling(ctx, broken, err) }) {
		refused(err)
		return false
	}`,
		tests: "operators TestGoexitInAFunctionForErrors",
	},
	{
		name: "retryWhen: a Goexit of the function for the delay ends nothing", kind: "Goexit not handled",
		file: "operators/retry_spec.go",
		old: `		func(broken error) { fail(whileHandling(ctx, broken, failed)) },
	) {
		return 0, false`,
		new: `		func(broken error) { failed = whileHandling(ctx, broken, failed) },
	) {
		fail(failed)
		return 0, false`,
		tests: "operators TestGoexitInAFunctionForErrors",
	},
	{
		name: "repeatWhen: the spread of a delay is larger than that", kind: "bound not kept",
		file:  "operators/repeat_spec.go",
		old:   "spread = min(spread, int64(r.fixed))",
		new:   "_ = spread",
		tests: "operators TestRepeatDelayThatIsRoundedUp",
	},
	{
		name: "bufferWhen: a buffer that was sent is kept", kind: "leak",
		file:  "operators/buffer_when.go",
		old:   "b.items = nil // what",
		new:   "_ = b.items // what",
		tests: "operators TestBufferWhenLetsGo",
	},
	{
		name: "retryWhen: a companion keeps what it has told", kind: "leak",
		file:  "internal/stage/companion/companion.go",
		old:   "clear(f.pending[:1])",
		new:   "_ = f.pending",
		tests: "operators TestRetryLetsGo",
	},
	{
		name: "retryWhen: a step that was made is kept", kind: "leak",
		file:  "operators/backoff.go",
		old:   "b.steps[0] = backoffStep{}",
		new:   "_ = b.steps",
		tests: "operators TestRetryLetsGo",
	},
	{
		name: "repeatWhen: a Goexit of the condition ends nothing", kind: "Goexit not handled",
		file: "operators/repeat_spec.go",
		old: `	if r.condition != nil && !failure.Guard(
		func() { again = r.condition(s) },
		func(broken error) { end(reactor.OperatorError(ctx, broken, nil)) },
	) {
		return false
	}
	var err error
	if again`,
		new: `	var err error
	if r.condition != nil && !failure.Guard(
		func() { again = r.condition(s) },
		func(broken error) { err = reactor.OperatorError(ctx, broken, nil) },
	) {
		end(err)
		return false
	}
	if again`,
		tests: "operators TestGoexitInAFunctionForErrors",
	},
	{
		name: "NewSubscriber: a Goexit of OnComplete keeps Finally", kind: "Goexit not handled",
		file: "operators/base_subscriber.go",
		old: `		defer s.finally(reactor.KindComplete)
		if fn := s.hooks.OnComplete; fn != nil {
			runLate(s.ctx, fn)
		}`,
		new: `		if fn := s.hooks.OnComplete; fn != nil {
			runLate(s.ctx, fn)
		}
		s.finally(reactor.KindComplete)`,
		tests: "operators TestGoexitAtASubscriber",
	},
	{
		name: "SubscribeFunc: a Goexit that meets its Dispose keeps the watch over the context", kind: "Goexit not handled",
		file: "operators/subscribe_func.go",
		old: `	defer s.unwatch()
	defer s.withdraw()
`,
		new: `	defer s.withdraw()
`,
		tests: "operators TestGoexitAtASubscriber",
	},
	{
		name: "sink: a Goexit in one function for its end keeps the others", kind: "Goexit not handled",
		file: "operators/sink_disposal.go",
		old:  `	failure.Persist(len(due), func(i int) bool { runLate(ctx, due[i]); return true })`,
		new: `	for _, fn := range due {
		runLate(ctx, fn)
	}`,
		tests: "operators TestGoexitAtASubscriber",
	},
	{
		name: "edge: the end of the context is not told if a Goexit meets the cancellation", kind: "Goexit not handled",
		file: "internal/protocol/strict.go",
		old: `	s.link.CancelAnd(func() {
		s.guarded(func() bool { return s.out.End(reactor.NonNil(context.Cause(s.ctx))) })
	})`,
		new: `	if s.link.CancelOnce() {
		s.guarded(func() bool { return s.out.End(reactor.NonNil(context.Cause(s.ctx))) })
	}`,
		tests: "operators TestGoexitAtTheEnd",
	},
	{
		name: "doFinally: is not run if downstream ends the goroutine", kind: "Goexit not handled",
		file: "operators/peek.go",
		old: `	defer s.ended(reactor.KindComplete) // also if downstream ends the goroutine
	s.down.OnComplete()`,
		new: `	s.down.OnComplete()
	s.ended(reactor.KindComplete)`,
		tests: "operators TestGoexitAtTheEnd",
	},
	{
		name: "skipLast: discards nothing if downstream ends the goroutine", kind: "Goexit not handled",
		file: "operators/skip_last.go",
		old: `	defer s.pending.End() // also if downstream ends the goroutine
	s.Link.OnComplete()`,
		new: `	s.Link.OnComplete()
	s.pending.End()`,
		tests: "operators TestGoexitAtTheEnd",
	},
	{
		name: "concatMap: a panic is not told if a Goexit meets the cancellation", kind: "Goexit not handled",
		file: "operators/concat_map_inner.go",
		old: `	failure.InTurn(s.up.Cancel, func() { // which may end the goroutine
		if unheard := s.out.SourceEnd(err); unheard != nil {
			reactor.DropError(s.ctx, unheard)
		}
	})`,
		new: `	s.up.Cancel()
	if unheard := s.out.SourceEnd(err); unheard != nil {
		reactor.DropError(s.ctx, unheard)
	}`,
		tests: "operators TestGoexitAtTheEnd",
	},
	{
		name: "two upstreams: a Goexit that meets the cancellation of one keeps the other", kind: "Goexit not handled",
		file: "internal/stage/paired/stage.go",
		old: `	defer u.Other.Dispose() // also if a function that hears of the first ends the goroutine
	u.Link.Cancel()`,
		new: `	u.Link.Cancel()
	u.Other.Dispose()`,
		tests: "operators TestGoexitAtTheEnd",
	},
	{
		name: "zip: the only row is lost if a Goexit meets the cancellation", kind: "Goexit not handled",
		file:  "operators/zipping_source.go",
		old:   `failure.InTurn(in.link.Cancel, z.out.Run)`,
		new:   `in.link.Cancel(); z.out.Run()`,
		tests: "proofs/stages TestGoexitInTheCancellationOfASource",
	},
	{
		name: "hasElements: the outcome is lost if a Goexit meets the cancellation", kind: "Goexit not handled",
		file: "operators/match.go",
		old: `	failure.InTurn(
		s.Up.Cancel, // first: a source of windows would send the next one for one that is told`,
		new: `	s.Up.Cancel()
	failure.InTurn(`,
		tests: "proofs/stages TestGoexitInTheCancellationOfASource",
	},
	{
		name: "switchOnFirst: the source goes on if a Goexit meets the cancellation of the publisher in its place", kind: "Goexit not handled",
		file: "operators/switch_on_first_result.go",
		old:  `r.link.CancelAnd(r.stage.close)`,
		new: `if r.link.CancelOnce() {
		r.stage.close()
	}`,
		tests: "operators TestSwitchOnFirst",
	},
	{
		name: "timeout: the source goes on if downstream ends the goroutine that hears of a refusal", kind: "Goexit not handled",
		file: "operators/timeout.go",
		old:  `		defer s.link.Set(up) // also if downstream ends the goroutine when it hears that there is no limit: up is cancelled then`,
		new: `		defer func() {
			if s.index.Load() != timeoutOver {
				s.link.Set(up)
			}
		}()`,
		tests: "operators TestTimeoutRejected",
	},
	{
		name: "timeout: is not told if a Goexit meets the cancellation", kind: "Goexit not handled",
		file: "operators/timeout.go",
		old:  `	failure.InTurn(s.limit.Dispose, s.link.Cancel, func() { // either`,
		new: `	s.limit.Dispose()
	s.link.Cancel()
	failure.InTurn(func() { // either`,
		tests: "proofs/stages TestGoexitInTheCancellationOfASource",
	},
	{
		name: "firstWithValue: the element that has won is lost if a Goexit meets the cancellation", kind: "Goexit not handled",
		file:  "operators/first_with_signal.go",
		old:   `failure.Beside(s.race.ctx, v, func() { s.race.win(s) })`,
		new:   `s.race.win(s)`,
		tests: "proofs/stages TestGoexitInTheCancellationOfAnother",
	},
	{
		name: "timeout: completion is not told if a Goexit meets the end of the limit", kind: "Goexit not handled",
		file: "operators/timeout.go",
		old: `		defer s.down.OnComplete() // also if a function that hears of what follows ends the goroutine
		s.limit.Dispose()`,
		new: `		s.limit.Dispose()
		s.down.OnComplete()`,
		tests: "proofs/stages TestGoexitInTheCancellationOfAnother",
	},
	{
		name: "until: completion is not told if a Goexit meets the cancellation of the other", kind: "Goexit not handled",
		file: "internal/stage/paired/until.go",
		old: `	case live || err != nil && s.Out.Falling():
		defer s.sourceEnded(err)`,
		new: `	case live || err != nil && s.Out.Falling():
		s.Other.Dispose()
		s.sourceEnded(err)`,
		tests: "proofs/stages TestGoexitInTheCancellationOfAnother",
	},
	{
		name: "concatMap: keeps what waits if a Goexit meets the cancellation of the inner publisher", kind: "Goexit not handled",
		file: "operators/concat_map.go",
		old: `	defer s.drain.Run(s)
	defer s.leaving.leave(s.up)
	s.cancelInner()`,
		new: `	s.cancelInner()
	s.leaving.leave(s.up)
	s.drain.Run(s)`,
		tests: "proofs/stages TestGoexitInTheCancellationOfAnother",
	},
	{
		name: "outlet: a failure is not told if a Goexit meets the cancellation", kind: "Goexit not handled",
		file: "internal/protocol/outlet.go",
		old: `	defer crashedWith(o.ctx, o.down, o.over(), v, full, err) // also if a function that fell calls ends the goroutine
	o.fell()`,
		new: `	over := o.over()
	o.fell()
	crashedWith(o.ctx, o.down, over, v, full, err)`,
		tests: "proofs/stages TestGoexitInTheCancellationOfAnother",
	},
	{
		name: "join: the publishers of other elements go on if a Goexit meets one's cancellation", kind: "Goexit not handled",
		file: "operators/join_stage.go",
		old: `	defer failure.Persist(math.MaxInt, func(int) bool { return c.releaseRight() })
	failure.Persist(math.MaxInt, func(int) bool { return c.releaseLeft(err) })`,
		new: `	for c.releaseLeft(err) && math.MaxInt > 0 {
	}
	for c.releaseRight() {
	}`,
		tests: "proofs/stages TestGoexitInTheCancellationOfAnother",
	},
	{
		name: "filterWhen: the element is lost if a Goexit meets the subscription to its test", kind: "Goexit not handled",
		file:  "operators/filter_when.go",
		old:   `failure.Beside(s.out.Context(), s.InFlight.Element(), func() { p.Subscribe(s.out.Context(), t) })`,
		new:   `p.Subscribe(s.out.Context(), t)`,
		tests: "proofs/stages TestGoexitInTheCancellationOfAnother",
	},
	{
		name: "until: the source goes on if downstream ends the goroutine that subscribes", kind: "Goexit not handled",
		file: "internal/stage/paired/until.go",
		old: `	defer s.Link.Set(up)
	defer s.Out.Release()
	s.Out.Down.OnSubscribe(s)`,
		new: `	s.Out.Down.OnSubscribe(s)
	s.Out.Release()
	s.Link.Set(up)`,
		tests: "proofs/stages TestGoexitWhileSubscribed",
	},
	{
		name: "timeout: the source goes on if downstream ends the goroutine that subscribes", kind: "Goexit not handled",
		file: "operators/timeout.go",
		old: `	defer s.begin(up) // also if downstream ends the goroutine
	s.down.OnSubscribe(s)`,
		new: `	s.down.OnSubscribe(s)
	s.begin(up)`,
		tests: "proofs/stages TestGoexitWhileSubscribed",
	},
	{
		name: "skipLast: keeps what it holds if a Goexit meets the cancellation", kind: "Goexit not handled",
		file: "operators/skip_last.go",
		old: `	defer s.pending.Close() // also if a function that hears of it ends the goroutine
	s.Up.Cancel()`,
		new: `	s.Up.Cancel()
	s.pending.Close()`,
		tests: "proofs/stages TestGoexitInTheCancellationOfASource",
	},
	{
		name: "half: an end takes the place of the failure that comes before it", kind: "element lost",
		file:  "internal/protocol/half.go",
		old:   `replaced := h.end.Swap(endWith(err)); replaced != nil {`,
		new:   `replaced := h.end.Load(); !h.end.CompareAndSwap(nil, endWith(err)) {`,
		tests: "internal/protocol TestHalf , proofs/stages TestBooksOfFailuresAfterAnEnd/takeFor",
	},
	{
		name: "switchMap: a failure below is not told after a cancellation", kind: "element lost",
		file:  "operators/switch_map.go",
		old:   `}, func() { s.down.OnError(err) })`,
		new:   `}, func() { _ = stopped || func() bool { s.down.OnError(err); return true }() })`,
		tests: "proofs/stages TestBooksOfFailuresAfterAnEnd/switchMap",
	},
	{
		name: "switchOnFirst: a failure below is not told after a cancellation", kind: "element lost",
		file:  "operators/switch_on_first_result.go",
		old:   `if !r.link.Close() && !r.call.Failed() {`,
		new:   `if !r.link.Close() {`,
		tests: "proofs/stages TestBooksOfFailuresAfterAnEnd/switchOnFirst",
	},
	{
		name: "timeout: a failure below is not told after a cancellation", kind: "element lost",
		file:  "operators/timeout.go",
		old:   `== timeoutOver && !falling {`,
		new:   `== timeoutOver && !(falling && false) {`,
		tests: "proofs/stages TestBooksOfFailuresAfterAnEnd/timeout",
	},
	{
		name: "locks: a failure below is not told after a cancellation", kind: "element lost",
		file:  "keylock/lock.go",
		old:   `	case l.out.Calling():`,
		new:   `	case false:`,
		tests: "keylock TestD26",
	},
	{
		name: "firstWithValue: a source that ends the goroutine keeps the request from the others", kind: "Goexit not handled",
		file: "operators/first_with_signal.go",
		old:  `failure.Persist(len(f.inners), func(i int) bool { f.inners[i].up.Request(n); return true })`,
		new: `for i := range f.inners {
		f.inners[i].up.Request(n)
	}`,
		tests: "operators TestGoexitAmongSeveral",
	},
	{
		name: "firstWithValue, firstWithSignal: a loser that ends the goroutine keeps the cancellation from the others", kind: "Goexit not handled",
		file: "operators/first_with_signal.go",
		old:  `failure.Persist(len(f.inners), func(i int) bool { // a function`,
		new: `func(n int, fn func(int) bool) {
		for i := range n {
			fn(i)
		}
	}(len(f.inners), func(i int) bool { // a function`,
		tests: "operators TestGoexitAmongSeveral",
	},
	{
		name: "firstWithSignal: a winner whose cancellations end the goroutine has not won", kind: "Goexit not handled",
		file: "operators/first_with_signal.go",
		old: `	w.won = true
	for i`,
		new:   `	for i`,
		tests: "operators TestGoexitAmongSeveral",
	},
	{
		name: "sequenceEqual: a side whose cancellation ends the goroutine keeps the other", kind: "Goexit not handled",
		file: "operators/sequence_equal.go",
		old:  `failure.InTurn(c.sides[0].up.Cancel, c.sides[1].up.Cancel, func() {`,
		new: `c.sides[0].up.Cancel()
	failure.InTurn(c.sides[1].up.Cancel, func() {`,
		tests: "operators TestGoexitAmongSeveral",
	},
	{
		name: "share: a subscriber that ends the goroutine keeps the element from the others", kind: "Goexit not handled",
		file: "operators/mono_shared.go",
		old:  `failure.Persist(len(waiting)+2, func(i int) bool {`,
		new: `func(n int, fn func(int) bool) {
		for i := range n {
			fn(i)
		}
	}(len(waiting)+2, func(i int) bool {`,
		tests: "operators TestGoexitAmongSeveral",
	},
	{
		name: "bufferWhen: what closes one buffer ends the goroutine, and the others are discarded twice", kind: "discarded twice",
		file: "operators/buffer_when.go",
		old: `	disposeAll(open)
	for e`,
		new: `	for _, b := range open {
		s.open.Add(b)
	}
	disposeAll(open)
	s.open.Take()
	for e`,
		tests: "operators TestGoexitAmongSeveral",
	},
	{
		name: "windowWhen: a window whose end ends the goroutine keeps the others open", kind: "Goexit not handled",
		file: "operators/window_when.go",
		old:  `}, func() { then(windows) })`,
		new: `})
	then(windows)`,
		tests: "operators TestGoexitAmongSeveral",
	},
	{
		name: "pull: a source that has ended ends again when the goroutine does", kind: "double terminal",
		file:  "internal/protocol/pull.go",
		old:   `if err != nil && (!p.ended || !failure.IsReported(err)) {`,
		new:   `if !p.ended || err != nil {`,
		tests: "operators TestGoexitBelowTheEnd",
	},
	{
		name: "fromChan: it ends again when the goroutine does", kind: "double terminal",
		file:  "operators/from_chan.go",
		old:   `!s.InFlight.Full() && failure.IsReported(err), err)`,
		new:   `false, err)`,
		tests: "operators TestGoexitBelowTheEnd",
	},
	{
		name: "fromSlice: the last element is discarded if the end fails", kind: "delivered and discarded",
		file:  "operators/from_slice.go",
		old:   `if s.loop.Ended() {`,
		new:   `if false {`,
		tests: "operators TestFailureAtTheEnd",
	},
	{
		name: "range: the last element is discarded if the end fails", kind: "delivered and discarded",
		file:  "operators/range.go",
		old:   `if s.loop.Ended() {`,
		new:   `if false {`,
		tests: "operators TestFailureAtTheEnd",
	},
	{
		name: "task outlet: a refusal is not told if a Goexit meets the cancellation", kind: "Goexit not handled",
		file: "internal/protocol/task_outlet.go",
		old:  `failure.InTurn(o.stop, o.release, o.DropFailures, func() { o.down.OnError(o.flow.(TaskFlow).Rejected(err)) })`,
		new: `o.stop()
	o.release()
	o.DropFailures()
	o.down.OnError(o.flow.(TaskFlow).Rejected(err))`,
		tests: "operators TestGoexitWhenASchedulerRefuses",
	},
	{
		name: "delayElement: a refusal is not told if a Goexit meets the cancellation", kind: "Goexit not handled",
		file: "operators/delay_element.go",
		old:  `failure.InTurn(s.Up.Cancel, func() { // which may end the goroutine`,
		new: `s.Up.Cancel()
		failure.InTurn(func() {`,
		tests: "operators TestGoexitWhenASchedulerRefuses",
	},
	{
		name: "bufferTimeout: a refused timer leaves the drain taken if a Goexit meets the cancellation", kind: "Goexit not handled",
		file: "internal/stage/batch/stage.go",
		old: `	defer s.Out.Leave()
	if s.add(v) {
		s.Out.Run()
	}`,
		new: `	if s.add(v) {
		s.Out.Run()
	}
	s.Out.Leave()`,
		tests: "operators TestGoexitWhenASchedulerRefuses",
	},
	{
		name: "fair windowTimeout: a window that is replaced is not settled if the next one fails", kind: "element lost",
		file: "operators/window_timeout_fair.go",
		old: `		defer s.Crash(&s.out, err)
		settle()`,
		new:   `		s.Crash(&s.out, err)`,
		tests: "operators TestWindowTimeoutFair",
	},
	{
		name: "fair windowTimeout: a window that has failed on its way down gets no elements", kind: "request lost",
		file:  "operators/window_timeout_fair.go",
		old:   "s.behind.add(s.of.size)\n\t\ts.open()",
		new:   "s.open()\n\t\ts.behind.add(s.of.size)",
		tests: "operators TestWindowOutlivesAFailureBelow",
	},
	{
		name: "windowTimeout: a window that has failed on its way down has no timer", kind: "end lost",
		file:  "operators/window_timeout.go",
		old:   "defer s.start() // also if the window fails on its way down: it goes on",
		new:   "s.start()",
		tests: "operators TestWindow",
	},
	{
		name: "windowWhen: nothing closes a window that has failed on its way down", kind: "end lost",
		file:  "operators/window_when.go",
		old:   "defer s.closeFor(u, w) // also if it fails on its way down: it goes on\n\tfailure.Guard(func() { s.Emit(s.Wrap(w)) }, func(err error) { s.Crash(&s.Out, err) })",
		new:   "failure.Guard(func() { s.Emit(s.Wrap(w)) }, func(err error) { s.Crash(&s.Out, err) })\n\ts.closeFor(u, w)",
		tests: "operators TestWindowWhenThatFails",
	},
	{
		name: "window: the stream of windows that has failed below hears of the source's end", kind: "second end",
		file:  "operators/window.go",
		old:   "s.broken = true",
		new:   "s.broken = false",
		tests: "operators TestWindowErrorAfterAFailureBelow",
	},
	{
		name: "all: the loop is over before the source has heard of the end of the context", kind: "cancel not awaited",
		file:  "operators/all.go",
		old:   "s.telling.Wait() // the loop is over when the source has been told, whoever does that",
		new:   "",
		tests: "operators TestAllIsLeftWhenTheEndOfTheContextHasReachedTheSource",
	},
	{
		name: "all: a source that has ended is cancelled", kind: "cancelled after the end",
		file:  "operators/all.go",
		old:   "s.link.Close() // what has ended is not to be cancelled, however long the loop is at what was queued",
		new:   "",
		tests: "operators TestAllLeavesASourceAloneThatHasEnded",
	},
	{
		name: "a Goexit is a new one for each guard", kind: "discarded twice",
		file:  "internal/failure/goexit.go",
		old:   `if n <= before.nested {`,
		new:   `if n < before.nested {`,
		tests: "proofs/stages TestGoexitOfFunctions , internal/failure Goexit",
	},
	{
		name: "flatMapSignal: a panic of onNext is taken for an error of the source", kind: "own failure handled",
		file:  "operators/flat_map_signal.go",
		old:   `s.next.Active() || s.main.done.Load()`,
		new:   `s.main.done.Load()`,
		tests: "operators TestFlatMapSignal",
	},
	{
		name: "concatMap one by one: an error overtakes the element before it", kind: "error overtakes",
		file:  "operators/concat_map_late.go",
		old:   `	if !l.untaken.Load() {`,
		new:   `	if l.untaken.Load() || true {`,
		tests: "operators TestConcatMap",
	},
	{
		name: "concatMap one by one: an error that waits is lost with a cancellation", kind: "error lost",
		file:  "operators/concat_map.go",
		old:   `	if err := s.late.take(); err != nil {`,
		new:   `	if err := s.late.take(); false {`,
		tests: "operators TestConcatMap",
	},
	{
		name: "delayUntil: an error overtakes the element before it", kind: "error overtakes",
		file:  "operators/delay_until.go",
		old:   `return s.failing.Load() && !s.due()`,
		new:   `return s.failing.Load()`,
		tests: "operators TestDelayUntil",
	},
	{
		name: "generate: the error of a step comes before the clean-up", kind: "clean-up too late",
		file: "operators/generate.go",
		old: `	}()
	s.Release()`,
		new:   `	}()`,
		tests: "operators TestGenerate",
	},
	{
		name: "sequenceEqual: the end of both sides is waited for", kind: "hang",
		file:  "operators/sequence_equal.go",
		old:   `(xDone && yDone || !c.verbatim)`,
		new:   `(xDone && yDone)`,
		tests: "operators TestSequenceEqual",
	},
	{
		name: "sequenceEqual: a side that has ended is cancelled", kind: "cancelled after the end",
		file:  "operators/sequence_equal.go",
		old:   `	return s.up.Close()`,
		new:   `	return !s.up.IsCancelled()`,
		tests: "operators TestSequenceEqual",
	},
	{
		name: "delaySequence: upstream is asked from within OnNext of the subscriber", kind: "goroutine lent",
		file:  "operators/delay_sequence.go",
		old:   `s.out.BeginWith(s)`,
		new:   `s.out.BeginWith(up)`,
		tests: "proofs/stages TestGoexitAboveIsTold",
	},
	{
		name: "arbiter: an upstream that has ended is cancelled", kind: "cancelled after the end",
		file:  "internal/protocol/arbiter.go",
		old:   `	if a.ended && !a.ToTheEnded {`,
		new:   `	if a.ended && a.ToTheEnded {`,
		tests: "internal/protocol Arbiter , operators TestOutcomesOfRounds",
	},
	{
		name: "arbiter: the upstream after one that has ended is not cancelled", kind: "cancel not propagated",
		file:  "internal/protocol/arbiter.go",
		old:   `a.current, a.ended = up, false`,
		new:   `a.current = up`,
		tests: "internal/protocol Arbiter",
	},
	{
		name: "firstWithValue: sources that have all lost are cancelled", kind: "cancelled after the end",
		file:  "operators/first_with_value.go",
		old:   `f.winner.CompareAndSwap(nil, &f.nobody)`,
		new:   `f.win(&f.nobody)`,
		tests: "operators TestOutcomesOfRounds",
	},
	{
		name: "switchMap queued: a source that has failed is cancelled", kind: "cancelled after the end",
		file:  "operators/switch_map_queued.go",
		old:   `if !s.out.Done() && !s.upEnded.Load() {`,
		new:   `if true {`,
		tests: "operators TestOutcomesOfRounds",
	},
	{
		name: "windowTimeout to the letter: a full window leaves a cancelled source running", kind: "upstream not cancelled",
		file:  "operators/window_timeout.go",
		old:   `if s.of.verbatim { // and`,
		new:   `if s.of.verbatim && s.count < s.of.size { // and`,
		tests: "operators TestWindowTimeout",
	},
	{
		name: "count: elements are not discarded", kind: "element lost",
		file: "operators/count.go",
		old: `	if s.discard != nil {
		s.discard(v)
	}`,
		new:   ``,
		tests: "operators TestWindowsThatAreUsedUp",
	},
	{
		name: "hasElements: the element is not discarded", kind: "element lost",
		file:  "operators/match.go",
		old:   `s.decide(v, func(v T) { reactor.Discard(s.Slot.Ctx, v) })`,
		new:   `s.decide(v, nil)`,
		tests: "operators TestWindowsThatAreUsedUp",
	},
	{
		name: "allMatch, anyMatch: what the predicate has seen is not told", kind: "element lost",
		file: "operators/match.go",
		old: `	case s.spent != nil:
		s.spent(v)`,
		new:   ``,
		tests: "operators TestWindowsThatAreUsedUp",
	},
	{
		name: "collectMap: a value that is replaced is not told", kind: "element lost",
		file:  "operators/collect_map.go",
		old:   `if replaced && spent != nil {`,
		new:   `if replaced && spent == nil {`,
		tests: "operators TestWindowsThatAreUsedUp",
	},
	{
		name: "a map of windows does not count as its values do", kind: "element lost",
		file:  "discardable.go",
		old:   `case reflect.Slice, reflect.Map:`,
		new:   `case reflect.Slice:`,
		tests: "operators TestWindowsThatAreUsedUp",
	},
	{
		name: "sources after one that ends the goroutine are not subscribed", kind: "hang",
		file:  "internal/failure/guard.go",
		old:   `			persist(i+1, n, step)`,
		new:   `			persist(n, n, step)`,
		tests: "operators TestSourcesAfter , internal/failure TestPersist",
	},
	{
		name: "one who ends the goroutine when it hears of its failure fails twice", kind: "double terminal",
		file:  "internal/multicast/fanout.go",
		old:   `if f.failed == s {`,
		new:   `if f.failed == s && s == nil {`,
		tests: "sinks TestSubscriberWhoEndsTheGoroutine",
	},
	{
		name: "skipLast: the element that waits is lost if the body of a range loop is left", kind: "element lost",
		file:  "internal/protocol/sending.go",
		old:   "			s.came.Discard(ctx)\n",
		new:   "",
		tests: "operators TestAllLeavesWhatWaitsBehindAnElementToTheStage",
	},
	{
		name: "outlet: who is told of a failed function and ends the goroutine is told twice", kind: "double terminal",
		file:  "internal/protocol/sender.go",
		old:   `o.fall(err)`,
		new:   `s.crash(&o.outlet, err)`,
		tests: "internal/protocol TestOutletCrashToldToWhoEndsTheGoroutine",
	},
	{
		name: "until: the end of the companion is lost if downstream ends the goroutine", kind: "Goexit not handled",
		file: "internal/stage/paired/until.go",
		old: `		defer s.Out.Release()
		defer func() { ended = s.Out.End(err) }()
		s.Out.Down.OnSubscribe(protocol.Empty)`,
		new: `		s.Out.Down.OnSubscribe(protocol.Empty)
		ended = s.Out.End(err)
		s.Out.Release()`,
		tests: "internal/stage/paired TestUntilTheCompanionEndsAndDownstreamEndsTheGoroutine",
	},
	{
		name: "a foreign error without a subscription is lost if downstream ends the goroutine", kind: "Goexit not handled",
		file: "internal/protocol/foreign.go",
		old: `		defer s.finish(err) // also if downstream ends the goroutine
		s.signals.OnSubscribe(Empty)
		return
`,
		new: `		s.signals.OnSubscribe(Empty)
`,
		tests: "internal/protocol TestForeignErrorWithoutASubscriptionMeetsAGoexit",
	},
	{
		name: "take: nothing is cancelled if downstream ends the goroutine before", kind: "Goexit not handled",
		file: "operators/take.go",
		old: `		defer s.Finish() // also if downstream ends the goroutine
		s.Down.OnSubscribe(protocol.Empty)
		return`,
		new: `		s.Down.OnSubscribe(protocol.Empty)
		s.Finish()
		return`,
		tests: "operators TestGoexitOfWhoSubscribesToWhatHasEnded",
	},
	{
		name: "a state that has not started is not told of if downstream ends the goroutine", kind: "Goexit not handled",
		file: "internal/stage/elementwise/stage.go",
		old: `		down.OnSubscribe(protocol.Empty)
	}, func() { down.OnError(reactor.OperatorError(s.ctx, err, nil)) })`,
		new: `		down.OnSubscribe(protocol.Empty)
		down.OnError(reactor.OperatorError(s.ctx, err, nil))
	})`,
		tests: "operators TestGoexitOfWhoSubscribesToWhatHasEnded",
	},
	{
		name: "each: a state that has not started is not told of if downstream ends the goroutine", kind: "Goexit not handled",
		file: "stage/each.go",
		old: `			b.Signals.OnSubscribe(protocol.Empty)
		}, func() { b.Signals.OnError(reactor.OperatorError(b.ctx, err, nil)) })`,
		new: `			b.Signals.OnSubscribe(protocol.Empty)
			b.Signals.OnError(reactor.OperatorError(b.ctx, err, nil))
		})`,
		tests: "operators TestGoexitOfWhoSubscribesToWhatHasEnded",
	},
	{
		name: "await: the end of a call whose goroutine ends is reported once more", kind: "double terminal",
		file:  "operators/await.go",
		old:   `out.End(failure.PassingBy())`,
		new:   `out.End(failure.Reported(failure.PassingBy()))`,
		tests: "operators TestGoexitOfACallThatBlocksIsReportedOnce",
	},
	{
		name: "a Goexit that passes code of somebody else is told as a new one", kind: "double terminal",
		file:  "internal/protocol/foreign.go",
		old:   `handed.Seen(reactor.NonNil(err))`,
		new:   `reactor.NonNil(err)`,
		tests: "internal/protocol TestGoexitPassesCodeOfSomebodyElse",
	},
	{
		name: "a foreign Request that fails is not told if the cancellation ends the goroutine", kind: "Goexit not handled",
		file: "internal/protocol/foreign.go",
		old: `	defer s.failed(err) // also if the cancellation ends the goroutine
	safeCancel(s.ctx, up)`,
		new: `	safeCancel(s.ctx, up)
	s.failed(err)`,
		tests: "internal/protocol TestForeignRequestFailsAndTheCancellationEndsTheGoroutine",
	},
	{
		name: "fromSeq: the Goexit of a coroutine is taken for a new one", kind: "double terminal",
		file:  "operators/from_seq.go",
		old:   `failure.Renamed(handed.Out(err, s.left), "fromSeq"`,
		new:   `failure.Renamed(err, "fromSeq"`,
		tests: "operators TestGoexitInACoroutineIsReportedOnce",
	},
	{
		name: "zipWithSeq: the Goexit of a coroutine is taken for a new one", kind: "double terminal",
		file:  "operators/zip_with_seq.go",
		old:   `reactor.OperatorError(s.ctx, handed.Out(err, s.left), nil)) }`,
		new:   `reactor.OperatorError(s.ctx, err, nil)) }`,
		tests: "operators TestGoexitInACoroutineIsReportedOnce",
	},
	{
		name: "sequenceEqual: an error that ends nothing is lost", kind: "error lost",
		file: "operators/sequence_equal.go",
		old: `	if err := s.takeError(); err != nil {
		defer reactor.DropError(s.parent.Ctx, err)
	}
	discard`,
		new:   `	discard`,
		tests: "operators TestSequenceEqualReportsAnErrorThatEndsNothing",
	},
	{
		name: "onBackpressureBufferTimeout: a function that ends the goroutine keeps the stage busy", kind: "Goexit not handled",
		file: "internal/stage/buffered/stage.go",
		old:  `failure.InTurn(s.Out.Leave, func() { keep(s, v) })`,
		new: `keep(s, v)
			s.Out.Leave()`,
		tests: "operators TestOnBackpressureBufferTimeoutEvictedEndsGoroutine",
	},
	{
		name: "goexit: a panic behind one is taken for it", kind: "lost element",
		file: "internal/failure/goexit.go",
		old: `	if n == 0 || panicked {
		return false
	}
	goexits.Lock()`,
		new: `	if n == 0 || panicked && n < 0 {
		return false
	}
	goexits.Lock()`,
		tests: "operators TestMonoZipWhenFailsBehindAGoexit",
	},
	{
		name: "flatMapSignal: the end is lost if the last publisher ends the goroutine", kind: "lost terminal",
		file: "operators/flat_map_signal.go",
		old: `	defer func() { // also if what follows ends the goroutine
		if !s.main.done.Load() {
			s.main.finish()
		}
	}()
	switch {
	case some:
		s.addLast(r)
	case !known:
		s.main.add(p)
	}
`,
		new: `	switch {
	case some:
		s.addLast(r)
	case !known:
		s.main.add(p)
	}
	if !s.main.done.Load() {
		s.main.finish()
	}
`,
		tests: "operators TestFlatMapSignalWhoseLast",
	},
	{
		name: "subscribeOn: a goroutine that ends as it asks leaves nobody who subscribes", kind: "lost wake-up",
		file: "operators/subscribe_on.go",
		old: `	defer func() { // also if downstream ends the goroutine
		if err := s.worker.Execute(s.start); err != nil {
			s.refused(err)
		}
	}()
	s.out.Down.OnSubscribe(&s.link)
`,
		new: `	s.out.Down.OnSubscribe(&s.link)
	if err := s.worker.Execute(s.start); err != nil {
		s.refused(err)
	}
`,
		tests: "proofs/stages TestGoexitInTheFirstRequest",
	},
	{
		name: "flatMap: a goroutine that ends as downstream asks leaves nobody who asks", kind: "lost wake-up",
		file: "operators/flat_map.go",
		old: `	defer up.Request(s.main.concurrency) // also if downstream ends the goroutine
	s.main.down.OnSubscribe(&s.main)
`,
		new: `	s.main.down.OnSubscribe(&s.main)
	up.Request(s.main.concurrency)
`,
		tests: "proofs/stages TestGoexitInTheFirstRequest",
	},
	{
		name: "direct sink: a goroutine that ends as it asks leaves no subscriber", kind: "lost wake-up",
		file: "sinks/multicast.go",
		old: `	defer c.direct.Add(r) // also if downstream ends the goroutine
	down.OnSubscribe(r)
`,
		new: `	down.OnSubscribe(r)
	c.direct.Add(r)
`,
		tests: "sinks TestWhoAsksFirst",
	},
	{
		name: "doOnComplete: a function that fails is not told if the cancellation ends the goroutine", kind: "lost wake-up",
		file: "operators/peek.go",
		old: `		defer s.fail(reactor.OperatorError(s.ctx, err, nil)) // also if what follows ends the goroutine
		s.up.Cancel()                                        // the end does not count: upstream learns that nobody is there any more`,
		new: `		s.up.Cancel()
		s.fail(reactor.OperatorError(s.ctx, err, nil))`,
		tests: "operators TestPeekFailsThoughTheCancellationEndsTheGoroutine",
	},
	{
		name: "window: an element is lost with its window if the cancellation ends the goroutine", kind: "lost element",
		file: "operators/window.go",
		old: `		failure.Before(s.ctx, v, func() {
			failure.InTurn(`,
		new: `		failure.Before(context.Background(), v, func() {
			failure.InTurn(`,
		tests: "operators TestWindowThatFailsThoughTheCancellationEndsTheGoroutine",
	},
	{
		name: "sampleFirst: who is told of an error and ends the goroutine is told twice", kind: "double terminal",
		file:  "operators/sample_first.go",
		old:   `		ended = true // also if who is told ends the goroutine`,
		new:   ``,
		tests: "operators TestSampleFirstTellsWhoEndsTheGoroutine",
	},
	{
		name: "parallel: a rail that hears of its failure and ends the goroutine is told twice", kind: "reported twice",
		file:  "operators/parallel.go",
		old:   `	if s.failing {`,
		new:   `	if s.failing && s.at < 0 {`,
		tests: "operators TestParallelRailThatEndsTheGoroutineWhenItFails",
	},
	{
		name: "fair windowTimeout: a failure is lost if the window before ends the goroutine", kind: "error swallowed",
		file: "operators/window_timeout_fair.go",
		old: `		defer s.Crash(&s.out, err)
		settle()`,
		new: `		settle()
		s.Crash(&s.out, err)`,
		tests: "operators TestWindowTimeoutFairFailsAnd",
	},
	{
		name: "failure list: a Goexit takes the place of what a function has made of it", kind: "outcome wrong",
		file:  "internal/failure/list.go",
		old:   `		first = f.Take()`,
		new:   ``,
		tests: "internal/failure TestUntold , operators TestGoexitThatWasMapped",
	},
	{
		name: "fromSeq: what ended behind a cancellation is said by another operator", kind: "wrong name",
		file:  "operators/from_seq.go",
		old:   "reactor.DropError(s.ctx, s.named(err))",
		new:   "reactor.DropError(s.ctx, handed.Out(err, s.err))",
		tests: "operators TestFlatMapSeqThatFailsWhileItEnds",
	},
	{
		name: "generate: a cleanup that ends the goroutine is the last", kind: "leak",
		file:  "operators/generate.go",
		old:   "\tfailure.Persist(len(s.p.cleanup), func(i int) bool { // each",
		new:   "\t(func(n int, step func(int) bool) {\n\t\tfor i := range n {\n\t\t\tstep(i)\n\t\t}\n\t})(len(s.p.cleanup), func(i int) bool { // each",
		tests: "operators TestGenerateGoexitInACleanup",
	},
	{
		name: "tap: a late element is lost with the goroutine", kind: "element lost",
		file:  "operators/tap.go",
		old:   "\tdefer reactor.DropNext(s.ctx, v) // also if the listener ends the goroutine\n",
		new:   "",
		tests: "operators TestTapGoexitOfALateSignal",
	},
	{
		name: "zipWithSeq: no end where the sequence ends the goroutine", kind: "hang",
		file:  "operators/zip_with_seq.go",
		old:   "\tdefer protocol.Finish(s.down, err) // also if the sequence, as it is closed, ends the goroutine\n\ts.release()",
		new:   "\ts.release()\n\tdefer protocol.Finish(s.down, err)",
		tests: "operators TestZipWithSeqGoexitAtTheEndOfTheSequence",
	},
	{
		name: "parallel: the failure of the last rail is reported twice if its cancellation ends the goroutine", kind: "reported twice",
		file:  "operators/parallel.go",
		old:   "\t\ts.failing = !clean // then there is a second call",
		new:   "\t\ts.failing = false\n\t\t_ = clean",
		tests: "operators TestParallelLastRailFailsAnd",
	},
	{
		name: "parallel: a rail that is over before it was subscribed is waited for when it is cancelled", kind: "leak",
		file:  "operators/parallel_rails.go",
		old:   "\tdefer s.rail.Discarded() // also if a function that hears of it ends the goroutine, as below\n",
		new:   "",
		tests: "operators TestParallelRailsThatAreOver",
	},
	{
		name: "parallel: a source that no rail wants is subscribed to", kind: "leak",
		file:  "operators/parallel_rails.go",
		old:   "if slices.ContainsFunc(rails, (*rail[T]).wanted) {",
		new:   "if _ = slices.ContainsFunc(rails, (*rail[T]).wanted); true {",
		tests: "operators TestParallelRailsThatAreOver",
	},
	{
		name: "parallel: a rail that is over before it was subscribed is waited for when it has failed", kind: "leak",
		file:  "operators/parallel_rails.go",
		old:   "\tdefer s.rail.Discarded()\n\ts.down.OnError(err)",
		new:   "\ts.down.OnError(err)",
		tests: "operators TestParallelRailsThatAreOver",
	},
	{
		name: "windowWhen: what opens nothing is forgotten when the stream was left", kind: "element lost",
		file:  "operators/window_when.go",
		old:   "\tif s.Out.Stopped() {\n\t\tpaired.Spend(s.Out.Context(), u)\n\t\treturn",
		new:   "\tif s.Out.Stopped() {\n\t\treturn",
		tests: "operators TestWindowWhenWhatOpensNothing",
	},
	{
		name: "windowWhen: what opens nothing is forgotten without demand", kind: "element lost",
		file:  "operators/window_when.go",
		old:   "\t\tdefer paired.Spend(s.Out.Context(), u)\n",
		new:   "",
		tests: "operators TestWindowWhenWhatOpensNothing",
	},
	{
		name: "flatMap: a publisher that is taken whole is cancelled with its next element", kind: "cancel not propagated",
		file:  "operators/flat_map_taken.go",
		old:   "\t\t\tif m.stop.Load() { // not with the next element: that may be long in coming\n\t\t\t\tm.taking.Cancel()\n\t\t\t}",
		new:   "",
		tests: "operators TestFlatMapStops",
	},
	{
		name: "flatMap: behind a known source nothing is continued", kind: "error handling",
		file:  "operators/flat_map.go",
		old:   "\tif !ok || cont != nil {",
		new:   "\tif !ok {",
		tests: "operators TestFlattenedPublishersFail",
	},
	{
		name: "flatMapSignal: the failure of what is made of the end is not continued", kind: "error handling",
		file:  "operators/flat_map_signal.go",
		old:   "\t\ts.main.cont.TakeAnd(err, nil, func(err error) {\n\t\t\tif err != nil {\n\t\t\t\tfailed(err)\n\t\t\t} else {\n\t\t\t\ts.flat.OnComplete()\n\t\t\t}\n\t\t})\n",
		new:   "\t\tfailed(err)\n",
		tests: "operators TestFlatMapSignalGoesOn",
	},
	{
		name: "concat: an end after a cancellation is told", kind: "signal after cancellation",
		file:  "operators/concat.go",
		old:   "\t} else if !s.IsCancelled() {",
		new:   "\t} else {",
		tests: "operators TestEndOfConcat",
	},
	{
		name: "repeatWhen: an error after a cancellation is told", kind: "signal after cancellation",
		file:  "operators/repeat_when.go",
		old:   "\tif !s.Call.Active() && s.IsCancelled() {",
		new:   "\tif false {",
		tests: "operators TestEndsThatCome",
	},
	{
		name: "repeatFrom: an error after a cancellation is told", kind: "signal after cancellation",
		file:  "operators/repeat_when.go",
		old:   "\tif !s.Out.Calling() && s.IsCancelled() {",
		new:   "\tif false {",
		tests: "operators TestEndsThatCome",
	},
	{
		name: "subscribeFunc: the run of an element that has failed stays open", kind: "end lost",
		file:  "internal/protocol/half.go",
		old:   "\tcase !h.IsLodged(): // a Host looks again",
		new:   "\tcase false:",
		tests: "operators TestSubscribeFuncThatFailsWithinARunOfOneElement",
	},
	{
		name: "subscribeFunc: an end is told behind the disposal", kind: "signal after cancellation",
		file:  "operators/subscribe_func.go",
		old:   "\tdefer s.withdraw()\n",
		new:   "",
		tests: "operators TestSubscribeFuncDisposedBehindTheEndOfItsContext",
	},
	{
		name: "subscribeFunc: a host goes on until another one has cancelled", kind: "signal after cancellation",
		file:  "operators/subscribe_func.go",
		old:   "\t\t\ts.out.QuitHost(s.link.Kept())\n",
		new:   "",
		tests: "operators TestSubscribeFuncDisposedWhileTheEndOfItsContextGoesUp",
	},
	{
		name: "subscribeFunc: an end that is about to come is told behind the disposal", kind: "signal after cancellation",
		file:  "internal/protocol/half.go",
		old:   "\tif h.end.CompareAndSwap(nil, halfComplete) { // EndUnless",
		new:   "\tif h.end.Load() == nil { // EndUnless",
		tests: "operators TestSubscribeFuncDisposedWhile",
	},
	{
		name: "zipWithSeq: the sequence is ended behind the discard hook", kind: "wrong",
		file:  "operators/zip_with_seq.go",
		old:   "\tdefer failure.Guard(s.stop, func(err error) { reactor.DropError(s.ctx, handed.Out(err, s.left)) }) // also if the hook ends the goroutine\n\tif s.some {\n\t\ts.some = false\n\t\treactor.Discard(s.ctx, pending.Take(&s.with))\n\t}\n",
		new:   "\tif s.some {\n\t\ts.some = false\n\t\treactor.Discard(s.ctx, pending.Take(&s.with))\n\t}\n\tfailure.Guard(s.stop, func(err error) { reactor.DropError(s.ctx, handed.Out(err, s.left)) })\n",
		tests: "operators TestSequencesEndBehindTheDiscardHook",
	},
	{
		name: "monoZip: a single error is told behind the discard hook", kind: "wrong",
		file:  "operators/mono_join.go",
		old:   "\t\tdefer j.down.OnError(errs[0]) // also if the hook ends the goroutine, as below\n\t\tj.release()\n",
		new:   "\t\tj.release()\n\t\tj.down.OnError(errs[0])\n",
		tests: "operators TestMonoZipEndsBehindTheDiscardHook",
	},
	{
		name: "monoZip: joined errors are told behind the discard hook", kind: "wrong",
		file:  "operators/mono_join.go",
		old:   "\t\tdefer j.down.OnError(errors.Join(errs...))\n\t\tj.release()\n",
		new:   "\t\tj.release()\n\t\tj.down.OnError(errors.Join(errs...))\n",
		tests: "operators TestMonoZipEndsBehindTheDiscardHook",
	},
	{
		name: "monoZip: the completion is told behind the discard hook", kind: "wrong",
		file:  "operators/mono_join.go",
		old:   "\t\tdefer j.down.OnComplete()\n\t\tj.release()\n",
		new:   "\t\tj.release()\n\t\tj.down.OnComplete()\n",
		tests: "operators TestMonoZipEndsBehindTheDiscardHook",
	},
	{
		name: "monoZip: a failure of the function is told behind the discard hook", kind: "wrong",
		file:  "operators/mono_join.go",
		old:   "\t\tfailure.InTurn(j.release, func() { err = reactor.OperatorError(j.ctx, err, nil) }, func() { j.down.OnError(err) })\n",
		new:   "\t\tj.release()\n\t\tj.down.OnError(reactor.OperatorError(j.ctx, err, nil))\n",
		tests: "operators TestMonoZipWhoseFunctionFailsEndsBehindTheDiscardHook",
	},
	{
		name: "monoZip: one discard hook keeps the other elements", kind: "wrong",
		file:  "operators/mono_join.go",
		old:   "\tfailure.Persist(len(j.members), func(i int) bool { j.members[i].release(); return true }) // the hook may end the goroutine\n",
		new:   "\tfor _, m := range j.members {\n\t\tm.release()\n\t}\n",
		tests: "operators TestMonoZipEndsBehindTheDiscardHook",
	},
	{
		name: "withLatestFrom: the completion is told behind the discard hook", kind: "wrong",
		file:  "operators/with_latest_from.go",
		old:   "\tdefer s.EndOfSource(s.Link.Close(), nil) // also if the hook ends the goroutine\n\ts.latest = *new(U)\n\ts.drop()\n",
		new:   "\tlive := s.Link.Close()\n\ts.latest = *new(U)\n\ts.drop()\n\ts.EndOfSource(live, nil)\n",
		tests: "operators TestWithLatestFromEndsBehindTheDiscardHook",
	},
	{
		name: "withLatestFrom: the error is told behind the discard hook", kind: "wrong",
		file:  "operators/with_latest_from.go",
		old:   "\tdefer s.EndOfSource(s.Link.Close(), err)\n\tlatest := pending.Take(&s.latest)\n\tif s.unused { // fn has failed\n\t\ts.unused = false\n\t\tdefer pending.Discard(s.discard, latest)\n\t}\n\ts.drop()\n",
		new:   "\tlive := s.Link.Close()\n\tlatest := pending.Take(&s.latest)\n\ts.drop()\n\tif s.unused {\n\t\ts.unused = false\n\t\tpending.Discard(s.discard, latest)\n\t}\n\ts.EndOfSource(live, err)\n",
		tests: "operators TestWithLatestFromEndsBehindTheDiscardHook|TestWithLatestFromWhoseFunctionFailsEndsBehindTheDiscardHook",
	},
	{
		name: "zip: a known end is told within the guard around the sources", kind: "wrong",
		file:  "operators/zipping.go",
		old:   "\t\t\tif scalar && (err != nil || !some) {\n\t\t\t\tok = false\n\t\t\t\treturn\n\t\t\t}\n",
		new:   "\t\t\tif scalar && (err != nil || !some) {\n\t\t\t\tok = false\n\t\t\t\tz.endAtOnce(down, err)\n\t\t\t\treturn\n\t\t\t}\n",
		tests: "operators TestZipOfKnownSourcesTellsItsEndOnce",
	},
	{
		name: "zip: one discard hook keeps the elements of the other known sources", kind: "wrong",
		file:  "operators/zipping.go",
		old:   "\t\tfunc() { failure.Persist(len(z.members), func(i int) bool { z.members[i].clear(); return true }) },\n",
		new:   "\t\tfunc() {\n\t\t\tfor _, m := range z.members {\n\t\t\t\tm.clear()\n\t\t\t}\n\t\t},\n",
		tests: "operators TestZipOfKnownSourcesEndsBehindTheDiscardHook",
	},
	{
		name: "zip: an overflow is told behind the discard hook", kind: "wrong",
		file:  "operators/zipping_source.go",
		old:   "\t\tfunc() { pending.Discard(in.z.discard, v) },\n\t\tfunc() { in.z.fail(err) },\n",
		new:   "\t\tfunc() { pending.Discard(in.z.discard, v); in.z.fail(err) },\n",
		tests: "operators TestOverflowEndsTheStreamBehindTheDiscardHook",
	},
	{
		name: "combineLatest: an overflow is told behind the discard hook", kind: "wrong",
		file:  "operators/combine_latest_stage.go",
		old:   "\t\tfunc() { pending.Discard(c.discard, v) },\n\t\tfunc() { c.fail(err) },\n",
		new:   "\t\tfunc() { pending.Discard(c.discard, v); c.fail(err) },\n",
		tests: "operators TestOverflowEndsTheStreamBehindTheDiscardHook",
	},
	{
		name: "join: what is above is cancelled behind the hook for errors", kind: "wrong",
		file:  "operators/join_stage.go",
		old:   "\tfailure.InTurn(c.dropFailures, c.left.link.Cancel, c.right.link.Cancel, func() { c.release(err) }) // each may end the goroutine\n",
		new:   "\tc.dropFailures()\n\tfailure.InTurn(c.left.link.Cancel, c.right.link.Cancel, func() { c.release(err) })\n",
		tests: "operators TestJoinEndsLifetimesBehindTheHookForErrors",
	},
	{
		name: "onErrorContinue: a function that ends the goroutine keeps the end of a publisher", kind: "wrong",
		file:  "internal/upstream/continuation.go",
		old:   "\tdefer func() { then(rest) }()\n\tc.offer(err, v, &rest)\n",
		new:   "\tc.offer(err, v, &rest)\n\tthen(rest)\n",
		tests: "operators TestOnErrorContinueOfPublishersEndsWithGoexit|TestOnErrorContinueOfCallsEndsWithGoexit",
	},
	{
		name: "generate: an error behind what fails is lost", kind: "wrong",
		file:  "operators/generate.go",
		old:   "\t\tdefer s.sink.dropFailure(\"generate\") // also if downstream ends the goroutine\n",
		new:   "",
		tests: "operators TestGenerateReportsAnErrorThatNobodyGets",
	},
	{
		name: "generate: an element that has arrived counts as on its way", kind: "wrong",
		file:  "operators/generate.go",
		old:   "\t\t\t\ts.sink.dropFailure(\"generate\")\n\t\t\t\treturn true",
		new:   "\t\t\t\tif s.sink.state&syncError != 0 {\n\t\t\t\t\treactor.DropError(s.ctx, s.sink.failure(\"generate\"))\n\t\t\t\t}\n\t\t\t\treturn true",
		tests: "operators TestGenerateIsCancelledBetweenAnElementAndAnError",
	},
	{
		name: "handle: an error behind what fails is lost", kind: "wrong",
		file:  "operators/handle.go",
		old:   "\tdefer s.sink.dropFailure(\"handle\") // also if what follows ends the goroutine\n",
		new:   "",
		tests: "operators TestHandleReportsAnErrorThatNobodyGets",
	},
	{
		name: "handle, computed: an error behind what fails is lost", kind: "wrong",
		file:  "operators/handle.go",
		old:   "\t\t\tdefer sink.dropFailure(\"handle\") // also if what follows ends the goroutine\n",
		new:   "",
		tests: "operators TestHandleReportsAnErrorThatNobodyGets",
	},
	{
		name: "handle: an error that the stream goes on behind is lost", kind: "wrong",
		file:  "operators/handle.go",
		old:   "\tdefer s.sink.dropFailure(\"handle\") // of a call that has panicked behind it\n",
		new:   "",
		tests: "operators TestHandleReportsAnErrorBehindWhichItGoesOn",
	},
	{
		name: "handle: an error that is told stays in the sink", kind: "wrong",
		file:  "operators/handle.go",
		old:   "\ts.sink.state = 0 // what follows is on its way; before that OnError takes it for lost\n",
		new:   "",
		tests: "operators TestHandleAfterItsEnd",
	},
	{
		name: "handle, computed: an error behind an element that fails is lost", kind: "wrong",
		file:  "operators/handle.go",
		old:   "\t\tif !sent { // it has another error",
		new:   "\t\tif false { // it has another error",
		tests: "operators TestHandleReportsAnErrorThatNobodyGets",
	},
	{
		name: "publishSelector: who has subscribed before the function failed hears nothing", kind: "wrong",
		file:  "operators/publish_selector.go",
		old:   "\t\t\tdefer shared.fanout.Stop(err) // fn may have subscribed somebody; also if downstream ends the goroutine\n",
		new:   "",
		tests: "operators TestSharedPublisherOfAFunctionThatFails",
	},
	{
		name: "publish of a Mono: who has subscribed before the function failed hears nothing", kind: "wrong",
		file:  "operators/mono_publish.go",
		old:   "\t\t\tdefer shared.end(reactor.ErrorSignal[T](err)) // fn may have subscribed somebody; also if downstream ends the goroutine\n",
		new:   "",
		tests: "operators TestSharedPublisherOfAFunctionThatFails",
	},
	{
		name: "materialize: an error behind a cancellation is lost", kind: "wrong",
		file:  "operators/materialize.go",
		old:   "\t} else if err := last.Err(); err != nil {",
		new:   "\t} else if err := last.Err(); err != nil && false {",
		tests: "operators TestMaterializeReportsAnErrorThatNobodyGets",
	},
	{
		name: "materialize: an error that waits is lost", kind: "wrong",
		file:  "operators/materialize.go",
		old:   "ok && last.Err() != nil {",
		new:   "ok && last.Err() != nil && false {",
		tests: "operators TestMaterializeReportsAnErrorThatNobodyGets",
	},
	{
		name: "fromSeq2: the error of a pair is lost if the sequence fails behind it", kind: "wrong",
		file:  "operators/from_seq.go",
		old:   "\tdefer s.dropFailure() // also if downstream ends the goroutine: seq has failed behind a pair with an error\n",
		new:   "",
		tests: "operators TestSeqThatFailsBehindItsError",
	},
	{
		name: "pending: one discard hook keeps the rest of a buffer", kind: "wrong",
		file:  "internal/stage/pending/discard.go",
		old:   "\t\tfailure.Persist(len(buf), func(i int) bool { discard(buf[i]); return true }) // it may end the goroutine\n",
		new:   "\t\tfor _, v := range buf {\n\t\t\tdiscard(v)\n\t\t}\n\t\t_ = failure.Persist\n",
		tests: "operators TestBuffersAreDiscardedBehindTheDiscardHook",
	},
	{
		name: "slice sender: one discard hook keeps the rest of a buffer", kind: "wrong",
		file:  "internal/protocol/sender.go",
		old:   "\t\tfailure.Persist(len(buf), func(i int) bool { s.hook(buf[i]); return true }) // it may end the goroutine\n",
		new:   "\t\tfor _, v := range buf {\n\t\t\ts.hook(v)\n\t\t}\n",
		tests: "operators TestBuffersAreDiscardedBehindTheDiscardHook",
	},
	{
		name: "publishOn of a mono: the source is cancelled behind the discard hook", kind: "cancel not propagated",
		file:  "operators/publish_on_mono.go",
		old:   "\tif old != hopCancelled {\n\t\tdefer s.up.Cancel() // also if the hook ends the goroutine\n\t}\n\tif old == hopReady {\n\t\ts.discard()\n\t}\n",
		new:   "\tif old == hopReady {\n\t\ts.discard()\n\t}\n\tif old != hopCancelled {\n\t\ts.up.Cancel()\n\t}\n",
		tests: "operators TestMonoPublishOnIsCancelledBehindTheDiscardHook",
	},
	{
		name: "belated: errors that can't be compared are the same", kind: "wrong",
		file:  "internal/belated/belated.go",
		old:   "\t\t\tsame = reflect.DeepEqual(a, b)\n",
		new:   "\t\t\tsame = true\n",
		tests: "internal/belated TestLateErrorsOfTheTypeOfTheCause",
	},
	{
		name: "belated: errors that can't be compared are never the same", kind: "wrong",
		file:  "internal/belated/belated.go",
		old:   "\t\t\tsame = reflect.DeepEqual(a, b)\n",
		new:   "\t\t\tsame = false\n",
		tests: "internal/belated TestLateErrorsOfTheTypeOfTheCause",
	},
	{
		name: "belated: a method Is that panics is not guarded", kind: "wrong",
		file:  "internal/belated/belated.go",
		old:   "\tdefer func() { _ = recover() }()\n",
		new:   "",
		tests: "internal/belated TestLateErrorWhoseMethodFails",
	},
	{
		name: "publish: the end of the context is reported as dropped", kind: "reported twice",
		file:  "operators/publish.go",
		old:   "belated.Drop(c.ctx, err)",
		new:   "reactor.DropError(c.ctx, err)",
		tests: "operators TestSharedSourceThatHearsOfTheEndOfTheContext",
	},
	{
		name: "replay: the end of the context is reported as dropped", kind: "reported twice",
		file:  "operators/replay.go",
		old:   "\tif !c.end(err) {\n\t\tbelated.Drop(c.ctx, err)",
		new:   "\tif !c.end(err) {\n\t\treactor.DropError(c.ctx, err)",
		tests: "operators TestSharedSourceThatHearsOfTheEndOfTheContext",
	},
	{
		name: "create: the error of the end hangs on the sink", kind: "kept behind the end",
		file: "operators/sink_core.go",
		old: `	err := s.err
	s.err = nil
	return err
`,
		new: `	return s.err
`,
		tests: "operators TestCreateLetsGo",
	},
	{
		name: "create: an error behind an element that was cancelled hangs on the sink", kind: "kept behind the end",
		file: "operators/sink_core.go",
		old: `	} else if before&(sinkDone|sinkOver) == sinkDone {
		s.takeErr()
	}`,
		new:   `	}`,
		tests: "operators TestCreateLetsGo",
	},
	{
		name: "publishOn of a mono: the error that was delivered is kept", kind: "kept behind the end",
		file: "operators/publish_on_mono.go",
		old: `		s.err = nil
		s.down.OnError(err)`,
		new:   `		s.down.OnError(err)`,
		tests: "operators TestMoreEndsLetGo",
	},
	{
		name: "zip: a combiner that panics keeps the tuple before", kind: "kept behind the end",
		file: "operators/zipping.go",
		old: `	z.InFlight.Clear() // also of the tuple before one that could not be combined
	if made {
`,
		new: `	if made {
		z.InFlight.Clear()
`,
		tests: "operators TestZipEndsWithout",
	},
	{
		name: "parallel: the error of the source is kept", kind: "kept behind the end",
		file: "operators/parallel.go",
		old: `		s.err = nil // else it would hang on the subscription of a rail that somebody keeps
`,
		new:   ``,
		tests: "operators TestParallelLetsGo",
	},
	{
		name: "runOn: the errors that rails have heard are kept", kind: "kept behind the end",
		file: "operators/parallel_run_on.go",
		old: `	if e.due == 0 {
		e.heard = nil
	}
`,
		new:   ``,
		tests: "operators TestParallelLetsGo",
	},
	{
		name: "runOn: each rail keeps its error", kind: "kept behind the end",
		file: "operators/parallel_run_on.go",
		old: `		r.err = nil
`,
		new:   ``,
		tests: "operators TestParallelLetsGo",
	},
	{
		name: "merge: the same error of several rails counts each time", kind: "reported twice",
		file:  "internal/stage/merge/main.go",
		old:   `	case err != nil && r.main.isKnown(err):`,
		new:   `	case false:`,
		tests: "operators TestParallelSequentialAmid|TestParallelSequentialOf",
	},
	{
		name: "parallelSequential: rails do not share their error", kind: "reported twice",
		file:  "operators/parallel_sequential.go",
		old:   `Shared: !delayErrors, `,
		new:   ``,
		tests: "operators TestParallelSequentialAmid|TestParallelSequentialOf",
	},
	{
		name: "firstWithValue: the errors of losers are kept behind a winner", kind: "kept behind the end",
		file: "operators/first_with_signal.go",
		old: `	for i := range f.inners {
		f.inners[i].err.Store(nil) // nothing of the losers hangs on the subscription
	}
`,
		new:   ``,
		tests: "operators TestFirstWithValueLetsGo",
	},
	{
		name: "firstWithValue: the errors are kept when all have lost", kind: "kept behind the end",
		file:  "operators/first_with_value.go",
		old:   `err.Swap(nil)`,
		new:   `err.Load()`,
		tests: "operators TestFirstWithValueLetsGo",
	},
	{
		name: "unicast: the error of the end is kept", kind: "kept behind the end",
		file: "internal/unicast/unicast.go",
		old: `	p.err = nil // else it would hang on a subscription that somebody keeps
`,
		new:   ``,
		tests: "operators TestWindowLetsGo",
	},
	{
		name: "unicast: an error behind an element that was cancelled is kept", kind: "kept behind the end",
		file: "internal/unicast/unicast.go",
		old: `		err, p.err = p.err, nil
`,
		new: `		err = p.err
`,
		tests: "operators TestWindowLetsGo",
	},
	{
		name: "bufferUntilChanged: the last key is kept behind an error", kind: "kept behind the end",
		file: "operators/buffer_cut.go",
		old: `	s.cut = boundary.Nowhere // the key of the last element goes with the end, not with the subscription
`,
		new:   ``,
		tests: "operators TestUntilChangedLetsGo",
	},
	{
		name: "bufferUntilChanged: the last key is kept behind completion", kind: "kept behind the end",
		file: "operators/buffer_cut.go",
		old: `		s.cut = boundary.Nowhere
`,
		new:   ``,
		tests: "operators TestUntilChangedLetsGo",
	},
	{
		name: "windowUntilChanged: the last key is kept behind an error", kind: "kept behind the end",
		file: "operators/window_cut.go",
		old: `	s.cut = nil // the key of the last element goes with the end, not with the subscription
`,
		new:   ``,
		tests: "operators TestUntilChangedLetsGo",
	},
	{
		name: "windowUntilChanged: the last key is kept behind completion", kind: "kept behind the end",
		file: "operators/window_cut.go",
		old: `	s.cut = nil
`,
		new:   ``,
		tests: "operators TestUntilChangedLetsGo",
	},
	{
		name: "retryFrom: a feed that nobody has subscribed to keeps what it is offered", kind: "kept behind the end",
		file: "internal/stage/companion/companion.go",
		old: `		if f.cancelled.Load() {
			f.dropPending()
		}
`,
		new:   ``,
		tests: "operators TestRetryWhenLetsGo",
	},
	{
		name: "retryFrom: the end of the companion leaves a failure in the feed", kind: "kept behind the end",
		file: "internal/stage/companion/companion.go",
		old: `	s.other.Close()
	s.feed.Cancel()
`,
		new: `	s.other.Close()
`,
		tests: "operators TestRetryWhenLetsGo",
	},
	{
		name: "retryFrom: the end of the source leaves a failure in the feed", kind: "kept behind the end",
		file: "internal/stage/companion/companion.go",
		old: `	s.feed.Cancel()
	failure.InTurn(s.other.Cancel, func() {`,
		new:   `	failure.InTurn(s.other.Cancel, func() {`,
		tests: "operators TestRetryWhenLetsGo",
	},
	{
		name: "retryFrom: a cancellation leaves a failure in the feed", kind: "kept behind the end",
		file: "internal/stage/companion/companion.go",
		old: `	s.feed.Cancel()          // a companion that has not subscribed to it can't
`,
		new:   ``,
		tests: "operators TestRetryWhenLetsGo",
	},
}
