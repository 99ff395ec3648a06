//go:build !linux

package machine

import "time"

// ProcessorTime is not known here.
func ProcessorTime() time.Duration { return 0 }

// Watch knows of no others.
func Watch() (foreign func(children time.Duration) float64) {
	return func(time.Duration) float64 { return 0 }
}
