package operators

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// flattened are the stages that compute their inner publishers where they can.
var flattened = map[string]func(src reactor.Publisher[int], fn func(int) reactor.Publisher[*piece]) reactor.Publisher[*piece]{
	"flatMap": func(src reactor.Publisher[int], fn func(int) reactor.Publisher[*piece]) reactor.Publisher[*piece] {
		return FlatMap(src, fn)
	},
	"flatMap, one at a time, errors delayed": func(src reactor.Publisher[int], fn func(int) reactor.Publisher[*piece]) reactor.Publisher[*piece] {
		return FlatMap(src, fn, Concurrency(1), DelayErrors())
	},
	"flatMapSignal": func(src reactor.Publisher[int], fn func(int) reactor.Publisher[*piece]) reactor.Publisher[*piece] {
		return FlatMapSignal(src, fn, nil, func() reactor.Publisher[*piece] { return fn(-1) })
	},
	"concatMap": func(src reactor.Publisher[int], fn func(int) reactor.Publisher[*piece]) reactor.Publisher[*piece] {
		return ConcatMap(src, fn)
	},
	"concatMap, errors delayed": func(src reactor.Publisher[int], fn func(int) reactor.Publisher[*piece]) reactor.Publisher[*piece] {
		return ConcatMap(src, fn, DelayErrors(), Prefetch(1))
	},
	"concatMap, continued": func(src reactor.Publisher[int], fn func(int) reactor.Publisher[*piece]) reactor.Publisher[*piece] {
		return ConcatMap(src, fn, Prefetch(0))
	},
}

// looking is who subscribes to such a stage.
type looking struct {
	c      *chances
	demand int64
	panics bool // at the second element
	seen   int
	up     reactor.Subscription
}

func (l *looking) OnSubscribe(up reactor.Subscription) {
	l.up = up
	l.c.act = up.Cancel
	up.Request(l.demand)
}

func (l *looking) OnNext(v *piece) {
	l.c.noteElement("next", v)
	if l.seen++; l.seen == 2 && l.panics {
		l.c.note("panic")
		panic("next")
	}
	if l.demand == 1 {
		l.up.Request(1)
	}
}

func (l *looking) OnError(err error) { l.c.note("error %v", err) }
func (l *looking) OnComplete()       { l.c.note("complete") }

// cancelled reports whether downstream has cancelled within a function, and returns the notes until then. What comes behind may differ: one
// that is computed stops earlier where one that is subscribed to does not look.
func (c *chances) cancelled(t *testing.T) ([]string, bool) {
	if c.at <= 0 || c.at > len(c.log) {
		return c.log, false
	}
	for _, note := range c.log[c.at:] {
		name, _, _ := strings.Cut(note, " ")
		assert.NotContains(t, []string{"next", "error", "complete"}, name, "%v, cancelled at %d", c.log, c.at)
	}
	return c.log[:c.at], true
}

// Inner publishers that are computed call the same functions, with the same elements and in the same order, as those that are subscribed
// to, end the same way, and tell the same elements that nobody gets them: also if downstream fails, or cancels within any function.
func TestInnersAreComputedAsTheyAreSubscribed(t *testing.T) {
	before := slog.Default()
	defer slog.SetDefault(before)
	subscribed := reactor.WithHooks(context.Background(), reactor.Hooks{})
	placed := 0
	for name, stage := range flattened {
		for i := range racetest.Iterations(6000) {
			var logs [2][]string
			var told [2][]int
			var shapes string
			for mode, ctx := range []context.Context{context.Background(), subscribed} {
				c := &chances{Rand: rand.New(rand.NewPCG(21, uint64(i)))}
				slog.SetDefault(slog.New(dropped{slog.DiscardHandler, c}))
				inners := []reactor.Publisher[*piece]{c.chain(c.IntN(4)), c.chain(c.IntN(3)), c.chain(c.IntN(3)), c.chain(1)}
				shapes = ""
				for _, inner := range inners {
					shapes += shape(reflect.ValueOf(inner)) + " "
					if isInPlace(inner) && mode == 0 {
						placed++
					}
				}
				down := &looking{c: c, demand: []int64{1, 2, reactor.Unbounded, reactor.Unbounded}[c.IntN(4)], panics: c.IntN(4) == 0}
				c.at = -1
				if c.IntN(2) == 0 && !down.panics {
					c.at = len(c.log) + c.IntN(8)
				}
				racetest.Aside(func() {
					stage(Hide(Range(0, 3)), func(n int) reactor.Publisher[*piece] {
						c.note("inner %d", n)
						return inners[(n+4)%4]
					}).Subscribe(ctx, down)
				})
				var cut bool
				if logs[mode], cut = c.cancelled(t); cut {
					continue
				}
				for _, p := range c.pieces {
					told[mode] = append(told[mode], p.told)
				}
			}
			if strings.Contains(fmt.Sprint(logs[0]), "panic: next") { // of that and of what was held back, either may be told first
				slices.Sort(logs[0])
				slices.Sort(logs[1])
			}
			require.Equal(t, logs[1], logs[0], "%s %d: %s", name, i, shapes)
			// A panic fails the element that the source has sent, and if it is computed the one that the function was called with.
			if !strings.Contains(fmt.Sprint(logs[0]), "panic") {
				require.Equal(t, told[1], told[0], "%s %d: %v %s", name, i, logs[0], shapes)
			}
		}
	}
	assert.NotZero(t, placed)
	t.Log("computed:", placed)
}

// Behind a cancellation an error is reported once, and an element discarded once, wherever the one or the other comes from.
func TestInnersThatCancelWhileTheyAreComputed(t *testing.T) {
	for name, inner := range map[string]func(cancel func(), v *piece) reactor.Publisher[*piece]{
		"element of func": func(cancel func(), v *piece) reactor.Publisher[*piece] {
			return Map(FromFunc(func(context.Context) (*piece, error) { cancel(); return v, nil }), func(v *piece) *piece { panic("called") })
		},
		"element of callable": func(cancel func(), v *piece) reactor.Publisher[*piece] {
			return DoOnSuccess(FromCallable(func() (*piece, error) { cancel(); return v, nil }), func(*piece, bool) { panic("called") })
		},
		"nothing of callable": func(cancel func(), v *piece) reactor.Publisher[*piece] {
			v.told++
			return DoOnSuccess(FromOptional(func() (*piece, bool, error) { cancel(); return nil, false, nil }), func(*piece, bool) { panic("called") })
		},
		"element of map": func(cancel func(), v *piece) reactor.Publisher[*piece] {
			return Map(Just(v), func(v *piece) *piece { cancel(); return v })
		},
		"error of func": func(cancel func(), v *piece) reactor.Publisher[*piece] {
			return OnErrorReturn(FromFunc(func(context.Context) (*piece, error) { cancel(); return nil, errBoom }), v)
		},
		"error of callable": func(cancel func(), v *piece) reactor.Publisher[*piece] {
			return OnErrorReturn(FromCallable(func() (*piece, error) { cancel(); return nil, errBoom }), v)
		},
		"error of map": func(cancel func(), v *piece) reactor.Publisher[*piece] {
			return OnErrorReturn(TryMap(Just(&piece{}), func(*piece) (*piece, error) { cancel(); return nil, errBoom }), v)
		},
		"panic of func": func(cancel func(), v *piece) reactor.Publisher[*piece] {
			return OnErrorReturn(FromFunc(func(context.Context) (*piece, error) { cancel(); panic(errBoom) }), v)
		},
		"error that a filter has let in": func(cancel func(), v *piece) reactor.Publisher[*piece] {
			return OnErrorReturn(FromCallable(func() (*piece, error) { return nil, errBoom }), v, WhenError(func(error) bool { cancel(); return true }))
		},
		"error that a filter has let in to a fallback": func(cancel func(), v *piece) reactor.Publisher[*piece] {
			return OnErrorResume(FromCallable(func() (*piece, error) { return nil, errBoom }),
				func(error) reactor.Publisher[*piece] { panic("called") }, WhenError(func(error) bool { cancel(); return true }))
		},
		"error that follows": func(cancel func(), v *piece) reactor.Publisher[*piece] {
			v.told++
			return MonoFlatMap(Just(&piece{}), func(*piece) reactor.Publisher[*piece] { cancel(); return Error[*piece](errBoom) })
		},
		"callable that follows": func(cancel func(), v *piece) reactor.Publisher[*piece] {
			v.told++
			return MonoFlatMap(Just(&piece{}), func(*piece) reactor.Publisher[*piece] {
				cancel()
				return Map(FromFunc(func(context.Context) (*piece, error) { panic("called") }), func(v *piece) *piece { return v })
			})
		},
	} {
		for stage, flatten := range flattened {
			for mode, ctx := range []context.Context{context.Background(), reactor.WithHooks(context.Background(), reactor.Hooks{})} {
				t.Run(fmt.Sprint(name, ", ", stage, ", ", mode), func(t *testing.T) {
					before := slog.Default()
					defer slog.SetDefault(before)
					c := &chances{}
					slog.SetDefault(slog.New(dropped{slog.DiscardHandler, c}))
					down := &looking{c: c, demand: reactor.Unbounded}
					v := &piece{}
					flatten(Hide(Range(0, 3)), func(int) reactor.Publisher[*piece] { return inner(func() { down.up.Cancel() }, v) }).Subscribe(ctx, down)
					if strings.Contains(name, "error") || strings.Contains(name, "panic") {
						require.Len(t, c.log, 2)
						assert.Contains(t, c.log[1], "boom")
						assert.NotContains(t, c.log[1], "called")
					} else {
						assert.Empty(t, c.log)
						assert.Equal(t, 1, v.told)
					}
				})
			}
		}
	}
}

// Hooks hear of the failure of a function in an inner publisher, with its element, whether there were hooks at the beginning or not.
func TestHooksHearOfInnersThatCouldBeComputed(t *testing.T) {
	for stage, flatten := range flattened {
		var heard []any
		ctx := reactor.WithHooks(context.Background(), reactor.Hooks{OperatorError: func(_ context.Context, err error, v any) error {
			heard = append(heard, v)
			return err
		}})
		v := &piece{id: 7}
		down := &looking{c: &chances{}, demand: reactor.Unbounded}
		flatten(Hide(Range(0, 1)), func(int) reactor.Publisher[*piece] {
			return TryMap(FromFunc(func(context.Context) (*piece, error) { return v, nil }), func(*piece) (*piece, error) { return nil, errBoom })
		}).Subscribe(ctx, down)
		assert.Contains(t, heard, any(v), stage)
	}
}

// The context of a function in an inner publisher ends with the stream, and a publisher that is computed under it says why.
func TestContextOfAFunctionThatIsComputed(t *testing.T) {
	for stage, flatten := range flattened {
		var down *looking
		var came error
		inner := Map(FromFunc(func(ctx context.Context) (*piece, error) {
			assert.NoError(t, ctx.Err())
			_, came = Block(ctx, Map(FromFunc(func(context.Context) (*piece, error) { down.up.Cancel(); return nil, nil }),
				func(v *piece) *piece { return v }))
			return nil, context.Cause(ctx)
		}), func(v *piece) *piece { return v })
		down = &looking{c: &chances{}, demand: reactor.Unbounded}
		flatten(Hide(Range(0, 1)), func(int) reactor.Publisher[*piece] { return inner }).Subscribe(context.Background(), down)
		assert.Equal(t, reactor.ErrCancelled, came, stage)
	}
}
