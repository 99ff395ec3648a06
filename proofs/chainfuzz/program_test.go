package chainfuzz

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// program is a chain on real schedulers, what goes wrong in it, and how it is used. It is drawn
// from a seed and never changes.
type program struct {
	source parts
	stages []parts
	faults []fault
	reader reading
	on     int // one of the grounds
}

// parts is an operator with its argument: its place in threadSources or threadOps.
type parts struct{ op, arg int }

// fault is something that happens in a function of the user, or in OnNext of the reader.
type fault struct {
	at   int // 0: the source, n: the n-th stage, readerPlace: the reader
	call int // which call of the functions there, from 1
	kind int
}

// The kinds of faults.
const (
	faultPanic   = iota
	faultGoexit  // ends the goroutine
	faultYield   // gives way a few times
	faultSlow    // takes some microseconds
	faultCancel  // cancels, on the spot
	faultCancels // lets another goroutine cancel
	faultEnd     // ends the context, on the spot
	faultEnds    // lets another goroutine end the context
	faultRetire  // lets another goroutine dispose the scheduler, gracefully, and then cancel
	faults
)

var faultNames = [...]string{"panic", "goexit", "yield", "slow", "cancel", "cancel from outside",
	"end of the context", "end of the context from outside", "graceful disposal of the scheduler"}

const readerPlace = 1 << 10

// The ways in which the reader asks for elements. In the end it asks for all.
const (
	readAll     = iota
	readSingly  // one, and one more in each OnNext
	readBySome  // n, and n more in each n-th OnNext
	readOutside // one at a time, from another goroutine
	readLate    // nothing at first, then everything from another goroutine
	readings
)

var readingNames = [...]string{"all", "singly", "by", "from outside", "late"}

type reading struct{ kind, n int }

// The schedulers that a chain runs on.
const (
	onShared   = iota // parallel, that of the process
	onElastic         // boundedElastic, that of the process
	onOwn             // parallel, one of the chain's own
	onLate            // one of its own that starts tasks late, in another order
	onRefusing        // the same, which refuses some
	onDisposed        // one of its own that was disposed before
	grounds
)

var groundNames = [...]string{"parallel", "boundedElastic", "own", "late", "refusing", "disposed"}

// refusing reports whether the scheduler may refuse tasks.
func (p program) refusing() bool {
	return p.on >= onRefusing || slices.ContainsFunc(p.faults, func(f fault) bool { return f.kind == faultRetire })
}

// maxStages is the most operators in a chain on real schedulers.
const maxStages = 6

// draw returns the program of a number.
func draw(seed, number uint64, refusals bool) program {
	r := rand.New(rand.NewPCG(seed, number))
	p := program{source: parts{r.IntN(len(threadSources)), r.IntN(12)}, reader: reading{r.IntN(readings), 1 + r.IntN(6)}}
	for range 1 + r.IntN(maxStages) {
		p.stages = append(p.stages, parts{r.IntN(len(threadOps)), r.IntN(8)})
	}
	p.on = r.IntN(onRefusing)
	if refusals && r.IntN(2) == 0 {
		p.on = onRefusing + r.IntN(4)/3
	}
	for range r.IntN(3) {
		at := r.IntN(len(p.stages) + 2)
		if at > len(p.stages) {
			at = readerPlace
		}
		kind := r.IntN(faults)
		if kind == faultRetire && (!refusals || p.on != onOwn) {
			kind = faultCancels
		}
		p.faults = append(p.faults, fault{at, 1 + r.IntN(10), kind})
	}
	return p
}

// without returns p without the operators and faults whose names match.
func (p program) without(match *regexp.Regexp) program {
	if match == nil {
		return p
	}
	for i := len(p.stages) - 1; i >= 0; i-- {
		if match.MatchString(threadOps[p.stages[i].op].name) {
			p = p.withoutStage(i)
		}
	}
	p.faults = slices.DeleteFunc(slices.Clone(p.faults), func(f fault) bool { return match.MatchString(faultNames[f.kind]) })
	return p
}

func (p program) withoutStage(i int) program {
	faults := p.faults
	p.stages = slices.Delete(slices.Clone(p.stages), i, i+1)
	p.faults = nil
	for _, f := range faults {
		switch {
		case f.at == i+1:
			continue
		case f.at > i+1 && f.at != readerPlace:
			f.at--
		}
		p.faults = append(p.faults, f)
	}
	return p
}

// String returns the program as one would write it.
func (p program) String() string {
	var b strings.Builder
	place := func(at int) {
		for _, f := range p.faults {
			if f.at == at {
				fmt.Fprintf(&b, "  // call %d: %s", f.call, faultNames[f.kind])
			}
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s(%d)", threadSources[p.source.op].name, p.source.arg)
	place(0)
	for i, s := range p.stages {
		fmt.Fprintf(&b, "\t.%s(%d)", threadOps[s.op].name, s.arg)
		place(i + 1)
	}
	fmt.Fprintf(&b, "read %s(%d), on %s", readingNames[p.reader.kind], p.reader.n, groundNames[p.on])
	place(readerPlace)
	return b.String()
}

// smaller returns the programs that are one step simpler than p, the most promising first.
func (p program) smaller() (list []program) {
	for i := range p.stages {
		list = append(list, p.withoutStage(i))
	}
	for i := range p.faults {
		q := p
		q.faults = slices.Delete(slices.Clone(p.faults), i, i+1)
		list = append(list, q)
	}
	change := func(worth bool, how func(*program)) {
		if worth {
			q := p
			how(&q)
			list = append(list, q)
		}
	}
	change(p.on != onOwn && !p.refusing(), func(q *program) { q.on = onOwn })
	change(p.source.op != 0, func(q *program) { q.source.op = 0 })
	change(p.reader.kind != readAll, func(q *program) { q.reader = reading{} })
	change(p.source.arg > 2, func(q *program) { q.source.arg /= 2 })
	return list
}
