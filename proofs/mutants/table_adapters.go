package main

// adapters breaks what adapts the standard library.
var adapters = []mutation{
	{
		name: "a cancellation does not free a Read that blocks", kind: "cancel not propagated",
		file: "adapt/internal/blocking/source.go",
		old: `if c.open.Load() {
		c.resource.Interrupt()
	}`,
		new:   "",
		tests: "adapt/internal/blocking TestCancel , adapt/bytestream TestCancel",
	},
	{
		name: "a cancellation does not end the context of what opens", kind: "cancel not propagated",
		file:  "adapt/internal/blocking/source.go",
		old:   "c.stop(reactor.ErrCancelled)",
		new:   "",
		tests: "adapt/internal/blocking TestCancel",
	},
	{
		name: "a resource that was opened after the cancellation stays open", kind: "resource not released",
		file: "adapt/internal/blocking/source.go",
		old: `if c.cancelled.Load() {
		c.abort()
		return false
	}
	return true`,
		new: `if c.cancelled.Load() {
		c.over = true
		return false
	}
	return true`,
		tests: "adapt/internal/blocking TestSourceRaces",
	},
	{
		name: "what Close returns is swallowed", kind: "error dropped silently",
		file:  "adapt/internal/blocking/source.go",
		old:   "err = joined(err, c.close())\n\tif err != nil",
		new:   "c.close()\n\tif err != nil",
		tests: "adapt/internal/blocking TestSourceEnds",
	},
	{
		name: "what Close returns after a cancellation is swallowed", kind: "error dropped silently",
		file: "adapt/internal/blocking/source.go",
		old: `if err := c.close(); err != nil {
		reactor.DropError(c.ctx, err)
	}`,
		new:   "c.close()",
		tests: "adapt/internal/blocking TestCloseErrorAfterCancel",
	},
	{
		name: "the worker of a stream is never given back", kind: "resource not released",
		file:  "adapt/internal/blocking/source.go",
		old:   "defer c.worker.Dispose()",
		new:   "",
		tests: "adapt/internal/blocking TestCancel",
	},
	{
		name: "a feed asks for more than it can hold", kind: "demand",
		file:  "adapt/internal/blocking/feed.go",
		old:   "if n := f.refill.Consumed(1); n > 0 {",
		new:   "if n := f.refill.Consumed(1) + 1; n > 0 {",
		tests: "adapt/internal/blocking TestFeed",
	},
	{
		name: "a feed that is closed leaves what it holds", kind: "element lost",
		file:  "adapt/internal/blocking/feed.go",
		old:   "f.closed.Store(true)\n\tchaos.Yield()\n\tf.sweep.Run((*feedSweep[T])(f))",
		new:   "f.closed.Store(true)",
		tests: "adapt/internal/blocking TestFeed",
	},
	{
		name: "the limit of a line counts its end", kind: "off by one",
		file:  "adapt/bytestream/lines.go",
		old:   "if searched > s.limit+1 {",
		new:   "if searched > s.limit {",
		tests: "adapt/bytestream TestLines",
	},
	{
		name: "a line without an end is lost", kind: "element lost",
		file:  "adapt/bytestream/lines.go",
		old:   "if s.end != io.EOF || s.from == s.to {",
		new:   "if s.end != nil {",
		tests: "adapt/bytestream TestLines",
	},
	{
		name: "what a failed reader left is taken for a line", kind: "outcome wrong",
		file:  "adapt/bytestream/lines.go",
		old:   "if s.end != io.EOF || s.from == s.to {",
		new:   "if s.from == s.to {",
		tests: "adapt/bytestream TestReaderThatFails",
	},
	{
		name: "a reader that returns a negative count is believed", kind: "bad input",
		file:  "adapt/bytestream/input.go",
		old:   "case n < 0 || n > len(p):",
		new:   "case n > len(p):",
		tests: "adapt/bytestream TestReaderThatFails",
	},
	{
		name: "chunks share the memory of a Read", kind: "element overwritten",
		file:  "adapt/bytestream/chunks.go",
		old:   "default:\n\t\t\tbuf = nil",
		new:   "default:",
		tests: "adapt/bytestream TestChunks",
	},
	{
		name: "the element in flight is lost with the function that emits", kind: "element lost",
		file:  "adapt/internal/blocking/source.go",
		old:   "o.home.InFlight.Hold(o.hand.Element())",
		new:   "",
		tests: "adapt/bytestream TestElementInHand",
	},
	{
		name: "an element that was read while the stream was cancelled vanishes", kind: "element lost",
		file:  "adapt/internal/blocking/source.go",
		old:   "reactor.Discard(o.home.core.ctx, v)",
		new:   "",
		tests: "adapt/internal/blocking TestSourceRaces",
	},
	{
		name: "elements that are parts of a buffer find it in use by another stream", kind: "element overwritten",
		file:  "adapt/bytestream/lines.go",
		old:   "len(s.buf) == bufferSize && !s.lent",
		new:   "len(s.buf) == bufferSize",
		tests: "adapt/bytestream TestHooksSeeTheElementThatIsAPartOfABuffer",
	},
	{
		name: "a Read that has panicked counts as abandoned for ever", kind: "resource not released",
		file:  "adapt/bytestream/input.go",
		old:   "in.endRead() // of one that has panicked",
		new:   "",
		tests: "adapt/bytestream TestAbandonedReadThatPanics",
	},
	{
		name: "a Read after the cancellation takes the mark back, and not its count", kind: "resource not released",
		file:  "adapt/bytestream/input.go",
		old:   "if in.reading.Load() == readIdle { // readAbandoned stays: it is counted\n\t\tin.reading.CompareAndSwap(readIdle, readBusy)",
		new:   "if in.reading.Load() != readBusy {\n\t\tin.reading.Store(readBusy)",
		tests: "adapt/bytestream TestAbandonedBetweenReads",
	},
	{
		name: "feed: the consumer waits for ever if a Goexit meets the cancellation", kind: "goroutine not ended",
		file:  "adapt/internal/blocking/feed.go",
		old:   "defer f.end(reactor.NonNil(context.Cause(f.ctx)))\n\tf.up.Cancel()",
		new:   "f.up.Cancel()\n\tf.end(reactor.NonNil(context.Cause(f.ctx)))",
		tests: "adapt/internal/blocking TestFeedOfASourceThatEndsTheGoroutine",
	},
	{
		name: "a copy leaves the scheduler that its writer was given", kind: "wrong goroutine",
		file:  "adapt/bytestream/write.go",
		old:   "c.ahead || c.on != nil",
		new:   "c.ahead",
		tests: "adapt/bytestream TestWriteInStep",
	},
	{
		name: "a copy leaves the scheduler that its reader was given", kind: "wrong goroutine",
		file:  "adapt/internal/blocking/source.go",
		old:   "!ok || p.settings.On != nil",
		new:   "!ok",
		tests: "adapt/bytestream TestWriteInStep",
	},
	{
		name: "what is read in step is opened before anybody can interrupt that", kind: "resource not released",
		file:  "adapt/internal/blocking/source.go",
		old:   "if !p.settings.inStep { // then the first request opens\n\t\ts.core.drain.Run()\n\t}",
		new:   "s.core.drain.Run()",
		tests: "adapt/internal/blocking TestFeedInStep",
	},
	{
		name: "a response that nobody got stays open", kind: "resource not released",
		file:  "adapt/httpstream/client.go",
		old:   "if !r.taken.Swap(true) {",
		new:   "if r.taken.Swap(true) {",
		tests: "adapt/httpstream TestDo",
	},
	{
		name: "a handler keeps what is there until the end", kind: "element late",
		file:  "adapt/internal/httpserve/serve.go",
		old:   "return b.named(b.control.Flush())",
		new:   "return nil",
		tests: "adapt/httpstream TestHandlerFlushes",
	},
	{
		name: "a failure after the first byte looks like the end", kind: "outcome wrong",
		file:  "adapt/internal/httpserve/serve.go",
		old:   "panic(http.ErrAbortHandler)",
		new:   "",
		tests: "adapt/httpstream TestHandlerThatFails",
	},
	{
		name: "an event waits for what follows its \\r", kind: "element late",
		file:  "adapt/sse/decoder.go",
		old:   "d.afterCR = d.buf[d.from] == '\\r'\n\t\t\td.from++",
		new:   "d.afterCR = d.buf[d.from] == '\\r'\n\t\t\td.from++\n\t\t\tif d.afterCR && d.from == d.to {\n\t\t\t\t_ = d.more()\n\t\t\t}",
		tests: "adapt/sse TestDecoderDoesNotWait",
	},
	{
		name: "where an event has no \\r is remembered for another part of the stream", kind: "wrong result",
		file:  "adapt/sse/decoder.go",
		old:   "d.noCR = max(d.noCR-d.from, 0)",
		new:   "",
		tests: "adapt/sse TestDecoder",
	},
	{
		name: "the ID of an event that was cut off counts", kind: "element lost",
		file:  "adapt/sse/decoder.go",
		old:   "d.nextID = valid(value)",
		new:   "d.nextID = valid(value)\n\t\t\td.id = d.nextID",
		tests: "adapt/sse TestIDOfAnEventThatWasCutOff",
	},
	{
		name: "a database that goes away looks like the end", kind: "outcome wrong",
		file:  "adapt/sqlstream/query.go",
		old:   "if err := c.rows.Err(); err != nil {",
		new:   "if err := c.rows.Err(); err != nil && c.rows == nil {",
		tests: "adapt/sqlstream TestQueryFails",
	},
	{
		name: "a process is not waited for", kind: "resource not released",
		file:  "adapt/execstream/output.go",
		old:   "_ = p.wait()\n\tif unset",
		new:   "if unset",
		tests: "adapt/execstream TestCancel",
	},
	{
		name: "an exchange leaves a body open that nobody reads", kind: "resource not released",
		file: "adapt/httpstream/exchange.go",
		old:  "resp.Discarded()", new: "_ = resp",
		tests: "adapt/httpstream TestExchange",
	},
	{
		name: "the failure of a pipe does not name the process", kind: "error without a place",
		file: "adapt/execstream/output.go",
		old:  "reactor.Failure(p.op, ErrPipe, \"%s of %s\", pipe, p.cmd.Path).CausedBy(err)", new: "err",
		tests: "adapt/execstream TestLineThatIsTooLong",
	},
	{
		name: "records go on to a subscriber that has gone", kind: "resource not released",
		file: "adapt/slogstream/handler.go",
		old:  "return slices.DeleteFunc(list, func(x *flux.Sink[*entry]) bool { return x == s })", new: "return list",
		tests: "adapt/slogstream TestRecords",
	},
	{
		name: "subscribers come and go without the lock of their list", kind: "lock missing",
		file: "adapt/slogstream/handler.go",
		old:  "h.mu.Lock()\n\tdefer h.mu.Unlock()", new: "",
		tests: "adapt/slogstream TestSubscribersComeAndGo",
	},
	{
		name: "records that a slow subscriber misses are not counted", kind: "drop not reported",
		file: "adapt/slogstream/handler.go",
		old:  "h.hub.dropped.Add(1)", new: "",
		tests: "adapt/slogstream TestSlowSubscriber",
	},
	{
		name: "the memory of a record is used again before the last subscriber has got it", kind: "element overwritten",
		file: "adapt/slogstream/handler.go",
		old:  "one.wanted.Store(int32(len(list)))", new: "one.wanted.Store(1)",
		tests: "adapt/slogstream TestRecordsWait",
	},
	{
		name: "the memory of a record keeps what was in it", kind: "retained",
		file: "adapt/slogstream/handler.go",
		old:  "e.Record = slog.Record{} // nothing is kept", new: "",
		tests: "adapt/slogstream TestRecordsAreLetGo",
	},
	{
		name: "hooks get pointers to records", kind: "hook not called",
		file: "adapt/slogstream/handler.go",
		old:  "if e, ok := v.(*entry); ok {", new: "if e, ok := v.(*entry); ok && false {",
		tests: "adapt/slogstream TestHooksSeeRecords",
	},
	{
		name: "a group takes the attributes that were there before it", kind: "wrong result",
		file: "adapt/slogstream/handler.go",
		old:  "slices.Backward(h.scopes)", new: "slices.All(h.scopes)",
		tests: "adapt/slogstream TestHandlerConforms",
	},
	{
		name: "signals are listened for after the end", kind: "resource not released",
		file: "adapt/osstream/signals.go",
		old:  "signal.Stop(ch)", new: "",
		tests: "adapt/osstream TestSignals",
	},
}
