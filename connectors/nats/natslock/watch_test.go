package natslock

import (
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/goreactor/reactor/keylock"
)

// K11: a watch goes on as long as nothing is missing, and says so at the first gap.
func TestK11Gaps(t *testing.T) {
	message := func(sequence int) *nats.Msg {
		m := nats.NewMsg("inbox")
		m.Reply = fmt.Sprintf("$JS.ACK.KV_locks.c.1.%d.%d.1700000000000000000.0", 100+sequence, sequence)
		m.Sub = &nats.Subscription{}
		m.Data = record{Owner: "o", Nonce: "n"}.encode()
		return m
	}
	status := func(code, last string) *nats.Msg {
		m := nats.NewMsg("inbox")
		m.Header.Set("Status", code)
		if last != "" {
			m.Header.Set("Nats-Last-Consumer", last)
		}
		return m
	}
	for _, c := range []struct {
		what string
		msgs []*nats.Msg // all but the last one are as they should be
		last bool        // whether it goes on after that
	}{
		{"in order", []*nats.Msg{message(1), message(2), message(3)}, true},
		{"a message is missing", []*nats.Msg{message(1), message(3)}, false},
		{"the first one is missing", []*nats.Msg{message(2)}, false},
		{"one comes again", []*nats.Msg{message(1), message(1)}, false},
		{"a heartbeat that knows of no more", []*nats.Msg{message(1), status("100", "1")}, true},
		{"a heartbeat that knows of more", []*nats.Msg{message(1), status("100", "2")}, false},
		{"a heartbeat before anything", []*nats.Msg{status("100", "")}, true},
		{"the consumer was removed", []*nats.Msg{message(1), status("409", "")}, false},
		{"a message that is none of a stream", []*nats.Msg{nats.NewMsg("inbox")}, false},
	} {
		w := &watch{key: "k", events: make(chan keylock.Event, 1)}
		for i, m := range c.msgs {
			want := c.last || i < len(c.msgs)-1
			if got := w.read(m); got != want {
				t.Errorf("%s: message %d: %v expected but it was %v", c.what, i, want, got)
			}
		}
	}
}
