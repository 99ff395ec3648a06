package keylock

import (
	"context"
	"errors"
	"time"
)

// Backend is a store that several processes share. It has a record for each key that
// is held. A [Manager] needs a Backend to exclude callers in other processes; see
// [WithBackend].
//
// A backend answers single requests and keeps no state of its own about who holds
// what. The manager does the rest, once for all backends: it tries and waits, renews,
// keeps deadlines by its clock, finds out what became of a request without an answer,
// and tells holders that they have lost a key. For that it relies on the meaning of an
// answer:
//
//   - nil: the request was carried out. The write was a compare-and-set, confirmed by
//     the store.
//   - an error that matches [ErrHeld]: the request was certainly not carried out,
//     because the record is not what the request says.
//   - an error that matches reactor.ErrIllegalArgument: the request was not carried out
//     and never will be, because the key is too long or the time to live is too short
//     for the store.
//   - every other error, such as a time-out or a broken connection: nobody knows
//     whether it was carried out. The manager reads the record to find out.
//
// So when in doubt, for example about a conflict after the client library has sent a
// request again by itself, return an error of the last kind.
//
// Methods are called from several goroutines. They must return soon when their
// context ends. Only one request for a key is under way at a time per manager, except
// that an old record may be released while a new one is acquired.
type Backend interface {
	// TryAcquire makes the record of r.Key, with a time to live of r.TTL or more,
	// if there is no record, and does not wait for one to go. Grant.Token is a
	// number that rises with every grant of this store, for all keys, and keeps
	// its value when the record is renewed; Grant.Revision is what Renew and
	// Release compare.
	TryAcquire(ctx context.Context, r Request) (Grant, error)
	// Renew gives the record of g its whole time to live again, if the record is at
	// g.Revision, and returns g with the new revision.
	Renew(ctx context.Context, g Grant, ttl time.Duration) (Grant, error)
	// Release removes the record of g, if the record is at g.Revision, in a way
	// that others can tell from an expiry.
	Release(ctx context.Context, g Grant) error
	// Read returns the state of a key in the store itself: an answer from a replica
	// that may be behind is not enough.
	Read(ctx context.Context, key string) (Event, error)
	// Watch sends the state of a key, and then its changes, until ctx ends. If there
	// are several changes, it may send only the last one. It closes the channel when
	// it can't go on; the manager then watches again.
	Watch(ctx context.Context, key string) (<-chan Event, error)
}

// TTLChecker is a [Backend] that can't serve every time to live.
type TTLChecker interface {
	// CheckTTL returns an error that matches reactor.ErrIllegalArgument if
	// records can't live for ttl; the error says which times to live are
	// possible.
	CheckTTL(ttl time.Duration) error
}

// LockDelayChecker is a [Backend] that can't serve every [LockDelay].
type LockDelayChecker interface {
	// CheckLockDelay returns an error that matches reactor.ErrIllegalArgument if the
	// mark that an expired record leaves behind is gone before delay is over; the error
	// says how long the mark stays. Without the mark, a process that does not know of
	// the key would take it at once.
	CheckLockDelay(delay time.Duration) error
}

// ErrHeld is the certain answer of a [Backend] that somebody else has the record, or
// that the record is gone or has changed.
var ErrHeld = errors.New("the record is not as expected")

// Request asks a [Backend] for a key.
type Request struct {
	Key   string
	Owner string // names the manager, for people
	Nonce string // unlike that of any other request, ever; it must be in the record
	TTL   time.Duration
	// Revision is the revision of the last event which said that the key is free,
	// or 0 if there was none. A store that replaces the mark of an earlier record
	// compares it with that mark; other stores don't need it.
	Revision uint64
}

// Grant describes a record, in the answers of a [Backend] and in requests about the
// record.
type Grant struct {
	Key      string
	Owner    string
	Nonce    string
	Token    uint64 // number of the write that made the record
	Revision uint64 // number of the last write to it
}

// EventKind says what has happened to a key in a [Backend].
type EventKind int

const (
	// Vacant: there is no record, and no mark of an earlier one.
	Vacant EventKind = iota
	// Occupied: there is a record, which is in Event.Grant.
	Occupied
	// Released: the record was released by its owner.
	Released
	// Expired: the time to live of the record ran out. A backend that can't tell
	// this from a release says Expired.
	Expired
)

// String returns the name of the kind.
func (k EventKind) String() string {
	if k < Vacant || k > Expired {
		return "unknown"
	}
	return [...]string{"vacant", "occupied", "released", "expired"}[k]
}

// Event is the state of a key in a [Backend].
type Event struct {
	Kind  EventKind
	Grant Grant // the record, if the kind is Occupied
	// Revision is the revision of the record, or of the mark that it left behind; it
	// is 0 if the kind is Vacant.
	Revision uint64
	// Age is how long ago the record expired, by the clock of the store, if the kind is
	// Expired; 0 if the store can't tell. It may be less than the true age, but never
	// more: a caller that finds the key free waits for the rest of [LockDelay]. If Age
	// is 0, the delay counts from the moment when the manager first sees the mark.
	Age time.Duration
}
