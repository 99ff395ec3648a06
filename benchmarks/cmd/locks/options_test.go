package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBadArgumentsAreOneLine(t *testing.T) {
	for _, c := range []struct{ arg, value, want string }{
		{"-rounds", "x", `invalid value "x" for flag -rounds: parse error (-h lists the arguments)`},
		{"-rounds", "0", "-rounds must be at least 1, not 0"},
		{"-keys", "0", "-keys must be at least 1, not 0"},
		{"-strict", "keys", `unknown argument "keys"`},
	} {
		_, err := parse([]string{c.arg, c.value})
		assert.EqualError(t, err, c.want)
	}
}
