package main

// queues breaks the queues, and what several goroutines share.
var queues = []mutation{
	{
		name: "ring: an element is announced before it is there", kind: "wrong order of two stores",
		file: "internal/queue/ring.go",
		old: `slots[int(t)&(len(slots)-1)] = v
	chaos.Yield()
	r.tail.Store(t + 1)`,
		new: `r.tail.Store(t + 1)
	chaos.Yield()
	slots[int(t)&(len(slots)-1)] = v`,
		tests: "internal/queue Ring|HandOver",
	},
	{
		name: "A13 ring: room for one element less than asked for (R#1958)", kind: "capacity off by one",
		file: "internal/queue/ring.go",
		old: `if t-r.headSeen >= r.capacity {
			return false`,
		new: `if t-r.headSeen >= r.capacity-1 {
			return false`,
		tests: "internal/queue Ring|HandOver",
	},
	{
		name: "ring: a slot is given back before it was read", kind: "wrong order of two stores",
		file: "internal/queue/ring.go",
		old: `v = *slot
	var none T
	*slot = none
	chaos.Yield()
	r.head.Store(h + 1)`,
		new: `r.head.Store(h + 1)
	chaos.Yield()
	v = *slot
	var none T
	*slot = none`,
		tests: "internal/queue Ring|HandOver",
	},
	{
		name: "empty: the tail is read before the head", kind: "reading after instead of before",
		file: "internal/queue/positions.go",
		old: `h := head.Load()
	chaos.Yield()
	return tail.Load() == h`,
		new: `t := tail.Load()
	chaos.Yield()
	return t == head.Load()`,
		tests: "internal/queue Watchers",
	},
	{
		name: "linked: a chunk is given back before it was let go", kind: "wrong order of two stores",
		file: "internal/queue/linked.go",
		old: `q.spare = old
		chaos.Yield()
		q.spared.Store(true)`,
		new: `q.spared.Store(true)
		chaos.Yield()
		q.spare = old`,
		tests: "internal/queue Linked|HandOver",
	},
	{
		name: "mpsc: a slot counts as filled before it is", kind: "wrong order of two stores",
		file: "internal/queue/mpsc.go",
		old: `slot.v = v
		slot.filled.Store(t + 1)`,
		new: `slot.filled.Store(t + 1)
		chaos.Yield()
		slot.v = v`,
		tests: "internal/queue MPSC|HandOver",
	},
	{
		name: "mpsc: two producers take the same place", kind: "un-retried compare-and-swap",
		file: "internal/queue/mpsc.go",
		old: `if !q.tail.CompareAndSwap(t, t+1) {
			continue
		}`,
		new:   "q.tail.Store(t + 1)",
		tests: "internal/queue MPSC|HandOver",
	},
	{
		name: "mpsc: an element behind one that is not filled yet is not found", kind: "lost wake-up",
		file: "internal/queue/mpsc.go",
		old: `for spins := 0; slot.filled.Load() != h+1; spins++ {
		relax(spins)
	}
	return true`,
		new:   "return slot.filled.Load() == h+1",
		tests: "internal/queue MPSC|HandOver",
	},
	{
		name: "latest: the replaced element vanishes", kind: "discard forgotten",
		file: "internal/queue/latest.go",
		old:  "return l.empty(l.back), true",
		new: `l.empty(l.back)
	return old, false`,
		tests: "internal/queue Latest",
	},
	{
		name: "unicast: an element offered after the last look stays behind", kind: "late offer after clear",
		file: "internal/unicast/unicast.go",
		old: `return Overflow
	}
	chaos.Yield()
	p.drain.Run(p)
	return OK`,
		new: `return Overflow
	}
	return OK`,
		tests: "internal/unicast",
	},
	{
		name: "unicast: the end overtakes elements", kind: "terminal overtaking elements",
		file: "internal/unicast/unicast.go",
		old: `v, ok := p.queue.Poll()
		if !ok {
			if done {`,
		new: `v, ok := p.queue.Poll()
		chaos.Yield()
		if !ok {
			if p.done.Load() {`,
		tests: "internal/unicast",
	},
	{
		name: "unicast: what waits stays when the subscriber leaves", kind: "queue not cleared on cancel",
		file: "internal/unicast/unicast.go",
		old: `if p.over || p.cancelled.Load() {
			p.clear()
			return`,
		new: `if p.over || p.cancelled.Load() {
			p.over = true
			return`,
		tests: "internal/unicast",
	},
	{
		name: "unicast: an element overtakes those that wait", kind: "element overtaking elements",
		file:  "internal/unicast/unicast.go",
		old:   "p.phase.Load() == phaseLive && p.queue.IsEmpty() && !p.over",
		new:   "p.phase.Load() == phaseLive && !p.over",
		tests: "internal/unicast",
	},
	{
		name: "unicast: elements go straight down after the end", kind: "late offer after close",
		file:  "internal/unicast/unicast.go",
		old:   "p.over, p.told, p.straight, p.only = true, true, false, false",
		new:   "p.over, p.told = true, true",
		tests: "internal/unicast",
	},
	{
		name: "unicast: elements go straight down after a cancellation", kind: "late offer after close",
		file:  "internal/unicast/unicast.go",
		old:   "p.over, p.straight = true, false",
		new:   "p.over = true",
		tests: "internal/unicast",
	},
	{
		name: "unicast: elements go straight down to who has asked for some", kind: "demand not credited",
		file:  "internal/unicast/unicast.go",
		old:   "} else if asked == reactor.Unbounded {",
		new:   "} else {",
		tests: "internal/unicast",
	},
	{
		name: "groupBy: cancelled groups are not forgotten", kind: "cancel leaves the entry",
		file:  "operators/group_by.go",
		old:   "m.anyGone.Store(true)",
		new:   "",
		tests: "operators TestGroupBy|TestRegressionB|TestDiscarded",
	},
	{
		name: "unicast: what was delivered stays requested", kind: "demand not credited",
		file: "internal/unicast/unicast.go",
		old: `if p.demand.Load() != reactor.Unbounded {
		demand.Produced(&p.demand, n)
	}`,
		new:   "",
		tests: "internal/unicast",
	},
	{
		name: "unicast: the owner hears of the end twice", kind: "slot given back twice",
		file:  "internal/unicast/unicast.go",
		old:   "if p.owner != nil && !p.released.Swap(true) {",
		new:   "if p.owner != nil {",
		tests: "internal/unicast",
	},
	{
		name: "A8 replay: the slowest leaves, and nobody asks for more (R#1921)", kind: "slot not given back",
		file: "internal/multicast/replay.go",
		old: `if r.set.Remove(p) {
		r.moved()
	}`,
		new:   "r.set.Remove(p)",
		tests: "operators TestReplay|TestCache|TestRegressionA8",
	},
	{
		name: "replay: the end overtakes elements", kind: "terminal overtaking elements",
		file: "internal/multicast/replay.go",
		old: `ended := h.Ended()
		v, ok := h.Read(&p.cursor)`,
		new: `v, ok := h.Read(&p.cursor)
		chaos.Yield()
		ended := h.Ended()`,
		tests: "operators TestReplay|TestCache|TestRegressionA8 , sinks",
	},
	{
		name: "replay: one element more than requested", kind: "demand off by one",
		file:  "internal/multicast/replay.go",
		old:   "for n < asked {",
		new:   "for n <= asked {",
		tests: "operators TestReplay|TestCache , sinks Replay",
	},
	{
		name: "fanout: what was delivered stays requested", kind: "demand not credited",
		file: "internal/multicast/fanout.go",
		old: `for _, s := range members {
			demand.Produced(&s.demand, n)
		}`,
		new:   "_ = members",
		tests: "operators TestPublish , sinks Multicast",
	},
	{
		name: "fanout: a subscriber that leaves does not let the others go on", kind: "lost wake-up",
		file: "internal/multicast/fanout.go",
		old: `f.leave(s)
		f.turn.Run(f)`,
		new:   "f.leave(s)",
		tests: "operators TestPublish , sinks Multicast|Pairs",
	},
	{
		name: "set: two members that come at once", kind: "no lock",
		file: "internal/multicast/set.go",
		old: `	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {`,
		new:   "	if s.closed.Load() {",
		tests: "internal/multicast",
	},
	{
		name: "set: deliveries go to those who were there before", kind: "stale state",
		file: "internal/multicast/set.go",
		old: `	s.size.Store(int64(len(s.places) - s.gaps))
	s.current.Store(nil)`,
		new:   "	s.size.Store(int64(len(s.places) - s.gaps))",
		tests: "internal/multicast",
	},
	{
		name: "set: places of those who have left are kept", kind: "leak",
		file: "internal/multicast/set.go",
		old: `	case 2*s.gaps > n && n > fewPlaces:
		s.compact()`,
		new:   "",
		tests: "internal/multicast",
	},
	{
		name: "set: places are searched that others have now", kind: "stale index",
		file:  "internal/multicast/set.go",
		old:   "s.places, s.at, s.gaps = kept, nil, 0",
		new:   "s.places, s.gaps = kept, 0",
		tests: "internal/multicast",
	},
	{
		name: "elastic: fewer holders are not noticed", kind: "stale state",
		file: "schedulers/pick.go",
		old: `		e.busy.lowered(s)
		return`,
		new:   "		return",
		tests: "schedulers TestA10",
	},
	{
		name: "elastic: a slot that was noted once is not noted again", kind: "stale state",
		file:  "schedulers/busy.go",
		old:   "		s.noted.Store(false)\n",
		new:   "",
		tests: "schedulers TestA10|TestBusySlots",
	},
	{
		name: "history: what is not replayed any more is kept", kind: "retained",
		file:  "internal/multicast/history.go",
		old:   `size = max(1, min(limit/2, fewSlots), min(limit/4, largestChunk))`,
		new:   `size = largestChunk`,
		tests: "internal/multicast TestHistory",
	},
	{
		name: "custody: a value whose work has failed behind a cancellation is nobody's", kind: "discard forgotten",
		file:  "internal/stage/pending/custody.go",
		old:   "c.state.Swap(gone) != gone",
		new:   "c.state.Swap(gone) < given",
		tests: "operators TestFoldFunctionPanicsBehind",
	},
	{
		name: "custody: who gives up what is worked with has it", kind: "double discard",
		file:  "internal/stage/pending/custody.go",
		old:   "if c.state.CompareAndSwap(worked, given) || c.state.Load() >= given {\n\t\t\treturn false",
		new:   "if c.state.CompareAndSwap(worked, given) || c.state.Load() >= given {\n\t\t\treturn true",
		tests: "internal/stage/pending TestCustody",
	},
	{
		name: "custody: what is gone is worked with", kind: "late offer after close",
		file:  "internal/stage/pending/custody.go",
		old:   "if c.state.Swap(worked) < given {",
		new:   "if c.state.Swap(worked) >= rests {",
		tests: "internal/stage/pending TestCustody",
	},
	{
		name: "buffer: each interface needs the lock", kind: "needless lock",
		file:  "internal/stage/pending/buffer.go",
		old:   "h.guarded = h.Discard != nil && !perElement(ctx, (*T)(nil))",
		new:   "h.guarded = h.Discard != nil",
		tests: "internal/stage/pending TestBufferIsGuarded",
	},
	{
		name: "buffer: what owns something does not guard it", kind: "discard forgotten",
		file:  "internal/stage/pending/buffer.go",
		old:   "if !h.guarded && reactor.OwnsIn(v) {",
		new:   "if false {",
		tests: "internal/stage/pending TestBufferIsGuarded",
	},
	{
		name: "buffer: what was there before a closing comes out behind it", kind: "late offer after close",
		file:  "internal/stage/pending/buffer.go",
		old:   "\th.guarded = true\n\tif h.closed {",
		new:   "\th.guarded = true\n\tif false {",
		tests: "internal/stage/pending TestBufferIsGuarded",
	},
	{
		name: "buffer: who closes touches what is not guarded", kind: "data race",
		file:  "internal/stage/pending/buffer.go",
		old:   "\th.closed = true\n\tif !h.guarded {\n\t\treturn nil\n\t}\n",
		new:   "\th.closed = true\n",
		tests: "internal/stage/pending TestBufferIsGuarded|TestUnguarded",
	},
	{
		name: "buffer: an end leaves an unguarded one open", kind: "discard forgotten",
		file:  "internal/stage/pending/buffer.go",
		old:   "\tif h.Discard != nil {\n\t\th.mu.Lock()\n\t\tdefer h.mu.Unlock()\n\t\th.closed = true\n\t}\n",
		new:   "\tif h.guarded {\n\t\th.mu.Lock()\n\t\tdefer h.mu.Unlock()\n\t\th.closed = true\n\t}\n",
		tests: "internal/stage/pending TestBufferIsGuarded",
	},
}
