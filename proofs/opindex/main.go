// Command opindex writes docs/operators.md: what flux, mono and sinks offer, by
// family, each with the first sentence of its documentation.
//
//	go run ./proofs/opindex [-check]
//
// With -check it writes nothing and fails if the page is not up to date.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/goreactor/reactor/internal/testkit/cli"
)

// page is the file that is written, relative to the module's root.
const page = "docs/operators.md"

func main() {
	cli.Main("opindex", parse, func(check bool, _ io.Writer) error { return run(".", check) })
}

func parse(args []string) (check bool, err error) {
	flags := cli.Flags("opindex")
	flags.BoolVar(&check, "check", false, "fail if the page is not up to date, instead of writing it")
	return check, cli.Parse(flags, args)
}

func run(root string, check bool) error {
	text, err := render(root)
	if err != nil {
		return err
	}
	file := root + "/" + page
	if !check {
		return cli.Replace(file, string(text))
	}
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if string(old) != string(text) {
		return fmt.Errorf("%s is not up to date: make docs", page)
	}
	return nil
}
