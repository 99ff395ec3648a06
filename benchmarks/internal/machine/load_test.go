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
	begun := time.Now()
	foreign := Watch()
	busy := exec.Command("sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done")
	require.NoError(t, busy.Run())
	used := busy.ProcessState.UserTime() + busy.ProcessState.SystemTime()
	with, without := foreign(0), foreign(used)
	share := used.Seconds() / time.Since(begun).Seconds() // of a processor, most of one if it had it for itself
	assert.Greater(t, with, share/2, "one that computes")
	assert.Greater(t, with-without, share/2, "but no other, if it is a child")
}

func TestOwnTimeIsNoLoad(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it is not known here")
	}
	before := ProcessorTime()
	for begin := time.Now(); ProcessorTime()-before < 5*time.Millisecond; {
		require.Less(t, time.Since(begin), time.Minute)
	}
}
