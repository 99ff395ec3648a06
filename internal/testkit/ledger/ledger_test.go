package ledger

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/nosync"
	"github.com/goreactor/reactor/internal/testkit/leak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

// judge stands in for the test that a ledger belongs to.
type judge struct {
	testing.TB
	failures []string
	cleanups []func()
}

func (j *judge) Helper()           {}
func (j *judge) Cleanup(fn func()) { j.cleanups = append(j.cleanups, fn) }
func (j *judge) Errorf(format string, args ...any) {
	j.failures = append(j.failures, fmt.Sprintf(format, args...))
}

// verdict returns what a ledger says about the books that keep wrote.
func verdict(keep func(l *Ledger)) string {
	j := &judge{}
	l := New(j)
	keep(l)
	l.Check()
	for _, fn := range j.cleanups {
		fn()
	}
	return strings.Join(j.failures, "\n")
}

const header = "ledger: %d of %d elements did not end exactly once (delivered, discarded or dropped):\n\t"

func TestBalancedBooksPass(t *testing.T) {
	l := New(t)
	l.Delivered(l.Produce())
	l.Discarded(l.Produce())
	l.Dropped(l.Produce())
	assert.Equal(t, Counts{Produced: 3, Delivered: 1, Discarded: 1, Dropped: 1}, l.Counts())
	l.Check()
	assert.Empty(t, verdict(func(l *Ledger) {}))
}

func TestLostElementFails(t *testing.T) {
	assert.Equal(t, fmt.Sprintf(header, 7, 12)+"lost 7: 2..6, 9, 12", verdict(func(l *Ledger) {
		for _, e := range l.Slice(12) {
			switch e.Number {
			case 1, 7, 8, 10, 11:
				l.Delivered(e)
			}
		}
	}))
}

func TestDoubleEndFails(t *testing.T) {
	enter := map[string]func(l *Ledger, v any){
		"delivered": (*Ledger).Delivered, "discarded": (*Ledger).Discarded, "dropped": (*Ledger).Dropped,
	}
	for first, enterFirst := range enter {
		for second, enterSecond := range enter {
			assert.Equal(t,
				fmt.Sprintf(header, 1, 2)+"element 2: "+first+", then "+second,
				verdict(func(l *Ledger) {
					list := l.Slice(2)
					l.Delivered(list[0])
					enterFirst(l, list[1])
					enterSecond(l, list[1])
				}))
		}
	}
}

func TestManyEndsStayReadable(t *testing.T) {
	text := verdict(func(l *Ledger) {
		for _, e := range l.Slice(30) {
			for range 20 {
				l.Delivered(e)
				l.Discarded(e) // 40 ends, more than an element can remember
			}
		}
		for i, e := range l.Slice(100) {
			if i%2 == 0 {
				l.Delivered(e)
			}
		}
	})
	assert.Contains(t, text, fmt.Sprintf(header, 80, 130)+"lost 50: 32, 34, ")
	assert.Contains(t, text, "70, …\n")
	assert.Contains(t, text, "element 20: delivered, then discarded, then delivered")
	assert.NotContains(t, text, "dropped,")
	assert.NotContains(t, text, "element 21:")
	assert.True(t, strings.HasSuffix(text, "and 10 more that ended several times"), text)
}

func TestNilFails(t *testing.T) {
	assert.Equal(t, fmt.Sprintf(header, 0, 0)+"nil was delivered 2 times, which nobody produced\n\tnil was discarded 1 times, which nobody produced",
		verdict(func(l *Ledger) {
			l.Delivered(nil)
			l.Delivered((*Element)(nil))
			l.Discarded([]*Element{nil})
		}))
}

func TestForgottenCheckIsMadeUpFor(t *testing.T) {
	j := &judge{}
	l := New(j)
	l.Produce()
	require.Len(t, j.cleanups, 1)
	assert.Empty(t, j.failures)
	j.cleanups[0]()
	assert.Equal(t, []string{fmt.Sprintf(header, 1, 1) + "lost 1: 1"}, j.failures)
}

type indexed struct {
	index int
	value *Element
}

func TestElementsInContainersAreCountedOneByOne(t *testing.T) {
	cyclic := make([]any, 1)
	cyclic[0] = cyclic
	for name, wrap := range map[string]func(l *Ledger) (v any, n int){
		"slice":            func(l *Ledger) (any, int) { return l.Slice(3), 3 },
		"empty slice":      func(l *Ledger) (any, int) { return l.Slice(0), 0 },
		"nested slices":    func(l *Ledger) (any, int) { return [][]*Element{l.Slice(2), nil, l.Slice(3)}, 5 },
		"slice of any":     func(l *Ledger) (any, int) { return []any{l.Produce(), 7, nil, l.Slice(2), "x"}, 3 },
		"array":            func(l *Ledger) (any, int) { return [2]*Element{l.Produce(), l.Produce()}, 2 },
		"map value":        func(l *Ledger) (any, int) { return map[string]*Element{"a": l.Produce(), "b": l.Produce()}, 2 },
		"map key":          func(l *Ledger) (any, int) { return map[*Element][]*Element{l.Produce(): l.Slice(2)}, 3 },
		"struct":           func(l *Ledger) (any, int) { return indexed{1, l.Produce()}, 1 },
		"slice of structs": func(l *Ledger) (any, int) { return []indexed{{0, l.Produce()}, {1, l.Produce()}}, 2 },
		"signal":           func(l *Ledger) (any, int) { return reactor.NextSignal(l.Slice(2)), 2 },
		"signals": func(l *Ledger) (any, int) {
			return []reactor.Signal[any]{reactor.NextSignal[any](l.Produce()), reactor.CompleteSignal[any]()}, 1
		},
		"none":            func(l *Ledger) (any, int) { return 42, 0 },
		"bytes":           func(l *Ledger) (any, int) { return make([]byte, 1<<20), 0 },
		"other pointers":  func(l *Ledger) (any, int) { return []*int{new(int)}, 0 },
		"contains itself": func(l *Ledger) (any, int) { return cyclic, 0 },
	} {
		t.Run(name, func(t *testing.T) {
			l := New(t)
			v, n := wrap(l)
			l.Discarded(v)
			assert.Equal(t, Counts{Produced: n, Discarded: n}, l.Counts())
			l.Check()
		})
	}
}

func TestHooksLeadToTheBooks(t *testing.T) {
	l := New(t)
	ctx := l.Context(context.Background())
	reactor.Discard(ctx, l.Produce())
	reactor.Discard(ctx, l.Slice(2))
	reactor.DiscardHook(ctx)(l.Produce())
	reactor.DropNext(ctx, l.Slice(3))
	assert.Equal(t, Counts{Produced: 7, Discarded: 4, Dropped: 3}, l.Counts())
	l.Check()
}

func TestManyGoroutinesWrite(t *testing.T) {
	const goroutines, each = 8, 500
	l := New(t)
	shared := l.Slice(each)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for range each / 2 {
				l.Delivered(l.Produce())
				l.Discarded(l.Produce())
			}
			if g == 0 {
				l.Delivered(shared)
			}
		})
	}
	wg.Wait()
	assert.Equal(t, Counts{
		Produced:  (goroutines + 1) * each,
		Delivered: (goroutines/2 + 1) * each,
		Discarded: goroutines / 2 * each,
	}, l.Counts())
	l.Check()

	// All of them end the same elements: none of the entries gets lost.
	j := &judge{}
	twice := New(j)
	shared = twice.Slice(50)
	for range goroutines {
		wg.Go(func() {
			for _, e := range shared {
				twice.Delivered(e)
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 50*goroutines, twice.Counts().Delivered)
}

func TestElementNames(t *testing.T) {
	l := New(t)
	e := l.Produce()
	assert.Equal(t, "element 1", e.String())
	assert.Equal(t, "nil element", (*Element)(nil).String())
	l.Delivered(e)
}

// The books must not order the goroutines that write to them, or the race detector
// would see none of the races of the stage under test.
func TestBooksHideNoRace(t *testing.T) {
	if !nosync.Observed {
		t.Skip("needs -race")
	}
	if os.Getenv("REACTOR_LEDGER_CHILD") != "" {
		l := New(t)
		both := l.Produce()
		shared := 0
		var wg sync.WaitGroup
		wg.Go(func() {
			shared++
			l.Delivered(l.Produce())
			l.Delivered(both)
		})
		wg.Go(func() {
			time.Sleep(50 * time.Millisecond) // order by time, which the detector cannot see
			l.Delivered(l.Produce())
			l.Dropped(both)
			shared++
		})
		wg.Wait()
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestBooksHideNoRace$", "-test.count=1")
	cmd.Env = append(os.Environ(), "REACTOR_LEDGER_CHILD=1")
	out, err := cmd.CombinedOutput()
	assert.Error(t, err)
	assert.Contains(t, string(out), "DATA RACE")
}
