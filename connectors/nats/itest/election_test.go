package itest_test

import (
	"time"
	_ "unsafe" // for linkname
)

// The server waits four to nine seconds before it elects a leader in the place of one that
// says nothing, which is most of the time of a test that kills leaders, and it has no option
// for that. These are its variables.
//
//go:linkname minElectionTimeout github.com/nats-io/nats-server/v2/server.minElectionTimeout
//go:linkname maxElectionTimeout github.com/nats-io/nats-server/v2/server.maxElectionTimeout
//go:linkname hbInterval github.com/nats-io/nats-server/v2/server.hbInterval
var (
	minElectionTimeout time.Duration
	maxElectionTimeout time.Duration
	hbInterval         time.Duration
)

// electSoon lets servers of this process that are started later miss a leader after one to
// two seconds.
func electSoon() {
	minElectionTimeout, maxElectionTimeout, hbInterval = time.Second, 2*time.Second, 250*time.Millisecond
}
