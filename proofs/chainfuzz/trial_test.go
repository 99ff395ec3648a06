package chainfuzz

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// patience is how long a chain may take, whose longest delay is some microseconds: long enough for a
// machine that is busy with other things.
const patience = 20 * time.Second

// grace is how long elements may be under way after the end of a chain.
const grace = 5 * time.Second

// long is more than any delay by which a chain makes progress.
const long = 10 * time.Millisecond

// judge stands in for the test where something reports to it: there are too many chains for a
// subtest each.
type judge struct {
	testing.TB
	mu       sync.Mutex
	failures []string // guarded by mu
	cleanups []func() // guarded by mu
}

func (j *judge) Helper()             {}
func (j *judge) Failed() bool        { return false }
func (j *judge) Logf(string, ...any) {}

func (j *judge) Cleanup(fn func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.cleanups = append(j.cleanups, fn)
}

func (j *judge) Errorf(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.failures = append(j.failures, fmt.Sprintf(format, args...))
}

func (j *judge) cleanUp() {
	for len(j.cleanups) > 0 {
		last := len(j.cleanups) - 1
		fn := j.cleanups[last]
		j.cleanups = j.cleanups[:last]
		fn()
	}
}

// trial is one run of a program.
type trial struct {
	program
	judge     *judge
	books     *ledger.Ledger
	consumer  *consumer
	scheduler schedulers.Scheduler
	own       schedulers.Scheduler // what is to be disposed, or nil
	ctx       context.Context
	end       context.CancelCauseFunc
	work      atomic.Int64 // goroutines that the trial has started and that have not ended
	calls     [maxStages + 2]atomic.Int64
}

var (
	errEnded = errors.New("context ended")
	errFault = errors.New("fault")
)

// start runs fn on a goroutine that the trial waits for.
func (t *trial) start(fn func()) {
	t.work.Add(1)
	go func() {
		defer t.work.Add(-1)
		fn()
	}()
}

// await waits until ok reports true, and reports whether it has before the time is over.
func await(timer *time.Timer, ok func() bool) bool {
	for i := 0; !ok(); i++ {
		select {
		case <-timer.C:
			return ok()
		default:
		}
		if i < 100 {
			runtime.Gosched()
		} else {
			time.Sleep(20 * time.Microsecond)
		}
	}
	return true
}

// function returns what the functions of a stage do before what they are for.
func (t *trial) function(at int) func() {
	counter := &t.calls[min(at, maxStages+1)]
	return func() {
		n := int(counter.Add(1))
		for _, f := range t.faults {
			if f.at == at && f.call == n {
				t.happen(f.kind)
			}
		}
	}
}

func (t *trial) happen(kind int) {
	switch kind {
	case faultPanic:
		panic(errFault)
	case faultGoexit:
		runtime.Goexit()
	case faultYield:
		for range 10 {
			runtime.Gosched()
		}
	case faultSlow:
		time.Sleep(5 * time.Microsecond)
	case faultCancel:
		t.consumer.cancel()
	case faultCancels:
		t.start(t.consumer.cancel)
	case faultEnd:
		t.end(errEnded)
	case faultEnds:
		t.start(func() { t.end(errEnded) })
	case faultRetire:
		t.start(func() {
			// Tasks with a delay are waited for, and a stage may have set one of an hour.
			ctx, end := context.WithTimeout(t.ctx, long)
			defer end()
			_ = t.scheduler.DisposeGracefully(ctx)
			t.consumer.cancel() // periodic tasks have ended without a word: it may have nothing more to come
		})
	}
}

// ground makes the scheduler.
func (t *trial) ground() {
	own := func() schedulers.Scheduler {
		s, err := schedulers.NewParallel("chain", 2)
		if err != nil {
			panic(err)
		}
		t.own = s
		return s
	}
	switch t.on {
	case onShared:
		t.scheduler = schedulers.Parallel()
	case onElastic:
		t.scheduler = schedulers.BoundedElastic()
	case onOwn:
		t.scheduler = own()
	case onLate:
		t.scheduler = reactortest.NewChaosScheduler(t.judge, reactortest.ChaosOver(schedulers.Parallel()),
			reactortest.ChaosDelays(30, 20*time.Microsecond))
	case onRefusing:
		t.scheduler = reactortest.NewChaosScheduler(t.judge, reactortest.ChaosOver(schedulers.Parallel()),
			reactortest.ChaosDelays(20, 10*time.Microsecond), reactortest.ChaosRejections(20))
	case onDisposed:
		t.scheduler = own()
		t.scheduler.Dispose()
	}
	t.scheduler = paced{t.scheduler}
}

// hooks enter in the books what did not arrive.
func (t *trial) hooks() reactor.Hooks {
	return reactor.Hooks{
		Discard:      func(_ context.Context, v any) { ledger.Each(v, t.entry(t.books.Discarded)) },
		NextDropped:  func(_ context.Context, v any) { ledger.Each(v, t.entry(t.books.Dropped)) },
		ErrorDropped: func(context.Context, error) {},
	}
}

// entry leaves out the zero elements that some stages work with.
func (t *trial) entry(enter func(any)) func(element) {
	return func(e element) {
		if e != nil {
			enter(e)
		}
	}
}

// run makes one trial and returns what was wrong. recheck looks at the books again when everything
// has come to rest.
func attempt(p program) (wrong string, recheck func() string) {
	t := &trial{program: p, judge: &judge{}}
	t.books = ledger.New(t.judge)
	t.consumer = newConsumer(p.reader, t.books)
	t.consumer.call = t.function(readerPlace)
	t.ground()
	t.ctx, t.end = context.WithCancelCause(reactor.WithHooks(context.Background(), t.hooks()))
	defer t.judge.cleanUp()
	if t.own != nil {
		defer t.own.Dispose()
	}
	defer t.end(nil)
	t.start(func() { t.chain().Subscribe(t.ctx, t.consumer) })
	t.start(t.ask)
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-t.consumer.over:
	case <-timer.C:
		return t.story("it hangs:\n" + stacks()), nil
	}
	t.end(nil)
	if !await(timer, func() bool { return t.work.Load() == 0 }) {
		return t.story("its goroutines have not ended:\n" + stacks()), nil
	}
	t.finishTasks()
	if complaint := t.settled(); complaint != "" {
		return t.story(complaint), nil
	}
	faults, _ := t.consumer.account()
	if len(faults) > 0 {
		return t.story(strings.Join(faults, "\n")), nil
	}
	return "", func() string {
		if complaint := t.settled(); complaint != "" {
			return t.story("after the end: " + complaint)
		}
		return ""
	}
}

// ask requests from outside.
func (t *trial) ask() {
	select {
	case <-t.consumer.there:
	case <-t.consumer.over:
		return
	}
	if t.consumer.how.kind == readOutside {
		for range 20 {
			t.start(func() { t.consumer.request(1) }) // a Goexit may end any of them
			runtime.Gosched()
		}
	}
	t.start(func() { t.consumer.request(reactor.Unbounded) })
}

// finishTasks waits for what has been given to the scheduler, which may be a cancellation: one that
// is disposed with the trial would drop it.
func (t *trial) finishTasks() {
	ctx, end := context.WithTimeout(context.Background(), grace)
	defer end()
	_ = t.scheduler.DisposeGracefully(ctx)
}

// settled waits until every element has ended, for a worker of a scheduler may still be about to
// discard the last one, and returns what is wrong. The books are read again if an element is missing:
// that worker may have made it after they were found to be balanced.
func (t *trial) settled() (complaint string) {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	if await(timer, func() bool {
		if t.isBalanced() {
			complaint = t.complaint()
			return !strings.Contains(complaint, "lost")
		}
		return false
	}) {
		return complaint
	}
	return t.complaint()
}

// isBalanced reports whether there are as many ends as elements.
func (t *trial) isBalanced() bool {
	c := t.books.Counts()
	return c.Delivered+c.Discarded+c.Dropped >= c.Produced
}

func (t *trial) complaint() string {
	t.judge.mu.Lock()
	t.judge.failures = nil
	t.judge.mu.Unlock()
	t.books.Check()
	t.judge.mu.Lock()
	defer t.judge.mu.Unlock()
	return strings.Join(t.judge.failures, "\n")
}

func (t *trial) story(wrong string) string {
	_, state := t.consumer.account()
	return fmt.Sprintf("%v%s\n%s", t.program, state, wrong)
}

// stacks returns those of the goroutines in this module.
func stacks() string {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	var list []string
	for _, g := range strings.Split(string(buf), "\n\n") {
		if strings.Contains(g, "/operators.") || strings.Contains(g, "/protocol.") || strings.Contains(g, "(*trial).happen") {
			list = append(list, g)
		}
	}
	return strings.Join(list, "\n\n")
}
