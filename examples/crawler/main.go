// Command crawler reads a site of linked pages, level after level, and stores them: eight requests
// at a time, two hundred per second at most, with retries for what fails for a while. It does so twice, with a
// stream (stream.go) and with errgroup (group.go), and compares.
//
//	cd examples/crawler && go run .
//
// A page is asked for again while the site is busy; these requests are counted, too.
package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"time"
)

// What both versions keep to.
const (
	parallel  = 8
	perSecond = 200
	attempts  = 4
	backoff   = 20 * time.Millisecond
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	results := map[string]map[string]string{}
	for _, version := range []struct {
		name  string
		crawl func(context.Context, *site, *store) error
	}{{"stream", crawlStream}, {"group", crawlGroup}} {
		web, db, began := newSite(200), &store{}, time.Now()
		if err := version.crawl(ctx, web, db); err != nil {
			fmt.Fprintln(os.Stderr, version.name+":", err)
			os.Exit(1)
		}
		fmt.Printf("%-6s %d pages, %d requests, %d at a time, %v\n", version.name, len(db.rows), web.requests, web.most, time.Since(began).Round(10*time.Millisecond))
		results[version.name] = db.rows
	}
	fmt.Println("the same pages:", maps.Equal(results["stream"], results["group"]))
}
