package rxgo

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	rx "github.com/reactivex/rxgo/v2"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/live"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/operators"
)

// standstill is how long an observer may leave an item unread before that is reported, unless
// told otherwise.
const standstill = 30 * time.Second

// FromFlux returns the Observable of the elements of f, a Flux, a Mono, or any other publisher.
// It panics if f is nil.
//
//	f:    1 --- 2 --- #
//	      FromFlux(f)
//	out:  1 --- 2 --- err |
//
// Each Observe subscribes to f, with the context of rxgo.WithContext if that is among its options,
// and gets a channel of its own.
//
// Demand: one element at a time, the next one when the one before has been read (see
// [Prefetch]); rxgo.WithBufferedChannel adds the size of the buffer to that. There is no demand
// before somebody reads.
//
// Errors: the error of f, or the panic of one of its functions, is the last item.
//
// Cancellation: the end of the context cancels f and closes the channel without another item;
// an element that was not read is discarded. An observer that stops reading and has no context that ends
// keeps f and a goroutine waiting. After 30 s that is reported once as a dropped error, which
// matches reactor.ErrTimeout and says which element waits. With the option [Patience] it is
// given up then, between d and 2d after the element came: f is cancelled, the
// element discarded, the error reported, and the channel closed.
//
// Goroutine: one for each Observe, on which f is subscribed to; it ends with the channel.
//
// A nil element is an item whose V is nil.
func FromFlux[T any](f reactor.Publisher[T], opts ...FromFluxOption) rx.Observable {
	protocol.NotNil("rxgo.fromFlux", "Flux", f)
	c := fromFluxConfig{prefetch: 1}
	for _, option := range opts {
		option.applyFromFlux(&c)
	}
	return rx.Defer([]rx.Producer{func(ctx context.Context, next chan<- rx.Item) {
		o := &observer{ctx: ctx, next: next, config: c}
		clean := false
		defer func() {
			if !clean { // a Goexit; the channel is closed next, which would look like completion
				o.send(rx.Error(protocol.Recovered(recover())))
			}
			o.stopTicks()
		}()
		sendAll(o, operators.All(ctx, f, operators.Prefetch(c.prefetch)))
		clean = true
	}})
}

// sendAll hands over elements until they or the patience for the observer are at an end.
func sendAll[T any](o *observer, elements iter.Seq2[T, error]) {
	for v, err := range elements {
		switch {
		case err == nil:
			if !o.send(rx.Of(v)) {
				reactor.Discard(o.ctx, v)
				return
			}
		case o.ctx.Err() != nil && errors.Is(err, context.Cause(o.ctx)):
			return // the observer knows
		case !o.send(rx.Error(err)):
			reactor.DropError(o.ctx, err)
		}
	}
}

// observer is the reading end of an Observe. It belongs to the goroutine of that.
type observer struct {
	ctx    context.Context
	next   chan<- rx.Item
	config fromFluxConfig

	ticker *time.Ticker // nil until somebody was slow
	sent   int64        // items so far
	told   bool         // of the standstill
}

// send waits for the item to be read, or to find room in a buffer, and reports whether it was.
func (o *observer) send(item rx.Item) bool {
	if o.ctx.Err() != nil {
		return false
	}
	o.sent++
	select {
	case o.next <- item: // a select with one case is cheaper than the one below
		return true
	default:
	}
	if o.told { // and nobody has to give up: just wait
		select {
		case o.next <- item:
			return true
		case <-o.ctx.Done():
			return false
		}
	}
	for ticks := 0; ; {
		select {
		case o.next <- item:
			return true
		case <-o.ctx.Done():
			return false
		case <-o.ticks():
			// The first tick may come at once. So the item has waited between one and two
			// periods at the second.
			if ticks++; ticks < 2 {
				continue
			}
			if !o.mayWait(item) {
				return false
			}
		}
	}
}

// mayWait reports that nobody reads item, and whether to go on waiting.
func (o *observer) mayWait(item rx.Item) bool {
	if o.told {
		return true
	}
	o.told = true
	o.stopTicks()
	outcome := "the observer is given up"
	if o.config.patience == 0 {
		outcome = "without a context that ends it waits for ever"
	}
	var content any = item.V
	if item.E != nil {
		content = item.E
	}
	reactor.DropError(o.ctx, reactor.Failure("rxgo.fromFlux", reactor.ErrTimeout,
		"item %d (%s) has not been read for %v: %s", o.sent, short(content), o.period(), outcome))
	return o.config.patience == 0
}

// short formats a value for a message.
func short(v any) string {
	const most = 100 // characters
	text := []rune(fmt.Sprintf("%v", v))
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

func (o *observer) period() time.Duration {
	if o.config.patience > 0 {
		return o.config.patience
	}
	return standstill
}

// ticks returns the channel that has a value once each period, nil after the report.
func (o *observer) ticks() <-chan time.Time {
	switch {
	case o.ticker != nil:
		return o.ticker.C
	case o.told:
		return nil
	}
	live.TimerSet()
	o.ticker = time.NewTicker(o.period())
	return o.ticker.C
}

func (o *observer) stopTicks() {
	if o.ticker != nil {
		o.ticker.Stop()
		o.ticker = nil
		live.TimerDone()
	}
}
