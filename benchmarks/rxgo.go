package benchmarks

import (
	"context"
	"sync"
	"time"

	"github.com/reactivex/rxgo/v2"
)

// RxGo. Every operator runs on a goroutine of its own, connected by channels with
// as much room as those of channel.go.

func rxRange(start, n int) rxgo.Observable {
	return rxgo.Range(start, n, rxgo.WithBufferedChannel(chanRoom))
}

func rxSum(o rxgo.Observable, opts ...rxgo.Option) int {
	sum := 0
	for item := range o.Observe(append(opts, rxgo.WithBufferedChannel(chanRoom))...) {
		sum += item.V.(int)
	}
	return sum
}

func rxMapFilter() int {
	return rxSum(rxRange(0, Size).
		Map(func(_ context.Context, v any) (any, error) { return plusOne(v.(int)), nil }, rxgo.WithBufferedChannel(chanRoom)).
		Filter(func(v any) bool { return even(v.(int)) }, rxgo.WithBufferedChannel(chanRoom)))
}

// rxHop is one goroutine that sends and one that reads, as every operator has.
func rxHop() int { return rxSum(rxRange(0, Size)) }

func rxMaps(n int) int {
	o := rxRange(0, Size)
	for range n {
		o = o.Map(func(_ context.Context, v any) (any, error) { return plusOne(v.(int)), nil }, rxgo.WithBufferedChannel(chanRoom))
	}
	return rxSum(o)
}

func rxFlatMap() int {
	return rxSum(rxRange(0, Inner).FlatMap(func(item rxgo.Item) rxgo.Observable {
		return rxRange(item.V.(int), Inner)
	}, rxgo.WithBufferedChannel(chanRoom)))
}

func rxOnce() int {
	return rxSum(rxgo.Just(6)().
		Map(func(_ context.Context, v any) (any, error) { return plusOne(v.(int)), nil }).
		FlatMap(func(item rxgo.Item) rxgo.Observable { return rxgo.Just(double(item.V.(int)))() }))
}

func rxOnceUser() int {
	item, err := rxgo.Just(someone)().
		Map(func(_ context.Context, v any) (any, error) { return verified(v.(*user)), nil }).
		FlatMap(func(item rxgo.Item) rxgo.Observable { return rxgo.Just(saved(item.V.(*user)))() }).
		First().
		Get()
	if err != nil {
		panic(err)
	}
	return item.V.(*user).id
}

func rxSingles() int {
	return rxSum(rxRange(0, Singles).FlatMap(func(item rxgo.Item) rxgo.Observable { return rxgo.Just(item.V)() }, rxgo.WithBufferedChannel(chanRoom)))
}

func rxZip() int {
	return rxSum(rxRange(0, Size).ZipFromIterable(rxRange(0, Size), func(_ context.Context, a, b any) (any, error) {
		return plus(a.(int), b.(int)), nil
	}, rxgo.WithBufferedChannel(chanRoom)))
}

func rxParts() []rxgo.Observable {
	parts := make([]rxgo.Observable, Sources)
	for i := range parts {
		parts[i] = rxRange(i*Size/Sources, Size/Sources)
	}
	return parts
}

func rxMerge() int  { return rxSum(rxgo.Merge(rxParts(), rxgo.WithBufferedChannel(chanRoom))) }
func rxConcat() int { return rxSum(rxgo.Concat(rxParts(), rxgo.WithBufferedChannel(chanRoom))) }

// rxGroups reads each group on a goroutine of its own: FlatMap reads one after the other,
// and the others fill up.
func rxGroups() int {
	groups := rxRange(0, Size).GroupBy(Keys, func(item rxgo.Item) int { return key(item.V.(int)) }, rxgo.WithBufferedChannel(chanRoom))
	counts := make([]int, Keys)
	var readers sync.WaitGroup
	at := 0
	for item := range groups.Observe(rxgo.WithBufferedChannel(chanRoom)) {
		count := &counts[at]
		at++
		readers.Go(func() {
			for range item.V.(rxgo.Observable).Observe(rxgo.WithBufferedChannel(chanRoom)) {
				*count++
			}
		})
	}
	readers.Wait()
	return total(counts)
}

// rxHot is a connectable Observable with eight readers.
func rxHot() int {
	items := make(chan rxgo.Item, chanRoom)
	source := rxgo.FromChannel(items, rxgo.WithPublishStrategy(), rxgo.WithBufferedChannel(chanRoom))
	sums := make([]int, Audience)
	var readers sync.WaitGroup
	for i := range sums {
		read := source.Observe(rxgo.WithBufferedChannel(chanRoom))
		readers.Go(func() {
			for item := range read {
				sums[i] += item.V.(int)
			}
		})
	}
	source.Connect(context.Background())
	for v := range emitted() {
		items <- rxgo.Of(v)
	}
	close(items)
	readers.Wait()
	return total(sums)
}

// rxSleepers maps on a pool of 256 goroutines.
func rxSleepers() int {
	return rxSum(rxRange(0, Sleepers).Map(func(_ context.Context, v any) (any, error) {
		time.Sleep(time.Millisecond)
		return v, nil
	}, rxgo.WithPool(Awake)))
}
