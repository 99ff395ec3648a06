package bytestream_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for input, want := range map[string][]string{
		"":                         {},
		"a":                        {"a"},
		"a\n":                      {"a"},
		"a\nb":                     {"a", "b"},
		"a\r\nb\r\n":               {"a", "b"},
		"\n\n":                     {"", ""},
		"\r\n":                     {""},
		"a\r":                      {"a"},
		"a\rb\n":                   {"a\rb"},
		"ä\xff\n":                  {"ä\xff"},
		long + "\n" + long + "\nb": {long, long, "b"},
	} {
		for name, reader := range map[string]func(io.Reader) io.Reader{
			"whole":         func(r io.Reader) io.Reader { return r },
			"one byte":      iotest.OneByteReader,
			"half":          iotest.HalfReader,
			"data with EOF": iotest.DataErrReader,
		} {
			src := &tracked{Reader: reader(strings.NewReader(input))}
			got, err := bytestream.Lines(src.open).Collect(t.Context())
			require.NoError(t, err)
			assert.ElementsMatch(t, want, got, "%.20q %s", input, name)
			src.check(t)
		}
	}
}

func TestLinesAboveTheLimit(t *testing.T) {
	for _, c := range []struct {
		input string
		limit int
		lines int
		err   string
	}{
		{"abc\nabc", 3, 2, ""},
		{"abc\r\nabc\r\n", 3, 2, ""},
		{"abc\r", 3, 1, ""},
		{"abc\nabcd", 3, 1, "line 2, at byte 4: more than 3 bytes"},
		{"abcd\n", 3, 0, "line 1, at byte 0: more than 3 bytes"},
		{"a\nabc\rd", 3, 1, "line 2, at byte 2: more than 3 bytes"},
		{strings.Repeat("x", 1<<20) + "\n", 1 << 20, 1, ""},
		{strings.Repeat("x", 1<<20+1), 1 << 20, 0, "line 1, at byte 0: more than 1048576 bytes"},
		{"ok\n" + strings.Repeat("x", 200_000), 100_000, 1, "line 2, at byte 3: more than 100000 bytes"},
	} {
		src := text(c.input)
		s := reactortest.Subscribe(t, bytestream.Lines(src.open, bytestream.MaxLine(c.limit)))
		s.ExpectNextCount(c.lines)
		if c.err == "" {
			s.ExpectComplete()
		} else {
			err := s.ExpectError()
			assert.ErrorIs(t, err, bytestream.ErrTooLong)
			assert.EqualError(t, err, "reactor: bytestream.lines: too long: "+c.err)
		}
		src.check(t)
	}
	// An endless line is not collected.
	line := &tracked{Reader: endless{}}
	_, err := bytestream.Lines(line.open).Collect(t.Context())
	assert.ErrorIs(t, err, bytestream.ErrTooLong)
	assert.Less(t, line.reads.Load(), int32(100))
}

// endless is a text without an end, and without ends of lines.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestLinesValidUTF8(t *testing.T) {
	s := reactortest.Subscribe(t, bytestream.Lines(from("ä€\uFFFD\nab\xffc\n"), bytestream.ValidUTF8()))
	s.ExpectNext("ä€\uFFFD")
	err := s.ExpectError()
	assert.ErrorIs(t, err, bytestream.ErrMalformed)
	assert.EqualError(t, err, "reactor: bytestream.lines: malformed: line 2, at byte 11: invalid UTF-8")
}

func TestReaderThatFails(t *testing.T) {
	for _, c := range []struct {
		src   *tracked
		lines []string
		err   string
	}{
		{then("a\nb\nrest", errBoom), []string{"a", "b"}, "read failed: line 3, at byte 8: boom"},
		{then("a\n", io.ErrUnexpectedEOF), []string{"a"}, "read failed: line 2, at byte 2: unexpected EOF"},
		{&tracked{Reader: lying(-7)}, nil, "read failed: line 1, at byte 0: *bytestream_test.tracked returned -7 bytes for a buffer of 16384"},
		{&tracked{Reader: lying(1 << 20)}, nil, "read failed: line 1, at byte 0: *bytestream_test.tracked returned 1048576 bytes for a buffer of 16384"},
		{&tracked{Reader: lying(0)}, nil, "read failed: line 1, at byte 0: multiple Read calls return no data or error"},
	} {
		s := reactortest.Subscribe(t, bytestream.Lines(c.src.open))
		s.ExpectNext(c.lines...)
		err := s.ExpectError()
		assert.ErrorIs(t, err, bytestream.ErrRead)
		assert.EqualError(t, err, "reactor: bytestream.lines: "+c.err)
		c.src.check(t)
	}
}

func TestOpenAndClose(t *testing.T) {
	lines := func(open bytestream.Opener) error {
		_, err := bytestream.Lines(open).Collect(t.Context())
		return err
	}
	assert.ErrorIs(t, lines(func(context.Context) (io.ReadCloser, error) { return nil, errBoom }), errBoom)
	assert.EqualError(t, lines(func(context.Context) (io.ReadCloser, error) { return nil, nil }),
		"reactor: bytestream.lines: illegal state: the function that opens returned no reader and no error")
	assert.ErrorContains(t, lines(func(context.Context) (io.ReadCloser, error) { panic(errBoom) }), "reactor: bytestream.lines: panic: boom")
	assert.ErrorIs(t, lines(bytestream.File(filepath.Join(t.TempDir(), "none"))), os.ErrNotExist)

	src := text("a\nb")
	src.closeErr = errBoom
	assert.EqualError(t, lines(src.open), "reactor: bytestream.lines: close failed: at byte 3: boom")
	src.check(t)

	src = then("a\nb", io.ErrUnexpectedEOF)
	src.closeErr = errBoom
	err := lines(src.open)
	assert.ErrorIs(t, err, bytestream.ErrRead)
	assert.ErrorIs(t, err, bytestream.ErrClose)
	src.check(t)

	src = text("a\nb")
	src.onClose = func() { panic(errBoom) }
	assert.ErrorIs(t, lines(src.open), errBoom)
}

func TestFromServesOneSubscriber(t *testing.T) {
	open := from("a\n")
	_, err := bytestream.Lines(open).Collect(t.Context())
	require.NoError(t, err)
	_, err = bytestream.Lines(open).Collect(t.Context())
	assert.ErrorIs(t, err, reactor.ErrIllegalState)
	assert.EqualError(t, err, "reactor: bytestream.from: illegal state: the *strings.Reader can be read by one subscriber only")
}

func TestReadsOnlyOnDemand(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		src := &tracked{Reader: strings.NewReader(strings.Repeat(strings.Repeat("x", 1023)+"\n", 1000))}
		s := reactortest.Subscribe(t, bytestream.Lines(src.open), reactortest.InitialRequest(0))
		s.ExpectNothing()
		assert.Zero(t, src.reads.Load())
		for range 16 { // one buffer
			s.Request(1)
			s.ExpectNextCount(1)
		}
		assert.EqualValues(t, 1, src.reads.Load())
		s.Request(1)
		s.ExpectNextCount(1)
		assert.EqualValues(t, 2, src.reads.Load())
		s.Cancel()
		synctest.Wait()
		src.check(t)
	})
}

// Closing frees a Read of a pipe.
func TestCancelWhileBlockedInAPipe(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		r, w := io.Pipe()
		src := &tracked{Reader: r, onClose: func() { r.Close() }}
		s := reactortest.Subscribe(t, bytestream.Lines(src.open))
		_, err := w.Write([]byte("a\nb"))
		require.NoError(t, err)
		s.ExpectNext("a")
		synctest.Wait()
		s.Cancel()
		synctest.Wait()
		src.check(t)
		assert.True(t, src.closedDuringRead.Load())
		assert.Zero(t, schedulers.BoundedElastic().Stats().Busy)
		assert.Zero(t, bytestream.AbandonedReads())
	})
}

func TestCancelWhileBlockedInAPipeOfTheSystem(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer w.Close()
	pool, err := schedulers.NewBoundedElastic(1, 10, "pipe")
	require.NoError(t, err)
	s := reactortest.Subscribe(t, bytestream.Lines(bytestream.From(r), bytestream.On(pool)))
	_, err = w.WriteString("a\n")
	require.NoError(t, err)
	s.ExpectNext("a")
	s.Cancel()
	require.NoError(t, pool.DisposeGracefully(t.Context()), "the goroutine ends")
	_, err = r.Read(make([]byte, 1))
	assert.ErrorIs(t, err, os.ErrClosed)
}

// Where closing frees nothing, the Read is counted until it returns.
func TestAbandonedReads(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		r, w := io.Pipe()
		src := &tracked{Reader: r}
		s := reactortest.Subscribe(t, bytestream.Lines(src.open))
		synctest.Wait()
		s.Cancel()
		synctest.Wait()
		src.check(t)
		assert.EqualValues(t, 1, bytestream.AbandonedReads())
		w.Close()
		synctest.Wait()
		assert.Zero(t, bytestream.AbandonedReads())
		assert.Zero(t, schedulers.BoundedElastic().Stats().Busy)
	})
}

// One that panics when it has been abandoned is over, too.
func TestAbandonedReadThatPanics(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		r, w := io.Pipe()
		src := &tracked{Reader: readFunc(func(p []byte) (int, error) { _, _ = r.Read(p); panic("boom") })}
		s := reactortest.Subscribe(t, bytestream.Chunks(src.open, 1))
		synctest.Wait()
		s.Cancel()
		synctest.Wait()
		assert.EqualValues(t, 1, bytestream.AbandonedReads())
		w.Close()
		synctest.Wait()
		assert.Zero(t, bytestream.AbandonedReads())
		src.check(t)
	})
}

// A stream that is cancelled between two Reads of one record, and reads on, is counted once and not
// for ever.
func TestAbandonedBetweenReads(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		var s *reactortest.TestSubscriber[[]byte]
		during := int64(-1)
		src := text("ab\n")
		s = reactortest.Subscribe(t, bytestream.Records(src.open, func(data []byte, end bool) (int, []byte, error) {
			s.Cancel()
			if during < 0 {
				during = bytestream.AbandonedReads()
			}
			return 0, nil, nil // more
		}), reactortest.InitialRequest(0))
		s.Request(1)
		synctest.Wait()
		assert.EqualValues(t, 1, during)
		assert.Zero(t, bytestream.AbandonedReads())
		src.check(t)
	})
}

func TestCloseAfterRead(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		r, w := io.Pipe()
		src := &tracked{Reader: r}
		s := reactortest.Subscribe(t, bytestream.Lines(src.open, bytestream.CloseAfterRead()))
		synctest.Wait()
		s.Cancel()
		synctest.Wait()
		assert.Zero(t, src.closed.Load())
		w.Close()
		synctest.Wait()
		src.check(t)
		assert.False(t, src.closedDuringRead.Load())
	})
}

func TestLinesMillion(t *testing.T) {
	n := racetest.Steps(1_000_000)
	src := &tracked{Reader: &numbers{last: n}}
	next := 0
	err := bytestream.Lines(src.open).ForEach(t.Context(), func(line string) {
		next++
		if want := fmt.Sprint("line ", next); line != want {
			t.Errorf("got %q, want %q", line, want)
		}
	})
	require.NoError(t, err)
	assert.Equal(t, n, next)
	src.check(t)
}

// numbers is a text of numbered lines.
type numbers struct {
	next, last int
	rest       []byte
}

func (n *numbers) Read(p []byte) (int, error) {
	k := 0
	for k < len(p) {
		if len(n.rest) == 0 {
			if n.next == n.last {
				break
			}
			n.next++
			n.rest = fmt.Appendf(n.rest[:0], "line %d\n", n.next)
		}
		c := copy(p[k:], n.rest)
		n.rest = n.rest[c:]
		k += c
	}
	if k == 0 {
		return 0, io.EOF
	}
	return k, nil
}

// A thousand streams that end at random: what was opened is closed, once.
func TestRandomEnds(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		var opened, closed atomic.Int32
		pool, err := schedulers.NewBoundedElastic(8, 10_000, "ends")
		require.NoError(t, err)
		for i := range 1000 {
			r, w := io.Pipe()
			src := &tracked{Reader: r, onClose: func() { closed.Add(1); r.Close() }}
			open := func(ctx context.Context) (io.ReadCloser, error) {
				opened.Add(1)
				return src.open(ctx)
			}
			ctx, cancel := context.WithCancel(t.Context())
			s := reactortest.NewTestSubscriber[string](t, reactortest.InitialRequest(int64(random.IntN(4))))
			bytestream.Lines(open, bytestream.On(pool)).Subscribe(ctx, s)
			switch i % 5 {
			case 0:
				go s.Cancel()
			case 1:
				cancel()
			case 2:
				go w.CloseWithError(errBoom)
			case 3:
				go func() { _, _ = w.Write([]byte("a\nb\nc\n")); w.Close() }()
			case 4:
				go func() { _, _ = w.Write([]byte("a\nb\nc\n")) }()
			}
			s.Request(1)
			go func() {
				s.Cancel()
				cancel()
				w.Close()
			}()
		}
		require.NoError(t, pool.DisposeGracefully(t.Context()))
		synctest.Wait() // for who cancels, or watches a context, and closes
		assert.Equal(t, opened.Load(), closed.Load())
		assert.Zero(t, bytestream.AbandonedReads())
	})
}

func TestArguments(t *testing.T) {
	open := from("")
	//reactorvet:ignore they panic when they are put together
	for want, fn := range map[string]func(){
		"reactor: bytestream.lines: the function that opens is nil":                                   func() { bytestream.Lines(nil) },
		"reactor: bytestream.lines: longest line must be positive, got -1":                            func() { bytestream.Lines(open, bytestream.MaxLine(-1)) },
		"reactor: bytestream.jsonLines: longest line must be positive, got 0":                         func() { bytestream.JSONLines[int](open, bytestream.MaxLine(0)) },
		"reactor: bytestream.chunks: size must be positive, got -5":                                   func() { bytestream.Chunks(open, -5) },
		"reactor: bytestream.records: the function that splits is nil":                                func() { bytestream.Records(open, nil) },
		"reactor: bytestream.newReader: the context is nil":                                           func() { bytestream.NewReader(context.Context(nil), operators.Empty[[]byte]()) },
		"reactor: bytestream.from: the reader is nil":                                                 func() { bytestream.From(nil) },
		"reactor: bytestream.to: the writer is nil":                                                   func() { bytestream.To(nil) },
		"reactor: bytestream.on: the scheduler is nil":                                                func() { bytestream.On(nil) },
		"reactor: bytestream.csv: longest record must be positive, got 0":                             func() { bytestream.CSV(open, bytestream.MaxRecord(0)) },
		`reactor: bytestream.csv: fields can't be separated by '"' where comments begin with '\x00'`:  func() { bytestream.CSV(open, bytestream.Comma('"')) },
		`reactor: bytestream.csv: fields can't be separated by '\n' where comments begin with '\x00'`: func() { bytestream.CSV(open, bytestream.Comma('\n')) },
		`reactor: bytestream.csv: fields can't be separated by ',' where comments begin with '\r'`:    func() { bytestream.CSV(open, bytestream.Comment('\r')) },
		`reactor: bytestream.csv: fields can't be separated by ';' where comments begin with ';'`:     func() { bytestream.CSV(open, bytestream.Comma(';'), bytestream.Comment(';')) },
		"reactor: bytestream.write: the publisher is nil":                                             func() { bytestream.Write(nil, bytestream.To(io.Discard)) },
		"reactor: bytestream.newReader: the publisher is nil":                                         func() { bytestream.NewReader(t.Context(), nil) },
		"reactor: bytestream.newReader: prefetch must be positive, got 0": func() {
			bytestream.NewReader(t.Context(), bytestream.Chunks(open, 1), bytestream.Prefetch(0))
		},
	} {
		assert.PanicsWithValue(t, want, fn)
	}
}

// Under virtual time what opens has no goroutine of its own, which a test that moves the time would not wait for.
func TestLinesUnderVirtualTime(t *testing.T) {
	clock := reactortest.UseVirtualTime(t)
	for range 20 {
		var opened time.Time
		src := flux.Interval(time.Hour).Take(2).ConcatMap(func(int64) flux.Flux[string] {
			return bytestream.Lines(func(context.Context) (io.ReadCloser, error) {
				opened = clock.Now()
				return io.NopCloser(strings.NewReader("a\nb")), nil
			})
		})
		var got []string
		src.SubscribeFunc(t.Context(), func(line string) { got = append(got, line) })
		clock.AdvanceBy(time.Hour)
		assert.Equal(t, []string{"a", "b"}, got)
		assert.Equal(t, clock.Now(), opened)
		clock.AdvanceBy(time.Hour)
		assert.Len(t, got, 4)
	}
}
