package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/benchmarks"
)

// quick are arguments for a run that takes some milliseconds.
var quick = []string{"-rounds", "2", "-time", "1ms", "-run", "^P7$"}

// free is a machine on which nothing else runs.
func free() func(time.Duration) float64 { return func(time.Duration) float64 { return 0 } }

func parsed(t *testing.T, args ...string) options {
	t.Helper()
	o, err := parse(append(append([]string{}, quick...), args...))
	require.NoError(t, err)
	o.watch = free
	return o
}

func TestBadArgumentsAreOneLine(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-rounds", "x"}, `invalid value "x" for flag -rounds: parse error (-h lists the arguments)`},
		{[]string{"-time", "5"}, `invalid value "5" for flag -time: parse error (-h lists the arguments)`},
		{[]string{"-what"}, "flag provided but not defined: -what (-h lists the arguments)"},
		{[]string{"P1"}, `unknown argument "P1"`},
		{[]string{"-rounds", "0"}, "-rounds must be at least 1, not 0"},
		{[]string{"-time", "0s"}, "-time must be positive, not 0s"},
		{[]string{"-foreign", "-1"}, "-foreign must be positive, not -1"},
		{[]string{"-foreign", "nan"}, "-foreign must be positive, not NaN"},
		{[]string{"-repeats", "-1"}, "-repeats must not be negative, it is -1"},
		{[]string{"-out", "a/b", "-chart", "./a/b"}, "-out and -chart are the same file, a/b"},
		{[]string{"-run", "("}, "-run: error parsing regexp: missing closing ): `(`"},
		{[]string{"-run", "P77"}, `-run: no workload matches "P77"`},
	} {
		o, err := parse(c.args)
		if err == nil {
			_, err = o.check()
		}
		assert.EqualError(t, err, c.want)
	}
	_, err := parse([]string{"-h"})
	assert.ErrorIs(t, err, flag.ErrHelp)
}

func TestOneProcessorIsNotEnough(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	o := parsed(t)
	_, err := o.check()
	assert.EqualError(t, err, "this machine gives one processor: the rows with several goroutines need two")
}

// files are a page and a picture of a run before.
func files(t *testing.T) (page, picture string) {
	dir := t.TempDir()
	page, picture = filepath.Join(dir, "RESULTS.md"), filepath.Join(dir, "results.svg")
	require.NoError(t, os.WriteFile(page, []byte("before"), 0o600))
	require.NoError(t, os.WriteFile(picture, []byte("before"), 0o600))
	return page, picture
}

// unchanged asserts that a run that failed has left nothing.
func unchanged(t *testing.T, page, picture string) {
	t.Helper()
	for _, name := range []string{page, picture} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, "before", string(text))
	}
	list, err := os.ReadDir(filepath.Dir(page))
	require.NoError(t, err)
	assert.Len(t, list, 2, "nothing half-written stays")
}

// No two competitors look the same in the picture.
func TestMarks(t *testing.T) {
	seen := map[mark]string{}
	for _, name := range columns {
		if name == benchmarks.Library {
			continue
		}
		m := marks[name]
		assert.NotEmpty(t, m.shape, name)
		assert.Empty(t, seen[m], name)
		seen[m] = name
	}
}

func TestFilesAreWrittenAsAWhole(t *testing.T) {
	page, picture := files(t)
	var out bytes.Buffer
	require.NoError(t, run(parsed(t, "-peers", "-out", page, "-chart", picture), &out))
	assert.Regexp(t, `\n\d+ met, \d+ short\n$`, out.String())
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Regexp(t, `(?s)^# Results.*\| P7 \| just .*\n\d+ met, \d+ short\.\n$`, string(text))
	text, err = os.ReadFile(picture)
	require.NoError(t, err)
	assert.Regexp(t, `(?s)^<svg .*P7 just.*</svg>\n$`, string(text))
	list, err := os.ReadDir(filepath.Dir(page))
	require.NoError(t, err)
	assert.Len(t, list, 2)
}

func TestWhereNothingCanBeWrittenNothingIsMeasured(t *testing.T) {
	o := parsed(t, "-out", filepath.Join(t.TempDir(), "missing", "RESULTS.md"))
	_, err := o.check()
	assert.ErrorIs(t, err, os.ErrNotExist)
	dir := t.TempDir()
	o = parsed(t, "-chart", dir)
	_, err = o.check()
	assert.EqualError(t, err, dir+" is no file")
}

func TestABusyRoundIsRepeated(t *testing.T) {
	loads := []float64{0.31, 2, 0.3, 0.1}
	o := parsed(t)
	o.watch = func() func(time.Duration) float64 {
		return func(time.Duration) float64 {
			l := loads[0]
			loads = loads[1:]
			return l
		}
	}
	wanted, err := o.check()
	require.NoError(t, err)
	results, err := measureAll(o, wanted)
	require.NoError(t, err)
	require.Len(t, results, 1)
	assert.Equal(t, 2, results[0].repeated)
	assert.Equal(t, 0.3, results[0].foreign)
	assert.Len(t, results[0].of[benchmarks.Library].wall, 2)
	assert.Empty(t, loads)
}

func TestABusyMachineIsSaid(t *testing.T) {
	page, picture := files(t)
	o := parsed(t, "-repeats", "3", "-out", page, "-chart", picture)
	looks := 0
	o.watch = func() func(time.Duration) float64 { return func(time.Duration) float64 { looks++; return 0.5 } }
	err := run(o, &bytes.Buffer{})
	assert.EqualError(t, err, "P7: other processes use 0.5 processors: too busy to measure after 3 repeated rounds (-foreign, -repeats)")
	assert.Equal(t, 4, looks)
	unchanged(t, page, picture)
}

func TestAWrongResultIsNotTimed(t *testing.T) {
	runs := 0
	w := benchmarks.Workload{ID: "W", Want: 2, Runs: []benchmarks.Competitor{
		{Name: benchmarks.Library, Run: func() int { runs++; return 1 }},
	}}
	_, err := measure(w, parsed(t).settings)
	assert.EqualError(t, err, "W: this library yields 1, not 2")
	assert.Equal(t, 1, runs)
}

func TestJVMThatIsMissingOrFails(t *testing.T) {
	for _, c := range []struct{ command, want string }{
		{"/no/such/java -jar x.jar", "the JVM said nothing (/no/such/java -jar x.jar)"},
		{"printf 'fake 1\\tP7\\n'", "the JVM is gone"},
		{"printf 'fake 1\\tP7\\n'; read line; echo 13 1 1 1", "P7: Reactor (JVM) yields 13, not 14"},
		{"printf 'fake 1\\tP7\\n'; read line; echo Exception in thread main", `P7: the JVM says "Exception in thread main"`},
		{"printf 'fake 1\\tP7\\n'; read line; echo 14 1 1 1", "the JVM is gone"},
	} {
		page, picture := files(t)
		err := run(parsed(t, "-jvm", c.command, "-out", page, "-chart", picture), &bytes.Buffer{})
		assert.ErrorContains(t, err, c.want)
		unchanged(t, page, picture)
	}
}

func TestJVMTakesPart(t *testing.T) {
	command := `printf 'fake 1\tP7\tP7/ForkJoinPool\n'; while read id line; do case $id in */*) echo 14 20 20 1;; *) echo 14 10 10 1;; esac; done`
	o := parsed(t, "-jvm", command)
	j, err := startJVM(command)
	require.NoError(t, err)
	defer func() { assert.NoError(t, j.close()) }()
	assert.Equal(t, "fake 1", j.version)
	o.jvm = j
	wanted, err := o.check()
	require.NoError(t, err)
	results, err := measureAll(o, wanted)
	require.NoError(t, err)
	assert.Equal(t, []float64{10, 10}, results[0].of[benchmarks.JVM].wall)
	assert.Equal(t, []float64{20, 20}, results[0].of[benchmarks.ForkJoin].wall)
	assert.Equal(t, []string{benchmarks.ForkJoin, benchmarks.JVM, benchmarks.Library}, results[0].order[len(results[0].order)-3:])
}

// result3 has the figures of three rounds for each name.
func result3(targets []benchmarks.Target, of map[string]float64) *result {
	r := &result{Workload: benchmarks.Workload{ID: "W", Unit: benchmarks.PerElement, Elements: 1, Targets: targets}, of: map[string]*figures{}}
	for name, figure := range of {
		r.of[name] = &figures{wall: []float64{figure, figure, figure}}
	}
	return r
}

func TestTargetsAreJudged(t *testing.T) {
	for _, c := range []struct {
		name    string
		targets []benchmarks.Target
		of      map[string]float64
		want    []verdict
	}{
		{"on the line", []benchmarks.Target{{Against: benchmarks.Channel, Ratio: 0.4}}, map[string]float64{benchmarks.Channel: 10, benchmarks.Library: 4},
			[]verdict{{"W", "0.40 × channel", "≤ 0.40 ×", true}}},
		{"above", []benchmarks.Target{{Against: benchmarks.Channel, Ratio: 0.4}}, map[string]float64{benchmarks.Channel: 10, benchmarks.Library: 5},
			[]verdict{{"W", "0.50 × channel", "≤ 0.40 ×", false}}},
		{"not measured", []benchmarks.Target{{Against: benchmarks.Channel, Ratio: 0.4}}, map[string]float64{benchmarks.Library: 5}, nil},
		{"none of it", []benchmarks.Target{{Max: benchmarks.AtMost(0)}}, map[string]float64{benchmarks.Library: 0},
			[]verdict{{"W", "0.00 ns", "≤ 0", true}}},
		{"some of it", []benchmarks.Target{{Max: benchmarks.AtMost(0)}}, map[string]float64{benchmarks.Library: 1},
			[]verdict{{"W", "1.00 ns", "≤ 0", false}}},
		{"the fastest peer", nil, map[string]float64{benchmarks.Ro: 5, benchmarks.RxGo: 20, benchmarks.Library: 10},
			[]verdict{{"W", "2.00 × samber/ro", "≤ 1.00 ×", false}}},
		{"a tenth above the JVM", nil, map[string]float64{benchmarks.JVM: 10, benchmarks.Library: 11},
			[]verdict{{"W", "1.10 × Reactor (JVM)", "≤ 1.10 ×", true}}},
		{"more", nil, map[string]float64{benchmarks.JVM: 10, benchmarks.Library: 12},
			[]verdict{{"W", "1.20 × Reactor (JVM)", "≤ 1.10 ×", false}}},
		{"the JDK's executors", nil, map[string]float64{benchmarks.ForkJoin: 1, benchmarks.Library: 12}, nil},
		{"none of either", nil, map[string]float64{benchmarks.JVM: 0, benchmarks.Library: 0},
			[]verdict{{"W", "1.00 × Reactor (JVM)", "≤ 1.10 ×", true}}},
	} {
		assert.Equal(t, c.want, judge(result3(c.targets, c.of)), c.name)
	}
	r := result3(nil, map[string]float64{benchmarks.Ro: 5, benchmarks.Library: 10})
	r.of[benchmarks.Ro].unlike = "no limit"
	assert.Empty(t, judge(r), "one that does not do the same")
	r = result3(nil, map[string]float64{benchmarks.JVM: 5, benchmarks.Library: 10})
	r.BehindJVM = "a reason"
	assert.Empty(t, judge(r), "a row that may be slower than the JVM")
	r = result3([]benchmarks.Target{{AllocsPerElement: benchmarks.AtMost(0)}}, map[string]float64{benchmarks.Library: 1})
	r.of[benchmarks.Library].allocs = 1
	assert.False(t, judge(r)[0].ok)
}

func TestPageHasAChapterForEachKind(t *testing.T) {
	stream := result3(nil, map[string]float64{benchmarks.IterSeq: 5, benchmarks.Library: 10})
	stream.ID, stream.order = "P1", []string{benchmarks.IterSeq, benchmarks.Library}
	pool := result3(nil, map[string]float64{benchmarks.GoFunc: 5, benchmarks.Ants: 20, benchmarks.Library: 10})
	pool.ID, pool.order = "S1", []string{benchmarks.GoFunc, benchmarks.Ants, benchmarks.Library}
	pool.of[benchmarks.GoFunc].unlike = "no limit"
	page := markdown(parsed(t), []*result{stream, pool}, judge(pool))
	assert.Contains(t, page, "\n## Streams\n\n| | work | unit | iter.Seq | this library | spread |")
	assert.Contains(t, page, "\n| P1 |  | ns | 5.00 (2.00 ×) | **10.0** | ±0 % |")
	assert.Contains(t, page, "\n## Schedulers, pools and timers\n\n| | work | unit | go func | ants | this library | spread |")
	assert.Contains(t, page, "\n| S1 |  | ns | 5.00 (2.00 ×)\\* | 20.0 (0.50 ×) | **10.0** |")
	assert.Contains(t, page, "\n\\* S1, go func: no limit.\n")
	assert.NotContains(t, page, "## Memory")
	assert.True(t, strings.HasSuffix(page, "\n| ok | S1 | 0.50 × ants | ≤ 1.00 × |\n\n1 met, 0 short.\n"))
}

// Operators are measured in the place of the other rows, and have a page of their own.
func TestOperators(t *testing.T) {
	o := parsed(t, "-operators", "-run", "^O map$")
	wanted, err := o.check()
	require.NoError(t, err)
	o.rounds, o.long, o.watch = 1, 1, free
	results, err := measureAll(o, wanted)
	require.NoError(t, err)
	require.Len(t, results, 1)
	page := markdown(o, results, nil)
	assert.True(t, strings.HasPrefix(page, "# Operators\n\nWritten by `make bench-operators`. "))
	assert.Contains(t, page, "\n## Operators, each by itself\n\n| | work | unit | this library | spread |")
	assert.Contains(t, page, "\n| O map | Map | ns | **")
	o = parsed(t, "-operators", "-run", "^P1$")
	_, err = o.check()
	assert.EqualError(t, err, `-run: no workload matches "^P1$"`)
}

// Without Maven or a JVM, make says so, and nothing is measured.
func TestMakeWithoutMaven(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("no make")
	}
	for _, missing := range []string{"MVN=no-such-maven", "JAVA=no-such-java"} {
		cmd := exec.Command("make", "-s", "-C", "../../..", "bench-jvm", missing)
		out, err := cmd.Output()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
		assert.Equal(t, "bench-jvm needs java and mvn\n", string(out))
	}
	cmd := exec.Command("make", "-s", "-n", "-C", "../../..", "bench-peers", "MVN=no-such-maven")
	out, err := cmd.Output()
	require.NoError(t, err)
	assert.Contains(t, string(out), "no java or no mvn: without Project Reactor")
	assert.NotContains(t, string(out), "-jvm")
}
