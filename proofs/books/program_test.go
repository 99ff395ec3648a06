package books

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// program is a tree of operators, what goes wrong in it, and how it is read. It is drawn from a seed and
// never changes.
type program struct {
	root   *node
	faults []fault
	ending ending
	on     int // one of the grounds

	// closely has goroutines that are left found also if there are no more than before: one outside of the bubble that was about
	// to end then makes up for one that is left. That is rare, and to look at all of them takes as long as the rest.
	closely bool
}

// node is a stage with what is above it, or a source.
type node struct {
	stage *stage
	arg   int
	kids  []*node
}

// fault is something that happens in a function of the user.
type fault struct {
	at   int // the place of a node in the order in which they are written, or one of those below
	call int // which call of the functions there, from 1
	kind int
}

// The kinds of faults.
const (
	faultFails   = iota // an error, or a panic with it where there can be none
	faultPanic          // a panic also where an error could be returned
	faultGoexit         // ends the goroutine
	faultYield          // gives way a few times
	faultCancel         // cancels, on the spot
	faultCancels        // lets another goroutine cancel
	faultEnd            // ends the context, on the spot
	faultEnds           // lets another goroutine end the context
	faults

	// Those that only narrow programs have.
	faultRequest  = iota - 1 // asks for more, on the spot
	faultRequests            // lets another goroutine ask for more
	faultNil                 // returns no publisher where one is returned
	faultRefused             // the scheduler takes no task
	narrowFaults
)

var faultNames = [...]string{"fails", "panic", "goexit", "yield", "cancel", "cancel from outside",
	"end of the context", "end of the context from outside", "request", "request from outside", "nil", "refused"}

// The places that are no nodes.
const (
	readerPlace    = -1
	hookPlace      = -2
	schedulerPlace = -3
	firstPlace     = schedulerPlace
)

// The schedulers that a program runs on.
const (
	onClock    = iota // one goroutine at a time, in virtual time
	onParallel        // three workers
	onElastic
	grounds
)

var groundNames = [...]string{"clock", "parallel", "elastic"}

// What a drawn tree may be at most.
const (
	maxDepth = 4
	maxNodes = 9
)

// palette is what trees are made of.
type palette struct{ leaves, stages []*stage }

// without returns c without what has a name that matches.
func (c palette) without(match *regexp.Regexp) palette {
	left := func(list []*stage) []*stage {
		return slices.DeleteFunc(slices.Clone(list), func(s *stage) bool { return match.MatchString(s.name) })
	}
	return palette{left(c.leaves), left(c.stages)}
}

// draw returns the program of a number.
func (c palette) draw(seed, number uint64) program {
	r := rand.New(rand.NewPCG(seed, number))
	left := 1 + r.IntN(maxNodes)
	p := program{root: c.grow(r, maxDepth, &left), on: r.IntN(grounds)}
	p.ending = ending{r.IntN(len(endings)), r.IntN(6)}
	for range r.IntN(4) {
		at := r.IntN(p.root.size()-hookPlace) + hookPlace
		p.faults = append(p.faults, fault{at, 1 + r.IntN(5), r.IntN(faults)})
	}
	return p
}

// grow returns a tree of about left nodes.
func (c palette) grow(r *rand.Rand, depth int, left *int) *node {
	*left--
	from := c.stages
	if depth == 0 || *left <= 0 || r.IntN(6) == 0 {
		from = c.leaves
	}
	n := &node{stage: from[r.IntN(len(from))], arg: r.IntN(8)}
	for range n.stage.kids {
		n.kids = append(n.kids, c.grow(r, depth-1, left))
	}
	return n
}

func (n *node) size() int {
	size := 1
	for _, k := range n.kids {
		size += k.size()
	}
	return size
}

// has reports whether a node for which match holds is in the tree.
func (n *node) has(match func(*stage) bool) bool {
	return match(n.stage) || slices.ContainsFunc(n.kids, func(k *node) bool { return k.has(match) })
}

// isLeft reports whether somebody cancels, or ends the context.
func (p program) isLeft() bool {
	return left.MatchString(endings[p.ending.kind].name) ||
		slices.ContainsFunc(p.faults, func(f fault) bool { return f.kind >= faultCancel && f.kind <= faultEnds })
}

// left are the endings in which the reader leaves.
var left = regexp.MustCompile(`cancel|ended|nothing|several`)

// ends reports whether the stream has to end.
func (p program) ends() bool {
	return !p.isLeft() && !deaf.MatchString(endings[p.ending.kind].name) &&
		!p.root.has(func(s *stage) bool { return endless.MatchString(s.name) }) &&
		!slices.ContainsFunc(p.faults, func(f fault) bool { return f.kind == faultGoexit && f.at < 0 })
}

// deaf are the endings that may not come: the reader asks for less, or does not hear of all of them, or not where the goroutine ends
// that would have returned what to wait for.
var deaf = regexp.MustCompile(`no more|clumsy|subscribeFunc|toFuture`)

// String returns the program as one would write it: a stage, and below it, further right, what is above it in
// the stream.
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
	fmt.Fprintf(&b, "%s(%d), on %s", endings[p.ending.kind].name, p.ending.n, groundNames[p.on])
	place(readerPlace)
	for at, name := range map[int]string{hookPlace: "hooks", schedulerPlace: "the scheduler"} {
		if slices.ContainsFunc(p.faults, func(f fault) bool { return f.at == at }) {
			b.WriteString("    " + name)
			place(at)
		}
	}
	at := 0
	var write func(n *node, indent string)
	write = func(n *node, indent string) {
		fmt.Fprintf(&b, "%s%d: %s(%d)", indent, at, n.stage.name, n.arg)
		place(at)
		at++
		for _, k := range n.kids {
			write(k, indent+"    ")
		}
	}
	write(p.root, "    ")
	return b.String()
}

// smaller returns the programs that are one step simpler than p, the most promising first.
func (p program) smaller() (list []program) {
	at := 0
	var visit func(n *node, with func(*node) *node)
	visit = func(n *node, with func(*node) *node) {
		here := at
		at++
		replace := func(by *node, from int) {
			q := p
			q.root = with(by)
			q.faults = p.moved(here, n.size(), from, by.size())
			list = append(list, q)
		}
		for i, k := range n.kids {
			replace(k, at-here)
			visit(k, func(by *node) *node {
				kids := slices.Clone(n.kids)
				kids[i] = by
				return with(&node{n.stage, n.arg, kids})
			})
		}
		if n.stage != sources[0] {
			replace(&node{stage: sources[0], arg: min(n.arg, 3)}, n.size())
		}
		if n.arg > 0 {
			replace(&node{n.stage, n.arg / 2, n.kids}, 0)
		}
	}
	visit(p.root, func(n *node) *node { return n })
	list = slices.DeleteFunc(list, func(q program) bool { return q.root.isStrange() })
	slices.SortStableFunc(list, func(a, b program) int { return a.root.size() - b.root.size() })
	for i := range p.faults {
		q := p
		q.faults = slices.Delete(slices.Clone(p.faults), i, i+1)
		list = append(list, q)
	}
	if p.ending.kind != 0 {
		q := p
		q.ending = ending{}
		list = append(list, q)
	}
	if p.on != onClock {
		q := p
		q.on = onClock
		list = append(list, q)
	}
	return list
}

// moved returns the faults of p when of the size nodes from at on only kept are left, the first of which is
// from nodes further on.
func (p program) moved(at, size, from, kept int) (list []fault) {
	for _, f := range p.faults {
		switch {
		case f.at < at:
		case f.at >= at+size:
			f.at += kept - size
		case f.at >= at+from && f.at < at+from+kept:
			f.at -= from
		default:
			continue
		}
		list = append(list, f)
	}
	return list
}
