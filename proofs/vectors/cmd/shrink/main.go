// Command shrink makes vectors that fail small: it leaves out one thing after the other, has
// Project Reactor record what is left anew, and goes on with the smallest that fails in the same
// way. Programs that come down to the same one are shown once, the most frequent first.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goreactor/reactor/proofs/vectors"
)

func main() {
	dir := flag.String("dir", "", "folder with *.jsonl files")
	original := flag.String("original", "", "the command that runs Reactor: java -jar …/original.jar")
	reason := flag.String("reason", "", "regular expression: only those whose reason matches")
	most := flag.Int("most", 100, "how many are made small at most")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "shrink: unexpected arguments:", flag.Args())
		os.Exit(2)
	}
	if err := run(*dir, strings.Fields(*original), *reason, *most); err != nil {
		fmt.Fprintln(os.Stderr, "shrink:", err)
		os.Exit(2)
	}
}

// failing is a vector that fails.
type failing struct {
	vector
	kind   string // of the first difference: it stays
	reason string
	count  int // how many came down to it
}

// vector is what the files have of one, without the expectations.
type vector struct {
	ID      string         `json:"id"`
	Class   string         `json:"class"`
	Program map[string]any `json:"program"`
	Run     map[string]any `json:"run"`
}

func run(dir string, original []string, reason string, most int) error {
	matches, err := regexp.Compile(reason)
	switch {
	case err != nil:
		return fmt.Errorf("-reason: %w", err)
	case len(original) == 0:
		return fmt.Errorf("-original is missing")
	case most < 1:
		return fmt.Errorf("-most must be at least 1, not %d", most)
	}
	all, err := vectors.Load(dir)
	if err != nil {
		return err
	}
	var found []*failing
	for _, v := range all {
		if f := check(v); f != nil && matches.MatchString(f.reason) {
			found = append(found, f)
		}
	}
	slices.SortStableFunc(found, func(a, b *failing) int { return cmp.Compare(a.size(), b.size()) })
	found = found[:min(most, len(found))]
	for active := slices.Clone(found); len(active) > 0; {
		if active, err = step(active, original); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%d become smaller still\n", len(active))
	}
	show(found)
	return nil
}

// check returns v if it fails.
func check(v *vectors.Vector) *failing {
	res := vectors.Run(v)
	if res.Passed(vectors.Semantics) || res.Broken != "" {
		return nil
	}
	f := &failing{reason: res.Reason(), kind: kindOf(res.Differences[0].Text)}
	if strings.Contains(f.reason, "panic: vectors:") {
		return nil // something that has to be there was left out
	}
	if json.Unmarshal([]byte(v.Line), &f.vector) != nil {
		return nil
	}
	return f
}

// kindOf returns what a difference is about: of what, and whether it is missing, too much, or another.
func kindOf(text string) string {
	what, how, _ := strings.Cut(text, ": ")
	what, _, _ = strings.Cut(what, " of ")
	how, _, _ = strings.Cut(how, " ")
	return what + " " + how
}

func (f *vector) size() int {
	text, _ := json.Marshal([]any{f.Program, f.Run}) // made of JSON
	return len(text)
}

// step makes each a step smaller, and returns those for which that has worked.
func step(active []*failing, original []string) (smaller []*failing, err error) {
	dir, err := os.MkdirTemp("", "shrink")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in := filepath.Join(dir, "in")
	if err := write(in, active); err != nil {
		return nil, err
	}
	cmd := exec.Command(original[0], slices.Concat(original[1:], []string{"record", in, filepath.Join(dir, "out.jsonl")})...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	all, err := vectors.Load(dir)
	if err != nil {
		return nil, err
	}
	better := map[int]*failing{}
	for _, v := range all {
		var of int
		if _, err := fmt.Sscanf(v.ID, "%d", &of); err != nil {
			return nil, fmt.Errorf("%s: %w", v.ID, err)
		}
		best, limit := better[of], active[of].size()
		if best != nil {
			limit = best.size()
		}
		if f := check(v); f != nil && f.kind == active[of].kind && f.size() < limit {
			better[of] = f
		}
	}
	for _, of := range slices.Sorted(maps.Keys(better)) {
		f, b := active[of], better[of]
		f.Program, f.Run, f.reason = b.Program, b.Run, b.reason
		smaller = append(smaller, f)
	}
	return smaller, nil
}

// write writes all that are a step smaller.
func write(name string, active []*failing) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	lines := json.NewEncoder(out)
	for i, f := range active {
		for _, program := range parts(f.Program) {
			err = cmp.Or(err, lines.Encode(vector{fmt.Sprint(i), "shrink", program.(map[string]any), f.Run}))
		}
		for _, part := range parts(f.Run) {
			run := part.(map[string]any)
			if several, _ := run["subscribers"].([]any); run["demand"] == nil && len(several) == 0 {
				continue // nobody subscribes
			}
			err = cmp.Or(err, lines.Encode(vector{fmt.Sprint(i), "shrink", f.Program, run}))
		}
	}
	return cmp.Or(err, out.Flush())
}

// parts returns x with one thing left out, or made simpler, in all ways there are. What makes no program
// any more is not recorded.
func parts(x any) (all []any) {
	switch x := x.(type) {
	case map[string]any:
		if src, ok := x["src"].(map[string]any); ok {
			all = sources(x, src)
		}
		for key, value := range x {
			if _, ok := value.(string); ok && (key == "op" || key == "type") || key == "until" || key == "tag" {
				continue
			}
			if key != "src" {
				all = append(all, with(x, key, nil))
			}
			if key == "demand" {
				all = append(all, with(x, key, "unbounded"))
			}
			for _, part := range parts(value) {
				all = append(all, with(x, key, part))
			}
		}
	case []any:
		for i, value := range x {
			all = append(all, slices.Concat(x[:i], x[i+1:]))
			for _, part := range parts(value) {
				all = append(all, slices.Concat(x[:i], []any{part}, x[i+1:]))
			}
		}
	}
	return all
}

// sources returns the program with simpler sources: one of those that its own is made of, or one of the simplest.
func sources(program, src map[string]any) (all []any) {
	of, _ := src["of"].([]any)
	for _, p := range of {
		if inner, ok := p.(map[string]any); ok {
			first, _ := inner["ops"].([]any)
			then, _ := program["ops"].([]any)
			all = append(all, with(with(program, "src", inner["src"]), "ops", slices.Concat(first, then)))
		}
	}
	for _, simple := range []map[string]any{
		{"op": "empty"}, {"op": "arg"}, {"op": "just", "items": []any{1}}, {"op": "monoJust", "v": 1},
	} {
		all = append(all, with(program, "src", simple))
	}
	return all
}

// with returns a copy of x with another value, or without one if that is nil.
func with(x map[string]any, key string, value any) map[string]any {
	x = maps.Clone(x)
	if x[key] = value; value == nil {
		delete(x, key)
	}
	return x
}

var numbers = regexp.MustCompile(`\d+`)

// show prints what has come out.
func show(found []*failing) {
	same := map[string]*failing{}
	var order []*failing
	for _, f := range found {
		text, _ := json.Marshal(f.Program) // made of JSON
		key := numbers.ReplaceAllString(string(text), "")
		if first := same[key]; first != nil {
			first.count++
			continue
		}
		f.count = 1
		same[key] = f
		order = append(order, f)
	}
	slices.SortStableFunc(order, func(a, b *failing) int { return cmp.Compare(b.count, a.count) })
	for _, f := range order {
		program, _ := json.Marshal(f.Program)
		run, _ := json.Marshal(f.Run)
		fmt.Printf("%d, such as %s: %s\n  %s\n  %s\n", f.count, f.ID, f.reason, program, run)
	}
	fmt.Printf("%d vectors, %d programs\n", len(found), len(order))
}
