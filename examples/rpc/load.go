package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

// figures are of the calls that don't block.
type figures struct {
	rate            float64
	p50, p99, worst time.Duration
	still           int // connections whose calls took half as long as one that blocks, in the median
}

// load makes calls over all connections until the time is up.
func load(ctx context.Context, addr string, s settings) (figures, error) {
	callers := make([]*caller, s.callers)
	for i := range callers {
		c, err := connect(ctx, addr)
		if err != nil {
			return figures{}, err
		}
		defer c.close()
		callers[i] = c
	}
	limit, cancel := context.WithTimeout(ctx, s.duration)
	defer cancel()
	took := make([][]time.Duration, s.callers)
	errs := make([]error, s.callers)
	began := time.Now()
	var all sync.WaitGroup
	for i, c := range callers {
		all.Go(func() {
			work := time.Duration(0)
			if i == 0 {
				work = s.block
			}
			took[i], errs[i] = c.calls(limit, work, s.calls)
		})
	}
	all.Wait()
	elapsed := time.Since(began)

	var f figures
	var others []time.Duration
	for _, t := range took[1:] {
		slices.Sort(t)
		if len(t) == 0 || t[len(t)/2] > s.block/2 && s.block > 0 {
			f.still++
		}
		others = append(others, t...)
	}
	for _, err := range errs {
		if err != nil {
			return f, err
		}
	}
	if len(others) == 0 && ctx.Err() != nil {
		return f, ctx.Err()
	}
	if len(others) == 0 {
		return f, fmt.Errorf("no call was answered within %v", s.duration)
	}
	slices.Sort(others)
	f.rate = float64(len(others)) / elapsed.Seconds()
	f.p50, f.p99, f.worst = others[len(others)/2], others[len(others)*99/100], others[len(others)-1]
	return f, nil
}

// calls makes calls, n at a time, until ctx ends, and returns how long they took.
func (c *caller) calls(ctx context.Context, work time.Duration, n int) ([]time.Duration, error) {
	over := flux.FromChan(ctx.Done())
	return flux.Range(0, 1<<30).
		FlatMap(func(i int) mono.Mono[time.Duration] {
			text := fmt.Sprint("call ", i)
			return mono.Defer(func(context.Context) mono.Mono[time.Duration] {
				began := time.Now()
				return c.call(work, text).TryMap(func(a answer) (time.Duration, error) {
					if a.text != text {
						return 0, fmt.Errorf("%q was answered by %q", text, a.text)
					}
					return time.Since(began), nil
				})
			})
		}, flux.Concurrency(n)).
		TakeUntilOther(over).
		Collect(context.WithoutCancel(ctx))
}
