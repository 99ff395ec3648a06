package operators_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

// Each Log names its own line, for each of its signals and subscriptions; without the option none is
// named.
func TestLogOperatorLine(t *testing.T) {
	var out bytes.Buffer
	logger := operators.LogTo(slog.New(slog.NewTextHandler(&out, nil)))
	logged := operators.Log(operators.Just(1), operators.LogOperatorLine(), logger, operators.LogCategory("above"))
	logged = operators.Log(logged, operators.LogOperatorLine(), logger, operators.LogCategory("below"))
	for range 2 {
		assert.NoError(t, operators.Run(context.Background(), logged))
	}
	above, below := 0, 0
	for line := range strings.Lines(out.String()) {
		switch {
		case strings.Contains(line, "category=above at=log_test.go:20"):
			above++
		case strings.Contains(line, "category=below at=log_test.go:21"):
			below++
		}
	}
	assert.Equal(t, [2]int{8, 8}, [2]int{above, below}, out.String())
	out.Reset()
	assert.NoError(t, operators.Run(context.Background(), operators.Log(operators.Just(1), logger)))
	assert.NotContains(t, out.String(), "at=")
}
