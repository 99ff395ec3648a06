// Package resp is a codec for version 2 of the Redis serialization protocol, RESP, as a
// server speaks it: commands come in, replies go out.
//
// It is part of an example, and complete in what it does: commands are arrays of bulk
// strings or a line of words, they may come in pieces and many at a time, and they have
// limits.
package resp
