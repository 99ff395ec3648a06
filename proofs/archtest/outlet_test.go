package archtest

import (
	"fmt"
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What surrounds a drain (demand, ends, the element on its way, failures) has one home, the
// outlet (docs/decisions/0024-outlet.md). These numbers say how often it is still done by
// hand. They only go down.
var byHand = []struct {
	what string
	in   func(dir string) bool
	most int
	is   *regexp.Regexp
}{
	{
		"bodies of DrainCrashed", func(dir string) bool { return isEngine(dir) || under(dir, "adapt") || dir == "sinks" }, 6,
		regexp.MustCompile(`(?m)^func \([^)]*\) DrainCrashed\(`),
	},
	{
		"elements in flight, instead of protocol.Sender or protocol.LoopSender", isStage, 0,
		regexp.MustCompile(`(?m)^\t(hand\s|inFlight\s|\w+\s+protocol\.InFlight\[)`),
	},
}

func handFindings(m *module) (findings []string) {
	for _, h := range byHand {
		var places []string
		for _, f := range m.code() {
			if !h.in(f.dir()) {
				continue
			}
			for range h.is.FindAllIndex(f.src, -1) {
				places = append(places, f.path)
			}
		}
		if len(places) > h.most {
			findings = append(findings, fmt.Sprintf("%s: %d, and there must not be more than %d: %v", h.what, len(places), h.most, places))
		}
	}
	return findings
}

func TestOutletsAreUsed(t *testing.T) { report(t, handFindings(load(t))) }

func TestHandFindings(t *testing.T) {
	var src strings.Builder
	src.WriteString("package operators\n")
	for i := range 50 {
		fmt.Fprintf(&src, "\ntype s%d struct {\n\thand int\n}\n\nfunc (s *s%d) DrainCrashed(error) {}\n", i, i)
	}
	findings := handFindings(madeUp(t, "operators/a.go", src.String()))
	assert.Len(t, findings, 2)
	for _, f := range findings {
		assert.Contains(t, f, ": 50, ")
	}
}

// markFindings returns the places where a stage marks a call that is under way with a field of its
// own, which is true around it, instead of a protocol.Calling.
func markFindings(m *module) (findings []string) {
	for _, f := range m.code() {
		if !isStage(f.dir()) && f.dir() != "sinks" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if block, ok := n.(*ast.BlockStmt); ok {
				for i, s := range block.List {
					if mark := assigned(s, "true"); mark != "" && slices.ContainsFunc(block.List[i+1:], func(s ast.Stmt) bool { return assigned(s, "false") == mark }) {
						findings = append(findings, fmt.Sprintf("%s: %s is true around a call: use protocol.Calling", m.at(s.Pos()), mark))
					}
				}
			}
			return true
		})
	}
	return findings
}

// assigned returns the field that s sets to value, "" if none.
func assigned(s ast.Stmt, value string) string {
	a, ok := s.(*ast.AssignStmt)
	if !ok || len(a.Lhs) != len(a.Rhs) {
		return ""
	}
	for i, v := range a.Rhs {
		name, ok := v.(*ast.Ident)
		field, of := a.Lhs[i].(*ast.SelectorExpr)
		if ok && of && name.Name == value {
			return types.ExprString(field)
		}
	}
	return ""
}

func TestCallsAreMarkedByCalling(t *testing.T) { report(t, markFindings(load(t))) }

func TestMarkFindings(t *testing.T) {
	for body, count := range map[string]int{
		"\ts.calling = true\n\ts.down.OnNext(v)\n\ts.calling = false\n":                            1,
		"\ts.done, s.busy = v, true\n\tif s.ok {\n\t\ts.push(v)\n\t}\n\ts.busy, s.at = false, 0\n": 1,
		"\ts.call.Begin()\n\ts.push(v)\n\ts.call.End()\n":                                          0,
		"\ts.over = true\n\ts.push(v)\n\ts.done = false\n":                                         0,
	} {
		assert.Lenf(t, markFindings(madeUp(t, "operators/a.go", "package operators\n\nfunc f() {\n"+body+"}\n")), count, "%s", body)
	}
}
