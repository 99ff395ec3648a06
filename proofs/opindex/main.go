// Command opindex writes docs/operators.md: what flux, mono and sinks offer, by
// family, each with the first sentence of its documentation.
//
//	go run ./proofs/opindex [-check]
//
// With -check it writes nothing and fails if the page is not up to date.
package main

import (
	"flag"
	"fmt"
	"os"
)

// page is the file that is written, relative to the module's root.
const page = "docs/operators.md"

func main() {
	check := flag.Bool("check", false, "fail if the page is not up to date, instead of writing it")
	flag.Parse()
	if err := run(".", *check); err != nil {
		fmt.Fprintln(os.Stderr, "opindex:", err)
		os.Exit(1)
	}
}

func run(root string, check bool) error {
	text, err := render(root)
	if err != nil {
		return err
	}
	file := root + "/" + page
	if !check {
		return os.WriteFile(file, text, 0o644)
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
