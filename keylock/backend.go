package keylock

import (
	"context"
	"errors"
	"time"
)

// Backend is a store that several processes share, in which a record stands for each
// key that is held. It is what a [Manager] needs to exclude callers in other
// processes; see [WithBackend].
//
// A backend answers single requests and keeps no state of its own about who holds
// what. The manager does the rest, once for all backends: it tries and waits, renews,
// keeps deadlines by its clock, finds out what became of a request without an answer,
// and tells holders that they have lost a key. For that it has to know what an answer
// means:
//
//   - nil: it was done. The write that did it was a compare-and-set, confirmed by the
//     store.
//   - an error that matches [ErrHeld]: it was not done, because the record is not what
//     the request says. This is certain.
//   - an error that matches reactor.ErrIllegalArgument: it was not done and never will
//     be, the key is too long or the time to live too short for the store.
//   - every other error, a time-out or a broken connection: nobody knows. The manager
//     reads the record to find out.
//
// So when in doubt, for example about a conflict that came after the client library
// has sent a request again by itself, return an error that is neither.
//
// Methods are called from several goroutines. They must return soon when their
// context ends. Only one request for a key is under way at a time per manager, except
// that an old record may be released while a new one is acquired.
type Backend interface {
	// TryAcquire makes the record of r.Key if there is none, with a time to live
	// of r.TTL or more, and does not wait for that. Grant.Token is a number that
	// rises with every grant of this store, for all keys, and keeps its value when
	// the record is renewed; Grant.Revision is what Renew and Release compare.
	TryAcquire(ctx context.Context, r Request) (Grant, error)
	// Renew gives the record of g its whole time to live again, if it is at
	// g.Revision, and returns g with the new revision.
	Renew(ctx context.Context, g Grant, ttl time.Duration) (Grant, error)
	// Release removes the record of g if it is at g.Revision, in a way that
	// others can tell from an expiry.
	Release(ctx context.Context, g Grant) error
	// Read returns the state of a key, as of the store itself: an answer from a
	// copy that may be behind will not do.
	Read(ctx context.Context, key string) (Event, error)
	// Watch sends the state of a key, and then its changes, until ctx ends. Of
	// several changes it may send the last one only. It closes the channel when it
	// can't go on; the manager then watches again.
	Watch(ctx context.Context, key string) (<-chan Event, error)
}

// TTLChecker is a [Backend] that can't serve every time to live.
type TTLChecker interface {
	// CheckTTL returns an error that matches reactor.ErrIllegalArgument if
	// records can't live for ttl, and says which they can.
	CheckTTL(ttl time.Duration) error
}

// LockDelayChecker is a [Backend] that can't serve every [LockDelay].
type LockDelayChecker interface {
	// CheckLockDelay returns an error that matches reactor.ErrIllegalArgument if the mark that a
	// record leaves behind when it expires is gone before delay is over, and says how long it stays:
	// a process that does not know of the key would take it at once.
	CheckLockDelay(delay time.Duration) error
}

// ErrHeld is the answer of a [Backend] that is certain: somebody else has the record,
// or it is gone, or changed.
var ErrHeld = errors.New("the record is not as expected")

// Request asks a [Backend] for a key.
type Request struct {
	Key   string
	Owner string // names the manager, for people
	Nonce string // unlike that of any other request, ever; it must be in the record
	TTL   time.Duration
	// Revision is that of the last event which said that the key is free, 0 if
	// there was none. A store that replaces the mark an earlier record left behind
	// compares with it; others don't need it.
	Revision uint64
}

// Grant is a record: what the [Backend] answers, and what it is asked about.
type Grant struct {
	Key      string
	Owner    string
	Nonce    string
	Token    uint64 // number of the write that made the record
	Revision uint64 // number of the last write to it
}

// EventKind says what became of a key in a [Backend].
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
	// Revision is that of the record or of the mark that it left behind, 0 if the
	// kind is Vacant.
	Revision uint64
	// Age is how long ago the record expired, by the clock of the store, if the kind is
	// Expired; 0 if the store can't tell. It may be less than that, but never more: who
	// finds the key free waits for what is left of [LockDelay]. Without it that counts
	// from when the manager first sees the mark.
	Age time.Duration
}
