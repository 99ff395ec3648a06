package vectors

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/mono"
)

// record puts the recorder between the main source and its first operator.
func (b *Builder) record(p Publisher) Publisher {
	rec := &recorder{b: b, src: p}
	if m, ok := p.(mono.Mono[Value]); ok {
		rec.src = m.Source()
		return mono.FromDirect[Value](rec)
	}
	rec.src = p.(flux.Flux[Value]).Source()
	return flux.From[Value](rec)
}

type recorder struct {
	protocol.Op
	b   *Builder
	src Publisher
}

func (r *recorder) Subscribe(ctx context.Context, s reactor.Subscriber[Value]) {
	down := protocol.Strict(ctx, s)
	r.b.log(Entry{Text: "subscribe"})
	sub := &recorderSubscriber{b: r.b, down: down}
	if r.b.second {
		r.src.Subscribe(ctx, &recorderPusher{sub})
		return
	}
	r.src.Subscribe(ctx, sub)
}

type recorderSubscriber struct {
	protocol.Inner
	b         *Builder
	down      reactor.Subscriber[Value]
	up        reactor.Subscription
	over      bool // terminated or cancelled: nothing is recorded any more
	unbounded bool // no request is recorded any more
	calling   bool
}

func (s *recorderSubscriber) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
}

func (s *recorderSubscriber) OnNext(v Value) {
	s.b.step()
	s.calling = true
	s.down.OnNext(v)
	s.calling = false
}

// recorderPusher is a recorder that elements pass as closures.
type recorderPusher struct{ *recorderSubscriber }

// Push implements protocol.Pusher.
func (s *recorderPusher) Push() func(Value) {
	next := protocol.Push(s.down)
	return func(v Value) {
		s.b.step()
		s.calling = true
		next(v)
		s.calling = false
	}
}

func (s *recorderSubscriber) OnError(err error) {
	if s.calling && !s.over {
		// A function downstream panicked: where Reactor's operator cancels, the
		// source's own guard has stopped it.
		s.b.log(Entry{Text: "cancel"})
	}
	s.over = true
	s.down.OnError(err)
}

func (s *recorderSubscriber) OnComplete() {
	s.over = true
	s.down.OnComplete()
}

func (s *recorderSubscriber) Request(n int64) {
	if !s.over && !s.unbounded {
		s.unbounded = n == reactor.Unbounded
		s.b.log(Entry{Text: "request", N: n})
	}
	s.up.Request(n)
}

func (s *recorderSubscriber) Cancel() {
	if !s.over {
		s.over = true
		s.b.log(Entry{Text: "cancel"})
	}
	s.up.Cancel()
}

func (b *Builder) log(e Entry) {
	b.step()
	e.T = b.Millis()
	b.source = append(b.source, e)
}
