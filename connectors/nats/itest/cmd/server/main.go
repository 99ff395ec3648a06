// Command server runs NATS servers with JetStream on loopback until it is interrupted,
// for trying natslock out, with a bucket for locks if one is named.
//
//	go -C connectors/nats/itest run ./cmd/server [-port 4222] [-dir folder] [-nodes 3] [-bucket locks] [-sync]
//
// It prints the addresses for clients, one a line, when it can be used.
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
	"syscall"
	"time"

	"github.com/goreactor/reactor/connectors/nats/itest"
	"github.com/goreactor/reactor/connectors/nats/natslock"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	port := flags.Int("port", 4222, "of the first node, the others follow; 0 for any")
	dir := flags.String("dir", "", "where JetStream keeps its files; a temporary folder without it")
	nodes := flags.Int("nodes", 1, "how many servers form a cluster")
	bucket := flags.String("bucket", "", "a bucket for locks to be made, with a replica on each node")
	sync := flags.Bool("sync", false, "write to the disk before acknowledging")
	log := flags.Bool("log", false, "let the servers log")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if *nodes != 1 && *nodes != 3 && *nodes != 5 {
		return fmt.Errorf("-nodes must be 1, 3 or 5, got %d", *nodes)
	}
	if *dir == "" {
		temporary, err := os.MkdirTemp("", "itest-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		*dir = temporary
	}
	routePorts, err := itest.Ports(*nodes)
	if err != nil {
		return err
	}
	var urls []string
	for i := range *nodes {
		o := itest.Options{Dir: filepath.Join(*dir, fmt.Sprint(i)), SyncAlways: *sync, Log: *log}
		if *port != 0 {
			o.Port = *port + i
		}
		if *nodes > 1 {
			o.Name = fmt.Sprintf("node-%d", i)
			o.RoutePort = routePorts[i]
			for _, p := range routePorts {
				o.Routes = append(o.Routes, fmt.Sprintf("nats://127.0.0.1:%d", p))
			}
		}
		s, err := itest.Start(o)
		if err != nil {
			return err
		}
		defer s.Stop()
		urls = append(urls, s.URL())
	}
	if *bucket != "" {
		if err := makeBucket(ctx, urls, *bucket, *nodes); err != nil {
			return err
		}
	}
	for _, u := range urls {
		fmt.Fprintln(out, u)
	}
	<-ctx.Done()
	return nil
}

// makeBucket makes the bucket for locks.
func makeBucket(ctx context.Context, urls []string, bucket string, nodes int) error {
	conn, js, err := itest.Connect(urls...)
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	config := natslock.Config(bucket)
	config.Replicas = nodes
	return itest.Bucket(ctx, js, config)
}
