package stage_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/stage"
)

// busy is a source with an element and an error on their way when it is cancelled.
type busy struct{ source }

func (b *busy) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	b.s = s
	s.OnSubscribe((*busySubscription)(b))
}

type busySubscription busy

func (b *busySubscription) Request(int64) {}

func (b *busySubscription) Cancel() {
	b.cancelled++
	b.s.OnNext(1)
	b.s.OnError(errors.New("late"))
}

// A state that can't start ends a stream in the same way whatever the stage: the hooks of the context hear of it, and of what
// comes all the same.
func TestStartThatPanicsTellsTheHooks(t *testing.T) {
	records := func(of func(reactor.Publisher[int]) reactor.Publisher[int]) (log []string) {
		note := func(what string, v any) { log = append(log, fmt.Sprint(what, " ", v)) }
		ctx := reactor.WithHooks(t.Context(), reactor.Hooks{
			NextDropped:  func(_ context.Context, v any) { note("dropped", v) },
			ErrorDropped: func(_ context.Context, err error) { note("dropped", err) },
			Discard:      func(_ context.Context, v any) { note("discarded", v) },
			OperatorError: func(_ context.Context, err error, v any) error {
				note("failed on", v)
				assert.ErrorIs(t, err, assert.AnError)
				return errors.New("hooked")
			},
		})
		src, s := &busy{}, &sink{}
		of(src).Subscribe(ctx, s)
		src.s.OnNext(2)
		src.s.OnError(errors.New("later"))
		src.s.OnComplete()
		s.up.Request(1)
		s.up.Cancel()
		note("sent", s.out)
		note("ended", s.end)
		note("cancelled", src.cancelled)
		return log
	}
	each := records(func(src reactor.Publisher[int]) reactor.Publisher[int] {
		return stage.Each("each", src, plain{}, samePlain{})
	})
	choose := records(func(src reactor.Publisher[int]) reactor.Publisher[int] {
		return stage.Choose("choose", stage.Ends, src, same{})
	})
	assert.Equal(t, []string{
		"dropped 1", "dropped late", "failed on <nil>", "dropped 2", "dropped later", "sent []", "ended [hooked]", "cancelled 1",
	}, choose)
	assert.Equal(t, choose, each)
}

// A function that was built before the state has started is of the stage as well as one that is built then.
func TestStepBeforeStart(t *testing.T) {
	built, s := 0, &sink{}
	src := &held{}
	stage.Each("counts", src, count{n: -10}, counts{&built}).Subscribe(t.Context(), s)
	push := protocol.Push(src.s)
	src.s.OnSubscribe(protocol.Empty)
	push(1)
	src.s.OnNext(2)
	src.s.OnComplete()
	assert.Equal(t, []int{1, 3}, s.out)
	assert.Equal(t, []error{nil}, s.end)
}

// held is a source that keeps the subscription back.
type held struct{ source }

func (h *held) Subscribe(_ context.Context, s reactor.Subscriber[int]) { h.s = s }
