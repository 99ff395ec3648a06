package operators_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestTimed(t *testing.T) {
	m := reactortest.NewMarbles(t)
	var got []time.Duration
	m.ExpectMarbles(operators.Timed(m.Cold("--a---b-|"), func(v reactor.Timed[string]) string {
		got = append(got, v.Elapsed, v.Total)
		return v.Value
	}, operators.On(m.Clock())), "--a---b-|")
	m.Run()
	ms := time.Millisecond
	assert.Equal(t, []time.Duration{2 * ms, 2 * ms, 4 * ms, 6 * ms}, got)
	clock := reactortest.NewVirtualTime()
	oneForOne(t, func(src ints) ints {
		return operators.Timed(src, func(v reactor.Timed[int]) int { return 10 * v.Value }, operators.On(clock))
	})
}
