package books

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// faulty is a stage that does one thing wrong.
type faulty struct {
	foreign
	how string
}

// The things that a faulty stage does.
const (
	forgetsElement  = "forgets its second element"
	discardsToo     = "discards what it has delivered"
	forgetsError    = "takes an error for the end"
	reportsError    = "reports an error as dropped that it passes on"
	keepsUpstream   = "does not pass the cancellation on"
	leavesTimer     = "leaves a timer"
	leavesGoroutine = "leaves a goroutine"
	releasesTwice   = "releases twice"
)

func (f faulty) Subscribe(ctx context.Context, s reactor.Subscriber[element]) {
	switch f.how {
	case leavesTimer:
		_, _ = f.scheduler.ScheduleAfter(func(context.Context) {}, time.Hour)
	case leavesGoroutine:
		go func() { <-ctx.Done() }()
	}
	f.src.Subscribe(ctx, &faultySubscriber{between: between{Subscriber: s, held: f.books.openLoose("a subscription")}, how: f.how, ctx: ctx})
}

type faultySubscriber struct {
	between
	how string
	ctx context.Context
	n   int
}

func (s *faultySubscriber) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.Subscriber.OnSubscribe(s)
}

func (s *faultySubscriber) OnNext(v element) {
	if s.n++; s.n == 2 && s.how == forgetsElement {
		s.up.Request(1)
		return
	}
	s.between.OnNext(v)
	if s.how == discardsToo {
		reactor.Discard(s.ctx, v)
	}
}

func (s *faultySubscriber) OnError(err error) {
	switch s.how {
	case forgetsError:
		s.OnComplete()
		return
	case reportsError:
		reactor.DropError(s.ctx, err)
	}
	s.between.OnError(err)
}

func (s *faultySubscriber) Cancel() {
	if s.how == keepsUpstream {
		s.held.release()
		return
	}
	s.between.Cancel()
}

// defect is a stage that does the wrong thing called how.
func defect(how string) *stage {
	if how == releasesTwice {
		return &stage{name: how, kids: 1, build: func(u use) publisher {
			return operators.Using(func(context.Context) (*resource, error) { return u.books.open("a resource"), nil },
				func(*resource) publisher { return u.kid(0) },
				func(r *resource) error { r.release(); r.release(); return nil })
		}}
	}
	return &stage{name: how, kids: 1, build: func(u use) publisher { return faulty{foreign{u, u.kid(0)}, how} }}
}

// named returns the stage of a name.
func named(t *testing.T, name string) *stage {
	list := slices.Concat(all.leaves, all.stages)
	i := slices.IndexFunc(list, func(s *stage) bool { return s.name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return list[i]
}

func chain(list ...*stage) *node {
	n := &node{stage: list[0], arg: 4}
	if len(list) > 1 {
		n.kids = []*node{chain(list[1:]...)}
	}
	return n
}

// TestTheProofCanFail has each kind of defect found in a chain that has it, and nothing in the same chain without.
func TestTheProofCanFail(t *testing.T) {
	for how, test := range map[string]struct {
		source string
		ending int
		found  string
	}{
		forgetsElement:  {"sequence", 0, "lost 1: 2"},
		discardsToo:     {"sequence", 0, "element 1: delivered, then discarded"},
		forgetsError:    {"failing sequence", 0, "error 1 of 2: failing sequence was lost"},
		reportsError:    {"failing sequence", 0, "error 1 of 2: failing sequence has ended several times: dropped, the end"},
		keepsUpstream:   {"never", 6, "a subscription of 1: foreign was released 0 times"},
		leavesTimer:     {"sequence", 0, "a task with a delay was released 0 times"},
		leavesGoroutine: {"sequence", 0, "goroutines"},
		releasesTwice:   {"sequence", 0, "a resource was released 2 times"},
	} {
		t.Run(how, func(t *testing.T) {
			for on := range grounds {
				p := program{root: chain(defect(how), named(t, "foreign"), named(t, test.source)), ending: ending{kind: test.ending}, on: on, closely: true}
				assert.Contains(t, attempt(t, p), test.found, groundNames[on])
				p.root = p.root.kids[0]
				assert.Empty(t, attempt(t, p), groundNames[on])
			}
		})
	}
}

// TestDefectsAreFound has random programs with a stage that is wrong found, and made small.
func TestDefectsAreFound(t *testing.T) {
	for _, how := range []string{forgetsElement, forgetsError, releasesTwice} {
		t.Run(how, func(t *testing.T) {
			with := palette{sources, append(slices.Repeat([]*stage{defect(how)}, 10), single...)}
			for number := range uint64(500) {
				p := with.draw(1, number)
				wrong := attempt(t, p)
				if wrong == "" {
					continue
				}
				small, wrong := smallest(t, p, wrong)
				assert.LessOrEqual(t, small.root.size(), 2, wrong)
				assert.True(t, small.root.has(func(s *stage) bool { return s.name == how }), wrong)
				return
			}
			t.Error("not found")
		})
	}
}

// A Goexit that was reported as dropped ends the stream of its goroutine as well, also where the subscriber has no function for that.
func TestAnEndThatNobodyHandlesIsAnEnd(t *testing.T) {
	tree := func(stage string, arg int, kids ...*node) *node { return &node{named(t, stage), arg, kids} }
	p := program{
		root:   tree("bufferWhen", 0, tree("asynchronous create", 2), tree("generate", 0)),
		faults: []fault{{at: 2, call: 3, kind: faultGoexit}},
		ending: ending{n: 1},
	}
	for p.ending.kind = range endings {
		if endings[p.ending.kind].name == "subscribeFunc" {
			break
		}
	}
	assert.Empty(t, attempt(t, p))
}

// A stage of somebody else that panics in OnSubscribe hands its subscription on all the same: nobody could know of it otherwise, and
// what those below have taken would stay with them.
func TestAStageThatFailsInOnSubscribe(t *testing.T) {
	for _, name := range []string{"delaySequence", "publishOn", "throttle", "using", "doFinally", "foreign"} {
		for _, kind := range []int{faultPanic, faultGoexit} {
			p := program{root: chain(named(t, name), named(t, "clumsy"), named(t, "sequence")), faults: []fault{{at: 1, call: 1, kind: kind}}}
			p.root.kids[0].arg = 2
			assert.Empty(t, attempt(t, p))
		}
	}
}

// A Goexit that has passed a stage of somebody else is told once: publishOn reports what it has kept, and nobody what ends the streams below.
func TestAGoexitIsToldOnceBehindAStageOfSomebodyElse(t *testing.T) {
	tree := func(stage string, arg int, kids ...*node) *node { return &node{named(t, stage), arg, kids} }
	p := program{
		root: tree("combineLatest", 0, tree("publishOn", 0, tree("flatMapSequential", 0, tree("asynchronous sequence", 1), tree("sequence", 0))),
			tree("sequence", 0)),
		faults: []fault{{at: 2, call: 1, kind: faultGoexit}},
	}
	for p.ending.kind = range endings {
		if endings[p.ending.kind].name == "loop" {
			break
		}
	}
	assert.Empty(t, attempt(t, p))
}
