package main

// stalls breaks what notices that nothing moves.
var stalls = []mutation{
	{
		name: "stall: what moves is reported too", kind: "outcome wrong",
		file:  "internal/stall/stall.go",
		old:   `m == nil || m.n != n ||`,
		new:   `m == nil ||`,
		tests: "internal/stall TestWhatMoves|TestEachStall",
	},
	{
		name: "stall: reported with each look", kind: "outcome wrong",
		file:  "internal/stall/stall.go",
		old:   `			m.told = true`,
		new:   `			m.told = false`,
		tests: "internal/stall TestAStall",
	},
	{
		name: "stall: one look and no more", kind: "timer not armed",
		file:  "internal/stall/stall.go",
		old:   `if w.round++; w.round == rounds {`,
		new:   `if w.round++; w.round > 0 {`,
		tests: "internal/stall TestAStall",
	},
	{
		name: "stall: the looks go on for ever", kind: "timer not stopped",
		file:  "internal/stall/stall.go",
		old:   `w.round == rounds`,
		new:   `w.round == rounds+4`,
		tests: "internal/stall TestTheLooks",
	},
	{
		name: "stall: the watch outlives the wait", kind: "timer not stopped",
		file:  "internal/stall/stall.go",
		old:   `		w.timer()`,
		new:   ``,
		tests: "internal/stall TestNobodyIsAsked",
	},
	{
		name: "stall: one that has nothing to tell is never asked again", kind: "error dropped silently",
		file:  "internal/stall/stall.go",
		old:   `l.m.told, l.m.at = false, now`,
		new:   `l.m.told, l.m.at = true, now`,
		tests: "internal/stall TestOneThatHasNothing",
	},
	{
		name: "stall: a task that computes counts", kind: "outcome wrong",
		file:  "schedulers/stall.go",
		old:   `	if !waits ||`,
		new:   `	if waits && false ||`,
		tests: "schedulers TestATaskThatComputes",
	},
	{
		name: "stall: any wait of a worker that may block counts", kind: "outcome wrong",
		file:  "schedulers/stall.go",
		old:   `(!at.Library || behind == 0)`,
		new:   `behind == 0`,
		tests: "schedulers TestAWorkerThatMayBlock",
	},
	{
		name: "stall: workers that must not block are looked at only if tasks wait", kind: "error dropped silently",
		file:  "schedulers/stall.go",
		old:   `(s.id.nonBlocking || s.behind() > 0)`,
		new:   `s.behind() > 0`,
		tests: "schedulers TestASleepOnAWorker",
	},
	{
		name: "stall: a slot stays on the list", kind: "slot not given back",
		file:  "schedulers/loop.go",
		old:   `		place.CompareAndSwap(s.ref, nil)`,
		new:   `		_ = place`,
		tests: "schedulers TestSlotsLeave",
	},
	{
		name: "stall: All does not look", kind: "timer not armed",
		file:  "operators/all.go",
		old:   `			s.unwatch = stall.Watch(s.ctx)`,
		new:   ``,
		tests: "operators TestWhoWaits",
	},
	{
		name: "stall: an inner publisher that ends does not count", kind: "outcome wrong",
		file: "operators/merging_inner.go",
		old: `	in.m.full.left()
	if !in.pulled {`,
		new:   `	if !in.pulled {`,
		tests: "operators TestFlatMapThatGoesOn",
	},
	{
		name: "stall: a sink tells it each time", kind: "outcome wrong",
		file:  "operators/sink_core.go",
		old:   `	s.told = true`,
		new:   ``,
		tests: "operators TestASinkThatNobodyAsks",
	},
	{
		name: "stall: a clock that is asked of names the wrong time", kind: "outcome wrong",
		file:  "reactortest/virtual_stall.go",
		old:   `move, due-c.now)`,
		new:   `move, due)`,
		tests: "reactortest TestAVirtualClock",
	},
}
