package rxgo

import (
	"context"
	"fmt"
	"iter"
	"time"

	rx "github.com/reactivex/rxgo/v2"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/live"
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
// Each Observe subscribes to f, with the context of rxgo.WithContext if that is among the options
// of Observe, and gets a channel of its own.
//
// Demand: one element at a time, the next one when the one before has been read (see
// [Prefetch]); rxgo.WithBufferedChannel adds the size of the buffer to that. There is no demand
// before somebody reads.
//
// Errors: the error of f, or the panic of one of its functions, is the last item.
//
// Cancellation: the end of the context cancels f and closes the channel without another item; an
// element that was not read is discarded. An observer that stops reading and has no context that
// ends keeps f and a goroutine waiting. After 30 to 60 s that is reported once as a dropped error,
// which matches reactor.ErrTimeout and says which element waits. With the option [Patience] the
// bridge gives up between d and 2d after the element came: f is cancelled, the element is
// discarded, the error is reported, and the channel is closed.
//
// Goroutine: each Observe has a goroutine, on which f is subscribed to; it ends with the channel.
//
// A nil element is an item whose V is nil.
func FromFlux[T any](f reactor.Publisher[T], opts ...FromFluxOption) rx.Observable {
	argument.NotNil("rxgo.fromFlux", "Flux", f)
	c := fromFluxConfig{prefetch: 1}
	for _, option := range argument.Options("rxgo.fromFlux", opts) {
		option.applyFromFlux(&c)
	}
	return rx.Defer([]rx.Producer{func(ctx context.Context, next chan<- rx.Item) {
		o := &observer{ctx: ctx, next: next, config: c, period: make(chan struct{}, 1)}
		clean := false
		defer func() {
			if !clean { // a Goexit; the channel is closed next, which would look like completion
				o.send(rx.Error(failure.Recovered(recover())))
			}
			o.stopAlarm()
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
		case belated.IsEnd(o.ctx, err):
			return // the observer knows
		case !o.send(rx.Error(err)):
			reactor.DropError(o.ctx, err)
		}
	}
}

// observer is the reading end of an Observe. It belongs to the goroutine of that, but for period.
type observer struct {
	ctx    context.Context
	next   chan<- rx.Item
	config fromFluxConfig

	// period has a token when a period is over. It is not the channel of a timer: a select that
	// waits for such a channel sets the timer and stops it again, for each item.
	period chan struct{}
	alarm  *time.Timer // ends a period; nil until somebody was slow, and after the report
	sent   int64       // items so far
	told   bool        // of the standstill
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
	if o.alarm == nil && !o.told {
		o.setAlarm()
	}
	for ticks := 0; ; {
		select {
		case o.next <- item:
			return true
		case <-o.ctx.Done():
			return false
		case <-o.period:
		}
		if o.told { // and nobody has to give up: just wait
			continue
		}
		// The first period may be over at once. So the item has waited between one and two
		// of them at the end of the second.
		if ticks++; ticks < 2 {
			o.alarm.Reset(o.patience())
		} else if !o.mayWait(item) {
			return false
		}
	}
}

// mayWait reports that nobody reads item, and whether to go on waiting.
func (o *observer) mayWait(item rx.Item) bool {
	o.told = true
	o.stopAlarm()
	outcome := "the observer is given up"
	if o.config.patience == 0 {
		outcome = "without a context that ends it waits for ever"
	}
	var content any = item.V
	if item.E != nil {
		content = item.E
	}
	reactor.DropError(o.ctx, reactor.Failure("rxgo.fromFlux", reactor.ErrTimeout,
		"item %d (%s) has not been read for %v: %s", o.sent, short(content), o.patience(), outcome))
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

func (o *observer) patience() time.Duration {
	if o.config.patience > 0 {
		return o.config.patience
	}
	return standstill
}

func (o *observer) setAlarm() {
	live.TimerSet()
	over := o.period
	o.alarm = time.AfterFunc(o.patience(), func() {
		select {
		case over <- struct{}{}:
		default: // nobody has looked at the one before
		}
	})
}

func (o *observer) stopAlarm() {
	if o.alarm != nil {
		o.alarm.Stop()
		o.alarm = nil
		live.TimerDone()
	}
}
