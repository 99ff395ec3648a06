package main

// turning is about runs that follow one another, hosts, and what delivers to several at once.
var turning = []mutation{
	{
		name: "replay: nobody hears of an end whose time is not known", kind: "end lost",
		file:  "internal/multicast/replay.go",
		old:   "\tfirst = true\n\tdefer func() { // also if the clock fails",
		new:   "\tdefer func() { // also if the clock fails",
		tests: "operators TestReplayWhoseClockFails",
	},
	{
		name: "fanout: the members are looked at before the queue", kind: "element lost",
		file:  "internal/multicast/fanout.go",
		old:   "!f.dry() && !f.interrupted(who)",
		new:   "!f.interrupted(who)",
		tests: "internal/multicast TestFanoutElementForWho",
	},
	{
		name: "unicast: who has waited for room does not look whether the sink has ended", kind: "element lost",
		file:  "internal/unicast/unicast.go",
		old:   "if p.drain.Leave(p); p.done.Load() {",
		new:   "if p.drain.Leave(p); p.done.Load() && false {",
		tests: "internal/unicast TestNothingIsAcceptedBehind",
	},
	{
		name: "half: a run that is over ends the one that has begun since", kind: "wrong owner",
		file:  "internal/protocol/half.go",
		old:   `		if runAt(word) != run {`,
		new:   `		if !isRun(runAt(word)) {`,
		tests: "internal/protocol TestHalfRuns",
	},
	{
		name: "succession: the run of a source goes on in the next one", kind: "unlocked call-out",
		file:  "internal/stage/resubscribe/succession.go",
		old:   `		s.half.EndRun()`,
		new:   ``,
		tests: "internal/stage/resubscribe Succession",
	},
	{
		name: "succession: an element of a source without runs is in none", kind: "unlocked call-out",
		file: "internal/stage/resubscribe/succession.go",
		old: `	if s.runs || s.half == nil {
		next(v)`,
		new: `	if s.runs || s != nil {
		next(v)`,
		tests: "internal/stage/resubscribe Succession",
	},
	{
		name: "succession: what is known of one source holds for the next", kind: "unlocked call-out",
		file:  "internal/stage/resubscribe/succession.go",
		old:   `	s.runs, s.within, s.begun = false, false, false`,
		new:   ``,
		tests: "internal/stage/resubscribe Succession",
	},
	{
		name: "succession: a stage that hands itself down late forgets the first source", kind: "condition left out",
		file:  "internal/stage/resubscribe/succession.go",
		old:   `	if s.begun { //`,
		new:   `	if false { //`,
		tests: "internal/stage/resubscribe Succession",
	},
	{
		name: "task outlet: a run begins behind the end", kind: "unlocked call-out",
		file:  "internal/protocol/task_outlet.go",
		old:   `	if o.runs != nil && !o.over() {`,
		new:   `	if o.runs != nil {`,
		tests: "internal/protocol TaskOutlet",
	},
	{
		name: "outlet: a run begins behind the end", kind: "unlocked call-out",
		file:  "internal/protocol/outlet.go",
		old:   `	if !o.over() {`,
		new:   `	if true {`,
		tests: "internal/protocol Outlet",
	},
	{
		name: "outlet: what is sent within OnNext leaves the run open", kind: "lost wake-up",
		file: "internal/protocol/outlet.go",
		old: `	if o.run != 0 {
		o.leaveRun()`,
		new: `	if false {
		o.leaveRun()`,
		tests: "internal/protocol Outlet",
	},
	{
		name: "outlet: a stage that does not say when it sends is taken to", kind: "signal after cancellation",
		file:  "internal/protocol/outlet.go",
		old:   `if !o.InRuns || h.WantsRequested()`,
		new:   `if h.WantsRequested()`,
		tests: "internal/protocol Outlet",
	},
	{
		name: "zip: elements outside of runs", kind: "signal after cancellation",
		file: "operators/zipping.go",
		old: `		z.out.Sending()
		for i`,
		new: `		if z.PushDown == nil {
			z.out.Sending()
		}
		for i`,
		tests: "proofs/stages TestRunsAreTold",
	},
	{
		name: "merge: an element that is sent within OnNext is outside of runs", kind: "signal after cancellation",
		file:  "internal/stage/merge/main.go",
		old:   `r.queue.IsEmpty() && s.Out.Sending() {`,
		new:   `r.queue.IsEmpty() && (s.PushDown != nil || s.Out.Sending()) {`,
		tests: "proofs/stages TestRunsAreTold",
	},
	{
		name: "concatMap: the run of a publisher goes on in the next one", kind: "unlocked call-out",
		file:  "operators/concat_map_inner.go",
		old:   `		s.out.EndRun()`,
		new:   ``,
		tests: "operators TestConcatMapElement",
	},
	{
		name: "concatMap: the next publisher gets the function for runs", kind: "unlocked call-out",
		file:  "operators/concat_map_inner.go",
		old:   `		in.runs = false //`,
		new:   `		//`,
		tests: "operators TestConcatMapElement",
	},
	{
		name: "concatMap: a failure below a publisher that feeds is one of the publisher", kind: "error dropped silently",
		file:  "operators/concat_map_inner.go",
		old:   `	if in.call.Failed() || in.plain {`,
		new:   `	if in.call.Failed() {`,
		tests: "operators TestConcatMapFeeding",
	},
	{
		name: "concatMap: the next publisher is taken for one that feeds", kind: "error overtakes",
		file:  "operators/concat_map_inner.go",
		old:   `	in.produced, in.plain = 0, false`,
		new:   `	in.produced = 0`,
		tests: "operators TestConcatMapFeeding",
	},
	{
		name: "concatMap: a publisher feeds where demand is counted", kind: "demand not kept",
		file:  "operators/concat_map_inner.go",
		old:   `ok && sync.Feeds(in) && in.arbiter.IsUnbounded()`,
		new:   `ok && sync.Feeds(in)`,
		tests: "operators TestConcatMapFeeding",
	},
	{
		name: "concatMap: an element of a run comes after the end", kind: "signal after cancellation",
		file: "operators/concat_map_inner.go",
		old: `	return func(v R) {
		if s.stop.Load() {`,
		new: `	return func(v R) {
		if s == nil {`,
		tests: "operators TestConcatMap",
	},
	{
		name: "turn: an end is delivered during an element", kind: "unlocked call-out",
		file:  "internal/protocol/turn.go",
		old:   `if list != nil && t.active() {`,
		new:   `if list == nil && t.active() {`,
		tests: "internal/protocol TestTurn",
	},
	{
		name: "turn: who drains does not look again", kind: "lost wake-up",
		file: "internal/protocol/turn.go",
		old: `	clean = true
	t.Settle()`,
		new:   `	clean = true`,
		tests: "internal/protocol TestTurn",
	},
	{
		name: "turn: who gives it up does not look again", kind: "lost wake-up",
		file: "internal/protocol/turn.go",
		old: `	if t.release() {
		t.Settle()
	} else {`,
		new:   `	if !t.release() {`,
		tests: "internal/protocol TestTurn , sinks TestEnd",
	},
	{
		name: "turn: nobody is told behind one that ends the goroutine", kind: "Goexit not handled",
		file: "internal/protocol/turn.go",
		old: `		if !clean {
			l.deliver()
		}`,
		new: `		if !clean && l == nil {
			l.deliver()
		}`,
		tests: "internal/protocol TestTurn",
	},
	{
		name: "turn: a drain that ends its goroutine stays taken", kind: "Goexit not handled",
		file:  "internal/protocol/turn.go",
		old:   "\tdefer t.pass(o) // also if a function",
		new:   "\t//",
		tests: "internal/protocol TestTurn",
	},
	{
		name: "half: one that is lodged delivers its end itself", kind: "unlocked call-out",
		file:  "internal/protocol/turn.go",
		old:   `	h.word.Add(halfRun + halfLodged)`,
		new:   `	h.word.Add(halfRun)`,
		tests: "internal/protocol TestTurn",
	},
	{
		name: "subscribeFunc: a host is not told of the end", kind: "lost wake-up",
		file:  "operators/subscribe_func.go",
		old:   `		if s.out.IsLodged() {`,
		new:   `		if s.out.IsLodged() && err == nil {`,
		tests: "sinks TestEnd",
	},
	{
		name: "flatMap: what is known at once goes by an end from elsewhere", kind: "unlocked call-out",
		file:  "operators/flat_map_scalar.go",
		old:   `	if m.lodged || m.requested.Load()`,
		new:   `	if m.requested.Load()`,
		tests: "operators TestHost",
	},
	{
		name: "flatMap: nobody looks for an end that is left with it", kind: "lost wake-up",
		file:  "operators/flat_map_host.go",
		old:   `	m.drain.Run(m) // at once, as Cancel`,
		new:   ``,
		tests: "operators TestHost",
	},
	{
		name: "flatMap: an end that is left with it is told during an element", kind: "unlocked call-out",
		file:  "operators/flat_map_host.go",
		old:   `	m.lodging.Keep(h)`,
		new:   `	h.Settle()`,
		tests: "operators TestHost",
	},
	{
		name: "outlet: an end that is left with it is told during an element", kind: "unlocked call-out",
		file:  "internal/protocol/outlet.go",
		old:   `	o.late.Keep(h)`,
		new:   `	h.Settle()`,
		tests: "operators TestHost",
	},
	{
		name: "outlet: nobody tells the end that is left with it", kind: "end lost",
		file:  "internal/protocol/outlet.go",
		old:   `		o.late.Settle()`,
		new:   ``,
		tests: "operators TestHost",
	},
	{
		name: "create: an end that is left with the sink is told during an element", kind: "unlocked call-out",
		file:  "operators/sink_core.go",
		old:   `	s.lodging.Keep(h)`,
		new:   `	h.Settle()`,
		tests: "operators TestHost",
	},
	{
		name: "create: nobody tells the end that is left with the sink", kind: "end lost",
		file:  "operators/sink_core.go",
		old:   `	s.lodging.Settle()`,
		new:   ``,
		tests: "operators TestHost",
	},
	{
		name: "fromChan: an end behind the last element is lost", kind: "lost wake-up",
		file:  "operators/from_chan.go",
		old:   `	if !s.started.Swap(true) || s.gone.Load() {`,
		new:   `	if !s.started.Swap(true) {`,
		tests: "operators TestHost",
	},
	{
		name: "fromChan: the goroutine does not tell the end", kind: "end lost",
		file:  "operators/from_chan.go",
		old:   `	defer s.leave()`,
		new:   ``,
		tests: "operators TestHost",
	},
	{
		name: "subscribeFunc: nobody is taken to be able to end the stream", kind: "unlocked call-out",
		file:  "operators/subscribe_func.go",
		old:   `ctx.Done() == nil && s.config.onSubscribe == nil`,
		new:   `ctx.Done() == nil || s.config.onSubscribe == nil`,
		tests: "sinks TestEnd",
	},
	{
		name: "direct: what is sent from within a delivery is lost", kind: "element lost",
		file:  "internal/multicast/direct.go",
		old:   `		d.later = append(d.later, delivery[T]{to: to, element: v})`,
		new:   ``,
		tests: "sinks TestNested",
	},
	{
		name: "direct: the end from within a delivery is lost", kind: "terminal lost",
		file:  "internal/multicast/direct.go",
		old:   `		d.later = append(d.later, end)`,
		new:   `		_ = end`,
		tests: "sinks TestNested",
	},
	{
		name: "direct: one who fails keeps the others from the element", kind: "Goexit not handled",
		file: "internal/multicast/direct.go",
		old:  `			d.Turn.Resume(d, recover())`,
		new: `			recover()
			d.active = false`,
		tests: "sinks TestSubscriberInTheMiddleFails",
	},
	{
		name: "resume: one failure behind another ends all", kind: "Goexit not handled",
		file: "internal/protocol/turn.go",
		old: `	o.DrainPass()
	clean = true`,
		new: `	clean = true
	o.DrainPass()`,
		tests: "sinks TestSubscriberInTheMiddleFails",
	},
	{
		name: "direct: an end waits that nobody looks for", kind: "lost wake-up",
		file:  "sinks/guard.go",
		old:   `			g.turn.Settle()`,
		new:   ``,
		tests: "sinks TestEnd|TestDisposed",
	},
	{
		name: "direct: an end does not wait for the emission", kind: "unlocked call-out",
		file:  "sinks/guard.go",
		old:   `return g.owner.Load() != 0`,
		new:   `return g == nil`,
		tests: "sinks TestEnd|TestDisposed",
	},
	{
		name: "direct: demand is used up only where not all have some", kind: "demand not credited",
		file:  "internal/multicast/direct.go",
		old:   `r.take() && lacking`,
		new:   `lacking && r.take()`,
		tests: "sinks TestDirect|TestNested",
	},
	{
		name: "direct: who asks for nothing is forgotten", kind: "work repeated",
		file:  "internal/multicast/direct.go",
		old:   "\t\t\t\td.remember(r)\n",
		new:   "",
		tests: "internal/multicast TestDirectLooks",
	},
	{
		name: "direct: who asked for nothing is kept when it has left", kind: "leak",
		file:  "internal/multicast/direct.go",
		old:   "if d.short.Load() == r {",
		new:   "if d.short.Load() == r && false {",
		tests: "internal/multicast TestDirectLooks",
	},
	{
		name: "direct: any demand is taken for all", kind: "demand off by one",
		file:  "internal/multicast/direct.go",
		old:   `unbounded = unbounded && n == reactor.Unbounded`,
		new:   `unbounded = unbounded && n > 0`,
		tests: "sinks TestDirect",
	},
	{
		name: "direct: an element that nobody has got vanishes", kind: "discard forgotten",
		file:  "internal/multicast/direct.go",
		old:   `if !d.reached && len(d.now.to) > 0 {`,
		new:   `if !d.reached && len(d.now.to) < 0 {`,
		tests: "sinks TestNested",
	},
	{
		name: "direct: the failure of one is told twice", kind: "duplicated signal",
		file:  "internal/multicast/direct.go",
		old:   `	case d.failed == r:`,
		new:   `	case d.failed == r && r == nil:`,
		tests: "sinks TestSubscriberWho",
	},
	{
		name: "fanout: any demand is taken for all", kind: "demand off by one",
		file:  "internal/multicast/fanout.go",
		old:   `who.unbounded = room == reactor.Unbounded`,
		new:   `who.unbounded = room > 0`,
		tests: "sinks Multicast , operators TestPublish",
	},
	{
		name: "fanout: an element goes by those that wait", kind: "order lost",
		file:  "internal/multicast/fanout.go",
		old:   `if f.Queue.IsEmpty() && f.turn.TryEnter() {`,
		new:   `if f.turn.TryEnter() {`,
		tests: "sinks Multicast , operators TestPublish",
	},
	{
		name: "fanout: an element beside the queue needs no demand", kind: "demand off by one",
		file:  "internal/multicast/fanout.go",
		old:   `!who.unbounded && f.room(who) <= 0`,
		new:   `!who.unbounded && f.room(who) < 0`,
		tests: "sinks Multicast , operators TestPublish",
	},
	{
		name: "sinks: an emission within another one gives up the guard", kind: "unlocked call-out",
		file:  "sinks/guard.go",
		old:   `	g.depth++`,
		new:   ``,
		tests: "sinks TestEmissionsThatOverlap",
	},
	{
		name: "direct: one who has left gets the element all the same", kind: "signal after cancellation",
		file: "internal/multicast/direct.go",
		old: `		if r.isThere() {
			d.reached = true`,
		new: `		if r != nil {
			d.reached = true`,
		tests: "sinks TestDisposed",
	},
	{
		name: "fanout: one who has left gets the element all the same", kind: "signal after cancellation",
		file: "internal/multicast/fanout.go",
		old: `		if !s.cancelled.Load() {
			f.reached = true`,
		new: `		if s != nil {
			f.reached = true`,
		tests: "sinks TestDisposed",
	},
	{
		name: "subscribeFunc: a stage between is taken for the host", kind: "signal after cancellation",
		file: "operators/subscribe_func.go",
		old: `	if !s.alone && !s.runs {
		return func(v T) {`,
		new: `	if s.runs && s.hosted && s.onNext != nil {
		return s.onNext
	}
	if !s.alone && !s.runs {
		return func(v T) {`,
		tests: "sinks TestDisposed",
	},
	{
		name: "subscribeFunc: the host is to be told before it is there", kind: "wrong order of two stores",
		file: "operators/subscribe_func.go",
		old: `		if s.link.Keep(up) { // before out is lodged: who ends the stream then finds the Host there
			s.attach(up)
			s.link.Open()
		}`,
		new: `		s.attach(up)
		s.link.Set(up)`,
		tests: "sinks TestEnds",
	},
	{
		name: "replay: who was found behind is forgotten", kind: "wrong figure",
		file:  "internal/multicast/replay.go",
		old:   "p != nil && p.isBehind(n) {",
		new:   "p != nil && p.isBehind(n) && n < 0 {",
		tests: "internal/multicast TestReplaySubscribersThat",
	},
	{
		name: "replay: who was behind is kept behind the end", kind: "leak",
		file:  "internal/multicast/replay.go",
		old:   "			defer r.late.Store(nil) // nobody asks any more, and it is not to be kept\n",
		new:   "",
		tests: "internal/multicast TestReplayThatHasEnded",
	},
	{
		name: "fanout: who asks for nothing is forgotten", kind: "wrong figure",
		file:  "internal/multicast/fanout.go",
		old:   "\t\t\t\twho.short, f.short = i, s",
		new:   "\t\t\t\t_ = s",
		tests: "internal/multicast TestFanoutOf",
	},
	{
		name: "fanout: who has left is waited for", kind: "starvation",
		file:  "internal/multicast/fanout.go",
		old:   "\tif !s.cancelled.Load() && s.demand.Load() == 0 {",
		new:   "\tif s.demand.Load() == 0 {",
		tests: "internal/multicast TestFanoutOf",
	},
	{
		name: "subscribeFunc: an end behind an element that fails is lost", kind: "end lost",
		file:  "internal/protocol/half.go",
		old:   "\tcase h.calling:\n\t\tif h.Leave() {",
		new:   "\tcase h.calling:\n\t\tif h.Leave() && h.end.Load() == nil {",
		tests: "operators TestSubscribeFuncThatFailsBehind",
	},
	{
		name: "runOn: a rail that is over reports an error that others may deliver", kind: "reported twice",
		file: "operators/parallel_run_on.go",
		old: `	if !r.over {
		r.err = err
		return out.Ending(err), nil
	}
	e.lost = append(e.lost, err)
	return false, e.unheard()
`,
		new: `	r.err = err
	return out.Ending(err), nil
`,
		tests: "operators TestRailsThatAreOver",
	},
	{
		name: "runOn: what rails have heard is forgotten while an error is due", kind: "reported twice",
		file:  "operators/parallel_run_on.go",
		old:   `	if e.due == 0 {`,
		new:   `	if e.due >= 0 {`,
		tests: "operators TestRailsThatAreOver",
	},
}
