package mono_test

import (
	"context"
	"fmt"
	"time"

	"github.com/goreactor/reactor/mono"
)

func ExampleAt() {
	at := time.Now().Add(time.Millisecond)
	got, err := mono.At(at).Block(context.Background())
	fmt.Println(got.Equal(at), !time.Now().Before(at), err)
	// Output: true true <nil>
}
