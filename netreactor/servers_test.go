package netreactor_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/testkit/programs"
	"github.com/goreactor/reactor/netreactor"
)

// program is a server, what its handler does, what peers do to it, and how it ends, all at random. What must hold
// whatever happens is checked on books that everybody keeps: no message is lost unless somebody is told, what a report says is what has
// become of connections, and a peer can tell the end of all that was sent from any other.
type program struct {
	t    *testing.T
	id   uint64
	rand *rand.Rand

	variant  variant
	tls      *tls.Config
	business int
	limit    int
	marks    [2]int
	handler  behaviour
	after    int
	peers    []*caller
	ending   string
	quiet    bool // the end comes when all is answered
	yields   int  // else after so many

	foreign      bool // the listener is somebody else's
	unix         bool
	most         [2]int          // connections at a time, and of one client
	limits       []time.Duration // idle, read, write, paused, first message; 0 is none
	stays        time.Duration   // how long the end waits for them
	small        bool            // the kernel takes little to send: where it takes little of a peer that sends on, it loses what acknowledges answers, too
	cancelCloses bool
	selectors    int
	chunk        int

	bound  chan struct{}
	server *netreactor.Server // when bound is closed

	mu    sync.Mutex
	books map[string]*account // by the address of the peer
}

type stringConn = netreactor.Conn[string, string]

// caller is a peer.
type caller struct {
	conn     net.Conn
	key      string
	messages int
	size     int
	partial  bool   // half a message follows
	then     string // what it does when all is sent
	dials    bool   // it is a connection of this package
	lazy     bool   // it reads when the end of the server has begun

	received []string
	end      error // why it reads no more
	sent     int   // messages that it has written
	broken   error // why it wrote no more, which the system tells once: then it reads what looks like an end
}

// account is what is known of a connection.
type account struct {
	conn                                  *stringConn
	decoded, seen, encoded, discarded, ok atomic.Int64
}

// bookkeeping is the codec, which counts.
type bookkeeping struct {
	netreactor.Codec[string, string]
	p *program
}

func (b *bookkeeping) Decode(in *netreactor.Input) (string, bool, error) {
	msg, ok, err := b.Codec.Decode(in)
	if ok && b.p.handler.name == "malformed" && number(msg) >= b.p.after {
		return "", false, errBroken
	}
	if ok {
		b.p.account(msg).decoded.Add(1)
	}
	return msg, ok, err
}

func (b *bookkeeping) Encode(dst []byte, msg string) ([]byte, error) {
	if b.p.handler.name == "unencodable" && number(msg) >= b.p.after {
		return dst, errBroken
	}
	b.p.account(msg).encoded.Add(1)
	return b.Codec.Encode(dst, msg)
}

// number returns which of the messages of its peer msg is.
func number(msg string) int {
	n, _ := strconv.Atoi(strings.Split(msg, "/")[1])
	return n
}

// account returns that of who has sent msg.
func (p *program) account(msg string) *account {
	key, _, _ := strings.Cut(msg, "/")
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.books[key]
	if a == nil {
		a = &account{}
		p.books[key] = a
	}
	return a
}

// newProgram returns the id-th one.
func newProgram(t *testing.T, seed, id uint64, cert tls.Certificate) *program {
	r := rand.New(rand.NewPCG(seed, id))
	p := &program{t: t, id: id, rand: r, books: map[string]*account{}, bound: make(chan struct{})}
	p.variant = programs.Pick(r, variants()...)
	if strings.HasPrefix(p.variant.name, "net") && r.IntN(6) == 0 {
		p.tls = &tls.Config{Certificates: []tls.Certificate{cert}}
	}
	p.business = programs.Pick(r, 0, 0, 1, 2)
	p.limit = programs.Pick(r, 0, 0, 1, 3)
	p.marks = programs.Pick(r, [][2]int{{0, 0}, {0, 0}, {16, 64}, {1000, 2000}}...)
	p.handler = programs.Pick(r, behaviours...)
	p.unix = runtime.GOOS == "linux" && p.tls == nil && r.IntN(6) == 0
	p.foreign = !p.unix && p.tls == nil && strings.HasPrefix(p.variant.name, "net") && r.IntN(4) == 0
	p.cancelCloses = p.handler.name == "cancels" && r.IntN(2) == 0
	p.selectors = 1 + r.IntN(3)
	p.chunk = programs.Pick(r, 0, 0, 512, 1000)
	p.after = 1 + r.IntN(8)
	if r.IntN(8) == 0 {
		p.most = [2]int{r.IntN(3), r.IntN(3)}
	}
	p.limits = make([]time.Duration, 5)
	if r.IntN(8) == 0 {
		for range 1 + r.IntN(3) {
			p.limits[r.IntN(5)] = 1 + time.Duration(r.IntN(20_000))*time.Microsecond
		}
		p.stays = time.Duration(r.IntN(60)) * time.Millisecond
		if r.IntN(2) == 0 {
			p.handler = behaviours[slices.IndexFunc(behaviours, func(b behaviour) bool { return b.name == "asksNoMore" })]
		}
	}
	if p.handler.name == "some" {
		p.limit = 0 // it is for those who answer each message
	}
	p.small = r.IntN(6) == 0
	peers := 1 + r.IntN(4)
	if p.unix && !strings.HasPrefix(p.variant.name, "net") {
		peers = 1 // nobody tells them apart
	}
	for range peers {
		c := &caller{messages: r.IntN(20), size: 1 + r.IntN(20), partial: r.IntN(3) == 0, lazy: r.IntN(8) == 0}
		switch r.IntN(10) {
		case 0:
			c.size = 100_000
		case 1, 2:
			c.messages = r.IntN(500)
		}
		c.dials = !p.unix && r.IntN(4) == 0
		c.then = programs.Pick(r, "stays", "stays", "stays", "half-closes", "closes", "resets")
		p.peers = append(p.peers, c)
	}
	p.ending = programs.Pick(r, "shutdown", "shutdown", "patience", "patience", "close", "close", "context")
	if p.quiet = p.handler.answers && r.IntN(3) == 0; p.quiet {
		for _, c := range p.peers {
			c.then, c.lazy = "stays", false
		}
	}
	if !p.handler.finishes && p.ending == "shutdown" {
		p.ending = "patience" // nobody knows whether it ends
	}
	p.yields = r.IntN(3) * r.IntN(300)
	return p
}

func (p *program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "program %d: %s, tls %t, foreign %t, unix %t, business %d, limit %d, marks %v, most %v, limits %v, small %t, handler %s after %d, ending %s, stays %v, quiet %t, yields %d",
		p.id, p.variant.name, p.tls != nil, p.foreign, p.unix, p.business, p.limit, p.marks, p.most, p.limits, p.small, p.handler.name, p.after, p.ending, p.stays, p.quiet, p.yields)
	for _, c := range p.peers {
		fmt.Fprintf(&b, "\n  peer %s: %d messages of %d bytes, partial %t, lazy %t, dials %t, then %s; wrote %d, %v, received %d, end %v", c.key, c.messages, c.size, c.partial,
			c.lazy, c.dials, c.then, c.sent, c.broken, len(c.received), c.end)
		if a := p.books[c.key]; a != nil {
			fmt.Fprintf(&b, "; decoded %d, seen %d, encoded %d, discarded %d, accepted %d", a.decoded.Load(), a.seen.Load(), a.encoded.Load(),
				a.discarded.Load(), a.ok.Load())
			if a.conn != nil {
				st := a.conn.Stats()
				fmt.Fprintf(&b, "; in %d, out %d, bytes out %d, end %v", st.FramesIn, st.FramesOut, st.BytesOut, context.Cause(a.conn.Context()))
			}
		}
	}
	return b.String()
}

// peer returns who c is a connection of.
func (p *program) peer(c *stringConn) string {
	if p.unix && !strings.HasPrefix(p.variant.name, "net") {
		return p.loopback() + "-0" // a selector keeps no names
	}
	return c.RemoteAddr().String()
}

// loopback returns an address of this machine that few others have used lately: there are not enough ports for many servers.
func (p *program) loopback() string {
	if p.unix {
		return fmt.Sprintf("@reactor-%d-%d", os.Getpid(), p.id) // a name without a file
	}
	if runtime.GOOS != "linux" || p.tls != nil {
		return "127.0.0.1:0"
	}
	return fmt.Sprintf("127.%d.%d.%d:0", 1+p.rand.IntN(250), p.rand.IntN(250), 1+p.rand.IntN(250))
}

// run runs it and returns what is wrong.
func (p *program) run() (wrong []string) {
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	ctx := reactor.WithHooks(p.t.Context(), reactor.Hooks{
		Discard:      func(_ context.Context, v any) { p.account(v.(string)).discarded.Add(1) },
		NextDropped:  func(_ context.Context, v any) { p.account(v.(string)).discarded.Add(1) },
		ErrorDropped: func(context.Context, error) {},
	})
	opts := append([]netreactor.BindOption{
		netreactor.WithLogger(slog.New(slog.DiscardHandler)), netreactor.Business(p.business), netreactor.OutstandingLimit(p.limit),
		netreactor.MaxConns(p.most[0]), netreactor.MaxPerClient(p.most[1]), netreactor.Selectors(p.selectors),
		netreactor.IdleTimeout(p.limits[0]), netreactor.ReadTimeout(p.limits[1]), netreactor.WriteTimeout(p.limits[2]), netreactor.PausedTimeout(p.limits[3]),
		netreactor.FirstFrameTimeout(p.limits[4]), netreactor.ShutdownTimeout(time.Duration(p.yields) * time.Microsecond),
	}, p.variant.opts...)
	if p.unix {
		opts = append(opts, netreactor.Network("unix"))
	}
	if p.small {
		opts = append(opts, netreactor.SocketBuffers(0, 2048))
	}
	if p.marks[1] > 0 {
		opts = append(opts, netreactor.WaterMarks(p.marks[0], p.marks[1]))
	}
	if p.tls != nil {
		opts = append(opts, netreactor.WithTLS(p.tls))
	}
	if p.cancelCloses {
		opts = append(opts, netreactor.CancelCloses())
	}
	if p.chunk > 0 {
		opts = append(opts, netreactor.ReadChunk(p.chunk))
	}
	codec := &bookkeeping{netreactor.Strings(netreactor.LengthPrefixed()), p}
	handler := func(c *stringConn) reactor.Publisher[string] {
		a := p.account(p.peer(c))
		p.mu.Lock()
		a.conn = c
		p.mu.Unlock()
		return p.handler.make(p, c, c.Inbound().DoOnNext(func(string) { a.seen.Add(1) }))
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var server *netreactor.Server
	var err error
	if p.foreign {
		var listener net.Listener
		if listener, err = net.Listen("tcp", p.loopback()); err == nil {
			server, err = netreactor.BindListener(ctx, somebodyElses{listener}, codec, handler, opts...)
		}
	} else {
		server, err = netreactor.Bind(ctx, p.loopback(), codec, handler, opts...)
	}
	if err != nil {
		return []string{err.Error()}
	}
	p.server = server
	close(p.bound)
	defer server.Close()
	begun := make(chan struct{})
	var callers, answered sync.WaitGroup
	for _, c := range p.peers {
		if c.dials {
			if err := c.connect(p, begun, &callers, &answered); err != nil && !p.refuses() {
				fail("%v", err)
			}
			continue
		}
		if err := c.dial(p); err != nil {
			if !p.refuses() {
				fail("%v", err)
			}
			continue
		}
		p.account(c.key)
		answered.Add(1)
		callers.Go(func() { c.write(rand.New(rand.NewPCG(p.id, uint64(c.messages)))) })
		callers.Go(func() {
			if c.lazy {
				<-begun
			}
			all := sync.OnceFunc(answered.Done)
			defer all()
			c.read(all)
		})
	}
	if p.quiet {
		answered.Wait()
	}
	for range p.yields {
		runtime.Gosched()
	}
	time.Sleep(p.stays)
	report, err := p.end(server, begun, stop)
	callers.Wait()
	for _, c := range p.peers {
		if c.conn != nil {
			c.conn.Close()
		}
	}

	st := server.Stats()
	ended := uint64(0)
	for _, n := range st.Closed {
		ended += n
	}
	// A place may have been given to a connection as it ended, which gives it back.
	for end := time.Now().Add(2 * time.Second); netreactor.Places(server) != 0 && time.Now().Before(end); {
		time.Sleep(100 * time.Microsecond)
	}
	if n := netreactor.Reserved(server); n != 0 {
		fail("%d connections count after the end", n)
	}
	if n := netreactor.Places(server); n != 0 {
		fail("%d places of the limit are taken after the end", n)
	}
	if st.Connections != 0 || st.Unsent != 0 || st.Outstanding != 0 || st.Paused != 0 {
		fail("figures after the end: %+v", st.Totals)
	}
	if n := st.Acceptor.Accepted - st.Acceptor.RejectedClose; n != ended {
		fail("%d connections were accepted, %d have ended", n, ended)
	}
	if uint64(report.Cut) < st.Closed[netreactor.ReasonCut] {
		fail("reported as cut %d, by reason %d", report.Cut, st.Closed[netreactor.ReasonCut])
	}
	if p.ending != "close" && p.ending != "context" && p.handler.name != "ends" && (err != nil) != (report.Cut > 0) {
		fail("%d connections were cut, and the error is %v", report.Cut, err)
	}
	if drained := uint64(report.Drained); drained+uint64(report.Cut) < st.Closed[netreactor.ReasonShutdown]+st.Closed[netreactor.ReasonCut] || drained > ended-uint64(report.Cut) {
		fail("reported as drained %d, by reason %d, of %d", report.Drained, st.Closed[netreactor.ReasonShutdown], ended)
	}
	// A write by somebody else's connection may be about to return, and is not waited for.
	if (p.ending == "shutdown" || p.ending == "close" && p.quiet && p.handler.finishes && !p.foreign) && report.Cut > 0 {
		fail("%d connections were cut", report.Cut)
	}
	unanswered := int64(0)
	for _, c := range p.peers {
		unanswered += p.check(c, fail)
	}
	if unanswered != report.Unanswered {
		fail("reported as unanswered %d, counted %d", report.Unanswered, unanswered)
	}
	if wrong != nil {
		wrong = append(wrong, fmt.Sprintf("%v\n  report %+v, closed %v", p, report, st.Closed))
	}
	return wrong
}

// check looks at the books of a connection, and returns how many messages are unanswered because it was cut.
func (p *program) check(c *caller, fail func(string, ...any)) (unanswered int64) {
	wrong := func(format string, args ...any) { fail("peer "+c.key+": "+format, args...) }
	a := p.account(c.key)
	for i, m := range c.received {
		if p.handler.ordered && m != message(c.key, i, c.size) {
			wrong("answer %d is %.40q", i, m)
			break
		}
	}
	if a.conn == nil {
		if a.decoded.Load() > 0 {
			wrong("%d messages were decoded without a handler", a.decoded.Load())
		}
		if len(c.received) > 0 || c.key != "" && c.broken == nil && c.end == io.EOF && !p.unix && p.tls == nil {
			wrong("nobody has taken it, and it got %d messages, then %v", len(c.received), c.end)
		}
		return 0
	}
	st := a.conn.Stats()
	var why *netreactor.CloseError
	if !errors.As(context.Cause(a.conn.Context()), &why) {
		wrong("it has not ended: %v", context.Cause(a.conn.Context()))
		return 0
	}
	if st.FramesOut < uint64(len(c.received)) {
		wrong("%d messages were sent, and %d received", st.FramesOut, len(c.received))
	}
	if p.business == 0 && uint64(a.seen.Load()) != st.FramesIn {
		wrong("%d messages were delivered, the handler has seen %d", st.FramesIn, a.seen.Load())
	}
	expected := map[netreactor.Reason]bool{
		netreactor.ReasonShutdown: true, netreactor.ReasonCut: p.ending != "shutdown", netreactor.ReasonPeerClosed: c.then != "stays",
		netreactor.ReasonHandlerDone: p.handler.name == "take", netreactor.ReasonHandlerFailed: p.handler.name == "fails" || p.handler.name == "panics",
		netreactor.ReasonClosed: p.handler.name == "closes" || p.handler.name == "aborts", netreactor.ReasonTruncated: c.partial && c.then != "stays" ||
			p.foreign && c.then == "resets", // what is read ends where a write has heard of the reset, and nobody can be asked
		netreactor.ReasonPeerReset: c.then == "closes" || c.then == "resets",
	}
	switch p.handler.name {
	case "malformed":
		expected[netreactor.ReasonMalformed] = true
	case "unencodable":
		expected[netreactor.ReasonEncodeFailed] = true
	case "goexit":
		expected[netreactor.ReasonHandlerFailed] = true
	case "cancels":
		expected[netreactor.ReasonCancelled] = p.cancelCloses
	case "ends":
		expected[netreactor.ReasonCut] = true
	}
	if p.handler.name == "closeWrite" { // the peer hears of that, and closes
		expected[netreactor.ReasonPeerClosed], expected[netreactor.ReasonTruncated], expected[netreactor.ReasonPeerReset] = true, true, true
	}
	for i, reason := range []netreactor.Reason{
		netreactor.ReasonIdleTimeout, netreactor.ReasonReadTimeout, netreactor.ReasonWriteTimeout, netreactor.ReasonPausedTimeout, netreactor.ReasonFirstFrameTimeout,
	} {
		expected[reason] = p.limits[i] > 0
	}
	expected[netreactor.ReasonHandshakeFailed] = p.tls != nil && p.limits[4] > 0
	if !expected[why.Reason] {
		wrong("the reason is %v", why)
	}
	stays := c.then == "stays" || c.then == "half-closes"
	clean := why.Reason == netreactor.ReasonShutdown || why.Reason == netreactor.ReasonPeerClosed || why.Reason == netreactor.ReasonHandlerDone ||
		why.Reason == netreactor.ReasonHandlerFailed && why.Err == errBroken
	switch {
	case clean && stays && st.FramesOut != uint64(len(c.received)) && (p.ending == "shutdown" || c.broken == nil && c.end == io.EOF),
		clean && stays && p.ending == "shutdown" && c.end != io.EOF: // who has no patience does not wait until the peer sends no more
		wrong("it ended cleanly, after %d messages, and the peer has got %d, then %v", st.FramesOut, len(c.received), c.end)
	case why.Reason == netreactor.ReasonCut && stays && c.broken == nil && c.end == io.EOF && !p.unix:
		wrong("it was cut, and the peer takes that for an end")
	case why.Reason.Timeout() && stays && c.broken == nil && c.end == io.EOF && st.FramesOut != uint64(len(c.received)) && !p.unix:
		wrong("%v, after %d messages, and the peer takes that for an end after %d", why, st.FramesOut, len(c.received))
	}
	// What becomes of a message may be decided by who is still at work.
	accounted := func() bool {
		in := a.decoded.Load() == int64(st.FramesIn) || a.decoded.Load() == int64(st.FramesIn)+1 && a.discarded.Load() > 0 // by the last pass
		switch {
		case p.handler.name == "send":
			return in && uint64(a.ok.Load()) == st.FramesOut
		case !p.handler.answers:
			return in
		case p.handler.name == "flatMap" || p.handler.name == "concatMap":
			return in && int64(st.FramesOut)+a.discarded.Load() <= a.decoded.Load() // what an inner publisher has not sent is its own
		case clean && p.ending == "shutdown" && stays:
			return in && a.discarded.Load() == 0 && st.FramesOut == st.FramesIn
		}
		return in && int64(st.FramesOut)+a.discarded.Load() == a.decoded.Load()
	}
	for end := time.Now().Add(2 * time.Second); !accounted() && time.Now().Before(end); st = a.conn.Stats() {
		time.Sleep(100 * time.Microsecond)
	}
	if !accounted() {
		wrong("not all messages are accounted for")
	}
	if why.Reason == netreactor.ReasonCut {
		return max(0, int64(st.FramesIn-st.FramesOut))
	}
	return 0
}

// refuses reports whether the server may take less connections than there are peers.
func (p *program) refuses() bool {
	return p.handler.name == "ends" || p.most != [2]int{} || p.tls != nil && slices.Max(p.limits) > 0
}

// end ends the server.
func (p *program) end(server *netreactor.Server, begun chan struct{}, stop func()) (netreactor.ShutdownReport, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var all sync.WaitGroup
	defer all.Wait()
	switch p.ending {
	case "close":
		server.Close()
	case "context":
		stop()
	case "patience":
		all.Go(func() {
			for range p.yields {
				runtime.Gosched()
			}
			cancel()
		})
	}
	close(begun)
	late := time.AfterFunc(patience, func() {
		b := make([]byte, 1<<20)
		panic(fmt.Sprintf("it does not stop: %v, %+v\n%s", p, server.Stats(), b[:runtime.Stack(b, true)]))
	})
	defer late.Stop()
	return server.Shutdown(ctx)
}

// somebodyElses is a listener whose connections are nothing but net.Conn.
type somebodyElses struct{ net.Listener }

func (l somebodyElses) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return somebodyElsesConn{conn}, nil
}

type somebodyElsesConn struct{ net.Conn }

func (c somebodyElsesConn) CloseWrite() error { return c.Conn.(*net.TCPConn).CloseWrite() }

func (c somebodyElsesConn) SetLinger(sec int) error { return c.Conn.(*net.TCPConn).SetLinger(sec) }

// connect lets a connection of this package do what dial, write and read do.
func (c *caller) connect(p *program, begun chan struct{}, callers, answered *sync.WaitGroup) error {
	opts := []netreactor.DialOption{netreactor.WithLogger(slog.New(slog.DiscardHandler))}
	if p.tls != nil {
		opts = append(opts, netreactor.WithTLS(&tls.Config{InsecureSkipVerify: true}))
	}
	conn, err := netreactor.Dial(context.Background(), p.server.Addr().String(), netreactor.Strings(netreactor.LengthPrefixed()), opts...)
	if err != nil {
		return err
	}
	c.key = conn.LocalAddr().String()
	p.account(c.key)
	answered.Add(1)
	callers.Go(func() {
		all := sync.OnceFunc(answered.Done)
		defer all()
		if c.messages == 0 {
			all()
		}
		if c.lazy {
			<-begun
		}
		ended := make(chan error, 1)
		conn.Inbound().SubscribeFunc(context.Background(), func(m string) {
			if c.received = append(c.received, m); len(c.received) == c.messages {
				all()
			}
		}, flux.OnError(func(err error) { ended <- err }), flux.OnComplete(func() { ended <- io.EOF }))
		c.end = <-ended
		conn.Close()
		<-conn.Context().Done()
	})
	c.partial = false
	return conn.SendAll(flux.Range(0, c.messages).Map(func(n int) string { return message(c.key, n, c.size) }).DoOnComplete(func() {
		c.sent = c.messages
		switch c.then {
		case "half-closes":
			conn.CloseWrite()
		case "closes":
			conn.Close()
		case "resets":
			conn.Abort()
		}
	}))
}

func (c *caller) dial(p *program) error {
	var d net.Dialer
	if p.unix { // who has no name can't be told from others
		d.LocalAddr = &net.UnixAddr{Net: "unix", Name: fmt.Sprintf("%s-%d", p.server.Addr(), slices.Index(p.peers, c))}
	}
	conn, err := d.Dial(p.server.Addr().Network(), p.server.Addr().String())
	if err != nil {
		return err
	}
	conn.SetDeadline(time.Now().Add(patience))
	c.key = conn.LocalAddr().String()
	if c.conn = conn; p.tls != nil {
		c.conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
	}
	return nil
}

// message returns the n-th message of a peer.
func message(key string, n, size int) string {
	m := key + "/" + strconv.Itoa(n) + "/"
	return m + strings.Repeat("x", max(0, size-len(m)))
}

// write sends what there is to send, in pieces, and what it does then.
func (c *caller) write(r *rand.Rand) {
	for n := range c.messages {
		b := framed(message(c.key, n, c.size))
		for len(b) > 0 {
			k := len(b)
			if r.IntN(4) == 0 {
				k = 1 + r.IntN(k)
			}
			if _, c.broken = c.conn.Write(b[:k]); c.broken != nil {
				return
			}
			if b = b[k:]; r.IntN(3) == 0 {
				runtime.Gosched()
			}
		}
		c.sent++
	}
	if c.partial {
		b := framed("half of one")
		_, c.broken = c.conn.Write(b[:1+r.IntN(len(b)-1)])
	}
	switch c.then {
	case "half-closes":
		c.conn.(interface{ CloseWrite() error }).CloseWrite()
	case "closes":
		c.conn.Close()
	case "resets":
		if conn, ok := c.conn.(*net.TCPConn); ok {
			conn.SetLinger(0)
		}
		c.conn.Close()
	}
}

// read receives what comes, and calls all when as much has come as was sent.
func (c *caller) read(all func()) {
	if c.messages == 0 {
		all()
	}
	r := bufioReader(c.conn)
	p := &peer{r: r}
	for {
		m, err := p.next()
		if err != nil {
			c.end = err
			c.conn.Close() // its socket lingers until then
			return
		}
		if c.received = append(c.received, m); len(c.received) == c.messages {
			all()
		}
	}
}

// TestServers runs random programs: REACTOR_SERVERS says how many, REACTOR_SERVERS_NUMBER which one of REACTOR_SERVERS_SEED.
func TestServers(t *testing.T) {
	cert, _ := certificate(t)
	programs.Run(t, "REACTOR_SERVERS", 200, func(seed, id uint64) []string { return newProgram(t, seed, id, cert).run() })
}
