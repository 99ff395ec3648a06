package operators

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// The end reaches each open window, and the stream of windows, also if the subscriber of a window ends the goroutine when it
// hears of it.
func TestWindowsEndThoughASubscriberEndsTheGoroutine(t *testing.T) {
	for name, cut := range map[string]func(stream) reactor.Publisher[stream]{
		"window":       func(src stream) reactor.Publisher[stream] { return Window(src, 3, bare[int]) },
		"window apart": func(src stream) reactor.Publisher[stream] { return Window(src, 3, bare[int], Stride(4)) },
		"overlapping":  func(src stream) reactor.Publisher[stream] { return Window(src, 3, bare[int], Stride(1)) },
		"windowUntil": func(src stream) reactor.Publisher[stream] {
			return WindowUntil(src, func(int) bool { return false }, bare[int])
		},
		"windowOther": func(src stream) reactor.Publisher[stream] { return WindowOther(src, Never[int](), bare[int]) },
		"windowTimeout": func(src stream) reactor.Publisher[stream] {
			return WindowTimeout(src, 3, 1, bare[int], On(&handScheduler{}))
		},
	} {
		for _, err := range []error{nil, errBoom} {
			t.Run(name+" "+endName(err), func(t *testing.T) {
				ctx, hooks := probe.Recorded()
				src := &puppet[int]{}
				p := probeOf[stream](reactor.Unbounded)
				opened, ended := 0, 0
				p.Each = func(w stream) {
					opened++
					gone := func() { ended++; runtime.Goexit() }
					SubscribeFunc(ctx, w, func(int) {}, OnComplete(gone), OnError(func(error) { gone() }))
				}
				cut(src).Subscribe(ctx, p)
				src.last().OnNext(0)
				src.last().OnNext(1)
				racetest.Aside(func() { endWithError(src.last(), err) })
				require.Positive(t, opened)
				require.Equal(t, opened, ended)
				p.Check(t, err, err == nil, p.Got()...)
				for _, dropped := range hooks.Errs {
					require.ErrorIs(t, dropped.(error), reactor.ErrGoexit)
				}
			})
		}
	}
}

func endName(err error) string {
	if err != nil {
		return "fails"
	}
	return "completes"
}

func endWithError(s *puppetSubscription[int], err error) {
	if err != nil {
		s.OnError(err)
		return
	}
	s.OnComplete()
}
