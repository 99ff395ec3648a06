package natslock_test

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/goreactor/reactor/connectors/nats/natslock"
	"github.com/goreactor/reactor/keylock"
)

// One process of several, each of which may get the key.
func Example() {
	ctx := context.Background()
	conn, err := nats.Connect(nats.DefaultURL, nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err = js.CreateOrUpdateKeyValue(ctx, natslock.Config("orders")); err != nil {
		fmt.Println(err)
		return
	}
	store, err := natslock.New(ctx, js, "orders")
	if err != nil {
		fmt.Println(err)
		return
	}
	locks, err := keylock.New(keylock.WithBackend(store, 15*time.Second))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer locks.Close()

	sent, err := locks.Do(ctx, "order-7", func(ctx context.Context, lease keylock.Lease) (bool, error) {
		// UPDATE orders SET sent = true, fence = $1 WHERE id = 7 AND NOT sent AND fence <= $1
		return send(ctx, lease.Token())
	})
	fmt.Println(sent, err)
}

// send stands for the work.
func send(ctx context.Context, fence uint64) (bool, error) { return true, ctx.Err() }

// Three replicas, and marks that stay longer.
func ExampleConfig() {
	config := natslock.Config("orders")
	config.Replicas = 3
	config.LimitMarkerTTL = 5 * time.Minute
	fmt.Println(config.Bucket, config.History, config.Replicas)
	// Output: orders 1 3
}
