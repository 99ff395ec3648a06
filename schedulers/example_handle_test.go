package schedulers_test

import (
	"context"
	"fmt"

	"github.com/goreactor/reactor/schedulers"
)

// lookup is an object with a task, and the handle on it.
type lookup struct {
	schedulers.Handle
	word        string
	begin, done chan struct{}
}

func newLookup(word string) *lookup {
	return &lookup{word: word, begin: make(chan struct{}), done: make(chan struct{})}
}

// Run is the task.
func (l *lookup) Run(context.Context) {
	defer close(l.done)
	<-l.begin
	fmt.Println("looked up", l.word)
}

// A task that is an object has its handle in it: nothing else is allocated for it.
func ExampleHandle() {
	s := schedulers.NewSingle("dictionary")
	defer s.Dispose()
	first, second := newLookup("reactor"), newLookup("proactor")
	for _, l := range []*lookup{first, second} {
		if err := l.Schedule(s, l); err != nil {
			fmt.Println(err)
			return
		}
	}
	second.Dispose() // it waits behind the first one, and is taken back
	close(first.begin)
	<-first.done
	fmt.Println("the second one is disposed:", second.IsDisposed())
	// Output:
	// looked up reactor
	// the second one is disposed: true
}
