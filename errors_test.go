package reactor_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"testing"
	"time"

	"github.com/goreactor/reactor"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSentinelsAreDistinct(t *testing.T) {
	sentinels := []error{
		reactor.ErrIllegalRequest, reactor.ErrOverflow, reactor.ErrTimeout, reactor.ErrNoElements,
		reactor.ErrTooManyElements, reactor.ErrIndexOutOfRange, reactor.ErrRetryExhausted,
		reactor.ErrRejected, reactor.ErrCancelled, reactor.ErrIllegalState, reactor.ErrIllegalArgument,
		reactor.ErrCleanup, reactor.ErrBlocking, reactor.ErrGoexit, reactor.ErrStalled, reactor.ErrProtocol, reactor.ErrNilError,
	}
	texts := map[string]bool{}
	for i, a := range sentinels {
		assert.Falsef(t, texts[a.Error()], "two sentinels say %q", a)
		texts[a.Error()] = true
		for j, b := range sentinels {
			assert.Equalf(t, i == j, errors.Is(reactor.Failure("op", a, ""), b), "%v is %v", a, b)
		}
	}
}

func TestOpErrorText(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{reactor.Failure("last", reactor.ErrNoElements, ""), "reactor: last: no elements"},
		{
			reactor.Failure("elementAt", reactor.ErrIndexOutOfRange, "index %d, the source ended after %d elements", 7, 3),
			"reactor: elementAt: index out of range: index 7, the source ended after 3 elements",
		},
		{
			reactor.Failure("retry", reactor.ErrRetryExhausted, "after %d attempts", 3).CausedBy(io.EOF),
			"reactor: retry: retries exhausted: after 3 attempts: EOF",
		},
		{reactor.Failure("using", reactor.ErrCleanup, "").CausedBy(io.EOF), "reactor: using: cleanup failed: EOF"},
		{&reactor.OpError{Op: "own"}, "reactor: own: " + reactor.ErrNilError.Error()},
		{reactor.Failure("map", reactor.ErrOverflow, "100%% of %q", "x"), `reactor: map: overflow: 100% of "x"`},
	} {
		assert.EqualError(t, c.err, c.want)
	}
}

func TestOpErrorUnwrapsToKindAndCause(t *testing.T) {
	cause := &fs.PathError{Op: "open", Path: "/nowhere", Err: fs.ErrNotExist}
	var err error = reactor.Failure("retry", reactor.ErrRetryExhausted, "after 3 attempts").CausedBy(cause)
	err = fmt.Errorf("loading: %w", err)

	require.ErrorIs(t, err, reactor.ErrRetryExhausted)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NotErrorIs(t, err, reactor.ErrTimeout)

	op, ok := errors.AsType[*reactor.OpError](err)
	require.True(t, ok)
	assert.Equal(t, "retry", op.Op)
	assert.Same(t, reactor.ErrRetryExhausted, op.Kind)
	path, ok := errors.AsType[*fs.PathError](err)
	require.True(t, ok)
	assert.Same(t, cause, path)

	require.NotErrorIs(t, reactor.Failure("retry", reactor.ErrRetryExhausted, ""), fs.ErrNotExist)
	require.NotErrorIs(t, &reactor.OpError{Op: "own"}, fs.ErrNotExist)
}

func TestIllegalRequestNamesTheNumber(t *testing.T) {
	for _, n := range []int64{0, -1, -9223372036854775808} {
		err := reactor.IllegalRequest(n)
		require.ErrorIs(t, err, reactor.ErrIllegalRequest)
		assert.Contains(t, err.Error(), fmt.Sprint(n))
		assert.Contains(t, err.Error(), "§3.9")
	}
}

func TestTimeoutFailure(t *testing.T) {
	err := fmt.Errorf("quote: %w", reactor.TimeoutFailure("timeout", 2*time.Second))
	require.ErrorIs(t, err, reactor.ErrTimeout)
	assert.EqualError(t, err, "quote: reactor: timeout: no signal within 2s")

	te, ok := errors.AsType[*reactor.TimeoutError](err)
	require.True(t, ok)
	assert.Equal(t, reactor.TimeoutError{Op: "timeout", After: 2 * time.Second}, *te)
	var ne interface{ Timeout() bool } // as net.Error has it
	require.ErrorAs(t, err, &ne)
	assert.True(t, ne.Timeout())
	_, isNet := errors.AsType[net.Error](err)
	assert.False(t, isNet, "a timeout of an operator is not a failure of the network")

	assert.EqualError(t, reactor.TimeoutFailure("timeout", 0), "reactor: timeout: no signal before the trigger")
}

func TestPanicErrorFormats(t *testing.T) {
	err := &reactor.PanicError{Op: "map", Value: "boom", Stack: []byte("goroutine 7 [running]:\nmain.parse()\n")}
	for format, want := range map[string]string{
		"%v":   "reactor: map: panic: boom",
		"%s":   "reactor: map: panic: boom",
		"%q":   `"reactor: map: panic: boom"`,
		"%30v": "     reactor: map: panic: boom",
		"%+v":  "reactor: map: panic: boom\n\ngoroutine 7 [running]:\nmain.parse()\n",
	} {
		assert.Equal(t, want, fmt.Sprintf(format, err), format)
	}
	assert.Equal(t, "row 3: reactor: map: panic: boom", fmt.Errorf("row 3: %w", err).Error())
	assert.Equal(t, "reactor: map: panic: boom", err.LogValue().String(), "a log has the stack beside the error, not in it")
}

func TestPanicError(t *testing.T) {
	cause := io.ErrUnexpectedEOF
	withError := &reactor.PanicError{Op: "map", Value: fmt.Errorf("row 3: %w", cause), Stack: []byte("goroutine 1")}
	require.ErrorIs(t, withError, cause)
	assert.EqualError(t, withError, "reactor: map: panic: row 3: unexpected EOF")

	withText := &reactor.PanicError{Value: "boom", Stack: []byte("goroutine 1")}
	require.NotErrorIs(t, withText, cause)
	require.NoError(t, errors.Unwrap(withText))
	assert.EqualError(t, withText, "reactor: panic: boom")
	assert.NotContains(t, withText.Error(), "goroutine", "the text of an error is one line")
}

func TestNonNil(t *testing.T) {
	assert.Same(t, io.EOF, reactor.NonNil(io.EOF))
	assert.Same(t, reactor.ErrNilError, reactor.NonNil(nil))
}

func TestErrTimeoutIsADeadline(t *testing.T) {
	for _, err := range []error{
		reactor.ErrTimeout,
		reactor.TimeoutFailure("timeout", time.Second),
		reactor.Failure("acquire", reactor.ErrTimeout, "after 1s"),
		fmt.Errorf("load: %w", reactor.TimeoutFailure("timeout", 0)),
	} {
		require.ErrorIs(t, err, reactor.ErrTimeout)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, context.Canceled)
		var late interface{ Timeout() bool }
		require.ErrorAs(t, err, &late)
		require.True(t, late.Timeout())
	}
	require.NotErrorIs(t, context.DeadlineExceeded, reactor.ErrTimeout)
}
