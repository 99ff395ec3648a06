package main

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
)

// processorTime is what this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// load watches what all processes of the machine use.
type load struct {
	begin time.Time
	busy  time.Duration
	own   time.Duration
}

func watchLoad() load { return load{time.Now(), machineTime(), processorTime()} }

// foreign returns how many processors other processes have used since. The kernel
// counts in hundredths of a second.
func (l load) foreign(samples map[string]sample) float64 {
	passed := time.Since(l.begin)
	own := processorTime() - l.own
	for _, s := range samples {
		own += s.child
	}
	return max(0, (machineTime()-l.busy-own).Seconds()/passed.Seconds())
}

// machineTime is what all processes have used since the machine was started: every
// column of the first line of /proc/stat but idle, iowait and the guests, which are
// counted with the user's.
func machineTime() time.Duration {
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
