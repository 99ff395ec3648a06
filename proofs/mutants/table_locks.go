package main

// locking breaks keyed locks and what they have with a shared store.
var locking = []mutation{
	{
		name: "locks: a key that is held is granted again", kind: "condition weakened",
		file:  "keylock/acquire.go",
		old:   "case e.holder == nil && (e.last == nil || m.barging):",
		new:   "case e.holder == nil || c.wait > 0:",
		tests: "keylock TestD1_|TestD3_",
	},
	{
		name: "locks: the last to come is the first to go", kind: "order reversed",
		file: "keylock/shard.go",
		old: `e.last = h
	e.waiters++`,
		new: `if e.last == nil {
		e.last = h
	}
	e.waiters++`,
		tests: "keylock TestD2_",
	},
	{
		name: "locks: who passes a key on runs on", kind: "call removed",
		file:  "keylock/do.go",
		old:   "		runtime.Gosched()\n",
		new:   "		_ = runtime.Gosched\n",
		tests: "keylock TestWhoPasses",
	},
	{
		name: "locks: a grant that loses to a cancellation is lost", kind: "lost wake-up",
		file: "keylock/acquire.go",
		old: `if !h.giveUp() {
		h.release()
	}`,
		new:   `h.giveUp()`,
		tests: "keylock TestMeetings",
	},
	{
		name: "locks: who gives up stays in the queue", kind: "not removed",
		file: "keylock/acquire.go",
		old: `case waiting:
		h.s.leave(h)`,
		new:   `case waiting:`,
		tests: "keylock TestD2_|TestMeetings",
	},
	{
		name: "locks: a stale release frees the key of its successor", kind: "owner not checked",
		file: "keylock/hold.go",
		old: `if h.state != held && h.state != expired {
		h.s.unlock()
		return false, false, lapse
	}`,
		new:   "",
		tests: "keylock TestD16_",
	},
	{
		name: "locks: a lease that was extended expires all the same", kind: "condition left out",
		file:  "keylock/hold.go",
		old:   "if left := min(h.due, h.record) - now; left > 0 {",
		new:   "if left := min(h.due, h.record) - now; left > 1<<62 {",
		tests: "keylock TestD10_",
	},
	{
		name: "locks: a lease is measured from the call", kind: "wrong time",
		file:  "keylock/hold.go",
		old:   "h.due = later(now, h.lease)",
		new:   `h.due = later(now-int64(h.waited), h.lease)`,
		tests: "keylock TestD7_",
	},
	{
		name: "locks: the key is passed on while its holder runs", kind: "condition left out",
		file:  "keylock/hold.go",
		old:   "detach := h.policy == ReleaseOnExpiry",
		new:   "detach := true",
		tests: "keylock TestD11_HoldUntilReturn",
	},
	{
		name: "locks: the context does not end with the lease", kind: "call left out",
		file: "keylock/hold.go",
		old: `h.end(err)
	if detach {`,
		new:   "if detach {",
		tests: "keylock TestD7_|TestD10_",
	},
	{
		name: "locks: a context that is asked for late never ends", kind: "second look left out",
		file: "keylock/context.go",
		old: `if e := h.ending.Load(); e != nil {
		c.end(e.cause)
	}
	return c`,
		new:   "return c",
		tests: "keylock TestD7_|TestMeetings",
	},
	{
		name: "locks: the token of a key is given twice", kind: "count not advanced",
		file:  "keylock/shard.go",
		old:   "s.hand(h, h.s.m.tokens.Add(1))",
		new:   "s.hand(h, h.s.m.tokens.Load()+1)",
		tests: "keylock TestD12_|TestStressCrowd",
	},
	{
		name: "locks: eviction takes what was used in between", kind: "condition weakened",
		file: "keylock/shard.go",
		old: `if e.resting {
			s.idle.remove(e)
		}`,
		new:   "",
		tests: "keylock TestD2[01]_|TestMeetings",
	},
	{
		name: "locks: nobody comes round for idle keys", kind: "leak",
		file:  "keylock/idle.go",
		old:   "defer s.watch(clk)",
		new:   "_ = clk",
		tests: "keylock TestD20_",
	},
	{
		name: "locks: a map keeps the size of its best days", kind: "leak",
		file:  "keylock/shard.go",
		old:   "if s.largest < 32 || n > s.largest/8 {",
		new:   "if true {",
		tests: "keylock TestMapsShrink",
	},
	{
		name: "locks: a call waits for itself", kind: "condition left out",
		file:  "keylock/acquire.go",
		old:   "if m.reentered(ctx, h.e.key) != nil {\n\t\terr = m.reentrance(h.op.String(), h.e.key)\n\t} else if",
		new:   "if",
		tests: "keylock TestD14_",
	},
	{
		name: "locks: those who wait are forgotten at shutdown", kind: "lost wake-up",
		file:  "keylock/shutdown.go",
		old:   "if !drain {\n\t\t\twaiters = append(waiters, s.dismiss()...)\n\t\t}",
		new:   "",
		tests: "keylock TestD22_",
	},
	{
		name: "locks: a stream that is cancelled keeps its key", kind: "leak",
		file:  "keylock/lock.go",
		old:   `l.link.CancelAnd(l.h.abandonQueued)`,
		new:   `l.link.CancelOnce()`,
		tests: "keylock TestD26_CancelReleases",
	},
	{
		name: "locks: a stream ends before its key is free", kind: "order reversed",
		file: "keylock/lock.go",
		old: `defer l.h.whenFree(l.stage.complete) // as in OnError
	l.h.release()`,
		new: `l.stage.complete()
	l.h.release()`,
		tests: "keylock TestD26_TheKeyIsFree",
	},
	{
		name: "locks: a record is relied on for its whole time to live", kind: "margin left out",
		file:  "keylock/session.go",
		old:   "limit: h.s.m.ttl - h.s.m.margin,",
		new:   "limit: h.s.m.ttl,",
		tests: "keylock TestK6_",
	},
	{
		name: "locks: no answer is taken for a no", kind: "unknown outcome",
		file: "keylock/session_acquire.go",
		old: `if ev, failed := s.read(s.ctx, s.limit); failed == nil && ev.Kind == Occupied && ev.Grant.Nonce == s.nonce {
		return ev.Grant, nil
	}`,
		new:   "",
		tests: "keylock TestK7_|TestBackendThatPanics",
	},
	{
		name: "locks: a record of somebody else is taken for one's own", kind: "owner not checked",
		file:  "keylock/session_acquire.go",
		old:   "failed == nil && ev.Kind == Occupied && ev.Grant.Nonce == s.nonce {",
		new:   "failed == nil && ev.Kind == Occupied {",
		tests: "keylock TestBackendCrowd|TestK7_",
	},
	{
		name: "locks: what nobody waits for any more is left in the store", kind: "leak",
		file:  "keylock/session_acquire.go",
		old:   "s.behind(func(nonce string, sent int64) { s.forget(nonce, sent, true) })",
		new:   "s.nonce = rand.Text()",
		tests: "keylock TestK7_ARequestThatIsCarriedOutLater",
	},
	{
		name: "locks: a release that failed is not tried again", kind: "retry left out",
		file: "keylock/session.go",
		old: `if !free {
			s.forget(s.nonce, s.sent, false)
		}`,
		new:   "_ = free",
		tests: "keylock TestK9_",
	},
	{
		name: "locks: a session tells the stream of its loss itself", kind: "goroutine left out",
		file:  "keylock/hold.go",
		old:   "go onOver.over(err)",
		new:   "onOver.over(err)",
		tests: "keylock TestBackendAfterAStream",
	},
	{
		name: "locks: a key is granted at once after an expiry", kind: "delay left out",
		file:  "keylock/session_watch.go",
		old:   "s.sleep(s.ctx, left) // the holder may not have noticed yet",
		new:   "",
		tests: "keylock TestK8_|TestK6_",
	},
	{
		name: "locks: tokens may fall", kind: "condition left out",
		file:  "keylock/session_acquire.go",
		old:   "case g.Token <= seen:",
		new:   "case false:",
		tests: "keylock TestG6_",
	},
	{
		name: "locks: a lost renewal counts from when it was looked at", kind: "wrong time",
		file:  "keylock/session_keep.go",
		old:   "s.grant, s.sent, s.doubt = ev.Grant, s.doubt, 0",
		new:   "s.grant, s.sent, s.doubt = ev.Grant, s.h.clk.now(), 0",
		tests: "keylock TestK6_ADoubtfulRenewal",
	},
	{
		name: "locks: who gives up its turn to take the key tells nobody", kind: "lost wake-up",
		file: "keylock/acquire.go",
		old: `if next != nil {
		next.nudge()
	}
	if watch {
		h.s.watch(h.clk)
	}
	h.s.m.measure.keys(h.s)`,
		new:   "_, _ = next, watch\n\th.s.m.measure.keys(h.s)",
		tests: "keylock TestD27_",
	},
	{
		name: "locks: a meter does not hear of keys that are forgotten", kind: "wrong figure",
		file:  "keylock/idle.go",
		old:   "	s.m.measure.keys(s)\n",
		new:   "",
		tests: "keylock TestD23_",
	},
	{
		name: "locks: contexts that are derived from that of a lease go on", kind: "call left out",
		file: "keylock/context.go",
		old: `for fn := range after {
		(*fn)()
	}`,
		new:   "_ = after",
		tests: "keylock TestD7_",
	},
	{
		name: "locks: who listens to a lease that is over hears nothing", kind: "lost wake-up",
		file:  "keylock/context.go",
		old:   "go fn() // the caller has a lock of its own",
		new:   "_ = fn",
		tests: "keylock TestD7_",
	},
	{
		name: "locks: the end of a lease has no cause", kind: "error lost",
		file:  "keylock/context.go",
		old:   "if !over {",
		new:   "if over || !over {",
		tests: "keylock TestD7_",
	},
	{
		name: "fence: an equal token passes with any nonce", kind: "condition weakened",
		file:  "keylock/fence/fence.go",
		old:   "|| m.Token == seen.Token && m.Nonce != seen.Nonce {",
		new:   "{",
		tests: "keylock/fence TestD13_",
	},
	{
		name: "fence: a lower token passes", kind: "condition left out",
		file:  "keylock/fence/fence.go",
		old:   "m.Token == 0 || m.Token < seen.Token ||",
		new:   "m.Token == 0 ||",
		tests: "keylock/fence TestD13_|TestDo",
	},
	{
		name: "natslock: a record is written whatever is there", kind: "condition left out",
		file:  "connectors/nats/natslock/backend.go",
		old:   "header[jetstream.ExpectedLastSubjSeqHeader] = []string{strconv.FormatUint(revision, 10)}",
		new:   "_ = revision",
		tests: "connectors/nats/itest TestK2|TestK3",
	},
	{
		name: "natslock: a renewal brings no time to live, as Update of the client's buckets", kind: "argument left out",
		file:  "connectors/nats/natslock/backend.go",
		old:   "value, g.Revision, nats.Header{jetstream.MsgTTLHeader: {seconds(ttl)}})",
		new:   "value, g.Revision, nats.Header{})",
		tests: "connectors/nats/itest TestK3|TestK4",
	},
	{
		name: "natslock: parts of a second are left out, as the server does it", kind: "rounded down",
		file: "connectors/nats/natslock/backend.go",
		old: `if d%time.Second > 0 {
		s++
	}`,
		new:   "",
		tests: "connectors/nats/itest TestK4",
	},
	{
		name: "natslock: a renewed record has the token of its last write", kind: "wrong number",
		file:  "connectors/nats/natslock/backend.go",
		old:   "g.Revision = at\n\treturn g, nil",
		new:   "g.Revision, g.Token = at, at\n\treturn g, nil",
		tests: "connectors/nats/itest TestK3",
	},
	{
		name: "natslock: every conflict is a certain no", kind: "unknown outcome",
		file:  "connectors/nats/natslock/backend.go",
		old:   "case e.Kind == keylock.Occupied && e.Revision == g.Revision:",
		new:   "case false:",
		tests: "connectors/nats/itest TestK7Answers",
	},
	{
		name: "natslock: one's own record is taken for that of somebody else", kind: "unknown outcome",
		file:  "connectors/nats/natslock/backend.go",
		old:   "case e.Kind == keylock.Occupied && e.Grant.Nonce == r.Nonce:",
		new:   "case false:",
		tests: "connectors/nats/itest TestK7Answers",
	},
	{
		name: "natslock: an expiry that nobody was told of is passed over", kind: "condition left out",
		file:  "connectors/nats/natslock/backend.go",
		old:   "case e.Kind == keylock.Expired && e.Revision != r.Revision:",
		new:   "case false:",
		tests: "connectors/nats/itest TestK8",
	},
	{
		name: "natslock: a request waits for the connection that it was lost with", kind: "call left out",
		file:  "connectors/nats/natslock/backend.go",
		old:   "lose(errConnectionLost)",
		new:   "",
		tests: "connectors/nats/itest TestK7LostConnection",
	},
	{
		name: "natslock: the mark of a release stays for ever", kind: "leak",
		file:  "connectors/nats/natslock/backend.go",
		old:   "jetstream.MsgTTLHeader: {b.markerTTL},",
		new:   "",
		tests: "connectors/nats/itest TestMarksGo",
	},
	{
		name: "natslock: a release is taken for an expiry", kind: "condition left out",
		file:  "connectors/nats/natslock/record.go",
		old:   "case op == operationPurge || op == operationDelete:",
		new:   "case op == operationDelete:",
		tests: "connectors/nats/itest TestK2|TestReleaseIsNoExpiry",
	},
	{
		name: "natslock: two keys have one subject", kind: "not reversible",
		file:  "connectors/nats/natslock/key.go",
		old:   "b.WriteByte(hexDigits[c&15])",
		new:   "",
		tests: "connectors/nats/itest TestK10",
	},
	{
		name: "natslock: a watch that is silent goes on", kind: "time limit left out",
		file:  "connectors/nats/natslock/watch.go",
		old:   "case <-quiet.C:\n\t\t\treturn",
		new:   "case <-quiet.C:",
		tests: "connectors/nats/itest TestK7SilentServer|TestK11",
	},
	{
		name: "natslock: a watch that has missed something goes on", kind: "condition left out",
		file:  "connectors/nats/natslock/watch.go",
		old:   "if err != nil || meta.Sequence.Consumer != w.seen+1 {",
		new:   "if err != nil {",
		tests: "connectors/nats/natslock TestK11",
	},
	{
		name: "natslock: a bucket with a history is accepted", kind: "condition left out",
		file:  "connectors/nats/natslock/bucket.go",
		old:   "refuse(c.MaxMsgsPerSubject != 1,",
		new:   "refuse(false,",
		tests: "connectors/nats/itest TestK1",
	},
	{
		name: "locks: a meter keeps a key whose last waiter has given up its turn", kind: "wrong figure",
		file:  "keylock/acquire.go",
		old:   "	h.s.m.measure.keys(h.s)\n	h.s.m.settled()\n	return true",
		new:   "	h.s.m.settled()\n	return true",
		tests: "keylock TestD27_",
	},
	{
		name: "locks: nobody comes round for a key whose last waiter has given up its turn", kind: "leak",
		file:  "keylock/acquire.go",
		old:   "	if watch {\n		h.s.watch(h.clk)\n	}\n",
		new:   "	_ = watch\n",
		tests: "keylock TestD27_",
	},
	{
		name: "locks: who has stopped listening to a lease hears of its end", kind: "cancel forgotten",
		file:  "keylock/context.go",
		old:   "		delete(c.after, &fn)\n",
		new:   "",
		tests: "keylock TestD7_WhoStops",
	},
	{
		name: "locks: the timer of the grace outlives the function", kind: "timer not stopped",
		file:  "keylock/do.go",
		old:   "				(*stop)()\n",
		new:   "",
		tests: "keylock TestD11_AGrace",
	},
	{
		name: "locks: a meter is not told of a function that outlives its caller", kind: "wrong figure",
		file:  "keylock/do.go",
		old:   "		h.s.m.measure.late(1)\n",
		new:   "",
		tests: "keylock TestD23_WhatOutlives",
	},
	{
		name: "locks: a meter counts a function that outlived its caller for ever", kind: "wrong figure",
		file:  "keylock/do.go",
		old:   "		h.s.m.late.Add(-1)\n		h.s.m.measure.late(-1)",
		new:   "		h.s.m.late.Add(-1)",
		tests: "keylock TestD23_WhatOutlives",
	},
	{
		name: "locks: a meter counts a holder whose key was passed on for ever", kind: "wrong figure",
		file:  "keylock/hold.go",
		old:   "	if detach {\n		h.s.m.measure.returned(h)\n	}\n",
		new:   "",
		tests: "keylock TestD23_WhatOutlives",
	},
	{
		name: "locks: a function that ends its goroutine after its lease has only done that", kind: "error lost",
		file:  "keylock/do.go",
		old:   "				out.err = errors.Join(lapse, reactor.ErrGoexit)\n",
		new:   "				_ = lapse\n",
		tests: "keylock TestD17_Goexit",
	},
	{
		name: "locks: the later of two deadlines is that of the context", kind: "wrong comparison",
		file:  "keylock/hold.go",
		old:   "!ok || own.Before(outer) {",
		new:   "!ok || outer.Before(own) {",
		tests: "keylock TestD7_TheDeadline",
	},
	{
		name: "locks: a key of another manager is taken for one's own", kind: "owner not checked",
		file:  "keylock/hold.go",
		old:   "if h.s.m == m && h.e.key == key",
		new:   "if h.e.key == key",
		tests: "keylock TestD14_Another",
	},
	{
		name: "locks: a clock that has refused once is asked no more", kind: "state not cleared",
		file:  "keylock/idle.go",
		old:   "		if err != nil {\n			s.idle.unset()\n		} else {",
		new:   "		if err == nil {",
		tests: "keylock TestD25_",
	},
	{
		name: "locks: the element of a mono that fails is kept", kind: "discard forgotten",
		file:  "keylock/lock.go",
		old:   "		l.stage.drop()\n		defer l.freed(err)",
		new:   "		defer l.freed(err)",
		tests: "keylock TestD26_AnElement",
	},
	{
		name: "locks: the timer of a stream that was cancelled while it waited goes on", kind: "timer not stopped",
		file:  "keylock/lock.go",
		old:   "		h.abandon()\n		h.stopWaiting()",
		new:   "		h.abandon()",
		tests: "keylock TestD26_ACancelledWait",
	},
	{
		name: "locks: a stream that gets no timer waits for a meter for ever", kind: "wrong figure",
		file:  "keylock/lock.go",
		old:   "err != nil && h.giveUp() {\n		h.stopWaiting()",
		new:   "err != nil && h.giveUp() {",
		tests: "keylock TestD25_",
	},
	{
		name: "locks: who gets no timer for its lease when its turn comes is not told", kind: "lost wake-up",
		file:  "keylock/manager.go",
		old:   "			h.refuse(refusal)\n",
		new:   "			_ = refusal\n",
		tests: "keylock TestD25_",
	},
	{
		name: "locks: who comes after one that gets no timer is not told", kind: "lost wake-up",
		file:  "keylock/manager.go",
		old:   "if next, refusal = m.granted(h);",
		new:   "if _, refusal = m.granted(h);",
		tests: "keylock TestD25_",
	},
	{
		name: "locks: a shutdown keeps idle keys", kind: "leak",
		file:  "keylock/shutdown.go",
		old:   "			s.idle.remove(e)\n			s.drop(e)\n		}\n		if !drain",
		new:   "			s.idle.remove(e)\n		}\n		if !drain",
		tests: "keylock TestD22_CloseForgets",
	},
	{
		name: "locks: a nonce is used twice", kind: "state not cleared",
		file:  "keylock/session_acquire.go",
		old:   "	s.nonce = rand.Text() // the old one is spent\n",
		new:   "",
		tests: "keylock TestK6_NoNonce",
	},
	{
		name: "locks: the record of somebody else is taken for a renewal", kind: "owner not checked",
		file:  "keylock/session_keep.go",
		old:   "	case ev.Kind != Occupied || ev.Grant.Nonce != s.nonce:\n		return fmt",
		new:   "	case ev.Kind != Occupied:\n		return fmt",
		tests: "keylock TestK6_ARecordOf",
	},
	{
		name: "locks: a renewal that overtakes the release leaves the record", kind: "unknown outcome",
		file:  "keylock/session_keep.go",
		old:   "s.remove(s.grant) && (s.doubt == 0 || s.isGone(s.nonce))",
		new:   "s.remove(s.grant)",
		tests: "keylock TestK9_ARenewal",
	},
	{
		name: "locks: a watch goes on for as long as the key is held", kind: "leak",
		file:  "keylock/session_watch.go",
		old:   "	if s.unwatch != nil {\n		s.unwatch()\n	}\n",
		new:   "",
		tests: "keylock TestK11_AWatchEnds",
	},
	{
		name: "locks: a record that can't be renewed is taken for gone", kind: "unknown outcome",
		file:  "keylock/session_keep.go",
		old:   "return answerOf(err) == no",
		new:   "return true",
		tests: "keylock TestK9_ARecordThat",
	},
	{
		name: "locks: a call that does not wait asks for ever", kind: "condition left out",
		file:  "keylock/session_watch.go",
		old:   "	case s.looked || !s.see(ev):\n",
		new:   "	case !s.see(ev):\n",
		tests: "keylock TestK7_AStore",
	},
	{
		name: "locks: a lease whose timer is late is extended at its end", kind: "off by one",
		file:  "keylock/lease.go",
		old:   "	case h.due <= now:\n",
		new:   "	case h.due < now:\n",
		tests: "keylock TestD7_TheEndOf",
	},
	{
		name: "locks: a lease whose timer is late is valid at its end", kind: "off by one",
		file:  "keylock/lease.go",
		old:   "until != 0 && l.h.clk.now() < until",
		new:   "until != 0 && l.h.clk.now() <= until",
		tests: "keylock TestD7_TheEndOf",
	},
	{
		name: "locks: an instrument is not removed", kind: "leak",
		file:  "keylock/instruments.go",
		old:   `"waiters", "late", "acquired",`,
		new:   `"waiters", "acquired",`,
		tests: "keylock TestD23_Metrics",
	},
}
