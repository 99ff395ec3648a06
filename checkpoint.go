package reactor

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
)

// Checkpoint is a place in the assembly of a stream that an error has passed.
type Checkpoint struct {
	Description string // what the program calls the place, may be ""
	Function    string // the function that assembled it
	File        string // and where
	Line        int
	// Stack is the whole stack of the assembly, that function first; nil unless it
	// was asked for.
	Stack []runtime.Frame
}

// String returns for example
// `checkpoint "orders", assembled at /src/shop/orders.go:42 (main.orders)`.
func (c Checkpoint) String() string {
	s := "checkpoint"
	if c.Description != "" {
		s += " " + strconv.Quote(c.Description)
	}
	if c.File != "" {
		s += fmt.Sprintf(", assembled at %s:%d (%s)", c.File, c.Line, c.Function)
	}
	return s
}

// CheckpointError is an error with the checkpoints that it has passed on its way
// downstream. Everywhere else it behaves like Err: its message is that of Err, and
// errors.Is and errors.As find Err. Printed with %+v, it shows the checkpoints as
// well:
//
//	unexpected EOF
//		checkpoint "rows", assembled at /src/shop/rows.go:17 (main.rows)
//		checkpoint "page", assembled at /src/shop/page.go:40 (main.page)
type CheckpointError struct {
	Err         error
	Checkpoints []Checkpoint // in the order in which Err has passed them
	way         *way         // what Checkpoints is a part of; nil: it is all there is
}

// way is an array of checkpoints that errors share which have come the same way. With a copy for each checkpoint, one that comes
// out of a recursion costs n² for n levels.
type way struct {
	places []Checkpoint
	used   atomic.Int64 // of places; who moves it owns the one before it
}

// fewCheckpoints are copied: most errors pass no more.
const fewCheckpoints = 8

// beyond returns the checkpoints of e with c behind them, and the way they are a part of.
func (e *CheckpointError) beyond(c Checkpoint) ([]Checkpoint, *way) {
	n, w := len(e.Checkpoints), e.way
	if n < fewCheckpoints {
		return append(slices.Clip(e.Checkpoints), c), nil
	}
	// Who has an error may have changed what is in its field.
	if w == nil || n >= len(w.places) || &e.Checkpoints[0] != &w.places[0] || !w.used.CompareAndSwap(int64(n), int64(n+1)) {
		w = &way{places: make([]Checkpoint, 2*n)}
		copy(w.places, e.Checkpoints)
		w.used.Store(int64(n + 1))
	}
	w.places[n] = c
	return w.places[: n+1 : n+1], w
}

// PassCheckpoint returns err with one more checkpoint. err itself, which others may
// hold too, stays as it is.
func PassCheckpoint(err error, c Checkpoint) error {
	e, ok := err.(*CheckpointError)
	if !ok {
		return &CheckpointError{Err: NonNil(err), Checkpoints: []Checkpoint{c}}
	}
	passed, w := e.beyond(c)
	return &CheckpointError{Err: e.Err, Checkpoints: passed, way: w}
}

// Checkpoints returns the checkpoints that err and the errors in it have passed, the
// first one first.
func Checkpoints(err error) []Checkpoint {
	switch e := err.(type) {
	case *CheckpointError:
		return append(Checkpoints(e.Err), e.Checkpoints...)
	case interface{ Unwrap() error }:
		return Checkpoints(e.Unwrap())
	case interface{ Unwrap() []error }:
		var all []Checkpoint
		for _, part := range e.Unwrap() {
			all = append(all, Checkpoints(part)...)
		}
		return all
	}
	return nil
}

// Error returns the message of Err.
func (e *CheckpointError) Error() string { return NonNil(e.Err).Error() }

// Unwrap returns Err.
func (e *CheckpointError) Unwrap() error { return e.Err }

// Format implements fmt.Formatter: %+v prints the checkpoints too, those of the
// errors within Err included; everything else prints the message.
func (e *CheckpointError) Format(f fmt.State, verb rune) {
	if verb != 'v' || !f.Flag('+') {
		fmt.Fprintf(f, fmt.FormatString(f, verb), e.Error())
		return
	}
	fmt.Fprintf(f, "%+v", NonNil(e.Err))
	passed := e.Checkpoints
	_, tells := e.Err.(fmt.Formatter)
	if _, panicked := e.Err.(*PanicError); !tells || panicked { // which tells its stack
		passed = Checkpoints(e)
	}
	for _, c := range passed {
		_, _ = io.WriteString(f, "\n\t"+c.String())
		for _, at := range c.Stack {
			fmt.Fprintf(f, "\n\t\t%s\n\t\t\t%s:%d", at.Function, at.File, at.Line)
		}
	}
}
