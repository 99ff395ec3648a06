package main

import "slices"

// table holds all mutations.
var table = slices.Concat(
	protocol, turning, queues, flattening, timing, elsewhere, adapters, neighbours, elementwise, executing, moving, networking, interop, ends, locking, calling, stalls, verifying, original, named,
)
