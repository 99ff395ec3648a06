package execstream_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/goreactor/reactor/adapt/execstream"
	"github.com/goreactor/reactor/schedulers"
)

func ExampleOutput() {
	var s started
	for line, err := range execstream.Output(s.child("fail", 0)).All(context.Background()) {
		exit, _ := errors.AsType[*exec.ExitError](err)
		fmt.Println(line.Stream, line.Text, exit)
	}
	// Output:
	// stdout last words <nil>
	// stdout  exit status 3
}

func ExampleStdin() {
	var s started
	fmt.Println(execstream.Output(s.child("cat", 0), execstream.Stdin(chunks("to\n", "be")), execstream.On(schedulers.BoundedElastic())).Collect(context.Background()))
	// Output: [{stdout to} {stdout be}] <nil>
}

func ExampleCommand() {
	fmt.Println(execstream.Command("/bin/ls", "-l")(context.Background()))
	// Output: /bin/ls -l
}

func ExampleGrace() {
	fmt.Println(time.Duration(execstream.Grace(time.Second)))
	// Output: 1s
}

func ExampleMaxLine() {
	fmt.Println(execstream.MaxLine(64 << 10))
	// Output: 65536
}

func ExampleOn() {
	fmt.Printf("%T\n", execstream.On(schedulers.BoundedElastic()))
	// Output: execstream.OnOption
}
