package beside

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestSidesStandToEachOtherAsTheirTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order strings.Builder
		takes := func(name string, d time.Duration) func() {
			return func() { time.Sleep(d); order.WriteString(name) }
		}
		pairs := 0
		clock, processor := compare([2]func(){takes("p", Slice/2), takes("s", Slice)}, func() bool { pairs++; return pairs <= 3 })
		assert.Equal(t, []float64{0.5, 0.5, 0.5}, clock, "plain time divided by that of the stream")
		assert.LessOrEqual(t, len(processor), 3, "there may be none, and in a bubble it says nothing")
		assert.Equal(t, "ps"+"pps"+"spp"+"pps", order.String(), "each once, then in slices, in an order that changes")
	})
}

func TestReportTellsMedianAndQuartiles(t *testing.T) {
	r := testing.Benchmark(func(b *testing.B) {
		report(b, []float64{5, 4, 3, 2, 1}, Clock)
		report(b, nil, Processor)
	})
	assert.Equal(t, map[string]float64{Clock + Low: 2, Clock: 3, Clock + High: 4}, r.Extra)
}
