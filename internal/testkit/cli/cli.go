// Package cli is how the commands of benchmarks and proofs begin and end: arguments that do not parse
// are told in one line, and so is what went wrong; files are written as a whole or not at all.
package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

// Main parses the arguments of the process and runs it. It ends the process with 1, and a
// line on the error output, if one of them fails.
func Main[O any](name string, parse func(args []string) (O, error), run func(O, io.Writer) error) {
	o, err := parse(os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err == nil:
		err = run(o, os.Stdout)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Flags returns an empty set, which prints nothing by itself.
func Flags(name string) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return flags
}

// Parse parses args, none of which may be without a flag. With -h it lists the flags and returns
// [flag.ErrHelp].
func Parse(flags *flag.FlagSet, args []string) error {
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(os.Stderr)
		flags.PrintDefaults()
		return err
	case err != nil:
		return fmt.Errorf("%w (-h lists the arguments)", err)
	case flags.NArg() > 0:
		return fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	return nil
}

// Replace writes a file as a whole or not at all.
func Replace(name, text string) error {
	fresh := name + ".new"
	err := os.WriteFile(fresh, []byte(text), 0o644)
	if err == nil {
		err = os.Rename(fresh, name)
	}
	if err != nil {
		_ = os.Remove(fresh) // which may not have come to be
	}
	return err
}
