package main

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBadArgumentsAreOneLine(t *testing.T) {
	for _, c := range []struct{ arg, value, want string }{
		{"-rounds", "x", `invalid value "x" for flag -rounds: parse error (-h lists the arguments)`},
		{"-rounds", "0", "-rounds must be at least 1, not 0"},
		{"-limit", "nan", "-limit must be positive, not NaN"},
		{"-next", "0", "-next must be positive, not 0"},
		{"-rounds=1", "1", `unknown argument "1"`},
	} {
		_, err := parse([]string{c.arg, c.value})
		assert.EqualError(t, err, c.want)
	}
}

func TestProgramsBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	root, err := moduleRoot()
	require.NoError(t, err)
	work := t.TempDir()
	library, err := libraryCase(work, root)
	require.NoError(t, err)
	plain, err := synthetic{operators: operatorsPerType}.generate(work)
	require.NoError(t, err)
	generic, err := synthetic{operators: operatorsPerType, generic: true}.generate(work)
	require.NoError(t, err)
	for _, c := range []*buildCase{library, plain, generic} {
		c.ctx = t.Context()
		_, err := c.build("", filepath.Join(work, "binary"))
		require.NoError(t, err)
		require.NoError(t, c.touch())
		_, err = c.build("", filepath.Join(work, "binary"))
		require.NoError(t, err, "touched")
	}
	// The time that a program takes to build grows with the functions that are compiled for its types.
	n, err := library.compiled()
	require.NoError(t, err)
	t.Log("functions:", n)
	assert.Positive(t, n)
	assert.LessOrEqual(t, n, mostFunctions)
}

func TestLeastKeepsTheSmallerOfEach(t *testing.T) {
	var c cost
	c.least(cost{3 * time.Second, 5 * time.Second})
	c.least(cost{4 * time.Second, 4 * time.Second})
	assert.Equal(t, cost{3 * time.Second, 4 * time.Second}, c)
}
