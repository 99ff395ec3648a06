package benchmarks

// Pools and schedulers. The tasks of S1 are empty, so that what is measured is the way
// there. The functions of the competitors stand in pools.go.

func scheduling() []Workload {
	submit := func(id, title string, producers int, peers []pool, library pool, limit float64) Workload {
		w := Workload{ID: id, Title: title, Elements: Tasks, Want: Tasks, Targets: []Target{atMost(limit), noAllocs}}
		for _, p := range peers {
			w.Runs = append(w.Runs, Competitor{Name: p.name, Run: submitTo(p, 2, producers)})
		}
		w.Runs = append(w.Runs, libSubmit(library, 2, producers))
		return w
	}
	elasticRow := func(id, title string, peers []pool, library pool, limit float64) Workload {
		w := Workload{ID: id, Title: title, Elements: Tasks, Want: Tasks, Targets: []Target{atMost(limit), noAllocs}}
		for _, p := range peers {
			w.Runs = append(w.Runs, Competitor{Name: p.name, Run: submitTo(p, 20, 1)})
		}
		w.Runs = append(w.Runs, libSubmit(library, 20, 1))
		return w
	}
	latency := func(id, title string, library pool, how idleness, percentile int, ratio float64) Workload {
		w := Workload{ID: id, Title: title, Unit: Nanoseconds, Targets: []Target{beside(GoFunc, ratio)}}
		if how == submitterBusy {
			w.BehindJVM = "the runtime of Go wakes a processor late"
		}
		for _, p := range []pool{goFunc, channelWorkers, antsPool, pondPool, concPool, library} {
			w.Runs = append(w.Runs, Competitor{Name: p.name, Sample: latencyOf(p, how, percentile)})
		}
		w.Runs[len(w.Runs)-1].Life = ofTasks(waitingFor(library))
		return w
	}
	threads := func(id, title string, theirs, ours pool) Workload {
		return Workload{
			ID: id, Title: title, Elements: Tasks, Want: Tasks, Targets: []Target{beside(Pond, 1)},
			Runs: []Competitor{{Name: Pond, Run: submitTo(theirs, 2, 1)}, libSubmit(ours, 2, 1)},
		}
	}
	// What eight producers do to one Worker is their contention: nothing is claimed but that it
	// does not allocate.
	sharedWorker := submit("S1b worker", "the same, 8 producers with one Worker", 8, nil, parallelWorker, 0)
	sharedWorker.Targets = []Target{noAllocs}
	all, some := []pool{handQueue, goFunc, channelWorkers, antsPool, pondPool, concPool}, []pool{antsPool, pondPool, concPool}
	rows := []Workload{
		submit("S1a", "submit and run an empty task, 1 producer, 2 workers", 1, all, parallelDirect, 40),
		submit("S1a worker", "the same through a Worker", 1, nil, parallelWorker, 30),
		submit("S1b", "the same, 8 producers", 8, all, parallelDirect, 45),
		sharedWorker,
		elasticRow("S1c", "bounded elastic, 20 slots", some, elasticDirect, 120),
		elasticRow("S1c worker", "the same through a Worker", nil, elasticWorker, 40),
		threads("S1d", "a thread pool: Execute", pondPool, threadPool),
		threads("S1d Submit", "the same for a result", pondSubmit, threadPoolSubmit),
		latency("S2a", "submit → running, submitter waits, worker idle, median", parallelWorker, submitterWaits, 50, 1.3),
		latency("S2a p99", "the same, 99th percentile", parallelWorker, submitterWaits, 99, 1.3),
		latency("S2b", "submit → running after 1 ms of idleness, median", parallelWorker, afterPause, 50, 1.2),
		latency("S2b p99", "the same, 99th percentile", parallelWorker, afterPause, 99, 1.2),
		latency("S2b parallel", "the same without a Worker, median", parallelDirect, afterPause, 50, 1.2),
		latency("S2b elastic", "the same on bounded elastic, median", elasticDirect, afterPause, 50, 1.2),
		latency("S2c", "submit → running, the submitter computes, median", parallelWorker, submitterBusy, 50, 1.0),
		{
			ID: "S4", Title: "10,000 tasks of 1 ms on 200 workers", Elements: 1, Unit: Milliseconds, Want: SleepTasks,
			Runs: []Competitor{
				{Name: GoFunc, Run: sleepOn(goFunc), Unlike: "no limit of goroutines"}, {Name: Channel, Run: sleepOn(channelWorkers)},
				{Name: Ants, Run: sleepOn(antsPool)}, {Name: Pond, Run: sleepOn(pondPool)}, {Name: Conc, Run: sleepOn(concPool)},
				{Name: Library, Run: sleepOn(elasticDirect)}, // no Life: S1c has it, what is more is the timers of time.Sleep
			},
			Targets: []Target{atMost(60)},
		},
	}
	return append(rows, timers()...)
}

func timers() []Workload {
	row := func(id, title string, unit Unit, of func(timing) float64, targets ...Target) Workload {
		w := Workload{ID: id, Title: title, Unit: unit, Targets: targets}
		for _, d := range []*delayed{byWheel, byAfterFunc, byLibrary} {
			w.Runs = append(w.Runs, Competitor{Name: d.name, Sample: d.figure(id, of)})
		}
		return w
	}
	rows := []Workload{
		row("S3a schedule", "schedule one of 1,000,000 delayed tasks", Nanoseconds, func(t timing) float64 { return t.schedule }, atMost(130)),
		row("S3a cancel", "cancel it", Nanoseconds, func(t timing) float64 { return t.cancel }, atMost(30)),
		row("S3a bytes", "what it holds", Bytes, func(t timing) float64 { return t.bytes }, atMost(130)),
		row("S3b", "lateness when 100,000 fire, median", Nanoseconds, func(t timing) float64 { return t.late }, beside(AfterFunc, 1)),
		row("S3b p99", "the same, 99th percentile", Nanoseconds, func(t timing) float64 { return t.late99 }, beside(AfterFunc, 1)),
	}
	rows[0].Runs[len(rows[0].Runs)-1].Life = ofTasks(libDelays())
	for i := range rows[3:] {
		rows[3+i].BehindJVM = "the runtime of Go sleeps in whole milliseconds"
	}
	return rows
}

func memory() []Workload {
	return []Workload{
		{
			ID: "M1", Title: "an idle subscription of three stages", Unit: Bytes,
			Runs: []Competitor{
				{Name: Hand, Sample: idleHand.bytes}, {Name: GoFunc, Sample: idleGoroutine.bytes}, {Name: Channel, Sample: idleChannels.bytes},
				{Name: Ro, Sample: idleRo.bytes}, {Name: ReactorGo, Sample: idleReactorGo.bytes}, {Name: RxGo, Sample: idleRxGo.bytes},
				{Name: Library, Sample: idleLibrary.bytes, Life: libIdle()},
			},
			Targets: []Target{atMost(300)}, BehindJVM: "the target was set with that figure known",
		},
		{
			ID: "M1 goroutines", Title: "what runs for it", Unit: Goroutines,
			Runs: []Competitor{
				{Name: Hand, Sample: idleHand.goroutines}, {Name: GoFunc, Sample: idleGoroutine.goroutines}, {Name: Channel, Sample: idleChannels.goroutines},
				{Name: Ro, Sample: idleRo.goroutines}, {Name: ReactorGo, Sample: idleReactorGo.goroutines}, {Name: RxGo, Sample: idleRxGo.goroutines},
				{Name: Library, Sample: idleLibrary.goroutines},
			},
			Targets: []Target{atMost(0)},
		},
	}
}
