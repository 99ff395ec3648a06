package reactor_test

import (
	"bytes"
	"errors"
	"log/slog"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

func TestLogValue(t *testing.T) {
	rows := reactor.Checkpoint{Description: "a", Stack: []runtime.Frame{{Function: "main.f", File: "f.go", Line: 3}}}
	page := reactor.Checkpoint{Description: "b", Function: "main.f", File: "f.go", Line: 3}
	passed := reactor.PassCheckpoint(reactor.PassCheckpoint(errors.New("boom"), rows), page)
	crashed := reactor.PassCheckpoint(&reactor.PanicError{Op: "map", Value: "boom", Stack: []byte("a stack")}, rows)
	for want, v := range map[string]any{
		"x.kind=onNext x.value=3":                               reactor.NextSignal(3),
		"x.kind=onError x.error=boom":                           reactor.ErrorSignal[int](errors.New("boom")),
		"x.kind=onComplete":                                     reactor.CompleteSignal[int](),
		"x.kind=none":                                           reactor.Signal[int]{},
		`x.op=retry x.kind=overflow`:                            &reactor.OpError{Op: "retry", Kind: reactor.ErrOverflow},
		`x.op=a x.kind=overflow x.detail="3 of 2" x.cause=boom`: reactor.Failure("a", reactor.ErrOverflow, "%d of 2", 3).CausedBy(errors.New("boom")),
		`x.error=boom x.passed="[checkpoint \"a\" checkpoint \"b\", assembled at f.go:3 (main.f)]"`: passed,
		`x.error="reactor: map: panic: boom" x.passed="[checkpoint \"a\"]"`:                         crashed,
	} {
		var text bytes.Buffer
		slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 {
				return slog.Attr{}
			}
			return a
		}})).Info("m", "x", v)
		assert.Equal(t, want+"\n", text.String())
	}
}
