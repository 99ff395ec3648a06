package vectors

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// settled is the time up to which nothing more may happen after the end of a run.
const settled = 2400

// hangTimeout is how long one run may take in real time.
const hangTimeout = 20 * time.Second

// run is one execution of a vector.
type run struct {
	v     *Vector
	b     *Builder
	subs  []*final
	emits []Entry
	fault string // a panic that came out of the program
}

// start runs v on a goroutine of its own, so that one that hangs does no harm to
// others. It returns nil for such a one.
func start(v *Vector, second bool) (r *run, reason string) {
	r = &run{v: v, b: newBuilder(second)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				r.fault = fmt.Sprintf("panic: %v", p)
				if len(r.b.missing) == 0 {
					r.fault += "\n" + string(debug.Stack())
				}
			}
		}()
		r.execute()
	}()
	timer := time.NewTimer(hangTimeout)
	defer timer.Stop()
	select {
	case <-done:
		return r, ""
	case <-r.b.hung:
		return nil, fmt.Sprintf("does not end: more than %d steps", maxSteps)
	case <-timer.C:
		r.b.killed.Store(true)
		return nil, fmt.Sprintf("hangs: no end after %v", hangTimeout)
	}
}

func (r *run) execute() {
	pub, sink := r.assemble()
	for _, spec := range r.v.subscribers {
		s := &final{b: r.b, demand: spec.demand, reaction: spec.reaction}
		if spec.emit != nil {
			a := &Args{b: r.b, name: "emit", node: spec.emit}
			s.emitAfter, s.emit = int64(a.Int("after")), func() { r.emit(sink, a) }
		}
		r.subs = append(r.subs, s)
	}
	script := r.v.program.Script
	for t := int64(0); t <= r.v.until; t++ {
		r.b.Clock.AdvanceTo(time.UnixMilli(t))
		for i, spec := range r.v.subscribers {
			s := r.subs[i]
			if spec.at == t {
				r.action(func() { pub.Subscribe(r.b.Ctx, s.face(r.v.strict)) })
			}
			for s.due(t) {
				r.action(s.requestNext)
			}
			if spec.cancelAt != nil && *spec.cancelAt == t {
				r.action(s.cancel)
			}
		}
		if r.v.connectAt != nil && *r.v.connectAt == t {
			if r.b.connect == nil {
				panic("vectors: nothing to connect")
			}
			r.action(r.b.connect)
		}
		for _, n := range script {
			a := &Args{b: r.b, name: "script", node: n}
			if int64(a.Int("at")) == t {
				r.action(func() { r.emit(sink, a) })
			}
		}
	}
	r.b.Clock.AdvanceTo(time.UnixMilli(settled))
}

// assemble builds the program and puts the recorder behind the main source.
func (r *run) assemble() (Publisher, Sink) {
	if r.v.program.Sink != nil {
		name := nameOf(r.v.program.Sink, "type")
		fn, ok := sinkTypes[name]
		if !ok {
			r.b.notRegistered("sink " + name)
		}
		sink := fn(r.b, r.b.args(name, r.v.program.Sink, nil))
		return r.b.apply(sink.Publisher(), r.v.program.Ops, nil), sink
	}
	p := r.b.program(r.v.rawProgram, nil)
	src := p.source()
	if !r.v.bare {
		src = r.b.record(src)
	}
	return r.b.apply(src, p.ops, nil), nil
}

// action runs fn as an immediate task and drains the clock.
func (r *run) action(fn func()) {
	if err := r.b.Clock.Execute(func(context.Context) { fn() }); err != nil {
		panic(err)
	}
}

func (r *run) emit(sink Sink, a *Args) {
	var e Entry
	e.T = r.b.Millis()
	var result string
	switch {
	case a.Has("next"):
		v := a.Value("next")
		e.Text, e.Value = "next", Text(v)
		result = sink.TryNext(v)
	case a.Has("error"):
		err := a.Error("error")
		e.Text, e.Value = "error", a.Str("error") // as in the script: the message alone
		result = sink.TryError(err)
	default:
		e.Text = "complete"
		result = sink.TryComplete()
	}
	e.Value += fmt.Sprintf(" -> %s, %d subscribers", result, sink.Subscribers())
	r.emits = append(r.emits, e)
}

// outcome returns what was observed.
func (r *run) outcome() Outcome {
	out := Outcome{Source: r.b.source, Peek: r.b.peeks, Emits: r.emits}
	for _, s := range r.subs {
		out.Subscribers = append(out.Subscribers, s.signals)
	}
	return out
}

// final is the subscriber at the end of the program.
type final struct {
	b      *Builder
	demand []demandEntry // what is left of it
	up     reactor.Subscription
	over   bool // terminated or cancelled: nothing is requested any more
	gaveUp bool // cancelled
	reaction
	got       int64
	emitAfter int64 // how many elements make it call emit
	emit      func()
	signals   []Entry
}

// trusted is a final of the library's own kind.
type trusted struct {
	protocol.Inner
	*final
}

func (s *final) face(strict bool) reactor.Subscriber[Value] {
	if strict {
		return s
	}
	return trusted{final: s}
}

func (s *final) due(t int64) bool {
	return s.up != nil && !s.over && len(s.demand) > 0 && s.demand[0].at <= t
}

func (s *final) requestNext() {
	n := s.demand[0].n
	s.demand = s.demand[1:]
	s.up.Request(n)
}

func (s *final) cancel() {
	if s.over {
		return
	}
	s.over, s.gaveUp = true, true
	if s.up != nil {
		s.up.Cancel()
	}
}

func (s *final) OnSubscribe(up reactor.Subscription) {
	if s.up != nil {
		s.record(Entry{Text: "onSubscribe once more"})
		return
	}
	s.up = up
	if s.gaveUp {
		up.Cancel()
		return
	}
	for s.due(s.b.Millis()) {
		s.requestNext()
	}
	if s.CancelAfter != nil && *s.CancelAfter == 0 {
		s.cancel()
	}
}

func (s *final) OnNext(v Value) {
	s.record(Entry{Text: "next", Value: Text(v)})
	s.got++
	if s.emit != nil && s.got == s.emitAfter {
		s.emit()
	}
	if s.CancelAfter != nil && *s.CancelAfter == s.got {
		s.cancel()
	}
	if s.Each > 0 && !s.over {
		s.up.Request(s.Each)
	}
}

func (s *final) OnError(err error) {
	s.over = true
	s.record(Entry{Text: "error", Value: Kind(err)})
}

func (s *final) OnComplete() {
	s.over = true
	s.record(Entry{Text: "complete"})
}

func (s *final) record(e Entry) {
	s.b.step()
	e.T = s.b.Millis()
	if s.up == nil {
		e.Text += " before onSubscribe"
	}
	s.signals = append(s.signals, e)
}
