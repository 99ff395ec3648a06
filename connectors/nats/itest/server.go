// Package itest starts NATS servers with JetStream in the process that calls it, on
// loopback, for tests and demonstrations. It is a module of its own, so that a user of
// natslock does not get a server into the go.mod.
package itest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Options say how a server is started.
type Options struct {
	Port       int    // 0 for any that is free; a restart takes the same one
	Dir        string // where JetStream keeps its files; required
	SyncAlways bool   // write to the disk before acknowledging
	// NoJetStream starts a server without JetStream; Domain is the name of its
	// JetStream domain.
	NoJetStream bool
	Domain      string

	// Name, Routes and RoutePort make the server a part of the cluster that the
	// routes lead to.
	Name      string
	Routes    []string
	RoutePort int

	// LeafPort is the port to which leaf nodes connect. Hub is the address of such a
	// port; with it the server is a leaf node.
	LeafPort int
	Hub      string

	// Log lets the server log to its standard error.
	Log bool
}

// Server is a server that can be stopped and started again. Its methods may be called
// from several goroutines.
type Server struct {
	options Options

	mu      sync.Mutex
	running *server.Server // guarded by mu, nil while it is stopped
}

// readyTimeout is how long a server may take to accept connections.
const readyTimeout = 20 * time.Second

// Start starts a server and waits until it accepts connections.
func Start(o Options) (*Server, error) {
	if o.Dir == "" {
		return nil, errors.New("itest: Options.Dir is empty")
	}
	if o.Port == 0 {
		port, err := Ports(1)
		if err != nil {
			return nil, err
		}
		o.Port = port[0]
	}
	s := &Server{options: o}
	return s, s.Restart()
}

// Restart starts the server again, on the same port and with the same files. It does
// nothing if the server runs.
func (s *Server) Restart() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		return nil
	}
	o := &server.Options{
		ServerName: s.options.Name,
		Host:       "127.0.0.1",
		Port:       s.options.Port,
		JetStream:  !s.options.NoJetStream,
		StoreDir:   s.options.Dir,
		SyncAlways: s.options.SyncAlways,
		NoSigs:     true,
		NoLog:      !s.options.Log,
	}
	if s.options.Domain != "" {
		o.JetStreamDomain = s.options.Domain
	}
	if s.options.RoutePort != 0 {
		o.Cluster = server.ClusterOpts{Name: "itest", Host: "127.0.0.1", Port: s.options.RoutePort, PoolSize: -1}
		for _, r := range s.options.Routes {
			u, err := url.Parse(r)
			if err != nil {
				return fmt.Errorf("itest: route %q: %w", r, err)
			}
			o.Routes = append(o.Routes, u)
		}
	}
	if s.options.LeafPort != 0 {
		o.LeafNode.Host, o.LeafNode.Port = "127.0.0.1", s.options.LeafPort
	}
	if s.options.Hub != "" {
		u, err := url.Parse(s.options.Hub)
		if err != nil {
			return fmt.Errorf("itest: hub %q: %w", s.options.Hub, err)
		}
		o.LeafNode.Remotes = []*server.RemoteLeafOpts{{URLs: []*url.URL{u}}}
	}
	running, err := server.NewServer(o)
	if err != nil {
		return fmt.Errorf("itest: %w", err)
	}
	if s.options.Log {
		running.ConfigureLogger()
	}
	running.Start()
	if !running.ReadyForConnections(readyTimeout) {
		running.Shutdown()
		return fmt.Errorf("itest: the server accepts no connections on port %d after %v", o.Port, readyTimeout)
	}
	s.running = running
	return nil
}

// URL returns the address for clients.
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("nats://127.0.0.1:%d", s.options.Port)
}

// Stop stops the server and waits until it has stopped. The files stay.
func (s *Server) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		return
	}
	s.running.Shutdown()
	s.running.WaitForShutdown()
	s.running = nil
}

// Connect returns a connection that suits a manager of locks: it reconnects for ever,
// and soon.
func Connect(urls ...string) (*nats.Conn, jetstream.JetStream, error) {
	conn, err := nats.Connect(strings.Join(urls, ","),
		nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond), nats.ReconnectJitter(20*time.Millisecond, 0),
		nats.RetryOnFailedConnect(false), nats.PingInterval(2*time.Second), nats.MaxPingsOutstanding(2),
		nats.Timeout(2*time.Second))
	if err != nil {
		return nil, nil, fmt.Errorf("itest: %w", err)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		conn.Close()
		return nil, nil, fmt.Errorf("itest: %w", err)
	}
	return conn, js, nil
}

// Bucket makes a bucket. It tries again for as long as ctx lives: a cluster needs a
// while until it can make one.
func Bucket(ctx context.Context, js jetstream.JetStream, config jetstream.KeyValueConfig) error {
	for {
		attempt, cancel := context.WithTimeout(ctx, 2*time.Second)
		_, err := js.CreateOrUpdateKeyValue(attempt, config)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
