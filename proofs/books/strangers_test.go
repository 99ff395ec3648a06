package books

import (
	"context"
	"sync"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// strangers are sources of somebody else. They keep to the rules of Reactive Streams, and have nothing between themselves and the
// stage below, which can know nothing more of them.
var strangers = []*stage{
	{name: "stranger", strange: true, build: func(u use) publisher { return stranger{use: u} }},
	{name: "prompt stranger", strange: true, build: func(u use) publisher { return stranger{use: u, prompt: true} }},
	{name: "late stranger", strange: true, build: func(u use) publisher { return stranger{use: u, late: true} }},
	{name: "stranger elsewhere", strange: true, build: func(u use) publisher { return stranger{use: u, elsewhere: true, prompt: true} }},
	{name: "deaf stranger", strange: true, build: func(u use) publisher { return stranger{use: u, deaf: true, prompt: true} }},
	{name: "deaf stranger elsewhere", strange: true, build: func(u use) publisher { return stranger{use: u, deaf: true, elsewhere: true} }},
}

// stranger is a publisher of somebody else that sends where it is asked, and fails there.
type stranger struct {
	use
	prompt    bool // says that it is over behind its last element, and not when it is asked for another
	late      bool // hands its subscription on when Subscribe has returned
	elsewhere bool // sends on goroutines of its own
	deaf      bool // sends once more behind a cancellation, which it may (§2.8), if it was asked for
}

func (p stranger) Subscribe(_ context.Context, s reactor.Subscriber[element]) {
	if p.late {
		p.start(func() { p.begin(s) })
		return
	}
	p.call()
	p.begin(s)
}

func (p stranger) begin(s reactor.Subscriber[element]) {
	sent := &strangerSubscription{stranger: p, down: s}
	s.OnSubscribe(sent)
	if p.prompt && p.arg == 0 {
		sent.owe(0)
	}
}

type strangerSubscription struct {
	stranger
	down    reactor.Subscriber[element]
	sent    int  // the sender's
	failing bool // whether the sender is in a function that may fail; the sender's

	mu        sync.Mutex
	owed      int64 // guarded by mu
	busy      bool  // guarded by mu
	cancelled bool  // guarded by mu
	over      bool  // guarded by mu
}

func (s *strangerSubscription) Cancel() {
	s.mu.Lock()
	s.cancelled = true
	s.mu.Unlock()
	if s.arg%3 == 0 {
		s.call()
	}
}

func (s *strangerSubscription) Request(n int64) { s.owe(min(n, 1000)) }

// owe has n more elements sent, here or elsewhere, by who sends already or else by the caller.
func (s *strangerSubscription) owe(n int64) {
	s.mu.Lock()
	s.owed = min(s.owed+n, 1000)
	mine := !s.busy
	s.busy = true
	s.mu.Unlock()
	switch {
	case !mine:
	case s.elsewhere:
		s.start(s.sendElsewhere)
	default:
		s.send()
	}
}

func (s *strangerSubscription) send() {
	for s.mayGoOn() {
		if s.sent == s.arg || !s.more() {
			s.finish()
			return
		}
		s.sent++
		s.failing = true
		s.call()
		s.failing = false
		s.down.OnNext(s.produce())
	}
}

// sendElsewhere tells of a failure, which nobody else could: the goroutine is the stranger's own.
func (s *strangerSubscription) sendElsewhere() {
	defer func() {
		if !s.failing {
			return
		}
		err, failed := recover().(error)
		if !failed {
			s.books.forgiveExits("it was the stranger's own goroutine")
			err = s.fails()
		}
		s.down.OnError(err)
	}()
	s.send()
}

// mayGoOn reports whether another signal is due; if not, who asks next sends.
func (s *strangerSubscription) mayGoOn() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = !s.over && (s.owed > 0 || s.prompt && s.sent == s.arg)
	if s.cancelled {
		s.busy = s.busy && s.deaf
		s.over = true
	}
	s.owed = max(s.owed-1, 0)
	return s.busy
}

func (s *strangerSubscription) finish() {
	s.mu.Lock()
	unheard := s.cancelled && !s.deaf
	s.mu.Unlock()
	switch {
	case unheard:
	case s.arg > 5:
		s.down.OnError(s.fails())
	default:
		s.down.OnComplete()
	}
}

// passing are stages of somebody else. The first one may stand before the reader, too.
var passing = []*stage{
	{name: "passing stranger", kids: 1, strange: true, build: func(u use) publisher { return foreign{u, u.kid(0)} }},
	{name: "clumsy stranger", kids: 1, strange: true, forgets: "it fails when it hears of an error", build: func(u use) publisher {
		return clumsy{u, operators.Hide(u.kid(0))}
	}},
}

// isStrange reports whether nothing of the library is between the reader and a source, or a stage that fails it.
func (n *node) isStrange() bool {
	return n.stage.strange && (len(n.kids) == 0 || n.stage == passing[1] || n.kids[0].isStrange())
}
