// Package natslock keeps the keys of a keylock.Manager in a key-value bucket of NATS
// JetStream, so that managers in several processes exclude one another.
//
//	js, err := jetstream.New(conn)
//	…
//	_, err = js.CreateKeyValue(ctx, natslock.Config("orders")) // once, and with Replicas in production
//	…
//	store, err := natslock.New(ctx, js, "orders")
//	…
//	locks, err := keylock.New(keylock.WithBackend(store, 20*time.Second)) // less, and leases are lost when a leader dies
//
// Use a bucket of its own for each manager name: locks with the same key in the same bucket are the
// same lock. The server has to be 2.11 or newer.
//
// # Records
//
// A key that is held has a record in the bucket: the holder, a nonce, and a time to live that the
// server counts in whole seconds, so that other times are rounded up. Every write is a
// compare-and-set on the revision that the subject of the key had, and the revision of the write
// that made the record is the token of the grant. A release replaces the record by a mark; at an
// expiry the server does so. Marks are gone after the LimitMarkerTTL of the bucket, and nothing is
// left of a key that nobody uses any more.
//
// # Failures
//
// An answer that did not come is never taken for an answer: see keylock.Backend. Nothing is sent
// while the connection is down: a request waits for the connection as long as its caller waits for
// the answer, not in the buffer of the client. Records and marks that decide about a key are read
// from the leader of the stream, never from a replica that may be behind.
//
// What a lock of this kind promises, and what it can't, is in docs/locks.md. The
// server acknowledges a write before it is on the disk, and tokens are only as good as
// what it remembers: three replicas on machines that don't fail together, with
// sync_interval: always, or a bucket whose loss is not worse than the work that it
// protects.
package natslock
