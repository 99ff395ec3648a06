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
	pub   Publisher
	sink  Sink

	connection reactor.Disposable
	fault      string // a panic that came out of the program
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
	r.b.poke = r.poke
	r.pub, r.sink = r.assemble()
	for _, spec := range r.v.subscribers {
		s := &final{b: r.b, demand: spec.demand, reaction: spec.reaction}
		if spec.emit != nil {
			a := &Args{b: r.b, name: "emit", node: spec.emit}
			s.emitAfter, s.emit = int64(a.Int("after")), func() { r.emit(a) }
		}
		if spec.act != nil {
			a := &Args{b: r.b, name: "act", node: spec.act}
			s.actAfter, s.act = int64(a.Int("after")), func() { r.act(a) }
		}
		r.subs = append(r.subs, s)
	}
	script := r.v.program.Script
	for t := int64(0); t <= r.v.until; t++ {
		r.b.Clock.AdvanceTo(time.UnixMilli(t))
		for i, spec := range r.v.subscribers {
			s := r.subs[i]
			if is(spec.at, t) {
				r.action(func() { r.join(s) })
			}
			for s.due(t) {
				r.action(s.requestNext)
			}
			if is(spec.cancelAt, t) {
				r.action(s.cancel)
			}
		}
		r.connect(t)
		for _, n := range script {
			a := &Args{b: r.b, name: "script", node: n}
			if int64(a.Int("at")) == t {
				r.action(func() { r.emit(a) })
			}
		}
	}
	r.b.Clock.AdvanceTo(time.UnixMilli(settled))
}

// is reports whether something is to happen at t.
func is(at *int64, t int64) bool { return at != nil && *at == t }

// connect connects and disconnects what is shared.
func (r *run) connect(t int64) {
	c := r.v.connection
	if is(c.ConnectAt, t) || is(c.ReconnectAt, t) {
		if r.b.connect == nil {
			panic("vectors: nothing to connect")
		}
		r.action(func() { r.connection = r.b.connect() })
	}
	if is(c.DisconnectAt, t) {
		r.action(func() { r.connection.Dispose() })
	}
}

func (r *run) join(s *final) {
	if !s.joined {
		s.joined = true
		r.pub.Subscribe(r.b.Ctx, s.face(r.v.strict))
	}
}

// poke returns what is to be done when it has been called as often as the argument after says.
func (r *run) poke(a *Args) func() {
	times, after := 0, a.IntOr("after", 1)
	return func() {
		r.b.step()
		if times++; times == after {
			r.act(a)
		}
	}
}

// act does within a signal what a subscriber, or somebody with the sink, may do there.
func (r *run) act(a *Args) {
	what := a.Str("do")
	if what == "emit" {
		r.emit(a)
		return
	}
	who := a.IntOr("who", 0)
	if who >= len(r.subs) {
		return // nobody: it happens at the assembly, or the format names one too many
	}
	switch who := r.subs[who]; what {
	case "cancel":
		who.deaf = who.deaf || !who.over
		who.cancel()
	case "request":
		who.request(int64(a.Int("n")))
	case "subscribe":
		r.join(who)
	default:
		panic("vectors: nobody knows how to do " + what)
	}
}

// assemble builds the program and puts the recorder behind the main source.
func (r *run) assemble() (Publisher, Sink) {
	if r.v.program.Sink != nil {
		name := nameOf(r.v.program.Sink, "type")
		fn, ok := sinkTypes[name]
		if !ok {
			r.b.notRegistered("sink " + name)
		}
		sink := fn(r.b, r.b.args(name, r.v.program.Sink, scope{}))
		x := sink.Publisher()
		return r.b.apply(x, r.v.program.Ops, scope{x: x}), sink
	}
	p := r.b.program(r.v.rawProgram, scope{})
	src := p.source()
	if !r.v.bare {
		src = r.b.record(src)
	}
	return r.b.apply(src, p.ops, scope{}), nil
}

// action runs fn as an immediate task and drains the clock.
func (r *run) action(fn func()) {
	if err := r.b.Clock.Execute(func(context.Context) { fn() }); err != nil {
		panic(err)
	}
}

func (r *run) emit(a *Args) {
	var e Entry
	e.T = r.b.Millis()
	var result string
	switch {
	case a.Has("next"):
		v := a.Value("next")
		e.Text, e.Value = "next", Text(v)
		result = r.sink.TryNext(v)
	case a.Has("error"):
		err := a.Error("error")
		e.Text, e.Value = "error", a.Str("error") // as in the script: the message alone
		result = r.sink.TryError(err)
	default:
		e.Text = "complete"
		result = r.sink.TryComplete()
	}
	e.Value += fmt.Sprintf(" -> %s, %d subscribers", result, r.sink.Subscribers())
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
	joined bool // subscribed
	deaf   bool // to what still comes: it has cancelled in the midst of something
	reaction
	got       int64
	emitAfter int64 // how many elements make it call emit
	emit      func()
	actAfter  int64 // how many elements make it act
	act       func()
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

func (s *final) request(n int64) {
	if s.up != nil && !s.over {
		s.up.Request(n)
	}
}

func (s *final) OnNext(v Value) {
	if s.deaf {
		s.b.step()
		return
	}
	s.record(Entry{Text: "next", Value: Text(v)})
	s.got++
	if s.act != nil && s.got == s.actAfter {
		s.act()
	}
	if s.emit != nil && s.got == s.emitAfter {
		s.emit()
	}
	if s.CancelAfter != nil && *s.CancelAfter == s.got {
		s.cancel()
	}
	if s.Each > 0 {
		s.request(int64(s.Each))
	}
}

func (s *final) OnError(err error) {
	if s.deaf {
		return
	}
	s.over = true
	s.record(Entry{Text: "error", Value: Kind(err)})
}

func (s *final) OnComplete() {
	if s.deaf {
		return
	}
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
