package netreactor

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestAWriteThatFailsAtACut is counted as one only if it was interrupted: a peer that has reset the connection meanwhile has ended it.
func TestAWriteThatFailsAtACut(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		want   Reason
		report ShutdownReport
	}{
		"a reset":         {syscall.ECONNRESET, ReasonPeerReset, ShutdownReport{}},
		"an interruption": {os.ErrDeadlineExceeded, ReasonCut, ShutdownReport{Cut: 1, Unsent: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			conn := paged(t, &page{onWrite: func(*output) (bool, error) { return false, c.err }})
			e := conn.eng
			e.cutting.Store(&CloseError{Reason: ReasonCut})
			e.draining.Store(true)
			conn.out.add(append(takeBuffer(1), 'x'))
			conn.pass(nil, workClose)
			assert.EqualValues(t, 1, conn.loop.past.reasons[c.want])
			assert.Equal(t, c.report, e.report.ShutdownReport)
		})
	}
}
