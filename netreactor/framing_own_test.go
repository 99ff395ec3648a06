package netreactor_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
)

// bracketed is a framing of the user's, with something on both sides of a message.
type bracketed struct{}

var errBracket = errors.New("no bracket")

func (bracketed) Split(in *netreactor.Input) ([]byte, bool, error) {
	all := in.Bytes()
	end := bytes.IndexByte(all, '>')
	if end < 0 {
		return nil, false, nil
	}
	in.Advance(end + 1)
	if all[0] != '<' {
		return all[:end], true, errBracket
	}
	return all[1:end], true, nil
}

func (bracketed) Begin(dst []byte) []byte               { return append(dst, '<') }
func (bracketed) End(dst []byte, _ int) ([]byte, error) { return append(dst, '>'), nil }

// TestAFramingOfTheUsers stands on both sides of a message. Its error ends the connection, whatever it returns beside that.
func TestAFramingOfTheUsers(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			p, conns := echoed(t, netreactor.Strings(bracketed{}), v.opts)
			_, err := p.Write([]byte("<a><>"))
			require.NoError(t, err)
			for _, want := range []string{"<a>", "<>"} {
				got, err := p.r.ReadString('>')
				require.NoError(t, err)
				assert.Equal(t, want, got)
			}
			_, err = p.Write([]byte("b>"))
			require.NoError(t, err)
			p.ended()
			c := take(t, conns)
			take(t, c.Context().Done())
			require.ErrorIs(t, c.Context().Err(), errBracket)
			var why *netreactor.CloseError
			require.ErrorAs(t, c.Context().Err(), &why)
			assert.Equal(t, netreactor.ReasonMalformed, why.Reason)
		})
	}
}

// TestAMessageOfNoBytes is one that was sent, by whomever, and nothing that anybody waits for.
func TestAMessageOfNoBytes(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			conns := make(chan *netreactor.Conn[string, string], 1)
			server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", netreactor.Strings(netreactor.Raw()), func(c *netreactor.Conn[string, string]) flux.Flux[string] {
				conns <- c
				return flux.FromSlice([]string{"", "a", ""}).ConcatWith(flux.Never[string]())
			}, append(v.opts, quiet)...)
			require.NoError(t, err)
			defer server.Close()
			p := connect(t, server)
			c := take(t, conns)
			for _, msg := range []string{"", "b", ""} {
				require.NoError(t, c.Send(msg))
			}
			got := make([]byte, 2)
			_, err = io.ReadFull(p.r, got)
			require.NoError(t, err)
			assert.ElementsMatch(t, []byte("ab"), got)
			until(t, "all are counted", func() bool { return c.Stats().FramesOut == 6 })
			c.Close()
			p.ended()
			take(t, c.Context().Done())
		})
	}
}
