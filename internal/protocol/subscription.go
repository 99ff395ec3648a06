package protocol

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
)

// Empty is the subscription of a stream that has ended: it does nothing.
var Empty reactor.Subscription = empty{}

type empty struct{}

func (empty) Request(int64) {}
func (empty) Cancel()       {}

// Complete subscribes s to nothing and completes it.
func Complete[T any](s reactor.Subscriber[T]) {
	defer s.OnComplete() // also if downstream ends the goroutine; so in Fail
	s.OnSubscribe(Empty)
}

// Fail subscribes s to nothing and fails it.
func Fail[T any](s reactor.Subscriber[T], err error) {
	defer s.OnError(err)
	s.OnSubscribe(Empty)
}

// Link is the upstream half of a stage that hands its own upstream's subscription
// down unchanged and may cancel it: OnSubscribe comes from here.
type Link struct {
	Inner
	Ctx  context.Context
	Down Signals              // downstream; the stage keeps the subscriber itself, as down
	Up   reactor.Subscription // set by OnSubscribe
	Done bool                 // ended, the stage drops what comes; touched by the signals of upstream only
}

// OnSubscribe passes upstream's subscription down.
func (l *Link) OnSubscribe(up reactor.Subscription) {
	l.Up = up
	l.Down.OnSubscribe(up)
}

// OnError passes the failure down, or reports it as dropped after the end.
func (l *Link) OnError(err error) {
	if l.Done {
		reactor.DropError(l.Ctx, err)
		return
	}
	l.Done = true
	l.Down.OnError(err)
}

// OnComplete passes completion down, unless the stage has ended.
func (l *Link) OnComplete() {
	if l.Done {
		return
	}
	l.Done = true
	l.Down.OnComplete()
}

// Fail ends the stage because its function failed on the element v: it cancels
// upstream, discards v and sends err down.
func (l *Link) Fail(err error, v any) {
	l.Done = true
	told := false
	defer func() { // also if a function that hears of the cancellation ends the goroutine
		if !told {
			l.failed(err, v)
		}
	}()
	l.Up.Cancel()
	told = true
	l.failed(err, v)
}

func (l *Link) failed(err error, v any) {
	defer func() { l.Down.OnError(err) }() // also if a hook ends the goroutine
	failure.Beside(l.Ctx, v, func() { err = reactor.OperatorError(l.Ctx, err, v) })
	reactor.Discard(l.Ctx, v)
}

// FailAfter is Fail for an element that has been sent down: it is not discarded.
func (l *Link) FailAfter(err error, v any) {
	l.Done = true
	defer func() { l.Down.OnError(err) }() // also if a function that hears of what follows ends the goroutine
	defer l.Up.Cancel()
	err = reactor.OperatorError(l.Ctx, err, v)
}

// Finish ends the stage successfully before upstream has ended.
func (l *Link) Finish() {
	l.Done = true
	told := false
	defer func() { // see Fail
		if !told {
			l.Down.OnComplete()
		}
	}()
	l.Up.Cancel()
	told = true
	l.Down.OnComplete()
}
