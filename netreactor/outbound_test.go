package netreactor

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/operators"
)

// origin is the source of an outbound, which counts what it is asked for.
type origin struct {
	wanted    int
	cancelled int
}

func (a *origin) Request(n int64) { a.wanted += int(n) }
func (a *origin) Cancel()         { a.cancelled++ }

// sending returns an outbound of a connection within a full pass, and its source.
func sending(t *testing.T, p *page, codec Codec[[]byte, []byte]) (*outbound[[]byte, []byte], *origin) {
	c := newConn(codec)
	book := paged(t, p)
	c.core.eng, c.core.loop, c.core.tr, c.core.ses = book.eng, book.loop, p, p
	p.c = &c.core
	c.core.state.Store(owned | token())
	c.out.claim()
	source := &origin{}
	c.outbound().OnSubscribe(source)
	return c.outbound(), source
}

// TestAnAnswerThatIsComputed within a pass is written piece by piece, and comes to an end for the time being: the pass asks for
// more when it has written.
func TestAnAnswerThatIsComputed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in no time
		largest := 0
		p := &page{}
		p.onWrite = func(out *output) (bool, error) {
			largest = max(largest, out.size)
			return p.paper.write(out)
		}
		o, source := sending(t, p, Bytes(LengthPrefixed()))
		message := make([]byte, 1000)
		n := 0
		for ; source.wanted > 0 && n < 10*inlineWindow; n++ {
			source.wanted--
			o.OnNext(message)
		}
		assert.GreaterOrEqual(t, n, inlineWindow)
		assert.LessOrEqual(t, n, inlineWindow+window)
		assert.GreaterOrEqual(t, largest, chunkSize)
		assert.Less(t, largest, chunkSize+len(message)+prefixSize)
		o.core.count()
		o.core.flush()
		assert.True(t, o.out.replenish(&o.core))
		assert.Positive(t, source.wanted)
	})
}

// unwritable is a codec that has no bytes for a message.
type unwritable struct{ Codec[[]byte, []byte] }

func (unwritable) Encode(dst []byte, _ []byte) ([]byte, error) { return dst, errors.New("no bytes") }

// TestWhatWasHeld for want of room is asked for when there is some, however many may still come that were asked for on this goroutine.
func TestWhatWasHeld(t *testing.T) {
	p := &page{}
	o, source := sending(t, p, Bytes(LengthPrefixed()))
	for source.wanted < window {
		o.OnNext([]byte("a"))
	}
	require.Positive(t, o.out.calm)
	wanted := source.wanted
	o.out.asked.Store(1) // others have sent the rest, and found no room for more
	assert.False(t, o.out.replenish(&o.core), "they ask by themselves")
	o.core.held.Store(true)
	assert.True(t, o.out.replenish(&o.core))
	assert.Greater(t, source.wanted, wanted)
}

// forgetful is a codec that drops what was there before the message.
type forgetful struct{ Codec[[]byte, []byte] }

func (forgetful) Encode([]byte, []byte) ([]byte, error) { return nil, nil }

// TestTheSourceOfWhatCantBeEncoded is cancelled at once, however long what was sent before takes.
func TestTheSourceOfWhatCantBeEncoded(t *testing.T) {
	for name, c := range map[string]struct {
		codec Codec[[]byte, []byte]
		want  string
	}{
		"an error":       {unwritable{Bytes(LengthPrefixed())}, "no bytes"},
		"nothing at all": {forgetful{Bytes(LengthPrefixed())}, "netreactor: the codec has not kept what was there before the message"},
	} {
		for _, pushed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, pushed: %v", name, pushed), func(t *testing.T) {
				p := &page{onWrite: func(*output) (bool, error) { return true, nil }}
				o, source := sending(t, p, c.codec)
				o.core.out.add(append(takeBuffer(1), 'x'))
				next := o.OnNext
				if pushed {
					next = o.Push()
				}
				next([]byte("y"))
				assert.Equal(t, 1, source.cancelled)
				assert.Equal(t, 1, o.core.out.size)
				assert.Equal(t, "x", string(o.core.out.first()))
				assert.Equal(t, ReasonEncodeFailed, o.core.finish.Load().Reason)
				assert.EqualError(t, o.core.finish.Load().Err, c.want)
			})
		}
	}
}

// tardy is a publisher that calls OnSubscribe when a test does.
type tardy struct{ to reactor.Subscriber[[]byte] }

func (p *tardy) Subscribe(_ context.Context, to reactor.Subscriber[[]byte]) { p.to = to }

// TestASourceThatIsNotThereYet keeps the connection open when the peer has closed its side, as any other does.
func TestASourceThatIsNotThereYet(t *testing.T) {
	for name, asked := range map[string]bool{"of a handler": true, "of SendAll": false} {
		t.Run(name, func(t *testing.T) {
			p, source := &script{ends: true}, &tardy{}
			all := func(conn *Conn[[]byte, []byte]) reactor.Publisher[[]byte] {
				b := &book{}
				conn.Inbound().Subscribe(context.Background(), b)
				b.request(1)
				return source
			}
			handler := all
			if !asked {
				handler = nil
			}
			conn := played(t, handler, p)
			if !asked {
				require.NoError(t, conn.SendAll(all(conn)))
			}
			conn.core.look()
			p.settled()
			require.True(t, conn.core.in.end)
			require.NoError(t, conn.Context().Err(), "it waits for what is sent")
			source.to.OnSubscribe(&origin{})
			source.to.OnNext([]byte("late"))
			p.settled()
			require.NoError(t, conn.Context().Err(), "and for its end")
			source.to.OnComplete()
			p.settled()
			assert.EqualValues(t, 8, conn.core.bytesOut.Load())
			var why *CloseError
			require.ErrorAs(t, conn.Context().Err(), &why)
			assert.Equal(t, ReasonPeerClosed, why.Reason)
		})
	}
}

// TestWhoHearsOfWhatCantBeEncodedEndsTheGoroutine: the connection ends nevertheless, for its source is cancelled and nobody sends any more.
func TestWhoHearsOfWhatCantBeEncodedEndsTheGoroutine(t *testing.T) {
	for _, at := range []string{"the cancellation", "the discarded message", "the error"} {
		t.Run(at, func(t *testing.T) {
			end := func(here string) {
				if here == at {
					runtime.Goexit()
				}
			}
			var discarded []any
			p := &script{}
			conn := played(t, nil, p)
			conn.codec = unwritable{conn.codec}
			conn.core.eng.ctx = reactor.WithHooks(context.Background(), reactor.Hooks{
				Discard: func(_ context.Context, v any) { discarded = append(discarded, v); end("the discarded message") },
				OperatorError: func(_ context.Context, err error, _ any) error {
					end("the error")
					return err
				},
			})
			cancelled := 0
			racetest.Aside(func() {
				conn.SendAll(operators.DoOnCancel(operators.FromSlice([][]byte{[]byte("x")}), func() { cancelled++; end("the cancellation") }))
			})
			assert.Equal(t, 1, cancelled)
			assert.Contains(t, discarded, []byte("x"))
			if at != "the discarded message" { // that hook has not done with it
				assert.Len(t, discarded, 1)
			}
			var why *CloseError
			if assert.ErrorAs(t, conn.core.err(), &why) {
				assert.Equal(t, ReasonEncodeFailed, why.Reason)
			}
			p.settled()
			conn.core.eng.live.Wait()
		})
	}
}

// TestTheEndOfASourceThatWasCancelled is none of the connection: CloseWrite was called, and the peer may send on.
func TestTheEndOfASourceThatWasCancelled(t *testing.T) {
	for name, end := range map[string]func(*outbound[[]byte, []byte]){
		"completes": func(o *outbound[[]byte, []byte]) { o.OnComplete() },
		"fails":     func(o *outbound[[]byte, []byte]) { o.OnError(ErrClosed) },
	} {
		t.Run(name, func(t *testing.T) {
			o, source := sending(t, &page{}, Bytes(LengthPrefixed()))
			o.core.eng.set.handler = "one"
			require.NoError(t, (*Conn[[]byte, []byte])(o).CloseWrite())
			assert.Equal(t, 1, source.cancelled)
			end(o)
			assert.NoError(t, o.core.err())
		})
	}
}
