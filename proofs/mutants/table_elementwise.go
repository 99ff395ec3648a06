package main

// elementwise breaks what all operators that treat one element at a time have in common.
var elementwise = []mutation{
	{
		name: "map: a filter below that it calls fails in its name", kind: "wrong operator named",
		file:  "operators/map.go",
		old:   "if r := fn(v); keeps(f.keep, r) {",
		new:   "if r := fn(v); f.keep(r) {",
		tests: "operators TestFollowers",
	},
	{
		name: "map: the maps below that it calls are called from behind", kind: "order not kept",
		file:  "operators/followers.go",
		old:   "f.maps = append(f.maps, d)",
		new:   "f.maps = append([]func(T) T{d}, f.maps...)",
		tests: "operators TestFollowers",
	},
	{
		name: "filter: what a filter below leaves out is not discarded", kind: "element lost",
		file:  "operators/filter.go",
		old:   "f.filter.Reject(v)",
		new:   "f.filter.Skip()",
		tests: "operators TestFilter",
	},
	{
		name: "element-wise: what is left out under unlimited demand is not discarded", kind: "element lost",
		file:  "internal/stage/elementwise/stage.go",
		old:   "return s.discard == nil && s.unbounded.Load()",
		new:   "return s.unbounded.Load()",
		tests: "operators TestFilter",
	},
	{
		name: "element-wise: what is left out in a loop is not replaced", kind: "demand not replenished",
		file:  "internal/stage/elementwise/stage.go",
		old:   "return s.discard == nil && s.unbounded.Load()",
		new:   "return s.discard == nil",
		tests: "operators TestFilter",
	},
	{
		name: "flatMap: in a loop a failure of the function ends the stream in spite of OnErrorContinue", kind: "outcome wrong",
		file:  "operators/flat_map.go",
		old:   "if s.main.cont != nil {\n\t\treturn s.OnNext",
		new:   "if false {\n\t\treturn s.OnNext",
		tests: "operators TestFlatMap",
	},
	{
		name: "flatMap: a loop goes on after the end", kind: "element after the end",
		file:  "operators/flat_map.go",
		old:   "if s.main.done.Load() || s.main.stop.Load() {",
		new:   "if false {",
		tests: "operators TestFlatMap",
	},
	{
		name: "pairwise: a cancellation forgets the first element", kind: "discard forgotten",
		file: "operators/pairwise.go",
		old: `defer s.first.Close() // also if a function that hears of it ends the goroutine
	s.Up.Cancel()`,
		new:   "s.Up.Cancel()",
		tests: "operators TestPairwise",
	},
	{
		name: "pairwise: nothing is requested in the place of the first element", kind: "demand not replenished",
		file:  "operators/pairwise.go",
		old:   "if s.first.Push(v) && !s.unbounded.Load() {",
		new:   "if s.first.Push(v) && false {",
		tests: "operators TestPairwise",
	},
	{
		name: "tryReduce: the element that failed is not discarded", kind: "discard forgotten",
		file: "internal/stage/single/aggregate.go",
		old:  `	(&protocol.Link{Ctx: a.Slot.Ctx, Up: a.Up, Down: stage}).Fail(err, v)`,
		new: `	a.Up.Cancel()
	stage.OnError(err)`,
		tests: "operators TestTryReduce|TestTryFold",
	},
	{
		name: "tryFold: goes on after an error", kind: "end forgotten",
		file:  "operators/try_fold.go",
		old:   `if s.foldSubscriber.OnNext(v); s.failure != nil {`,
		new:   `if s.foldSubscriber.OnNext(v); false {`,
		tests: "operators TestTryFold",
	},
	{
		name: "tryFlatMap: what is known is not left out", kind: "shortcut past a rule",
		file:  "operators/try_flat_map.go",
		old:   `	p.always = true // the stage knows what to do with an error: hooks, OnErrorContinue` + "\n",
		new:   ``,
		tests: "operators TestTryFlatMap",
	},
	{
		name: "element-wise: nothing is requested for what is left out", kind: "demand not replenished",
		file:  "internal/stage/elementwise/stage.go",
		old:   `if !s.unbounded.Load() {` + "\n\t\ts.up.Request(1)",
		new:   `if s.unbounded.Load() {` + "\n\t\ts.up.Request(1)",
		tests: "operators TestFilter",
	},
	{
		name: "element-wise: unlimited demand is replaced all the same", kind: "demand credited twice",
		file:  "internal/stage/elementwise/stage.go",
		old:   `if n == reactor.Unbounded {`,
		new:   `if n < 0 {`,
		tests: "operators TestMapOptional",
	},
	{
		name: "element-wise: what follows the error is computed", kind: "element after the end",
		file: "internal/stage/elementwise/stage.go",
		old: `	s.done = true
	(&protocol.Link{Ctx: s.ctx, Up: s.up, Down: down}).Fail(err, v)`,
		new:   `	(&protocol.Link{Ctx: s.ctx, Up: s.up, Down: down}).Fail(err, v)`,
		tests: "operators TestTryMap",
	},
	{
		name: "element-wise: two completions", kind: "terminal sent twice",
		file: "internal/stage/elementwise/stage.go",
		old: `	s.done = true
	(&protocol.Link{Ctx: s.ctx, Up: s.up, Down: down}).Finish()`,
		new:   `	(&protocol.Link{Ctx: s.ctx, Up: s.up, Down: down}).Finish()`,
		tests: "operators TestTakeWhile",
	},
	{
		name: "element-wise: what is left out is not discarded", kind: "discard forgotten",
		file:  "internal/stage/elementwise/stage.go",
		old:   `if kind != Rejects {`,
		new:   `if kind != Skips {`,
		tests: "operators TestFilter",
	},
	{
		name: "element-wise: the state is that of each function", kind: "state not shared",
		file:  "stage/each.go",
		old:   `return s.of.def.Step(&s.state, pushTo[T, R](s.down))`,
		new:   `state := s.state` + "\n\treturn s.of.def.Step(&state, pushTo[T, R](s.down))",
		tests: "stage TestOnNextAndTheFunctionShareTheState",
	},
	{
		name: "onErrorContinue: no other element is requested", kind: "demand not replenished",
		file:  "internal/stage/elementwise/continuing.go",
		old:   "	s.Skip()\n",
		new:   "",
		tests: "operators TestTryMap",
	},
	{
		name: "collectSlice: no room for a few", kind: "growth",
		file:  "operators/collect_slice.go",
		old:   "\tif cap(items) == 0 {\n",
		new:   "\tif false {\n",
		tests: "operators TestCollectSliceMakesRoomForAFew",
	},
}
