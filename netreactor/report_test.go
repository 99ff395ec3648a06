package netreactor

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestWhatAShutdownReports: a connection that ended otherwise, before it had nothing left to do, was not drained, and nobody has cut it.
func TestWhatAShutdownReports(t *testing.T) {
	failure := errors.New("broken")
	drained, cut := ShutdownReport{Drained: 1}, ShutdownReport{Cut: 1}
	for name, c := range map[string]struct {
		end  func(*connection)
		want ShutdownReport
	}{
		"the peer has reset it":    {func(c *connection) { c.fail(ReasonPeerReset, failure) }, ShutdownReport{}},
		"it took too long":         {func(c *connection) { c.end(ReasonWriteTimeout, nil, true) }, ShutdownReport{}},
		"a message was malformed":  {func(c *connection) { c.fail(ReasonMalformed, failure) }, ShutdownReport{}},
		"the handler has panicked": {func(c *connection) { c.fail(ReasonHandlerFailed, failure) }, ShutdownReport{}},
		"Abort":                    {func(c *connection) { c.end(ReasonClosed, nil, true) }, ShutdownReport{}},
		"Close":                    {func(c *connection) { c.end(ReasonClosed, nil, false) }, drained},
		"the handler is done":      {func(c *connection) { c.end(ReasonHandlerDone, nil, false) }, drained},
		"the handler has failed":   {func(c *connection) { c.end(ReasonHandlerFailed, failure, false) }, drained},
		"the peer has closed":      {func(c *connection) { c.in.end = true; c.end(ReasonHandlerDone, nil, false) }, drained},
		"nothing is left":          {func(c *connection) { c.ses.(*page).isIdle = true }, drained},
		"TLS has not shaken hands": {func(c *connection) { c.fail(ReasonShutdown, nil) }, drained},
		"nobody waits":             {func(c *connection) { c.eng.cutting.Store(&CloseError{Reason: ReasonCut}) }, cut},
		"nobody waits after it failed": {func(c *connection) {
			c.fail(ReasonPeerReset, failure)
			c.eng.cutting.Store(&CloseError{Reason: ReasonCut})
		}, ShutdownReport{}},
	} {
		t.Run(name, func(t *testing.T) {
			conn := paged(t, &page{})
			conn.eng.draining.Store(true)
			c.end(conn)
			assert.False(t, conn.pass(nil, workClose))
			assert.True(t, conn.closed)
			assert.Equal(t, c.want, conn.eng.report.ShutdownReport)
		})
	}
}
