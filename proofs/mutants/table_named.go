package main

// named breaks operators whose own test is to notice it, without those of the others.
var named = []mutation{
	{
		name: "skip: what is left out is not asked for", kind: "demand not replenished",
		file: "operators/skip.go",
		old: `	s.down.OnSubscribe(up)
	up.Request(n)`,
		new: `	s.down.OnSubscribe(up)
	_ = n`,
		tests: "operators TestSkip$",
	},
	{
		name: "elementAt: the one before it", kind: "off by one",
		file:  "operators/element_at.go",
		old:   "case s.left == 0:",
		new:   "case s.left <= 1:",
		tests: "operators TestElementAt$",
	},
	{
		name: "elementAtOr: an error instead of the value", kind: "option ignored",
		file:  "operators/element_at.go",
		old:   "case s.p.hasFallback:",
		new:   "case s.p.hasFallback && s.left < 0:",
		tests: "operators TestElementAtOr",
	},
	{
		name: "doFirst: after the subscription", kind: "order of calls",
		file: "operators/do_first.go",
		old:  "	if failure.Guard(p.fn, func(err error) { protocol.Fail(down, reactor.OperatorError(ctx, err, nil)) }) {\n		p.src.Subscribe(ctx, down)\n	}",
		new:  "	p.src.Subscribe(ctx, down)\n	failure.Guard(p.fn, func(err error) { protocol.Fail(down, reactor.OperatorError(ctx, err, nil)) })",

		tests: "operators TestDoFirst",
	},
	{
		name: "onBackpressureLatest: the element before is lost", kind: "element not discarded",
		file:  "operators/on_backpressure_latest.go",
		old:   "replaced {",
		new:   "replaced && b.stage == nil {",
		tests: "operators TestOnBackpressureLatest",
	},
	{
		name: "share: the first subscriber waits for another", kind: "off by one",
		file:  "operators/share.go",
		old:   "int64(defaultHopPrefetch()))), 1)",
		new:   "int64(defaultHopPrefetch()))), 2)",
		tests: "operators TestShare$",
	},
	{
		name: "thenEmpty: the source again instead of the other", kind: "wrong source",
		file:  "operators/then_mono.go",
		old:   "return ThenMono(src, Then(other))",
		new:   "return ThenMono(src, Then(src))",
		tests: "operators TestThenEmpty",
	},
	{
		name: "tag: key and value", kind: "arguments exchanged",
		file:  "operators/name.go",
		old:   "Labels{Tags: map[string]string{key: value}}",
		new:   "Labels{Tags: map[string]string{value: key}}",
		tests: "operators TestTag",
	},
	{
		name: "combineLatest of six: two share a place", kind: "off by one",
		file:  "operators/combine_latest.go",
		old:   "combineFrom(core, 5, f)",
		new:   "combineFrom(core, 4, f)",
		tests: "operators TestCombineLatestArities",
	},
	{
		name: "transformDeferred: its failures are called those of defer", kind: "outcome wrong",
		file:  "internal/failure/opname.go",
		old:   "if op, ok := faceOps[name]; ok {",
		new:   `if op, ok := faceOps[name]; ok && op == "" {`,
		tests: "flux TestFailuresNameTheOperatorThat",
	},
	{
		name: "adapters: failures are called those of what they are made of", kind: "outcome wrong",
		file:  "internal/failure/opname.go",
		old:   `if !ok || fn == "" ||`,
		new:   `if !ok || fn != "" ||`,
		tests: "adapt/httpstream TestExchange$",
	},
	{
		name: "retryWhen: a function around a retry that fails hides the failure", kind: "outcome wrong",
		file:  "operators/backoff.go",
		old:   "if because != nil {",
		new:   `if because != nil && b.op == "" {`,
		tests: "operators TestRetryCallbacksThatFailSay",
	},
	{
		name: "retryWhen: a function behind a delay has no operator", kind: "outcome wrong",
		file:  "operators/backoff.go",
		old:   `failure.Renamed(err, "", b.op)`,
		new:   "err",
		tests: "operators TestRetryCallbacksThatFailSay",
	},
	{
		name: "schedulers: the refusal of a pool names what runs the task", kind: "outcome wrong",
		file:  "schedulers/errors.go",
		old:   "own.Task = runtime.FuncForPC(reflect.ValueOf(task).Pointer()).Name()",
		new:   "own.Task = r.Task + runtime.FuncForPC(reflect.ValueOf(task).Pointer()).Name()[:0]",
		tests: "schedulers TestRefusalsOfAPool",
	},
	{
		name: "schedulers: Shutdown without a context shuts down", kind: "argument not checked",
		file:  "schedulers/shutdown.go",
		old:   "return errNoContext // and nothing is shut down",
		new:   "ctx = context.Background()",
		tests: "schedulers TestADisposalWithout",
	},
	{
		name: "keylock: each lease that was outlived has a line in the log", kind: "option ignored",
		file:  "keylock/stats.go",
		old:   "now-last < int64(time.Second)",
		new:   "now-last < 0",
		tests: "keylock TestABurstOf",
	},
}
