package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBadArgumentsAreOneLine(t *testing.T) {
	for _, c := range []struct{ arg, value, want string }{
		{"-pairs", "x", `invalid value "x" for flag -pairs: parse error (-h lists the arguments)`},
		{"-pairs", "0", "-pairs must be at least 1, not 0"},
		{"-run", "(", "-run: error parsing regexp: missing closing ): `(`"},
		{"-strict", "sse", `unknown argument "sse"`},
	} {
		_, err := parse([]string{c.arg, c.value})
		assert.EqualError(t, err, c.want)
	}
}
