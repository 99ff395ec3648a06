package operators

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
)

var (
	errBoom  = errors.New("boom")
	errOther = errors.New("other")
)

// failing sends the items and fails with errBoom.
func failing[T any](items ...T) reactor.Publisher[T] {
	return Concat(FromSlice(items), Error[T](errBoom))
}

// onErrorStages are the error handlers, each in a form that would turn an error into
// something else if it caught it.
func onErrorStages() map[string]func(reactor.Publisher[int]) reactor.Publisher[int] {
	return map[string]func(reactor.Publisher[int]) reactor.Publisher[int]{
		"onErrorReturn": func(p reactor.Publisher[int]) reactor.Publisher[int] { return OnErrorReturn(p, -1) },
		"onErrorResume": func(p reactor.Publisher[int]) reactor.Publisher[int] {
			return OnErrorResume(p, func(error) reactor.Publisher[int] { return FromSlice([]int{-1, -2}) })
		},
		"onErrorMap": func(p reactor.Publisher[int]) reactor.Publisher[int] {
			return OnErrorMap(p, func(error) error { return errOther })
		},
		"onErrorComplete": func(p reactor.Publisher[int]) reactor.Publisher[int] { return OnErrorComplete(p) },
		"retry":           func(p reactor.Publisher[int]) reactor.Publisher[int] { return Retry(p, Times(3)) },
		"concatDelayError": func(p reactor.Publisher[int]) reactor.Publisher[int] {
			return ConcatDelayError(p, FromSlice([]int{-1, -2}))
		},
	}
}

func TestOnErrorFunctionsThatFailThemselves(t *testing.T) {
	broken := errors.New("broken")
	for name, src := range map[string]reactor.Publisher[int]{
		"onErrorResume": OnErrorResume(failing(1), func(error) reactor.Publisher[int] { panic(broken) }),
		"onErrorMap":    OnErrorMap(failing(1), func(error) error { panic(broken) }),
		"filter":        OnErrorComplete(failing(1), WhenError(func(error) bool { panic(broken) })),
		"retry":         Retry(failing(1), WhenError(func(error) bool { panic(broken) })),
	} {
		t.Run(name, func(t *testing.T) {
			p := run(src)
			p.Failed(t, broken, 1)
			assert.ErrorIs(t, p.Failure(), errBoom, "and what it was called for")
			var pe *reactor.PanicError
			require.ErrorAs(t, p.Failure(), &pe)
			assert.NotEmpty(t, pe.Op)
		})
	}
}
