package reactor_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/goreactor/reactor"
	"github.com/stretchr/testify/assert"
)

func ExampleCheckpoints() {
	err := reactor.PassCheckpoint(io.ErrUnexpectedEOF, reactor.Checkpoint{Description: "rows"})
	err = fmt.Errorf("reading: %w", err)
	err = reactor.PassCheckpoint(err, reactor.Checkpoint{Description: "page"})
	fmt.Println(err)
	fmt.Println(reactor.Checkpoints(err))
	// Output:
	// reading: unexpected EOF
	// [checkpoint "rows" checkpoint "page"]
}

func ExamplePassCheckpoint() {
	at := reactor.Checkpoint{Description: "rows", Function: "main.rows", File: "/src/shop/rows.go", Line: 17}
	fmt.Printf("%+v\n", reactor.PassCheckpoint(io.ErrUnexpectedEOF, at))
	// Output:
	// unexpected EOF
	// 	checkpoint "rows", assembled at /src/shop/rows.go:17 (main.rows)
}

func TestCheckpointsAccumulateWithoutTouchingTheError(t *testing.T) {
	first := reactor.PassCheckpoint(io.EOF, reactor.Checkpoint{Description: "a"})
	left := reactor.PassCheckpoint(first, reactor.Checkpoint{Description: "b"})
	right := reactor.PassCheckpoint(first, reactor.Checkpoint{Description: "c"})

	for err, want := range map[error][]string{first: {"a"}, left: {"a", "b"}, right: {"a", "c"}} {
		var got []string
		for _, c := range reactor.Checkpoints(err) {
			got = append(got, c.Description)
		}
		assert.Equal(t, want, got)
		assert.ErrorIs(t, err, io.EOF)
		assert.EqualError(t, err, "EOF")
		assert.Same(t, io.EOF, errors.Unwrap(err), "one layer, however many checkpoints")
	}
	assert.ErrorIs(t, reactor.PassCheckpoint(nil, reactor.Checkpoint{}), reactor.ErrNilError)
	assert.EqualError(t, &reactor.CheckpointError{}, reactor.ErrNilError.Error())
	assert.Equal(t, "reactor.ErrNilError", fmt.Sprintf("%+v", &reactor.CheckpointError{Err: errors.New("reactor.ErrNilError")}))
}

// An error that comes out of a recursion passes a checkpoint at each level: what it has passed is not copied there.
func TestCheckpointsOfARecursion(t *testing.T) {
	const n = 3000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	all := []error{io.EOF}
	for i := range n {
		all = append(all, reactor.PassCheckpoint(all[i], reactor.Checkpoint{Line: i}))
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(n*2000))
	lines := func(err error) (list []int) {
		for _, c := range reactor.Checkpoints(err) {
			list = append(list, c.Line)
		}
		return list
	}
	want := make([]int, n)
	for i := range want {
		want[i] = i
	}
	assert.Equal(t, want, lines(all[n]))
	for _, i := range []int{1, 7, 8, 9, 100, n - 1} { // ways that part
		left, right := reactor.PassCheckpoint(all[i], reactor.Checkpoint{Line: -1}), reactor.PassCheckpoint(all[i], reactor.Checkpoint{Line: -2})
		assert.Equal(t, append(want[:i:i], -1), lines(left))
		assert.Equal(t, append(want[:i:i], -2), lines(right))
		assert.Equal(t, append(want[:i:i], -2, -3), lines(reactor.PassCheckpoint(right, reactor.Checkpoint{Line: -3})))
	}
	e := all[n].(*reactor.CheckpointError)
	e.Checkpoints = append(e.Checkpoints[:20], reactor.Checkpoint{Line: -4}) // it is its owner's
	assert.Equal(t, append(want[:20:20], -4, -5), lines(reactor.PassCheckpoint(e, reactor.Checkpoint{Line: -5})))
}

func TestCheckpointsOfSeveralErrors(t *testing.T) {
	pass := func(err error, d string) error {
		return reactor.PassCheckpoint(err, reactor.Checkpoint{Description: d})
	}
	joined := errors.Join(pass(io.EOF, "a"), io.ErrNoProgress, pass(io.ErrShortWrite, "b"))
	assert.Equal(t, `[checkpoint "a" checkpoint "b" checkpoint "c"]`, fmt.Sprint(reactor.Checkpoints(pass(joined, "c"))))
	assert.Empty(t, reactor.Checkpoints(nil))
	assert.Empty(t, reactor.Checkpoints(io.EOF))
}

// traced is an error that prints itself.
type traced struct{ error }

func (e traced) Format(f fmt.State, verb rune) { _, _ = fmt.Fprintf(f, "<%v %c>", e.error, verb) }
func (e traced) Unwrap() error                 { return e.error }

func TestCheckpointErrorPrints(t *testing.T) {
	at := reactor.Checkpoint{Description: "rows", Function: "main.rows", File: "/rows.go", Line: 17}
	err := reactor.PassCheckpoint(errors.New("boom"), at)
	assert.Equal(t, "boom boom \"boom\"   boom", fmt.Sprintf("%v %s %q %6v", err, err, err, err))
	assert.Equal(t, "boom\n\tcheckpoint \"rows\", assembled at /rows.go:17 (main.rows)", fmt.Sprintf("%+v", err))

	within := reactor.PassCheckpoint(fmt.Errorf("page: %w", err), reactor.Checkpoint{})
	assert.Equal(t, "page: boom\n\tcheckpoint \"rows\", assembled at /rows.go:17 (main.rows)\n\tcheckpoint", fmt.Sprintf("%+v", within))

	own := reactor.PassCheckpoint(traced{err}, reactor.Checkpoint{Description: "page"})
	assert.Equal(t, "<boom v>\n\tcheckpoint \"page\"", fmt.Sprintf("%+v", own), "an error that prints itself says what is in it")

	panicked := reactor.PassCheckpoint(&reactor.PanicError{Op: "map", Value: err, Stack: []byte("stack")}, reactor.Checkpoint{Description: "page"})
	assert.Equal(t, "reactor: map: panic: boom\n\nstack\n\tcheckpoint \"rows\", assembled at /rows.go:17 (main.rows)\n\tcheckpoint \"page\"",
		fmt.Sprintf("%+v", panicked), "an error that was thrown has passed them, too")

	at.Stack = []runtime.Frame{{Function: "main.rows", File: "/rows.go", Line: 17}, {Function: "main.main", File: "/main.go", Line: 3}}
	assert.Equal(t, "EOF\n\tcheckpoint \"rows\", assembled at /rows.go:17 (main.rows)"+
		"\n\t\tmain.rows\n\t\t\t/rows.go:17\n\t\tmain.main\n\t\t\t/main.go:3", fmt.Sprintf("%+v", reactor.PassCheckpoint(io.EOF, at)))
}
