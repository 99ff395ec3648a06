package bytestream_test

import (
	"bufio"
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/flux"
)

// A function that panics with an element is not the reader's failure, and the hooks get the element.
func TestElementInHand(t *testing.T) {
	check(t, "Lines", bytestream.Lines(from("1\n2\n")), "1")
	check(t, "Chunks", bytestream.Chunks(from("1\n2\n"), 2), []byte("1\n"))
	check(t, "Records", bytestream.Records(from("1\n2\n"), bufio.ScanLines), []byte("1"))
	check(t, "CSV", bytestream.CSV(from("1\n2\n")), []string{"1"})
	check(t, "JSONLines", bytestream.JSONLines[int](from("1\n2\n")), 1)
	check(t, "Write", flux.From(bytestream.Write(texts("ab"), bytestream.To(io.Discard))), int64(2))
}

func check[T any](t *testing.T, name string, f flux.Flux[T], element T) {
	t.Run(name, func(t *testing.T) {
		var told, discarded []any
		ctx := reactor.WithHooks(t.Context(), reactor.Hooks{
			OperatorError: func(_ context.Context, err error, v any) error { told = append(told, v); return err },
			Discard:       func(_ context.Context, v any) { discarded = append(discarded, v) },
		})
		err := f.Map(func(T) int { panic("boom") }).ForEach(ctx, func(int) {})
		assert.EqualError(t, err, "reactor: map: panic: boom")
		assert.Equal(t, []any{element}, told)
		assert.Equal(t, []any{element}, discarded)
	})
}

// What hooks are told of after the end is still what was read: the buffer of a stream is not that of
// another one before.
func TestHooksSeeTheElementThatIsAPartOfABuffer(t *testing.T) {
	var told []string
	ctx := reactor.WithHooks(t.Context(), reactor.Hooks{
		OperatorError: func(_ context.Context, err error, v any) error {
			_, other := bytestream.Lines(from("xxxxx\n")).Collect(t.Context()) // in a buffer that was given back
			assert.NoError(t, other)
			told = append(told, string(v.([]byte)))
			return err
		},
	})
	for range 10 { // buffers that are given back may be lost, and then this shows nothing
		told = nil
		err := bytestream.Records(from("ours\n"), bufio.ScanLines, bytestream.Reuse()).ForEach(ctx, func([]byte) { panic("boom") })
		assert.ErrorContains(t, err, "boom")
		assert.Equal(t, []string{"ours"}, told)
	}
}
