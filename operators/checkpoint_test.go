package operators_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/operators"
)

// here returns the line of its caller.
func here() int {
	_, _, line, _ := runtime.Caller(1)
	return line
}

// passedBy returns the checkpoints that the error of p has passed.
func passedBy(t *testing.T, p reactor.Publisher[int]) []reactor.Checkpoint {
	t.Helper()
	err := operators.ForEach(context.Background(), p, func(int) {})
	require.Error(t, err)
	return reactor.Checkpoints(err)
}

func assertSite(t *testing.T, c reactor.Checkpoint, description, function string, line int) {
	t.Helper()
	assert.Equal(t, description, c.Description)
	assert.Equal(t, "checkpoint_test.go", path.Base(c.File))
	assert.Equal(t, line, c.Line)
	assert.Contains(t, c.Function, function)
}

func TestCheckpointSaysWhereTheStreamWasAssembled(t *testing.T) {
	failed := operators.Hide(operators.Error[int](io.EOF))
	p := operators.Checkpoint(failed, "one")
	one := here() - 1
	p = operators.Checkpoint(operators.Filter(p, func(int) bool { return true }), "two", operators.StackTrace())
	two := here() - 1

	passed := passedBy(t, p)
	require.Len(t, passed, 2)
	assertSite(t, passed[0], "one", "TestCheckpointSaysWhere", one)
	assert.Nil(t, passed[0].Stack)
	assertSite(t, passed[1], "two", "TestCheckpointSaysWhere", two)
	require.Greater(t, len(passed[1].Stack), 1)
	assert.Equal(t, two, passed[1].Stack[0].Line)
	assert.Equal(t, "testing.tRunner", passed[1].Stack[1].Function)
	assert.Len(t, passed[1].Stack, 2)
}

func TestCheckpointThroughTheFaces(t *testing.T) {
	f := flux.Error[int](io.EOF).Hide().Checkpoint("flux")
	assertSite(t, passedBy(t, f)[0], "flux", "ThroughTheFaces", here()-1)
	f = flux.Error[int](io.EOF).Parallel(1).Checkpoint("rails").Sequential()
	assertSite(t, passedBy(t, f)[0], "rails", "ThroughTheFaces", here()-1)
	// A function that the library calls is the program's all the same.
	f = flux.Error[int](io.EOF).TransformDeferred(func(f flux.Flux[int]) flux.Flux[int] { return f.Checkpoint("deferred") })
	assertSite(t, passedBy(t, f)[0], "deferred", "ThroughTheFaces", here()-1)
}

func TestCheckpointPassesEverythingElse(t *testing.T) {
	for _, src := range []reactor.Publisher[int]{operators.Just(1), operators.Hide(operators.Just(1))} {
		var got []int
		err := operators.ForEach(context.Background(), operators.Checkpoint(src, "x"), func(v int) { got = append(got, v) })
		assert.NoError(t, err)
		assert.Equal(t, []int{1}, got)
	}
}

func TestCheckpointLeavesFailuresOfWhatIsDownstream(t *testing.T) {
	for name, src := range map[string]reactor.Publisher[int]{
		"pushed":  operators.Checkpoint(operators.Range(1, 3), "x"),
		"emitted": operators.Checkpoint(operators.Hide(operators.Merge(operators.Range(1, 3), operators.Range(4, 3))), "x"),
	} {
		t.Run(name, func(t *testing.T) {
			p := operators.Map(src, func(int) int { panic("mine") })
			err := operators.ForEach(context.Background(), p, func(int) {})
			var panicked *reactor.PanicError
			require.ErrorAs(t, err, &panicked)
			assert.Empty(t, reactor.Checkpoints(err))
		})
	}
}

// A callable source stays one behind a checkpoint, with its errors and its panics.
func TestCheckpointOfACallable(t *testing.T) {
	fails := operators.FromCallable(func() (int, error) { return 0, io.EOF })
	panics := operators.FromCallable(func() (int, error) { panic("mine") })
	for name, src := range map[string]reactor.Publisher[int]{"error": fails, "panic": panics} {
		t.Run(name, func(t *testing.T) {
			inner := operators.Checkpoint(src, "inner")
			asIs := func(p reactor.Publisher[int]) reactor.Publisher[int] { return p }
			for _, p := range []reactor.Publisher[int]{
				inner,
				operators.FlatMap(operators.Just(inner), asIs),
				operators.FlatMap(operators.Range(1, 2), func(int) reactor.Publisher[int] { return inner }),
				operators.MonoFlatMap(inner, operators.Just[int]),
			} {
				passed := passedBy(t, p)
				require.Len(t, passed, 1, fmt.Sprintf("%T", p))
				assert.Equal(t, "inner", passed[0].Description)
			}
			err := operators.ForEach(context.Background(), operators.FlatMap(operators.Range(1, 1), func(int) reactor.Publisher[int] { return inner }), func(int) {})
			var panicked *reactor.PanicError
			if errors.As(err, &panicked) {
				assert.Equal(t, "mine", panicked.Value)
				assert.Equal(t, "fromCallable", panicked.Op)
			}
			assert.Equal(t, name == "panic", panicked != nil)
		})
	}
}

func TestCheckpointIsPassedByEachAttempt(t *testing.T) {
	p := operators.Retry(operators.Checkpoint(operators.Hide(operators.Error[int](io.EOF)), "source"), operators.Times(2))
	passed := passedBy(t, operators.Checkpoint(p, "all"))
	require.Len(t, passed, 2, "a source that fails again has an error of its own")
	assert.Equal(t, "source", passed[0].Description)
}

func TestParallelCheckpoint(t *testing.T) {
	p := operators.ParallelCheckpoint(operators.Parallel(operators.Error[int](errFailed), 2), "orders")
	_, err := operators.Collect(t.Context(), operators.ParallelSequential(p))
	assert.ErrorIs(t, err, errFailed)
	assert.Equal(t, "orders", reactor.Checkpoints(err)[0].Description)
}
