package cron_test

import (
	_ "embed"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goreactor/reactor/executors/cron"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// spring is a part of 436,794 comparisons with random expressions at random instants, many
// of them beside a change of clocks. All were the same but for 404: nW where day n is a Sunday
// and ends the month, and local times that exist twice or not at all, where Spring leaves a
// match out or goes back; days before L-n in months that are shorter, where it repeats an
// instant; and 209 in which its JDK has another history of a zone.
//
//go:embed testdata/spring.txt
var spring string

func TestC38_AsSpring(t *testing.T) {
	n := 0
	for line := range strings.Lines(spring) {
		row := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		require.Len(t, row, 4)
		e, err := cron.Parse(row[0])
		require.NoError(t, err)
		from, err := strconv.ParseInt(row[2], 10, 64)
		require.NoError(t, err)
		var got []string
		for at := time.Unix(from, 0).In(zone(t, row[1])); len(got) < 3; {
			next, ok := e.Next(at)
			require.True(t, ok, line)
			got = append(got, strconv.FormatInt(next.Unix(), 10))
			at = next
		}
		assert.Equal(t, row[3], strings.Join(got, " "), "%s in %s after %s", row[0], row[1], row[2])
		n++
	}
	assert.Equal(t, 300, n)
}
