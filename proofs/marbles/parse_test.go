package marbles

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	p, err := parse("f:    1 --- 2 -10 |   (4 blanks)    not this\n      Map(n => 10n)\nout:  [1 2] - next(3) --- #\n")
	require.NoError(t, err)
	assert.Equal(t, picture{
		"f":   {{0, []mark{{0, "1"}, {6, "2"}, {9, "10"}, {12, "|"}}}},
		"out": {{0, []mark{{0, "[1 2]"}, {8, "next(3)"}, {20, "#"}}}},
	}, p)

	p, err = parse("f:         - #a   1 --- 2 |\ngroup a:   1\nof(1):    (1 b) X\nout:       1 - 2\nout:           2 - error(#) |    late | too\n")
	require.NoError(t, err)
	assert.Equal(t, picture{
		"f":       {{1, []mark{{3, "#a"}}}, {8, []mark{{8, "1"}, {14, "2"}, {16, "|"}}}},
		"group a": {{1, []mark{{1, "1"}}}},
		"of(1)":   {{0, []mark{{0, "(1 b)"}, {6, "X"}}}},
		"out":     {{1, []mark{{1, "1"}, {5, "2"}}}, {5, []mark{{5, "2"}, {9, "error(#)"}, {18, "|"}}}},
	}, p)

	_, err = parse("f: 1\n")
	assert.Error(t, err, "nothing comes out")
	_, err = parse("f: 1\nf: 2\nout: 1\n")
	assert.Error(t, err, "which is f?")
}
