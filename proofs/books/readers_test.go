package books

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// ending is how a program is read.
type ending struct {
	kind int // one of the endings
	n    int
}

// reader is at the end of a tree.
type reader interface {
	// read subscribes, and may wait for the end.
	read(src publisher)
	// cancel is called from anywhere, at any time.
	cancel()
	// ask asks for a little more, as cancel is called.
	ask()
	// finish lets a reader that has held back ask for everything.
	finish()
	// isOver reports whether nothing more is owed to it.
	isOver() bool
	// isGone reports whether a Goexit has ended the goroutine of a call that should return something.
	isGone() bool
}

var endings = []struct {
	name string
	open func(t *trial) reader
}{
	{"all", subscriber(func(*subscription) {})},
	{"one at a time", subscriber(func(s *subscription) { s.first, s.each = 1, 1 })},
	{"some and no more", subscriber(func(s *subscription) { s.first = int64(s.ending.n) })},
	{"late", subscriber(func(s *subscription) { s.first, s.late = 0, true })},
	{"cancel in an element", subscriber(func(s *subscription) { s.cancelIn = 1 + s.ending.n })},
	{"cancel in an element, asking for one at a time", subscriber(func(s *subscription) {
		s.first, s.each, s.cancelIn = 1, 1, 1+s.ending.n
	})},
	{"cancel at once", subscriber(func(s *subscription) { s.cancelFirst = true })},
	{"of a context that has ended", func(t *trial) reader {
		t.end(errEnded)
		return subscriber(func(*subscription) {})(t)
	}},
	{"from several goroutines", subscriber(func(s *subscription) { s.first, s.beside = 0, 1+int64(s.ending.n) })},
	{"from several goroutines, and one that cancels", subscriber(func(s *subscription) {
		s.first, s.beside, s.cancelIn = 1, 1+int64(s.ending.n), 2+s.ending.n
	})},
	{"clumsy", subscriber(func(s *subscription) { s.clumsy = true })},
	{"clumsy, one at a time", subscriber(func(s *subscription) { s.first, s.each, s.clumsy = 1, 1, true })},
	{"asking for nothing", subscriber(func(s *subscription) { s.first, s.illegalIn = 1+int64(s.ending.n), 1+s.ending.n/2 })},
	{"asking for all in an element", subscriber(func(s *subscription) { s.first, s.allIn = 1+int64(s.ending.n), 1+s.ending.n/2 })},
	{"asking for more and more", subscriber(func(s *subscription) { s.first, s.each = 1, 2 })},
	{"asking and cancelling at once", subscriber(func(s *subscription) { s.cancelFirst, s.askFirst = true, true })},
	{"asking and cancelling at the end", subscriber(func(s *subscription) { s.restless = true })},
	{"subscribeFunc", func(t *trial) reader { return &functions{trial: t} }},
	{"toFuture", func(t *trial) reader { return &future{trial: t} }},
	{"block", blocking(func(c *call, src publisher) error { return c.one(operators.Block(c.ctx, src)) })},
	{"blockFirst", blocking(func(c *call, src publisher) error { return c.one(operators.BlockFirst(c.ctx, src)) })},
	{"blockLast", blocking(func(c *call, src publisher) error { return c.one(operators.BlockLast(c.ctx, src)) })},
	{"collect", blocking(func(c *call, src publisher) error {
		list, err := operators.Collect(c.ctx, src)
		c.books.delivered(list)
		return err
	})},
	{"loop", blocking(func(c *call, src publisher) error {
		n := 0
		for v, err := range operators.All(c.ctx, src, operators.Prefetch(1+c.ending.n*c.ending.n)) {
			if err != nil {
				return err
			}
			c.books.delivered(v)
			if err := c.trial.happen(readerPlace, "the loop", nil, []element{v}); err != nil {
				c.books.settle(err, "in the loop")
				break
			}
			if n++; n == c.ending.n {
				break
			}
		}
		return nil
	})},
	{"forEach", blocking(func(c *call, src publisher) error {
		return operators.ForEach(c.ctx, src, func(v element) { c.take(v) })
	})},
	{"tryForEach", blocking(func(c *call, src publisher) error {
		return operators.TryForEach(c.ctx, src, func(v element) error {
			err := c.happen(readerPlace, "the function of tryForEach", nil, []element{v})
			c.books.delivered(v)
			return err
		})
	})},
}

// functions subscribes by functions; every second one has none for errors.
type functions struct {
	*trial
	handle atomic.Pointer[reactor.Disposable]
	over   atomic.Bool
}

func (f *functions) read(src publisher) {
	opts := []operators.SubscribeOption{operators.OnComplete(func() { f.over.Store(true) })}
	if f.ending.n%2 == 0 {
		opts = append(opts, operators.OnError(func(err error) {
			f.books.settle(err, "the end")
			f.over.Store(true)
		}))
	}
	d := operators.SubscribeFunc(f.ctx, src, func(v element) {
		if err := f.happen(readerPlace, "the function of subscribeFunc", nil, []element{v}); err != nil {
			panic(err)
		}
		f.books.delivered(v)
	}, opts...)
	f.handle.Store(&d)
}

func (f *functions) cancel() {
	if d := f.handle.Load(); d != nil {
		f.over.Store(true)
		(*d).Dispose()
	} else {
		f.end(errEnded) // nobody has it yet, or ever
	}
}

func (f *functions) ask()         {}
func (f *functions) finish()      {}
func (f *functions) isOver() bool { return f.over.Load() }
func (f *functions) isGone() bool { return false }

// future waits for the result on another goroutine.
type future struct {
	*trial
	result atomic.Pointer[operators.Future[element]]
	over   atomic.Bool
}

func (f *future) read(src publisher) {
	result := operators.ToFuture(f.ctx, operators.Next(src)) // a source that goes on after its element is not cancelled
	f.result.Store(result)
	v, ok, err := result.Wait(context.Background())
	f.over.Store(true)
	if ok {
		f.books.delivered(v)
	}
	f.books.settle(err, "the result")
}

func (f *future) cancel() {
	if result := f.result.Load(); result != nil {
		result.Cancel()
	} else {
		f.end(errEnded) // nobody has it yet, or ever
	}
}

func (f *future) ask()         {}
func (f *future) finish()      {}
func (f *future) isOver() bool { return f.over.Load() }

// isGone: nobody has the future.
func (f *future) isGone() bool { return f.result.Load() == nil }

// call is one that blocks. It can be left only by the end of its context.
type call struct {
	*trial
	call     func(c *call, src publisher) error
	over     atomic.Bool
	returned atomic.Bool
}

func blocking(fn func(c *call, src publisher) error) func(t *trial) reader {
	return func(t *trial) reader { return &call{trial: t, call: fn} }
}

func (c *call) read(src publisher) {
	defer c.over.Store(true)
	defer func() {
		if r := recover(); r != nil {
			err, ok := r.(error)
			if !ok {
				panic(r)
			}
			c.returned.Store(true)
			c.books.settle(err, fmt.Sprintf("a panic of %s", endings[c.ending.kind].name))
		}
	}()
	err := c.call(c, src)
	c.returned.Store(true)
	c.books.settle(err, "returned")
}

// one enters the only element of a result.
func (c *call) one(v element, err error) error {
	if err == nil {
		c.books.delivered(v)
	}
	return err
}

func (c *call) take(v element) {
	if err := c.happen(readerPlace, "the function of forEach", nil, []element{v}); err != nil {
		panic(err)
	}
	c.books.delivered(v)
}

func (c *call) cancel()      { c.end(errEnded) }
func (c *call) ask()         {}
func (c *call) finish()      {}
func (c *call) isOver() bool { return c.over.Load() }
func (c *call) isGone() bool { return !c.returned.Load() }
