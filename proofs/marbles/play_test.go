package marbles

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor/internal/testkit/leak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

// elsewhere are the diagrams that can't be played here, with the reason.
var elsewhere = map[string]string{
	"own.Conflate":   "a module of its own, whose tests play it",
	"own.Pairwise":   "a module of its own, whose tests play it",
	"own.Steps":      "a module of its own, whose tests play it",
	"fsnotify.Watch": "a module of its own, and what comes is what the system tells of files",
}

// inTests returns what tests of operators play; see Play. The rows are nil.
func inTests(t *testing.T, root string) map[string]Row {
	t.Helper()
	found := map[string]Row{}
	tests, err := filepath.Glob(filepath.Join(root, "operators", "*_test.go"))
	require.NoError(t, err)
	for _, name := range tests {
		src, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, m := range inTest.FindAllStringSubmatch(string(src), -1) {
			found[m[1]] = nil
		}
	}
	return found
}

var inTest = regexp.MustCompile(`\bmarbles\.Play\(t, "([\w.]+)"`)

func TestDiagramsInComments(t *testing.T) {
	played, elsewhereToo, left := 0, 0, []string{}
	own := inTests(t, "../..")
	used := map[string]bool{}
	for _, d := range diagrams(t, "../..") {
		row, name := rowOf(d.of, rows)
		used[name], used[d.of] = true, true
		if row == nil {
			base, _, _ := strings.Cut(d.of, "#")
			if _, own := rowOf(base, own); own != "" {
				elsewhereToo++
				continue
			}
			if elsewhere[d.of] == "" {
				left = append(left, d.where+": "+d.of)
			}
			continue
		}
		played++
		t.Run(d.of, func(t *testing.T) { d.play(t, row) })
	}
	for name := range rows {
		assert.Truef(t, used[name], "there is no diagram of %s", name)
	}
	for name := range elsewhere {
		assert.Truef(t, used[name], "there is no diagram of %s", name)
	}
	t.Logf("%d diagrams played, %d by tests of their own, %d elsewhere", played, elsewhereToo, len(elsewhere))
	assert.Emptyf(t, left, "diagrams that nobody plays: see Play")
}

func TestCompare(t *testing.T) {
	a := []mark{{2, "1"}, {6, "2"}, {9, "|"}}
	assert.NoError(t, compare(a, []mark{{2, "1"}, {7, "2"}, {7, "|"}}))
	assert.Error(t, compare(a, []mark{{2, "1"}, {6, "3"}, {9, "|"}}))
	assert.Error(t, compare(a, []mark{{2, "1"}, {6, "2"}}))
	assert.Error(t, compare(a, []mark{{2, "1"}, {6, "2"}, {8, "3"}, {9, "|"}}))
	assert.Error(t, compare(a, []mark{{2, "1"}, {12, "2"}, {12, "|"}}))
	assert.NoError(t, compare([]mark{{2, "1"}}, []mark{{2, "1"}, {6, "2"}}))
}

// The first picture is right; each other one is wrong in one place, which is to be found.
func TestPlay(t *testing.T) {
	concat := combineRows["Flux.ConcatWith"]
	const f, other, out = "f:      1 - 2 |\n", "other:         3 |\n", "out:    1 - 2 - 3 |\n"
	for _, c := range [][2]string{
		{f + other + out, ""},
		{f + other + "out:    1 - 2 - 4 |\n", "{6 3} came, the picture has {8 4}"},
		{f + other + "out:    1 - 2 - 3 --- |\n", "{8 |} came, the picture has {14 |}"},
		{f + other + "out:    1 - 2 |\n", "{6 3} came, the picture has {6 |}"},
		{f + "other:              3 |\n" + out, "other was subscribed at [6], the picture has {12 ["},
		{f + "other:         3 |  3 |\n" + out, "other was subscribed at [6], the picture has [{7 ["},
		{f + "other:         3 X\nout:    1 - 2 - 3\n", "other was cancelled at [], the picture has {9 X}"},
		{f + other + "b:      3 |\n" + out, "nothing was made of b"},
		{f + other + out + "out:            3 |\n", "{8 1} came, the picture has {8 3}"},
		{"demand:  2\nf:       1 - 2 |\nother:          3 |\nout:     1 - 2 - 3 |\n", "{8 3} did not come"},
		{"f:      1 - 2 X\n" + other + "out:    1 - X\n", "other was subscribed at []"},
	} {
		wrong, want := c[0], c[1]
		all := read("Flux.ConcatWith", "here", []string{wrong})
		require.NoErrorf(t, all[0].err, "%s", wrong)
		synctest.Test(t, func(t *testing.T) {
			got := strings.Join(play(t, all[0], concat), "; ")
			if want == "" {
				assert.Emptyf(t, got, "%s", wrong)
			}
			assert.Containsf(t, got, want, "%s", wrong)
		})
	}
}

func TestInFile(t *testing.T) {
	all, err := inFile("a.go", []byte("package a\n\n// F does.\n//\n//\tf:    1\n//\tout:  1\n//\n// Or:\n//\n//\tout:  2\nfunc (s *S[T]) F() {}\n"))
	require.NoError(t, err)
	require.Len(t, all, 2)
	assert.Equal(t, []string{"S.F", "S.F#2"}, []string{all[0].of, all[1].of})
	assert.Equal(t, all[0].lines["f"], all[1].lines["f"], "the source stands once")
	for _, src := range []string{"package a\n\n//\tout:  1\nfunc f() {}\n", "package a\n\n//\tout:  1\ntype T int\n", "package a\n\n//\tout:  1\n"} {
		_, err = inFile("a.go", []byte(src))
		assert.Errorf(t, err, "%s", src)
	}
}
