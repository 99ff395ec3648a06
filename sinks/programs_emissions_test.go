package sinks_test

// What is emitted in a random program (programs_test.go), and how.

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/programs"
	"github.com/goreactor/reactor/sinks"
)

// What is no result of a sink: an emission that has not returned, and an error that is none of an emission.
const (
	unknown sinks.EmitResult = 98
	strange sinks.EmitResult = 99
)

// resultOf returns what an error says of an emission.
func resultOf(err error) sinks.EmitResult {
	var e *sinks.EmissionError
	switch {
	case err == nil:
		return sinks.OK
	case errors.As(err, &e):
		return e.Result
	}
	return strange
}

// emit makes an emission, for a client or, where by is nil, from within a delivery.
func (p *program) emit(r, by *rand.Rand) {
	e := &emission{what: reactor.KindNext, by: by, at: p.Now()}
	switch r.IntN(25) {
	case 0:
		e.what = reactor.KindComplete
	case 1:
		e.what = reactor.KindError
	}
	e.how = programs.Pick(r, "try", "try", "loop", "fast", "wait")
	if e.how == "wait" && (p.many == nil || e.what != reactor.KindNext) {
		e.how = "try"
	}
	p.emissions.Enter(e, func(n int) { e.v, e.begun = n+1, p.tick() })
	switch e.how {
	case "try":
		p.returned(e, p.sink.try(e.what, e.v))
	case "fast":
		p.returned(e, resultOf(p.sink.emit(e.what, e.v, sinks.FailFast)))
	case "loop":
		p.returned(e, resultOf(p.sink.emit(e.what, e.v, sinks.BusyLooping(time.Minute))))
	case "wait":
		p.wait(e, r)
	}
}

// wait emits an element and waits until it is accepted, or for some time.
func (p *program) wait(e *emission, r *rand.Rand) {
	// Nobody else does anything when it ends, so that nothing may go on then that has waited.
	ctx, cancel := context.WithTimeout(p.ctx, programs.Milliseconds(r, 0, 19)+time.Microsecond+time.Duration(e.v))
	defer cancel()
	err := p.many.EmitNextWait(ctx, e.v)
	if err == nil || !errors.Is(err, context.DeadlineExceeded) {
		p.returned(e, resultOf(err))
		return
	}
	result := p.many.TryEmitNext(e.v)
	if p.returned(e, result); result == sinks.OK {
		p.Fail("emission %d has waited for what was there", e.v)
	}
}

// returned notes what has become of an emission. It is not called if a subscriber has ended the goroutine.
func (p *program) returned(e *emission, result sinks.EmitResult) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e.result, e.over = result, p.tick()
}
