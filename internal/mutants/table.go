package main

import "slices"

// table holds all mutations.
var table = slices.Concat(
	protocol, queues, flattening, timing, elsewhere, adapters, neighbours, executing, networking, interop, ends, locking, calling,
)
