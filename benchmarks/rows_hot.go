package benchmarks

// One source, many subscribers.

func hot() []Workload {
	row := func(id, title string, l Life, limit float64, more ...Competitor) Workload {
		runs := append([]Competitor{{Name: Hand, Run: handHot}, {Name: Channel, Run: chanHot}}, more...)
		return Workload{
			ID: id, Title: title, Elements: emitted() * Audience, Want: Audience * sumTo(emitted()),
			Runs: append(runs, library(l, emitted())), Targets: []Target{atMost(limit), noAllocs},
			BehindJVM: "there it is one thread without a guard",
		}
	}
	ro, rx := Competitor{Name: Ro, Run: roHot}, Competitor{Name: RxGo, Run: rxHot}
	return []Workload{
		row("P9 direct", "a hot sink to 8 subscribers, all or nothing", libHot(directSink), 6, ro, rx),
		row("P9 buffer", "the same, with a buffer", libHot(bufferSink), 7, rx),
		row("P9 publish", "publish to 8 subscribers", libHotPublish(), 6.5, Competitor{Name: Ro, Run: roPublish}, rx),
		row("P9 direct ctx", "a hot sink, subscribers with a context that can end", libHotCtx(directSink), 8, ro),
		row("P9 buffer ctx", "the same, with a buffer", libHotCtx(bufferSink), 8),
		{
			ID: "P9 crowd", Title: "subscribe to a hot sink and leave, 100,000 subscribers", Elements: Crowd, Want: Crowd,
			Runs: []Competitor{{Name: Hand, Run: handCrowd}, {Name: Ro, Run: roCrowd}, library(libCrowd(), Crowd)}, Targets: []Target{atMost(1_000)},
		},
	}
}
