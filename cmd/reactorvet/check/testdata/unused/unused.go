package unused

import (
	"fmt"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

func panics(func()) {}

type checks struct{ thatSomethingIsRefused, withTheFirst checked }

type checked struct{}

func (checked) PanicsWithTheError(func()) {}

func made() mono.Mono[int] { return mono.Just(1) }

func found(f flux.Flux[int]) {
	f.Filter(func(n int) bool { return n > 1 }) // want `the Flux that Filter returns is not used: it changes nothing in the one it is called on`
	flux.Range(0, 3).DoOnNext(func(int) {})     // want `the Flux that DoOnNext returns is not used`
	flux.Range(0, 3)                            // want `the Flux that flux\.Range returns is not used: nothing runs before somebody subscribes`
	made()                                      // want `the Mono that made returns is not used`
	f.Parallel(2)                               // want `the ParallelFlux that Parallel returns is not used`
	f.Publish()                                 // want `the ConnectableFlux that Publish returns is not used`
	defer made()                                // want `the Mono that made returns is not used`
	go f.Map(func(n int) int { return n })      // want `the Flux that Map returns is not used`
	/* want `needs a reason` */ //reactorvet:ignore
	(f.Take(1))                 // want `the Flux that Take returns is not used`
}

func größerAlsAlleAnderenZusammenüberzählig() flux.Flux[int] { return flux.Range(0, 3) }

func named() {
	größerAlsAlleAnderenZusammenüberzählig() // want `the Flux that größerAlsAlleAnderenZusammenüberzählig returns`
}

func connected(f flux.Flux[int], n int) {
	f.Publish().AutoConnect(0)
	f.Publish().AutoConnect(n)
	f.Publish().AutoConnect(1) // want `the Flux that AutoConnect returns is not used`
}

func silenced(f flux.Flux[int]) {
	f.Take(1) //reactorvet:ignore its arguments are checked
	f.Take(7) // want `the Flux that Take returns is not used`
	//reactorvet:ignore its arguments are checked
	f.Take(2)
	//reactorvet:ignore they are to panic
	for _, fn := range []func(){
		func() { f.Take(3) },
		func() { f.Take(4) },
	} {
		fn()
	}
	f.Take(5) // want `the Flux that Take returns is not used`
	//reactorvet:ignored its arguments are checked
	f.Take(6) // want `the Flux that Take returns is not used`
}

func fine(f flux.Flux[int]) flux.Flux[int] {
	panics(func() { f.Take(-1) })
	new(checks).thatSomethingIsRefused.PanicsWithTheError(func() { f.Take(-1) })
	_ = f.Take(1)
	fmt.Println(f.Take(1))
	g := f.Take(1)
	return g
}
