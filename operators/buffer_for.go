package operators

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
)

// BufferFor emits, each time d has passed, a slice of the elements that have come
// since.
//
//	src:  1 - 2 - 3 - 4 - 5 - 6 |
//	      BufferFor(7 steps)
//	out:  ------ [1 2] - [3 4] - [5 6] |
//
// There are no empty buffers; see [BufferOther] for the rest. With [OpenEvery] a buffer
// of length d begins each time that option says, the first one at once, so that buffers
// overlap or the elements between them are discarded; such buffers may be empty, and
// they wait for demand, see [BufferWhen].
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

// OpenEveryOption is the time between the beginnings of two buffers or windows.
type OpenEveryOption time.Duration

// OpenEvery makes a buffer or window begin each time d > 0 has passed.
func OpenEvery(d time.Duration) OpenEveryOption { return OpenEveryOption(d) }

func (o OpenEveryOption) applyBufferFor(c *bufferForConfig) {
	c.every = time.Duration(o)
	argument.Positive("bufferFor", "time between two buffers", c.every)
}

func (o SchedulerOption) applyBufferFor(c *bufferForConfig) { c.on = append(c.on, o) }
