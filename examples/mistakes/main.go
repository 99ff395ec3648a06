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
	"slices"
	"time"
)

// mistake is a program that is wrong.
type mistake struct {
	name string
	run  func(ctx context.Context, out io.Writer) error
}

// mistakes are in the order of README.md.
var mistakes = []mistake{
	{"not-subscribed", notSubscribed},
	{"result-ignored", resultIgnored},
	{"error-swallowed", errorSwallowed},
	{"panic-in-map", panicInMap},
	{"block-in-map", blockInMap},
	{"block-in-a-goroutine", blockInAGoroutine},
	{"blocking-on-parallel", blockingOnParallel},
	{"last-worker", lastWorker},
	{"endless-inners", endlessInners},
	{"too-many-groups", tooManyGroups},
	{"create-without-demand", createWithoutDemand},
	{"never-cancelled", neverCancelled},
	{"two-subscribers", twoSubscribers},
	{"virtual-time-stands", virtualTimeStands},
	{"busy-loop-reused", busyLoopReused},
}

func main() {
	if len(os.Args) < 2 {
		for _, m := range mistakes {
			fmt.Println(m.name)
		}
		return
	}
	i := slices.IndexFunc(mistakes, func(m mistake) bool { return m.name == os.Args[1] })
	if i < 0 {
		fmt.Fprintf(os.Stderr, "mistakes: there is none called %q; run without a name for the list\n", os.Args[1])
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	fmt.Printf("the program ends with: %+v\n", mistakes[i].run(ctx, os.Stdout))
}
