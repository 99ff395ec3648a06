package queue

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSizesAreReadAtFirstUse(t *testing.T) {
	t.Setenv(settingSmall, "64")
	assert.Equal(t, 64, Small())
	t.Setenv(settingSmall, "128")
	assert.Equal(t, 64, Small(), "and never again")
	assert.Equal(t, 32, ExtraSmall())
}

func TestSizes(t *testing.T) {
	for name, c := range map[string]struct {
		environ           []string
		small, extraSmall int
		told              string
	}{
		"nothing":         {nil, 256, 32, ""},
		"both":            {[]string{"REACTOR_BUFFER_SIZE_SMALL=64", "REACTOR_BUFFER_SIZE_X=8"}, 64, 8, ""},
		"no number":       {[]string{"REACTOR_BUFFER_SIZE_SMALL=many"}, 256, 32, `reactor: REACTOR_BUFFER_SIZE_SMALL="many" is not a decimal number, using 256`},
		"not positive":    {[]string{"REACTOR_BUFFER_SIZE_X=0"}, 256, 32, "reactor: REACTOR_BUFFER_SIZE_X=0 must be at least 8, using 32"},
		"the least":       {[]string{"REACTOR_BUFFER_SIZE_SMALL=16"}, 16, 32, ""},
		"too few":         {[]string{"REACTOR_BUFFER_SIZE_SMALL=1", "REACTOR_BUFFER_SIZE_X=7"}, 256, 32, "reactor: REACTOR_BUFFER_SIZE_SMALL=1 must be at least 16, using 256\nreactor: REACTOR_BUFFER_SIZE_X=7 must be at least 8, using 32"},
		"of others":       {[]string{"REACTOR_NET_WORKERS=8", "PATH=/bin"}, 256, 32, ""},
		"without a value": {[]string{"REACTOR_BUFFER_SIZE_X="}, 256, 32, `reactor: REACTOR_BUFFER_SIZE_X="" is not a decimal number, using 32`},
	} {
		t.Run(name, func(t *testing.T) {
			lookup := func(name string) (string, bool) {
				i := slices.IndexFunc(c.environ, func(v string) bool { return strings.HasPrefix(v, name+"=") })
				if i < 0 {
					return "", false
				}
				_, value, _ := strings.Cut(c.environ[i], "=")
				return value, true
			}
			sizes, err := readSizes(lookup)
			assert.Equal(t, bufferSizes{c.small, c.extraSmall}, sizes)
			if c.told == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, c.told)
			}
		})
	}
}

// A size that stands for no limit is not allocated at once.
func TestSizesWithoutLimit(t *testing.T) {
	defer func(before func() bufferSizes) { sizes = before }(sizes)
	sizes = func() bufferSizes { return bufferSizes{small: math.MaxInt, extraSmall: math.MaxInt} }
	for _, size := range []int{Small(), ExtraSmall(), MaxRing + 1} {
		q := NewSPSC[int](int64(size))
		assert.True(t, q.Offer(1))
		v, ok := q.Poll()
		assert.True(t, ok)
		assert.Equal(t, 1, v)
	}
}
