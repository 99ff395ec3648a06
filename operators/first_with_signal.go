package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// FirstWithSignal emits the signals of the source that is the first to send an element
// or to end, the winner, and cancels the others.
//
//	a:    ----- 1 --- 2 |
//	b:    -- 8 --- 9 |
//	      FirstWithSignal(a, b)
//	out:  -- 8 --- 9 |
//
// Every request goes to all sources until one has won, and then to the winner. Sources
// are subscribed in order, until one has won or the stream is cancelled. What a loser
// still sends is discarded or reported as dropped. Signals come on the goroutine of the
// winner.
func FirstWithSignal[T any](sources ...reactor.Publisher[T]) reactor.Publisher[T] {
	sources = protocol.TrustAll("firstWithSignal", sources)
	switch len(sources) {
	case 0:
		return Empty[T]()
	case 1:
		return sources[0]
	}
	return &firstPublisher[T]{sourceList: listOf(sources...)}
}

// Or emits the signals of src or of other, whichever is the first to send an element or
// to end. See [FirstWithSignal].
func Or[T any](src, other reactor.Publisher[T]) reactor.Publisher[T] {
	src, other = protocol.Trust("or", src), protocol.Trust("or", other)
	// One stage for a.Or(b).Or(c).
	if p, ok := src.(*firstPublisher[T]); ok && !p.values {
		return &firstPublisher[T]{sourceList: listWith(p.sourceList, false, []reactor.Publisher[T]{other})}
	}
	return &firstPublisher[T]{sourceList: listOf(src, other)}
}

// firstPublisher serves FirstWithSignal and FirstWithValue.
type firstPublisher[T any] struct {
	protocol.Op
	sourceList[T]
	values bool // only an element wins
}

func (p *firstPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sources := p.sources
	f := &firstRace[T]{ctx: ctx, down: protocol.Strict(ctx, s), values: p.values, inners: make([]firstInner[T], len(sources))}
	f.left.Store(int32(len(sources)))
	for i := range f.inners {
		f.inners[i].race, f.inners[i].index = f, i
	}
	defer failure.Persist(len(sources), func(i int) bool { // also if downstream ends the goroutine
		if f.winner.Load() != nil {
			return false
		}
		sources[i].Subscribe(ctx, &f.inners[i])
		return true
	})
	f.down.OnSubscribe(f)
}

// firstRace is the subscription.
type firstRace[T any] struct {
	ctx    context.Context
	down   reactor.Subscriber[T]
	values bool
	inners []firstInner[T]
	winner atomic.Pointer[firstInner[T]] // nil while the race is on
	nobody firstInner[T]                 // the winner of a race that was cancelled or that all have lost
	left   atomic.Int32                  // FirstWithValue: sources that have not ended
}

// Request asks the winner, or everybody while there is none.
func (f *firstRace[T]) Request(n int64) {
	if w := f.winner.Load(); w != nil {
		w.up.Request(n)
		return
	}
	// One that works where it is asked may end the goroutine, and lose.
	failure.Persist(len(f.inners), func(i int) bool { f.inners[i].up.Request(n); return true })
}

// Cancel cancels the winner, or everybody while there is none.
func (f *firstRace[T]) Cancel() {
	if !f.win(&f.nobody) {
		f.winner.Load().up.Cancel()
	}
}

// win ends the race, unless it has ended, and cancels all sources but w. It is called by the
// signals of w, or for no winner.
func (f *firstRace[T]) win(w *firstInner[T]) bool {
	chaos.Yield()
	if !f.winner.CompareAndSwap(nil, w) {
		return false
	}
	w.won = true
	for i := range f.inners {
		f.inners[i].err.Store(nil) // nothing of the losers hangs on the subscription
	}
	failure.Persist(len(f.inners), func(i int) bool { // a function that hears of it may end the goroutine
		if in := &f.inners[i]; in != w {
			in.up.Cancel()
		}
		return true
	})
	return true
}

// winWith is win with the end of w, which goes down also if the goroutine ends meanwhile.
func (f *firstRace[T]) winWith(w *firstInner[T], err error) bool {
	defer func() {
		if w.won {
			protocol.Finish(f.down, err)
		}
	}()
	return f.win(w)
}

// firstInner is the subscriber of one source.
type firstInner[T any] struct {
	protocol.Inner
	race  *firstRace[T]
	index int
	up    protocol.Deferred
	won   bool                  // touched by the signals of the source only
	err   atomic.Pointer[error] // FirstWithValue: how the source ended; set before left is counted down, taken by who ends the race
}

func (s *firstInner[T]) OnSubscribe(up reactor.Subscription) { s.up.Set(up) }

func (s *firstInner[T]) OnNext(v T) {
	if !s.won {
		failure.Beside(s.race.ctx, v, func() { s.race.win(s) })
		if !s.won {
			reactor.Discard(s.race.ctx, v)
			return
		}
	}
	s.race.down.OnNext(v)
}

// Push implements protocol.Pusher. Only the winner may ask the stage below for its function.
func (s *firstInner[T]) Push() func(T) {
	var next func(T)
	return func(v T) {
		if next != nil {
			next(v)
			return
		}
		if s.won {
			next = protocol.Push(s.race.down)
			next(v)
			return
		}
		s.OnNext(v)
	}
}

func (s *firstInner[T]) OnError(err error) {
	switch {
	case s.won:
		s.race.down.OnError(err)
	case s.race.values && s.race.winner.Load() == nil:
		s.lose(err)
	case !s.race.values && s.race.winWith(s, err):
	default:
		reactor.DropError(s.race.ctx, err)
	}
}

func (s *firstInner[T]) OnComplete() {
	switch {
	case s.won:
		s.race.down.OnComplete()
	case s.race.values:
		s.lose(reactor.Failure("firstWithValue", reactor.ErrNoElements, "source %d completed empty", s.index))
	default:
		s.race.winWith(s, nil)
	}
}
