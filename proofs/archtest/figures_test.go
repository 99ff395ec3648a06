package archtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the pages say of time was measured: these tests keep them to the tables that `make bench-peers` and
// `make bench-operators` write.

// measured are the cells of the tables of a page, by the first cell of the row and the name of the column.
type measured map[string]map[string]string

func measuredOf(page string) measured {
	m := measured{}
	var columns []string
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "|") {
			columns = nil
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i, c := range cells {
			cells[i] = strings.TrimSpace(c)
		}
		if columns == nil {
			columns = cells
			continue
		}
		row := map[string]string{}
		for i, c := range cells[1:] {
			row[columns[i+1]] = c
		}
		m[cells[0]] = row
	}
	return m
}

// time returns the time of a competitor, false if it takes no part.
func (m measured) time(row, competitor string) (float64, bool) {
	text, _, _ := strings.Cut(strings.Trim(m[row][competitor], "*"), " ")
	n, err := strconv.ParseFloat(strings.Trim(text, "*"), 64)
	return n, err == nil
}

// ratio returns this library's time as a multiple of that of a competitor.
func (m measured) ratio(row, competitor string) (float64, bool) {
	_, text, ok := strings.Cut(m[row][competitor], "(")
	text, _, _ = strings.Cut(text, " ×")
	n, err := strconv.ParseFloat(text, 64)
	return n, ok && err == nil
}

// rounded has two digits, or all before the point.
func rounded(n float64) string {
	const tie = 1e-9 // what a decimal fraction may lack as a float
	if n+0.05+tie < 10 {
		return fmt.Sprintf("%.1f", n+tie)
	}
	return fmt.Sprintf("%.0f", n+tie)
}

// cell has the times of a competitor in several rows, or that of the fastest and the slowest of them.
func (m measured) cell(competitor string, rows []string, spread bool) string {
	var texts []string
	var times []float64
	for _, row := range rows {
		n, ok := m.time(row, competitor)
		if !ok {
			texts = append(texts, "–")
			continue
		}
		texts, times = append(texts, rounded(n)), append(times, n)
	}
	if times == nil {
		return ""
	}
	if spread {
		slices.Sort(times)
		texts = slices.Compact([]string{rounded(times[0]), rounded(times[len(times)-1])})
		return strings.Join(texts, " to ")
	}
	if slices.Equal(texts[1:], texts[:len(texts)-1]) { // it is the same for all
		texts = texts[:1]
	}
	return strings.Join(texts, "; ")
}

// costs are the rows of the table in docs/performance.md, and those of benchmarks/RESULTS.md that they are made of.
var costs = []struct {
	title  string
	rows   []string
	spread bool
}{
	{title: "range → map → filter → sum", rows: []string{"P1"}},
	{title: "the same under a context that can end: `ForEach`, `Block`, `Fold`", rows: []string{"P1c ForEach", "P1c Block", "P1c Fold"}, spread: true},
	{title: "… `SubscribeFunc`, `Take`", rows: []string{"P1c SubscribeFunc", "P1c Take"}},
	{title: "… `range` over `All`", rows: []string{"P1c All"}},
	{title: "… with `Retry`, `OnErrorReturn` and `DoFinally`; `iter.Seq` with a `defer`", rows: []string{"P1c guarded"}},
	{title: "each further map; to another type", rows: []string{"P2", "P2b"}},
	{title: "a hop to a worker (`PublishOn`) right behind `Range` or `FromSlice`; behind a map", rows: []string{"P3", "P3 mapped"}},
	{title: "`SubscribeOn` and `PublishOn`: two goroutines", rows: []string{"P3b"}},
	{title: "merge of four ranges, each on its own worker; on bounded elastic", rows: []string{"P6b parallel", "P6b elastic"}},
	{title: "… each behind a map, on bounded elastic", rows: []string{"P6b mapped"}},
	{title: "flatMap, 1,000 streams of 1,000", rows: []string{"P4a"}},
	{title: "concatMap, 1,000 streams of 1,000", rows: []string{"P4c"}},
	{title: "flatMap to `flux.Just`; to `mono.Just`; to any stream of one", rows: []string{"P4b just", "P4b mono", "P4b general"}},
	{title: "a life: just → map → flatMap → block; of a pointer, under a context that can end; of what a function with a context returns", rows: []string{"P7", "P7 user", "P7 load"}},
	{title: "groupBy into 100 keys", rows: []string{"P8"}},
	{title: "zip of two; concat of four", rows: []string{"P6a", "P6c"}},
	{title: "a hot sink to 8 subscribers, for each of them; with a buffer; `Publish`", rows: []string{"P9 direct", "P9 buffer", "P9 publish"}},
}

// line is the row of the table.
func (m measured) line(title string, rows []string, spread bool) string {
	line := "| " + title + " |"
	for _, competitor := range []string{"hand", "iter.Seq", "channel", "Reactor (JVM)", "this library"} {
		line += strings.TrimRight(" "+m.cell(competitor, rows, spread), " ") + " |"
	}
	return line
}

// page returns a file of the repository.
func page(t *testing.T, names ...string) string {
	t.Helper()
	dir, err := root()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(append([]string{dir}, names...)...))
	require.NoError(t, err)
	return string(text)
}

func TestCostsAreThoseOfTheResults(t *testing.T) {
	m := measuredOf(page(t, "benchmarks", "RESULTS.md"))
	costing := page(t, "docs", "performance.md")
	for _, c := range costs {
		for _, row := range c.rows {
			assert.Contains(t, m, row)
		}
		line := m.line(c.title, c.rows, c.spread)
		assert.True(t, strings.Contains(costing, line+"\n"), "docs/performance.md: expected\n%s", line)
	}
	of := func(row, competitor string) string {
		n, ok := m.ratio(row, competitor)
		assert.True(t, ok, row)
		return fmt.Sprintf("%.2f of %s", n, competitor)
	}
	once, _ := m.time("S1a", "this library")
	elastic, _ := m.time("S1c", "this library")
	pools := fmt.Sprintf("took %s ns through `Execute` of a thread pool (%s), and directly on bounded elastic %s ns (%s, %s).",
		rounded(once), of("S1a", "pond"), rounded(elastic), of("S1c", "ants"), of("S1c", "pond"))
	assert.True(t, strings.Contains(costing, pools), "docs/performance.md: expected\n%s", pools)
}

func TestOperatorsAreCountedAsMeasured(t *testing.T) {
	m := measuredOf(page(t, "benchmarks", "OPERATORS.md"))
	near, all := 0, 0
	var ratios []float64
	for row := range m {
		if n, ok := m.ratio(row, "Reactor (JVM)"); ok && strings.HasPrefix(row, "O ") {
			ratios = append(ratios, n)
			if all++; n <= 1.1 {
				near++
			}
		}
	}
	slices.Sort(ratios)
	count := fmt.Sprintf("%d of %d", near, all)
	for _, names := range [][]string{{"README.md"}, {"docs", "performance.md"}, {"benchmarks", "README.md"}} {
		assert.Contains(t, page(t, names...), count, strings.Join(names, "/"))
	}
	median := fmt.Sprintf("the median row takes %.1f times as long", ratios[len(ratios)/2])
	assert.Contains(t, page(t, "docs", "performance.md"), median)
}

func TestMeasured(t *testing.T) {
	m := measuredOf("| | work | hand | a | this library |\n|---|---|---|---|---|\n| R | the work | 1.65 (2.00 ×) | | **9.95** |\n| S | other | 1.64 (1.10 ×)\\* | 100.5 | **0.99** |\n\n| | b |\n|---|---|\n| T | 3 |\n")
	assert.Equal(t, "1.7; 1.6", m.cell("hand", []string{"R", "S"}, false))
	assert.Equal(t, "1.6 to 1.7", m.cell("hand", []string{"R", "S"}, true))
	assert.Equal(t, "–; 101", m.cell("a", []string{"R", "S"}, false))
	assert.Empty(t, m.cell("a", []string{"R"}, false))
	assert.Equal(t, "10; 1.0", m.cell("this library", []string{"R", "S"}, false))
	assert.Equal(t, "3.0", m.cell("b", []string{"T"}, false))
	assert.Equal(t, "1.7", m.cell("hand", []string{"R", "R"}, false))
	assert.Equal(t, "1.7; 1.7; 1.6", m.cell("hand", []string{"R", "R", "S"}, false))
	n, ok := m.ratio("S", "hand")
	assert.True(t, ok)
	assert.InDelta(t, 1.1, n, 1e-9)
	_, ok = m.ratio("S", "a")
	assert.False(t, ok)
}
