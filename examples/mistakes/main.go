// Command mistakes makes the classic mistakes with streams, one at a time, and shows what
// the library says.
//
//	go run ./examples/mistakes [name]
//
// Without a name it lists them. README.md says for each what one sees, and the cure. Those
// that hang are reported within 30 s, and given up after a minute.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

// mistake is a program that is wrong.
type mistake struct {
	name string
	run  func(ctx context.Context, out io.Writer) error
}

var mistakes = []mistake{
	{"not-subscribed", notSubscribed},
	{"result-ignored", resultIgnored},
	{"block-in-map", blockInMap},
	{"block-in-a-goroutine", blockInAGoroutine},
	{"endless-inners", endlessInners},
	{"too-many-groups", tooManyGroups},
	{"create-without-demand", createWithoutDemand},
	{"panic-in-map", panicInMap},
	{"never-cancelled", neverCancelled},
	{"two-subscribers", twoSubscribers},
	{"last-worker", lastWorker},
	{"virtual-time-stands", virtualTimeStands},
	{"error-swallowed", errorSwallowed},
	{"busy-loop-reused", busyLoopReused},
	{"blocking-on-parallel", blockingOnParallel},
}

func main() {
	for _, m := range mistakes {
		if len(os.Args) < 2 {
			fmt.Println(m.name)
		} else if m.name == os.Args[1] {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			fmt.Printf("the program ends with: %+v\n", m.run(ctx, os.Stdout))
		}
	}
}
