package inlining

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// generic is a symbol of a function with type parameters, or one of its methods.
var generic = regexp.MustCompile(`(?m)^ *[0-9a-f]+ +[Tt] .*\[`)

// A program compiles an operator once for each type of element, and with it every type that the operator asks another publisher
// or subscriber whether it is that. So an operator asks for interfaces instead, or for what is small.
func TestAnOperatorBringsNoOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	heavy := []string{"flatMapMain", "subscribeOnSubscriber", "timers.(*", "reflect."}
	for _, c := range []struct {
		operator string
		max      int      // functions, with those that any program has of schedulers; a tenth more than there are
		others   []string // besides heavy
	}{
		{"FromFunc[a]", 140, []string{"filterPublisher"}},
		{"FromCallable[a]", 170, []string{"filterPublisher"}},
		{"Map[a, b]", 475, []string{"filterPublisher", "elementwise.(*choosing"}},
		{"TryMap[a, b]", 440, []string{"filterPublisher"}},
		{"Filter[a]", 380, nil},
		{"Block[a]", 473, []string{"filterPublisher"}},
		{"Zip[a, b]", 685, []string{"filterPublisher"}},
		{"PublishOn[a]", 228, []string{"filterPublisher", "mapPublisher"}},
	} {
		t.Run(c.operator, func(t *testing.T) {
			dir := t.TempDir()
			source, object := filepath.Join(dir, "user.go"), filepath.Join(dir, "user.a")
			require.NoError(t, os.WriteFile(source, fmt.Appendf(nil, `package user

import "github.com/goreactor/reactor/operators"

type (
	a struct{ v, a int }
	b struct{ v, b int }
)

var _ = used(operators.%s)

func used[T any](v T) any { return v }
`, c.operator), 0o600))
			said, err := exec.Command("go", "build", "-o", object, source).CombinedOutput()
			require.NoError(t, err, string(said))
			names, err := exec.Command("go", "tool", "nm", object).Output()
			require.NoError(t, err)
			require.Contains(t, string(names), "operators.", "the operator itself")
			for _, other := range append(c.others, heavy...) {
				assert.False(t, strings.Contains(string(names), other), other) // names are too many to be shown
			}
			count := len(generic.FindAll(names, -1))
			t.Log("functions:", count)
			assert.LessOrEqual(t, count, c.max)
		})
	}
}
