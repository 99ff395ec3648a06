package main

// calling breaks the rate limiter, and what calls functions that wait.
var calling = []mutation{
	{
		name: "throttle: a standstill is made up for", kind: "burst after a standstill",
		file:  "operators/throttle_pace.go",
		old:   `p.due < earliest {`,
		new:   `p.due < earliest && p.n == 0 {`,
		tests: "operators TestThrottleAfterAStandstill",
	},
	{
		name: "throttle: a timer that fires late costs rate", kind: "rate lost",
		file:  "operators/throttle_pace.go",
		old:   `ahead = max(ahead, latenessMadeUp)`,
		new:   `ahead = max(ahead, 0)`,
		tests: "operators TestThrottleMakesUpForLateTimers",
	},
	{
		name: "throttle: a timer that was late long ago counts", kind: "burst after a standstill",
		file:  "operators/throttle_pace.go",
		old:   ` && now-p.wake <= latenessMadeUp {`,
		new:   ` {`,
		tests: "operators TestPaceForgetsLateTimers",
	},
	{
		name: "throttle: fractions of a nanosecond are lost", kind: "rate lost",
		file:  "operators/throttle_pace.go",
		old:   `p.part += p.rest`,
		new:   `p.part += p.rest - p.rest`,
		tests: "operators TestThrottleKeepsTheRateOfFractions",
	},
	{
		name: "throttle: the bucket is empty at the start", kind: "burst missing",
		file:  "operators/throttle_pace.go",
		old:   `p.due = -p.allowance`,
		new:   `p.due = 0`,
		tests: "operators TestThrottleBurst",
	},
	{
		name: "throttle: an element that waits sets one timer more with each signal", kind: "timer leak",
		file:  "operators/throttle.go",
		old:   `	s.armed = true`,
		new:   `	s.armed = false`,
		tests: "operators TestThrottleSetsOneTimer",
	},
	{
		name: "tryMapContext: a cancellation does not reach the call", kind: "cancel not propagated",
		file:  "operators/try_map_context_call.go",
		old:   `c.state.Swap(callsCancelled) == callsRunning {`,
		new:   `c.state.Swap(callsCancelled) == callsCancelled {`,
		tests: "operators TestContextOfCalls",
	},
	{
		name: "tryMapContext: the context ends with the subscription", kind: "context ended too early",
		file:  "operators/try_map_context_call.go",
		old:   `c.state.Swap(callsCancelled) == callsRunning {`,
		new:   `c.state.Swap(callsCancelled) != callsCancelled {`,
		tests: "operators TestContextOfCalls",
	},
	{
		name: "tryMapContext: the cause is lost", kind: "cause lost",
		file:  "operators/try_map_context_call.go",
		old:   `cause := context.Cause(c.ctx)`,
		new:   `cause := c.ctx.Err()`,
		tests: "operators TestContextOfCalls",
	},
	{
		name: "tryMapContext: the result of a cancelled call gets lost", kind: "element lost",
		file:  "operators/try_map_context_call.go",
		old:   `reactor.Discard(ctx, r)`,
		new:   `_ = r`,
		tests: "operators TestContextOfCalls",
	},
	{
		name: "retryWhen: the failure's delay is limited", kind: "asked too early",
		file:  "operators/retry_spec.go",
		old:   `return d, true`,
		new:   `return min(d, r.limit), true`,
		tests: "operators TestRetryDelayFromTheFailure",
	},
	{
		name: "sink: who waits is not told of the end of an emission", kind: "wake-up lost",
		file: "sinks/guard.go",
		old: `		}
		g.line.Wake()`,
		new:   `		}`,
		tests: "sinks TestEmitNextWait",
	},
	{
		name: "sink: who waits is not told if who hears of an end ends the goroutine", kind: "wake-up lost",
		file:  "sinks/guard.go",
		old:   `			defer g.line.Wake() // also if who hears of an end ends the goroutine`,
		new:   ``,
		tests: "sinks TestEmitNextWait",
	},
	{
		name: "sink: who waits is not told of demand", kind: "wake-up lost",
		file: "internal/multicast/direct.go",
		old: `	demand.Add(&r.demand, n)
	r.direct.Line.Wake()`,
		new:   `	demand.Add(&r.demand, n)`,
		tests: "sinks TestEmitNextWait",
	},
	{
		name: "sink: who waits is woken only after the first try", kind: "wake-up lost",
		file:  "sinks/line.go",
		old:   `if l == nil || !l.waiting.Load() {`,
		new:   `if l == nil || !l.waiting.Load() || len(l.stir) == 0 {`,
		tests: "sinks TestEmitNextWait",
	},
	{
		name: "sink: an emission within another one waits for itself", kind: "deadlock",
		file:  "sinks/line.go",
		old:   `nested || !result.mayPass() {`,
		new:   `!result.mayPass() {`,
		tests: "sinks TestEmitNextWait",
	},
	{
		name: "busyLooping: one deadline for all emissions", kind: "given up too early",
		file:  "sinks/handler.go",
		old:   `		if begin.IsZero() {`,
		new:   `		if begin.IsZero() && signal == reactor.KindError {`,
		tests: "sinks TestBusyLoopingCountsPerEmission",
	},
	{
		name: "throttle: a refused timer hides the failure of upstream", kind: "error lost",
		file:  "internal/protocol/outlet.go",
		old:   `late != nil {`,
		new:   `late == err {`,
		tests: "operators TestThrottleEnds",
	},
	{
		name: "tryFilterContext: what the function says is ignored", kind: "outcome wrong",
		file:  "operators/try_filter_context.go",
		old:   `return v, ok, err`,
		new:   `return v, ok || true, err`,
		tests: "operators ContextOfCalls|TryFilterContext",
	},
	{
		name: "tryDoOnNextContext: the error gets lost", kind: "error lost",
		file:  "operators/try_do_on_next_context.go",
		old:   `return v, true, fn(ctx, v)`,
		new:   `_ = fn(ctx, v); return v, true, nil`,
		tests: "operators ContextOfCalls",
	},
	{
		name: "when3: the last one is forgotten", kind: "ended too early",
		file:  "mono/combine.go",
		old:   `operators.When([]reactor.Publisher[struct{}]{endOf(0, a), endOf(1, b), endOf(2, c)}, opts...)`,
		new:   `operators.When([]reactor.Publisher[struct{}]{endOf(0, a), endOf(1, b)}, opts...)`,
		tests: "mono TestWhenOf",
	},
	{
		name: "when2: errors are never delayed", kind: "option ignored",
		file:  "mono/combine.go",
		old:   `operators.When([]reactor.Publisher[struct{}]{endOf(0, a), endOf(1, b)}, opts...)`,
		new:   `operators.When([]reactor.Publisher[struct{}]{endOf(0, a), endOf(1, b)}, opts[:0]...)`,
		tests: "mono TestWhenOf",
	},
	{
		name: "whenSlice: errors are never delayed", kind: "option ignored",
		file:  "mono/combine.go",
		old:   `operators.When(all, opts...)`,
		new:   `operators.When(all, opts[:0]...)`,
		tests: "mono TestWhenOf",
	},
	{
		name: "firstWithValueSlice: takes the first signal", kind: "outcome wrong",
		file:  "flux/first.go",
		old:   `operators.FirstWithValue(sourcesOf[T](sources)...)`,
		new:   `operators.FirstWithSignal(sourcesOf[T](sources)...)`,
		tests: "flux TestSlices",
	},
	{
		name: "mergeSlice: options are ignored", kind: "option ignored",
		file:  "flux/merge.go",
		old:   `operators.MergeSlice(sourcesOf[T](sources), opts...)`,
		new:   `operators.MergeSlice(sourcesOf[T](sources), opts[:0]...)`,
		tests: "flux TestSlices",
	},
	{
		name: "log: the line is that of the subscription", kind: "outcome wrong",
		file:  "operators/log.go",
		old:   `if c.line {`,
		new:   `if c.line && false {`,
		tests: "operators TestLogOperatorLine",
	},
	{
		name: "describe: the type of a publisher is its name", kind: "outcome wrong",
		file:  "internal/describe/describe.go",
		old:   `"Publisher", "Callable", "Source"}`,
		new:   `"Callable", "Source"}`,
		tests: "flux TestString",
	},
	{
		name: "fromFunc: what comes beside an error is handed on where a chain is computed", kind: "outcome wrong",
		file: "operators/from_func.go",
		old: `return none, false, err
		}
		return v, true, nil`,
		new: `return v, false, err
		}
		return v, true, nil`,
		tests: "operators TestNoElementIsTheZeroValue|TestComputed",
	},
	{
		name: "combineLatest: a source without an element ends the stream behind what others still send", kind: "end too late",
		file:  "operators/combine_latest_stage.go",
		old:   `in.c.out.Complete()`,
		new:   `in.c.out.End(nil)`,
		tests: "operators TestCombineLatest",
	},
	{
		name: "sequenceEqual: the result is given up by who looks again", kind: "discarded twice",
		file:  "operators/sequence_equal.go",
		old:   `c.stopped.Store(true) // before somebody looks again`,
		new:   ``,
		tests: "operators TestSequenceEqual",
	},
	{
		name: "zipWhen: the first element is lost where the context ends before the second is computed", kind: "element lost",
		file:  "operators/computed.go",
		old:   `k.giveUp(ctx)`,
		new:   `_ = k`,
		tests: "operators TestMonoZipWhen|TestComputedElements",
	},
	{
		name: "zip: sources behind one that has failed have no turn, if it is computed", kind: "not subscribed",
		file:  "operators/mono_zip_computed.go",
		old:   `out == computedNone && j.idle(i+1)`,
		new:   `out == computedNone`,
		tests: "operators TestChainsAreComputed",
	},
	{
		name: "zip: what has been computed up to a publisher is forgotten by who cancels", kind: "element lost",
		file:  "operators/mono_join.go",
		old:   `if j.begun > 0 && !j.started.Swap(true)`,
		new:   `if j.begun < 0`,
		tests: "operators TestComputed",
	},
	{
		name: "filterWhen: the outcome is told while the test is subscribed to, if it is computed", kind: "order wrong",
		file:  "operators/computed_held.go",
		old:   `s.keep == nil || s.turns.Add(1) == 2`,
		new:   `s.keep == nil || s.turns.Add(1) == 1`,
		tests: "operators TestChainsAreComputed|TestFilterWhenTells",
	},
	{
		name: "thenMono: what was computed up to a publisher is forgotten by who cancels", kind: "element lost",
		file:  "operators/then_mono.go",
		old:   `other: p.other, first: true}`,
		new:   `other: p.other}`,
		tests: "operators TestComputed",
	},
	{
		name: "retry: an attempt that was computed up to a publisher is forgotten by who cancels", kind: "element lost",
		file:  "operators/retry.go",
		old:   `if !p.once.begun.Load()`,
		new:   `if false`,
		tests: "operators TestComputed",
	},
	{
		name: "pull: nobody looks at the context between elements", kind: "element after the end",
		file:  "internal/protocol/pull.go",
		old:   `if l.Look(); p.cancelled.Load()`,
		new:   `if p.cancelled.Load()`,
		tests: "operators TestComputedMany",
	},
	{
		name: "pull: the context of many elements is not watched", kind: "element after the end",
		file:  "internal/protocol/pull.go",
		old:   `defer l.Watch()()`,
		new:   `_ = l.Watch`,
		tests: "operators TestComputedMany",
	},
	{
		name: "filterWhen: a test that has ended is cancelled", kind: "cancelled after the end",
		file:  "operators/filter_when.go",
		old:   `t.link.Close() // what has ended`,
		new:   `// what has ended`,
		tests: "operators TestFilterWhen",
	},
	{
		name: "block: what has come is forgotten where waiting is not allowed", kind: "discard forgotten",
		file: "operators/await.go",
		old: `a.held, _ = sink.(holder)
		chaos.Yield()`,
		new:   `chaos.Yield()`,
		tests: "operators TestBlockingWhereItIsNotAllowed",
	},
	{
		name: "stage.Each: a start that fails goes by the hooks of its context", kind: "hook passed by",
		file:  "stage/each.go",
		old:   `reactor.OperatorError(b.ctx, err, nil)`,
		new:   `err`,
		tests: "stage TestStart",
	},
	{
		name: "flatMap: a discard hook that ends the goroutine leaves the drain taken", kind: "Goexit not handled",
		file: "operators/flat_map_inner.go",
		old: `, func() { in.m.drop(v) }, func() {
`,
		new: `, func() {
		in.m.drop(v)
`,
		tests: "operators TestFlatMapGoexitInTheDiscard|TestFlatMapOverflow",
	},
	{
		name: "called functions: the end of the stage is not told", kind: "cancel not propagated",
		file:  "operators/called.go",
		old:   `call.cancelled(ctx)`,
		new:   `_ = call`,
		tests: "operators TestCalledFunctionsAreAsSubscribed",
	},
	{
		name: "called functions: one begins behind the end", kind: "late offer after close",
		file:  "operators/called.go",
		old:   `c.call.Swap(noMoreCalls)`,
		new:   `c.call.Load()`,
		tests: "operators TestCalled",
	},
	{
		name: "called functions: what a cancelled one returns goes on", kind: "signal after cancellation",
		file: "operators/called.go",
		old:  `return c.call.CompareAndSwap(call, nil)`,
		new: `c.call.CompareAndSwap(call, nil)
	return true`,
		tests: "operators TestCalled",
	},
	{
		name: "flatMap: the failure of a called function gives nothing back", kind: "demand not credited",
		file: "operators/flat_map_main.go",
		old: `		case m.delayErrors:
			m.addNothing()`,
		new:   `		case m.delayErrors:`,
		tests: "operators TestCalled",
	},
	{
		name: "flatMap: an element whose called function was left out gives nothing back", kind: "demand not credited",
		file: "operators/flat_map_main.go",
		old: `		case err == nil:
			m.addNothing()
		case !m.addFailure`,
		new: `		case err == nil:
		case !m.addFailure`,
		tests: "operators TestCalled",
	},
	{
		name: "concatMap: a function is called before anything is asked for", kind: "demand ignored",
		file:  "operators/concat_map_inner.go",
		old:   `s.prefetch == 0 || !s.inner.arbiter.IsUnbounded()`,
		new:   `false`,
		tests: "operators TestCalled|TestConcatMap",
	},
	{
		name: "await: the end of the context behind the answer is reported", kind: "reported twice",
		file: "operators/await.go",
		old: `	if !a.end(err) {
		belated.Drop(a.ctx, err)`,
		new: `	if !a.end(err) {
		reactor.DropError(a.ctx, err)`,
		tests: "operators TestBlockFirstDuring",
	},
	{
		name: "contextWrite: a context that can't be read is passed on", kind: "panic gets through",
		file: "operators/context_write.go",
		old: `	inner.Value(writtenKey{}) // a context that can't be read fails here, where that can be told, rather than in a stage above
`,
		new:   ``,
		tests: "operators TestContextWriteOfABrokenContextFails",
	},
	{
		name: "in place: hooks hear nothing", kind: "hook not called",
		file:  "operators/in_place.go",
		old:   `way != direct.InPlace || !direct.MayCompute(ctx)`,
		new:   `way != direct.InPlace`,
		tests: "operators TestInners|TestHooksHearOfInners|TestContextOfAFunctionThatIsComputed",
	},
	{
		name: "in place: also what only a call that blocks may compute", kind: "wrong order",
		file:  "operators/computed.go",
		old:   `		return direct.Whole`,
		new:   `		return direct.InPlace`,
		tests: "operators TestInners|TestHooksHearOfInners|TestContextOfAFunctionThatIsComputed",
	},
	{
		name: "in place: a callable goes on behind a cancellation", kind: "called after the end",
		file: "operators/from_callable.go",
		old: `	if isGivenUp(ctx) {
		switch {`,
		new: `	if false {
		switch {`,
		tests: "operators TestInners|TestHooksHearOfInners|TestContextOfAFunctionThatIsComputed",
	},
	{
		name: "in place: the element of a callable that has cancelled is lost", kind: "element lost",
		file: "operators/from_callable.go",
		old: `			reactor.Discard(ctx, v)
		}
		return *new(T), false, errGivenUp`,
		new: `		}
		return *new(T), false, errGivenUp`,
		tests: "operators TestInners|TestHooksHearOfInners|TestContextOfAFunctionThatIsComputed",
	},
	{
		name: "in place: the error of a callable that has cancelled is lost", kind: "error lost",
		file: "operators/from_callable.go",
		old: `			reactor.DropError(ctx, err)
		case ok:`,
		new:   `		case ok:`,
		tests: "operators TestInners|TestHooksHearOfInners|TestContextOfAFunctionThatIsComputed",
	},
	{
		name: "in place: a filter of onErrorReturn that cancels loses the error", kind: "error lost",
		file: "operators/on_error_return.go",
		old: `	if isGivenUp(ctx) { // by the filter
		return v, false, failed
	}
`,
		new:   ``,
		tests: "operators TestInners|TestHooksHearOfInners|TestContextOfAFunctionThatIsComputed",
	},
	{
		name: "in place: a filter of onErrorResume that cancels loses the error", kind: "error lost",
		file: "operators/on_error_resume.go",
		old: `	if isGivenUp(ctx) { // by the filter
		return v, false, failed
	}
`,
		new:   ``,
		tests: "operators TestInners|TestHooksHearOfInners|TestContextOfAFunctionThatIsComputed",
	},
	{
		name: "in place: a function gets the context of the computation", kind: "wrong",
		file: "operators/from_func.go",
		old: `		called = in.callContext
`,
		new: `		_ = in
`,
		tests: "operators TestInners|TestHooksHearOfInners|TestContextOfAFunctionThatIsComputed",
	},
	{
		name: "in place: what follows is given up with a stage that was cancelled", kind: "element lost",
		file: "operators/flat_map_scalar.go",
		old: `		if !m.add(rest) {
			rest.Subscribe(m.ctx, &unwanted[R]{ctx: m.ctx})
		}`,
		new:   `		m.add(rest)`,
		tests: "operators TestInners|TestHooksHearOfInners|TestContextOfAFunctionThatIsComputed",
	},
	{
		name: "in place: the element of a computation that was cancelled is lost", kind: "element lost",
		file: "operators/in_place.go",
		old: `		reactor.Discard(ctx, v)
`,
		new:   ``,
		tests: "operators TestInners|TestHooksHearOfInners|TestContextOfAFunctionThatIsComputed",
	},
	{
		name: "in place: what follows is computed though it must not be", kind: "wrong order",
		file: "operators/computed.go",
		old: `	case !isInPlace(src):
`,
		new: `	case !isComputable(src):
`,
		tests: "operators TestInners|TestHooksHearOfInners|TestContextOfAFunctionThatIsComputed",
	},
	{
		name: "in place: what follows is computed behind a cancellation", kind: "called after the end",
		file: "operators/computed.go",
		old: `	case ctx.Err() != nil:
		return none, false, errGivenUp
	}
`,
		new: `	}
`,
		tests: "operators TestInners|TestHooksHearOfInners|TestContextOfAFunctionThatIsComputed",
	},
	{
		name: "in place: concatMap goes on without what follows", kind: "element lost",
		file: "operators/concat_map_inner.go",
		old: `		s.emit(v)
	}
	return rest`,
		new: `		s.emit(v)
	}
	_ = rest
	return nil`,
		tests: "operators TestInners|TestHooksHearOfInners|TestContextOfAFunctionThatIsComputed",
	},
	{
		name: "in place: flatMap waits for a computation without an element", kind: "stall",
		file: "operators/flat_map_scalar.go",
		old: `	case outcomeNone:
		m.addNothing()
`,
		new: `	case outcomeNone:
`,
		tests: "operators TestInners|TestHooksHearOfInners|TestContextOfAFunctionThatIsComputed",
	},
}
