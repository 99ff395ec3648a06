package stages

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/proofs/roster"
	"github.com/goreactor/reactor/reactortest"
)

// owner is an element that somebody has to take or to discard, as a window is.
type owner struct {
	number    int
	delivered int
	discarded int // calls of Discarded
}

func (o *owner) Discarded() {
	if o != nil { // the zero element that some stages add
		o.discarded++
	}
}

// TestEveryOwnerIsTold sends elements that own something through every stage, with and without a
// discard hook, and lets the stream end in several ways: each of them is delivered or told that
// nobody will get it, once, or the source of a window would run for ever.
func TestEveryOwnerIsTold(t *testing.T) {
	for _, stage := range roster.Stages[*owner]() {
		t.Run(stage.Name, func(t *testing.T) {
			lost := false
			for _, way := range []string{"completes", "fails", "is cancelled"} {
				for _, sent := range []int{1, 2, 7} {
					for _, demand := range []int64{0, 1, 3, reactor.Unbounded} {
						for _, hooked := range []bool{false, true} {
							if stage.Single && sent > 1 {
								continue
							}
							name := fmt.Sprintf("%s after %d, %d requested, hook %v", way, sent, demand, hooked)
							synctest.Test(t, func(t *testing.T) {
								for _, o := range ownersThrough(stage, way, sent, demand, hooked) {
									n := o.delivered + o.discarded
									switch {
									case n == 0 && stage.Keeps != "":
										lost = true
									case n == 0 || n > 1 && !stage.Overlaps:
										assert.Fail(t, "not told once", "%s: element %d was delivered %d times and told %d times; if a function has it, the row says so (keeping)",
											name, o.number, o.delivered, o.discarded)
										return
									}
								}
							})
						}
					}
				}
			}
			if stage.Keeps != "" {
				assert.True(t, lost, "it need not be said any more")
			}
		})
	}
}

// ownersThrough returns all elements that were sent.
func ownersThrough(stage roster.Stage[*owner], way string, sent int, demand int64, hooked bool) (all []*owner) {
	clock := reactortest.NewVirtualTime()
	src := &puppet[*owner]{single: stage.Single}
	down := &watcher{demand: demand, onNext: func(v any) {
		ledger.EachOf(v, func(o *owner) {
			if o != nil {
				o.delivered++
			}
		})
	}}
	hooks := reactor.Hooks{ErrorDropped: func(context.Context, error) {}}
	if hooked {
		hooks.Discard = func(context.Context, any) {}
	}
	stage.Build(clock, src).Subscribe(reactor.WithHooks(context.Background(), hooks), down)
	clock.AdvanceBy(10 * time.Microsecond)
	for range sent {
		if up := src.last(); up != nil {
			up.next(func() *owner {
				all = append(all, &owner{number: len(all) + 1})
				return all[len(all)-1]
			})
		}
		clock.AdvanceBy(time.Microsecond)
	}
	for range 4 { // as often as it is subscribed again
		switch up := src.last(); {
		case up == nil:
		case way == "completes":
			up.end(nil)
		case way == "fails":
			up.end(errBoom)
		}
		clock.AdvanceBy(time.Millisecond)
	}
	down.cancel()
	clock.AdvanceBy(time.Hour)
	synctest.Wait()
	return all
}
