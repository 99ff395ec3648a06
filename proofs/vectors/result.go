package vectors

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goreactor/reactor"
)

// Result is what became of a vector.
type Result struct {
	Vector      *Vector
	Form        string // "" or that the second form failed
	Broken      string // why it could not be run, "" if it could
	Differences []Difference
	Got         Outcome
}

// Run runs v in both forms: with functions that panic, where the format says that
// they throw, and elements that pass through methods; with functions that return
// errors, where the operator takes such, and elements that pass through closures. It
// returns the first failing result, rather one whose semantics differ, or a passing one.
func Run(v *Vector) Result {
	if v.unreadable != nil {
		return Result{Vector: v, Broken: "unreadable: " + v.unreadable.Error()}
	}
	res := once(v, false)
	if !res.Passed(Semantics) {
		return res
	}
	if second := once(v, true); res.Passed(Implementation) || !second.Passed(Semantics) {
		second.Form = "second form: "
		return second
	}
	return res
}

func once(v *Vector, second bool) (res Result) {
	res.Vector = v
	r, reason := start(v, second)
	if r == nil {
		res.Broken = reason
		return res
	}
	res.Got = r.outcome()
	switch {
	case len(r.b.missing) > 0:
		slices.Sort(r.b.missing)
		res.Broken = strings.Join(slices.Compact(r.b.missing), ", ") + " does not exist yet"
	case r.fault != "":
		res.Broken = r.fault
	case len(r.b.thrown) > 0:
		res.Broken = "thrown out of a task: " + r.b.thrown[0].Error()
		if p, ok := errors.AsType[*reactor.PanicError](r.b.thrown[0]); ok {
			res.Broken += "\n" + string(p.Stack)
		}
	default:
		res.Differences = compare(v.expect, res.Got)
	}
	return res
}

// Passed reports whether nothing differs in the tiers up to the given one.
func (r Result) Passed(upTo Tier) bool {
	if r.Broken != "" {
		return false
	}
	for _, d := range r.Differences {
		if d.Tier <= upTo {
			return false
		}
	}
	return true
}

// Missing reports whether an operator that the vector needs is not registered.
func (r Result) Missing() bool { return strings.HasSuffix(r.Broken, "does not exist yet") }

// Reason says in a line why the vector failed.
func (r Result) Reason() string {
	if r.Broken != "" {
		line, _, _ := strings.Cut(r.Broken, "\n")
		return r.Form + line
	}
	var parts []string
	for _, d := range r.Differences {
		parts = append(parts, fmt.Sprintf("tier %d: %s", d.Tier, d.Text))
	}
	return r.Form + strings.Join(parts, "; ")
}

// Report shows program, expectation and observation side by side.
func (r Result) Report() string {
	var sb strings.Builder
	fmt.Fprintf(&sb, "%s  %s  (%s)\n", r.Vector.ID, r.Vector.Class, r.Vector.File)
	if r.Vector.unreadable == nil {
		sb.WriteString(outline(r.Vector))
	}
	if r.Broken != "" {
		fmt.Fprintf(&sb, "  FAILED: %s%s\n", r.Form, r.Broken)
		return sb.String()
	}
	for _, d := range r.Differences {
		fmt.Fprintf(&sb, "  FAILED: %stier %d: %s\n", r.Form, d.Tier, d.Text)
	}
	want := r.Vector.expect
	for i := range max(len(want.Subscribers), len(r.Got.Subscribers)) {
		sideBySide(&sb, fmt.Sprintf("subscriber %d", i), at(want.Subscribers, i), at(r.Got.Subscribers, i))
	}
	sideBySide(&sb, "emits", want.Emits, r.Got.Emits)
	sideBySide(&sb, "source", want.Source, r.Got.Source)
	sideBySide(&sb, "peek", want.Peek, r.Got.Peek)
	return sb.String()
}

func sideBySide(sb *strings.Builder, name string, want, got []Entry) {
	if len(want) == 0 && len(got) == 0 {
		return
	}
	width := len("expected")
	for _, e := range want {
		width = max(width, len(e.String()))
	}
	fmt.Fprintf(sb, "  %s\n      %-*s | actual\n", name, width, "expected")
	for i := range max(len(want), len(got)) {
		var w, g string
		if i < len(want) {
			w = want[i].String()
		}
		if i < len(got) {
			g = got[i].String()
		}
		mark := " "
		if w != g {
			mark = "*"
		}
		fmt.Fprintf(sb, "    %s %-*s | %s\n", mark, width, w, g)
	}
}
