package vectors_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
	"github.com/goreactor/reactor/sinks"
)

// broken is a listener that fails in one of its functions.
func (in *input) broken(where string) func(context.Context) *operators.SignalListener[int] {
	at := func(line string) func() {
		return func() {
			in.note(line)
			if line == where {
				panic(errBoom)
			}
		}
	}
	return func(context.Context) *operators.SignalListener[int] {
		return &operators.SignalListener[int]{
			First: at("first"), Subscription: at("sub"), Cancel: at("c"), Complete: at("completes"), AfterComplete: at("completed"),
			Request: func(int64) { at("req")() }, Next: func(int) { at("see")() },
			Error: func(error) { at("fails")() }, AfterError: func(error) { at("failed")() },
			Finally: func(reactor.SignalKind) { at("finally")() },
			Failed:  func(err error) { in.note("listener ", err) },
		}
	}
}

func (in *input) tapped(where string) run { return of(in.src().Take(2).Tap(in.broken(where))) }
func (in *input) tappedError(where string) run {
	return of(in.watch(flux.Error[int](errOther)).Tap(in.broken(where)))
}
func (in *input) tappedCancel(where string) run { return of(in.src().Tap(in.broken(where)).Take(1)) }

var listeners = []single{
	{name: "tap, first panics", want: "first listener boom error boom", here: "first error boom", why: "the failure is the error of the stream, and the listener hears of that as of any other", make: func(in *input) run { return in.tapped("first") }},
	{name: "tap, sub panics", want: "first sub cancel listener boom error boom", here: "first sub cancel error boom finally", why: "the failure is the error of the stream, and Finally is called", make: func(in *input) run { return in.tapped("sub") }},
	{name: "tap, req panics", want: "first sub req cancel listener boom error boom", here: "first sub req listener boom see 1 see 2 cancel completes done completed finally", why: "as with DoOnRequest the failure is reported and the stream goes on", make: func(in *input) run { return in.tapped("req") }},
	{name: "tap, see panics", want: "first sub req see cancel listener boom error boom", here: "first sub req see cancel fails error boom failed finally", why: "the failure is the error of the stream, and the listener hears of that as of any other", make: func(in *input) run { return in.tapped("see") }},
	{name: "tap, completes panics", want: "first sub req see 1 see 2 cancel completes listener boom error boom", here: "first sub req see 1 see 2 cancel completes fails error boom failed finally", why: "the failure is the error of the stream, and the listener hears of that as of any other", make: func(in *input) run { return in.tapped("completes") }},
	{name: "tap, completed panics", want: "first sub req see 1 see 2 cancel completes done completed listener boom dropped boom", here: "first sub req see 1 see 2 cancel completes done completed listener boom finally", why: "the failure is reported once, and Finally is called", make: func(in *input) run { return in.tapped("completed") }},
	{name: "tap, finally panics", want: "first sub req see 1 see 2 cancel completes done completed finally listener boom dropped boom", here: "first sub req see 1 see 2 cancel completes done completed finally listener boom", why: "the failure is reported once, and Finally is called", make: func(in *input) run { return in.tapped("finally") }},
	{name: "tap of an error, fails panics", want: "first sub req fails listener boom error composite:boom,other", here: "first sub req fails error boom failed finally", why: "the failure is the error of the stream, and the listener hears of that as of any other", make: func(in *input) run { return in.tappedError("fails") }},
	{name: "tap of an error, failed panics", want: "first sub req fails error other failed listener boom dropped boom", here: "first sub req fails error other failed listener boom finally", why: "the failure is reported once, and Finally is called", make: func(in *input) run { return in.tappedError("failed") }},
	{name: "tap of an error, finally panics", want: "first sub req fails error other failed finally listener boom dropped boom", here: "first sub req fails error other failed finally listener boom", why: "the failure is reported once, and Finally is called", make: func(in *input) run { return in.tappedError("finally") }},
	{name: "tap of a cancellation, c panics", want: "first sub req see 1 c cancel listener boom dropped boom done", here: "first sub req see 1 c listener boom cancel finally done", why: "the failure is reported once, and Finally is called", make: func(in *input) run { return in.tappedCancel("c") }},
	{name: "tap of a cancellation, finally panics", want: "first sub req see 1 c cancel finally listener boom dropped boom done", here: "first sub req see 1 c cancel finally listener boom done", why: "the failure is reported once, and Finally is called", make: func(in *input) run { return in.tappedCancel("finally") }},
}

type sink = *flux.Sink[int]

func creating(produce func(in *input, s sink)) func(in *input) run {
	return func(in *input) run { return of(flux.Create(func(s sink) { produce(in, s) })) }
}

func creatingOne(produce func(in *input, s *mono.Sink[int])) func(in *input) run {
	return func(in *input) run {
		return of(mono.Create(func(s *mono.Sink[int]) {
			in.marked(s)
			produce(in, s)
		}))
	}
}

var sinksOfCreate = []single{
	{name: "create, OnDispose panics", want: "1 done", here: "1 done dropped boom", why: "nothing is lost silently", make: creating(func(_ *input, s sink) { s.OnDispose(fails); s.Next(1); s.Complete() })},
	{name: "create, OnCancel panics", want: "1 open", here: "1 dropped boom disposed done", why: "the stream ends all the same, and what is to be disposed of is", make: func(in *input) run {
		return of(flux.Create(func(s sink) {
			s.OnCancel(fails)
			s.OnDispose(in.noting("disposed"))
			s.Next(1)
			s.Next(2)
		}).Take(1))
	}},
	{name: "create, OnRequest panics", want: "error boom disposed", here: "error boom disposed late 1", why: "the failure ends the stream, not the producer", make: creating(func(in *input, s sink) { in.marked(s); s.OnRequest(failsOf[int64]); s.Next(1) })},
	{name: "create, OnDispose twice", want: "second 1 done first", here: "1 done first second", why: "several functions are called, in order", make: creating(func(in *input, s sink) {
		s.OnDispose(in.noting("first"))
		s.OnDispose(in.noting("second"))
		s.Next(1)
		s.Complete()
	})},
	{name: "create, OnCancel twice", want: "second 1 first done", here: "1 first second done", why: "several functions are called, in order", make: func(in *input) run {
		return of(flux.Create(func(s sink) {
			s.OnCancel(in.noting("first"))
			s.OnCancel(in.noting("second"))
			s.Next(1)
			s.Next(2)
		}).Take(1))
	}},
	{name: "create, after the end", want: "1 done late 2", here: "1 done late 2 dropped boom", why: "nothing is lost silently", make: creating(func(_ *input, s sink) {
		s.Next(1)
		s.Complete()
		s.Next(2)
		s.Error(errBoom)
		s.Complete()
	})},
	{name: "create, after an error", want: "1 error boom late 2", here: "1 error boom late 2 dropped other", why: "nothing is lost silently", make: creating(func(_ *input, s sink) {
		s.Next(1)
		s.Error(errBoom)
		s.Next(2)
		s.Error(errOther)
		s.Complete()
	})},
	{name: "create, panic after the end", want: "1 done", here: "1 done dropped boom", why: "nothing is lost silently", make: creating(func(_ *input, s sink) { s.Next(1); s.Complete(); fails() })},
	{name: "create, after a cancellation", want: "1 false 2 cancelled disposed done true true", here: "1 false 2 cancelled disposed done true true dropped boom", why: "nothing is lost silently", make: func(in *input) run {
		return of(flux.Create(func(s sink) {
			in.marked(s)
			for i := range 3 {
				s.Next(i + 1)
				in.note(s.IsCancelled())
			}
			s.Error(errBoom)
		}).Take(2))
	}},
	{name: "create, marks set after a cancellation", want: "1 done cancelled disposed", make: func(in *input) run {
		return of(flux.Create(func(s sink) { s.Next(1); s.Next(2); in.marked(s) }).Take(1))
	}},
	{name: "create, demand", demand: 3, want: "3 1 2 req 2 done", make: creating(func(in *input, s sink) {
		in.note(s.Requested())
		s.Next(1)
		in.note(s.Requested())
		s.OnRequest(func(n int64) { in.note("req ", n) })
		s.Complete()
	})},
	{name: "mono create, on request", want: "req 1 done disposed", make: creatingOne(func(in *input, s *mono.Sink[int]) {
		s.OnRequest(func() { in.note("req"); s.Success(1) })
	})},
	{name: "mono create, empty", want: "done disposed late 2", make: creatingOne(func(_ *input, s *mono.Sink[int]) { s.Complete(); s.Success(2) })},
	{name: "mono create, error", want: "error boom disposed late 2", here: "error boom disposed dropped other late 2", why: "nothing is lost silently", make: creatingOne(func(_ *input, s *mono.Sink[int]) {
		s.Error(errBoom)
		s.Error(errOther)
		s.Success(2)
	})},
	{name: "mono create, panic", want: "error boom disposed", make: creatingOne(func(*input, *mono.Sink[int]) { fails() })},
	{name: "mono create, two", want: "1 done late 2", make: func(*input) run {
		return of(mono.Create(func(s *mono.Sink[int]) { s.Success(1); s.Success(2) }))
	}},
}

// nest emits the next number from within the delivery of the one before.
func (in *input) nest(s *sinks.ManySink[int]) func(v int) {
	return func(v int) {
		in.note("in", v)
		if v < 3 {
			if r := s.TryEmitNext(v + 1); r != sinks.OK {
				in.note(r)
			}
		} else {
			s.TryEmitComplete()
		}
		in.note("out", v)
	}
}

// nesting begins with an element that waits.
func nesting(newSink func() *sinks.ManySink[int]) func(in *input) run {
	return func(in *input) run {
		s := newSink()
		s.TryEmitNext(1)
		return of(flux.From[int](s).DoOnNext(in.nest(s)))
	}
}

// nestingDirect begins when the subscriber is there.
func nestingDirect(newSink func() *sinks.ManySink[int]) func(in *input) run {
	return func(in *input) run {
		s := newSink()
		return of(flux.From[int](s).DoOnNext(in.nest(s)).MergeWith(mono.FromRunnable[int](func() error {
			in.note(s.TryEmitNext(1))
			return nil
		})))
	}
}

// feeding makes a stage feed its own source, up to 30.
func feeding(stage func(f flux.Flux[int]) flux.Flux[int]) func(in *input) run {
	return func(*input) run {
		s := buffered()
		s.TryEmitNext(1)
		return of(stage(flux.From[int](s)).DoOnNext(func(v int) {
			switch {
			case 0 < v && v < 3:
				s.TryEmitNext(v + 1)
			case v == 30:
				s.TryEmitComplete()
			}
		}))
	}
}

func buffered() *sinks.ManySink[int] { return sinks.Many().Unicast().OnBackpressureBuffer[int]() }
func multicast() *sinks.ManySink[int] {
	return sinks.Many().Multicast().OnBackpressureBuffer[int]()
}
func twofold(v int) flux.Flux[int] { return flux.Just(v, 10*v) }

func creatingNested(in *input) run {
	var s sink
	return of(flux.Create(func(mine sink) { s = mine; s.Next(1) }).DoOnNext(func(v int) {
		in.note("in", v)
		if v < 3 {
			s.Next(v + 1)
		} else {
			s.Complete()
		}
		in.note("out", v)
	}))
}

var nestedEmissions = []single{
	{name: "nested, multicast", want: "in1 out1 1 in2 out2 2 in3 out3 3 done", make: nesting(multicast)},
	{name: "nested, replay", want: "in1 out1 1 in2 out2 2 in3 out3 3 done", make: nesting(func() *sinks.ManySink[int] { return sinks.Many().Replay().All[int]() })},
	{name: "nested, best effort", want: "in1 in2 in3 out3 late 3 out2 late 2 out1 late 1 OK done", here: "in1 out1 1 in2 out2 2 in3 out3 3 OK done", why: "an element that is emitted during the delivery of another comes after it", make: nestingDirect(func() *sinks.ManySink[int] { return sinks.Many().Multicast().DirectBestEffort[int]() })},
	{name: "nested, all or nothing", want: "in1 in2 in3 out3 late 3 out2 late 2 out1 late 1 OK done", here: "in1 out1 1 in2 out2 2 in3 out3 3 OK done", why: "an element that is emitted during the delivery of another comes after it", make: nestingDirect(func() *sinks.ManySink[int] { return sinks.Many().Multicast().DirectAllOrNothing[int]() })},
	{name: "nested, unicast error", want: "in1 in2 in3 out3 late 3 out2 late 2 out1 late 1 OK done", here: "in1 out1 1 in2 out2 2 in3 out3 3 OK done", why: "an element that is emitted during the delivery of another comes after it", make: nestingDirect(func() *sinks.ManySink[int] { return sinks.Many().Unicast().OnBackpressureError[int]() })},
	{name: "nested, unicast, one requested", demand: 1, want: "in1 out1 1 open", make: nesting(buffered)},
	{name: "nested, multicast, one requested", demand: 1, want: "in1 out1 1 open", make: nesting(multicast)},
	{name: "nested, an error", want: "1 2 error boom", make: func(*input) run {
		s := buffered()
		s.TryEmitNext(1)
		return of(flux.From[int](s).DoOnNext(func(v int) {
			if v == 1 {
				s.TryEmitNext(2)
				s.TryEmitError(errBoom)
			}
		}))
	}},
	{name: "nested, a panic behind it", want: "error boom", make: func(*input) run {
		s := buffered()
		s.TryEmitNext(1)
		return of(flux.From[int](s).Map(func(v int) int {
			s.TryEmitNext(2)
			if v == 1 {
				fails()
			}
			return v
		}))
	}},
	{name: "nested, create", want: "in1 out1 1 in2 out2 2 in3 out3 3 done", make: creatingNested},
	{name: "nested, create, one requested", demand: 1, want: "in1 out1 1 open", make: creatingNested},
	{name: "nested, flatMap", want: "1 10 2 20 3 30 done", make: feeding(func(f flux.Flux[int]) flux.Flux[int] { return f.FlatMap(twofold) })},
	{name: "nested, concatMap", want: "1 10 2 20 3 30 done", make: feeding(func(f flux.Flux[int]) flux.Flux[int] { return f.ConcatMap(twofold, flux.Prefetch(32)) })},
	{name: "nested, switchMap", want: "1 10 2 20 3 30 done", make: feeding(func(f flux.Flux[int]) flux.Flux[int] { return f.SwitchMap(twofold) })},
	{name: "nested, publish", want: "1 -1 2 -2 3 -3 done", make: func(*input) run {
		s := buffered()
		s.TryEmitNext(1)
		return of(flux.From[int](s).PublishSelector(func(f flux.Flux[int]) flux.Flux[int] {
			return f.MergeWith(f.Map(func(v int) int { return -v }))
		}).DoOnNext(func(v int) {
			switch {
			case 0 < v && v < 3:
				s.TryEmitNext(v + 1)
			case v == 3:
				s.TryEmitComplete()
			}
		}))
	}},
}

// tests are those of FilterWhen for the second of three elements.
var tests = []struct {
	name string
	test func(in *input) reactor.Publisher[bool]
}{
	{"an error", func(*input) reactor.Publisher[bool] { return mono.Error[bool](errOther) }},
	{"a hidden error", func(*input) reactor.Publisher[bool] { return mono.Error[bool](errOther).Hide() }},
	{"a panic", func(*input) reactor.Publisher[bool] { panic(errOther) }},
	{"an error after true", func(*input) reactor.Publisher[bool] {
		return flux.Concat[bool](flux.Just(true), flux.Error[bool](errOther))
	}},
	{"an error after false", func(*input) reactor.Publisher[bool] {
		return flux.Concat[bool](flux.Just(false), flux.Error[bool](errOther))
	}},
	{"nothing", func(*input) reactor.Publisher[bool] { return mono.Empty[bool]() }},
	{"nothing, hidden", func(*input) reactor.Publisher[bool] { return mono.Empty[bool]().Hide() }},
	{"true and false", func(*input) reactor.Publisher[bool] { return flux.Just(true, false) }},
	{"false and true", func(*input) reactor.Publisher[bool] { return flux.Just(false, true) }},
	{"true and never", func(*input) reactor.Publisher[bool] { return flux.Concat[bool](flux.Just(true), flux.Never[bool]()) }},
	{"never", func(*input) reactor.Publisher[bool] { return flux.Never[bool]() }},
	{"a late error", func(in *input) reactor.Publisher[bool] { return in.delay(5).ThenMono(mono.Error[bool](errOther)) }},
	{"a late true", func(in *input) reactor.Publisher[bool] { return in.delay(5).ThenReturn(true) }},
}

// filtering is FilterWhen with a test for 2; the others are let pass.
func (in *input) filtering(f flux.Flux[int], test func(in *input) reactor.Publisher[bool]) flux.Flux[int] {
	return in.watch(f).FilterWhen(func(v int) reactor.Publisher[bool] {
		if v == 2 {
			return test(in)
		}
		return mono.Just(true).Hide()
	})
}

var tails = map[string]flux.Flux[int]{"it ends": flux.Empty[int](), "it goes on": flux.Never[int](), "it fails": flux.Error[int](errBoom)}

// filterWhens are the tests, each with a source that has ended meanwhile, that goes on, and
// that has failed.
func filterWhens() (all []single) {
	for _, c := range tests {
		add := func(name string, demand int64, program func(in *input) run) {
			row := filterWhenAnswers[name]
			row.name, row.demand, row.make = name, demand, program
			all = append(all, row)
		}
		for end, tail := range tails {
			add("filterWhen, "+c.name+", "+end, 0, func(in *input) run {
				return of(in.filtering(flux.Range(1, 3).ConcatWith(tail), c.test))
			})
		}
		add("filterWhen of a mono, "+c.name, 0, func(in *input) run {
			return of(mono.FromDirect[int](in.watch(flux.Just(2))).FilterWhen(func(int) reactor.Publisher[bool] { return c.test(in) }))
		})
		add("filterWhen, one requested, "+c.name, 1, func(in *input) run { return of(in.filtering(flux.Range(1, 3), c.test)) })
		add("filterWhen, under onErrorContinue, "+c.name, 0, func(in *input) run { return in.going(in.filtering(flux.Range(1, 3), c.test)) })
	}
	return all
}

func taking[T any](n int) func(c flux.Flux[T]) flux.Flux[T] {
	return func(c flux.Flux[T]) flux.Flux[T] { return c.Take(n) }
}

// rounds are companions that answer n ends; src has 1 and 2.
func rounds() (all []single) {
	type policy struct {
		name string
		make func(in *input, timed bool) run
		want [2]string // at once, timed
	}
	source := func(in *input, timed, failing bool) flux.Flux[int] {
		f := flux.Range(1, 2)
		if failing {
			f = f.ConcatWith(flux.Error[int](errBoom))
		}
		if timed {
			f = f.DelayElements(millis(2), in.on())
		}
		return in.watch(f)
	}
	policies := []policy{}
	for i, want := range [][4]string{
		{"1 2 1 2 done", "1 2 cancel done", "1 2 1 2 done", "1 cancel done"},
		{"1 2 1 2 1 2 done", "1 2 1 2 cancel done", "1 2 1 2 1 2 done", "1 1 cancel done"},
		{"1 2 1 2 1 2 1 2 done", "1 2 1 2 1 2 cancel done", "1 2 1 2 1 2 1 2 done", "1 1 1 cancel done"},
	} {
		n := i + 1
		policies = append(policies,
			policy{fmt.Sprint("repeatWhen, take ", n), func(in *input, timed bool) run {
				return of(source(in, timed, false).RepeatWhen(flux.RepeatFrom(taking[int64](n))))
			}, [2]string{want[0], want[1]}},
			policy{fmt.Sprint("retryWhen, take ", n), func(in *input, timed bool) run {
				return of(source(in, timed, true).RetryWhen(flux.RetryFrom(taking[operators.RetrySignal](n))))
			}, [2]string{want[2], want[3]}})
	}
	for _, p := range policies {
		all = append(all,
			single{name: p.name, make: func(in *input) run { return p.make(in, false) }, want: p.want[0]},
			single{name: p.name + ", timed", make: func(in *input) run { return p.make(in, true) }, want: p.want[1]})
	}
	return append(all,
		single{name: "repeatWhen, answers of its own", want: "1 2 1 2 1 2 done", make: func(in *input) run {
			return of(source(in, false, false).RepeatWhen(flux.RepeatFrom(func(flux.Flux[int64]) flux.Flux[int] { return flux.Range(0, 2) })))
		}},
		single{name: "retryWhen, answers of its own", want: "1 2 1 2 1 2 done", make: func(in *input) run {
			return of(source(in, false, true).RetryWhen(flux.RetryFrom(func(flux.Flux[operators.RetrySignal]) flux.Flux[int] { return flux.Range(0, 2) })))
		}},
		single{name: "repeatWhen, no answer", want: "done", make: func(in *input) run {
			return of(source(in, false, false).RepeatWhen(flux.RepeatFrom(func(flux.Flux[int64]) flux.Flux[int] { return flux.Empty[int]() })))
		}},
		single{name: "repeatWhenEmpty, take", want: "run run run done", make: func(in *input) run {
			return of(mono.Defer(func(context.Context) mono.Mono[int] {
				in.note("run")
				return mono.Empty[int]()
			}).RepeatWhenEmpty(mono.RepeatFrom(func(c reactor.Publisher[int64]) reactor.Publisher[int64] { return operators.Take(c, 2) })))
		}},
	)
}

func singles() []single {
	return slices.Concat(listeners, sinksOfCreate, nestedEmissions, filterWhens(), rounds(), deviating, asking)
}

// counting counts elements.
func counting(n *int) func(int) { return func(int) { *n++ } }

func (in *input) endless() flux.Flux[int] {
	return in.watch(flux.Never[int]().DoOnSubscribe(func(reactor.Subscription) { in.note("run") }))
}

// hasty cancels when it is subscribed.
type hasty struct{}

func (hasty) OnSubscribe(up reactor.Subscription) { up.Cancel() }
func (hasty) OnNext(int)                          {}
func (hasty) OnError(error)                       {}
func (hasty) OnComplete()                         {}

// patient asks for an element each 7 ms.
type patient[T any] struct{ in *input }

func (p patient[T]) OnSubscribe(up reactor.Subscription) {
	for i := range 8 {
		_, err := p.in.clock.ScheduleAfter(func(context.Context) { up.Request(1) }, millis(7*(i+1)))
		if err != nil {
			panic(err)
		}
	}
}
func (p patient[T]) OnNext(v T)        { p.in.note(v) }
func (p patient[T]) OnError(err error) { p.in.note("failed ", err) }
func (p patient[T]) OnComplete()       { p.in.note("ended") }

// slow asks for one element.
type slow struct {
	in *input
	up reactor.Subscription
}

func (s *slow) OnSubscribe(up reactor.Subscription) {
	s.up = up
	up.Request(1)
}
func (s *slow) OnNext(v int)  { s.in.note("slow ", v) }
func (s *slow) OnError(error) {}
func (s *slow) OnComplete()   {}

var deviating = []single{
	{name: "sample, no demand at the end", demand: -1, want: "5 done", here: "open", why: "the element waits for demand", make: func(in *input) run { return of(in.timed().Sample(in.interval(50))) }},
	{name: "sequenceEqual, one has ended", want: "open", here: "false done", why: "it is decided as soon as it can be", make: func(*input) run {
		return of(mono.SequenceEqual[int](flux.Range(1, 2), flux.Range(1, 3).ConcatWith(flux.Never[int]())))
	}},
	{name: "sequenceEqual, more than the prefetch", want: "open", here: "false done", why: "it is decided as soon as it can be", make: func(*input) run {
		return of(mono.SequenceEqual[int](flux.Range(1, 2), flux.Range(1, 9), mono.Prefetch(2)))
	}},
	{name: "sequenceEqual", want: "true done", make: func(*input) run { return of(mono.SequenceEqual[int](flux.Range(1, 2), flux.Range(1, 2))) }},
	{name: "combineLatest, prefetch 1", want: "5 6 7 8 done", make: func(*input) run {
		return of(flux.CombineLatest[int, int](flux.Range(1, 4).Hide(), flux.Range(1, 4).Hide(), add, flux.Prefetch(1)))
	}},
	{name: "combineLatest, prefetch 1, one requested", demand: 1, want: "5 open", make: func(*input) run {
		return of(flux.CombineLatest[int, int](flux.Range(1, 4).Hide(), flux.Range(1, 4).Hide(), add, flux.Prefetch(1)))
	}},
	{name: "combineLatest, prefetch 1, late demand", demand: -1, want: "open", here: "0:0 1:0 1:1 2:1 2:2 ended open", why: "it goes on", make: func(in *input) run {
		few := func(ms int) flux.Flux[int64] { return in.interval(ms).Take(3).OnBackpressureBuffer() }
		flux.CombineLatest[int64, int64](few(1), few(2), func(a, b int64) string { return text(a) + ":" + text(b) }, flux.Prefetch(1)).
			Subscribe(context.Background(), patient[string]{in})
		return of(flux.Never[int]())
	}},
	{name: "concatMap, prefetch 1, late demand", demand: -1, want: "0 0 1 10 2 20 ended open", make: func(in *input) run {
		in.interval(1).Take(3).OnBackpressureBuffer().ConcatMap(func(v int64) flux.Flux[int64] { return flux.Just(v, 10*v).Hide() }, flux.Prefetch(1)).
			Subscribe(context.Background(), patient[int64]{in})
		return of(flux.Never[int]())
	}},
	{name: "bufferUntilChanged, one requested", demand: 1, want: "[1 1] open", make: func(in *input) run {
		return of(in.watch(flux.Just(1, 1, 2, 2, 2, 3)).BufferUntilChanged(same))
	}},
	{name: "bufferUntilChanged, one at a time", want: "open", here: "[1 1] [2 2 2] [3] done", why: "it goes on", make: func(in *input) run {
		return of(in.watch(flux.Just(1, 1, 2, 2, 2, 3)).BufferUntilChanged(same).LimitRate(1))
	}},
	{name: "replay, the slowest leaves", demand: -1, want: "1 slow 1 2 leaves open", here: "1 slow 1 2 leaves 3 4 5 6 7 8 9 ended open", why: "it goes on", make: func(in *input) run {
		r := in.watch(flux.Range(1, 9)).Replay(flux.History(2))
		flux.From[int](r).SubscribeFunc(context.Background(), func(v int) { in.note(v) }, flux.OnError(func(error) {}), flux.OnComplete(in.noting("ended")))
		s := &slow{in: in}
		r.Subscribe(context.Background(), s)
		r.Connect(context.Background())
		in.note("leaves")
		s.up.Cancel()
		return of(flux.Never[int]())
	}},
	{name: "takeUntilOther, the other fails", want: "1 2 error other late 3 late 4 late 5", here: "1 2 cancel error other", why: "the source is cancelled", make: func(in *input) run {
		return of(in.timed().TakeUntilOther(in.delay(5).ThenMono(mono.Error[int](errOther))))
	}},
	{name: "sampleFirst, no demand", demand: 1, want: "1 3 5 done", here: "1 done", why: "nothing is emitted without demand", make: func(in *input) run { return of(in.timed().SampleFirstFor(millis(3), in.on())) }},
	{name: "sampleFirst", want: "1 3 5 done", make: func(in *input) run { return of(in.timed().SampleFirstFor(millis(3), in.on())) }},
	{name: "replay with a lifetime, publishOn", want: "1 2 open", here: "1 2 3 open", why: "an element that was handed over is delivered", make: func(in *input) run {
		return of(in.aging().PublishOn(in.clock).ConcatMap(in.slowly(4), flux.Prefetch(1)))
	}},
	{name: "replay with a lifetime, concatMap", want: "1 2 open", here: "1 2 3 open", why: "an element that was handed over is delivered", make: func(in *input) run {
		return of(in.aging().ConcatMap(in.slowly(4), flux.Prefetch(32)))
	}},
	{name: "replay with a lifetime, zip", want: "1 2 open", here: "1 2 3 open", why: "an element that was handed over is delivered", make: func(in *input) run {
		return of(in.aging().ZipWith(in.interval(4), func(a int, _ int64) int { return a }))
	}},
	{name: "replay with a lifetime, nothing", want: "1 2 3 open", make: func(in *input) run { return of(in.aging()) }},
	{name: "onBackpressureBuffer, publishOn", demand: 1, want: "1 cancel over 4 open", here: "1 cancel over 6 open", why: "a stage that asks ahead has a queue of its own", make: func(in *input) run {
		return of(in.bounded().PublishOn(schedulers.Immediate(), flux.Prefetch(3)))
	}},
	{name: "onBackpressureBuffer, concatMap", demand: 1, want: "1 cancel over 5 error overflow", here: "1 cancel over 6 open", why: "a stage that asks ahead has a queue of its own", make: func(in *input) run {
		return of(in.bounded().ConcatMap(hiddenOne, flux.Prefetch(3)))
	}},
	{name: "onBackpressureBuffer, flatMap", demand: 1, want: "1 cancel over 7 open", make: func(in *input) run {
		return of(in.bounded().FlatMap(hiddenOne, flux.Concurrency(3)))
	}},
	{name: "onBackpressureBuffer, nothing", demand: 1, want: "1 cancel over 4 open", make: func(in *input) run { return of(in.bounded()) }},
	{name: "mono publish, late", want: "done", here: "1 done", why: "who comes late gets the outcome", make: func(in *input) run { return of(in.later(1).Publish(in.lateBy(2))) }},
	{name: "mono publish, subscribed when it is there", want: "1 done", make: func(in *input) run { return of(mono.Just(1).Publish(in.lateBy(2))) }},
	{name: "mono publish", want: "1 done", make: func(in *input) run {
		return of(in.later(1).Publish(func(m mono.Mono[int]) mono.Mono[int] { return m }))
	}},
	{name: "mono publish, zipped", want: "done", here: "2 done", why: "who comes late gets the outcome", make: func(in *input) run {
		return of(in.later(1).Publish(func(m mono.Mono[int]) mono.Mono[int] { return m.ZipWith(in.lateBy(2)(m), add) }))
	}},
	{name: "delaySubscription, cancelled", want: "1 2 3 done sent 3 late 4 late 5 late 6", here: "1 2 3 cancel done sent 3", why: "a cancellation does not wait for the request under way", make: func(in *input) run {
		n := 0
		return of(in.watch(flux.Range(1, 6).Hide().DoOnNext(counting(&n))).DelaySubscription(mono.Just(1)).
			TakeUntil(func(v int) bool { return v == 3 }).DoFinally(func(reactor.SignalKind) { in.note("sent ", n) }))
	}},
	{name: "or, cancelled", want: "1 2 3 done sent 3 late 4 late 5 late 6", here: "1 2 3 cancel done sent 3", why: "a cancellation does not wait for the request under way", make: func(in *input) run {
		n := 0
		return of(in.watch(flux.Range(1, 6).Hide().DoOnNext(counting(&n))).Or(flux.Never[int]()).
			TakeUntil(func(v int) bool { return v == 3 }).DoFinally(func(reactor.SignalKind) { in.note("sent ", n) }))
	}},
	{name: "refCount, cancelled when subscribed", want: "open", make: func(in *input) run {
		return of(in.endless().Publish().RefCount(1).Take(0).ConcatWith(flux.Never[int]()))
	}},
	{name: "refCount, one who cancels at once", want: "run open", here: "open", why: "nobody connects for one who has left", make: func(in *input) run {
		in.endless().Publish().RefCount(1).Subscribe(context.Background(), hasty{})
		return of(flux.Never[int]())
	}},
	{name: "refCount with grace, one who cancels at once", want: "run cancel open", here: "open", why: "nobody connects for one who has left", make: func(in *input) run {
		in.endless().Publish().RefCount(1, flux.Grace(millis(5)), in.on()).Subscribe(context.Background(), hasty{})
		return of(flux.Never[int]())
	}},
	{name: "refCount of two of a replay that has aged", want: "run a1 b1 run 1 done", here: "run a1 b1 done", why: "RefCount(2) waits for two, as at the start", make: func(in *input) run {
		f := flux.Defer(func(context.Context) flux.Flux[int] {
			in.note("run")
			return in.watch(flux.Just(1))
		}).Replay(flux.TTL(millis(5)), in.on()).RefCount(2)
		f.SubscribeFunc(context.Background(), func(v int) { in.note("a", v) })
		f.SubscribeFunc(context.Background(), func(v int) { in.note("b", v) })
		return of(flux.From(in.delay(20)).ThenMany(f).TakeFor(millis(40), in.on()))
	}},
	{name: "filterWhen of a constant", want: "1 3 done", make: func(in *input) run {
		return of(in.watch(flux.Range(1, 3)).FilterWhen(func(v int) mono.Mono[bool] { return mono.Just(v != 2) }))
	}},
	{name: "errors that are joined, composite first", want: "error composite:boom,other,third", here: "error composite:composite:boom,other,third", why: "a composite stays one error", make: func(*input) run {
		return of(flux.MergeDelayError[int](flux.Error[int](errors.Join(errBoom, errOther)), flux.Error[int](errThird)))
	}},
	{name: "errors that are joined, composite last", want: "error composite:third,composite:boom,other", make: func(*input) run {
		return of(flux.MergeDelayError[int](flux.Error[int](errThird), flux.Error[int](errors.Join(errBoom, errOther))))
	}},
	{name: "errors that are joined", want: "1 error composite:boom,other", make: func(*input) run {
		return of(flux.MergeDelayError[int](flux.Error[int](errBoom), flux.Just(1), flux.Error[int](errOther)))
	}},
	{name: "take of a source that ends, twice cancelled", want: "1 2 c cancel done c", here: "1 2 c cancel done", why: "DoOnCancel runs once", make: func(in *input) run {
		return of(in.src().DoOnCancel(in.noting("c")).Take(2).TakeUntil(func(v int) bool { return v == 2 }))
	}},
}

// aging is a replay of 1 to 3 that have come and live 5 ms.
func (in *input) aging() flux.Flux[int] {
	return flux.Range(1, 3).ConcatWith(flux.Never[int]()).Replay(flux.TTL(millis(5)), in.on()).AutoConnect(0)
}

func (in *input) slowly(ms int) func(int) mono.Mono[int] {
	return func(v int) mono.Mono[int] { return mono.Just(v).DelayElement(millis(ms), in.on()) }
}

func (in *input) later(v int) mono.Mono[int] { return in.delay(5).ThenReturn(v) }

func (in *input) lateBy(ms int) func(mono.Mono[int]) mono.Mono[int] {
	return func(m mono.Mono[int]) mono.Mono[int] { return m.DelaySubscriptionFor(millis(ms), in.on()) }
}

// bounded is 1 to 9 at once, of which two may wait.
func (in *input) bounded() flux.Flux[int] {
	return in.watch(flux.Range(1, 9)).OnBackpressureBufferFunc(func(v int) { in.note("over ", v) }, flux.Capacity(2))
}

func hiddenOne(v int) mono.Mono[int] { return mono.Just(v).Hide() }

// asked is 1 to 3 with marks at what is asked of it.
func (in *input) asked() flux.Flux[int] {
	return flux.Range(1, 3).Hide().DoOnRequest(func(n int64) { in.note("req ", n) })
}

func hiddenTrue(int) mono.Mono[bool] { return mono.Just(true).Hide() }

// What stages ask for by default.
var asking = []single{
	{name: "concatMap, what it asks for", want: "req 1 1 req 1 2 req 1 3 req 1 done", here: "req 32 1 2 3 done", why: "the source works ahead, as it did in the original once", make: func(in *input) run { return of(in.asked().ConcatMap(hiddenOne)) }},
	{name: "concatMap, prefetch 0, what it asks for", want: "req 1 1 req 1 2 req 1 3 req 1 done", make: func(in *input) run { return of(in.asked().ConcatMap(hiddenOne, flux.Prefetch(0))) }},
	{name: "delayUntil, what it asks for", want: "req 1 1 req 1 2 req 1 3 req 1 done", make: func(in *input) run { return of(in.asked().DelayUntil(hiddenOne)) }},
	{name: "delayElements, what it asks for", want: "req 1 1 req 1 2 req 1 3 done", make: func(in *input) run { return of(in.asked().DelayElements(millis(1), in.on())) }},
	{name: "flatMap, what it asks for", want: "req 256 1 req 1 2 req 1 3 req 1 done", make: func(in *input) run { return of(in.asked().FlatMap(hiddenOne)) }},
	{name: "flatMapSequential, what it asks for", want: "req 256 1 req 1 2 req 1 3 req 1 done", make: func(in *input) run { return of(in.asked().FlatMapSequential(hiddenOne)) }},
	{name: "publishOn, what it asks for", want: "req 256 1 2 3 done", make: func(in *input) run { return of(in.asked().PublishOn(in.clock)) }},
	{name: "filterWhen, what it asks for", want: "req 256 1 2 3 done", make: func(in *input) run { return of(in.asked().FilterWhen(hiddenTrue)) }},
	{name: "switchMap, what it asks for", want: "req all 1 2 3 done", make: func(in *input) run { return of(in.asked().SwitchMap(hiddenOne)) }},
	{name: "flatMapSlice, what it asks for", want: "req 256 1 2 3 done", make: func(in *input) run {
		return of(in.asked().FlatMapSlice(func(v int) []int { return []int{v} }))
	}},
	{name: "groupBy, what it asks for", want: "req 256 1 req 1 2 req 1 3 req 1 req 256 done", here: "req 256 1 req 1 2 3 done", why: "what goes straight through is asked for again in batches; and a source that has ended is not asked", make: func(in *input) run {
		return of(in.asked().GroupBy(func(int) int { return 1 }).FlatMap(func(g group) flux.Flux[int] { return g.Flux }))
	}},
	{name: "rails, what they ask for", want: "req 256 1 2 3 done", make: func(in *input) run { return of(in.asked().Parallel(2).Sequential()) }},
}
