package awake

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestClockCountsWhatPasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Watch(t)
		time.Sleep(time.Second + step/2)
		begin := c.Now()
		assert.Equal(t, time.Second, begin)
		time.Sleep(time.Minute)
		assert.Equal(t, time.Minute, c.Since(begin))
		assert.Zero(t, c.Still())
	})
}

func TestClockDoesNotCountAPause(t *testing.T) {
	assert.Equal(t, step, counted(step))
	assert.Equal(t, most, counted(time.Hour))
	synctest.Test(t, func(t *testing.T) {
		c := Watch(t)
		c.begun = c.begun.Add(-time.Hour) // as if nothing had run for an hour
		time.Sleep(time.Minute)
		assert.LessOrEqual(t, c.Now(), time.Minute)
		assert.InDelta(t, time.Hour, c.Still(), float64(2*most))
	})
}
