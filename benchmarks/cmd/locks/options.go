package main

import (
	"fmt"
	"io"

	"github.com/goreactor/reactor/internal/testkit/cli"
)

type options struct {
	rounds, keys int
	strict       bool
}

// parse reads the arguments. What is wrong with them it says in one line; -h lists them.
func parse(args []string) (o options, err error) {
	flags := cli.Flags("locks")
	flags.IntVar(&o.rounds, "rounds", 9, "how often each candidate takes its turn")
	flags.IntVar(&o.keys, "keys", 1_000_000, "distinct keys whose memory is measured")
	flags.BoolVar(&o.strict, "strict", false, "fail if something falls short")
	switch err = cli.Parse(flags, args); {
	case err != nil:
		return o, err
	case o.rounds < 1:
		return o, fmt.Errorf("-rounds must be at least 1, not %d", o.rounds)
	case o.keys < 1:
		return o, fmt.Errorf("-keys must be at least 1, not %d", o.keys)
	}
	return o, nil
}

func run(o options, _ io.Writer) error {
	rounds = o.rounds
	uncontended()
	contended()
	handOver()
	allocations()
	freeKey()
	memory(o.keys)
	if o.strict && short > 0 {
		return fmt.Errorf("%d claims are short", short)
	}
	return nil
}
