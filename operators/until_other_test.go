package operators

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// silent gives no subscription before it is told to.
type silent struct{ puppet[int] }

func (s *silent) Subscribe(context.Context, reactor.Subscriber[int]) {}

func TestUntilOtherRaces(t *testing.T) {
	for name, stage := range map[string]func(src elements, h *handScheduler) elements{
		"take":      func(src elements, h *handScheduler) elements { return TakeFor(src, time.Second, On(h)) },
		"takeOther": func(src elements, h *handScheduler) elements { return TakeUntilOther(src, Delay(2*time.Second, On(h))) },
		"skip":      func(src elements, h *handScheduler) elements { return SkipFor(src, time.Second, On(h)) },
		"skipOther": func(src elements, h *handScheduler) elements { return SkipUntilOther(src, Delay(2*time.Second, On(h))) },
	} {
		t.Run(name, func(t *testing.T) { raceStage(t, 60, stage) })
	}
}

func TestTimes(t *testing.T) {
	h := &handScheduler{}
	h.forward(100)
	src := &puppet[string]{}
	elapsed := run(Elapsed(src, func(d time.Duration, v string) string { return v + d.String() }, On(h)))
	first := src.last()
	timestamp := run(Timestamp(src, func(at time.Time, v string) int64 { return at.UnixNano() }, On(h)))
	second := src.last()
	timed := run(Timed(src, func(t reactor.Timed[string]) string { return t.String() }, On(h)))
	third := src.last()
	for _, v := range []string{"a", "b"} {
		h.forward(7)
		first.OnNext(v)
		second.OnNext(v)
		third.OnNext(v)
	}
	elapsed.Open(t, "a7ns", "b7ns")
	timestamp.Open(t, 107, 114)
	timed.Open(t, "a after 7ns (7ns)", "b after 7ns (14ns)")
	first.OnComplete()
	elapsed.Done(t, "a7ns", "b7ns")
	second.OnError(errBoom)
	timestamp.Failed(t, errBoom, 107, 114)
	run(Elapsed(Range(0, 3), func(time.Duration, int) int { panic(errBoom) }, On(h))).Failed(t, errBoom)
	assert.PanicsWithValue(t, "reactor: elapsed: the function is nil", func() { Elapsed[int, int](Just(1), nil) })
}
