package benchmarks

import (
	"bufio"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Guarded is a row of this library whose costs are recorded.
type Guarded struct {
	ID   string
	Life Life
	Few  int // elements of the shorter one of two runs whose difference is what an element costs
	Work int // elements of a run that is to take long
	each int // figures of the row for each element
}

// timed are operators that set timers, whose cost depends on what other timers there are and were.
var timed = []string{"O timeout", "O takeFor", "O bufferTimeout", "O windowTimeout", "O mono timeout", "O mono service"}

// Guards returns the rows whose runs have parts.
func Guards() (all []Guarded) {
	for _, w := range append(Workloads(), Operators()...) {
		if slices.Contains(timed, w.ID) {
			continue
		}
		for _, c := range w.Runs {
			if c.Life == nil {
				continue
			}
			g := Guarded{ID: w.ID, Life: c.Life, Few: 1_000, Work: 10_000, each: 1}
			switch {
			case w.ID == "P4a" || w.ID == "P4c": // elements of theirs are inner streams
				g.Few, g.Work, g.each = 100, 100, Inner
			case strings.HasPrefix(w.ID, "P7"), strings.HasPrefix(w.ID, "O mono"): // has one
				g.Work = 1
			case strings.HasPrefix(w.ID, "P9"):
				g.each = Audience
			}
			all = append(all, g)
		}
	}
	return all
}

// Count returns the allocations of the row.
func (g Guarded) Count() Counts { return g.Life.Count(g.Few, 2*g.Few) }

// Runs is how many runs have a number of elements, or, where one is a whole life, a
// fiftieth of it.
func (g Guarded) Runs(elements int) int {
	if g.Work == 1 {
		elements /= 50
	}
	return max(1, elements/(g.Work*g.each))
}

// Elements is how many of them a number of runs has.
func (g Guarded) Elements(runs int) int { return runs * g.Work * g.each }

// Record is what was counted of rows, by their ids: a file with a line for each.
type Record map[string][]float64

// ReadRecord reads a file; lines that begin with # are comments.
func ReadRecord(text string) (Record, error) {
	r := Record{}
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, figures, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("%q is no row and its figures", line)
		}
		for text := range strings.FieldsSeq(figures) {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", line, err)
			}
			r[id] = append(r[id], v)
		}
	}
	return r, lines.Err()
}

// Text is the figures of a Counts, as they are recorded.
func (c Counts) Text() string { return fmt.Sprintf("%g %g %g", c.Assembly, c.Subscription, c.Element) }

// seams is by how much what is left for the subscription may differ where only some elements cost something:
// a queue grows by pieces, and how many of them a run takes depends on where it begins and on who is
// faster.
const seams = 5

// Differs says what is not as recorded, or nothing.
func (c Counts) Differs(recorded []float64) string {
	if len(recorded) != 3 {
		return fmt.Sprintf("%s allocations, which were not recorded", c.Text())
	}
	was := Counts{recorded[0], recorded[1], recorded[2]}
	like := was
	if c.Element != math.Trunc(c.Element) && math.Abs(c.Subscription-was.Subscription) <= seams {
		like.Subscription = c.Subscription
	}
	if like != c {
		return fmt.Sprintf("%s allocations instead of %s (assembly, subscription, element)", c.Text(), was.Text())
	}
	return ""
}
