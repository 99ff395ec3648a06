package natslock

import (
	"errors"
	"testing"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/keylock"
)

// K8: a bucket whose markers are gone before the lock delay is over is refused: who comes later finds no trace of the
// expiry, and the key free.
func TestK8MarkersOutliveTheLockDelay(t *testing.T) {
	for _, c := range []struct {
		markers, ttl time.Duration
		opts         []keylock.Option
		good         bool
	}{
		{time.Minute, 20 * time.Second, nil, true},
		{time.Second, 10 * time.Second, nil, true}, // a delay of 1 s
		{time.Second, 20 * time.Second, nil, false},
		{time.Second, 20 * time.Second, []keylock.Option{keylock.LockDelay(0)}, true},
		{time.Minute, 20 * time.Second, []keylock.Option{keylock.LockDelay(time.Minute)}, true},
		{time.Minute, 20 * time.Second, []keylock.Option{keylock.LockDelay(time.Minute + 1)}, false},
		{2*time.Second - 1, 15 * time.Second, nil, false}, // the server cuts off what is less than a second
	} {
		b := &Backend{hints: hints{ttl: c.markers}}
		m, err := keylock.New(append(c.opts, keylock.WithBackend(b, c.ttl))...)
		if c.good != (err == nil) || !c.good && !errors.Is(err, reactor.ErrIllegalArgument) {
			t.Errorf("markers for %v, records for %v, %d options: %v", c.markers, c.ttl, len(c.opts), err)
		}
		if m != nil {
			m.Close()
		}
	}
}
