package fence_test

import (
	"context"
	"fmt"

	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/keylock/fence"
)

func ExampleMarkOf() {
	locks, _ := keylock.New()
	defer locks.Close()
	var guard fence.Guard
	write := func(lease keylock.Lease, what string) {
		err := guard.Do("account", fence.MarkOf(lease), func() error {
			fmt.Println("wrote", what)
			return nil
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	first, _ := locks.Acquire(context.Background(), "account")
	write(first, "10")
	first.Release() // but somebody still has it
	second, _ := locks.Acquire(context.Background(), "account")
	write(second, "20")
	write(first, "30")
	second.Release()
	// Output:
	// wrote 10
	// wrote 20
	// fence: "account": the lease is stale: token 1, 2 was seen before
}
