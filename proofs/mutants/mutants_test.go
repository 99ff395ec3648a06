package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryMutationApplies fails if code has changed and a mutation has not.
func TestEveryMutationApplies(t *testing.T) {
	for i, m := range table {
		_, err := writeOverlay("../..", t.TempDir(), table[i:i+1])
		assert.NoError(t, err)
		for _, c := range (&session{}).commands(m) {
			assert.DirExistsf(t, filepath.Join("../..", c.folder), "%s: tests %q", m.name, m.tests)
		}
	}
	_, err := writeOverlay("../..", t.TempDir(), table)
	assert.NoError(t, err)
}

func TestBadArgumentsAreOneLine(t *testing.T) {
	for _, c := range []struct{ arg, value, want string }{
		{"-parallel", "x", `invalid value "x" for flag -parallel: parse error (-h lists the arguments)`},
		{"-parallel", "0", "-parallel must be at least 1, not 0"},
		{"-only", "(", "-only: error parsing regexp: missing closing ): `(`"},
		{"-list", "drain", `unknown argument "drain"`},
		{"-list", "-compile", "-list compiles nothing: not with -compile"},
	} {
		_, err := parse([]string{c.arg, c.value})
		assert.EqualError(t, err, c.want)
	}
	assert.EqualError(t, run(options{list: true, only: "no such thing"}, io.Discard), `-only: no mutation matches "no such thing"`)
}

func TestMutationsAreTold(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range table {
		assert.Falsef(t, seen[m.name], "two are called %q", m.name)
		seen[m.name] = true
		assert.NotEmpty(t, m.kind, m.name)
		assert.NotEqual(t, m.old, m.new, m.name)
	}
	assert.GreaterOrEqual(t, len(table), 40)
}

const sample = `package a

type box[T any] struct{ n int }

// add adds.
func (b *box[T]) add(n int, more ...T) int {
	b.n += n
	b.n += len(more)
	return b.n
}

func twice[T any](v T, fn func(T)) {
	fn(v)
	fn(v)
}

func (box[T]) nameless() { println("x") }

func blank(_ int, s string) { println("y") }

func none(int, ...string) { println("z") }

func caught() { recover(); println("c") }

func catches() { defer func() { recover() }(); println("d") }
`

func TestMutate(t *testing.T) {
	list := []mutation{
		{name: "more", file: "a.go", old: "b.n += len(more)", new: "b.n--"},
		{name: "once", file: "a.go", old: "fn(v)\n\tfn(v)", new: "fn(v)"},
		{name: "less", file: "a.go", old: "b.n += n", new: "b.n -= n"},
		{name: "y", file: "a.go", old: `"y"`, new: `"v"`},
		{name: "z", file: "a.go", old: `"z"`, new: `"w"`},
		{name: "d", file: "a.go", old: `"d"`, new: `"e"`},
	}
	pkg, out, err := mutate("a.go", sample, list, []int{0, 1, 2, 3, 4, 5})
	require.NoError(t, err)
	assert.Equal(t, "a", pkg)
	for _, want := range []string{
		"if mutantOn == 1 { return b.add__1(n, more...) }",
		"if mutantOn == 2 { twice__2[T](v, fn); return }",
		"if mutantOn == 3 { return b.add__3(n, more...) }",
		"func blank(_0 int, s string) { if mutantOn == 4 { blank__4(_0, s); return }; println",
		"func none(mutant0 int, mutant1 ...string) { if mutantOn == 5 { none__5(mutant0, mutant1...); return }; println",
		"func twice__2[T any](v T, fn func(T)) {\n\tfn(v)\n}",
	} {
		assert.Contains(t, out, want)
	}
	assert.Equal(t, 2, strings.Count(out, "b.n--")+strings.Count(out, "b.n -= n"))

	// It does what it should, one mutation at a time.
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("go.mod", "module a\n\ngo 1.27\n")
	write("a.go", strings.Replace(out, "package a\n", "package main\n", 1)+
		"\nfunc main() { b := &box[int]{}; print(b.add(5, 1, 2), \" \"); twice(1, func(v int) { print(v) }) }\n")
	write("switch.go", fmt.Sprintf(switchSource, "main", switchVariable))
	if testing.Short() {
		return
	}
	cmd := exec.Command("go", "build", "-o", "a")
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, string(text))
	for number, want := range []string{"7 11", "4 11", "7 1", "-3 11"} {
		cmd := exec.Command(filepath.Join(dir, "a"))
		cmd.Env = append(os.Environ(), switchVariable+"="+string(rune('0'+number)))
		text, err := cmd.CombinedOutput()
		require.NoError(t, err)
		assert.Equal(t, want, string(text))
	}
}

func TestMutationsThatDoNotApply(t *testing.T) {
	for what, m := range map[string]mutation{
		"there 0 times":            {old: "b.m", new: "b.n"},
		"there 2 times":            {old: "b.n +=", new: "b.n -="},
		"body of one function":     {old: "n int }", new: "n int64 }"},
		"receiver of nameless":     {old: `println("x")`, new: ""},
		"a function that recovers": {old: `"c"`, new: `"e"`},
		"a mutation is not Go":     {old: "b.n += n", new: "b.n +="},
		"body of one function:\n":  {old: "b.n\n}\n\nfunc twice", new: ""},
	} {
		m.file = "a.go"
		_, _, err := mutate("a.go", sample, []mutation{m}, []int{0})
		assert.ErrorContains(t, err, what)
	}
	_, err := writeOverlay(t.TempDir(), t.TempDir(), []mutation{{file: "nowhere.go"}})
	assert.Error(t, err)
}

func TestCommands(t *testing.T) {
	var got []string
	s := &session{wide: true, race: true}
	for _, c := range s.commands(mutation{tests: "operators TestA|TestB , sinks"}) {
		got = append(got, c.String())
	}
	const first, then = " -skip 'Stack|Alloc|Race|Many'", " -skip 'Stack|Alloc'"
	assert.Equal(t, []string{
		"go test -tags chaos ./operators -run 'TestA|TestB'" + first, "go test -tags chaos ./sinks -short" + first,
		"go test -tags chaos ./operators -run 'TestA|TestB'" + then, "go test -tags chaos ./sinks -short" + then,
		"go test -tags chaos ./proofs/stages -short" + then, "go test -tags chaos ./proofs/chainfuzz -short" + then, "go test -tags chaos ./proofs/vectors -run 'TestVectors'" + then,
		"go test -race -tags chaos ./operators -run 'TestA|TestB'" + then, "go test -race -tags chaos ./sinks -short" + then,
	}, got)
}

// A row whose tests have moved elsewhere tries none, and nobody sees that before all rows are tried.
func TestRowsNameTests(t *testing.T) {
	declared := map[string][]string{} // by folder
	declares := regexp.MustCompile(`(?m)^func ((?:Test|Example|Fuzz)\w*)\(`)
	for _, m := range table {
		for _, suite := range strings.Split(m.tests, " , ") {
			folder, which, _ := strings.Cut(strings.TrimSpace(suite), " ")
			if declared[folder] == nil {
				files, err := filepath.Glob(filepath.Join("../..", folder, "*_test.go"))
				require.NoError(t, err)
				for _, file := range files {
					src, err := os.ReadFile(file)
					require.NoError(t, err)
					for _, found := range declares.FindAllSubmatch(src, -1) {
						declared[folder] = append(declared[folder], string(found[1]))
					}
				}
			}
			top, _, _ := strings.Cut(strings.TrimSpace(which), "/")
			assert.True(t, slices.ContainsFunc(declared[folder], regexp.MustCompile(top).MatchString), "%s: no test of %s matches %q", m.name, folder, which)
		}
	}
}

// What is in a nested module is tested there.
func TestModules(t *testing.T) {
	for folder, want := range map[string]string{
		"operators": "", "keylock/fence": "", "connectors/nats/itest": "connectors/nats/itest", "connectors/nats/natslock": "connectors/nats",
	} {
		assert.Equal(t, want, moduleOf("../..", folder), folder)
	}
}

// What is killed by a failure, and what by the time limit, is told apart.
func TestOutcomes(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	s := &session{root: t.TempDir(), binaries: map[suite]*built{}}
	run := func(script string, limit time.Duration) error {
		b := &built{file: filepath.Join(t.TempDir(), "a.test")}
		b.once.Do(func() {})
		require.NoError(t, os.WriteFile(b.file, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
		s.binaries[suite{}] = b
		_, err := s.test(t.Context(), command{}, 0, limit)
		return err
	}
	assert.NoError(t, run("exit 0", time.Minute))
	err := run("echo 'FAIL: TestA'; exit 1", time.Minute)
	assert.Error(t, err)
	assert.NotErrorIs(t, err, errLate)
	assert.ErrorIs(t, run("echo 'panic: test timed out after 1m0s'; exit 2", time.Minute), errLate)
	assert.ErrorIs(t, run("exec sleep 60", time.Millisecond-10*time.Second), errLate, "it does not even end by itself")

	results := []result{{by: "go test"}, {by: "go test", late: true}, {}, {by: "go test"}}
	var words []string
	for _, r := range results {
		words = append(words, r.outcome())
	}
	assert.Equal(t, []string{"killed", "time-out", "SURVIVED", "killed"}, words)
	text, share := summary(results)
	assert.Equal(t, "2 by a failure, 1 by the time limit\n3 of 4 mutants killed (75.0 %)", text)
	assert.InDelta(t, 75, share, 0)
}

func TestTail(t *testing.T) {
	assert.Equal(t, "a\nb", tail([]byte("a\nb\n")))
	assert.Len(t, strings.Split(tail([]byte(strings.Repeat("x\n", 100))), "\n"), 30)
}
