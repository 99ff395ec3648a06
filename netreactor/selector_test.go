//go:build linux && (amd64 || arm64)

package netreactor

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What is pushed while a selector goes to sleep is pushed by somebody who sees it awake, and does not call it.
func TestASelectorDoesNotSleepOnWork(t *testing.T) {
	s := &selector{}
	assert.True(t, s.sleep())
	assert.True(t, s.asleep.Load())
	s.queued.Store(1)
	assert.False(t, s.sleep())
	assert.False(t, s.asleep.Load(), "whoever pushes something need not call it")
	s.queued.Store(0)
	s.stopping.Store(true)
	assert.False(t, s.sleep())
}
