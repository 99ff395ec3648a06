package benchmarks

// One source, many subscribers.

func hot() []Workload {
	row := func(id, title string, run Run, limit float64, more ...Competitor) Workload {
		runs := append([]Competitor{{Name: Hand, Run: handHot}}, more...)
		return Workload{
			ID: id, Title: title, Elements: emitted() * Audience, Want: Audience * sumTo(emitted()),
			Runs: append(runs, Competitor{Name: Library, Run: run}), Targets: []Target{atMost(limit), noAllocs},
		}
	}
	return []Workload{
		row("P9 direct", "a hot sink to 8 subscribers, all or nothing", libHotDirect, 6,
			Competitor{Name: Channel, Run: chanHot}, Competitor{Name: Ro, Run: roHot}, Competitor{Name: RxGo, Run: rxHot}),
		row("P9 buffer", "the same, with a buffer", libHotBuffer, 7),
		row("P9 publish", "publish to 8 subscribers", libHotPublish, 6.5),
		row("P9 direct ctx", "a hot sink, subscribers with a context that can end", libHotDirectCtx, 8),
		row("P9 buffer ctx", "the same, with a buffer", libHotBufferCtx, 8),
	}
}
