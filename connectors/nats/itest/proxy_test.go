package itest_test

import (
	"bytes"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// proxy stands between clients and a server, and can cut the connection right after a
// request has gone through, so that its answer is lost; or right before.
type proxy struct {
	listener net.Listener
	target   string
	done     sync.WaitGroup

	mu    sync.Mutex
	armed []byte            // the request that is waited for, nil for none; guarded by mu
	after bool              // the server gets the request; guarded by mu
	cut   chan struct{}     // closed when it has come and the connection is cut; guarded by mu
	conns map[net.Conn]bool // guarded by mu, nil when the proxy is closed
}

func newProxy(t testing.TB, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{listener: l, target: target, conns: map[net.Conn]bool{}}
	p.done.Go(p.serve)
	t.Cleanup(p.close)
	return p
}

func (p *proxy) url() string { return "nats://" + p.listener.Addr().String() }

// arm cuts the connection at the next request that contains text: after the server has
// answered it, or before it has got it. The channel is closed then.
func (p *proxy) arm(text string, after bool) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed, p.after, p.cut = []byte(text), after, make(chan struct{})
	return p.cut
}

// disarm lets everything pass again.
func (p *proxy) disarm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed = nil
}

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			client.Close()
			continue
		}
		p.mu.Lock()
		open := p.conns != nil
		if open {
			p.conns[client], p.conns[server] = true, true
		}
		p.mu.Unlock()
		if !open {
			client.Close()
			server.Close()
			return
		}
		p.connect(client, server)
	}
}

// connect passes on what comes, in both directions.
func (p *proxy) connect(client, server net.Conn) {
	end := func() {
		client.Close()
		server.Close()
		p.mu.Lock()
		delete(p.conns, client)
		delete(p.conns, server)
		p.mu.Unlock()
	}
	// While the server answers a request whose answer is to be lost, nothing of what it
	// says goes on: a cut is in the middle.
	var losing sync.Mutex
	lost := false // guarded by losing
	p.done.Go(func() {
		defer end()
		buffer := make([]byte, 64<<10)
		for {
			n, err := client.Read(buffer)
			if err != nil {
				return
			}
			hit, after, cut := p.hit(buffer[:n])
			if !hit {
				if _, err := server.Write(buffer[:n]); err != nil {
					return
				}
				continue
			}
			if after {
				losing.Lock()
				lost = true
				losing.Unlock()
				_, _ = server.Write(buffer[:n])
			}
			close(cut)
			if !after {
				return
			}
			// The other direction ends the connection when the server has answered.
			_, _ = io.Copy(io.Discard, client)
			return
		}
	})
	p.done.Go(func() {
		defer end()
		buffer := make([]byte, 64<<10)
		for {
			n, err := server.Read(buffer)
			if err != nil {
				return
			}
			losing.Lock()
			ended := lost
			losing.Unlock()
			if ended {
				if bytes.Contains(buffer[:n], []byte(`"seq":`)) || bytes.Contains(buffer[:n], []byte(`"error"`)) {
					return
				}
				continue
			}
			if _, err := client.Write(buffer[:n]); err != nil {
				return
			}
		}
	})
}

// hit reports whether the connection is to be cut at what a client has sent.
func (p *proxy) hit(sent []byte) (hit, after bool, cut chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.armed == nil || !bytes.Contains(sent, p.armed) {
		return false, false, nil
	}
	p.armed = nil
	return true, p.after, p.cut
}

func (p *proxy) close() {
	p.listener.Close()
	p.mu.Lock()
	for c := range p.conns {
		c.Close()
	}
	p.conns = nil
	p.mu.Unlock()
	p.done.Wait()
}
