package operators_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/describe"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/proofs/roster"
	"github.com/goreactor/reactor/schedulers"
)

type (
	ctx  = context.Context
	ints = reactor.Publisher[int]
)

// named is a use of an operator in which a function of the user fails.
type named struct {
	fn  string // the exported function of this package, with the function that fails if there are several
	op  string // what its errors say
	use func(src ints, die func()) any
}

// The functions that fail: f takes and returns something, c returns nothing.

func f0[R any](die func()) func() R           { return func() R { die(); panic("not reached") } }
func f1[A, R any](die func()) func(A) R       { return func(A) R { die(); panic("not reached") } }
func f2[A, B, R any](die func()) func(A, B) R { return func(A, B) R { die(); panic("not reached") } }
func f1e[A, R any](die func()) func(A) (R, error) {
	return func(A) (R, error) { die(); panic("not reached") }
}
func f0e[R any](die func()) func() (R, error) {
	return func() (R, error) { die(); panic("not reached") }
}
func c0(die func()) func()                          { return func() { die() } }
func c1[A any](die func()) func(A)                  { return func(A) { die() } }
func c2[A, B any](die func()) func(A, B)            { return func(A, B) { die() } }
func toPub[A any](die func()) func(A) ints          { return f1[A, ints](die) }
func failing() ints                                 { return operators.Error[int](errors.New("failed")) }
func self[T any](v T) T                             { return v }
func same(a int) ints                               { return operators.Just(a) }
func add(a, b int) int                              { return a + b }
func yes(int) bool                                  { return true }
func never(int) ints                                { return operators.Never[int]() }
func par(src ints) operators.ParallelPublisher[int] { return operators.Parallel(src, 2) }

// subscribed is what an operator without a publisher does.
type subscribed func(ctx) error

func namedRows() []named {
	return slices.Concat(elementRows(), lifeRows(), flatteningRows(), combiningRows(), groupingRows(), sourceRows(), otherRows(), rosterRows())
}

// rosterRows are the operators that need no row here: the roster has one that says which function fails.
func rosterRows() (list []named) {
	for _, stage := range roster.Stages[int]() {
		if stage.Calling == nil {
			continue
		}
		op, function := stage.Operator()
		fn := strings.TrimSpace(strings.ToUpper(op[:1]) + op[1:] + " " + function)
		list = append(list, named{fn, op, func(src ints, die func()) any { return stage.Calling(die, src) }})
	}
	return list
}

func elementRows() []named {
	return []named{
		{"Scan", "scan", func(src ints, die func()) any { return operators.Scan(src, f2[int, int, int](die)) }},
		{"ScanWith seed", "scanWith", func(src ints, die func()) any { return operators.ScanWith(src, f0[int](die), add) }},
		{"ScanWith", "scanWith", func(src ints, die func()) any {
			return operators.ScanWith(src, func() int { return 0 }, f2[int, int, int](die))
		}},
		{"TryScan", "tryScan", func(src ints, die func()) any {
			return operators.TryScan(src, func(int, int) (int, error) { die(); return 0, nil })
		}},
		{"TryScanWith seed", "tryScanWith", func(src ints, die func()) any {
			return operators.TryScanWith(src, f0e[int](die), func(a, b int) (int, error) { return a + b, nil })
		}},
		{"TryScanWith", "tryScanWith", func(src ints, die func()) any {
			return operators.TryScanWith(src, func() (int, error) { return 0, nil }, func(int, int) (int, error) { die(); return 0, nil })
		}},
		{"Distinct", "distinct", func(src ints, die func()) any { return operators.Distinct(src, f1[int, int](die)) }},
		{"DistinctIn newStore", "distinct", func(src ints, die func()) any {
			return operators.DistinctIn(src, f0[int](die), func(int, int) bool { return true }, func(int) {})
		}},
		{"DistinctIn isNew", "distinct", func(src ints, die func()) any {
			return operators.DistinctIn(src, func() int { return 0 }, f2[int, int, bool](die), func(int) {})
		}},
		{"DistinctIn cleanup", "distinct", func(src ints, die func()) any {
			return operators.DistinctIn(src, func() int { return 0 }, func(int, int) bool { return true }, c1[int](die))
		}},
		{"DistinctUntilChanged", "distinctUntilChanged", func(src ints, die func()) any {
			return operators.DistinctUntilChanged(src, f1[int, int](die))
		}},
		{"DistinctUntilChangedFunc key", "distinctUntilChanged", func(src ints, die func()) any {
			return operators.DistinctUntilChangedFunc(src, f1[int, int](die), func(a, b int) bool { return a == b })
		}},
		{"DistinctUntilChangedFunc equal", "distinctUntilChanged", func(src ints, die func()) any {
			return operators.DistinctUntilChangedFunc(src, self[int], f2[int, int, bool](die))
		}},
		{"SkipWhile", "skipWhile", func(src ints, die func()) any { return operators.SkipWhile(src, f1[int, bool](die)) }},
		{"SkipUntil", "skipUntil", func(src ints, die func()) any { return operators.SkipUntil(src, f1[int, bool](die)) }},
		{"TakeWhile", "takeWhile", func(src ints, die func()) any { return operators.TakeWhile(src, f1[int, bool](die)) }},
		{"TakeUntil", "takeUntil", func(src ints, die func()) any { return operators.TakeUntil(src, f1[int, bool](die)) }},
		{"Elapsed", "elapsed", func(src ints, die func()) any { return operators.Elapsed(src, f2[time.Duration, int, int](die)) }},
		{"Timed", "timed", func(src ints, die func()) any { return operators.Timed(src, f1[reactor.Timed[int], int](die)) }},
		{"Timestamp", "timestamp", func(src ints, die func()) any { return operators.Timestamp(src, f2[time.Time, int, int](die)) }},
		{"AllMatch", "allMatch", func(src ints, die func()) any { return operators.AllMatch(src, f1[int, bool](die)) }},
		{"AnyMatch", "anyMatch", func(src ints, die func()) any { return operators.AnyMatch(src, f1[int, bool](die)) }},
		{"Reduce", "reduce", func(src ints, die func()) any { return operators.Reduce(src, f2[int, int, int](die)) }},
		{"TryReduce", "tryReduce", func(src ints, die func()) any {
			return operators.TryReduce(src, func(int, int) (int, error) { die(); return 0, nil })
		}},
		{"TryFold seed", "tryFold", func(src ints, die func()) any {
			return operators.TryFold(src, f0[int](die), func(a, b int) (int, error) { return a + b, nil })
		}},
		{"TryFold", "tryFold", func(src ints, die func()) any {
			return operators.TryFold(src, func() int { return 0 }, func(int, int) (int, error) { die(); return 0, nil })
		}},
		{"Fold seed", "fold", func(src ints, die func()) any { return operators.Fold(src, f0[int](die), add) }},
		{"Fold", "fold", func(src ints, die func()) any {
			return operators.Fold(src, func() int { return 0 }, f2[int, int, int](die))
		}},
		{"CollectInto newContainer", "collectInto", func(src ints, die func()) any {
			return operators.CollectInto(src, f0[*int](die), func(*int, int) {})
		}},
		{"CollectInto add", "collectInto", func(src ints, die func()) any {
			return operators.CollectInto(src, func() *int { return new(int) }, c2[*int, int](die))
		}},
		{"CollectMap key", "collectMap", func(src ints, die func()) any { return operators.CollectMap(src, f1[int, int](die), self[int]) }},
		{"CollectMap value", "collectMap", func(src ints, die func()) any { return operators.CollectMap(src, self[int], f1[int, int](die)) }},
		{"CollectMultimap key", "collectMultimap", func(src ints, die func()) any {
			return operators.CollectMultimap(src, f1[int, int](die), self[int])
		}},
		{"CollectMultimap value", "collectMultimap", func(src ints, die func()) any {
			return operators.CollectMultimap(src, self[int], f1[int, int](die))
		}},
		{"CollectSorted", "collectSorted", func(src ints, die func()) any { return operators.CollectSorted(src, f2[int, int, int](die)) }},
		{"Sort", "sort", func(src ints, die func()) any { return operators.Sort(src, f2[int, int, int](die)) }},
		{"SingleOptional", "singleOptional", func(src ints, die func()) any {
			return operators.SingleOptional(operators.Take(src, 1), f2[int, bool, int](die))
		}},
	}
}

func lifeRows() []named {
	tap := func(listener func(die func()) *operators.SignalListener[int]) func(src ints, die func()) any {
		return func(src ints, die func()) any {
			return operators.Tap(src, func(ctx) *operators.SignalListener[int] { return listener(die) })
		}
	}
	return []named{
		{"DoOnRequest", "doOnRequest", func(src ints, die func()) any { return operators.DoOnRequest(src, c1[int64](die)) }},
		{"DoOnSubscribe", "doOnSubscribe", func(src ints, die func()) any { return operators.DoOnSubscribe(src, c1[reactor.Subscription](die)) }},
		{"DoOnComplete", "doOnComplete", func(src ints, die func()) any { return operators.DoOnComplete(src, c0(die)) }},
		{"DoOnError", "doOnError", func(src ints, die func()) any { return operators.DoOnError(failing(), c1[error](die)) }},
		{"DoOnErrorAs", "doOnErrorAs", func(src ints, die func()) any {
			return operators.DoOnErrorAs(operators.Error[int](&fs.PathError{Err: fs.ErrExist}), c1[*fs.PathError](die))
		}},
		{"DoOnCancel", "doOnCancel", func(src ints, die func()) any {
			return operators.Take(operators.DoOnCancel(operators.Range(0, 9), c0(die)), 1)
		}},
		{"DoOnTerminate", "doOnTerminate", func(src ints, die func()) any { return operators.DoOnTerminate(src, c0(die)) }},
		{"DoOnTerminate failing", "doOnTerminate", func(src ints, die func()) any { return operators.DoOnTerminate(failing(), c0(die)) }},
		{"DoAfterTerminate", "doAfterTerminate", func(src ints, die func()) any { return operators.DoAfterTerminate(src, c0(die)) }},
		{"DoFinally", "doFinally", func(src ints, die func()) any { return operators.DoFinally(src, c1[reactor.SignalKind](die)) }},
		{"DoFirst", "doFirst", func(src ints, die func()) any { return operators.DoFirst(src, c0(die)) }},
		{"DoOnEach", "doOnEach", func(src ints, die func()) any { return operators.DoOnEach(src, c2[ctx, reactor.Signal[int]](die)) }},
		{"DoOnEach failing", "doOnEach", func(src ints, die func()) any {
			return operators.DoOnEach(failing(), c2[ctx, reactor.Signal[int]](die))
		}},
		{"MonoDoOnEach", "doOnEach", func(src ints, die func()) any {
			return operators.MonoDoOnEach(operators.Take(src, 1), c2[ctx, reactor.Signal[int]](die))
		}},
		{"DoOnSuccess", "doOnSuccess", func(src ints, die func()) any {
			return operators.DoOnSuccess(operators.Take(src, 1), c2[int, bool](die))
		}},
		{"MonoDoOnError", "doOnError", func(src ints, die func()) any { return operators.MonoDoOnError(failing(), c1[error](die)) }},
		{"MonoDoOnTerminate", "doOnTerminate", func(src ints, die func()) any {
			return operators.MonoDoOnTerminate(operators.Take(src, 1), c0(die))
		}},
		{"MonoDoAfterTerminate", "doAfterTerminate", func(src ints, die func()) any {
			return operators.MonoDoAfterTerminate(operators.Take(src, 1), c0(die))
		}},
		{"DoOnDiscard", "", nil}, // a hook: what it throws is logged
		{"Tap", "tap", func(src ints, die func()) any {
			return operators.Tap(src, f1[ctx, *operators.SignalListener[int]](die))
		}},
		{"Tap First", "tap", tap(func(die func()) *operators.SignalListener[int] { return &operators.SignalListener[int]{First: die} })},
		{"Tap Context", "tap", tap(func(die func()) *operators.SignalListener[int] {
			return &operators.SignalListener[int]{Context: f1[ctx, ctx](die)}
		})},
		{"Tap Subscription", "tap", tap(func(die func()) *operators.SignalListener[int] {
			return &operators.SignalListener[int]{Subscription: die}
		})},
		{"Tap Request", "tap", tap(func(die func()) *operators.SignalListener[int] {
			return &operators.SignalListener[int]{Request: c1[int64](die)}
		})},
		{"Tap Next", "tap", tap(func(die func()) *operators.SignalListener[int] {
			return &operators.SignalListener[int]{Next: c1[int](die)}
		})},
		{"Tap Complete", "tap", tap(func(die func()) *operators.SignalListener[int] { return &operators.SignalListener[int]{Complete: die} })},
		{"Tap AfterComplete", "tap", tap(func(die func()) *operators.SignalListener[int] {
			return &operators.SignalListener[int]{AfterComplete: die}
		})},
		{"Tap Finally", "tap", tap(func(die func()) *operators.SignalListener[int] {
			return &operators.SignalListener[int]{Finally: c1[reactor.SignalKind](die)}
		})},
		{"OnErrorMap", "onErrorMap", func(src ints, die func()) any { return operators.OnErrorMap(failing(), f1[error, error](die)) }},
		{"OnErrorResume", "onErrorResume", func(src ints, die func()) any { return operators.OnErrorResume(failing(), toPub[error](die)) }},
		{"OnErrorContinue", "onErrorContinue", func(src ints, die func()) any {
			return operators.OnErrorContinue(operators.TryMap(src, func(int) (int, error) { return 0, errors.New("failed") }), c2[error, any](die))
		}},
		{"WhenError", "onErrorResume", func(src ints, die func()) any {
			return operators.OnErrorResume(failing(), func(error) ints { return src }, operators.WhenError(f1[error, bool](die)))
		}},
		{"WhenError of onErrorReturn", "onErrorReturn", func(src ints, die func()) any {
			return operators.OnErrorReturn(failing(), 1, operators.WhenError(f1[error, bool](die)))
		}},
		{"WhenError of onErrorComplete", "onErrorComplete", func(src ints, die func()) any {
			return operators.OnErrorComplete(failing(), operators.WhenError(f1[error, bool](die)))
		}},
		{"WhenError of onErrorMap", "onErrorMap", func(src ints, die func()) any {
			return operators.OnErrorMap(failing(), self[error], operators.WhenError(f1[error, bool](die)))
		}},
		{"WhenError of doOnError", "doOnError", func(src ints, die func()) any {
			return operators.DoOnError(failing(), func(error) {}, operators.WhenError(f1[error, bool](die)))
		}},
		{"WhenError of retryWhen", "retryWhen", func(src ints, die func()) any {
			return operators.RetryWhen(failing(), operators.RetryMax(1).Filter(operators.WhenError(f1[error, bool](die))))
		}},
	}
}

// many hides that a source of one element could be called.
type many struct{ ints }

func (many) Many() {}

// sources are what the operators are put on: each takes another way through them.
var sources = map[string]func() ints{
	"elements":          func() ints { return many{operators.Range(1, 3)} },
	"hidden":            func() ints { return many{operators.Hide(operators.Range(1, 3))} },
	"one":               func() ints { return operators.Just(1) },
	"one, asynchronous": func() ints { return operators.Hide(operators.Just(1)) },
}

// failures runs one use and returns all errors of functions that come to light.
func failures(use any) []error {
	var mu sync.Mutex
	var errs []error
	note := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if _, ok := errors.AsType[*reactor.PanicError](err); ok || errors.Is(err, reactor.ErrGoexit) {
			errs = append(errs, err)
		}
	}
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{
		NextDropped:   func(ctx, any) {},
		ErrorDropped:  func(_ ctx, err error) { note(err) },
		OperatorError: func(_ ctx, err error, _ any) error { note(err); return nil },
	})
	var wg sync.WaitGroup
	wg.Go(func() { note(subscribeAny(ctx, use, note)) })
	wg.Wait()
	return errs
}

// subscribeAny subscribes to what an operator has returned, whatever its elements.
func subscribeAny(ctx ctx, use any, failed func(error)) error {
	switch p := use.(type) {
	case subscribed:
		return p(ctx)
	case reactor.Publisher[int]:
		subscribeTo(ctx, p, failed)
	case reactor.Publisher[bool]:
		subscribeTo(ctx, p, failed)
	case reactor.Publisher[*int]:
		subscribeTo(ctx, p, failed)
	case reactor.Publisher[[]int]:
		subscribeTo(ctx, p, failed)
	case reactor.Publisher[map[int]int]:
		subscribeTo(ctx, p, failed)
	case reactor.Publisher[map[int][]int]:
		subscribeTo(ctx, p, failed)
	case reactor.Publisher[ints]:
		subscribeTo(ctx, p, failed)
	default:
		panic(fmt.Sprintf("no case for %T", use))
	}
	return nil
}

func subscribeTo[T any](ctx ctx, p reactor.Publisher[T], failed func(error)) {
	operators.SubscribeWith(ctx, p, operators.NewSubscriber(ctx, operators.SubscriberHooks[T]{OnError: failed}))
}

// nameOf returns the operator that the failure of a function names, wherever it is in
// the tree of err.
func nameOf(err error) string {
	switch e := err.(type) {
	case *reactor.PanicError:
		return e.Op
	case *reactor.OpError:
		if e.Kind == reactor.ErrGoexit {
			return e.Op
		}
		return nameOf(e.Cause)
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			if name := nameOf(part); name != "" {
				return name
			}
		}
	}
	return ""
}

// Whose function failed is what somebody wants to know first who reads a log.
func TestFailuresNameTheOperator(t *testing.T) {
	t.Cleanup(schedulers.ShutdownNow) // with the timers of stages that were still at work
	for how, die := range map[string]func(){
		"panic":  func() { panic("broken") },
		"Goexit": runtime.Goexit,
	} {
		for _, row := range namedRows() {
			if row.use == nil || how == "Goexit" && row.fn == "ConcatMapSeq's sequence" {
				// The guards further up see the same Goexit, and know only that it is a
				// sequence: a name of its own would cost an allocation for each.
				continue
			}
			t.Run(how+"/"+row.fn, func(t *testing.T) {
				seen := 0
				var wrong []string
				for name, src := range sources {
					for _, err := range failures(row.use(src(), die)) {
						if seen++; nameOf(err) != row.op {
							wrong = append(wrong, fmt.Sprintf("%s: %q: %v", name, nameOf(err), err))
						}
					}
				}
				assert.Empty(t, wrong, "want %q", row.op)
				assert.NotZero(t, seen, "the function never ran, although everything is requested: see unrequested, and the row in op_names_rows_test.go")
			})
		}
	}
}

// The stack is searched however much of it is the user's.
func TestFailuresNameTheOperatorFromFarBelow(t *testing.T) {
	var sink func(n int) int
	sink = func(n int) int {
		if n == 0 {
			panic("broken")
		}
		return sink(n-1) + 1
	}
	_, err := operators.BlockLast(context.Background(), operators.Map(operators.Range(1, 2), func(int) int { return sink(3000) }))
	assert.Equal(t, "map", nameOf(err))
}

// Every function of this package that takes functions is in the table, once for each.
func TestFailuresOfEveryOperatorAreNamed(t *testing.T) {
	rows := map[string]int{}
	for _, row := range namedRows() {
		name, _, _ := strings.Cut(row.fn, " ")
		rows[name]++
	}
	sources, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), source, nil, 0)
		require.NoError(t, err)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() {
				continue
			}
			count := 0
			for _, param := range fn.Type.Params.List {
				if _, ok := param.Type.(*ast.FuncType); ok {
					count += max(1, len(param.Names))
				}
			}
			assert.GreaterOrEqual(t, rows[fn.Name.Name], count, "%s takes %d functions: it lacks rows of calling in proofs/roster, or in op_names_rows_test.go",
				fn.Name.Name, count)
		}
	}
}

// composed are the operators that a description shows by what they are made of.
var composed = map[string]string{
	"CollectSorted":                       "map",
	"DoOnCancel":                          "take", // the row's
	"DoOnErrorAs":                         "doOnError",
	"FromOptional":                        "fromCallable",
	"FromSupplier":                        "fromCallable",
	"MonoCacheFor":                        "cache",
	"MonoCacheInvalidateIf":               "concat", // the row's
	"MonoCacheInvalidateWhen trigger":     "cache",
	"MonoCacheInvalidateWhen invalidated": "cache",
	"MonoZipWhen":                         "flatMap",
	"MonoZipWhen combine":                 "flatMap",
	"ParallelReduce":                      "reduce",
	"RepeatFrom":                          "repeatWhen",
	"RepeatWhenEmpty OnlyIf":              "next",
	"RepeatWhenEmpty DoBeforeRepeat":      "next",
	"RepeatWhenEmpty DoAfterRepeat":       "next",
	"RetryFrom":                           "retryWhen",
	"ZipWith":                             "zip",
}

// ownStage matches the packages of publishers that are described by their operator.
var ownStage = regexp.MustCompile(`reactor/(operators|stage|internal/stage/[a-z]+)$`)

var inBrackets = regexp.MustCompile(`\([^()]*\)`)

// TestStringNamesEveryOperator holds what a chain is described by against the names in errors.
func TestStringNamesEveryOperator(t *testing.T) {
	looked := 0
	for _, row := range namedRows() {
		if row.use == nil {
			continue
		}
		made := row.use(operators.Hide(operators.Range(0, 3)), func() {})
		typ := reflect.TypeOf(made)
		if typ == nil || typ.Kind() != reflect.Pointer || !ownStage.MatchString(typ.Elem().PkgPath()) || strings.HasPrefix(typ.Elem().Name(), "BaseSubscriber") {
			continue
		}
		looked++
		want := row.op
		if other, ok := composed[row.fn]; ok {
			want = other
		}
		text := describe.Chain("", made)
		stages := strings.Split(inBrackets.ReplaceAllString(text, ""), " → ")
		assert.Equal(t, want, stages[len(stages)-1], "%s: %s of type %T", row.fn, text, made)
	}
	assert.Greater(t, looked, 150)
}
