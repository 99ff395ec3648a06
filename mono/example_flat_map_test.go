package mono_test

import (
	"fmt"

	"github.com/goreactor/reactor/mono"
)

func ExampleMono_FlatMap() {
	load := func(id int) mono.Mono[string] { return mono.Just(fmt.Sprint("user ", id)) }
	block(mono.Just(7).FlatMap(load))
	// Output: user 7 <nil>
}
