package benchmarks

// Pools and schedulers. The tasks of S1 are empty, so that what is measured is the way
// there. The functions of the competitors stand in pools.go.

func scheduling() []Workload {
	const goPeers = true
	submit := func(id, title string, producers int, withPeers bool, library pool, limit float64) Workload {
		w := Workload{ID: id, Title: title, Elements: Tasks, Want: Tasks, Targets: []Target{atMost(limit), noAllocs}}
		if withPeers {
			for _, p := range []pool{goFunc, channelWorkers, antsPool, pondPool, concPool} {
				w.Runs = append(w.Runs, Competitor{Name: p.name, Run: submitTo(p, 2, producers)})
			}
		}
		w.Runs = append(w.Runs, Competitor{Name: Library, Run: submitTo(library, 2, producers)})
		return w
	}
	elasticRow := func(id, title string, withPeers bool, library pool, limit float64) Workload {
		w := submit(id, title, 1, false, library, limit)
		w.Runs = nil
		if withPeers {
			for _, p := range []pool{antsPool, pondPool, concPool} {
				w.Runs = append(w.Runs, Competitor{Name: p.name, Run: submitTo(p, 20, 1)})
			}
		}
		w.Runs = append(w.Runs, Competitor{Name: Library, Run: submitTo(library, 20, 1)})
		return w
	}
	latency := func(id, title string, how idleness, percentile int, ratio float64) Workload {
		w := Workload{ID: id, Title: title, Unit: Nanoseconds, Targets: []Target{beside(GoFunc, ratio)}}
		for _, p := range []pool{goFunc, channelWorkers, antsPool, pondPool, parallelWorker} {
			w.Runs = append(w.Runs, Competitor{Name: p.name, Sample: latencyOf(p, how, percentile)})
		}
		return w
	}
	threads := func(id, title string, theirs, ours pool) Workload {
		return Workload{
			ID: id, Title: title, Elements: Tasks, Want: Tasks, Targets: []Target{beside(Pond, 1)},
			Runs: []Competitor{{Name: Pond, Run: submitTo(theirs, 2, 1)}, {Name: Library, Run: submitTo(ours, 2, 1)}},
		}
	}
	rows := []Workload{
		submit("S1a", "submit and run an empty task, 1 producer, 2 workers", 1, goPeers, parallelDirect, 40),
		submit("S1a worker", "the same through a Worker", 1, false, parallelWorker, 30),
		submit("S1b", "the same, 8 producers", 8, goPeers, parallelDirect, 45),
		elasticRow("S1c", "bounded elastic, 20 slots", true, elasticDirect, 120),
		elasticRow("S1c worker", "the same through a Worker", false, elasticWorker, 40),
		threads("S1d", "a thread pool: Execute", pondPool, threadPool),
		threads("S1d Submit", "the same for a result", pondSubmit, threadPoolSubmit),
		latency("S2a", "submit → running, submitter waits, worker idle, median", submitterWaits, 50, 1.3),
		latency("S2a p99", "the same, 99th percentile", submitterWaits, 99, 1.3),
		latency("S2b", "the same after 1 ms of idleness, median", afterPause, 50, 1.2),
		latency("S2c", "the same while the submitter computes, median", submitterBusy, 50, 1.0),
		{
			ID: "S4", Title: "10,000 tasks of 1 ms on 200 workers", Elements: 1, Unit: Milliseconds, Want: SleepTasks,
			Runs: []Competitor{
				{Name: Channel, Run: sleepOn(channelWorkers)}, {Name: Ants, Run: sleepOn(antsPool)}, {Name: Pond, Run: sleepOn(pondPool)},
				{Name: Conc, Run: sleepOn(concPool)}, {Name: Library, Run: sleepOn(elasticDirect)},
			},
			Targets: []Target{atMost(60)},
		},
	}
	return append(rows, timers()...)
}

func timers() []Workload {
	row := func(id, title string, unit Unit, of func(timing) float64, targets ...Target) Workload {
		return Workload{
			ID: id, Title: title, Unit: unit, Targets: targets,
			Runs: []Competitor{
				{Name: AfterFunc, Sample: byAfterFunc.figure(id, of)},
				{Name: Library, Sample: byLibrary.figure(id, of)},
			},
		}
	}
	return []Workload{
		row("S3a schedule", "schedule one of 1,000,000 delayed tasks", Nanoseconds, func(t timing) float64 { return t.schedule }, atMost(130)),
		row("S3a cancel", "cancel it", Nanoseconds, func(t timing) float64 { return t.cancel }, atMost(30)),
		row("S3a bytes", "what it holds", Bytes, func(t timing) float64 { return t.bytes }, atMost(130)),
		row("S3b", "lateness when 100,000 fire, median", Nanoseconds, func(t timing) float64 { return t.late }, beside(AfterFunc, 1)),
		row("S3b p99", "the same, 99th percentile", Nanoseconds, func(t timing) float64 { return t.late99 }, beside(AfterFunc, 1)),
	}
}

func memory() []Workload {
	return []Workload{{
		ID: "M1", Title: "an idle subscription of three stages", Unit: Bytes,
		Runs: []Competitor{
			{Name: Channel, Sample: idleChannels}, {Name: Ro, Sample: idleRo}, {Name: ReactorGo, Sample: idleReactorGo},
			{Name: RxGo, Sample: idleRxGo}, {Name: Library, Sample: idleLibrary},
		},
		Targets: []Target{atMost(300)},
	}}
}
