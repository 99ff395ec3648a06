package operators

import (
	"sync"
	"testing"

	"github.com/goreactor/reactor/internal/ledger"
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
