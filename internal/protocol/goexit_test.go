package protocol

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
)

func TestCrashOfWhatIsSettled(t *testing.T) {
	ctx, hooks := capture()
	p := &probe[int]{}
	var seen []error
	note := func(err error) { seen = append(seen, err) }
	done := make(chan struct{})
	go func() {
		defer close(done)
		failure.Guard(func() { failure.Guard(runtime.Goexit, note) }, note)
	}()
	<-done
	Crash(ctx, p, seen[0], 1)
	assert.Equal(t, []any{1}, hooks.discarded)
	Crash(ctx, p, seen[1], 2)
	var h, late InFlight[int]
	h.Hold(3)
	h.Crash(ctx, p, true, seen[1])
	assert.False(t, h.Full())
	h.Hold(4)
	h.Unwind(ctx, seen[1])
	late.Hold(5)
	late.UnwindLate(ctx, seen[0])
	assert.Equal(t, []any{1}, hooks.discarded)
	h.Hold(6)
	h.Unwind(ctx, seen[0])
	late.Hold(7)
	late.UnwindLate(ctx, seen[1])
	assert.Equal(t, []any{1, 6, 7}, hooks.discarded)
	reactor.DropError(ctx, seen[1])
	assert.Empty(t, hooks.errs)
}
