package protocol

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/handed"
	"github.com/goreactor/reactor/internal/testkit/racetest"
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

// handingOn is a stage of somebody else, which knows nothing of what it hands on.
type handingOn struct {
	src   reactor.Publisher[int]
	aside bool // on another goroutine
	shown error
}

func (h *handingOn) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	h.src.Subscribe(ctx, &handingOnSubscriber{s, h})
}

type handingOnSubscriber struct {
	reactor.Subscriber[int]
	of *handingOn
}

func (s *handingOnSubscriber) OnError(err error) {
	s.of.shown = err
	if s.of.aside {
		racetest.Aside(func() { s.Subscriber.OnError(err) })
	} else {
		s.Subscriber.OnError(err)
	}
}

// failsWith is a publisher of this module that ends with an error.
type failsWith struct {
	Op
	err error
}

func (p failsWith) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	s = Strict(ctx, s)
	Fail(s, p.err)
}

// Code of somebody else sees what a Goexit was reported as. The stages below, to which it hands that on while it is told, are told that it
// was reported, and nobody else is.
func TestGoexitPassesCodeOfSomebodyElse(t *testing.T) {
	var seen []error
	note := func(err error) { seen = append(seen, err) }
	racetest.Aside(func() { failure.Guard(func() { failure.Guard(runtime.Goexit, note) }, note) })
	first, passing := seen[0], seen[1]
	for name, c := range map[string]struct {
		err     error
		aside   bool
		settled bool
	}{
		"what is told first":        {first, false, false},
		"what was told":             {passing, false, true},
		"what was told, told later": {passing, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := capture()
			inner := &handingOn{src: failsWith{err: c.err}, aside: c.aside}
			outer := &handingOn{src: Trust("test", reactor.Publisher[int](inner))}
			p := &probe[int]{}
			Trust("test", reactor.Publisher[int](outer)).Subscribe(ctx, p)
			assert.Equal(t, first, inner.shown)
			assert.Equal(t, first, outer.shown)
			if assert.Len(t, p.errs, 1) {
				assert.Equal(t, c.settled, failure.IsSettled(p.errs[0]))
			}
			assert.Empty(t, hooks.errs)
			assert.Equal(t, first, handed.Seen(first), "nothing is shown any more")
		})
	}
}
