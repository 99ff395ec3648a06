package machine

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
)

// ProcessorTime is what this process has used.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Watch begins to look. What it returns tells how many processors other processes have used
// since, without the time that children of this one have used. The kernel counts in hundredths
// of a second.
func Watch() (foreign func(children time.Duration) float64) {
	begin, busy, own := time.Now(), busyTime(), ProcessorTime()
	return func(children time.Duration) float64 {
		passed, used := time.Since(begin), ProcessorTime()-own+children
		return max(0, (busyTime()-busy-used).Seconds()/passed.Seconds())
	}
}

// busyTime is what all processes have used since the machine was started: every
// column of the first line of /proc/stat but idle, iowait and the guests, which are
// counted with the user's.
func busyTime() time.Duration {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	const idle, iowait, guest = 4, 5, 9
	total := 0
	for i, field := range bytes.Fields(line) {
		if i == 0 || i == idle || i == iowait || i >= guest {
			continue
		}
		n, err := strconv.Atoi(string(field))
		if err != nil {
			return 0
		}
		total += n
	}
	return time.Duration(total) * 10 * time.Millisecond
}
