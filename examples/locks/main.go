//go:build unix

// Command locks lets three processes move money between accounts in one file. Each
// move is done under locks of its two accounts, which the processes share through a
// NATS server. One process is stopped while it holds locks, for three times as long as
// they live without it, and goes on afterwards; another one is killed.
//
//	go run . [-lease 1s] [-think 100ms] [-url nats://…]
//
// That is done twice. First each write carries the tokens of its leases, and the file
// keeps the highest one for each account and refuses lower ones: the ledger adds up.
// Then nobody looks at tokens, and it does not: a process that was stopped writes what
// it had read before.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/goreactor/reactor/connectors/nats/itest"
	"github.com/goreactor/reactor/connectors/nats/natslock"
)

// clerkEnv makes this program a clerk, and has its job.
const clerkEnv = "LOCKS_CLERK"

func main() {
	if arg := os.Getenv(clerkEnv); arg != "" {
		// Ctrl-C goes to all processes; the first one ends the others.
		signal.Ignore(os.Interrupt)
		if err := clerk(arg, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "clerk:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "locks:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("locks", flag.ContinueOnError)
	flags.SetOutput(out)
	lease := flags.Duration("lease", natslock.MinTTL, "how long a lock lives when its process does not renew it")
	think := flags.Duration("think", 100*time.Millisecond, "between reading two accounts and writing them")
	url := flags.String("url", "", "of a server; without it, one is started")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q is no flag", flags.Arg(0))
	}
	if *lease < natslock.MinTTL || *think <= 0 || *think > *lease/2 {
		return fmt.Errorf("-lease must be %v or more and -think positive and at most half of it, got %v and %v",
			natslock.MinTTL, *lease, *think)
	}
	dir, err := os.MkdirTemp("", "locks-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if *url == "" {
		server, err := itest.Start(itest.Options{Dir: filepath.Join(dir, "server")})
		if err != nil {
			return err
		}
		defer server.Stop()
		*url = server.URL()
	}
	conn, js, err := itest.Connect(*url)
	if err != nil {
		return err
	}
	defer conn.Close()

	for _, fenced := range []bool{true, false} {
		title, name := "Each write carries the tokens of its leases", "with"
		if !fenced {
			title, name = "Nobody looks at tokens", "without"
		}
		fmt.Fprintf(out, "%s\n\n", title)
		bucket := natslock.Config("locks-" + name)
		if err := itest.Bucket(ctx, js, bucket); err != nil {
			return err
		}
		book := ledger{dir: filepath.Join(dir, name), fenced: fenced}
		if err := os.Mkdir(book.dir, 0o700); err != nil {
			return err
		}
		ok, err := act(ctx, out, job{*url, bucket.Bucket, *lease, *think, book.dir, fenced})
		if err != nil {
			return err
		}
		if fenced && !ok {
			return errors.New("the ledger does not add up, although tokens were checked")
		}
	}
	return nil
}
