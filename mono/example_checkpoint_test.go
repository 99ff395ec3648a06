package mono_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/mono"
)

func ExampleMono_Checkpoint() {
	_, err := mono.Error[int](io.EOF).Checkpoint("stock").Block(context.Background())
	fmt.Println(err, errors.Is(err, io.EOF))
	for _, c := range reactor.Checkpoints(err) {
		fmt.Println(c.Description, path.Base(c.File))
	}
	// Output:
	// EOF true
	// stock example_checkpoint_test.go
}

func ExampleStackTrace() {
	_, err := mono.Error[int](io.EOF).Checkpoint("stock", mono.StackTrace()).Block(context.Background())
	at := reactor.Checkpoints(err)[0]
	fmt.Println(path.Base(at.Stack[0].File), len(at.Stack) > 1)
	// Output: example_checkpoint_test.go true
}
