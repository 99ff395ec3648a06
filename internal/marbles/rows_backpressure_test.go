package marbles

// backpressureRows are those of what says what becomes of elements that nobody has asked for.
var backpressureRows = map[string]row{
	"Flux.OnBackpressureBuffer": onInts(func(f ints) ints { return f.OnBackpressureBuffer() }),
	"Flux.OnBackpressureBufferTimeout": onInts(func(f ints) ints {
		return f.OnBackpressureBufferTimeout(6*steps, 8, func(int) {})
	}),
	"Flux.OnBackpressureDrop":   onInts(func(f ints) ints { return f.OnBackpressureDrop() }),
	"Flux.OnBackpressureLatest": onInts(func(f ints) ints { return f.OnBackpressureLatest() }),
	"Flux.OnBackpressureError":  onInts(func(f ints) ints { return f.OnBackpressureError() }),
}
