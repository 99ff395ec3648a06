package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// A source need not stop at once, so its end may come after a cancellation in its last element. Stages that know of
// the cancellation keep it to themselves, as in Reactor; an error is reported as dropped.
func TestEndsThatComeAfterACancellation(t *testing.T) {
	for name, op := range map[string]func(src stream) stream{
		"onErrorReturn": func(src stream) stream { return OnErrorReturn(src, 9, WhenError(func(error) bool { return false })) },
		"retryWhen":     func(src stream) stream { return RetryWhen(src, RetryMax(1)) },
		"retryWhen, with a companion": func(src stream) stream {
			return RetryWhen(src, RetryFrom(func(failures reactor.Publisher[RetrySignal]) reactor.Publisher[RetrySignal] { return failures }))
		},
		"repeatWhen": func(src stream) stream { return RepeatWhen(src, RepeatTimes(1)) },
		"repeatWhen, with a companion": func(src stream) stream {
			return RepeatWhen(src, RepeatFrom(func(ends reactor.Publisher[int64]) reactor.Publisher[int64] { return ends }))
		},
		"skipUntilOther": func(src stream) stream { return SkipUntilOther(src, Just(0)) },
		"takeUntilOther": func(src stream) stream { return TakeUntilOther(src, Never[int]()) },
		"withLatestFrom": func(src stream) stream {
			return WithLatestFrom(src, Concat(Just(0), Never[int]()), add)
		},
		"timeout": func(src stream) stream { return TimeoutFirst(src, Never[int]()) },
		"timeout, its fallback": func(src stream) stream {
			return TimeoutFirstFallback(Never[int](), Just(0), src)
		},
	} {
		for how, end := range map[string]func(s *puppetSubscription[int]){
			"completes": func(s *puppetSubscription[int]) { s.OnComplete() },
			"fails":     func(s *puppetSubscription[int]) { s.OnError(errBoom) },
		} {
			if name == "timeout, its fallback" && how == "fails" {
				continue // it may be the failure of the element, which those further down have to hear of
			}
			t.Run(name+"/"+how, func(t *testing.T) {
				ctx, hooks := probe.Recorded()
				src := &puppet[int]{}
				p := probeOf[int](9)
				p.Each = func(int) { p.Cancel() }
				op(src).Subscribe(ctx, p)
				src.last().OnNext(1)
				end(src.last())
				p.Open(t, 1)
				if how == "fails" {
					assert.Equal(t, []any{errBoom}, hooks.Errs)
				} else {
					assert.Empty(t, hooks.Errs)
				}
			})
		}
	}
	// Nothing stands between the source and who cancels it: OnErrorComplete hands the subscription on, which costs no
	// request and no element anything.
	src := &puppet[int]{}
	p := probeOf[int](9)
	p.Each = func(int) { p.Cancel() }
	OnErrorComplete(src).Subscribe(t.Context(), p)
	src.last().OnNext(1)
	src.last().OnComplete()
	p.Done(t, 1)
}

// The source of ScanWith is subscribed behind the seed, which is element 1 here.
func TestEndOfScanWithAfterACancellation(t *testing.T) {
	for name, op := range map[string]func(src stream) stream{
		"scanWith": func(src stream) stream { return ScanWith(src, func() int { return 1 }, add) },
		"tryScanWith": func(src stream) stream {
			return TryScanWith(src, func() (int, error) { return 1, nil }, func(acc, v int) (int, error) { return acc + v, nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			src := &puppet[int]{}
			p := probeOf[int](9)
			op(src).Subscribe(t.Context(), p)
			p.Open(t, 1)
			p.Cancel()
			src.last().OnComplete()
			p.Open(t, 1)
		})
	}
}

// The last of several sources completes when nobody wants to hear of it. (Its error may be the failure of an element, and is
// passed on.)
func TestEndOfConcatAfterACancellation(t *testing.T) {
	src, p := &puppet[int]{}, probeOf[int](9)
	Concat(Just(1), src).Subscribe(t.Context(), p)
	p.Open(t, 1)
	p.Cancel()
	src.last().OnComplete()
	p.Open(t, 1)
}

// The last element of Materialize is the end of its source: who cancels in it has heard of that.
func TestMaterializeCancelledInItsLastSignal(t *testing.T) {
	for _, demand := range []int64{1, 9} {
		p := probeOf[reactor.Signal[int]](demand)
		p.Each = func(s reactor.Signal[int]) {
			if s.Kind() != reactor.KindNext {
				p.Cancel()
			}
		}
		Materialize[int, reactor.Signal[int]](Range(1, 2)).Subscribe(t.Context(), p)
		p.Request(2)
		p.Open(t, reactor.NextSignal(1), reactor.NextSignal(2), reactor.CompleteSignal[int]())
	}
}
