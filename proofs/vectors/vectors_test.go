package vectors

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the list of known failures")

const knownFailures = "testdata/known_failures.txt"

// TestVectors runs the repository's copy of the vectors. A vector passes, or is
// listed among the known failures with the reason; a listed one that passes has
// to leave the list.
func TestVectors(t *testing.T) {
	all, err := Load("testdata")
	require.NoError(t, err)
	known := readKnown(t)
	var (
		mu     sync.Mutex
		failed []string // guarded by mu
	)
	classes := map[string][]*Vector{}
	for _, v := range all {
		classes[v.Class] = append(classes[v.Class], v)
	}
	t.Run("class", func(t *testing.T) {
		for class, vs := range classes {
			t.Run(class, func(t *testing.T) {
				t.Parallel()
				missing := ""
				for _, v := range vs {
					res := Run(v)
					_, listed := known[v.ID]
					switch {
					case res.Missing():
						missing = res.Reason()
					case res.Passed(Implementation):
						if listed && !*update {
							t.Errorf("%s passes: take it out of %s", v.ID, knownFailures)
						}
					default:
						mu.Lock()
						failed = append(failed, v.ID+" "+res.Reason())
						mu.Unlock()
						if !listed && !*update {
							t.Error(res.Report())
						}
					}
				}
				if missing != "" {
					t.Error(missing)
				}
			})
		}
	})
	if *update {
		slices.Sort(failed)
		text := "# Vectors that fail, with the reason: id, then what differs.\n" + strings.Join(append(failed, ""), "\n")
		require.NoError(t, os.WriteFile(knownFailures, []byte(text), 0o644))
	}
	for id := range known {
		require.True(t, slices.ContainsFunc(all, func(v *Vector) bool { return v.ID == id }), "%s lists %s, which does not exist", knownFailures, id)
	}
}

func readKnown(t *testing.T) map[string]string {
	known := map[string]string{}
	f, err := os.Open(knownFailures)
	if os.IsNotExist(err) {
		return known
	}
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, reason, ok := strings.Cut(line, " ")
		require.True(t, ok, fmt.Sprintf("%s: %s has no reason", knownFailures, id))
		known[id] = reason
	}
	require.NoError(t, lines.Err())
	return known
}
