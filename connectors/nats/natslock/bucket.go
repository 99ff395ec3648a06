package natslock

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/goreactor/reactor"
)

// MinMarkerTTL is the shortest time for which the server can keep the mark of a record
// that is gone.
const MinMarkerTTL = time.Second

// Config returns a configuration of a bucket that [New] accepts, to be passed to
// CreateKeyValue of a jetstream.JetStream: one file on one server, and marks that stay for
// a minute. Set Replicas, Storage, Placement and LimitMarkerTTL as you need.
// LimitMarkerTTL must not be less than keylock.LockDelay, which by default is a tenth of
// the time to live of records.
func Config(bucket string) jetstream.KeyValueConfig {
	return jetstream.KeyValueConfig{
		Bucket:         bucket,
		Description:    "keylock",
		History:        1,
		LimitMarkerTTL: time.Minute,
	}
}

// The first version of the server with times to live for single messages.
const minMajor, minMinor = 2, 11

// checkServer returns an error if the server that conn is connected to is too old.
func checkServer(conn *nats.Conn) error {
	version := conn.ConnectedServerVersion()
	if version == "" {
		return errors.New("natslock: not connected to a server")
	}
	major, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	x, errX := strconv.Atoi(major)
	y, errY := strconv.Atoi(minor)
	if errX != nil || errY != nil {
		return fmt.Errorf("natslock: the server has the version %q, which can't be read: %w", version, errors.ErrUnsupported)
	}
	if x < minMajor || x == minMajor && y < minMinor {
		return fmt.Errorf("natslock: the server is version %s, but %d.%d or newer is required: %w",
			version, minMajor, minMinor, errors.ErrUnsupported)
	}
	return nil
}

// checkBucket returns the time for which the bucket keeps marks, or all that is wrong
// with it.
func checkBucket(ctx context.Context, js jetstream.JetStream, bucket string) (time.Duration, error) {
	stream, err := js.Stream(ctx, streamOf(bucket))
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return 0, fmt.Errorf("natslock: there is no bucket %q, make it with CreateKeyValue(ctx, natslock.Config(%q)): %w",
			bucket, bucket, err)
	case errors.Is(err, jetstream.ErrInvalidStreamName):
		return 0, fmt.Errorf("natslock: %q can't be the name of a bucket: %w", bucket, reactor.ErrIllegalArgument)
	case errors.Is(err, nats.ErrNoResponders):
		return 0, fmt.Errorf("natslock: bucket %q: the server has no JetStream, or it is not ready: %w", bucket, err)
	case err != nil:
		return 0, fmt.Errorf("natslock: bucket %q: %w", bucket, err)
	}
	c := stream.CachedInfo().Config
	var wrong []string
	refuse := func(bad bool, format string, args ...any) {
		if bad {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	refuse(c.MaxMsgsPerSubject != 1, "its history is %d, must be 1", c.MaxMsgsPerSubject)
	refuse(!c.AllowMsgTTL || c.SubjectDeleteMarkerTTL < MinMarkerTTL,
		"it has no markers: its LimitMarkerTTL is %v, must be %v or more", c.SubjectDeleteMarkerTTL, MinMarkerTTL)
	refuse(c.SubjectDeleteMarkerTTL > MaxTTL, "its LimitMarkerTTL is %v, must be %v at most", c.SubjectDeleteMarkerTTL, MaxTTL)
	refuse(c.MaxAge != 0, "its TTL is %v, must be 0: it would end leases", c.MaxAge)
	refuse(c.Discard != jetstream.DiscardNew && (c.MaxMsgs > 0 || c.MaxBytes > 0), "it discards old records when it is full")
	refuse(c.Mirror != nil || len(c.Sources) > 0 || c.SubjectTransform != nil, "it has records from elsewhere (mirror, sources, transform)")
	refuse(len(c.Subjects) != 1 || c.Subjects[0] != prefixOf(bucket)+">", "its subjects are %v", c.Subjects)
	refuse(c.PersistMode != jetstream.DefaultPersistMode, "it acknowledges before it writes: its PersistMode is %v", c.PersistMode)
	if wrong != nil {
		return 0, fmt.Errorf("natslock: the bucket %q can't keep locks: %s: %w",
			bucket, strings.Join(wrong, "; "), reactor.ErrIllegalArgument)
	}
	return c.SubjectDeleteMarkerTTL, nil
}

func streamOf(bucket string) string { return "KV_" + bucket }
func prefixOf(bucket string) string { return "$KV." + bucket + "." }
