package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/adapt/httpstream"
	"github.com/goreactor/reactor/adapt/sqlstream"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

// order is one line of a page.
type order struct {
	ID       int64  `json:"id"`
	Customer string `json:"customer"`
	Cents    int64  `json:"cents"`
}

// entry is what is written: an order, or that the page has no more of them.
type entry struct {
	page  int
	order order
	last  bool
}

// totals are what was written so far.
type totals struct {
	Pages, Orders, Batches int
	Retries                int64
}

func (t totals) String() string {
	return fmt.Sprintf("%d pages, %d orders in %d batches, %d retries", t.Pages, t.Orders, t.Batches, t.Retries)
}

type pipeline struct {
	client      *http.Client
	url         string
	db          *sql.DB
	pages       int
	batch       int
	wait        time.Duration
	concurrency int
	rate        int
	retries     atomic.Int64
}

// copied copies what is missing, and emits the totals after each batch. It ends early, with
// what was fetched until then, when stop emits something. If fetching fails, the batch that is being
// written by then is still written.
func (p *pipeline) copied[S any](stop reactor.Publisher[S]) flux.Flux[totals] {
	return p.missing().
		TakeUntilOther(stop).
		DelayElements(time.Second/time.Duration(p.rate)).
		FlatMap(p.fetch, flux.Concurrency(p.concurrency), flux.Prefetch(p.batch)).
		BufferTimeout(p.batch, p.wait, flux.FairBackpressure()).
		ConcatMap(p.write, flux.Prefetch(1), flux.DelayErrorsToBoundary()).
		ScanSeed(totals{}, func(t totals, batch totals) totals {
			return totals{t.Pages + batch.Pages, t.Orders + batch.Orders, t.Batches + 1, p.retries.Load()}
		})
}

// missing emits the numbers of the pages that are not in the database.
func (p *pipeline) missing() flux.Flux[int] {
	done := sqlstream.Query(p.db, sqlstream.SQL("SELECT page FROM pages"), sqlstream.Column[int]).
		FoldWith(func() map[int]bool { return map[int]bool{} }, func(m map[int]bool, page int) map[int]bool {
			m[page] = true
			return m
		})
	return flux.FlatMapMany(done, func(done map[int]bool) flux.Flux[int] {
		return flux.Range(1, p.pages).Filter(func(page int) bool { return !done[page] })
	})
}

// fetch emits the orders of a page and then its end. A page that fails in the middle is
// fetched again from its beginning; orders that come twice are written once.
func (p *pipeline) fetch(page int) flux.Flux[entry] {
	return bytestream.JSONLines[order](httpstream.Get(p.client, fmt.Sprintf("%s/orders?page=%d", p.url, page))).
		Map(func(o order) entry { return entry{page: page, order: o} }).
		RetryWhen(flux.RetryBackoff(20, 20*time.Millisecond).
			MaxBackoff(2 * time.Second).
			DelayFrom(httpstream.RetryAfter).
			Filter(flux.WhenError(temporary)).
			DoBeforeRetry(func(flux.RetrySignal) { p.retries.Add(1) })).
		ConcatWithValues(entry{page: page, last: true})
}

// temporary reports whether a page may do better the next time.
func temporary(err error) bool {
	if status, ok := errors.AsType[*httpstream.StatusError](err); ok {
		return status.IsTransient()
	}
	return errors.Is(err, httpstream.ErrRequest) || errors.Is(err, io.ErrUnexpectedEOF)
}

// write writes a batch in a transaction, and emits what was written once it is committed.
func (p *pipeline) write(batch []entry) flux.Flux[totals] {
	written := totals{}
	insert := func(tx *sql.Tx) mono.Mono[totals] {
		return mono.FromFunc(func(ctx context.Context) (totals, error) {
			for _, e := range batch {
				if err := e.insert(ctx, tx, &written); err != nil {
					return totals{}, err
				}
			}
			return written, nil
		}).SubscribeOn(schedulers.BoundedElastic())
	}
	return flux.From(sqlstream.InTransaction(p.db, insert))
}

func (e entry) insert(ctx context.Context, tx *sql.Tx, written *totals) error {
	if e.last {
		written.Pages++
		_, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO pages (page) VALUES (?)", e.page)
		return err
	}
	result, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO orders (id, page, customer, cents) VALUES (?, ?, ?, ?)",
		e.order.ID, e.page, e.order.Customer, e.order.Cents)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	written.Orders += int(n)
	return err
}
