package reactor_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/goreactor/reactor"
	"github.com/stretchr/testify/assert"
)

// recorder notes the callbacks it receives as text.
type recorder[T any] struct{ got []string }

func (r *recorder[T]) OnSubscribe(reactor.Subscription) { r.got = append(r.got, "subscribe") }
func (r *recorder[T]) OnNext(v T)                       { r.got = append(r.got, fmt.Sprint("next ", v)) }
func (r *recorder[T]) OnError(err error)                { r.got = append(r.got, fmt.Sprint("error ", err)) }
func (r *recorder[T]) OnComplete()                      { r.got = append(r.got, "complete") }

func TestSignal(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		signal   reactor.Signal[int]
		kind     reactor.SignalKind
		text     string
		has      bool
		value    int
		err      error
		terminal bool
		accepted []string
	}{
		{
			signal: reactor.NextSignal(3), kind: reactor.KindNext, text: "onNext(3)",
			has: true, value: 3, accepted: []string{"next 3"},
		},
		{
			signal: reactor.NextSignal(0), kind: reactor.KindNext, text: "onNext(0)",
			has: true, value: 0, accepted: []string{"next 0"},
		},
		{
			signal: reactor.ErrorSignal[int](boom), kind: reactor.KindError, text: "onError(boom)",
			err: boom, terminal: true, accepted: []string{"error boom"},
		},
		{
			signal: reactor.ErrorSignal[int](nil), kind: reactor.KindError,
			text: "onError(" + reactor.ErrNilError.Error() + ")",
			err:  reactor.ErrNilError, terminal: true, accepted: []string{"error " + reactor.ErrNilError.Error()},
		},
		{
			signal: reactor.CompleteSignal[int](), kind: reactor.KindComplete, text: "onComplete()",
			terminal: true, accepted: []string{"complete"},
		},
		{signal: reactor.Signal[int]{}, text: "none()"},
	} {
		t.Run(c.text, func(t *testing.T) {
			assert.Equal(t, c.kind, c.signal.Kind())
			assert.Equal(t, c.text, c.signal.String())
			v, ok := c.signal.Value()
			assert.Equal(t, c.has, ok)
			assert.Equal(t, c.value, v)
			assert.Equal(t, c.err, c.signal.Err())
			assert.Equal(t, c.terminal, c.signal.IsTerminal())
			r := &recorder[int]{}
			c.signal.Accept(r)
			assert.Equal(t, c.accepted, r.got)
		})
	}
}

func TestSignalCarriesNil(t *testing.T) {
	v, ok := reactor.NextSignal[error](nil).Value()
	assert.True(t, ok, "nil is an element like any other")
	assert.NoError(t, v)
}

func TestSignalsCompare(t *testing.T) {
	assert.Equal(t, reactor.NextSignal("a"), reactor.NextSignal("a"))
	assert.True(t, reactor.NextSignal("a") == reactor.NextSignal("a"))
	assert.False(t, reactor.NextSignal("a") == reactor.NextSignal("b"))
	assert.False(t, reactor.NextSignal("") == reactor.CompleteSignal[string]())
}

func TestSignalKindString(t *testing.T) {
	want := map[reactor.SignalKind]string{
		0:                     "none",
		reactor.KindNext:      "onNext",
		reactor.KindError:     "onError",
		reactor.KindComplete:  "onComplete",
		reactor.KindSubscribe: "onSubscribe",
		reactor.KindRequest:   "request",
		reactor.KindCancel:    "cancel",
		200:                   "none",
	}
	for kind, text := range want {
		assert.Equal(t, text, kind.String())
	}
}
