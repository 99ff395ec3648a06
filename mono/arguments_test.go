package mono_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/mono"
)

// As the test of the same name in flux: the panic names operator and argument.
func TestBadArguments(t *testing.T) {
	src := mono.Just(1)
	forOneSecond := func(reactor.Signal[int]) time.Duration { return time.Second }
	//reactorvet:ignore they panic when they are put together
	for want, assemble := range map[string]func(){
		"map: the mapper is nil":                    func() { src.Map((func(int) int)(nil)) },
		"flatMap: the mapper is nil":                func() { src.FlatMap((func(int) mono.Mono[int])(nil)) },
		"filterWhen: the test is nil":               func() { src.FilterWhen((func(int) mono.Mono[bool])(nil)) },
		"as: the function is nil":                   func() { src.As((func(mono.Mono[int]) int)(nil)) },
		"fromFunc: the function is nil":             func() { mono.FromFunc[int](nil) },
		"publishOn: the scheduler is nil":           func() { src.PublishOn(nil) },
		"retry: times must not be negative, got -1": func() { src.Retry(mono.Times(-1)) },
		"cacheFor: option 1 is nil":                 func() { src.CacheFor(forOneSecond, nil) },
		"cacheFor: the lifetime comes from the function, and TTL(5s) is given besides": func() { src.CacheFor(forOneSecond, mono.TTL(5*time.Second)) },
		"onErrorResume: the fallback function is nil":                                  func() { src.OnErrorResume(nil) },
	} {
		func() {
			defer func() { assert.Equal(t, "reactor: "+want, recover()) }()
			assemble()
		}()
	}
}
