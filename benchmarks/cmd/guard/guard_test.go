package main

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/benchmarks"
)

func TestBadArgumentsAreOneLine(t *testing.T) {
	for _, c := range []struct{ arg, value, want string }{
		{"-write=x", "", `invalid boolean value "x" for -write: parse error (-h lists the arguments)`},
		{"-times", "-1", "-times must not be negative, it is -1"},
		{"-run", "(", "-run: error parsing regexp: missing closing ): `(`"},
		{"-run", "P77", `-run: no row matches "P77"`},
		{"-write", "P1", `unknown argument "P1"`},
		{"-write", "-run=P1", "-write records all rows: not with -run"},
	} {
		args := []string{c.arg}
		if c.value != "" {
			args = append(args, c.value)
		}
		_, err := parse(args)
		assert.EqualError(t, err, c.want)
	}
	_, err := parse([]string{"-h"})
	assert.ErrorIs(t, err, flag.ErrHelp)
	assert.EqualError(t, work("P77", 1), `-work: there is no row "P77"`)
}

// saying is a counter that says something, without running what it is to count.
func saying(name, what string) counter {
	return counter{name, []string{"sh", "-c", "echo '" + what + "' >&2"}, regexp.MustCompile(`refs: *([0-9,]+)`)}
}

// recorded are rows, guarded in a folder of their own.
func recorded(t *testing.T, args ...string) (rows []benchmarks.Guarded, o options) {
	t.Chdir(t.TempDir())
	o, err := parse(args)
	require.NoError(t, err)
	for _, g := range benchmarks.Guards() {
		if g.ID == "P1" || g.ID == "P2 (1)" {
			rows = append(rows, g)
		}
	}
	return rows, o
}

func TestInstructionsAreCompared(t *testing.T) {
	rows, o := recorded(t)
	o.counters = []counter{{name: "one that is missing", command: []string{"no-such-program"}}, saying("mute", "not supported"), saying("fake", "I refs: 1,000")}
	var out bytes.Buffer
	_, err := instructions(rows, o, &out)
	assert.ErrorIs(t, err, os.ErrNotExist)

	o.write = true
	_, err = instructions(rows, o, &out)
	require.NoError(t, err)
	text, err := os.ReadFile(instructionsFile)
	require.NoError(t, err)
	assert.Regexp(t, `^# Instructions of an element, by fake, go.*\n#.*\nP1: 0\.00\n$`, string(text), "P2 is not counted")

	o.write = false
	out.Reset()
	for text, want := range map[string]string{"P1: 0\n": "ok ", "P1: -1\n": "short ", "": "short "} {
		require.NoError(t, os.WriteFile(instructionsFile, []byte(text), 0o600))
		short, err := instructions(rows, o, &out)
		require.NoError(t, err)
		assert.Equal(t, want == "short ", short == 1)
		assert.Contains(t, out.String(), want)
	}
	require.NoError(t, os.WriteFile(instructionsFile, []byte("P1\n"), 0o600))
	_, err = instructions(rows, o, &out)
	assert.EqualError(t, err, `instructions.txt: "P1" is no row and its figures`)
}

func TestToleranceIsThreePercent(t *testing.T) {
	assert.Equal(t, "ok", compare(103, []float64{100}))
	assert.Equal(t, "short", compare(103.1, []float64{100}))
	assert.Equal(t, "ok", compare(50, []float64{100}), "fewer are no fault")
	assert.Equal(t, "short", compare(1, nil))
}

func TestWhereNothingCountsItIsSaid(t *testing.T) {
	rows, o := recorded(t)
	require.NoError(t, os.WriteFile(instructionsFile, nil, 0o600))
	o.counters = []counter{{name: "perf", command: []string{"no-such-program"}}, saying("valgrind", "not supported")}
	var out bytes.Buffer
	short, err := instructions(rows, o, &out)
	require.NoError(t, err)
	assert.Zero(t, short)
	assert.Equal(t, "instructions are not counted: there is no perf; valgrind does not count instructions here: not supported\n", out.String())

	o.write = true
	_, err = instructions(rows, o, &out)
	assert.EqualError(t, err, "instructions.txt is as it was, nothing counts instructions here (-instructions=false records allocations alone): there is no perf; valgrind does not count instructions here: not supported")
}

func TestCountersFindTheirNumber(t *testing.T) {
	for i, said := range []string{
		"# started on Monday\n\n123456,,instructions:u,100,100.00,,\n",
		"==1== warning: L3 cache found\n==1== \n==1== I   refs:      123,456\n",
	} {
		m := counters[i].count.FindStringSubmatch(said)
		require.NotNil(t, m, counters[i].name)
		assert.Contains(t, []string{"123456", "123,456"}, m[1])
	}
	assert.Nil(t, counters[0].count.FindStringSubmatch("<not supported>,,instructions:u,0,100.00,,\n"))
}

func TestAllocationsAreCompared(t *testing.T) {
	rows, o := recorded(t)
	var out bytes.Buffer
	_, err := allocations(rows, o, &out)
	assert.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(allocationsFile, []byte("P1: 0 0 0\n"), 0o600))
	short, err := allocations(rows, o, &out)
	require.NoError(t, err)
	assert.Equal(t, 2, short)
	assert.Regexp(t, `(?m)^short +P1 .* allocations instead of 0 0 0 `, out.String())
	assert.Regexp(t, `(?m)^short +P2 \(1\) .* allocations, which were not recorded$`, out.String())

	o.write = true
	short, err = allocations(rows, o, &out)
	require.NoError(t, err)
	assert.Zero(t, short)
	text, err := os.ReadFile(allocationsFile)
	require.NoError(t, err)
	assert.Regexp(t, `^#.*\n#.*\nP1: \d+ \d+ 0\nP2 \(1\): `, string(text))
}
