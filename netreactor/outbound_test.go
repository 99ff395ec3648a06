package netreactor

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/goid"
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
	c.core.owner.Store(goid.Current())
	c.out.claim()
	source := &origin{}
	c.outbound().OnSubscribe(source)
	return c.outbound(), source
}

// TestAnAnswerThatIsComputed within a pass is written piece by piece, and comes to an end for the time being: the pass asks for
// more when it has written.
func TestAnAnswerThatIsComputed(t *testing.T) {
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
}

// unwritable is a codec that has no bytes for a message.
type unwritable struct{ Codec[[]byte, []byte] }

func (unwritable) Encode(dst []byte, _ []byte) ([]byte, error) { return dst, errors.New("no bytes") }

// TestTheSourceOfWhatCantBeEncoded is cancelled at once, however long what was sent before takes.
func TestTheSourceOfWhatCantBeEncoded(t *testing.T) {
	p := &page{onWrite: func(*output) (bool, error) { return true, nil }}
	o, source := sending(t, p, unwritable{Bytes(LengthPrefixed())})
	o.core.out.add(append(takeBuffer(1), 'x'))
	o.OnNext([]byte("y"))
	assert.Equal(t, 1, source.cancelled)
	assert.Equal(t, 1, o.core.out.size)
	assert.Equal(t, ReasonEncodeFailed, o.core.finish.Load().Reason)
}
