package marbles

// backpressureRows are those of what says what becomes of elements that nobody has asked for.
var backpressureRows = map[string]row{
	"Flux.OnBackpressureBuffer": OnInts(func(f ints) ints { return f.OnBackpressureBuffer() }),
	"Flux.OnBackpressureBufferTimeout": OnInts(func(f ints) ints {
		return f.OnBackpressureBufferTimeout(6*steps, 8, func(int) {})
	}),
	"Flux.OnBackpressureDrop":   OnInts(func(f ints) ints { return f.OnBackpressureDrop() }),
	"Flux.OnBackpressureLatest": OnInts(func(f ints) ints { return f.OnBackpressureLatest() }),
	"Flux.OnBackpressureError":  OnInts(func(f ints) ints { return f.OnBackpressureError() }),
}
