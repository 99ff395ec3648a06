package main

import (
	"bytes"
	"flag"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/benchmarks"
)

func TestBadArgumentsAreOneLine(t *testing.T) {
	for _, c := range []struct{ arg, value, want string }{
		{"-rounds", "x", `invalid value "x" for flag -rounds: parse error (-h lists the arguments)`},
		{"-rounds", "0", "-rounds must be at least 1, not 0"},
		{"-most", "0", "-most must be at least 1, not 0"},
		{"-foreign", "0", "-foreign must be positive, not 0"},
		{"-repeats", "-1", "-repeats must not be negative, it is -1"},
		{"-run", "(", "-run: error parsing regexp: missing closing ): `(`"},
		{"-strict", "G1", `unknown argument "G1"`},
	} {
		_, err := parse([]string{c.arg, c.value})
		assert.EqualError(t, err, c.want)
	}
	_, err := parse([]string{"-h"})
	assert.ErrorIs(t, err, flag.ErrHelp)
}

// growing costs what its sizes are divided by, and may cost twice what it does first.
func growing() []benchmarks.Growth {
	return []benchmarks.Growth{{
		ID: "G0", Title: "a thing", Bound: "≤ 2 × the first", Sizes: []int{10, 20, 30},
		Cost: func(size int) benchmarks.Spent {
			return benchmarks.Spent{Wall: float64(size), Processor: 2 * float64(size)}
		},
		Limit: func(first float64, _ int) float64 { return 2 * first },
	}}
}

// loaded parses arguments, and says what others use in each round.
func loaded(t *testing.T, loads func() float64, args ...string) options {
	o, err := parse(args)
	require.NoError(t, err)
	o.watch = func() func(time.Duration) float64 { return func(time.Duration) float64 { return loads() } }
	return o
}

func nothing() float64 { return 0 }

func TestWordsSayWhatIsAboveTheBound(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(loaded(t, nothing), growing(), &out))
	assert.Regexp(t, `^G0 +a thing +≤ 2 × the first.*\nok +10 +10 ns +limit 20 +processor 20 .*\nok +20 .*\nshort +30 .*\n2 met, 1 short\n$`, out.String())
	assert.EqualError(t, run(loaded(t, nothing, "-strict"), growing(), &out), "1 bounds are not met")
	assert.NoError(t, run(loaded(t, nothing, "-strict", "-most", "20"), growing(), &out))
	assert.EqualError(t, run(loaded(t, nothing, "-run", "G9"), growing(), &out), `-run: no row matches "G9"`)
	assert.EqualError(t, run(loaded(t, nothing, "-most", "9"), growing(), &out), "-most: no size is 9 or less")
}

func TestBusyRoundsAreRepeated(t *testing.T) {
	left := 3
	busy := func() float64 {
		if left--; left >= 0 {
			return 1
		}
		return 0.3
	}
	var out bytes.Buffer
	require.NoError(t, run(loaded(t, busy), growing(), &out))
	assert.Equal(t, -9, left, "three rounds of three sizes, after those that were busy")
	left = 1 << 20
	assert.EqualError(t, run(loaded(t, busy, "-repeats", "2"), growing(), &out),
		"G0 at 10: other processes use 1.0 processors: too busy to measure after 2 repeated rounds (-foreign, -repeats)")
}
