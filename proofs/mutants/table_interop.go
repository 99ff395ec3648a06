package main

// interop breaks the bridges to other libraries.
var interop = []mutation{
	{
		name: "rxgo: the context of an Observable outlives its items", kind: "cancel not propagated",
		file: "interop/rxgo/to_flux.go",
		old: `o.hand.Clear()
		o.stop() // RxGo keeps goroutines until the context has ended, also after completion`,
		new:   "o.hand.Clear()",
		tests: "interop/rxgo TestToFlux",
	},
	{
		name: "rxgo: what an Observable still sends is left unread", kind: "queue not cleared on cancel",
		file: "interop/rxgo/to_flux.go",
		old: `if !o.closed {
			o.drain()
		}`,
		new:   "_ = o.closed",
		tests: "interop/rxgo TestToFlux",
	},
	{
		name: "rxgo: an Observable cancelled before the first request is left unread", kind: "queue not cleared on cancel",
		file: "interop/rxgo/to_flux.go",
		old: `if !o.started.Swap(true) && o.items != nil {
		go o.drain()
	}`,
		new:   "o.started.Store(true)",
		tests: "interop/rxgo TestToFlux",
	},
	{
		name: "rxgo: a channel closed at the end of the context is a completion", kind: "double terminal",
		file: "interop/rxgo/to_flux.go",
		old: `if !o.interrupted() { // for at the end of its context it is closed, too
			o.down.OnComplete()
		}`,
		new:   "o.down.OnComplete()",
		tests: "interop/rxgo TestToFlux",
	},
	{
		name: "rxgo: an item that came with the cancellation is lost", kind: "discard forgotten",
		file: "interop/rxgo/to_flux.go",
		old: `case o.cancelled.Load(), item.E != nil && o.interrupted(): // whose cause is told downstream
		o.drop(item)
		return true`,
		new: `case o.cancelled.Load(), item.E != nil && o.interrupted(): // whose cause is told downstream
		return true`,
		tests: "interop/rxgo TestToFlux",
	},
	{
		name: "rxgo: demand that came meanwhile is not announced", kind: "lost wake-up",
		file: "interop/rxgo/to_flux.go",
		old: `select {
	case o.wake <- struct{}{}:
	default: // a token that has not been taken serves as well
	}`,
		new:   "",
		tests: "interop/rxgo TestToFlux|Conformance",
	},
	{
		name: "rxgo: a producer that never closes its channel is drained for ever", kind: "waiter forgotten",
		file: "interop/rxgo/to_flux.go",
		old:  "limit := time.NewTimer(o.patience)", new: "limit := time.NewTimer(1000 * time.Hour * (1 + o.patience/time.Hour))",
		tests: "interop/rxgo TestToFluxPatience",
	},
	{
		name: "rxgo: an element that nobody read is lost", kind: "discard forgotten",
		file: "interop/rxgo/from_flux.go",
		old: `reactor.Discard(o.ctx, v)
				return`,
		new:   "return",
		tests: "interop/rxgo TestFromFlux",
	},
	{
		name: "rxgo: a Goexit closes the channel like a completion", kind: "Goexit not handled",
		file: "interop/rxgo/from_flux.go",
		old:  "if !clean {", new: "if !clean && false {",
		tests: "interop/rxgo TestFromFlux",
	},
	{
		name: "rxgo: the timer for a slow observer goes on", kind: "timer not stopped",
		file: "interop/rxgo/from_flux.go",
		old:  "o.alarm.Stop()\n\t\to.alarm = nil\n\t\tlive.TimerDone()", new: "o.alarm = nil",
		tests: "interop/rxgo Test",
	},
	{
		name: "toChan: a Goexit closes the channels like a completion", kind: "Goexit not handled",
		file: "operators/to_chan.go",
		old:  "if !clean {", new: "if !clean && false {",
		tests: "flux TestToChan",
	},
	{
		name: "rxgo: an item of another type is discarded after the end", kind: "terminal signal out of order",
		file:  "interop/rxgo/to_flux.go",
		old:   "reactor.Discard(o.ctx, item.V) // first: who gets the error may be the last to look\n\t\to.fail(err)",
		new:   "o.fail(err)\n\t\treactor.Discard(o.ctx, item.V)",
		tests: "interop/rxgo TestToFlux",
	},
	{
		name: "rxgo: what answers the end of the context is the error", kind: "wrong error",
		file:  "interop/rxgo/to_flux.go",
		old:   "case o.cancelled.Load(), item.E != nil && o.interrupted():",
		new:   "case o.cancelled.Load():",
		tests: "interop/rxgo TestToFluxEndOfContextIsNo",
	},
	{
		name: "rxgo: who hears of a failure and ends the goroutine leaves the Observable alone", kind: "leak",
		file:  "interop/rxgo/to_flux.go",
		old:   "\t\t\to.hand.Crash(o.ctx, o.down, false, err)",
		new:   "\t\t\tstop := o.stop\n\t\t\to.stop, o.closed = func() {}, true\n\t\t\to.hand.Crash(o.ctx, o.down, false, err)\n\t\t\to.stop, o.closed = stop, false",
		tests: "interop/rxgo TestToFluxWhoHears",
	},
}
