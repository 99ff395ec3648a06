package reactortest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goreactor/reactor"
)

// story tells how a script failed: the sentence, the script with a mark on the step, and the
// signals with theirs.
func (r *run[T]) story(name string, after *Aftermath) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	if name != "" {
		name += ": "
	}
	at := min(r.failedAt, len(r.steps)-1)
	fmt.Fprintf(&b, "reactortest: %sstep %d of %d (%s) failed: %s\n", name, at+1, len(r.steps), r.steps[at].title(), r.wrong)
	r.tellScript(&b, at)
	r.tellSignals(&b)
	if books := after.story(); books != "" {
		b.WriteString("\nwhat did not reach the script\n" + books)
	}
	b.WriteString(panics(after.OperatorErrors()))
	b.WriteString("\nHow to read it: ✓ steps were done; → marks the step that failed and the signal it failed on, if it was one.\n" +
		"Beside each signal stands the step that took it; those after the → nobody has looked at.\n")
	return b.String()
}

func (s *step[T]) title() string {
	if s.name != "" {
		return s.name + ": " + s.what
	}
	return s.what
}

func (r *run[T]) tellScript(b *strings.Builder, at int) {
	// A script that a loop has written may have thousands of steps.
	from, to := max(0, at-mostHistory), min(len(r.steps), at+mostHistory+1)
	width := 0
	for _, s := range r.steps[from:to] {
		width = max(width, min(len([]rune(s.title())), 60))
	}
	b.WriteString("\nthe script\n")
	if from > 0 {
		fmt.Fprintf(b, "     … %d earlier ones\n", from)
	}
	for i := from; i < to; i++ {
		s, mark := r.steps[i], "  "
		switch {
		case i == at:
			mark = "→ "
		case i < at:
			mark = "✓ "
		}
		fmt.Fprintf(b, "  %s%3d  %-*s  %s\n", mark, i+1, width, s.title(), s.where)
	}
	if later := len(r.steps) - to; later > 0 {
		fmt.Fprintf(b, "     … %d later ones\n", later)
	}
}

func (r *run[T]) tellSignals(b *strings.Builder) {
	fmt.Fprintf(b, "\nthe signals (%s since the subscription)\n", r.pace.name())
	all, later := slices.Clone(r.history), r.unheard
	if len(all) > mostHistory {
		r.forgotten += len(all) - mostHistory
		all = all[len(all)-mostHistory:]
	}
	if r.forgotten > 0 {
		fmt.Fprintf(b, "     … %d earlier ones\n", r.forgotten)
	}
	rest := r.unread
	if len(rest) > mostHistory {
		rest, later = rest[:mostHistory], later+len(rest)-mostHistory
	}
	all = append(all, rest...)
	slices.SortFunc(all, func(a, b signal[T]) int { return a.id - b.id })
	told := r.culprit == nil
	tell := func(s signal[T]) {
		mark := "  "
		if r.culprit != nil && s.id == r.culprit.id {
			mark, told = "→ ", true
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("  %s%8v  %-28s  %s", mark, s.at, s.String(), s.mark), " ") + "\n")
	}
	for _, s := range all {
		tell(s)
	}
	if later > 0 {
		fmt.Fprintf(b, "     … %d later ones\n", later)
	}
	if !told {
		tell(*r.culprit)
	}
	switch {
	case r.up == nil:
		b.WriteString("  →  onSubscribe has not come\n")
	case r.culprit == nil && !r.ended:
		fmt.Fprintf(b, "  → %8v  nothing more came", r.since())
		if r.demand != reactor.Unbounded && r.received >= r.demand {
			fmt.Fprintf(b, "; all of the demand, %d, is used up", r.demand)
		}
		b.WriteString("\n")
	}
}

// panics tells where the first panic of a user function among errs came from. Without it the reader of
// a report of "index out of range" would have to look for it in all functions of the pipeline.
func panics(errs []error) string {
	const most = 3 // frames
	for _, err := range errs {
		var p *reactor.PanicError
		if !errors.As(err, &p) {
			continue
		}
		frames := framesOf(string(p.Stack))
		if len(frames) == 0 {
			continue
		}
		text := fmt.Sprintf("\nwhere the first panic came from (%s)\n", p.Error())
		for _, f := range frames[:min(most, len(frames))] {
			text += "  " + f + "\n"
		}
		return text
	}
	return ""
}

// framesOf returns the frames of a stack below the panic, one line each, innermost first.
func framesOf(stack string) (frames []string) {
	lines := strings.Split(stack, "\n")
	below := false
	for i := 0; i+1 < len(lines); i++ {
		where, is := strings.CutPrefix(lines[i+1], "\t")
		if !is {
			continue
		}
		fn := lines[i]
		switch {
		case strings.HasPrefix(fn, "panic("):
			frames, below = nil, true // of a panic in a deferred function the outer one
		case below && !strings.HasPrefix(fn, "runtime."):
			where, _, _ = strings.Cut(where, " +0x")
			frames = append(frames, fn[:max(strings.LastIndex(fn, "("), 0)]+"  "+where)
		}
	}
	return frames
}
