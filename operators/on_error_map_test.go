package operators

import (
	"errors"
	"io"
	"testing"

	"github.com/goreactor/reactor"
)

func TestOnErrorMap(t *testing.T) {
	run(OnErrorMap(failing(1), func(err error) error { return errors.Join(err, errOther) })).assertFailed(t, errOther, 1)
	run(OnErrorMap(failing(1), func(error) error { return nil })).assertFailed(t, reactor.ErrNilError, 1)
	run(OnErrorMap(failing(1), func(error) error { return errOther }, WhenIs(io.EOF))).assertFailed(t, errBoom, 1)
	run(OnErrorMap(Just(1), func(error) error { return errOther })).assertCompleted(t, 1)
}
