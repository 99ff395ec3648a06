package operators

import (
	"sync"
	"testing"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/ledger"
)

// raceSide is one of two sources in a race.
type raceSide struct {
	l    *racedLedger
	up   *puppetSubscription[element]
	sent int64 // touched by the source's signals only
}

// racedLedger is a ledger for stages that hand one element down several times: it is
// entered as delivered once.
type racedLedger struct {
	*ledger.Ledger
	mu   sync.Mutex
	seen map[element]bool // guarded by mu
}

func newRacedLedger(t testing.TB) *racedLedger {
	return &racedLedger{Ledger: ledger.New(t), seen: map[element]bool{}}
}

// once enters e as delivered unless it was.
func (l *racedLedger) once(e element) {
	l.mu.Lock()
	before := l.seen[e]
	l.seen[e] = true
	l.mu.Unlock()
	if !before {
		l.Delivered(e)
	}
}

// combine is a combiner for such stages: what it gets counts as delivered.
func (l *racedLedger) combine(x, y element) int {
	l.once(x)
	l.once(y)
	return x.Number + y.Number
}

// ignoring asks for everything and does nothing with it.
type ignoring[T any] struct{ protocol.Inner }

func (*ignoring[T]) OnSubscribe(up reactor.Subscription) { up.Request(reactor.Unbounded) }
func (*ignoring[T]) OnNext(T)                            {}
func (*ignoring[T]) OnError(error)                       {}
func (*ignoring[T]) OnComplete()                         {}
