//go:build linux && (amd64 || arm64)

package netreactor

import (
	"errors"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// failing is a descriptor that can't be waited for.
type failing struct {
	syscall.RawConn
	err error
}

func (f failing) Read(func(uintptr) bool) error { return f.err }

// TestWhyAnAcceptFails: that the poller can't wait is told as it is, and is no reason to end; that the
// listener was closed is net.ErrClosed, whatever the poller says then.
func TestWhyAnAcceptFails(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &epollSource{listener: listener}
	require.NoError(t, s.duplicate())
	good := s.conn
	s.conn = failing{good, os.ErrDeadlineExceeded}
	_, err = s.accept()
	assert.ErrorIs(t, err, os.ErrDeadlineExceeded)
	assert.NotErrorIs(t, err, net.ErrClosed)

	s.conn = good
	waits := make(chan error)
	go func() {
		_, err := s.accept()
		waits <- err
	}()
	s.close()
	assert.ErrorIs(t, <-waits, net.ErrClosed)
	_, err = s.accept()
	assert.ErrorIs(t, err, net.ErrClosed)
	s.conn = failing{good, errors.New("something else")}
	_, err = s.accept()
	assert.ErrorIs(t, err, net.ErrClosed)
}
