package netreactor

import "sync"

// Buffers come in these sizes, each from a pool of its own. An array is what a pool can
// keep without an allocation of its own.
type (
	buffer1K   [1 << 10]byte
	buffer4K   [4 << 10]byte
	buffer16K  [16 << 10]byte
	buffer64K  [64 << 10]byte
	buffer256K [256 << 10]byte
	buffer1M   [1 << 20]byte
)

var (
	pool1K   = sync.Pool{New: func() any { return new(buffer1K) }}
	pool4K   = sync.Pool{New: func() any { return new(buffer4K) }}
	pool16K  = sync.Pool{New: func() any { return new(buffer16K) }}
	pool64K  = sync.Pool{New: func() any { return new(buffer64K) }}
	pool256K = sync.Pool{New: func() any { return new(buffer256K) }}
	pool1M   = sync.Pool{New: func() any { return new(buffer1M) }}
)

// mostPooled is the size of the largest buffers that have a pool. What takeBuffer makes beyond it is as long as was asked for.
const mostPooled = len(buffer1M{})

// takeBuffer returns an empty slice with room for at least n bytes. That room still has the
// bytes of an earlier use.
func takeBuffer(n int) []byte {
	switch {
	case n <= 1<<10:
		return pool1K.Get().(*buffer1K)[:0]
	case n <= 4<<10:
		return pool4K.Get().(*buffer4K)[:0]
	case n <= 16<<10:
		return pool16K.Get().(*buffer16K)[:0]
	case n <= 64<<10:
		return pool64K.Get().(*buffer64K)[:0]
	case n <= 256<<10:
		return pool256K.Get().(*buffer256K)[:0]
	case n <= 1<<20:
		return pool1M.Get().(*buffer1M)[:0]
	}
	return make([]byte, 0, n)
}

// giveBuffer takes back what takeBuffer returned, or what append has made of it; b must begin
// where the buffer begins. Buffers of sizes that no pool has are left to the garbage
// collector.
func giveBuffer(b []byte) {
	b = b[:cap(b)]
	switch len(b) {
	case 1 << 10:
		pool1K.Put((*buffer1K)(b))
	case 4 << 10:
		pool4K.Put((*buffer4K)(b))
	case 16 << 10:
		pool16K.Put((*buffer16K)(b))
	case 64 << 10:
		pool64K.Put((*buffer64K)(b))
	case 256 << 10:
		pool256K.Put((*buffer256K)(b))
	case 1 << 20:
		pool1M.Put((*buffer1M)(b))
	}
}

// grown returns b with room for n more bytes: in a larger buffer if need be, and then the one of b is
// given back.
func grown(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b
	}
	bigger := append(takeBuffer(max(len(b)+n, 2*len(b))), b...)
	giveBuffer(b)
	return bigger
}

// parcel holds a buffer, for a field that is one pointer and not a slice of three words.
type parcel struct{ bytes []byte }

var poolParcels = sync.Pool{New: func() any { return new(parcel) }}

// newParcel returns a parcel with b.
func newParcel(b []byte) *parcel {
	p := poolParcels.Get().(*parcel)
	p.bytes = b
	return p
}

// open returns the buffer in p, and gives p back to its pool: nobody may touch p any more.
func (p *parcel) open() []byte {
	b := p.bytes
	p.bytes = nil
	poolParcels.Put(p)
	return b
}
