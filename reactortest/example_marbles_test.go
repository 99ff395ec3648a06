package reactortest_test

import (
	"strings"
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/reactortest"
)

func ExampleNewMarbles() {
	m := reactortest.NewMarbles(t, reactortest.OnClock(reactortest.NewVirtualTime()))
	keys := m.Hot("--a-b-c-|")
	m.ExpectMarbles(flux.From(keys).Map(strings.ToUpper), "--A-B-C-|")
	m.ExpectMarbles(flux.From(keys).Take(2), "--a-(b|)")
	m.ExpectSubscriptions(keys, "^-------!", "^---!")
	m.Run()
	// Output:
}

// Letters stand for any values, and a tick for any time.
func ExampleValues() {
	clock := reactortest.NewVirtualTime()
	m := reactortest.NewMarbles(t, reactortest.OnClock(clock), reactortest.Tick(time.Second))
	prices := m.ColdOf("a-b 1m c|", reactortest.Values[int]{'a': 100, 'b': 101, 'c': 99})
	late := flux.From(prices).DelaySequence(2*time.Second, flux.On(clock))
	m.ExpectMarbles(late, "--a-b 1m c|", reactortest.Values[int]{'a': 100, 'b': 101, 'c': 99})
	m.Run()
	// Output:
}
