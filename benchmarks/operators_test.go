package benchmarks

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A row without its like on the JVM would be measured alone, and nobody would see it.
func TestEachOperatorIsOnTheJVM(t *testing.T) {
	source, err := os.ReadFile("jvm/src/main/java/Operators.java")
	require.NoError(t, err)
	var there, here []string
	for _, m := range regexp.MustCompile(`(?m)^ +(behind|add|mono)\("([^"]+)",`).FindAllStringSubmatch(string(source), -1) {
		if m[1] == "mono" {
			m[2] = "mono " + m[2]
		}
		there = append(there, "O "+m[2])
	}
	for _, w := range Operators() {
		here = append(here, w.ID)
	}
	assert.Equal(t, here, there)
}
