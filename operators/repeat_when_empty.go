package operators

import (
	"context"
	"slices"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/stage/companion"
)

// MonoRepeatWhenEmpty subscribes again to src, which sends at most one element, as long as src
// is empty, as policy decides: a [RepeatSpec], or a companion, see [RepeatFrom], which gets the
// numbers 0, 1, 2, … of the empty runs. With [MaxRepeats] the stream fails with
// reactor.ErrIllegalState instead of a further repetition; a companion gets the error right
// after the last number.
//
//	src:  - |     - |     --- 1 |
//	      MonoRepeatWhenEmpty(RepeatTimes(9).FixedDelay(5ms))
//	out:  ------------------- 1 |
//
// The first request asks src for its element; src is cancelled when the element has come. An
// error of src passes. Cancellation and goroutines are as with [RepeatWhen].
func MonoRepeatWhenEmpty[T any](src reactor.Publisher[T], policy RepeatPolicy, opts ...RepeatWhenEmptyOption) reactor.Publisher[T] {
	cfg := repeatWhenEmptyConfig{max: -1}
	for _, o := range argument.Options("repeatWhenEmpty", opts) {
		o.applyRepeatWhenEmpty(&cfg)
	}
	switch p := repeatPolicyOf("repeatWhenEmpty", policy).(type) {
	case RepeatSpec:
		// Called from here, the functions bring the name along into their failures.
		if condition := p.condition; condition != nil {
			p.condition = func(s RepeatSignal) bool { return condition(s) }
		}
		p.before, p.after = slices.Clone(p.before), slices.Clone(p.after)
		for i, fn := range p.before {
			p.before[i] = func(s RepeatSignal) { fn(s) }
		}
		for i, fn := range p.after {
			p.after[i] = func(s RepeatSignal) { fn(s) }
		}
		if cfg.max >= 0 {
			p.refuse = func(iteration int64) error {
				if iteration >= cfg.max {
					return tooManyRepeats(cfg.max)
				}
				return nil
			}
		}
		policy = p
	case repeatFrom:
		policy = repeatFrom{func(ctx context.Context, feed *companion.Feed[int64], owner companion.Owner) {
			index := int64(-1)
			feed.Change = func(int64) (n int64, some bool, last error) {
				index++
				if cfg.max >= 0 && index+1 >= cfg.max {
					last = tooManyRepeats(cfg.max)
				}
				return index, cfg.max != 0, last
			}
			p.attach(ctx, feed, owner)
		}}
	}
	return Next(RepeatWhen(src, policy, cfg.verbatim))
}

// RepeatWhenEmptyOption is an option of [MonoRepeatWhenEmpty]: [MaxRepeats], [Verbatim].
type RepeatWhenEmptyOption interface {
	applyRepeatWhenEmpty(*repeatWhenEmptyConfig)
}

type repeatWhenEmptyConfig struct {
	max      int64 // -1: unlimited
	verbatim VerbatimOption
}

func (o VerbatimOption) applyRepeatWhenEmpty(c *repeatWhenEmptyConfig) { c.verbatim = o }

// MaxRepeatsOption is how often a source may be subscribed again.
type MaxRepeatsOption int

// MaxRepeats makes the stream fail instead of subscribing to its source again more than
// n ≥ 0 times.
func MaxRepeats(n int) MaxRepeatsOption { return MaxRepeatsOption(n) }

func (n MaxRepeatsOption) applyRepeatWhenEmpty(c *repeatWhenEmptyConfig) {
	argument.NotNegative("repeatWhenEmpty", "max", n)
	c.max = count(int(n))
}

func tooManyRepeats(n int64) error {
	return reactor.Failure("repeatWhenEmpty", reactor.ErrIllegalState, "still empty after %d repetitions", n)
}
