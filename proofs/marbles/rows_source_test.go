package marbles

import (
	"context"
	"slices"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

// from is the row of a source.
func from[R any, P reactor.Publisher[R]](op func(s *sources) P) row {
	return func(s *sources) reactor.Publisher[any] { return boxed[R](op(s)) }
}

// channel returns a closed channel with these elements in it.
func channel[T any](all ...T) <-chan T {
	ch := make(chan T, len(all))
	for _, v := range all {
		ch <- v
	}
	close(ch)
	return ch
}

// resource is what a stream uses; it is to be closed once, in the end.
type resource struct {
	s      *sources
	closed []int
}

func (s *sources) open(context.Context) (*resource, error) {
	r := &resource{s: s}
	s.check = append(s.check, func() { assert.Len(s.t, r.closed, 1, "the resource was closed so often") })
	return r, nil
}

func (r *resource) Close() error {
	r.closed = append(r.closed, r.s.now())
	return nil
}

func (r *resource) lines() texts             { return flux.From(r.s.texts("lines")) }
func (r *resource) first() mono.Mono[string] { return mono.From(r.s.texts("m")) }

// use returns what becomes of the element of the line called resource.
func (s *sources) use(r string) texts                { return flux.From(s.texts("use(" + r + ")")) }
func (s *sources) useOne(r string) mono.Mono[string] { return mono.From(s.texts("use(" + r + ")")) }

// cleanup is called once, when the resource is done with.
func (s *sources) cleanup() func(string) mono.Mono[struct{}] {
	called := 0
	s.check = append(s.check, func() { assert.Equal(s.t, 1, called, "calls of cleanup") })
	return func(string) mono.Mono[struct{}] { called++; return mono.Empty[struct{}]() }
}

// never is what is not to be called.
func (s *sources) never(string) mono.Mono[struct{}] {
	assert.Fail(s.t, "the stream has neither failed nor been cancelled")
	return mono.Empty[struct{}]()
}

func (s *sources) neverFail(r string, _ error) mono.Mono[struct{}] { return s.never(r) }

// feed sends letters at their columns.
func (s *sources) feed(next func(string), at map[int]string) {
	for column, v := range at {
		s.at(column, func() { next(v) })
	}
}

// sourceRows are those of what begins a stream.
var sourceRows = map[string]row{
	"flux.FromSeq": from(func(*sources) texts { return flux.FromSeq(slices.Values([]string{"a", "b", "c"})) }),
	"flux.FromSeq2": from(func(*sources) texts {
		return flux.FromSeq2(func(yield func(string, error) bool) {
			_ = yield("a", nil) && yield("b", nil) && yield("", errMarble)
		})
	}),
	"flux.FromChan": from(func(*sources) texts { return flux.FromChan(channel("a", "b", "c")) }),
	"flux.Defer": from(func(*sources) texts {
		return flux.Defer(func(context.Context) texts { return flux.Just("a", "b") })
	}),
	"flux.Create": from(func(s *sources) texts {
		return flux.Create(func(k *flux.Sink[string]) { s.feed(k.Next, map[int]string{0: "a", 6: "b", 10: "c"}) })
	}),
	"flux.Push": from(func(s *sources) texts {
		return flux.Push(func(k *flux.Sink[string]) {
			s.feed(k.Next, map[int]string{0: "a", 6: "b", 10: "c"})
			s.at(12, k.Complete)
		})
	}),
	"flux.Using":       from(func(s *sources) texts { return flux.Using(s.open, (*resource).lines, (*resource).Close) }),
	"flux.UsingCloser": from(func(s *sources) texts { return flux.UsingCloser(s.open, (*resource).lines) }),
	"flux.UsingWhen":   from(func(s *sources) texts { return flux.UsingWhen(s.texts("resource"), s.use, s.cleanup()) }),
	"flux.UsingWhenOutcome": from(func(s *sources) texts {
		return flux.UsingWhenOutcome(s.texts("resource"), s.use, s.cleanup(), s.neverFail, s.never)
	}),
	"flux.Generate": from(func(*sources) ints {
		return flux.Generate(func() int { return 1 }, func(n int, s *flux.SyncSink[int]) int { s.Next(n); return 2 * n }).Take(6)
	}),
	"flux.GenerateStateless": from(func(*sources) ints {
		return flux.GenerateStateless(func(s *flux.SyncSink[int]) { s.Next(4) }).Take(6)
	}),

	"operators.Empty":          from(func(*sources) ints { return flux.Empty[int]() }),
	"operators.Error":          from(func(*sources) ints { return flux.Error[int](errMarble) }),
	"operators.ErrorOnRequest": from(func(*sources) ints { return flux.ErrorOnRequest[int](errMarble) }),
	"operators.JustAll":        from(func(*sources) texts { return flux.Just("a", "b", "c") }),
	"operators.Just":           from(func(*sources) one { return mono.Just(7) }),
	"operators.Never":          from(func(*sources) ints { return flux.Never[int]() }),

	"mono.Just":      from(func(*sources) one { return mono.Just(7) }),
	"mono.ErrorFrom": from(func(*sources) one { return mono.ErrorFrom[int](func() error { return errMarble }) }),
	"mono.Defer": from(func(s *sources) mono.Mono[string] {
		return mono.Defer(func(context.Context) mono.Mono[string] { return mono.From(s.texts("m")) })
	}),
	"mono.Create": from(func(s *sources) mono.Mono[string] {
		return mono.Create(func(k *mono.Sink[string]) { s.at(4, func() { k.Success("a") }) })
	}),
	"mono.Using":       from(func(s *sources) mono.Mono[string] { return mono.Using(s.open, (*resource).first, (*resource).Close) }),
	"mono.UsingCloser": from(func(s *sources) mono.Mono[string] { return mono.UsingCloser(s.open, (*resource).first) }),
	"mono.UsingWhen": from(func(s *sources) mono.Mono[string] {
		return mono.UsingWhen(s.texts("resource"), s.useOne, s.cleanup())
	}),
	"mono.UsingWhenOutcome": from(func(s *sources) mono.Mono[string] {
		return mono.UsingWhenOutcome(s.texts("resource"), s.useOne, s.cleanup(), s.neverFail, s.never)
	}),
	"mono.FromFunc": from(func(*sources) mono.Mono[string] {
		return mono.FromFunc(func(context.Context) (string, error) { return "user", nil })
	}),
	"mono.FromCallable": from(func(*sources) mono.Mono[string] {
		return mono.FromCallable(func() (string, error) { return `"hal"`, nil })
	}),
	"mono.FromSupplier": from(func(*sources) mono.Mono[string] { return mono.FromSupplier(func() string { return "12:00" }) }),
	"mono.FromOptional": from(func(*sources) one {
		return mono.FromOptional(func() (int, bool, error) { return 0, false, nil })
	}),
	"mono.FromRunnable": from(func(*sources) mono.Mono[struct{}] {
		return mono.FromRunnable[struct{}](func() error { return nil })
	}),
	"mono.FromChan": from(func(*sources) mono.Mono[string] { return mono.FromChan(channel("a")) }),
	"mono.From":     from(func(s *sources) one { return mono.From(s.ints("p")) }),
	"mono.FromFuture": from(func(s *sources) mono.Mono[string] {
		return mono.FromFuture(mono.Create(func(k *mono.Sink[string]) { s.at(4, func() { k.Success("a") }) }).ToFuture(s.t.Context()))
	}),
	"mono.IgnoreElements": from(func(s *sources) one { return mono.IgnoreElements(s.ints("p")) }),
}
