package reactortest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/mono"
)

// Two scripts that have begun share the clock, until both are over.
func TestVerifyLaterOnOneClockForTwo(t *testing.T) {
	hours := func(n int) *Verification {
		d := time.Duration(n) * time.Hour
		return WithVirtualTime(t, func() mono.Mono[int64] { return mono.Delay(d) }).
			ThenAwait(time.Hour).ExpectNext(0).ExpectComplete().VerifyLater()
	}
	first, second := hours(1), hours(2)
	assert.Equal(t, time.Hour, first.Verify())
	assert.NotNil(t, InstalledVirtualTime())
	assert.Equal(t, 2*time.Hour, second.Verify())
	assert.Nil(t, InstalledVirtualTime())
}

// recursive sends within Request as much as it is asked for, and then the end.
type recursive struct{ most int }

func (p recursive) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	s.OnSubscribe(&recursing{down: s, left: p.most})
}

type recursing struct {
	down reactor.Subscriber[int]
	left int
}

func (s *recursing) Request(n int64) {
	for ; n > 0 && s.left > 0; n-- {
		s.left--
		last := s.left == 0
		s.down.OnNext(s.left)
		if last {
			s.down.OnComplete()
		}
	}
}

func (s *recursing) Cancel() { s.left = 0 }

// What comes within the request of a script is nested in the signal that has led to that, and overlaps with nothing.
func TestStepVerifierRequestsThatAreAnsweredAtOnce(t *testing.T) {
	NewStepVerifier(t, recursive{1}, InitialRequest(0)).ThenRequest(1).ExpectNext(0).VerifyComplete()
	NewStepVerifier(t, recursive{3}, InitialRequest(1)).
		ExpectNext(2).ThenRequest(1).ExpectNext(1).ThenRequest(1).ExpectNext(0).VerifyComplete()
}

// A request within OnSubscribe may also be answered by another goroutine before that has returned.
func TestStepVerifierRequestThatIsAnsweredElsewhere(t *testing.T) {
	NewStepVerifier(t, broken(func(_ context.Context, s reactor.Subscriber[int]) {
		s.OnSubscribe(elsewhere{s})
	}), InitialRequest(0)).ThenRequest(1).ExpectNext(1).VerifyComplete()
}

// elsewhere answers a request on a goroutine of its own, and waits for that.
type elsewhere struct{ down reactor.Subscriber[int] }

func (s elsewhere) Request(int64) {
	var all sync.WaitGroup
	all.Go(func() { s.down.OnNext(1); s.down.OnComplete() })
	all.Wait()
}

func (elsewhere) Cancel() {}
