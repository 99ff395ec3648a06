package netreactor

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestDialDeadlineOfTheSocket: the socket has the deadline of the context, too, and may be the first to hear that it is over. The error
// says all the same why the context has ended.
func TestDialDeadlineOfTheSocket(t *testing.T) {
	late := errors.New("late")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, late)
	defer cancel()
	err := &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}
	assert.Equal(t, error(err), because(ctx, err), "the time is not over: some other deadline")
	assert.ErrorIs(t, because(early{ctx}, err), late)
}

// early is a context that hears of its deadline later than whoever has a timer for it.
type early struct{ context.Context }

func (early) Deadline() (time.Time, bool) { return time.Now(), true }
