package operators

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
)

// BufferFor emits a slice of what has come from src each time d has passed.
//
//	src:  1 - 2 - 3 - 4 - 5 - 6 |
//	      BufferFor(7 steps)
//	out:  ------ [1 2] - [3 4] - [5 6] |
//
// There are no empty buffers; see [BufferOther] for the rest. With [OpenEvery] a buffer
// of this length begins every so often, at once for the first time, so that buffers
// overlap or elements in between are discarded; these may be empty, and they wait for
// demand, see [BufferWhen].
//
// Timers are those of schedulers.Parallel() unless [On] names another scheduler; if
// they are refused, the stream fails with reactor.ErrRejected. A duration ≤ 0 panics.
func BufferFor[T any](src reactor.Publisher[T], d time.Duration, opts ...BufferForOption) reactor.Publisher[[]T] {
	argument.Positive("bufferFor", "duration", d)
	c := bufferForConfig{every: d}
	for _, o := range argument.Options("bufferFor", opts) {
		o.applyBufferFor(&c)
	}
	on := On(timerOf("bufferFor", c.on))
	if c.every == d {
		return newBufferOther("bufferFor", src, Interval(d, on))
	}
	return newBufferWhen("bufferFor", src, Interval(c.every, InitialDelay(0), on),
		func(int64) reactor.Publisher[int64] { return Delay(d, on) })
}

// BufferForOption is an option of [BufferFor]: [OpenEvery] or [On].
type BufferForOption interface{ applyBufferFor(*bufferForConfig) }

type bufferForConfig struct {
	every time.Duration
	on    []SchedulerOption
}

// OpenEveryOption is the time between the beginnings of two buffers.
type OpenEveryOption time.Duration

// OpenEvery makes a buffer begin every time d has passed; d > 0.
func OpenEvery(d time.Duration) OpenEveryOption { return OpenEveryOption(d) }

func (o OpenEveryOption) applyBufferFor(c *bufferForConfig) {
	c.every = time.Duration(o)
	argument.Positive("bufferFor", "time between two buffers", c.every)
}

func (o SchedulerOption) applyBufferFor(c *bufferForConfig) { c.on = append(c.on, o) }
