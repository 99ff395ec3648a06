package natslock

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/goreactor/reactor/keylock"
)

// heartbeat is how often the server says that a watch is alive when there is nothing
// else to say; silence is how long a watch may say nothing before it is given up.
const (
	heartbeat = time.Second
	silence   = 5 * heartbeat / 2
)

// backlog is how many messages of a watch may wait for its goroutine. The client drops what is beyond, which a watch notices, but the
// watch has to be made anew then, and the client reports a slow consumer: on standard error, unless the program has a handler for that.
// With processes that fight for a key some hundred come while the goroutine waits for a processor.
const backlog = 1024

// watch is a consumer of one subject, and the goroutine that reads it.
type watch struct {
	b        *Backend
	key      string
	consumer string
	sub      *nats.Subscription
	messages chan *nats.Msg
	status   chan nats.Status // tells that the connection was made again
	seen     uint64           // sequence of the last message, as the consumer counts
	told     bool             // an event was sent
	events   chan keylock.Event
}

// Watch implements keylock.Backend. If there is no connection, it waits for one. Its
// channel is closed when ctx ends, when the connection was lost, when the server says
// nothing for 2.5 seconds, and when a change may have been missed.
func (b *Backend) Watch(ctx context.Context, key string) (<-chan keylock.Event, error) {
	subject, err := b.subject(key)
	if err != nil {
		return nil, err
	}
	if err := b.connected(ctx); err != nil {
		return nil, err
	}
	w := &watch{
		b: b, key: key, messages: make(chan *nats.Msg, backlog), events: make(chan keylock.Event, 1),
		status: b.conn.StatusChanged(nats.RECONNECTING, nats.CONNECTED, nats.CLOSED),
	}
	inbox := b.conn.NewInbox()
	if w.sub, err = b.conn.ChanSubscribe(inbox, w.messages); err != nil {
		w.end()
		return nil, fmt.Errorf("natslock: watch %q: %w", key, err)
	}
	answer, cancel := context.WithTimeoutCause(ctx, answerTimeout, errNoAnswer)
	defer cancel()
	consumer, err := b.js.CreatePushConsumer(answer, b.stream, jetstream.ConsumerConfig{
		DeliverSubject:    inbox,
		DeliverPolicy:     jetstream.DeliverLastPerSubjectPolicy,
		FilterSubject:     subject,
		AckPolicy:         jetstream.AckNonePolicy,
		MaxDeliver:        1,
		IdleHeartbeat:     heartbeat,
		InactiveThreshold: 2 * silence,
		MemoryStorage:     true,
		Replicas:          1,
	})
	if err != nil {
		w.end()
		if cause := context.Cause(answer); cause != nil { // the client tells only that the context has ended
			err = cause
		}
		return nil, fmt.Errorf("natslock: watch %q: %w", key, err)
	}
	info := consumer.CachedInfo()
	w.consumer = info.Name
	if info.NumPending == 0 && info.Delivered.Consumer == 0 {
		w.tell(keylock.Event{Kind: keylock.Vacant})
	}
	go w.run(ctx)
	return w.events, nil
}

// run passes on what the consumer sends.
func (w *watch) run(ctx context.Context) {
	defer close(w.events)
	defer w.end()
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-quiet.C:
			return
		case <-w.status:
			return
		case msg, ok := <-w.messages:
			if !ok || !w.read(msg) {
				return
			}
			quiet.Reset(silence)
		}
	}
}

// read passes one message on and reports whether none is missing before it.
func (w *watch) read(msg *nats.Msg) bool {
	if status := msg.Header.Get("Status"); status != "" {
		// A heartbeat says what was sent last; everything else is an end.
		last := msg.Header.Get("Nats-Last-Consumer")
		if status != "100" || last != "" && last != strconv.FormatUint(w.seen, 10) {
			return false
		}
		if !w.told { // the key had a mark, which has gone before the server could send it
			w.tell(keylock.Event{Kind: keylock.Vacant})
		}
		return true
	}
	meta, err := msg.Metadata()
	if err != nil || meta.Sequence.Consumer != w.seen+1 {
		return false
	}
	w.seen = meta.Sequence.Consumer
	w.tell(eventOf(w.key, msg.Header, msg.Data, meta.Sequence.Stream))
	return true
}

// tell makes e the event that is received next, in the place of one that was not
// received yet.
func (w *watch) tell(e keylock.Event) {
	w.told = true
	for {
		select {
		case w.events <- e:
			return
		default:
		}
		select {
		case <-w.events:
		default:
		}
	}
}

// end gives up what the watch has, on the server too. It does not wait for that: a
// consumer that nobody listens to is removed by the server after a while.
func (w *watch) end() {
	w.b.conn.RemoveStatusListener(w.status)
	if w.sub == nil {
		return
	}
	_ = w.sub.Unsubscribe()
	if w.consumer != "" && w.b.conn.Status() == nats.CONNECTED {
		_ = w.b.conn.Publish(w.b.removal+w.consumer, nil)
	}
}
