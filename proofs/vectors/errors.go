package vectors

import (
	"context"
	"errors"
	"reflect"
	"strings"

	"github.com/goreactor/reactor"
)

// Boom is the error of a user's function, of kind boom:message.
type Boom string

// Error returns the kind.
func (b Boom) Error() string { return "boom:" + string(b) }

// kindError stands for an expected error of any kind.
type kindError string

func (k kindError) Error() string { return string(k) }

var kinds = []struct {
	name string
	err  error
}{
	{"asyncCleanup", reactor.ErrCleanup},
	{"retryExhausted", reactor.ErrRetryExhausted},
	{"timeout", reactor.ErrTimeout},
	{"overflow", reactor.ErrOverflow},
	{"indexOutOfBounds", reactor.ErrIndexOutOfRange},
	{"tooManyElements", reactor.ErrTooManyElements},
	{"noSuchElement", reactor.ErrNoElements},
	{"illegalRequest", reactor.ErrIllegalRequest},
	{"illegalArgument", reactor.ErrIllegalArgument},
	{"illegalState", reactor.ErrIllegalState},
	{"cancelled", reactor.ErrCancelled},
	{"cancelled", context.Canceled},
	{"rejected", reactor.ErrRejected},
	{"nullValue", reactor.ErrNilError},
}

// Kind returns the name that the format has for an error. Of an error that wraps
// several it is the first one's, which says what happened, while the others say
// why; only errors joined count as several.
func Kind(err error) string {
	switch e := err.(type) {
	case nil:
		return "nil!"
	case Boom:
		return e.Error()
	case kindError:
		return string(e)
	}
	for _, k := range kinds {
		if err == k.err {
			return k.name
		}
	}
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		list := e.Unwrap()
		if reflect.TypeOf(err) != joined {
			return Kind(list[0])
		}
		names := make([]string, len(list))
		for i := range list {
			names[i] = Kind(list[i])
		}
		return "composite:" + strings.Join(names, ",")
	case interface{ Unwrap() error }:
		if cause := e.Unwrap(); cause != nil {
			return Kind(cause)
		}
	}
	return "unknown!(" + err.Error() + ")"
}

// joined is the type of what errors.Join returns.
var joined = reflect.TypeOf(errors.Join(reactor.ErrTimeout))
