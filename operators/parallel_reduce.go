package operators

import (
	"context"
	"sync"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/single"
)

// ParallelReduce folds all elements of all rails into one: fn is applied within each
// rail, on the goroutine of the rail, and then to the results, in the order of the
// rails.
//
//	rail 0:  1 ----- 3 |
//	rail 1:  --- 2 ---- 4 |
//	         ParallelReduce(sum)
//	out:     ------------ 10 |
//
// The result is empty if all rails are. The first request asks each rail for
// everything. An error of a rail, or a panic of fn, cancels the other rails and ends
// the stream. Cancelling cancels the rails. The result comes on the goroutine of the
// rail that ends last.
func ParallelReduce[T any](src ParallelPublisher[T], fn func(acc, v T) T) reactor.Publisher[T] {
	argument.Given("parallelReduce", "function", fn != nil)
	// Called from here, the function brings the name along into its failures.
	named := func(acc, v T) T { return fn(acc, v) }
	rails := ParallelRails(src, func(rail reactor.Publisher[T]) reactor.Publisher[T] { return Reduce(rail, named) })
	return &parallelReducePublisher[T]{src: rails, fn: fn}
}

type parallelReducePublisher[T any] struct {
	protocol.Op
	src ParallelPublisher[T]
	fn  func(acc, v T) T
}

func (p *parallelReducePublisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	n := p.src.Parallelism()
	s := &parallelReduce[T]{fn: p.fn, rails: make([]parallelReduceInner[T], n), left: n}
	s.Ctx, s.Down = ctx, protocol.Strict(ctx, sub)
	inners := make([]reactor.Subscriber[T], n)
	for i := range s.rails {
		s.rails[i].main = s
		inners[i] = &s.rails[i]
	}
	defer p.src.SubscribeRails(ctx, inners) // also if downstream ends the goroutine
	s.Down.OnSubscribe(s)
}

type parallelReduce[T any] struct {
	single.Slot[T]
	fn    func(acc, v T) T
	rails []parallelReduceInner[T]

	mu   sync.Mutex // taken a few times per rail, never per element
	left int        // rails that have not completed; guarded by mu
	over bool       // results are not kept any more; guarded by mu
}

// parallelReduceInner takes the result of one rail.
type parallelReduceInner[T any] struct {
	protocol.Inner
	main   *parallelReduce[T]
	link   protocol.Deferred
	result T    // guarded by main.mu
	has    bool // guarded by main.mu
}

// Request asks the rails, the first time.
func (s *parallelReduce[T]) Request(int64) {
	if s.Demand() {
		failure.Persist(len(s.rails), func(i int) bool { s.rails[i].link.Request(reactor.Unbounded); return true })
	}
}

// Cancel cancels the rails.
func (s *parallelReduce[T]) Cancel() {
	s.Slot.Cancel()
	s.stop()
}

// stop cancels the rails and discards their results.
func (s *parallelReduce[T]) stop() {
	failure.Persist(len(s.rails)+1, func(i int) bool { // a function that hears of it may end the goroutine
		if i < len(s.rails) {
			s.rails[i].link.Cancel()
			return true
		}
		for _, v := range s.take() {
			reactor.Discard(s.Ctx, v)
		}
		return false
	})
}

// take returns the results in the order of the rails; no more are kept.
func (s *parallelReduce[T]) take() (results []T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	for i := range s.rails {
		if r := &s.rails[i]; r.has {
			results = append(results, r.result)
			r.result, r.has = *new(T), false
		}
	}
	return results
}

func (r *parallelReduceInner[T]) OnSubscribe(up reactor.Subscription) { r.link.Set(up) }

func (r *parallelReduceInner[T]) OnNext(v T) {
	s := r.main
	s.mu.Lock()
	over := s.over
	if !over {
		r.result, r.has = v, true
	}
	s.mu.Unlock()
	if over {
		reactor.Discard(s.Ctx, v)
	}
}

func (r *parallelReduceInner[T]) OnError(err error) {
	r.link.Close()
	failure.InTurn(r.main.stop, func() { r.main.Fail(err) })
}

func (r *parallelReduceInner[T]) OnComplete() {
	s := r.main
	r.link.Close()
	s.mu.Lock()
	s.left--
	last := s.left == 0 && !s.over
	s.mu.Unlock()
	if last {
		s.combine(s.take())
	}
}

// combine folds the results of the rails.
func (s *parallelReduce[T]) combine(results []T) {
	if len(results) == 0 {
		s.Empty()
		return
	}
	acc, next := results[0], 1
	folded := false
	failure.Guard(func() {
		for ; next < len(results); next++ {
			acc = s.fn(acc, results[next])
		}
		folded = true
	}, func(err error) {
		reactor.Discard(s.Ctx, acc)
		for _, v := range results[next:] {
			reactor.Discard(s.Ctx, v)
		}
		s.Fail(reactor.OperatorError(s.Ctx, err, nil))
	})
	if folded {
		s.Complete(acc)
	}
}
