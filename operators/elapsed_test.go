package operators_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestElapsed(t *testing.T) {
	m := reactortest.NewMarbles(t)
	var got []time.Duration
	m.ExpectMarbles(operators.Elapsed(m.Cold("--a---b-#"), func(d time.Duration, v string) string {
		got = append(got, d)
		return v
	}, operators.On(m.Clock())), "--a---b-#")
	m.Run()
	assert.Equal(t, []time.Duration{2 * time.Millisecond, 4 * time.Millisecond}, got)
}
