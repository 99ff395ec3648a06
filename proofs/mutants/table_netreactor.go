package main

// networking breaks servers and connections.
var networking = []mutation{
	{
		name: "connection: work that came during a pass is forgotten", kind: "lost wake-up",
		file:  "netreactor/state.go",
		old:   "return c.state.CompareAndSwap(owned, 0)",
		new:   "c.state.Store(0)\n\treturn true",
		tests: "netreactor TestFrames|TestSendFromMany|TestStorm",
	},
	{
		name: "connection: two make a pass at a time", kind: "compare-and-swap left out",
		file: "netreactor/state.go",
		old: `} else if c.state.CompareAndSwap(old, old&^queued|work|owned) {
			return true
		}`,
		new: `} else {
			c.state.Store(old&^queued | work | owned)
			return true
		}`,
		tests: "netreactor TestTheWord",
	},
	{
		name: "connection: what is left for others after a light pass is not handed on", kind: "lost wake-up",
		file: "netreactor/connection.go",
		old: `if work&^lightWork != 0 {
			c.resubmit(work)
			return
		}`,
		new: `if false {
			c.resubmit(work)
			return
		}`,
		tests: "netreactor TestTheWord",
	},
	{
		name: "connection: a shutdown does not wait for answers", kind: "end too early",
		file:  "netreactor/connection.go",
		old:   "c.eng.draining.Load() && c.ses.idle() && c.answered.Load() >= c.delivered.Load()",
		new:   "c.eng.draining.Load() && c.ses.idle()",
		tests: "netreactor TestShutdown",
	},
	{
		name: "inbound: half of a message that nobody has looked at is left to do", kind: "outcome wrong",
		file:  "netreactor/inbound.go",
		old:   "!p.in.cancelled.Load() && in.ready() {",
		new:   "false {",
		tests: "netreactor TestCloseLooksAtTheRest",
	},
	{
		name: "inbound: a whole message counts as nothing at the end", kind: "discard forgotten",
		file:  "netreactor/inbound.go",
		old:   "if ok || err != nil {\n\t\t\treturn",
		new:   "if ok = false; ok || err != nil {\n\t\t\treturn",
		tests: "netreactor TestCloseLooksAtTheRest",
	},
	{
		name: "inbound: a message that nobody gets is not discarded", kind: "discard forgotten",
		file:  "netreactor/inbound.go",
		old:   "reactor.Discard(p.in.ctx, msg)",
		new:   "_ = msg",
		tests: "netreactor TestCloseLooksAtTheRest",
	},
	{
		name: "connection: a socket with something unread is closed at once", kind: "end too early",
		file:  "netreactor/connection.go",
		old:   "c.shut(why, !c.in.end && c.watch.recently(c))",
		new:   "c.shut(why, false)",
		tests: "netreactor TestStressShutdown",
	},
	{
		name: "connection: it ends before all is written", kind: "end too early",
		file:  "netreactor/connection.go",
		old:   "if why == nil || c.out.size > 0 || c.inboxSize.Load() > 0 {",
		new:   "if why == nil {",
		tests: "netreactor TestSend|TestShutdown",
	},
	{
		name: "inbound: a request does not enter the connection", kind: "lost wake-up",
		file:  "netreactor/inbound.go",
		old:   "if demand.Add(&p.in.demand, n) == 0 {",
		new:   "if demand.Add(&p.in.demand, n) < 0 {",
		tests: "netreactor TestNoDemand|TestFIN",
	},
	{
		name: "inbound: one message more than was asked for", kind: "demand ignored",
		file: "netreactor/inbound.go",
		old: `case sent == asked:
			if asked = p.in.demand.Load(); sent == asked {`,
		new: `case sent > asked:
			if asked = p.in.demand.Load(); sent > asked {`,
		tests: "netreactor TestNoDemand|TestFIN",
	},
	{
		name: "inbound: it reads without demand", kind: "demand ignored",
		file:  "netreactor/inbound.go",
		old:   "p.in.phase.Load() == inboundLive && p.in.demand.Load() > 0 && !c.in.ready()",
		new:   "p.in.phase.Load() == inboundLive && !c.in.ready()",
		tests: "netreactor TestNoDemand",
	},
	{
		name: "inbound: a request during the last delivery is not seen", kind: "lost wake-up",
		file:  "netreactor/inbound.go",
		old:   "return left == 0 || p.in.over || !p.core.in.ready() || p.core.throttled()",
		new:   "return true",
		tests: "netreactor TestARequest",
	},
	{
		name: "inbound: the crash of a subscriber goes unnoticed", kind: "panic not handled",
		file: "netreactor/conn.go",
		old: `c.core.fail(ReasonHandlerFailed, err)
	c.inbound().crashed(err)`,
		new:   "c.inbound().crashed(err)",
		tests: "netreactor TestTheEndOfTheHandler",
	},
	{
		name: "outbound: it asks for more although the peer takes nothing", kind: "demand ignored",
		file: "netreactor/output.go",
		old: `if c.backlog() < mark {
		c.held.Store(false)
		return true
	}`,
		new: `if c.backlog() >= 0 || mark == 0 {
		return true
	}`,
		tests: "netreactor TestAPeer",
	},
	{
		name: "outbound: what came within a pass counts as still to come", kind: "lost demand",
		file:  "netreactor/outbound.go",
		old:   "o.asked.Add(-int32(o.taken))",
		new:   "",
		tests: "netreactor TestWritingWhileReading|TestFramesComeBack",
	},
	{
		name: "outbound: messages go on after the end of the connection", kind: "signal after the end",
		file: "netreactor/outbound.go",
		old: `	case o.hasEnded() || c.abort.Load() != nil:
		return nil, toNobody
`,
		new:   "",
		tests: "netreactor TestWhatIsSentAfterTheEnd",
	},
	{
		name: "outbound: a message that can't be encoded is passed over", kind: "lost error",
		file: "netreactor/outbound.go",
		old: `		if o.out.encoded(c, to, dst, b, err); err != nil {
			o.fail(msg, err)`,
		new: `		if o.out.encoded(c, to, dst, b, err); false {
			o.fail(msg, err)`,
		tests: "netreactor TestAMessageThatCantBeEncoded",
	},
	{
		name: "inbound: a message is delivered without being in flight", kind: "lost element",
		file:  "netreactor/inbound.go",
		old:   "inFlight.Take()",
		new:   "",
		tests: "netreactor TestTheMessageInFlight",
	},
	{
		name: "inbound: a subscriber that comes late does not hear of a failure", kind: "lost error",
		file:  "netreactor/inbound.go",
		old:   "p.in.over, p.in.failed = true, why != nil",
		new:   "p.in.over = true",
		tests: "netreactor TestInboundObeysTheRules",
	},
	{
		name: "epoll driver: the slot of the next one is that of another", kind: "wrong index",
		file:  "netreactor/slots.go",
		old:   "n%slotsPart]",
		new:   "n%(slotsPart-1)]",
		tests: "netreactor TestSlots",
	},
	{
		name: "connection: answers of a full pass are not counted", kind: "lost count",
		file:  "netreactor/throttle.go",
		old:   "		c.answered.Add(uint64(n))",
		new:   "		_ = n",
		tests: "netreactor TestShutdown|TestStats",
	},
	{
		name: "net driver: what was submitted before the first wait is not seen", kind: "lost wake-up",
		file: "netreactor/driver_net.go",
		old: `		if t.c.state.Load()&queued != 0 || t.mode.Load() == modeLeaving {
			return // by somebody who may not have seen it
		}`,
		new:   "",
		tests: "netreactor TestTheFirstWait",
	},
	{
		name: "inbound: the message in flight is lost when user code fails", kind: "lost element",
		file:  "netreactor/inbound.go",
		old:   "		p.in.ctx = &withInFlight[In]{p.in.ctx, *inFlight}",
		new:   "",
		tests: "netreactor TestTheMessageInFlight",
	},
	{
		name: "limits: one connection too many", kind: "wrong comparison",
		file:  "netreactor/engine.go",
		old:   "if l.clients[client] >= l.perClient {",
		new:   "if l.clients[client] > l.perClient {",
		tests: "netreactor TestLimits",
	},
	{
		name: "limits: places are not given back", kind: "count not reset",
		file:  "netreactor/engine.go",
		old:   "e.limits.release(c.tr.client())",
		new:   "",
		tests: "netreactor TestLimits",
	},
	{
		name: "throttle: a connection without a message may not have one", kind: "starvation",
		file:  "netreactor/throttle.go",
		old:   "t.limit > 0 && c.slots.Load() > 0 && t.taken",
		new:   "t.limit > 0 && t.taken",
		tests: "netreactor TestOutstanding",
	},
	{
		name: "throttle: no limit", kind: "limit ignored",
		file:  "netreactor/throttle.go",
		old:   "t.limit > 0 && c.slots.Load() > 0 && t.taken",
		new:   "t.limit < 0 && t.taken",
		tests: "netreactor TestOutstanding",
	},
	{
		name: "expirer: a time-out does not come", kind: "timer not armed",
		file:  "netreactor/expirer.go",
		old:   "n.Due = max(at, now+int64(e.tick))",
		new:   "n.Due = at + 1<<40",
		tests: "netreactor TestTimeouts",
	},
	{
		name: "expirer: activity does not count", kind: "state not reset",
		file:  "netreactor/expirer.go",
		old:   "set(&w.touched, c.eng.expirer.now.Load())",
		new:   "set(&w.touched, w.opened)",
		tests: "netreactor TestActive",
	},
	{
		name: "expirer: a tick that comes late counts as one in time", kind: "time-out too early",
		file:  "netreactor/expirer.go",
		old:   "return e.late[i].came",
		new:   "return since",
		tests: "netreactor TestTicks",
	},
	{
		name: "output: chunks are given back with what they held", kind: "state not reset",
		file:  "netreactor/output.go",
		old:   "c.list, c.off, c.lent, c.loan = nil, 0, 0, false",
		new:   "c.list, c.lent, c.loan = nil, 0, false",
		tests: "netreactor TestFrames|TestAPeerThatDoesNotRead|TestChunks",
	},
	{
		name: "epoll: the end that is told together with bytes is not seen", kind: "event lost",
		file:  "netreactor/driver_epoll.go",
		old:   "if n < len(to) && t.may&mayEnd == 0 {",
		new:   "if n < len(to) {",
		tests: "netreactor TestHalf|TestFIN|TestStorm",
	},
	{
		name: "epoll: reading is not switched on again", kind: "event lost",
		file:  "netreactor/driver_epoll.go",
		old:   "case wants && t.events == eventsButRead && t.may&mayRead == 0:",
		new:   "case wants && t.events == eventsButRead && t.may == mayEnd:",
		tests: "netreactor TestReadingGoesOn",
	},
	{
		name: "epoll: a selector is lost with its goroutine", kind: "Goexit not handled",
		file:  "netreactor/selector.go",
		old:   "go s.run() // runtime.Goexit",
		new:   "s.done.Done() // runtime.Goexit",
		tests: "netreactor TestTheEndOfTheHandler",
	},
	{
		name: "epoll: whatever keeps the acceptor from waiting is taken for the end of the server", kind: "lost error",
		file:  "netreactor/source_epoll.go",
		old:   "if s.closed.Load() {",
		new:   "if s.closed.Load() || true {",
		tests: "netreactor TestWhyAnAcceptFails",
	},
	{
		name: "epoll: the end of the listener is an error like others", kind: "wrong error",
		file:  "netreactor/source_epoll.go",
		old:   "if s.closed.Load() {",
		new:   "if s.closed.Load() && false {",
		tests: "netreactor TestWhyAnAcceptFails",
	},
	{
		name: "epoll: the server goes on without a selector", kind: "error ignored",
		file:  "netreactor/selector.go",
		old:   `s.eng.broken(fmt.Errorf("netreactor: selector failed: %w", err))`,
		new:   `_ = fmt.Errorf("netreactor: selector failed: %w", err)`,
		tests: "netreactor TestASelectorThatFails",
	},
	{
		name: "epoll: a selector that can't look waits to be called", kind: "lost wake-up",
		file:  "netreactor/selector.go",
		old:   "return true // nobody would call",
		new:   "s.failed = false",
		tests: "netreactor TestASelectorThatFails",
	},
	{
		name: "epoll: each look of a selector that has failed is told", kind: "state not kept",
		file:  "netreactor/selector.go",
		old:   "		s.failed = true\n",
		new:   "",
		tests: "netreactor TestASelectorThatFails",
	},
	{
		name: "server: connections are not told why it has ended by itself", kind: "lost error",
		file:  "netreactor/server.go",
		old:   "			cut.Err = *failure\n",
		new:   "			_ = failure\n",
		tests: "netreactor TestASelectorThatFails",
	},
	{
		name: "connection: Close cuts those with nothing left to do", kind: "outcome by chance",
		file:  "netreactor/connection.go",
		old:   "if by != nil && c.out.size == 0 {",
		new:   "if false && by != nil {",
		tests: "netreactor TestNothingLeftToDo",
	},
	{
		name: "connection: Close drops what is not written without saying so", kind: "lost element",
		file:  "netreactor/connection.go",
		old:   "if by != nil && c.out.size == 0 {",
		new:   "if by != nil {",
		tests: "netreactor TestCloseCuts",
	},
	{
		name: "inbound: Close waits until all that was read is delivered", kind: "end too late",
		file:  "netreactor/inbound.go",
		old:   " || c.eng.cutting.Load() != nil:",
		new:   ":",
		tests: "netreactor TestCloseDelivers",
	},
	{
		name: "connection: a handler that is done because of a shutdown counts as done by itself", kind: "outcome by chance",
		file:  "netreactor/connection.go",
		old:   "case why != nil && c.ses.drained():",
		new:   "case false:",
		tests: "netreactor TestNothingLeftToDo",
	},
	{
		name: "net: a handshake that a shutdown has ended has failed", kind: "wrong error",
		file:  "netreactor/driver_net.go",
		old:   "			t.c.fail(ReasonShutdown, nil)\n			return\n",
		new:   "",
		tests: "netreactor TestShutdownDuringAHandshake",
	},
	{
		name: "server: Shutdown does not tell why it has ended by itself", kind: "lost error",
		file:  "netreactor/server.go",
		old:   "		err = *failure\n",
		new:   "		err = nil\n",
		tests: "netreactor TestASelectorThatFails",
	},
	{
		name: "epoll: a selector does not look whether its list was full", kind: "event lost",
		file:  "netreactor/selector.go",
		old:   "case n > 1 || s.vain < vainLooks:",
		new:   "case s.vain < vainLooks:",
		tests: "netreactor TestMoreEventsThanAListTakes",
	},
	{
		name: "epoll: a selector sleeps although something was pushed", kind: "lost wake-up",
		file:  "netreactor/selector.go",
		old:   "if s.queued.Load() > 0 || s.stopping.Load() {",
		new:   "if s.stopping.Load() {",
		tests: "netreactor TestASelectorDoesNot",
	},
	{
		name: "net: a pass waits for the reader", kind: "lost wake-up",
		file: "netreactor/driver_net.go",
		old: `	case modeReading, modeLeaving:
		t.interrupt()`,
		new:   "",
		tests: "netreactor TestWriting|TestSend|TestShutdown",
	},
	{
		name: "net: what a writer has left is not followed up", kind: "lost wake-up",
		file:  "netreactor/driver_net.go",
		old:   "t.c.enter(workWrite)",
		new:   "",
		tests: "netreactor TestWriting|TestSend|TestAPeer",
	},
	{
		name: "framing: a delimiter is searched from where the last search ended", kind: "off by one",
		file:  "netreactor/framing.go",
		old:   "from := max(0, in.Seen()-len(delimiter)+1)",
		new:   "from := in.Seen()",
		tests: "netreactor Fuzz",
	},
	{
		name: "output: a runner takes its chunk back although something is left in it", kind: "state shared",
		file:  "netreactor/output.go",
		old:   "	case o.size > 0:\n	case r != nil",
		new:   "	case r != nil",
		tests: "netreactor TestOutputOfARunner",
	},
	{
		name: "output: an empty chunk stands before a large one", kind: "stale state",
		file:  "netreactor/output.go",
		old:   "	o.dropEmpty()\n	b := takeBuffer",
		new:   "	b := takeBuffer",
		tests: "netreactor TestOutputOfARunner",
	},
	{
		name: "connection: a pass that is made for a request reads first", kind: "lost wake-up",
		file:  "netreactor/connection.go",
		old:   "read := work&^lightWork == workRead && !c.in.ready()",
		new:   "read := true",
		tests: "netreactor",
	},
	{
		name: "parking: what enters a connection that is being parked waits for ever", kind: "lost wake-up",
		file:  "netreactor/driver_net.go",
		old:   "if t.c.state.Load()&queued != 0 && t.mode.CompareAndSwap(modeParked, modeBusy) {",
		new:   "if false {",
		tests: "netreactor TestParkingLosesNothing",
	},
	{
		name: "parking: what enters a parked connection does not resume it", kind: "lost wake-up",
		file: "netreactor/driver_net.go",
		old: `	case modeParked:
		t.unpark()`,
		new:   "",
		tests: "netreactor TestParkingLosesNothing|TestParkedConnections",
	},
	{
		name: "parking: a connection is resumed twice", kind: "compare-and-swap left out",
		file:  "netreactor/driver_net.go",
		old:   "if !t.mode.CompareAndSwap(modeParked, modeBusy) {",
		new:   "if t.mode.Swap(modeBusy) == modeReading {",
		tests: "netreactor TestAnEventOfBefore",
	},
	{
		name: "parking: what TLS has read with the handshake is left there", kind: "lost element",
		file:  "netreactor/driver_net.go",
		old:   "if t.wants && !t.raw.ok() {",
		new:   "if false {",
		tests: "netreactor TestParkedBehindTheHandshake",
	},
	{
		name: "parking: an event of before resumes who is in the slot now", kind: "wrong index",
		file:  "netreactor/parking_epoll.go",
		old:   "at.of != nil && at.generation == e.Pad",
		new:   "at.of != nil",
		tests: "netreactor TestAnEventOfBefore",
	},
	{
		name: "parking: what can't be watched any more is not resumed", kind: "lost wake-up",
		file:  "netreactor/parking_epoll.go",
		old:   "t != nil && t.unpark() {",
		new:   "t != nil && false {",
		tests: "netreactor TestAWaiterThatFails",
	},
	{
		name: "parking: a connection that was resumed is still watched", kind: "leak",
		file:  "netreactor/parking.go",
		old:   "			p.waiter.remove(t)",
		new:   "",
		tests: "netreactor TestParkedConnections",
	},
	{
		name: "parking: bytes that nobody wants resume a connection", kind: "wrong condition",
		file:  "netreactor/parking.go",
		old:   "	if t.wants {",
		new:   "	if true {",
		tests: "netreactor TestParkedWithoutDemand",
	},
	{
		name: "parking: the waiter of connections that were dialled never ends", kind: "leak",
		file:  "netreactor/parking.go",
		old:   "if len(p.awake) == 0 && p.parked == 0 {",
		new:   "if false {",
		tests: "netreactor TestParkedDialled",
	},
	{
		name: "parking: a socket that others close stays", kind: "leak",
		file:  "netreactor/parking.go",
		old:   "p.waiter != nil && p.waiter.isClosed(t) {",
		new:   "p.waiter != nil && false {",
		tests: "netreactor TestParkedAndClosedByOthers",
	},
	{
		name: "parking: a newcomer is one for ever", kind: "lost count",
		file:  "netreactor/parking.go",
		old:   "		p.newcomers--",
		new:   "",
		tests: "netreactor TestNewcomers",
	},
}
