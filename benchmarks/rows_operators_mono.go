package benchmarks

import (
	"context"
	"errors"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

// Operators of a Mono, whose cost is that of assembly, subscription and end.

var errSome = errors.New("some error")

func six() mono.Mono[int] { return mono.Just(6) }

// computed is one whose element is computed when it is computed for.
func computed() mono.Mono[int] {
	return mono.FromFunc(func(context.Context) (int, error) { return 6, nil })
}

func monos() []monoOperator {
	return []monoOperator{
		{"just", "Just", 6, six},
		{"fromFunc", "FromFunc", 6, computed},
		{"map", "Just, Map", 7, func() mono.Mono[int] { return six().Map(plusOne) }},
		{"map called", "FromFunc, Map", 7, func() mono.Mono[int] { return computed().Map(plusOne) }},
		{"filter", "FromFunc, Filter", 6, func() mono.Mono[int] { return computed().Filter(even) }},
		{"handle", "FromFunc, Handle", 6, func() mono.Mono[int] {
			return computed().Handle(func(v int, s *mono.SyncSink[int]) { s.Next(v) })
		}},
		{"flatMap", "FromFunc, FlatMap to FromFunc", 7, func() mono.Mono[int] {
			return computed().FlatMap(func(v int) mono.Mono[int] { return called(v + 1) })
		}},
		{"flatMapMany", "FromFunc, FlatMapMany to a range", 5, func() mono.Mono[int] {
			return flux.FlatMapMany(computed(), func(v int) numbers { return flux.Range(0, v) }).Last()
		}},
		{"zip", "Zip of two FromFunc", 12, func() mono.Mono[int] { return mono.Zip(computed(), computed(), plus) }},
		{"zipWhen", "FromFunc, ZipWhen with FromFunc", 12, func() mono.Mono[int] { return computed().ZipWhen(called, plus) }},
		{"thenMono", "FromFunc, ThenMono", 6, func() mono.Mono[int] { return computed().ThenMono(computed()) }},
		{"thenReturn", "FromFunc, ThenReturn", 1, func() mono.Mono[int] { return computed().ThenReturn(1) }},
		{"delayUntil", "FromFunc, DelayUntil FromFunc", 6, func() mono.Mono[int] { return computed().DelayUntil(called) }},
		{"filterWhen", "FromFunc, FilterWhen with Just", 6, func() mono.Mono[int] { return computed().FilterWhen(justYes) }},
		{"switchIfEmpty", "FromFunc, SwitchIfEmpty", 6, func() mono.Mono[int] { return computed().SwitchIfEmpty(six()) }},
		{"switchIfEmpty empty", "Empty, SwitchIfEmpty", 6, func() mono.Mono[int] { return mono.Empty[int]().Hide().SwitchIfEmpty(computed()) }},
		{"defaultIfEmpty", "FromFunc, DefaultIfEmpty", 6, func() mono.Mono[int] { return computed().DefaultIfEmpty(1) }},
		{"onErrorResume", "FromFunc, OnErrorResume", 6, func() mono.Mono[int] {
			return computed().OnErrorResume(func(error) mono.Mono[int] { return six() })
		}},
		{"onErrorReturn", "FromFunc, OnErrorReturn", 6, func() mono.Mono[int] { return computed().OnErrorReturn(1) }},
		{"onErrorReturn error", "Error, OnErrorReturn", 1, func() mono.Mono[int] { return mono.Error[int](errSome).Hide().OnErrorReturn(1) }},
		{"retry", "FromFunc, Retry", 6, func() mono.Mono[int] { return computed().Retry(mono.Times(3)) }},
		{"retryWhen", "FromFunc, RetryWhen, with a backoff", 6, func() mono.Mono[int] {
			return computed().RetryWhen(mono.RetryBackoff(3, time.Second))
		}},
		{"timeout", "FromFunc, Timeout(1 s)", 6, func() mono.Mono[int] { return computed().Timeout(time.Second) }},
		{"doOnNext", "FromFunc, DoOnNext", 6, func() mono.Mono[int] { return computed().DoOnNext(func(int) {}) }},
		{"doOnSuccess", "FromFunc, DoOnSuccess", 6, func() mono.Mono[int] { return computed().DoOnSuccess(func(int, bool) {}) }},
		{"doFinally", "FromFunc, DoFinally", 6, func() mono.Mono[int] { return computed().DoFinally(func(reactor.SignalKind) {}) }},
		{"contextWrite", "FromFunc, ContextWriteValue", 6, func() mono.Mono[int] { return computed().ContextWriteValue(someone, 1) }},
		{"defer", "Defer of FromFunc", 6, func() mono.Mono[int] { return mono.Defer(func(context.Context) mono.Mono[int] { return computed() }) }},
		{"using", "Using FromFunc", 6, func() mono.Mono[int] {
			return mono.Using(func(context.Context) (int, error) { return 6, nil }, called, func(int) error { return nil })
		}},
		{"create", "Create", 6, func() mono.Mono[int] { return mono.Create(func(s *mono.Sink[int]) { s.Success(6) }) }},
		{"cache", "FromFunc, Cache", 6, func() mono.Mono[int] { return computed().Cache() }},
		{"next", "a range, Next", 0, func() mono.Mono[int] { return flux.Range(0, 10).Next() }},
		{"collect", "ten of a range, CollectSlice", 10, func() mono.Mono[int] {
			return flux.Range(0, 10).CollectSlice().Map(func(s []int) int { return len(s) })
		}},
		{"service", "FromFunc, FlatMap, Timeout, Retry, OnErrorReturn, DoFinally: as a service has it", 7, func() mono.Mono[int] {
			return computed().FlatMap(func(v int) mono.Mono[int] { return called(v + 1) }).Timeout(time.Second).
				Retry(mono.Times(3)).OnErrorReturn(0).DoFinally(func(reactor.SignalKind) {})
		}},
	}
}
