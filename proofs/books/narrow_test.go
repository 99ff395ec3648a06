package books

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// ordinaryNarrow is how many narrow programs are run if nothing says otherwise.
const ordinaryNarrow = 3000

// TestNarrowBooks runs programs of one stage, sometimes two, between a source and a reader of somebody else, in which more goes
// wrong: what needs no third stage has less around it.
func TestNarrowBooks(t *testing.T) { runPrograms(t, ordinaryNarrow, palette.narrow) }

// narrow returns the narrow program of a number.
func (c palette) narrow(seed, number uint64) program {
	r := rand.New(rand.NewPCG(seed, number))
	c.stages = c.distinct()
	depth := 1
	if r.IntN(5) == 0 {
		depth = 2
	}
	p := program{root: c.between(r, depth), on: r.IntN(grounds), ending: ending{r.IntN(len(endings)), r.IntN(6)}}
	if r.IntN(4) == 0 {
		p.root = &node{passing[0], 0, []*node{p.root}}
	}
	for range 1 + r.IntN(3) {
		p.faults = append(p.faults, narrowFault(r, p.root.size()))
	}
	return p
}

// TestBooksOfABrokenScheduler runs narrow programs in which nothing goes wrong but a call of the scheduler, which panics.
func TestBooksOfABrokenScheduler(t *testing.T) { runPrograms(t, ordinaryNarrow/2, palette.broken) }

// broken returns the program of a number.
func (c palette) broken(seed, number uint64) program {
	c.stages = slices.DeleteFunc(slices.Clone(c.stages), func(s *stage) bool { return strings.Contains(s.name, "under a key") }) // these have a clock of their own
	p := c.narrow(seed, number)
	p.faults = []fault{{schedulerPlace, 1 + int(number%6), faultPanic}}
	return p
}

// narrowFault returns one for a tree of a size. Most are early ones that end something, in the tree.
func narrowFault(r *rand.Rand, size int) fault {
	f := fault{r.IntN(size-firstPlace) + firstPlace, 1 + min(r.IntN(4), r.IntN(4)), r.IntN(faultRefused)}
	if r.IntN(2) == 0 {
		f.at = r.IntN(size)
	}
	switch {
	case f.at == schedulerPlace:
		f.kind = faultRefused
	case f.kind == faultNil && f.at > 1:
		f.at = r.IntN(2)
	case r.IntN(2) == 0:
		f.kind = r.IntN(faultYield)
	}
	return f
}

// distinct are the stages and sources of c, each of them once, those of the library.
func (c palette) distinct() []*stage {
	var list []*stage
	for _, s := range slices.Concat(c.stages, c.leaves) {
		if !s.strange && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// between returns a stage with others above it, depth of them, and above these strangers.
func (c palette) between(r *rand.Rand, depth int) *node {
	s := c.stages[r.IntN(len(c.stages))]
	if strings.HasPrefix(s.name, "roster") { // these have fewer functions that could fail
		s = c.stages[r.IntN(len(c.stages))]
	}
	n := &node{stage: s, arg: r.IntN(8)}
	for i := range n.stage.kids {
		if i == 0 && depth > 1 {
			n.kids = append(n.kids, c.between(r, depth-1))
		} else {
			n.kids = append(n.kids, c.neighbour(r))
		}
	}
	return n
}

// neighbour returns what is above a stage.
func (c palette) neighbour(r *rand.Rand) *node {
	from := strangers
	if r.IntN(8) == 0 {
		from = c.leaves
	}
	n := &node{stage: from[r.IntN(len(from))], arg: r.IntN(8)}
	if r.IntN(4) == 0 {
		return &node{passing[r.IntN(len(passing))], r.IntN(8), []*node{n}}
	}
	return n
}
