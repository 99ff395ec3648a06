// Command load sends messages over connections, waits for the answers, and prints how many
// came and how long they took, as JSON. With -flood it connects, says so, waits for a line of
// input, and sends as fast as it can without ever reading; with -idle it connects and waits, and with -protocol ping asks each connection at the end.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Result is what is printed.
type Result struct {
	Requests int
	Seconds  float64
	P50, P99 float64 // microseconds
	Bytes    int64   // sent, with -flood
	Stalled  float64 // seconds after which nothing was taken any more, with -flood
}

func main() {
	addr := flag.String("addr", "127.0.0.1:6390", "where the server is")
	protocol := flag.String("protocol", "frame", "frame, or ping of Redis")
	conns := flag.Int("c", 50, "connections")
	pipeline := flag.Int("p", 1, "messages under way on each")
	size := flag.Int("size", 64, "bytes in a frame")
	duration := flag.Duration("d", time.Second, "for how long")
	blocking := flag.Bool("block", false, "the first connection sends frames that block their handler; they are not measured")
	flood := flag.Bool("flood", false, "send as fast as possible and read nothing")
	limit := flag.Int64("cap", 512<<20, "bytes after which a flood ends")
	buffer := flag.Int("buffer", 0, "size of the socket's send buffer with -flood, 0 for that of the system")
	idle := flag.Bool("idle", false, "connect, say so, and wait until the input ends")
	flag.Parse()
	var r Result
	var err error
	switch {
	case *idle:
		r, err = wait(*addr, *protocol, *conns)
	case *flood:
		r, err = sendOnly(*addr, *conns, *duration, *limit, *buffer)
	default:
		r, err = load(*addr, *protocol, *conns, *pipeline, *size, *duration, *blocking)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(r)
}

func message(protocol string, size int, first byte) (ask []byte, answer int) {
	if protocol == "ping" {
		return []byte("*1\r\n$4\r\nPING\r\n"), len("+PONG\r\n")
	}
	ask = binary.BigEndian.AppendUint32(nil, uint32(size))
	for range size {
		ask = append(ask, first)
	}
	return ask, len(ask)
}

func load(addr, protocol string, conns, pipeline, size int, duration time.Duration, blocking bool) (Result, error) {
	end := time.Now().Add(duration)
	took := make([][]time.Duration, conns)
	errs := make([]error, conns)
	all := make([]net.Conn, conns)
	for i := range all {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			return Result{}, err
		}
		defer c.Close()
		all[i] = c
	}
	began := time.Now()
	var wait sync.WaitGroup
	for i, c := range all {
		wait.Go(func() {
			first := byte('x')
			if blocking && i == 0 {
				first = 'B'
			}
			one, answer := message(protocol, size, first)
			var ask []byte
			for range pipeline {
				ask = append(ask, one...)
			}
			in := make([]byte, answer*pipeline)
			for time.Now().Before(end) {
				sent := time.Now()
				if _, errs[i] = c.Write(ask); errs[i] != nil {
					return
				}
				if _, errs[i] = io.ReadFull(c, in); errs[i] != nil {
					return
				}
				if protocol == "frame" && in[len(in)-1] != first {
					errs[i] = errors.New("another answer")
					return
				}
				took[i] = append(took[i], time.Since(sent))
			}
		})
	}
	wait.Wait()
	r := Result{Seconds: time.Since(began).Seconds()}
	if blocking {
		took[0] = nil
	}
	measured := slices.Concat(took...)
	if err := errors.Join(errs...); err != nil || len(measured) == 0 {
		return r, errors.Join(err, fmt.Errorf("%d answers", len(measured)))
	}
	slices.Sort(measured)
	r.Requests = len(measured) * pipeline
	r.P50 = float64(measured[len(measured)/2].Nanoseconds()) / 1e3
	r.P99 = float64(measured[len(measured)*99/100].Nanoseconds()) / 1e3
	return r, nil
}

// sendOnly sends frames of 1 KiB over each connection.
func sendOnly(addr string, conns int, duration time.Duration, limit int64, buffer int) (Result, error) {
	one, _ := message("frame", 1<<10, 'x')
	var many []byte
	for range 64 {
		many = append(many, one...)
	}
	all := make([]net.Conn, conns)
	for i := range all {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			return Result{}, err
		}
		defer c.Close()
		if buffer > 0 {
			_ = c.(*net.TCPConn).SetWriteBuffer(buffer)
		}
		all[i] = c
	}
	fmt.Println("connected")
	input := bufio.NewReader(os.Stdin)
	_, _ = input.ReadString('\n')
	began := time.Now()
	end := began.Add(duration)
	var sent, last atomic.Int64
	var wait sync.WaitGroup
	for _, c := range all {
		_ = c.SetWriteDeadline(end)
		wait.Go(func() {
			for sent.Load() < limit {
				n, err := c.Write(many)
				if n > 0 {
					sent.Add(int64(n))
					last.Store(int64(time.Since(began)))
				}
				if err != nil {
					return
				}
			}
		})
	}
	wait.Wait()
	time.Sleep(time.Until(end)) // the server shall have its memory looked at while they are connected
	fmt.Println("sent")
	_, _ = io.Copy(io.Discard, input)
	return Result{Bytes: sent.Load(), Stalled: time.Duration(last.Load()).Seconds(), Seconds: time.Since(began).Seconds()}, nil
}

// wait connects, and waits until the input ends. With the protocol ping each connection is asked
// then whether it is still there; the result is how many were.
func wait(addr, protocol string, conns int) (r Result, err error) {
	all := make([]net.Conn, conns)
	for i := range all {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			return r, err
		}
		defer c.Close()
		all[i] = c
	}
	fmt.Println("connected")
	if _, err = io.Copy(io.Discard, os.Stdin); err != nil || protocol != "ping" {
		return r, err
	}
	ask, n := message(protocol, 0, 0)
	answer := make([]byte, n)
	for _, c := range all {
		_ = c.SetDeadline(time.Now().Add(5 * time.Second))
		if _, err := c.Write(ask); err != nil {
			continue
		}
		if _, err := io.ReadFull(c, answer); err == nil {
			r.Requests++
		}
	}
	return r, nil
}
