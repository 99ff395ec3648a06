package vectors

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
)

// Sink is the emitting side of a sink under test. The texts are the names of the
// results of an emission.
type Sink interface {
	Publisher() Publisher // what subscribers get, a Flux or a Mono
	TryNext(v Value) (result string)
	TryError(err error) (result string)
	TryComplete() (result string)
	Subscribers() int
}

var (
	fluxOps   = map[string]func(*Builder, flux.Flux[Value], *Args) Publisher{}
	monoOps   = map[string]func(*Builder, mono.Mono[Value], *Args) Publisher{}
	sources   = map[string]func(*Builder, *Args) Publisher{}
	sinkTypes = map[string]func(*Builder, *Args) Sink{}
)

// RegisterFluxOp registers an operator on a flux.
func RegisterFluxOp(name string, fn func(*Builder, flux.Flux[Value], *Args) Publisher) {
	register(fluxOps, "flux operator", name, fn)
}

// RegisterMonoOp registers an operator on a mono.
func RegisterMonoOp(name string, fn func(*Builder, mono.Mono[Value], *Args) Publisher) {
	register(monoOps, "mono operator", name, fn)
}

// RegisterFluxSource registers a source that is a flux.
func RegisterFluxSource(name string, fn func(*Builder, *Args) flux.Flux[Value]) {
	register(sources, "source", name, func(b *Builder, a *Args) Publisher { return fn(b, a) })
}

// RegisterMonoSource registers a source that is a mono.
func RegisterMonoSource(name string, fn func(*Builder, *Args) mono.Mono[Value]) {
	register(sources, "source", name, func(b *Builder, a *Args) Publisher { return fn(b, a) })
}

// RegisterSource registers a source that may be either.
func RegisterSource(name string, fn func(*Builder, *Args) Publisher) {
	register(sources, "source", name, fn)
}

// RegisterSink registers a type of sink.
func RegisterSink(name string, fn func(*Builder, *Args) Sink) {
	register(sinkTypes, "sink", name, fn)
}

func register[F any](m map[string]F, what, name string, fn F) {
	if _, ok := m[name]; ok {
		panic("vectors: " + what + " " + name + " is registered twice")
	}
	m[name] = fn
}

// Builder assembles the program of one run and holds what its parts share.
type Builder struct {
	// Clock is the scheduler of the run.
	Clock *reactortest.VirtualTime
	// Ctx carries the hooks that record what is dropped. Whoever subscribes
	// without a subscriber's context, such as a connection, uses it.
	Ctx context.Context

	second  bool // the second form of the run
	connect func() reactor.Disposable
	poke    func(*Args) func()
	missing []string // names of what is not registered

	thrown []error // what came out of a task
	peeks  []Entry
	source []Entry

	built *[]*Args // what was assembled, for tests; nil if nobody asks

	steps  int
	killed atomic.Bool
	hung   chan struct{} // closed when the step limit is exceeded
}

// maxSteps bounds calls of user functions and signals; the longest vector needs a
// few thousand.
const maxSteps = 200_000

func newBuilder(second bool) *Builder {
	b := &Builder{second: second, hung: make(chan struct{})}
	b.Clock = reactortest.NewVirtualTime(reactortest.HandleErrors(func(_ context.Context, err error) {
		b.thrown = append(b.thrown, err)
	}))
	b.Ctx = reactor.WithHooks(context.Background(), reactor.Hooks{
		NextDropped: func(_ context.Context, v any) {
			b.peek(Entry{Op: "dropped", Text: "next", Value: "v=" + Text(v)})
		},
		ErrorDropped: func(_ context.Context, err error) {
			b.peek(Entry{Op: "dropped", Text: "error", Value: "e=" + Kind(err)})
		},
	})
	return b
}

// Try reports whether the operator shall be built in the form whose functions
// return errors. An operator that has no such form does not ask.
func (b *Builder) Try() bool { return b.second }

// OnConnect sets what run.connectAt calls.
func (b *Builder) OnConnect(fn func() reactor.Disposable) { b.connect = fn }

// Millis returns the virtual time.
func (b *Builder) Millis() int64 { return b.Clock.Now().UnixMilli() }

// parked is what runs wait for that don't end: nobody sends. Everybody could, so the
// runtime does not take them for forgotten (internal/testkit/leak).
var parked = make(chan struct{})

// step is called wherever the program passes through the interpreter. A run that
// doesn't end is parked here for good, so that it does no harm but to itself.
func (b *Builder) step() {
	b.steps++
	if b.steps == maxSteps {
		close(b.hung)
	}
	if b.steps >= maxSteps || b.killed.Load() {
		<-parked
	}
}

func (b *Builder) peek(e Entry) {
	b.step()
	e.T = b.Millis()
	b.peeks = append(b.peeks, e)
}

// notRegistered unwinds the assembly; the name goes into the reason of the failure
// even if an operator makes an error of it.
func (b *Builder) notRegistered(what string) {
	b.missing = append(b.missing, what)
	panic(Boom("interpreter: " + what + " does not exist yet"))
}

// program reads a program.
func (b *Builder) program(raw json.RawMessage, in scope) *Program {
	var p struct {
		Src node   `json:"src"`
		Ops []node `json:"ops"`
	}
	if err := json.Unmarshal(raw, &p); err != nil || p.Src == nil {
		panic(fmt.Sprintf("vectors: %.80s is no program: %v", raw, err))
	}
	return &Program{b: b, src: p.Src, ops: p.Ops, in: in}
}

// Build assembles the program.
func (p *Program) Build() Publisher {
	return p.b.apply(p.source(), p.ops, p.in)
}

func (p *Program) source() Publisher {
	name := nameOf(p.src, "op")
	src, ok := sources[name]
	if !ok {
		p.b.notRegistered("source " + name)
	}
	return src(p.b, p.b.args(name, p.src, p.in))
}

func (b *Builder) apply(pub Publisher, ops []node, in scope) Publisher {
	for _, op := range ops {
		pub = b.operator(pub, op, in)
	}
	return pub
}

func (b *Builder) operator(pub Publisher, op node, in scope) Publisher {
	name := nameOf(op, "op")
	a := b.args(name, op, in)
	switch p := pub.(type) {
	case flux.Flux[Value]:
		if fn, ok := fluxOps[name]; ok {
			return fn(b, p, a)
		}
		b.notRegistered("flux operator " + name)
	case mono.Mono[Value]:
		if fn, ok := monoOps[name]; ok {
			return fn(b, p, a)
		}
		b.notRegistered("mono operator " + name)
	}
	panic(fmt.Sprintf("vectors: what stands before %s is a %T, neither Flux nor Mono", name, pub))
}

func (b *Builder) args(name string, n node, in scope) *Args {
	a := &Args{b: b, name: name, node: n, in: in}
	if b.built != nil {
		a.used = map[string]bool{}
		*b.built = append(*b.built, a)
	}
	return a
}

func nameOf(n node, field string) string {
	var name string
	if err := json.Unmarshal(n[field], &name); err != nil {
		panic(fmt.Sprintf("vectors: a source, operator or sink without a name: %v", n))
	}
	return name
}

// AsFlux returns any program as a Flux.
func AsFlux(p Publisher) flux.Flux[Value] {
	if f, ok := p.(flux.Flux[Value]); ok {
		return f
	}
	return flux.From(p)
}

// AsMono returns a Mono as it is and of a Flux its Next.
func (b *Builder) AsMono(p Publisher) mono.Mono[Value] {
	if f, ok := p.(flux.Flux[Value]); ok {
		next, ok := fluxOps["next"]
		if !ok {
			b.notRegistered("flux operator next")
		}
		p = next(b, f, &Args{b: b, name: "next"})
	}
	return p.(mono.Mono[Value])
}
