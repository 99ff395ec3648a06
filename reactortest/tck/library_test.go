package tck

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/proofs/roster"
)

var errBoom = errors.New("boom")

func failing() reactor.Publisher[int] { return flux.Error[int](errBoom) }

type (
	fluxOf = flux.Flux[int]
	monoOf = mono.Mono[int]
)

// row is a public source or operator of the library under test.
type row struct {
	name string
	run  func(t *testing.T, rows *rows)
}

// rows counts what a run over rows has come to.
type rows struct {
	checks, skips atomic.Int64
	mu            sync.Mutex
	reasons       map[string]int // of skips; guarded by mu
}

func (r *rows) verify(t *testing.T, checks []*check) {
	t.Helper()
	c := newConfig("a test", []Option{InBubbles(), Rounds(10)})
	for _, ch := range checks {
		res := execute(t, c, ch)
		r.checks.Add(1)
		if res.failed != "" {
			t.Errorf("%s: %s", ch.name, res)
		}
		if res.skip != "" {
			r.skips.Add(1)
			t.Logf("skipped %s: %s", ch.name, res.skip)
			r.mu.Lock()
			r.reasons[res.skip]++
			r.mu.Unlock()
		}
	}
}

// trait is what is special about a row.
type trait func(*traits)

type traits struct {
	failed    bool // it fails with its source
	processor bool // it passes on what it gets
	max, min  int64
}

// keepsFailures: it does not fail at once with its source.
func keepsFailures(c *traits) { c.failed, c.processor = false, false }

// notAsProcessor: it can't be driven as a processor, by hand and one signal at a time.
func notAsProcessor(c *traits) { c.processor = false }

// atMost: it has no more elements than that.
func atMost(n int64) trait { return func(c *traits) { c.max = n } }

// atLeast: it always has that many elements.
func atLeast(n int64) trait { return func(c *traits) { c.min = n } }

// some is for what keeps all its elements until the end, or delays each.
var some = atMost(1000)

func newTraits(list []trait) traits {
	c := traits{failed: true, processor: true}
	for _, t := range list {
		t(&c)
	}
	return c
}

// source is the row of a source: create returns one of n elements.
func source[T any, P reactor.Publisher[T]](name string, create func(n int) P, list ...trait) row {
	c := newTraits(list)
	return row{name, func(t *testing.T, rows *rows) {
		rows.verify(t, publisherChecks(Publisher[T]{
			Max: c.max, Min: c.min,
			Create: func(n int64) reactor.Publisher[T] { return create(int(n)) },
			Failed: func() reactor.Publisher[T] { return flux.Error[T](errBoom) },
		}))
	}}
}

// through is the row of an operator that emits as many elements as it gets. One that emits the
// elements that it gets is run as a processor, too.
func through[T any, P reactor.Publisher[T]](name string, op func(fluxOf) P, list ...trait) row {
	c := newTraits(list)
	return row{name, func(t *testing.T, rows *rows) {
		p := Publisher[T]{
			Max: c.max, Min: c.min,
			Create: func(n int64) reactor.Publisher[T] { return op(flux.Range(1, int(n))) },
		}
		if c.failed {
			p.Failed = func() reactor.Publisher[T] { return op(flux.Error[int](errBoom)) }
		}
		rows.verify(t, publisherChecks(p))
		if same, ok := any(op).(func(fluxOf) fluxOf); ok && c.processor {
			all := processorChecks(Processor[int]{
				Subscribers: 1, Element: number,
				Create: func(int) reactor.Processor[int, int] { return newPipe(same) },
			})
			rows.verify(t, all[len(publisherChecks(p)):]) // as a publisher it was run above
		}
	}}
}

// single is the row of an operator of a Mono.
func single[T any, P reactor.Publisher[T]](name string, op func(monoOf) P, list ...trait) row {
	c := newTraits(list)
	return row{name, func(t *testing.T, rows *rows) {
		p := Publisher[T]{
			Max: 1, Min: c.min,
			Create: func(n int64) reactor.Publisher[T] {
				if n == 0 {
					return op(mono.Empty[int]())
				}
				return op(mono.FromCallable(func() (int, error) { return 7, nil }))
			},
		}
		if c.failed {
			p.Failed = func() reactor.Publisher[T] { return op(mono.Error[int](errBoom)) }
		}
		rows.verify(t, publisherChecks(p))
	}}
}

// pipe makes a processor of an operator: what it gets goes in, what comes out it sends.
type pipe struct {
	op func(fluxOf) fluxOf

	mu   sync.Mutex
	up   reactor.Subscription    // that came before there was a subscriber; guarded by mu
	down reactor.Subscriber[int] // the operator's; guarded by mu
}

func newPipe(op func(fluxOf) fluxOf) *pipe { return &pipe{op: op} }

func (p *pipe) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	p.op(flux.From(reactor.Publisher[int](mouth{p}))).Subscribe(ctx, s)
}

// mouth is the publisher behind the operator of a pipe.
type mouth struct{ *pipe }

func (m mouth) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	m.mu.Lock()
	m.down = s
	up := m.up
	m.mu.Unlock()
	if up != nil {
		s.OnSubscribe(up)
	}
}

func (p *pipe) subscriber() reactor.Subscriber[int] {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.down
}

func (p *pipe) OnSubscribe(up reactor.Subscription) {
	p.mu.Lock()
	down := p.down
	if down == nil {
		p.up = up
	}
	p.mu.Unlock()
	if down != nil {
		down.OnSubscribe(up)
	}
}

func (p *pipe) OnNext(v int)      { p.subscriber().OnNext(v) }
func (p *pipe) OnError(err error) { p.subscriber().OnError(err) }
func (p *pipe) OnComplete()       { p.subscriber().OnComplete() }

// rosterRows are the operators that need no row here: their row in the roster says that they emit what they get.
func rosterRows() (list []row) {
	for _, stage := range roster.Stages[int]() {
		if stage.Calling == nil || !stage.Whole {
			continue
		}
		list = append(list, through("roster: "+stage.Name, func(f fluxOf) fluxOf {
			return flux.From(stage.Calling(func() {}, f.Source()).(reactor.Publisher[int]))
		}))
	}
	return list
}

// TestLibrary runs the kit over the public sources and operators of this library. A new one is covered by its
// row in the roster if that is one of calling and whole, or else by a line in library_rows_test.go or
// library_variants_test.go; proofs/archtest knows if one is missing.
func TestLibrary(t *testing.T) {
	counts := &rows{reasons: map[string]int{}}
	names := map[string]bool{}
	all := slices.Concat(libraryRows, variantRows, rosterRows())
	for _, row := range all {
		assert.False(t, names[row.name], "two rows are called %s", row.name)
		names[row.name] = true
		t.Run(row.name, func(t *testing.T) { row.run(t, counts) })
	}
	t.Logf("%d rows, %d checks, %d skipped", len(all), counts.checks.Load(), counts.skips.Load())
	for reason, n := range counts.reasons {
		t.Logf("%5d × %s", n, reason)
	}
}

// The subscribers of the library.
func TestLibrarySubscribers(t *testing.T) {
	VerifySubscriberBlackbox(t, Blackbox[int]{
		Create: func() reactor.Subscriber[int] {
			return operators.NewSubscriber(t.Context(), operators.SubscriberHooks[int]{})
		},
		Element: number,
		Cancel:  func(s reactor.Subscriber[int]) { s.(*operators.BaseSubscriber[int]).Cancel() },
	}, InBubbles())
}
