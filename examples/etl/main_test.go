package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A child is the program itself.
func TestMain(m *testing.M) {
	if args := os.Getenv("ETL_ARGS"); args != "" {
		if err := run(context.Background(), strings.Split(args, " "), os.Stdout, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// counted returns what is in the database, and checks that pages said to be complete are.
func counted(t *testing.T, name string) (pages, orders int) {
	t.Helper()
	db, err := sql.Open("sqlite", name)
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, db.QueryRow("SELECT count(*) FROM orders").Scan(&orders))
	require.NoError(t, db.QueryRow("SELECT count(*) FROM pages").Scan(&pages))
	var partial int
	require.NoError(t, db.QueryRow("SELECT count(*) FROM pages p WHERE (SELECT count(*) FROM orders o WHERE o.page = p.page) <> ?", perPage).Scan(&partial))
	assert.Zero(t, partial, "pages that are said to be complete")
	return pages, orders
}

func TestEverythingIsCopiedOnce(t *testing.T) {
	t.Parallel()
	service, err := startService(12, 7)
	require.NoError(t, err)
	defer service.stop()
	name := filepath.Join(t.TempDir(), "orders.db")
	args := []string{"-db", name, "-url", service.url, "-pages", "12", "-rate", "1000"}
	var out, progress bytes.Buffer
	require.NoError(t, run(t.Context(), args, &out, &progress))
	pages, orders := counted(t, name)
	assert.Equal(t, 12, pages)
	assert.Equal(t, 12*perPage, orders)
	assert.Contains(t, out.String(), fmt.Sprintf("12 pages, %d orders in ", 12*perPage))
	assert.NotContains(t, progress.String(), "\r", "it is no terminal")
	assert.NotContains(t, progress.String(), "\033")
	for _, fault := range []string{"429", "503", "cut"} {
		assert.Positive(t, service.faults[fault], "with this seed all kinds of failures happen")
	}
	// There is nothing left to do.
	out.Reset()
	require.NoError(t, run(t.Context(), args, &out, &progress))
	assert.Equal(t, "0 pages, 0 orders in 0 batches, 0 retries\n", out.String())
}

func TestFailures(t *testing.T) {
	t.Parallel()
	service, err := startService(2, 1)
	require.NoError(t, err)
	defer service.stop()
	dir := t.TempDir()
	err = run(t.Context(), []string{"-db", filepath.Join(dir, "a.db"), "-url", service.url, "-pages", "3", "-rate", "1000"}, io.Discard, io.Discard)
	assert.ErrorContains(t, err, "status 404 Not Found", "is not retried")
	err = run(t.Context(), []string{"-batch", "-1"}, io.Discard, io.Discard)
	assert.ErrorContains(t, err, "all numbers must be positive")
	err = run(t.Context(), []string{"other.db"}, io.Discard, io.Discard)
	assert.ErrorContains(t, err, "is no flag")
	ended, cancel := context.WithCancel(t.Context())
	cancel() // else it would try again and again
	for _, url := range []string{"127.0.0.1:8080", "localhost:8080", "ftp://h", "http:/h", "http://h:x"} {
		err = run(ended, []string{"-db", filepath.Join(dir, "b.db"), "-url", url}, io.Discard, io.Discard)
		assert.ErrorContains(t, err, "-url is that of a service")
	}
	name := filepath.Join(dir, "no", "such", "folder.db")
	err = run(t.Context(), []string{"-db", name}, io.Discard, io.Discard)
	assert.ErrorContains(t, err, name)
}

// What was written before it failed is in the database, and so it says.
func TestFailureTellsWhatWasWritten(t *testing.T) {
	t.Parallel()
	service, err := startService(2, 1)
	require.NoError(t, err)
	defer service.stop()
	name := filepath.Join(t.TempDir(), "orders.db")
	var out, progress bytes.Buffer
	err = run(t.Context(), []string{"-db", name, "-url", service.url, "-pages", "3", "-rate", "1000", "-concurrency", "1", "-batch", "10"}, &out, &progress)
	assert.ErrorContains(t, err, "status 404 Not Found")
	var pages, orders int
	_, err = fmt.Sscanf(out.String(), "%d pages, %d orders in", &pages, &orders)
	require.NoError(t, err, out.String())
	assert.Positive(t, orders)
	assert.True(t, strings.HasSuffix(progress.String(), out.String()), "%q is what the line said in the end", out.String())
	_, written := counted(t, name)
	assert.LessOrEqual(t, orders, written)
}

// A terminal has one line, which is written over; where there is none each has its own.
func TestLine(t *testing.T) {
	for terminal, want := range map[bool]string{
		true:  `^\r\033\[K +0\.0s  1 pages, 2 orders in 3 batches, 4 retries\r\033\[K +0\.0s  5 pages, 6 orders in 7 batches, 8 retries\n$`,
		false: `^ +0\.0s  1 pages, 2 orders in 3 batches, 4 retries\n +0\.0s  5 pages, 6 orders in 7 batches, 8 retries\n$`,
	} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			l := newLine(&out)
			assert.False(t, l.terminal)
			l.terminal = terminal
			l.show(totals{1, 2, 3, 4})
			l.show(totals{5, 6, 7, 8}) // too soon
			l.end()
			l.show(totals{9, 9, 9, 9}) // too late
			assert.Regexp(t, want, out.String())
		})
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "progress"))
	require.NoError(t, err)
	defer f.Close()
	assert.False(t, newLine(f).terminal)
}

// start starts the program as a child, which begins with at most rate pages a second.
func start(t *testing.T, name string, pages, rate int) (cmd *exec.Cmd, out *bytes.Buffer, progress *bufio.Reader) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("ETL_ARGS=-db %s -pages %d -batch 40 -rate %d", name, pages, rate))
	out = &bytes.Buffer{}
	cmd.Stdout = out
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return cmd, out, bufio.NewReader(stderr)
}

// seen waits until the line of progress shows that something was written.
func seen(t *testing.T, progress *bufio.Reader, batches int) (orders int) {
	t.Helper()
	for {
		text, err := progress.ReadString('\n')
		require.NoError(t, err, text)
		var seconds float64
		var pages, n int
		if _, err := fmt.Sscanf(text, "%fs %d pages, %d orders in %d batches", &seconds, &pages, &orders, &n); err == nil && n >= batches {
			return orders
		}
	}
}

// Ctrl-C: what was fetched is written, and what was counted is in the database.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "orders.db")
	const most = 4000 // which takes much longer than it is let run
	cmd, out, progress := start(t, name, most, 100)
	shown := seen(t, progress, 3)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	rest, err := io.ReadAll(progress)
	require.NoError(t, err)
	require.NoError(t, cmd.Wait(), "%s", rest)
	pages, orders := counted(t, name)
	assert.GreaterOrEqual(t, orders, shown)
	assert.Less(t, pages, most)
	assert.Equal(t, pages*perPage, orders, "every page that was begun was finished")
	assert.Contains(t, out.String(), fmt.Sprintf("%d pages, %d orders in ", pages, orders))
}

// A process that is killed loses no batch that it had counted either, and another run goes on.
func TestKill(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "orders.db")
	const all = 30
	cmd, _, progress := start(t, name, all, 5)
	shown := seen(t, progress, 10)
	require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
	_, _ = io.Copy(io.Discard, progress)
	assert.Error(t, cmd.Wait())
	_, orders := counted(t, name)
	assert.GreaterOrEqual(t, orders, shown)

	require.NoError(t, run(t.Context(), []string{"-db", name, "-pages", fmt.Sprint(all), "-rate", "1000"}, io.Discard, io.Discard))
	pages, orders := counted(t, name)
	assert.Equal(t, all, pages)
	assert.Equal(t, all*perPage, orders)
}
