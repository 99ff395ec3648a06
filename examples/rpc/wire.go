package main

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/goreactor/reactor/netreactor"
)

// call asks the server to work for a while and send text back. The answers to calls may come
// in any order: id says which call one is for.
type call struct {
	id   uint64
	work time.Duration
	text string
}

// answer is what comes back.
type answer struct {
	id   uint64
	err  string // why the call failed
	text string
}

// server is the codec of one, and client that of the other side: frames with a length of four
// bytes in front.
var (
	server = netreactor.Framed(netreactor.LengthPrefixed(), decodeCall, encodeAnswer)
	client = netreactor.Framed(netreactor.LengthPrefixed(), decodeAnswer, encodeCall)
)

func encodeCall(dst []byte, c call) ([]byte, error) {
	dst = binary.BigEndian.AppendUint64(dst, c.id)
	dst = binary.BigEndian.AppendUint64(dst, uint64(c.work))
	return append(dst, c.text...), nil
}

func decodeCall(frame []byte) (call, error) {
	if len(frame) < 16 {
		return call{}, fmt.Errorf("rpc: call of %d bytes, at least 16 are needed", len(frame))
	}
	return call{binary.BigEndian.Uint64(frame), time.Duration(binary.BigEndian.Uint64(frame[8:])), string(frame[16:])}, nil
}

func encodeAnswer(dst []byte, a answer) ([]byte, error) {
	dst = binary.BigEndian.AppendUint64(dst, a.id)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(a.err)))
	return append(append(dst, a.err...), a.text...), nil
}

func decodeAnswer(frame []byte) (answer, error) {
	const head = 12
	if len(frame) < head {
		return answer{}, fmt.Errorf("rpc: answer of %d bytes, at least %d are needed", len(frame), head)
	}
	n, rest := binary.BigEndian.Uint32(frame[8:]), frame[head:]
	if uint64(n) > uint64(len(rest)) {
		return answer{}, fmt.Errorf("rpc: error of %d bytes in an answer with %d", n, len(rest))
	}
	return answer{binary.BigEndian.Uint64(frame), string(rest[:n]), string(rest[n:])}, nil
}
