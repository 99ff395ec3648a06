package archtest

import (
	"cmp"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// retired are words that were given up, with the one to use. A word joins them when its last use has gone.
var retired = map[string]string{
	"gulp": "max…", "bury": "note…", "repaid": "settled", "unpaid": "replenish", "twoSided": "outlet", "crew": "workers", "fates": "outcomes", "aftermath": "end",
	"standstill": "stall", "sieve": "filtering", "laggard": "slidingTimer", "departure": "earlyCancel",
	"correlation": "join", "combining": "combineLatest", "merging": "flatMap", "sweep": "discard", "supply": "prefetch or supplier", "hub": "fanout", "spoke": "member", "home": "owner",
	"interlude": "backoff", "gatherer": "sharedMono", "feeder": "producer", "verdict": "answer", "forget": "remove or drop",
}

// Of these, one is a verb in sentences, the other is two words.
var (
	retiredNames   = map[string]string{"hand": "inFlight"}
	retiredPhrases = map[string]string{"in hand": "in flight"}
)

// retiredIn are the packages whose names are looked at: the engine and what users see.
var retiredIn = []string{"operators", "internal/protocol", "internal/argument", "internal/asking", "internal/demand", "internal/describe", "internal/direct", "internal/failure", "internal/foreign", "internal/upstream", "internal/queue", "internal/unicast", "internal/multicast", "internal/stage", "stage", "flux", "mono", "schedulers", "executors", "sinks", "netreactor"}

// spoken matches a retired word in a sentence.
var spoken = func() map[string]*regexp.Regexp {
	all := map[string]*regexp.Regexp{}
	for _, words := range []map[string]string{retired, retiredPhrases} {
		for word := range words {
			all[word] = regexp.MustCompile(`(?i)\b` + word + `s?\b`)
		}
	}
	return all
}()

var words = regexp.MustCompile(`[A-Z]?[a-z]+`)

// retiredFindings says which names are, or contain, a retired word, and which comments say one.
func retiredFindings(m *module) (findings []string) {
	for _, f := range m.code() {
		if !hasFolder(f.dir()) {
			continue
		}
		for _, group := range f.ast.Comments {
			for _, c := range group.List {
				for word, said := range spoken {
					if said.MatchString(c.Text) {
						findings = append(findings, fmt.Sprintf("%s: the word %s was given up, use %s", m.at(c.Pos()), word, cmp.Or(retired[word], retiredPhrases[word])))
					}
				}
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			parts := append(words.FindAllString(id.Name, -1), id.Name)
			for _, given := range []map[string]string{retired, retiredNames} {
				for word, instead := range given {
					if slices.ContainsFunc(parts, func(part string) bool { return strings.EqualFold(part, word) }) {
						findings = append(findings, fmt.Sprintf("%s: %s: the word %s was given up, use %s", m.at(id.Pos()), id.Name, word, instead))
					}
				}
			}
			return true
		})
	}
	return findings
}

func hasFolder(dir string) bool {
	for _, folder := range retiredIn {
		if under(dir, folder) {
			return true
		}
	}
	return false
}

func TestRetiredWords(t *testing.T) { report(t, retiredFindings(load(t))) }

func TestRetiredFindings(t *testing.T) {
	for src, want := range map[string]int{
		"const gulp = 8":                           1,
		"type s struct{ repaid bool }":             1,
		"func (q *queue) buryAll() {}":             1,
		"func f() { twoSided := 1; _ = twoSided }": 2,
		"func replenish() {}":                      0,
		"type handOver int":                        1,
		"// What hands over.\nvar handle int":      0,
		"// It is in hand.\nvar a int":             1,
		"type unpaidLater int":                     1,
		"// A gulp of elements.\nvar a int":        1,
		"var a int // two laggards":                1,
		"// A gulpy one.\nvar a int":               0,
	} {
		assert.Lenf(t, retiredFindings(madeUp(t, "operators/a.go", "package operators\n\n"+src+"\n")), want, "%s", src)
	}
	assert.Empty(t, retiredFindings(madeUp(t, "examples/x/a.go", "package x\n\nconst gulp = 8\n")))
}

// A glossary that nobody reads to the end is none.
const mostWords = 40

func TestGlossaryIsShort(t *testing.T) {
	dir, err := root()
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(dir, "docs", "glossary.md"))
	require.NoError(t, err)
	rows := regexp.MustCompile(`(?m)^\| ([a-z ,]+) \|`).FindAllStringSubmatch(string(page), -1)
	assert.LessOrEqual(t, len(rows)-1, mostWords, "one row is the head")
	for _, row := range rows {
		assert.NotContains(t, retired, row[1])
	}
}
