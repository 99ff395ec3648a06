package inlining

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "github.com/goreactor/reactor/flux" // so that the result is kept only as long as these are unchanged
	_ "github.com/goreactor/reactor/schedulers"
	_ "github.com/goreactor/reactor/sinks"
)

// What operators do for each element is inlined in the package of a user. The compiler says so.
func TestUsersInline(t *testing.T) {
	build := exec.Command("go", "build", "-gcflags=-m", "-o", filepath.Join(t.TempDir(), "user"), "./testdata/user")
	said, err := build.CombinedOutput()
	require.NoError(t, err, string(said))
	for _, name := range []string{
		"protocol.(*Drain).TryEnter", "protocol.(*Drain).Leave", "protocol.(*Half).Enter", "protocol.(*Half).Leave", "protocol.(*Calling).Failed", "protocol.(*PullLoop).Stops", "protocol.(*Half).Aside",
		"protocol.(*TaskOutlet).Run", "protocol.(*outlet).Closed", "elementwise.(*Stage).IsDone", "elementwise.(*Stage).Ignores",
		"demand.Produced", "demand.(*Refill).Consumed", "queue.isEmpty", "argument.Given",
	} {
		assert.Contains(t, string(said), "inlining call to "+name)
	}
}
