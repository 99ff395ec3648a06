package flux_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
)

func ExampleFlux_Checkpoint() {
	rows := flux.Error[string](io.ErrUnexpectedEOF).Checkpoint("rows")
	page := rows.Take(10).Checkpoint("page")

	err := page.Run(context.Background())
	fmt.Println(err, errors.Is(err, io.ErrUnexpectedEOF))
	for _, c := range reactor.Checkpoints(err) {
		fmt.Println(c.Description, path.Base(c.File))
	}
	// Output:
	// unexpected EOF true
	// rows example_checkpoint_test.go
	// page example_checkpoint_test.go
}

func ExampleStackTrace() {
	err := flux.Error[int](io.EOF).Checkpoint("orders", flux.StackTrace()).Run(context.Background())
	at := reactor.Checkpoints(err)[0]
	fmt.Println(path.Base(at.Stack[0].File), len(at.Stack) > 1)
	// Output: example_checkpoint_test.go true
}

func ExampleParallelFlux_Checkpoint() {
	err := flux.Error[int](io.EOF).Parallel(2).Checkpoint("rails").Sequential().Run(context.Background())
	fmt.Println(err, reactor.Checkpoints(err)[0].Description)
	// Output: EOF rails
}
