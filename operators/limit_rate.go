package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/buffered"
)

// LimitRate asks src for high elements, whatever is requested, and for more when three quarters
// of them were delivered, or as [LowTide] says.
//
//	requests:  ------ unbounded -------->
//	           LimitRate(100)
//	to src:    100 ------ 75 ------ 75 ->
//
// The first batch is asked for at the subscription. After that it asks for another three
// quarters of high each time as many were delivered; [LowTide] sets another number. An element
// goes on at once if there is demand for it; other elements wait in a queue of high elements,
// and an error waits behind them. Cancelling discards the queue. Signals go down on the
// goroutine of src or of the one that requests.
//
// A source right above that calls no function of yours, such as [Range] or [FromSlice], is asked
// for what downstream wants, without a queue.
func LimitRate[T any](src reactor.Publisher[T], high int, opts ...LimitRateOption) reactor.Publisher[T] {
	p := &limitRatePublisher[T]{src: protocol.Trust("limitRate", src), high: count(high)}
	argument.Positive("limitRate", "high tide", high)
	p.low = lowTide(p.high, opts)
	return p
}

func lowTide(high int64, opts []LimitRateOption) int64 {
	c := limitRateConfig{low: high} // not below high: the usual batch
	for _, o := range argument.Options("limitRate", opts) {
		o.applyLimitRate(&c)
	}
	return c.low
}

// LimitRateOption is an option of [LimitRate]: [LowTide].
type LimitRateOption interface{ applyLimitRate(*limitRateConfig) }

type limitRateConfig struct{ low int64 }

// LowTideOption is how many elements are requested again at a time.
type LowTideOption int

// LowTide makes [LimitRate] ask for n ≥ 0 more elements each time n elements were
// delivered. With 0 it asks for the next batch when the previous one was delivered
// completely; an n that is not less than the batch counts as three quarters of the batch.
func LowTide(n int) LowTideOption {
	argument.NotNegative("limitRate", "low tide", n)
	return LowTideOption(n)
}

func (o LowTideOption) applyLimitRate(c *limitRateConfig) { c.low = int64(o) }

type limitRatePublisher[T any] struct {
	protocol.Op
	src       reactor.Publisher[T]
	high, low int64
}

func (p *limitRatePublisher[T]) Subscribe(ctx context.Context, down reactor.Subscriber[T]) {
	sub := &limitRateSubscriber[T]{}
	s := &sub.stage
	s.Queue = queue.NewSPSC[T](p.high)
	s.Out.InRuns = true // the function of downstream is taken when it is known who feeds it
	s.Init(ctx, down, p.high)
	s.Refill = demand.NewRefillAt(p.high, p.low)
	s.Full = func(v T) {
		err := unasked(ctx, "limitRate", p.high, v)
		s.Discard(v)
		s.Fail(err)
	}
	p.src.Subscribe(ctx, sub)
}

// limitRateSubscriber is the stage. Below a source that calls no function of the user there is no
// stage: nobody sees what such a source is asked for, and it makes no more elements than there is
// demand for.
type limitRateSubscriber[T any] struct {
	protocol.Inner
	stage buffered.Stage[T]
	fed   bool // downstream asks the source; set by OnSubscribe
}

func (s *limitRateSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	if sync, ok := up.(protocol.Synchronous); ok && sync.Feeds(s) {
		s.fed, s.stage.Up = true, up
		s.stage.Out.BeginWith(up)
		return
	}
	s.stage.Out.Sending()
	s.stage.Out.InRuns = false // each element that comes is a pass of its own
	s.stage.OnSubscribe(up)
}

func (s *limitRateSubscriber[T]) OnNext(v T) {
	if s.fed {
		s.Push()(v)
		return
	}
	s.stage.OnNext(v)
}

// Push implements protocol.Pusher.
func (s *limitRateSubscriber[T]) Push() func(T) {
	if !s.fed {
		return s.OnNext
	}
	s.stage.Out.Sending()
	return s.stage.PushDown
}

// OnError takes the failure of the source or, of one that feeds downstream, that of an element on its way down.
func (s *limitRateSubscriber[T]) OnError(err error) {
	if s.fed {
		s.stage.Out.UnwindWithin(err)
		return
	}
	s.stage.OnError(err)
}

func (s *limitRateSubscriber[T]) OnComplete() { s.stage.OnComplete() }
