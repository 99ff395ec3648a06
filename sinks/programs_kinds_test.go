package sinks_test

// The sinks of a random program (programs_test.go). A new kind is a case of open; what its subscribers are promised is in the books,
// which know kinds by the first words of their names.

import (
	"context"
	"fmt"
	"strings"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/programs"
	"github.com/goreactor/reactor/sinks"
)

// side is what sinks have in common here.
type side interface {
	Subscribe(ctx context.Context, s reactor.Subscriber[int])
	CurrentSubscriberCount() int
	// try emits v, or an end.
	try(what reactor.SignalKind, v int) sinks.EmitResult
	// emit does so, and asks the handler whether to try again.
	emit(what reactor.SignalKind, v int, handler sinks.FailureHandler) error
}

type manySide struct{ *sinks.ManySink[int] }

func (s manySide) try(what reactor.SignalKind, v int) sinks.EmitResult {
	switch what {
	case reactor.KindNext:
		return s.TryEmitNext(v)
	case reactor.KindComplete:
		return s.TryEmitComplete()
	}
	return s.TryEmitError(programs.ErrTask)
}

func (s manySide) emit(what reactor.SignalKind, v int, handler sinks.FailureHandler) error {
	switch what {
	case reactor.KindNext:
		return s.EmitNext(v, handler)
	case reactor.KindComplete:
		return s.EmitComplete(handler)
	}
	return s.EmitError(programs.ErrTask, handler)
}

type oneSide struct{ *sinks.OneSink[int] }

func (s oneSide) try(what reactor.SignalKind, v int) sinks.EmitResult {
	switch what {
	case reactor.KindNext:
		return s.TryEmitValue(v)
	case reactor.KindComplete:
		return s.TryEmitEmpty()
	}
	return s.TryEmitError(programs.ErrTask)
}

func (s oneSide) emit(what reactor.SignalKind, v int, handler sinks.FailureHandler) error {
	switch what {
	case reactor.KindNext:
		return s.EmitValue(v, handler)
	case reactor.KindComplete:
		return s.EmitEmpty(handler)
	}
	return s.EmitError(programs.ErrTask, handler)
}

// emptySide has no way to emit an element, and says of one that the sink has ended.
type emptySide struct{ *sinks.EmptySink[int] }

func (s emptySide) try(what reactor.SignalKind, _ int) sinks.EmitResult {
	switch what {
	case reactor.KindNext:
		return sinks.FailTerminated
	case reactor.KindComplete:
		return s.TryEmitEmpty()
	}
	return s.TryEmitError(programs.ErrTask)
}

func (s emptySide) emit(what reactor.SignalKind, _ int, handler sinks.FailureHandler) error {
	switch what {
	case reactor.KindNext:
		return &sinks.EmissionError{Result: sinks.FailTerminated}
	case reactor.KindComplete:
		return s.EmitEmpty(handler)
	}
	return s.EmitError(programs.ErrTask, handler)
}

// open makes the sink.
func (p *program) open() {
	r := p.Rand
	p.ttl = -1
	note := func(format string, args ...any) { p.kind = fmt.Sprintf(format, args...) }
	set := func(s *sinks.ManySink[int]) { p.many, p.sink = s, manySide{s} }
	n := programs.Pick(r, 1, 2, 8, 20)
	switch r.IntN(13) {
	case 0:
		note("unicast buffer")
		set(sinks.Many().Unicast().OnBackpressureBuffer[int]())
	case 1:
		note("unicast buffer of %d", n)
		set(sinks.Many().Unicast().OnBackpressureBuffer[int](sinks.Capacity(n)))
	case 2:
		note("unicast error")
		set(sinks.Many().Unicast().OnBackpressureError[int]())
	case 3:
		note("multicast buffer of %d", n)
		p.auto = true
		set(sinks.Many().Multicast().OnBackpressureBuffer[int](sinks.Capacity(n)))
	case 4:
		note("multicast buffer that stays of %d", n)
		set(sinks.Many().Multicast().OnBackpressureBuffer[int](sinks.Capacity(n), sinks.AutoCancel(false)))
	case 5:
		note("all or nothing")
		set(sinks.Many().Multicast().DirectAllOrNothing[int]())
	case 6:
		note("best effort")
		set(sinks.Many().Multicast().DirectBestEffort[int]())
	case 7:
		note("replay all")
		set(sinks.Many().Replay().All[int]())
	case 8:
		note("replay latest")
		p.history = 1
		set(sinks.Many().Replay().Latest[int]())
	case 9:
		note("replay %d", n)
		p.history = n
		set(sinks.Many().Replay().Limit[int](sinks.History(n)))
	case 10:
		p.ttl = programs.Milliseconds(r, 0, 7)
		if r.IntN(2) == 0 {
			note("replay for %v", p.ttl)
			set(sinks.Many().Replay().Limit[int](sinks.TTL(p.ttl)))
		} else {
			p.history = n
			note("replay %d for %v", n, p.ttl)
			set(sinks.Many().Replay().Limit[int](sinks.History(n), sinks.TTL(p.ttl)))
		}
	case 11:
		note("one")
		p.sink = oneSide{sinks.One[int]()}
	case 12:
		note("empty")
		p.sink = emptySide{sinks.Empty[int]()}
	}
}

// is reports whether the sink is of that kind.
func (p *program) is(kind string) bool { return strings.HasPrefix(p.kind, kind) }
