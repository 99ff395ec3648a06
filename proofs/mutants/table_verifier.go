package main

// verifying breaks the verifier of scripts.
var verifying = []mutation{
	{
		name: "stepVerifier: scripts that ask for too little are played", kind: "missing check",
		file:  "reactortest/step_verifier.go",
		old:   `needed > asked {`,
		new:   `needed > asked && i < 0 {`,
		tests: "reactortest TestStepVerifierThatAsksForTooLittle",
	},
	{
		name: "stepVerifier: what is requested later counts from the start", kind: "missing check",
		file:  "reactortest/step_verifier.go",
		old:   `asked, needed := v.config.demand, int64(0)`,
		new:   `asked, needed := sum(v.config.demand, 100), int64(0)`,
		tests: "reactortest TestStepVerifierThatAsksForTooLittle",
	},
	{
		name: "stepVerifier: what a script requests is not counted", kind: "false alarm",
		file:  "reactortest/step_verifier.go",
		old:   `asked = sum(asked, s.asks)`,
		new:   `asked = sum(asked, 0*s.asks)`,
		tests: "reactortest TestStepVerifierThatAsksForTooLittle",
	},
	{
		name: "stepVerifier: VerifyLater waits for Verify", kind: "subscribed late",
		file: "reactortest/step_verifier.go",
		old: `	v.t.Helper()
	v.start()
	return v`,
		new: `	v.t.Helper()
	return v`,
		tests: "reactortest TestVerifyLater",
	},
	{
		name: "stepVerifier: Verify after VerifyLater subscribes again", kind: "subscribed twice",
		file: "reactortest/step_verifier.go",
		old: `		began := time.Now()
		if started == nil {`,
		new: `		began := time.Now()
		if true {`,
		tests: "reactortest TestVerifyLater",
	},
	{
		name: "stepVerifier: a virtual clock stays installed", kind: "left behind",
		file:  "reactortest/run.go",
		old:   `		held.release()`,
		new:   `		_ = held.release`,
		tests: "reactortest TestVerifyLaterOnItsOwnClock",
	},
	{
		name: "virtual clock: the first test that ends takes it away from the others", kind: "ends for others",
		file:  "reactortest/virtual_install.go",
		old:   `in.holders == 0 && !in.kept`,
		new:   `!in.kept`,
		tests: "reactortest TestInstalledClock|TestVerifyLaterOnOneClock",
	},
	{
		name: "virtual clock: a test takes away what was installed before", kind: "ends for others",
		file:  "reactortest/virtual_install.go",
		old:   `in.holders == 0 && !in.kept`,
		new:   `in.holders == 0`,
		tests: "reactortest TestInstalledClock",
	},
	{
		name: "stepVerifier: signals that are nested overlap", kind: "false alarm",
		file:  "reactortest/run.go",
		old:   `overlap = r.carrier.Load() != me`,
		new:   `overlap = me != 0`,
		tests: "reactortest TestStepVerifierRequests",
	},
	{
		name: "stepVerifier: signals overlap with the subscription that asks for them", kind: "false alarm",
		file:  "reactortest/run.go",
		old:   `if s.kind != reactor.KindSubscribe { // what that`,
		new:   `if s.kind > 0 { // what that`,
		tests: "reactortest TestStepVerifierRequestThat",
	},
	{
		name: "marbles: a hot source sends before anybody is subscribed", kind: "wrong order",
		file:  "reactortest/marbles.go",
		old:   `append(m.begin, m.hot...)`,
		new:   `append(m.hot, m.begin...)`,
		tests: "reactortest TestMarblesSubscriptions",
	},
	{
		name: "stepVerifier: the first steps see what a worker makes of the context later", kind: "depends on the race",
		file:  "reactortest/context_steps.go",
		old:   `		if early {`,
		new:   `		if !early {`,
		tests: "reactortest TestContext",
	},
	{
		name: "stepVerifier: steps for the context don't wait for the subscription", kind: "too early",
		file:  "reactortest/run.go",
		old:   `case s.subscribed && r.up == nil:`,
		new:   `case s.subscribed && r.up == nil && mine && !mine:`,
		tests: "reactortest TestContext",
	},
	{
		name: "contextWrite: shows what it was given", kind: "wrong context",
		file:  "operators/context_write.go",
		old:   `upstream.ShowContext(ctx, inner)`,
		new:   `upstream.ShowContext(ctx, ctx)`,
		tests: "reactortest TestContext",
	},
	{
		name: "valueFormatter: the last that fits decides", kind: "wrong order",
		file:  "reactortest/format.go",
		old:   `return func(c *config) { c.format = append(c.format, convert) }`,
		new:   `return func(c *config) { c.format = append(formatter{convert}, c.format...) }`,
		tests: "reactortest TestValueFormatter",
	},
	{
		name: "valueFormatter: slices are left as they are", kind: "not formatted",
		file:  "reactortest/format.go",
		old:   `return "[" + strings.Join(parts, ", ") + "]", true`,
		new:   `return "[" + strings.Join(parts, ", ") + "]", false`,
		tests: "reactortest TestValueFormatter",
	},
}
