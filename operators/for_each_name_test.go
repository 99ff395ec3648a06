package operators_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

type fragile struct{}

func (fragile) take(int)   { panic(errFragile) }
func (*fragile) clear(int) { panic(errFragile) }

var errFragile = errors.New("fragile")

// The function of ForEach is called by the source or by the stage above, without a frame of ForEach in between:
// a panic of it is no failure of theirs.
func TestForEachNamesItselfForPanics(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	defer cancel()
	panics := func(int) { panic(errFragile) }
	id := func(v int) int { return v }
	numbers := operators.Range(0, 3)
	for _, ctx := range []context.Context{context.Background(), ended} {
		for name, src := range map[string]reactor.Publisher[int]{
			"range": numbers, "slice": operators.FromSlice([]int{1}), "map": operators.Map(numbers, id),
			"filter":     operators.Filter(numbers, func(int) bool { return true }),
			"hop":        operators.PublishOn(operators.Map(numbers, id), schedulers.Parallel()),
			"flatMap":    operators.FlatMap(numbers, operators.Just[int]),
			"scan":       operators.Scan(numbers, func(a, b int) int { return a + b }),
			"create":     operators.Create(func(s *operators.FluxSink[int]) { s.Next(1) }),
			"checkpoint": operators.Checkpoint(operators.Map(numbers, id), "here"),
		} {
			for what, fn := range map[string]func(int){"a function": panics, "a method": fragile{}.take, "of a pointer": (&fragile{}).clear} {
				err := operators.ForEach(ctx, src, fn)
				require.ErrorIs(t, err, errFragile)
				p, ok := errors.AsType[*reactor.PanicError](err)
				require.True(t, ok)
				assert.Equal(t, "forEach", p.Op, "%s, %s", name, what)
			}
		}
	}
	err := operators.ForEach(t.Context(), operators.Map(numbers, func(int) int { panic(errFragile) }), panics)
	p, ok := errors.AsType[*reactor.PanicError](err)
	require.True(t, ok)
	assert.Equal(t, "map", p.Op, "that of another function keeps its name")
}

// brittle is a subscriber that panics.
type brittle struct{}

func (*brittle) OnSubscribe(s reactor.Subscription) { s.Request(1) }
func (*brittle) OnNext(int)                         { panic(errFragile) }
func (*brittle) OnError(error)                      {}
func (*brittle) OnComplete()                        {}

func TestPanicsOfForeignSubscribersAreNoFailureOfAStage(t *testing.T) {
	var dropped error
	ctx := reactor.WithHooks(t.Context(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { dropped = err }})
	operators.Map(operators.Range(0, 3), func(v int) int { return v }).Subscribe(ctx, &brittle{})
	assert.EqualError(t, dropped, "reactor: subscribe: panic: fragile")
}
