//go:build race

package nosync

import "runtime"

// Observed reports whether the race detector watches this process.
const Observed = true

// Begin starts a stretch of synchronisation that the race detector ignores.
func Begin() { runtime.RaceDisable() }

// End ends the stretch that Begin started.
func End() { runtime.RaceEnable() }
