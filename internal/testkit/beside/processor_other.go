//go:build !unix

package beside

import "time"

// processorTime is what this process has used, if the system tells.
func processorTime() time.Duration { return 0 }
