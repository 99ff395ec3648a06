package operators

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// piece is an element that says how often it was told that nobody gets it.
type piece struct {
	id   int
	told int
}

func (p *piece) Discarded() {
	if p != nil {
		p.told++
	}
}

// chances builds a random chain of stages that can be computed, and of some that can't, and writes down what their functions
// are called with.
type chances struct {
	*rand.Rand
	log    []string
	pieces []*piece
	at     int    // the note with which act is called
	act    func() // nil: nothing
}

func (c *chances) note(format string, args ...any) {
	c.log = append(c.log, fmt.Sprintf(format, args...))
	if c.act != nil && len(c.log) == c.at {
		c.act()
	}
}

func (c *chances) piece() *piece {
	p := &piece{id: len(c.pieces)}
	c.pieces = append(c.pieces, p)
	return p
}

// outcome is how a function ends that is called with v, nil if with nothing. Sometimes it depends on how often it was called.
// Some functions return a value also beside an error, or where they say that there is none.
func (c *chances) outcome(name string) func(v *piece) (*piece, bool, error) {
	how, times := c.IntN(8), c.IntN(3)
	n := c.IntN(1000)
	beside := func() *piece { return nil }
	if c.IntN(2) == 0 {
		beside = c.piece
	}
	return func(v *piece) (*piece, bool, error) {
		id := -1
		if v != nil {
			id = v.id
		}
		c.note("%s%d(%d)", name, n, id)
		times--
		switch {
		case how == 0 && times >= 0, how == 1:
			return beside(), false, fmt.Errorf("%s%d: %w", name, n, errBoom)
		case how == 2 && times >= 0, how == 3:
			c.note("panic")
			panic(fmt.Sprintf("%s%d", name, n))
		case how == 4:
			return beside(), false, nil
		case how == 5 && v != nil:
			return v, true, nil
		}
		return c.piece(), true, nil
	}
}

func (c *chances) source() reactor.Publisher[*piece] {
	switch c.IntN(11) {
	case 0:
		return Just(c.piece())
	case 1:
		return Empty[*piece]()
	case 2:
		return Error[*piece](errOther)
	case 3:
		return Hide(Just(c.piece()))
	case 4:
		return Concat(Just(c.piece()), Error[*piece](errBoom))
	case 5:
		fn := c.outcome("callable")
		return FromCallable(func() (*piece, error) { v, _, err := fn(nil); return v, err })
	case 6:
		fn, inner := c.outcome("defer"), c.source()
		return Defer(func(context.Context) reactor.Publisher[*piece] {
			if _, _, err := fn(nil); err != nil {
				return Error[*piece](err)
			}
			return inner
		})
	case 10:
		return c.aggregate()
	case 7:
		fn := c.outcome("optional")
		return FromOptional(func() (*piece, bool, error) { return fn(nil) })
	default:
		fn := c.outcome("func")
		return FromFunc(func(ctx context.Context) (*piece, error) {
			c.note("key %v", ctx.Value(key(0)))
			v, _, err := fn(nil)
			return v, err
		})
	}
}

type key int

func (c *chances) chain(stages int) reactor.Publisher[*piece] {
	src := c.source()
	for range stages {
		src = c.stage(src)
	}
	return src
}

func (c *chances) stage(src reactor.Publisher[*piece]) reactor.Publisher[*piece] {
	one := func(v *piece) reactor.Publisher[*piece] { return Just(v) }
	to := func(name string) func(v *piece) reactor.Publisher[*piece] {
		fn, inner := c.outcome(name), c.chain(c.IntN(2))
		return func(v *piece) reactor.Publisher[*piece] {
			if _, _, err := fn(v); err != nil {
				return Error[*piece](err)
			}
			return inner
		}
	}
	when := func() []ErrorFilter {
		switch c.IntN(4) {
		case 0:
			return []ErrorFilter{WhenIs(errBoom)}
		case 1:
			fn := c.outcome("when")
			return []ErrorFilter{WhenError(func(error) bool { _, ok, _ := fn(nil); return ok })}
		}
		return nil
	}
	switch c.IntN(40) {
	case 0:
		fn := c.outcome("map")
		return Map(src, func(v *piece) *piece { r, _, _ := fn(v); return r })
	case 1:
		fn := c.outcome("tryMap")
		return TryMap(src, func(v *piece) (*piece, error) { r, _, err := fn(v); return r, err })
	case 2:
		fn := c.outcome("filter")
		return Filter(src, func(v *piece) bool { _, ok, _ := fn(v); return ok })
	case 3:
		fn := c.outcome("tryFilter")
		return TryFilter(src, func(v *piece) (bool, error) { _, ok, err := fn(v); return ok, err })
	case 4:
		fn := c.outcome("mapOptional")
		return MapOptional(src, func(v *piece) (*piece, bool) { r, ok, _ := fn(v); return r, ok })
	case 5:
		return TryMapOptional(src, c.outcome("tryMapOptional"))
	case 6:
		fn := c.outcome("doOnNext")
		return DoOnNext(src, func(v *piece) { fn(v) })
	case 7:
		fn := c.outcome("tryDoOnNext")
		return TryDoOnNext(src, func(v *piece) error { _, _, err := fn(v); return err })
	case 8:
		fn, how := c.outcome("handle"), c.IntN(6)
		return Handle(src, func(v *piece, sink *SyncSink[*piece]) {
			if how >= 4 { // the element is there already when the function fails
				sink.Next(c.piece())
			}
			r, ok, err := fn(v)
			switch {
			case err != nil:
				sink.Error(err)
			case ok:
				sink.Next(r) // perhaps the second one
			}
			if how == 3 {
				sink.Complete()
			}
		})
	case 9:
		fn := c.outcome("doOnSuccess")
		return DoOnSuccess(src, func(v *piece, ok bool) { c.note("%t", ok); fn(v) })
	case 10:
		fn := c.outcome("doOnError")
		return MonoDoOnError(src, func(err error) { c.note("%v", err); fn(nil) }, when()...)
	case 11:
		fn := c.outcome("doOnTerminate")
		return MonoDoOnTerminate(src, func() { fn(nil) })
	case 12:
		return DefaultIfEmpty(src, &piece{id: 1000}) // who cancels tells that one, also after a failure
	case 13:
		return SwitchIfEmpty(src, c.chain(c.IntN(2)))
	case 14:
		return OnErrorReturn(src, c.piece(), when()...)
	case 15:
		fn := to("resume")
		return OnErrorResume(src, func(err error) reactor.Publisher[*piece] { c.note("%v", err); return fn(nil) }, when()...)
	case 16:
		fn := c.outcome("errorMap")
		return OnErrorMap(src, func(err error) error { c.note("%v", err); _, _, err = fn(nil); return err }, when()...)
	case 17:
		return OnErrorComplete(src, when()...)
	case 18:
		return ThenMono(src, c.chain(c.IntN(2)))
	case 19:
		return MonoFlatMap(src, to("flatMap"))
	case 20:
		return MonoFlatMapMany(src, to("flatMapMany"))
	case 21:
		return ContextWriteValue(src, key(0), c.IntN(100))
	case 22:
		opts := []RetryOption{Times(c.IntN(3))}
		for _, f := range when() {
			opts = append(opts, f)
		}
		return Retry(src, opts...)
	case 23:
		fn := c.outcome("singleOptional")
		return SingleOptional(src, func(v *piece, ok bool) *piece { c.note("%t", ok); r, _, _ := fn(v); return r })
	case 24:
		return IgnoreElements(src)
	case 25:
		return Map(HasElement(src), func(bool) *piece { return c.piece() })
	case 26:
		return OfType[*piece](Map(src, func(v *piece) any {
			if c.note("any"); v != nil && v.id%2 == 0 {
				return 1
			}
			return v
		}))
	case 27:
		return Hide(src)
	case 28:
		fn, to := c.outcome("zipWhen"), to("zipWhenTo")
		return MonoZipWhen(src, to, func(v, w *piece) *piece { c.noteElement("with", w); r, _, _ := fn(v); return r })
	case 29, 30, 31, 32, 33, 34, 35:
		return c.part(src, to)
	case 36:
		return MonoCache(src)
	case 37:
		fn := c.outcome("cacheFor")
		return MonoCacheFor(src, func(sig reactor.Signal[*piece]) time.Duration {
			v, _ := sig.Value()
			if _, ok, _ := fn(v); ok {
				return Forever
			}
			return 0
		})
	}
	fn := c.outcome("finally")
	if c.IntN(2) == 0 {
		return DoFinally(src, func(how reactor.SignalKind) { c.note("%v", how); _, _, _ = fn(nil) })
	}
	if c.IntN(2) == 0 {
		return MonoDoAfterTerminate(src, func() { _, _, _ = fn(nil) })
	}
	return MonoFlatMap(DoFinally(src, func(reactor.SignalKind) { _, _, _ = fn(nil) }), one)
}

// terms are the ways in which a chain is run.
var terms = map[string]func(context.Context, *chances, reactor.Publisher[*piece]){
	"SubscribeFunc": func(ctx context.Context, c *chances, src reactor.Publisher[*piece]) {
		SubscribeFunc(ctx, src, func(v *piece) { c.noteElement("next", v) },
			OnError(func(err error) { c.note("error %v", err) }), OnComplete(func() { c.note("complete") }))
	},
	"SubscribeFunc, failing": func(ctx context.Context, c *chances, src reactor.Publisher[*piece]) {
		SubscribeFunc(ctx, src, func(*piece) { c.note("panic"); panic("next") }, OnError(func(err error) { c.note("error %v", err) }), OnComplete(func() { c.note("complete") }))
	},
	"SubscribeFunc to nothing": func(ctx context.Context, c *chances, src reactor.Publisher[*piece]) {
		SubscribeFunc(ctx, src, nil, OnError(func(err error) { c.note("error %v", err) }))
	},
	"Block": func(ctx context.Context, c *chances, src reactor.Publisher[*piece]) {
		v, err := Block(ctx, src)
		c.noteElement(fmt.Sprint("block ", err), v)
	},
	"BlockFirst": func(ctx context.Context, c *chances, src reactor.Publisher[*piece]) {
		v, err := BlockFirst(ctx, src)
		c.noteElement(fmt.Sprint("block ", err), v)
	},
	"BlockLast": func(ctx context.Context, c *chances, src reactor.Publisher[*piece]) {
		v, err := BlockLast(ctx, src)
		c.noteElement(fmt.Sprint("block ", err), v)
	},
}

func (c *chances) noteElement(what string, v *piece) {
	if v == nil {
		c.note("%s nil", what)
		return
	}
	c.note("%s %d", what, v.id)
}

// A chain whose stages are computed calls the same functions, with the same elements and in the same order, as one that is
// subscribed to, ends the same way, and tells the same elements that nobody gets them.
func TestChainsAreComputedAsTheyAreSubscribed(t *testing.T) {
	const seed = 20
	before := slog.Default()
	defer slog.SetDefault(before)
	subscribed := reactor.WithHooks(context.Background(), reactor.Hooks{})
	var ends [2]int
	for name, run := range terms {
		for i := range racetest.Iterations(4000) {
			var logs [2][]string
			var told [2][]int
			var shapes string
			for mode, ctx := range []context.Context{context.Background(), subscribed} {
				c := &chances{Rand: rand.New(rand.NewPCG(seed, uint64(i)))}
				slog.SetDefault(slog.New(dropped{slog.DiscardHandler, c}))
				src := c.chain(c.IntN(6))
				shapes = shape(reflect.ValueOf(src))
				run(ctx, c, src)
				logs[mode] = c.log
				for _, p := range c.pieces {
					told[mode] = append(told[mode], p.told)
				}
			}
			require.Equal(t, logs[1], logs[0], "%s %d: %s", name, i, shapes)
			// A panic fails the element that the source has sent, and if it is computed the one that the function was called with.
			if !strings.Contains(fmt.Sprint(logs[0]), "panic") {
				require.Equal(t, told[1], told[0], "%s %d: %v %s", name, i, logs[0], shapes)
			}
			ends[min(1, len(logs[0]))]++
		}
	}
	assert.NotZero(t, ends[1])
}

// Nothing that takes failures takes the end of the context, and nothing is called behind it.
func TestComputedUnderAContextThatEnds(t *testing.T) {
	for name, stage := range map[string]func(reactor.Publisher[int]) reactor.Publisher[int]{
		"onErrorReturn":   func(src reactor.Publisher[int]) reactor.Publisher[int] { return OnErrorReturn(src, 1) },
		"onErrorComplete": func(src reactor.Publisher[int]) reactor.Publisher[int] { return OnErrorComplete(src) },
		"onErrorResume": func(src reactor.Publisher[int]) reactor.Publisher[int] {
			return OnErrorResume(src, func(error) reactor.Publisher[int] { t.Error("called"); return Just(1) })
		},
		"onErrorMap": func(src reactor.Publisher[int]) reactor.Publisher[int] {
			return OnErrorMap(src, func(error) error { t.Error("called"); return errBoom })
		},
		"retry": func(src reactor.Publisher[int]) reactor.Publisher[int] { return Retry(src, Times(3)) },
		"doOnError": func(src reactor.Publisher[int]) reactor.Publisher[int] {
			return MonoDoOnError(src, func(error) { t.Error("called") })
		},
		"switchIfEmpty": func(src reactor.Publisher[int]) reactor.Publisher[int] {
			return SwitchIfEmpty(IgnoreElements(OnErrorComplete(src)), FromSupplier(func() int { t.Error("called"); return 1 }))
		},
	} {
		for how, fn := range map[string]func() (int, error){
			"error": func() (int, error) { return 0, errBoom },
			"panic": func() (int, error) { panic(errBoom) },
		} {
			ctx, cancel := context.WithCancelCause(context.Background())
			calls := 0
			src := stage(FromCallable(func() (int, error) { calls++; cancel(errOther); return fn() }))
			_, _, err := BlockOptional(ctx, src)
			assert.Error(t, err, name)
			assert.True(t, errors.Is(err, errBoom) || errors.Is(err, errOther), "%s after %s: %v", name, how, err)
			assert.Equal(t, 1, calls, name)
		}
	}
}

// What a written context wants to hear of is heard, and where it ends by itself, that ends the stream; its function is
// called once.
func TestComputedUnderAContextThatIsWritten(t *testing.T) {
	calls := 0
	written := func(src reactor.Publisher[int], write func(context.Context) context.Context) reactor.Publisher[int] {
		return Map(ContextWrite(src, func(ctx context.Context) context.Context { calls++; return write(ctx) }), twice)
	}
	hooked, hooks := probe.Recorded()
	v, err := Block(context.Background(), written(DefaultIfEmpty(Filter(Just(1), func(int) bool { return false }), 2), func(context.Context) context.Context { return hooked }))
	assert.NoError(t, err)
	assert.Equal(t, 4, v)
	assert.Equal(t, []any{1}, hooks.Discarded)
	assert.Equal(t, 1, calls)

	_, err = Block(context.Background(), written(MonoFlatMap(Just(1), func(int) reactor.Publisher[int] { return Never[int]() }), func(ctx context.Context) context.Context {
		ctx, cancel := context.WithCancelCause(ctx)
		cancel(errOther)
		return ctx
	}))
	assert.Equal(t, errOther, err)
	assert.Equal(t, 2, calls)

	_, err = Block(context.Background(), written(Just(1), func(context.Context) context.Context { return nil }))
	assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
}

// What is to be called when all is over hears how it was, before a failure is told that came from below, and else after.
func TestComputedDoFinally(t *testing.T) {
	for _, mode := range []context.Context{context.Background(), reactor.WithHooks(context.Background(), reactor.Hooks{})} {
		ctx, cancel := context.WithCancelCause(mode)
		var log []string
		note := func(what string) func(reactor.SignalKind) {
			return func(how reactor.SignalKind) { log = append(log, fmt.Sprint(what, " ", how)) }
		}
		subscribe := func(src reactor.Publisher[int], next func(int)) {
			log = nil
			SubscribeFunc(ctx, DoFinally(DoFinally(src, note("first")), note("second")), next,
				OnError(func(err error) { log = append(log, err.Error()) }), OnComplete(func() { log = append(log, "completed") }))
		}
		next := func(int) { log = append(log, "next") }
		subscribe(Just(1), next)
		assert.Equal(t, []string{"next", "completed", "second onComplete", "first onComplete"}, log)
		subscribe(Error[int](errBoom), next)
		assert.Equal(t, []string{"boom", "second onError", "first onError"}, log)
		subscribe(FromCallable(func() (int, error) { panic(errBoom) }), next)
		assert.Equal(t, []string{"reactor: fromCallable: panic: boom", "second onError", "first onError"}, log)
		subscribe(Just(1), func(int) { panic(errBoom) })
		assert.Equal(t, []string{"first cancel", "second cancel", "reactor: subscribe: panic: boom"}, log)
		racetest.Aside(func() { subscribe(FromCallable(func() (int, error) { runtime.Goexit(); return 0, nil }), next) })
		assert.Equal(t, []string{"reactor: fromCallable: " + reactor.ErrGoexit.Error(), "second onError", "first onError"}, log)
		log = nil
		racetest.Aside(func() {
			_, _ = Block(ctx, DoFinally(FromCallable(func() (int, error) { runtime.Goexit(); return 0, nil }), note("block")))
		})
		assert.Equal(t, []string{"block onError"}, log)
		subscribe(MonoFlatMap(Just(1), func(int) reactor.Publisher[int] { return Hide(Just(2)) }), next)
		assert.Equal(t, []string{"next", "completed", "second onComplete", "first onComplete"}, log)
		if mode == context.Background() { // else the end of the context is told on another goroutine, at some time
			subscribe(FromCallable(func() (int, error) { cancel(errOther); return 1, nil }), next)
			assert.Equal(t, []string{"first cancel", "second cancel", "other"}, log)
		}
		cancel(errOther)
		subscribe(Just(1), next)
		assert.Equal(t, []string{"other", "first cancel", "second cancel"}, log)
	}
}

// What hears of more than the end is subscribed to.
func TestOthersThatLookOnAreNotComputed(t *testing.T) {
	calls := 0
	called := func() { calls++ }
	for i, src := range []reactor.Publisher[int]{
		DoOnComplete(Just(1), called), DoOnTerminate(Just(1), called), DoAfterTerminate(Just(1), called), MonoDoAfterTerminate(Just(1), called),
		DoOnSubscribe(Just(1), func(reactor.Subscription) { called() }), DoOnRequest(Just(1), func(int64) { called() }),
		DoOnError(Error[int](errBoom), func(error) { called() }),
	} {
		SubscribeFunc(context.Background(), src, nil, OnError(func(error) {}))
		assert.Equal(t, i+1, calls)
	}
}

// An attempt that has to be waited for counts as one, and so do those before it.
func TestRetryComputedInPart(t *testing.T) {
	calls := 0
	src := Defer(func(context.Context) reactor.Publisher[int] {
		if calls++; calls == 2 {
			return Hide(Error[int](errBoom))
		}
		return Error[int](errBoom)
	})
	_, err := Block(context.Background(), Retry(src, Times(3)))
	assert.Equal(t, errBoom, err)
	assert.Equal(t, 4, calls)
}

// What a cache keeps is had without a subscription, and only that.
func TestComputedFromACache(t *testing.T) {
	clock := &handScheduler{}
	outcomes := []func() (int, error){
		func() (int, error) { return 1, nil },
		func() (int, error) { return 0, errBoom },
		func() (int, error) { return 2, nil },
	}
	calls := 0
	cached := MonoCache(Hide(FromCallable(func() (int, error) { calls++; return outcomes[calls-1]() })), TTL(time.Minute), On(clock))
	doubled := Map(cached, twice)
	assert.False(t, isComputable(doubled), "nothing is kept")
	for i, want := range []struct {
		v   int
		err error
	}{{2, nil}, {0, errBoom}, {4, nil}} {
		for range 2 {
			v, err := Block(context.Background(), doubled)
			assert.Equal(t, want.v, v)
			assert.Equal(t, want.err, err)
			assert.True(t, isComputable(doubled))
		}
		assert.Equal(t, i+1, calls)
		clock.mu.Lock()
		clock.now += time.Minute
		clock.mu.Unlock()
		assert.False(t, isComputable(doubled), "its time is over, though the task that says so has not run yet")
	}
	empty := MonoCache(Hide(Empty[int]()))
	for range 2 {
		_, ok, err := BlockOptional(context.Background(), empty)
		assert.False(t, ok)
		assert.NoError(t, err)
	}
	assert.True(t, isComputable(empty))

	asked := 0
	checked := MonoCacheInvalidateIf(Just(1), func(int) bool { asked++; return false })
	for range 3 {
		_, err := Block(context.Background(), checked)
		assert.NoError(t, err)
	}
	assert.Equal(t, 2, asked)
	_, _, err := checked.(direct.Source[int]).Direct(context.Background())
	assert.IsType(t, &instead[int]{}, err, "there is a question to be asked now")
}

// A function that ends its goroutine fails the whole chain.
func TestComputedGoexit(t *testing.T) {
	var ends []error
	racetest.Aside(func() {
		src := OnErrorReturn(FromCallable(func() (int, error) { runtime.Goexit(); return 1, nil }), 2)
		SubscribeFunc(context.Background(), Map(src, twice), func(int) { t.Error("called") }, OnError(func(err error) { ends = append(ends, err) }))
	})
	require.Len(t, ends, 1)
	assert.ErrorIs(t, ends[0], reactor.ErrGoexit)
}

// dropped notes the errors that are reported as dropped.
type dropped struct {
	slog.Handler
	c *chances
}

func (dropped) Enabled(context.Context, slog.Level) bool { return true }

func (d dropped) Handle(_ context.Context, r slog.Record) error {
	d.c.note("%s", r.Message)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "error" {
			d.c.note("%v", a.Value)
		}
		return true
	})
	return nil
}

// shape names the stages of a chain.
func shape(src reflect.Value) string {
	for src.Kind() == reflect.Interface || src.Kind() == reflect.Pointer {
		src = src.Elem()
	}
	name, _, _ := strings.Cut(src.Type().Name(), "[")
	name = strings.TrimSuffix(name, "Publisher")
	if src.Kind() == reflect.Struct {
		for _, field := range []string{"src", "other"} {
			if f := src.FieldByName(field); f.IsValid() {
				name += "(" + shape(f) + ")"
			}
		}
	}
	return name
}
