package archtest

import (
	"fmt"
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
	in   []string // folders
	most int
	is   *regexp.Regexp
}{
	{
		"bodies of DrainCrashed", []string{"operators", "adapt", "internal/protocol", "internal/unicast", "internal/multicast", "adapt/internal/blocking"}, 38,
		regexp.MustCompile(`(?m)^func \([^)]*\) DrainCrashed\(`),
	},
	{
		"marks around a call, instead of protocol.Calling", []string{"operators"}, 31,
		regexp.MustCompile(`(?m)\b(calling|sending) = true`),
	},
	{
		"elements in hand, instead of protocol.Sender", []string{"operators"}, 37,
		regexp.MustCompile(`(?m)^\t(hand|late)\s`),
	},
}

func handFindings(m *module) (findings []string) {
	for _, h := range byHand {
		var places []string
		for _, f := range m.code() {
			if !slices.Contains(h.in, f.dir()) {
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
		fmt.Fprintf(&src, "\ntype s%d struct {\n\thand int\n}\n\nfunc (s *s%d) DrainCrashed(error) {\n\ts.calling = true\n}\n", i, i)
	}
	findings := handFindings(madeUp(t, "operators/a.go", src.String()))
	assert.Len(t, findings, 3)
	for _, f := range findings {
		assert.Contains(t, f, ": 50, ")
	}
}
