package vectors

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goreactor/reactor"
)

// Tier is how strictly a difference counts.
type Tier int

// The tiers of a comparison.
const (
	Semantics      Tier = 1 // signals, life of the source, user-visible events
	Implementation Tier = 2 // demand, discarded and dropped signals
)

// Difference is one way in which an outcome is not what was expected.
type Difference struct {
	Tier Tier
	Text string
}

// compare returns how got differs from want.
func compare(want, got Outcome) (out []Difference) {
	list := func(tier Tier, name string, want, got []Entry) {
		if d := firstDifference(want, got); d != "" {
			out = append(out, Difference{tier, name + ": " + d})
		}
	}
	for i := range max(len(want.Subscribers), len(got.Subscribers)) {
		name := "signals"
		if len(want.Subscribers) > 1 {
			name = fmt.Sprintf("signals of subscriber %d", i)
		}
		list(Semantics, name, at(want.Subscribers, i), at(got.Subscribers, i))
	}
	list(Semantics, "emits", want.Emits, got.Emits)
	list(Semantics, "source", first(want.Source), first(got.Source))
	list(Semantics, "peek", first(want.Peek), first(got.Peek))
	list(Implementation, "requests of the source", demand(want.Source), demand(got.Source))
	list(Implementation, "requests in peek", demand(want.Peek), demand(got.Peek))
	list(Implementation, "discarded", bag(want.Peek, isDiscard), bag(got.Peek, isDiscard))
	list(Implementation, "dropped", bag(want.Peek, isDropped), bag(got.Peek, isDropped))
	return out
}

func at(lists [][]Entry, i int) []Entry {
	if i < len(lists) {
		return lists[i]
	}
	return nil
}

func firstDifference(want, got []Entry) string {
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			return "missing:" + lead(want[i])
		case i >= len(want):
			return "too much:" + lead(got[i])
		case want[i] != got[i]:
			return "expected" + lead(want[i]) + ", got" + lead(got[i])
		}
	}
	return ""
}

func lead(e Entry) string { return " [" + strings.TrimSpace(e.String()) + "]" }

func first(list []Entry) []Entry {
	return slices.DeleteFunc(slices.Clone(list), Entry.secondTier)
}

func isDiscard(e Entry) bool { return e.Text == "discard" }

func isDropped(e Entry) bool { return e.Op == "dropped" }

// demand adds up the requests of each millisecond and operator.
func demand(list []Entry) (out []Entry) {
	for _, e := range list {
		if !e.isRequest() {
			continue
		}
		i := slices.IndexFunc(out, func(o Entry) bool { return o.T == e.T && o.Op == e.Op })
		if i < 0 {
			out = append(out, e)
			continue
		}
		if sum := out[i].N + e.N; out[i].N != reactor.Unbounded && e.N != reactor.Unbounded && sum > 0 {
			out[i].N = sum
		} else {
			out[i].N = reactor.Unbounded
		}
	}
	return sorted(out)
}

// bag is what some entries are without their order within a millisecond.
func bag(list []Entry, keep func(Entry) bool) (out []Entry) {
	for _, e := range list {
		if keep(e) {
			out = append(out, e)
		}
	}
	return sorted(out)
}

func sorted(list []Entry) []Entry {
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.String(), b.String()) })
	return list
}
