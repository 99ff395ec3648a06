package schedulers_test

// What must hold when all clients of a random program (programs_test.go) have gone: series go on, a scheduler at rest needs nothing, and
// when it has ended the books of all tasks are those of the figures.

import (
	"fmt"
	"strings"
	"time"
)

// goesOn checks that the series go on that nobody has stopped.
func (p *program) goesOn() {
	books := p.books.All()
	before := map[*task]int64{}
	for _, k := range books {
		before[k] = k.starts.Load()
	}
	time.Sleep(300 * time.Millisecond)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range books {
		if k.series && k.accepted && p.closing == 0 && !p.mayBeMissing(k) && !(k.stops && k.fails.Load() > 0) && k.starts.Load() == before[k] {
			p.Fail("task %d does not go on", k.id)
		}
	}
}

// rests checks that a scheduler without tasks and workers needs nothing.
func (p *program) rests() {
	for _, l := range p.lanes.All() {
		p.disposeLane(l, nil)
	}
	for _, k := range p.books.All() {
		if k.series {
			p.dispose(k, nil)
		}
	}
	time.Sleep(5 * time.Second)
	s := p.s.Stats()
	if p.s.IsDisposed() {
		return
	}
	if s.Queued+s.Delayed+s.Running+s.Busy > 0 || p.ttl > 0 && s.Workers > 0 && p.source == nil {
		p.Fail("figures at rest: %+v", s)
	}
}

// sums are those of the books.
type sums struct {
	runs, untracked         int64 // untracked: of tasks of Execute of the scheduler itself
	refused, notRun, series int64 // tasks
}

// check looks at the books.
func (p *program) check() {
	p.mu.Lock()
	defer p.mu.Unlock()
	var n sums
	for _, k := range p.books.All() {
		p.checkTask(k, &n)
	}
	if p.runs.Load() != n.runs {
		p.Fail("%d runs, %d in the books", p.runs.Load(), n.runs)
	}
	if p.traits.immediate {
		return // it has no hooks, and no figures
	}
	if w := p.wrapped.Load(); w != n.runs {
		p.Fail("%d runs, %d through the hook", n.runs, w)
	}
	if told, failed := p.told.Load()-p.toldByDecorator.Load(), p.failed.Load(); told != failed && (!p.traits.loses && !p.foreign || told < failed) {
		p.Fail("%d runs have failed, %d errors were told", failed, told)
	}
	p.checkFigures(n)
}

// checkTask looks at the book of a task, and adds it up. The caller holds mu.
func (p *program) checkTask(k *task, n *sums) {
	wrong := p.About("task %d: ", k.id)
	starts := k.starts.Load()
	n.runs += starts
	if starts != k.ends.Load() {
		wrong("%d runs have begun, %d have ended", starts, k.ends.Load())
	}
	if k.method == "Execute" && k.lane.w == nil {
		n.untracked += starts
	}
	switch {
	case !k.submitted:
		return
	case !k.accepted:
		n.refused++
		if starts > 0 {
			wrong("it was refused, %v, and ran %d times", k.refused, starts)
		}
		return
	case k.series:
		n.series++
	case starts == 0:
		n.notRun++
		if !p.mayBeMissing(k) {
			wrong("it was lost")
		}
	}
	if k.handle != nil && !k.handle.IsDisposed() && !p.traits.loses && !p.foreign {
		wrong("it is not disposed after the end")
	}
	if k.ctx != nil && k.method != "Execute" && k.ctx.Err() == nil && !p.traits.immediate {
		wrong("its context has no end")
	}
}

// checkFigures compares the figures after the end with those of the books.
func (p *program) checkFigures(n sums) {
	s := p.s.Stats()
	if s.Queued+s.Delayed+s.Running != 0 {
		p.Fail("figures after the end: %+v", s)
	}
	runs := n.runs
	if p.source != nil && p.traits.ordered {
		runs -= n.untracked // the source counts them
	}
	if int64(s.Completed) != runs {
		p.Fail("%d runs, figures: %+v", runs, s)
	}
	if p.source == nil {
		if d := int64(s.Dropped); d < n.notRun || d > n.notRun+n.series {
			p.Fail("%d tasks did not run, figures: %+v", n.notRun, s)
		}
		if r := int64(s.Rejected); r > n.refused || r < n.refused-p.refusedByDecorator.Load() {
			p.Fail("%d tasks were refused, figures: %+v", n.refused, s)
		}
	}
	for _, sl := range s.Slots {
		if sl.Holders != 0 {
			p.Fail("holders after the end: %+v", sl)
		}
	}
	if m := p.meter; m != nil {
		const x = "x.scheduler.tasks."
		if m.sums[x+"pending"] != 0 || m.sums[x+"active"] != 0 || m.sums[x+"completed"] != runs {
			p.Fail("%d runs, instruments: %v", runs, m.sums)
		}
	}
}

// String describes the program.
func (p *program) String() string {
	var b strings.Builder
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(&b, "program %d: %s, closing at %v, forced at %v, drops %t, foreign %t", p.Number, p.what, p.closing, p.forcing, p.drops, p.foreign)
	fmt.Fprintf(&b, " by %v", names(p.forced))
	for _, l := range p.lanes.All() {
		fmt.Fprintf(&b, "\n  worker %d: disposed at %v by %v", l.id, l.disposed, names(l.by))
	}
	for _, k := range p.books.All() {
		fmt.Fprintf(&b, "\n  task %d of worker %d: %s, %s for %v, due %v, period %v, round %d, stops %t, submitted %t, accepted %t, %v; starts %d, ends %d, fails %d; disposed at %v by %v", k.id, k.lane.id,
			k.method, k.does, k.length, k.due, k.period, k.rounds, k.stops, k.submitted, k.accepted, k.refused, k.starts.Load(), k.ends.Load(), k.fails.Load(), k.disposed, names(k.by))
	}
	return b.String()
}

// names says who has disposed something.
func names(by []*task) (list []string) {
	for _, k := range by {
		if k == nil {
			list = append(list, "a client")
		} else {
			list = append(list, fmt.Sprintf("task %d", k.id))
		}
	}
	return list
}
