package books

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor"
)

// subscription is a subscriber of its own making.
type subscription struct {
	*trial
	first, each int64 // requests
	late        bool
	cancelIn    int // the element in which it cancels
	cancelFirst bool
	beside      int64 // how much each of several goroutines asks for, again and again
	clumsy      bool  // fails in any signal
	illegalIn   int   // the element in which it makes a request that is none
	allIn       int   // the element in which it asks for all
	askFirst    bool  // asks before it cancels
	restless    bool  // asks and cancels when all is over, and cancels twice

	within atomic.Bool // a signal
	mu     sync.Mutex
	up     reactor.Subscription // guarded by mu
	over   bool                 // guarded by mu
	ended  bool                 // by the publisher, or by a signal that failed; guarded by mu
	asked  int64                // guarded by mu
	got    int                  // its signals only
}

func subscriber(how func(*subscription)) func(t *trial) reader {
	return func(t *trial) reader {
		s := &subscription{trial: t, first: reactor.Unbounded}
		how(s)
		return s
	}
}

func (s *subscription) read(src publisher) { src.Subscribe(s.ctx, s) }
func (s *subscription) isGone() bool       { return false }

func (s *subscription) OnSubscribe(up reactor.Subscription) {
	s.mu.Lock()
	s.up = up
	s.mu.Unlock()
	if s.clumsy {
		s.told()
	}
	if s.askFirst {
		s.request(up, 2)
	}
	if s.cancelFirst {
		s.cancel()
		return
	}
	if s.beside > 0 {
		for range 3 {
			s.start(func() { s.askOften(up) })
		}
	}
	if s.first > 0 {
		s.request(up, s.first)
	}
}

func (s *subscription) OnNext(v element) {
	s.books.delivered(v)
	defer s.signal("an element")()
	clean := false
	defer func() {
		if !clean {
			s.end() // §2.13: it counts as cancelled
		}
	}()
	if err := s.happen(readerPlace, "the subscriber", nil, []element{v}); err != nil {
		panic(err)
	}
	if s.got++; s.got == s.cancelIn {
		s.cancel()
	} else if s.got == s.illegalIn {
		s.up.Request(0)
	} else if s.got == s.allIn {
		s.request(s.up, reactor.Unbounded)
	} else if s.each > 0 {
		s.request(s.up, s.each)
	}
	clean = true
}

func (s *subscription) OnError(err error) {
	s.books.settle(err, "the end")
	defer s.signal("an error")()
	s.end()
	s.fidget()
	if s.clumsy {
		s.told()
	}
}

func (s *subscription) OnComplete() {
	defer s.signal("a completion")()
	s.end()
	s.fidget()
	if s.clumsy {
		s.told()
	}
}

// signal looks at the beginning of a signal, and returns what looks at its end.
func (s *subscription) signal(what string) (done func()) {
	if !s.within.CompareAndSwap(false, true) {
		s.books.fault("%s within another signal", what)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		s.books.fault("%s after the end", what)
	}
	if int64(s.got) >= s.asked && what == "an element" {
		s.books.fault("element %d, of %d that were asked for", s.got+1, s.asked)
	}
	return func() { s.within.Store(false) }
}

// fidget does what means nothing any more (§3.6, §3.7).
func (s *subscription) fidget() {
	if s.restless {
		s.request(s.up, 1)
		s.up.Cancel()
		s.up.Cancel()
	}
}

// request asks for n more.
func (s *subscription) request(up reactor.Subscription, n int64) {
	s.mu.Lock()
	s.asked += min(n, reactor.Unbounded-s.asked)
	s.mu.Unlock()
	up.Request(n)
}

// told is called in the signals that are no elements.
func (s *subscription) told() {
	clean := false
	defer func() {
		if !clean {
			s.end() // as in OnNext
		}
	}()
	if err := s.happen(readerPlace, "the subscriber", nil, nil); err != nil {
		panic(err)
	}
	clean = true
}

// askOften is one of several who request.
func (s *subscription) askOften(up reactor.Subscription) {
	for range 5 {
		s.request(up, s.beside)
		runtime.Gosched()
	}
}

func (s *subscription) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over, s.ended = true, true
}

func (s *subscription) isOver() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

func (s *subscription) cancel() {
	s.mu.Lock()
	up := s.up
	s.over = s.over || up != nil
	s.mu.Unlock()
	if up != nil {
		up.Cancel()
	}
}

func (s *subscription) ask() {
	s.mu.Lock()
	up := s.up
	s.mu.Unlock()
	if up != nil {
		s.request(up, 2)
	}
}

func (s *subscription) finish() {
	s.mu.Lock()
	up := s.up
	s.mu.Unlock()
	if (s.late || s.beside > 0) && up != nil {
		s.start(func() { s.request(up, reactor.Unbounded) })
	}
}
