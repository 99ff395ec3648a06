package chainfuzz

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/schedulers"
)

// maxDepth is the most operators in a chain, maxItems the most elements that the
// model lets one grow to.
const (
	maxDepth = 8
	maxItems = 2000
)

// reader takes numbers from the bytes that describe a chain; after the last byte
// they are all zero.
type reader struct{ data []byte }

func (r *reader) below(n int) int {
	if len(r.data) == 0 {
		return 0
	}
	v := int(r.data[0])
	r.data = r.data[1:]
	return v % n
}

// chain is one chain and how it is used.
type chain struct {
	flux  flux.Flux[int]
	model stream
	usage usage
	story []string // how a programmer would write it
	steps int
}

func build(e *env, data []byte) chain {
	r := &reader{data}
	src := sources[r.below(len(sources))]
	n := r.below(40)
	c := chain{flux: src.build(n), model: stream{items: src.model(n), end: src.end}, story: []string{fmt.Sprintf("%s(%d)", src.name, n)}}
	c.usage = usage{kind: r.below(usages), n: r.below(24)}
	for range r.below(maxDepth + 1) {
		o, arg := ops[r.below(len(ops))], r.below(8)
		if o.grows > 0 && len(c.model.items)*(o.grows+1) > maxItems {
			continue
		}
		c.flux, c.model = o.build(e, c.flux, arg), o.model(c.model, arg)
		c.story = append(c.story, fmt.Sprintf("%s(%d)", o.name, arg))
		c.steps++
	}
	c.steps += len(c.model.items) + 1
	return c
}

// The ways in which a chain is used.
const (
	useAll     = iota // request everything
	useSome           // request n and no more
	useSingly         // request one, and one more for each that comes
	useInTurns        // request n, and n more whenever nothing happens any more
	useCancel         // request everything, cancel in the n-th OnNext
	useContext        // request everything, end the context in the n-th OnNext
	useNothing        // cancel in OnSubscribe
	useDead           // subscribe with a context that has ended
	useFrom           // request everything from a goroutine, one at a time
	usages
)

var usageNames = [...]string{"all", "some", "singly", "inTurns", "cancel", "context", "nothing", "dead", "from"}

type usage struct{ kind, n int }

func (u usage) String() string { return fmt.Sprintf("%s(%d)", usageNames[u.kind], u.n) }

var errContext = errors.New("context ended")

// recorder is the subscriber at the end of a chain; it notes every breach of the
// rules.
type recorder struct {
	use       usage
	async     bool
	endCtx    context.CancelCauseFunc
	mu        sync.Mutex
	up        reactor.Subscription
	requested int64
	items     []int
	err       error
	ended     bool
	cancelled bool
	inside    int
	faults    []string
}

func (r *recorder) fault(format string, args ...any) {
	if len(r.faults) < 10 {
		r.faults = append(r.faults, fmt.Sprintf(format, args...))
	}
}

func (r *recorder) request(n int64) {
	r.mu.Lock()
	if r.requested += n; r.requested < 0 {
		r.requested = math.MaxInt64
	}
	up := r.up
	r.mu.Unlock()
	up.Request(n)
}

func (r *recorder) cancel() {
	r.mu.Lock()
	r.cancelled = true
	up := r.up
	r.mu.Unlock()
	up.Cancel()
}

func (r *recorder) OnSubscribe(up reactor.Subscription) {
	r.mu.Lock()
	if r.up != nil {
		r.fault("second OnSubscribe")
	}
	r.up = up
	r.mu.Unlock()
	switch r.use.kind {
	case useAll, useCancel, useContext, useDead:
		r.request(reactor.Unbounded)
	case useSome, useInTurns:
		if r.use.n > 0 {
			r.request(int64(r.use.n))
		}
	case useSingly:
		r.request(1)
	case useNothing:
		r.cancel()
	}
}

// enter notes a signal that is not allowed now. The caller calls leave.
func (r *recorder) enter(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inside++
	switch {
	case r.inside > 1:
		r.fault("%s while another signal is being delivered", name)
	case r.up == nil:
		r.fault("%s before OnSubscribe", name)
	case r.ended:
		r.fault("%s after the end", name)
	case r.cancelled && !r.async:
		r.fault("%s after the cancellation", name)
	}
}

func (r *recorder) leave() {
	r.mu.Lock()
	r.inside--
	r.mu.Unlock()
}

func (r *recorder) OnNext(v int) {
	r.enter("OnNext")
	defer r.leave()
	r.mu.Lock()
	r.items = append(r.items, v)
	n := len(r.items)
	if int64(n) > r.requested {
		r.fault("element %d of %d requested", n, r.requested)
	}
	r.mu.Unlock()
	switch r.use.kind {
	case useSingly:
		r.request(1)
	case useCancel:
		if n == r.use.n {
			r.cancel()
		}
	case useContext:
		if n == r.use.n {
			r.endCtx(errContext)
		}
	}
}

func (r *recorder) OnError(err error) {
	r.enter("OnError")
	defer r.leave()
	if err == nil {
		r.fault("a nil error")
	}
	r.mu.Lock()
	r.ended, r.err = true, err
	r.mu.Unlock()
}

func (r *recorder) OnComplete() {
	r.enter("OnComplete")
	defer r.leave()
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
}

// settle waits until nothing happens any more, however much time it takes.
func settle() {
	for range 4 {
		synctest.Wait()
		time.Sleep(time.Hour)
	}
	synctest.Wait()
}

// run builds the chain that data describes and compares. It returns how many steps
// the chain took, and what is wrong, if anything.
func run(t *testing.T, data []byte) (steps int, wrong string) {
	synctest.Test(t, func(*testing.T) {
		parallel, err := schedulers.NewParallel("chain", 3)
		if err != nil {
			panic(err)
		}
		elastic, err := schedulers.NewBoundedElastic(4, 1000, "chain")
		if err != nil {
			panic(err)
		}
		e := &env{parallel, elastic}
		c := build(e, data)
		quiet := func(context.Context, error) {}
		ctx, end := context.WithCancelCause(reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: quiet}))
		r := &recorder{use: c.usage, async: c.model.async, endCtx: end}
		if c.usage.kind == useDead {
			end(errContext)
		}
		c.flux.Subscribe(ctx, r)
		if c.usage.kind == useFrom {
			for range len(c.model.items) + 2 {
				r.request(1)
			}
			settle()
			r.request(reactor.Unbounded)
		}
		settle()
		for i := 0; c.usage.kind == useInTurns && !r.ended && i < maxItems+2; i++ {
			r.request(int64(c.usage.n + 1))
			settle()
		}
		if r.up == nil {
			r.fault("no OnSubscribe")
		}
		r.mu.Lock()
		c.compare(r)
		faults := slices.Clone(r.faults)
		r.mu.Unlock()
		if r.up != nil {
			r.cancel()
		}
		end(nil)
		settle()
		parallel.Dispose()
		elastic.Dispose()
		settle()
		steps = c.steps + len(r.items)
		if len(faults) > 0 {
			wrong = fmt.Sprintf("%s\nused as %v\n  %s\ngot   %v, end %v %v\nmodel %v, end %v (vague %v, async %v)",
				strings.Join(c.story, "."), c.usage, strings.Join(faults, "\n  "), r.items, r.ended, r.err, c.model.items, c.model.end, c.model.vague, c.model.async)
		}
	})
	return steps, wrong
}

// compare notes where what r got differs from what the model says.
func (c chain) compare(r *recorder) {
	m := c.model
	switch c.usage.kind {
	case useNothing:
		if len(r.items) > 0 {
			r.fault("elements without a request")
		}
		return
	case useDead:
		if !r.ended {
			r.fault("the context had ended, the stream has not")
		}
		return
	case useContext, useCancel:
		if r.ended && r.err != nil && errors.Is(r.err, errContext) && c.usage.kind == useCancel {
			r.fault("the error of a context that has not ended")
		}
		if k := c.usage.n; k > 0 && len(m.items) >= k && !m.vague {
			if c.usage.kind == useCancel && !m.async {
				if !slices.Equal(r.items, m.items[:k]) {
					r.fault("cancelled in element %d: other elements", k)
				}
			} else if len(r.items) < k || !slices.Equal(r.items, m.items[:min(len(r.items), len(m.items))]) {
				r.fault("cancelled in element %d: other elements", k)
			}
			if c.usage.kind == useContext && !r.ended {
				r.fault("the context has ended, the stream has not")
			}
			return
		}
	}
	if m.vague {
		if r.requested > maxItems*10 && !r.ended && !r.cancelled {
			r.fault("has not ended although everything was requested")
		}
		return
	}
	want := m.items
	if r.requested < int64(len(want)) {
		want = want[:r.requested]
	}
	if !slices.Equal(r.items, want) {
		r.fault("other elements than in the model")
		return
	}
	switch {
	case r.ended && len(want) < len(m.items):
		r.fault("ended before everything was requested")
	case r.ended && !errors.Is(r.err, m.end), r.ended && m.end == nil && r.err != nil:
		r.fault("ended in %v", r.err)
	case !r.ended && r.requested > int64(len(m.items)):
		r.fault("has not ended although more was requested than there is")
	}
}
