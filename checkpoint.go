package reactor

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
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
// downstream. It stands for Err everywhere: the message is that of Err, errors.Is
// and errors.As see Err. Printed with %+v it tells the way as well:
//
//	unexpected EOF
//		checkpoint "rows", assembled at /src/shop/rows.go:17 (main.rows)
//		checkpoint "page", assembled at /src/shop/page.go:40 (main.page)
type CheckpointError struct {
	Err         error
	Checkpoints []Checkpoint // in the order in which Err has passed them
}

// PassCheckpoint returns err with one more checkpoint. err itself, which others may
// hold too, stays as it is.
func PassCheckpoint(err error, c Checkpoint) error {
	e, ok := err.(*CheckpointError)
	if !ok {
		return &CheckpointError{Err: NonNil(err), Checkpoints: []Checkpoint{c}}
	}
	return &CheckpointError{Err: e.Err, Checkpoints: append(slices.Clip(e.Checkpoints), c)}
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
