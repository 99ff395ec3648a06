package queue

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSizes(t *testing.T) {
	for name, c := range map[string]struct {
		environ           []string
		small, extraSmall int
		told              string // what the log says
	}{
		"nothing":         {nil, 256, 32, ""},
		"both":            {[]string{"REACTOR_BUFFER_SIZE_SMALL=64", "REACTOR_BUFFER_SIZE_X=8"}, 64, 8, ""},
		"no number":       {[]string{"REACTOR_BUFFER_SIZE_SMALL=many"}, 256, 32, `REACTOR_BUFFER_SIZE_SMALL=\"many\" is not a decimal number, using 256`},
		"not positive":    {[]string{"REACTOR_BUFFER_SIZE_X=0"}, 256, 32, "REACTOR_BUFFER_SIZE_X=0 must be positive, using 32"},
		"unknown":         {[]string{"REACTOR_BUFFER_SIZE_XS=8"}, 256, 32, "there is no setting REACTOR_BUFFER_SIZE_XS, did you mean REACTOR_BUFFER_SIZE_SMALL or REACTOR_BUFFER_SIZE_X?"},
		"of others":       {[]string{"REACTOR_NET_WORKERS=8", "PATH=/bin"}, 256, 32, ""},
		"without a value": {[]string{"REACTOR_BUFFER_SIZE_X="}, 256, 32, "is not a decimal number"},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			before := slog.Default()
			slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
			defer slog.SetDefault(before)
			lookup := func(name string) (string, bool) {
				i := slices.IndexFunc(c.environ, func(v string) bool { return strings.HasPrefix(v, name+"=") })
				if i < 0 {
					return "", false
				}
				_, value, _ := strings.Cut(c.environ[i], "=")
				return value, true
			}
			small, extraSmall := readSizes(lookup, func() []string { return c.environ })
			assert.Equal(t, c.small, small)
			assert.Equal(t, c.extraSmall, extraSmall)
			if c.told == "" {
				assert.Empty(t, log.String())
			} else {
				assert.Contains(t, log.String(), c.told)
			}
		})
	}
}
