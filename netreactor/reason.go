package netreactor

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// The kinds of failure of this package, for errors.Is.
var (
	// ErrTooLarge: a message is longer than [MaxFrame].
	ErrTooLarge = errors.New("message too large")
	// ErrClosed: the connection or the server is closed.
	ErrClosed = errors.New("closed")
	// ErrFull: as many bytes as the high-water mark, or more, wait to be written.
	ErrFull = errors.New("too much waits to be written")
)

// Reason says why a connection has ended.
type Reason uint8

// The reasons.
const (
	reasonNone Reason = iota
	// ReasonPeerClosed: the peer sends no more, and the handler was done with what came.
	ReasonPeerClosed
	// ReasonPeerReset: the peer has reset the connection.
	ReasonPeerReset
	// ReasonHandlerDone: the handler's publisher has completed.
	ReasonHandlerDone
	// ReasonHandlerFailed: the handler, or something in its stream, has failed.
	ReasonHandlerFailed
	// ReasonClosed: Close was called.
	ReasonClosed
	// ReasonCancelled: the handler has cancelled the inbound and [CancelCloses] is set.
	ReasonCancelled
	// ReasonMalformed: the codec could not decode what came.
	ReasonMalformed
	// ReasonTooLarge: a message is longer than [MaxFrame].
	ReasonTooLarge
	// ReasonTruncated: the peer has closed in the middle of a message.
	ReasonTruncated
	// ReasonEncodeFailed: the codec could not encode a message.
	ReasonEncodeFailed
	// ReasonReadFailed: reading failed, other than by a reset.
	ReasonReadFailed
	// ReasonWriteFailed: writing failed, other than by a reset.
	ReasonWriteFailed
	// ReasonHandshakeFailed: there was no TLS connection.
	ReasonHandshakeFailed
	// ReasonFirstFrameTimeout: the first message took longer than [FirstFrameTimeout].
	ReasonFirstFrameTimeout
	// ReasonIdleTimeout: nothing was sent or received for [IdleTimeout].
	ReasonIdleTimeout
	// ReasonReadTimeout: a message that had begun was not complete within [ReadTimeout].
	ReasonReadTimeout
	// ReasonWriteTimeout: the peer has taken nothing for [WriteTimeout].
	ReasonWriteTimeout
	// ReasonPausedTimeout: the handler has asked for nothing for [PausedTimeout].
	ReasonPausedTimeout
	// ReasonShutdown: the server was shut down, and the connection had nothing left to do, or its
	// handler ended because of the shutdown, or its TLS handshake was not over.
	ReasonShutdown
	// ReasonCut: the server was shut down, and there was no time left for what the connection had
	// to do; or the server could not wait for its connections any more, in which case Err is the
	// underlying failure.
	ReasonCut
	reasons // the number of them
)

var reasonNames = [reasons]string{
	"none", "peer closed", "peer reset", "handler done", "handler failed", "closed", "inbound cancelled",
	"malformed message", "message too large", "truncated message", "encoding failed", "read failed", "write failed",
	"handshake failed", "first frame timeout", "idle timeout", "read timeout", "write timeout", "paused timeout", "shutdown", "cut by shutdown",
}

// String returns for example "peer closed".
func (r Reason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return fmt.Sprintf("reason %d", uint8(r))
}

// Timeout reports whether the connection took too long.
func (r Reason) Timeout() bool { return r >= ReasonFirstFrameTimeout && r <= ReasonPausedTimeout }

// CloseError says why a connection has ended. It is the cause of the end of the connection's
// context, and the error of an inbound that does not complete. It matches [ErrClosed] and, whatever
// the Reason, context.Canceled, as the error of a context does: a caller that tries again unless it
// has cancelled itself should look at the Reason, or at its own context.
type CloseError struct {
	Reason Reason
	Err    error // underlying failure, or nil
}

// Error returns for example "netreactor: connection closed: read timeout".
func (e *CloseError) Error() string {
	why := e.Reason.String()
	if e.Err != nil {
		below := strings.TrimPrefix(e.Err.Error(), "netreactor: ")
		if strings.HasPrefix(below, why) { // ErrTooLarge says what the reason does
			why = below
		} else {
			why += ": " + below
		}
	}
	return "netreactor: connection closed: " + why
}

// Unwrap returns [ErrClosed] and, if not nil, Err.
func (e *CloseError) Unwrap() []error {
	if e.Err == nil {
		return []error{ErrClosed}
	}
	return []error{ErrClosed, e.Err}
}

// Is reports whether target is context.Canceled, because the error is that of a context, too. The
// error of a handshake, with which [Dial] fails, is not: nobody has seen a context of that
// connection.
func (e *CloseError) Is(target error) bool {
	return target == context.Canceled && e.Reason != ReasonHandshakeFailed
}

// Told reports whether ctx has ended with e: then what runs in ctx has been told, and
// reactor.DropError does not report e. The end of a connection cancels the publisher that the
// handler returned, while the failure of the inbound may be on its way to another goroutine.
func (e *CloseError) Told(ctx context.Context) bool { return context.Cause(ctx) == error(e) }

// Timeout reports whether the connection took too long, as net errors do.
func (e *CloseError) Timeout() bool { return e.Reason.Timeout() }
