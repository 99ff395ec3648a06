package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
)

// Computable reports whether all sources are: see [direct.Is]. Where failures wait for the other sources there is a subscription.
func (p *monoZipPublisher[R]) Computable() direct.Way { return whole(!p.delay && p.of.computable()) }

// Direct implements direct.Source. The sources have their turns in the order of a subscription: a
// source that can be computed is over before the next one is begun.
func (p *monoZipPublisher[R]) Direct(ctx context.Context) (R, bool, error) { return p.of.compute(ctx) }

// computeMembers is compute of zipSources for any number of them.
func computeMembers[R any](ctx context.Context, of zipSources[R]) (r R, ok bool, err error) {
	j, combine := zipMembers(ctx, of)
	used := false
	defer func() {
		if !used {
			j.release()
		}
	}()
	for i, m := range j.members {
		if i > 0 && ctx.Err() != nil {
			return r, false, context.Cause(ctx)
		}
		if out, end := m.compute(ctx); out != computedElement {
			err, used = j.stopped(i, out, end, combine)
			return r, false, err
		}
	}
	r = combine()
	used = true
	return r, true, nil
}

// zipMembers makes the members of a zip that may be subscribed to when some of them have been computed.
func zipMembers[R any](ctx context.Context, of zipSources[R]) (j *join[R], combine func() R) {
	j = &join[R]{ctx: ctx}
	j.members, combine = of.members(j)
	return j, combine
}

// stopped returns how a zip ends whose ith member has not sent an element. As in a subscription the
// other members have their turns nevertheless, and are cancelled at once: if anybody can tell, the
// zip is subscribed to from there on, and begun says so.
func (j *join[R]) stopped(i int, out computedOutcome, end error, combine func() R) (err error, begun bool) { //nolint:revive // the error is a result like the other
	if out == computedCut || out == computedNone && j.idle(i+1) {
		return end, false
	}
	j.begun = i + 1
	j.left.Store(int32(len(j.members) - i))
	return &instead[R]{&monoZipBegun[R]{j: j, combine: combine}}, true
}

// idle reports whether nobody can tell that the members from the ith on are subscribed to and cancelled.
func (j *join[R]) idle(i int) bool {
	for _, m := range j.members[i:] {
		if !m.idle() {
			return false
		}
	}
	return true
}

// computedOutcome is the outcome of a member.
type computedOutcome uint8

const (
	computedElement computedOutcome = iota
	computedNone                    // it is empty or has failed
	computedCut                     // the context has ended
	computedInstead                 // there is something to subscribe to
)

// compute implements joinMember.
func (s *joinInner[T, R]) compute(ctx context.Context) (computedOutcome, error) {
	return s.take(attempted(ctx, s.src))
}

// take takes the result of attempted. The rest of the member is what it is subscribed to for: its
// end, or an element that has to be waited for.
func (s *joinInner[T, R]) take(v T, ok bool, failed, err error) (out computedOutcome, end error) {
	switch of, is := err.(*instead[T]); {
	case is:
		s.src = of.src
		return computedInstead, nil
	case err != nil:
		return computedCut, err
	case failed != nil:
		s.src = Error[T](failed)
		return computedNone, failed
	case !ok:
		s.src = Empty[T]()
		return computedNone, nil
	}
	s.value, s.has, s.done = v, true, true
	s.state.Store(joinSettled)
	return computedElement, nil
}

// idle implements joinMember.
func (s *joinInner[T, R]) idle() bool { return idle(s.src) }

// idle reports whether src does nothing before it is asked for an element.
func idle[T any](src reactor.Publisher[T]) bool {
	switch s := src.(type) {
	case funcPublisher[T]:
		return true
	case *justPublisher[T], justReference[T]:
		return !reactor.Owns[T]()
	case *mapPublisher[T, T]:
		return idle(s.src)
	}
	return false
}

// monoZipBegun is a zip some of whose members have their elements. It is subscribed to once.
type monoZipBegun[R any] struct {
	protocol.Op
	j       *join[R]
	combine func() R
}

func (p *monoZipBegun[R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	j, combine := p.j, p.combine
	j.ctx, j.down = ctx, protocol.Strict(ctx, s)
	j.finish = func() (R, bool) { return combine(), true }
	j.down.OnSubscribe(j)
}
