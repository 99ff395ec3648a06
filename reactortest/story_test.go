package reactortest

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/flux"
)

// A report tells in which line of which function the first panic came from, below those of the runtime.
func TestReportOfAPanicSaysWhereItCameFrom(t *testing.T) {
	indexed := func(i int) int { return []int{7}[i] }
	mapped := flux.Range(0, 3).Map(indexed)
	got := report(func(t testing.TB) { NewStepVerifier(t, mapped).ExpectNext(7, 7).VerifyComplete() })
	assert.Regexp(t, `\nwhere the first panic came from \(reactor: map: panic: runtime error: index out of range \[1\] with length 1\)\n`+
		`  github.com/goreactor/reactor/reactortest.TestReportOfAPanicSaysWhereItCameFrom.func1  \S*story_test.go:14\n`, got)

	got = report(func(t testing.TB) { NewStepVerifier(t, mapped.Retry(flux.Times(1))).ExpectNext(7, 8).VerifyComplete() })
	assert.Contains(t, got, "story_test.go:14", "the panic went into a retry: it is no signal of the script")

	failed := flux.Error[int](errors.New("gone"))
	got = report(func(t testing.TB) { NewStepVerifier(t, failed).ExpectNext(7).VerifyComplete() })
	assert.NotContains(t, got, "panic")
}

func TestFramesOf(t *testing.T) {
	const stack = "goroutine 7 [running]:\nruntime/debug.Stack()\n\t/go/stack.go:26 +0x5e\npanic({0x1, 0x2})\n\t/go/panic.go:859 +0x125\n" +
		"runtime.panicmem(...)\n\t/go/panic.go:262\nmain.(*T).load(0x0)\n\t/src/main.go:7 +0x1d\nmain.main()\n\t/src/main.go:3 +0x2\n"
	assert.Equal(t, []string{"main.(*T).load  /src/main.go:7", "main.main  /src/main.go:3"}, framesOf(stack))
	assert.Empty(t, framesOf(""), "a panic of which no stack was kept")
}
