package machine

import (
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLoadOfOthersIsSeen(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it is not known here")
	}
	foreign := Watch()
	busy := exec.Command("sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done")
	require.NoError(t, busy.Run())
	used := busy.ProcessState.UserTime() + busy.ProcessState.SystemTime()
	with, without := foreign(0), foreign(used)
	assert.Greater(t, with, 0.2, "one that computes is most of a processor")
	assert.Greater(t, with-without, 0.2, "but no other, if it is a child")
}

func TestOwnTimeIsNoLoad(t *testing.T) {
	before := ProcessorTime()
	for begin := time.Now(); time.Since(begin) < 30*time.Millisecond; {
	}
	if runtime.GOOS == "linux" {
		assert.Greater(t, ProcessorTime()-before, 5*time.Millisecond)
	}
}
