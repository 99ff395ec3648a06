package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// MergeOption configures [MergeSlice]: [Prefetch] (default 32), [DelayErrors].
type MergeOption interface{ applyMerge(*mergeConfig) }

type mergeConfig struct {
	prefetch    int64
	delayErrors bool
}

func (n PrefetchOption) applyMerge(c *mergeConfig) {
	c.prefetch = positiveSize("merge", "prefetch", int(n))
}

func (d DelayErrorsOption) applyMerge(c *mergeConfig) { c.delayErrors = bool(d) }

// Merge subscribes to all sources at once, from left to right, and emits what they
// send, in the order in which it comes.
//
//	a:    1 ------- 2 ------ |
//	b:    --- 10 ------- 20 |
//	      Merge(a, b)
//	out:  1 - 10 -- 2 -- 20 - |
//
// Each source is asked for 32 elements ahead of demand; they wait in a queue of its own. The first
// error cancels the other sources, discards the elements that wait and ends the stream; see
// [MergeSlice] for delayed errors. Cancellation cancels all sources. Elements are emitted on
// whatever goroutine delivers first: that of a source or of a request. A source behind
// [SubscribeOn] that needs no function of the user for its elements, such as [Range], may deliver
// for 50 µs, or for as long as a batch takes if that is longer, before the elements that the other
// sources have queued meanwhile.
func Merge[T any](sources ...reactor.Publisher[T]) reactor.Publisher[T] { return MergeSlice(sources) }

// MergeSlice is [Merge] with options. With [DelayErrors] the other sources run on when
// one fails; errors, joined if there are several, come at the end.
func MergeSlice[T any](sources []reactor.Publisher[T], opts ...MergeOption) reactor.Publisher[T] {
	c := mergeConfig{prefetch: defaultPrefetch()}
	for _, o := range argument.Options("merge", opts) {
		o.applyMerge(&c)
	}
	switch len(sources) {
	case 0:
		return Empty[T]()
	case 1:
		return protocol.Trust("merge", sources[0])
	}
	return &mergePublisher[T]{sourceList: listOf(protocol.TrustAll("merge", sources)...), mergeConfig: c}
}

// MergeWith merges src with the others, see [Merge]; src is subscribed first.
func MergeWith[T any](src reactor.Publisher[T], others ...reactor.Publisher[T]) reactor.Publisher[T] {
	src = protocol.Trust("mergeWith", src)
	others = protocol.TrustAll("mergeWith", others)
	if len(others) == 0 {
		return src
	}
	// One stage for a.MergeWith(b).MergeWith(c).
	if p, ok := src.(*mergePublisher[T]); ok {
		return &mergePublisher[T]{sourceList: listWith(p.sourceList, false, others), mergeConfig: p.mergeConfig}
	}
	return &mergePublisher[T]{
		sourceList:  listOf(append([]reactor.Publisher[T]{src}, others...)...),
		mergeConfig: mergeConfig{prefetch: defaultPrefetch()},
	}
}

// MergeAll subscribes to the publishers that src sends and emits what they send, in the
// order in which it comes. It is [FlatMap] without a function.
func MergeAll[T any, P reactor.Publisher[T]](src reactor.Publisher[P], opts ...FlatMapOption) reactor.Publisher[T] {
	return newFlatMap("mergeAll", src, func(p P) reactor.Publisher[T] { return p }, opts)
}

type mergePublisher[T any] struct {
	protocol.Op
	sourceList[T] // at least two
	mergeConfig
}

func (p *mergePublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	m := &flatMapMain[T]{}
	m.begin("merge", ctx, s, reactor.Unbounded, p.prefetch, p.delayErrors)
	defer failure.Persist(len(p.sources)+1, func(i int) bool { // also if downstream ends the goroutine
		switch {
		case i < len(p.sources):
			return p.start(m, p.sources[i])
		case !m.done.Load():
			m.finish()
		}
		return false
	})
	m.down.OnSubscribe(m)
}

// start subscribes to src, or takes its element if that is known at once. It reports whether
// the next source is wanted.
func (p *mergePublisher[T]) start(m *flatMapMain[T], src reactor.Publisher[T]) bool {
	if m.stop.Load() {
		return false
	}
	c, ok := direct.AsCallable[T](src)
	if !ok {
		m.add(src)
		return true
	}
	var v T
	var err error
	failure.Guard(func() { v, ok, err = callGuarded(m.ctx, c) }, func(goexit error) { p.failed(m, goexit) })
	switch {
	case err != nil:
		return !p.failed(m, err)
	case ok:
		// By the drain loop, which guards what it emits.
		m.offerScalar(v)
		m.run()
	}
	return true
}

// failed takes the failure of a source that was called, and reports whether it ends the stream.
func (p *mergePublisher[T]) failed(m *flatMapMain[T], err error) (over bool) {
	m.cont.TakeAnd(err, nil, func(err error) {
		if err != nil && m.addFailure(reactor.OperatorError(m.ctx, err, nil)) && !p.delayErrors {
			over = true
			m.finish()
		}
	})
	return over
}
