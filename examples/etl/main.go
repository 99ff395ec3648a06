// Command etl copies orders from an HTTP service that fails now and then into an SQLite
// database.
//
//	go run . [-db orders.db] [-url http://…] [-pages 40] [-batch 100] [-wait 200ms] [-concurrency 4] [-rate 50]
//
// Pages are fetched a few at a time and not too often, retried as the service asks for,
// decoded from JSON lines, and written in batches, each in a transaction of its own. Without
// -url it starts a service of its own that fails at random. Ctrl-C ends it when what was
// fetched is written; a second one at once. Either way every batch that was counted is in the
// database, and a later run goes on where this one ended.
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	_ "modernc.org/sqlite"

	"github.com/goreactor/reactor/adapt/osstream"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "etl:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, progress io.Writer) (err error) {
	// No limit for the body: it is read as fast as it can be written.
	p := pipeline{client: &http.Client{Transport: &http.Transport{ResponseHeaderTimeout: 10 * time.Second}}}
	defer p.client.CloseIdleConnections()
	flags := flag.NewFlagSet("etl", flag.ContinueOnError)
	name := flags.String("db", "orders.db", "the database")
	flags.StringVar(&p.url, "url", "", "the service; one that fails at random if empty")
	flags.IntVar(&p.pages, "pages", 40, "pages that the service has")
	flags.IntVar(&p.batch, "batch", 100, "orders that are written at a time")
	flags.DurationVar(&p.wait, "wait", 200*time.Millisecond, "how long orders wait for a batch to fill")
	flags.IntVar(&p.concurrency, "concurrency", 4, "pages that are fetched at a time")
	flags.IntVar(&p.rate, "rate", 50, "pages a second, at most")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q is no flag", flags.Arg(0))
	}
	if min(p.pages, p.batch, p.concurrency, p.rate) < 1 || p.wait <= 0 {
		return fmt.Errorf("all numbers must be positive, got -pages %d -batch %d -wait %v -concurrency %d -rate %d", p.pages, p.batch, p.wait, p.concurrency, p.rate)
	}
	if at, err := url.Parse(p.url); p.url != "" && (err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "") {
		return fmt.Errorf("-url is that of a service, such as http://127.0.0.1:8080, not %q", p.url) // else it would be asked again and again
	}
	if p.url == "" {
		service, err := startService(p.pages, time.Now().UnixNano())
		if err != nil {
			return err
		}
		defer service.stop()
		p.url = service.url
	}
	if p.db, err = open(ctx, *name); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.db.Close()) }()

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// The first signal ends the source, the second one everything.
	interrupts := osstream.Signals(os.Interrupt)
	seen := 0
	second := interrupts.SubscribeFunc(ctx, func(os.Signal) {
		if seen++; seen == 2 {
			cancel(errors.New("interrupted twice"))
		}
	})
	defer second.Dispose()

	line := newLine(progress)
	defer line.end()
	err = p.copied(interrupts).DoOnNext(line.show).Run(ctx)
	fmt.Fprintln(out, line.end()) // also if it failed: these are in the database
	return err
}

// open opens the database and makes its tables.
func open(ctx context.Context, name string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // SQLite has one writer
	for _, table := range []string{
		`CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, page INTEGER NOT NULL, customer TEXT NOT NULL, cents INTEGER NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS pages (page INTEGER PRIMARY KEY)`, // those that are written completely
	} {
		if _, err := db.ExecContext(ctx, table); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", name, err), db.Close())
		}
	}
	return db, nil
}
