// Package machine tells what the programs that measure have to know of the machine: its processor,
// and what others do on it.
package machine

import (
	"os"
	"strings"
)

// Processor is the name of the processor, if the kernel says it.
func Processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(text)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return "unknown processor"
}
