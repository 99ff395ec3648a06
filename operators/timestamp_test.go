package operators_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestTimestamp(t *testing.T) {
	m := reactortest.NewMarbles(t)
	begin := m.Clock().Now()
	var got []time.Duration
	m.ExpectMarbles(operators.Timestamp(m.Cold("--a---b-|"), func(at time.Time, v string) string {
		got = append(got, at.Sub(begin))
		return v
	}, operators.On(m.Clock())), "--a---b-|")
	m.Run()
	assert.Equal(t, []time.Duration{2 * time.Millisecond, 6 * time.Millisecond}, got)
}
