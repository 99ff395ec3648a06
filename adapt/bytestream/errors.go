package bytestream

import (
	"errors"
	"fmt"

	"github.com/goreactor/reactor"
)

// The errors with which a stream of this package fails, besides an error of opening;
// test for them with errors.Is. They come in a *reactor.OpError that names the place;
// its cause is the error that the reader, writer or decoder returned.
var (
	// ErrRead: the reader failed.
	ErrRead = errors.New("read failed")
	// ErrWrite: the writer failed.
	ErrWrite = errors.New("write failed")
	// ErrClose: Close failed.
	ErrClose = errors.New("close failed")
	// ErrTooLong: a line or record is longer than the limit.
	ErrTooLong = errors.New("too long")
	// ErrMalformed: a line or record is not what it should be: JSON, CSV, UTF-8.
	ErrMalformed = errors.New("malformed")
)

// place says where in its input a stream is. what is "line" or "record", or empty if
// only bytes are counted.
func place(what string, number, offset int64) string {
	if what == "" {
		return fmt.Sprintf("at byte %d", offset)
	}
	return fmt.Sprintf("%s %d, at byte %d", what, number, offset)
}

func tooLong(op, what string, number, offset int64, limit int) error {
	return reactor.Failure(op, ErrTooLong, "%s: more than %d bytes", place(what, number, offset), limit)
}

func malformed(op, what string, number, offset int64, err error) error {
	return reactor.Failure(op, ErrMalformed, "%s", place(what, number, offset)).CausedBy(err)
}
