package main

// original breaks what only the comparison with the original shows.
var original = []mutation{
	{
		name: "repeatWhen: a pointer to a RepeatSpec is another policy", kind: "refusal missing",
		file:  "operators/repeat_when.go",
		old:   "\t\treturn *policy",
		new:   "\t\treturn repeatFrom{}",
		tests: "operators TestRepeatWhenPolicies",
	},
	{
		name: "cacheInvalidateWhen: what its function has failed for is lost", kind: "element lost",
		file:  "operators/mono_cache_invalidate.go",
		old:   "if gone(ctx, v); invalidated == nil {",
		new:   "if gone(ctx, v); false {",
		tests: "operators TestMonoCacheInvalidateWhenDiscards",
	},
	{
		name: "sorted rails: an error waits for the other rails", kind: "outcome wrong",
		file:  "operators/parallel_sequential.go",
		old:   `newRailMerge("sorted", sorted, named, false, opts)`,
		new:   `newRailMerge("sorted", sorted, named, true, opts)`,
		tests: "proofs/vectors TestSituations/rails,_sorted",
	},
	{
		name: "ordered rails: an error comes at once", kind: "outcome wrong",
		file:  "operators/parallel_sequential.go",
		old:   `return compare(a, b) }, true, opts)`,
		new:   `return compare(a, b) }, false, opts)`,
		tests: "proofs/vectors TestSituations/rails,_ordered",
	},
	{
		name: "log: errors of a stream that is debugged have a level of their own", kind: "outcome wrong",
		file:  "operators/log.go",
		old:   `if c.level < slog.LevelInfo {`,
		new:   `if c.level < slog.LevelDebug {`,
		tests: "proofs/vectors TestSituations/log,_some",
	},
	{
		name: "create: OnRequest is told of demand that elements have met", kind: "demand credited twice",
		file:  "operators/sink_core.go",
		old:   `min(s.unseen.Swap(0), s.demand.Load())`,
		new:   `s.unseen.Swap(0)`,
		tests: "proofs/vectors TestSituations/create,_OnRequest",
	},
	{
		name: "repeatWhen: the end of the companion overtakes its answer", kind: "order broken",
		file:  "internal/stage/companion/companion.go",
		old:   `s.src.Subscribe(ctx, s.self)`,
		new:   `s.wanted.Store(true); s.loop.Run(s)`,
		tests: "proofs/vectors TestSituations/repeatWhen,_two",
	},
	{
		name: "cacheInvalidateWhen: the failure of the trigger is told before those who wait have it", kind: "order broken",
		file: "operators/mono_shared.go",
		old:  `	if entry == nil && len(waiting) == 0 && r.own == nil {`,
		new: `	if entry == nil && is.delivered != nil {
		is.delivered(entry)
		is.delivered = nil
	}
	if entry == nil && len(waiting) == 0 && r.own == nil {`,
		tests: "proofs/vectors TestSituations/cacheInvalidateWhen",
	},
	{
		name: "foreign: a panic of Request is reported and nobody hears of an end", kind: "error dropped silently",
		file:  "internal/protocol/foreign.go",
		old:   `if s.state.Or(foreignFailed)&(foreignBusy|foreignIntroducing) == 0 {`,
		new:   `if s.state.Or(foreignFailed) < 0 {`,
		tests: "internal/protocol Foreign",
	},
	{
		name: "foreign: a panic of Request ends the stream within an element", kind: "order broken",
		file:  "internal/protocol/foreign.go",
		old:   `if s.state.Or(foreignFailed)&(foreignBusy|foreignIntroducing) == 0 {`,
		new:   `if s.state.Or(foreignFailed) >= 0 {`,
		tests: "internal/protocol Foreign",
	},
	{
		name: "foreign: the failure of a request waits for ever behind an element", kind: "lost wake-up",
		file:  "internal/protocol/foreign.go",
		old:   `if s.state.And(^foreignBusy)&(foreignFailed|foreignIntroducing) == foreignFailed {`,
		new:   `if s.state.And(^foreignBusy)&foreignFailed > foreignFailed {`,
		tests: "internal/protocol Foreign",
	},
	{
		name: "foreign: an element within an element is dropped", kind: "element lost",
		file:  "internal/protocol/foreign.go",
		old:   `return s.within && !s.done`,
		new:   `return false`,
		tests: "internal/protocol Foreign",
	},
	{
		name: "foreign: an element is refused as OnSubscribe returns", kind: "wrong",
		file:  "internal/protocol/foreign.go",
		old:   "\t\tif s.state.CompareAndSwap(state, state|foreignBusy) {\n\t\t\treturn true\n\t\t}\n",
		new:   "\t\treturn s.state.CompareAndSwap(state, state|foreignBusy)\n",
		tests: "internal/protocol TestForeignElementThatComesAsOnSubscribeReturns",
	},
	{
		name: "foreign: the failure of a request is told within OnSubscribe", kind: "wrong",
		file:  "internal/protocol/foreign.go",
		old:   "(foreignFailed|foreignIntroducing) == foreignFailed {",
		new:   "foreignFailed != 0 {",
		tests: "internal/protocol TestForeignRequestFailsWithinAnElementWithinOnSubscribe",
	},
	{
		name: "foreign: the failure of a request is told beside an element", kind: "wrong",
		file:  "internal/protocol/foreign.go",
		old:   "(foreignFailed|foreignBusy) == foreignFailed {",
		new:   "foreignFailed != 0 {",
		tests: "internal/protocol TestForeignRequestFailsWithinOnSubscribeBesideAnElement",
	},
	{
		name: "foreign: a second subscription that is nil ends the stream", kind: "wrong",
		file:  "internal/protocol/foreign.go",
		old:   "\tif s.up != nil || s.done {\n\t\tdefer",
		new:   "\tif up != nil && (s.up != nil || s.done) {\n\t\tdefer",
		tests: "internal/protocol TestForeignPublishersAreHeldToTheRules",
	},
}
