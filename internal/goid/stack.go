package goid

import (
	"bytes"
	"runtime"
	"strconv"
)

// Number returns the number of the calling goroutine, which no other one gets, ever. It takes a
// microsecond.
func Number() uintptr { return fromStack() }

// fromStack reads the number of the calling goroutine from the first line of its
// stack trace, "goroutine 17 [running]:".
func fromStack() uintptr {
	var buf [64]byte
	line := buf[:runtime.Stack(buf[:], false)]
	fields := bytes.Fields(line)
	if len(fields) < 2 {
		panic("goid: unexpected stack header " + strconv.Quote(string(line)))
	}
	id, err := strconv.ParseUint(string(fields[1]), 10, 64)
	if err != nil {
		panic("goid: unexpected stack header " + strconv.Quote(string(line)))
	}
	return uintptr(id)
}
