package locktest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/keylock/locktest"
)

func ExampleRun() {
	// In a test file of the backend:
	_ = func(t *testing.T) {
		locktest.Run(t, locktest.Config{
			Open:   func(*testing.T) (a, b keylock.Backend) { s := locktest.NewTree(); return s, s },
			Around: synctest.Test, // not for a store that lives outside of the process
		})
	}
	// Output:
}

func ExampleNewStream() {
	store := locktest.NewStream()
	ctx := context.Background()
	g, err := store.TryAcquire(ctx, keylock.Request{Key: "k", Nonce: "n1", TTL: time.Second})
	fmt.Println(g.Token, err)
	_, err = store.TryAcquire(ctx, keylock.Request{Key: "k", Nonce: "n2", TTL: time.Second})
	fmt.Println(errors.Is(err, keylock.ErrHeld))
	fmt.Println(store.Release(ctx, g))
	ev, _ := store.Read(ctx, "k")
	fmt.Println(ev.Kind, ev.Revision)
	// Output:
	// 1 <nil>
	// true
	// <nil>
	// released 2
}

func ExampleNewTree() {
	store := locktest.NewTree()
	ctx := context.Background()
	g, _ := store.TryAcquire(ctx, keylock.Request{Key: "k", Nonce: "n1", TTL: time.Second})
	next, err := store.Renew(ctx, g, time.Second)
	fmt.Println(next == g, err)
	fmt.Println(store.Release(ctx, g))
	ev, _ := store.Read(ctx, "k")
	fmt.Println(ev.Kind)
	// Output:
	// true <nil>
	// <nil>
	// vacant
}

func ExampleIntercept() {
	// Every answer to a release is lost.
	store := locktest.Intercept(locktest.NewTree(), func(_ context.Context, op string, do func() error) error {
		err := do()
		if op == "Release" {
			return locktest.ErrLost
		}
		return err
	})
	ctx := context.Background()
	g, _ := store.TryAcquire(ctx, keylock.Request{Key: "k", Nonce: "n1", TTL: time.Second})
	fmt.Println(store.Release(ctx, g))
	ev, _ := store.Read(ctx, "k")
	fmt.Println(ev.Kind)
	// Output:
	// locktest: the answer was lost
	// vacant
}
