package operators

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
)

func TestOnErrorMap(t *testing.T) {
	run(OnErrorMap(failing(1), func(err error) error { return errors.Join(err, errOther) })).Failed(t, errOther, 1)
	run(OnErrorMap(failing(1), func(error) error { return nil })).Failed(t, reactor.ErrNilError, 1)
	run(OnErrorMap(failing(1), func(error) error { return nil })).Failed(t, errBoom, 1) // which is not lost
	run(OnErrorMap(failing(1), func(error) error { return errOther }, WhenIs(io.EOF))).Failed(t, errBoom, 1)
	run(OnErrorMap(failing(1), func(error) error { return errOther }, WhenIs(io.EOF), WhenIs(errBoom))).Failed(t, errOther, 1)
	run(OnErrorMap(Just(1), func(error) error { return errOther })).Done(t, 1)
}

func TestOnErrorMapOfAPanic(t *testing.T) {
	for what, src := range map[string]reactor.Publisher[int]{
		"the function": OnErrorMap(failing(1), func(error) error { panic(errOther) }),
		"a filter":     OnErrorMap(failing(1), func(error) error { return io.EOF }, func(error) bool { panic(errOther) }),
	} {
		p := run(src)
		p.Failed(t, errOther, 1)
		p.Failed(t, errBoom, 1)
		var broken *reactor.PanicError
		require.ErrorAs(t, p.Failure(), &broken, what)
		assert.Equal(t, "onErrorMap", broken.Op, what)
	}
}

// What fails below comes back through the source: it is no failure of that.
func TestOnErrorMapIsNotForFailuresBelow(t *testing.T) {
	for what, src := range map[string]reactor.Publisher[int]{
		"pushed":       FromSlice([]int{1, 2}),
		"by interface": Hide(FromSlice([]int{1, 2})),
	} {
		mapped := OnErrorMap(src, func(error) error { t.Error("called"); return io.EOF })
		p := run(Map(mapped, func(v int) int {
			if v == 2 {
				panic(errBoom)
			}
			return v
		}))
		assert.ErrorIs(t, p.Failure(), errBoom, what)
	}
}

// The mapped error goes on where the source has failed, and asks for nothing.
func TestOnErrorMapWaitsForNoDemand(t *testing.T) {
	p := probeOf[int](0)
	OnErrorMap(Error[int](errBoom), func(error) error { return errOther }).Subscribe(context.Background(), p)
	p.Failed(t, errOther)
}
