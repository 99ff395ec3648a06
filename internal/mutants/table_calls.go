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
		name: "throttle: a refused timer hides the failure of upstream", kind: "error lost",
		file:  "operators/throttle.go",
		old:   `s.hop.done.Load() && s.hop.err != nil {`,
		new:   `s.hop.done.Load() && s.hop.err == err {`,
		tests: "operators TestThrottleEnds",
	},
}
