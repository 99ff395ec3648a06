package benchmarks

// The bridge to RxGo.

func bridges() []Workload {
	row := func(id, title string, theirs, ours Run) Workload {
		return Workload{
			ID: id, Title: title, Elements: Size, Want: sumTo(Size),
			Runs:    []Competitor{{Name: RxGo, Run: theirs}, {Name: Library, Run: ours}},
			Targets: []Target{beside(RxGo, 1/0.7)},
		}
	}
	return []Workload{
		row("X1", "read an Observable of RxGo", rxRead, bridgeRead),
		row("X1 (ctx)", "X1 beside a loop that can be left", rxReadCtx, bridgeRead),
		row("X2", "send to an observer of RxGo", rxSend, bridgeSend),
	}
}
