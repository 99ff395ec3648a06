package reactortest

import (
	"fmt"

	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// Race calls each function on a goroutine of its own and returns when all have returned. The
// goroutines are released at the same moment, and each adds a random delay of at most about a
// microsecond. If a function panics, Race panics with the value and the stack; if not all
// functions have returned after five seconds, it prints the stacks of all goroutines and
// panics. The seed of the delays is printed once; set REACTOR_RACE_SEED to that seed to repeat
// the delays. If a function is nil, Race panics before it calls any.
func Race(fns ...func()) {
	checkFunctions("Race", fns)
	racetest.Race(fns...)
}

// RepeatRace calls round n times and passes it a function that does what [Race] does, but with
// goroutines that stay awake from round to round, so that the functions meet far more often. A
// round makes the objects to race on, calls that function, and checks the outcome. With -short
// the number of rounds is n/10; otherwise, with the race detector, which is slow, it is n/20.
// It is multiplied by REACTOR_RACE_ITERATIONS, if that is set.
//
//	reactortest.RepeatRace(2000, func(race func(fns ...func())) {
//		sub := reactortest.Subscribe(t, src(), reactortest.InitialRequest(0))
//		race(sub.Cancel, func() { sub.Request(1) })
//	})
//
// The functions run outside of any bubble; use Race within one. RepeatRace panics if n is not positive, or a
// function is nil.
func RepeatRace(n int, round func(race func(fns ...func()))) {
	switch {
	case n <= 0:
		panic(fmt.Sprintf("reactortest: RepeatRace: n must be positive, got %d", n))
	case round == nil:
		panic("reactortest: RepeatRace: the function is nil")
	}
	racetest.Repeat(racetest.Iterations(n), func(race func(fns ...func())) {
		round(func(fns ...func()) {
			checkFunctions("RepeatRace", fns)
			race(fns...)
		})
	})
}

func checkFunctions(by string, fns []func()) {
	for i, fn := range fns {
		if fn == nil {
			panic(fmt.Sprintf("reactortest: %s: function %d of %d is nil", by, i+1, len(fns)))
		}
	}
}
