// Package programs runs random programs in tests: as many as the environment says, and one of them again. Program is what all of them
// have, Crowd plays one, and Book is what they keep of what happens.
package programs

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// enough is how many programs may fail before no more are played.
const enough = 5

// Run plays count random programs, or as many as the variable of that name in the environment says; name_SEED and name_NUMBER say with
// which seed, and which is the first. Play returns what is wrong with the program. Run fails the test with that and with what plays the
// same program again, and ends after five of them.
func Run(t testing.TB, name string, count uint64, play func(seed, number uint64) (wrong []string)) {
	t.Helper()
	seed := fromEnvironment(t, name+"_SEED", uint64(time.Now().UnixNano()))
	first := fromEnvironment(t, name+"_NUMBER", 0)
	count = fromEnvironment(t, name, count)
	bad := 0
	for number := first; number-first < count && bad < enough; number++ {
		if wrong := play(seed, number); len(wrong) > 0 {
			bad++
			t.Errorf("%s_SEED=%d %s_NUMBER=%d:\n%s", name, seed, name, number, strings.Join(wrong, "\n"))
		}
	}
}

// InBubbles plays random programs as Run does, each in a bubble of its own: 500 of them, or 100,000 where REACTOR_STRESS asks for tests in
// full size.
func InBubbles(t *testing.T, name string, bubble func(*testing.T, func(*testing.T)), play func(t *testing.T, p *Program) (wrong []string)) {
	t.Helper()
	count := uint64(500)
	if os.Getenv("REACTOR_STRESS") != "" {
		count = 100_000
	}
	Run(t, name, count, func(seed, number uint64) (wrong []string) {
		bubble(t, func(t *testing.T) { wrong = play(t, New(seed, number)) })
		return wrong
	})
}

func fromEnvironment(t testing.TB, name string, otherwise uint64) uint64 {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// Crowd is who acts in a program: clients take steps, each on a goroutine of its own, and while they do ends come. All of them choose
// with a source of their own, so that a program chooses the same when it is played again.
type Crowd struct {
	Clients int // at most
	Steps   int // at most, of each client
	Step    func(r *rand.Rand)
	Ends    int           // at most
	Within  time.Duration // an end comes before that
	End     func(r *rand.Rand)
}

// Play lets the crowd of a program act and returns when all have.
func (c Crowd) Play(r *rand.Rand, seed, number uint64) {
	var all sync.WaitGroup
	for i := range 1 + r.IntN(c.Clients) {
		steps := 1 + r.IntN(c.Steps)
		own := rand.New(rand.NewPCG(seed, number<<8+uint64(i)))
		all.Go(func() {
			for range steps {
				c.Step(own)
			}
		})
	}
	for i := range 1 + r.IntN(c.Ends) {
		after := time.Duration(r.Int64N(int64(c.Within)))
		own := rand.New(rand.NewPCG(seed, number<<8+100+uint64(i)))
		all.Go(func() {
			time.Sleep(after)
			c.End(own)
		})
	}
	all.Wait()
}
