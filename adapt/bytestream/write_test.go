package bytestream_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// target is a writer that counts.
type target struct {
	io.Writer
	opened, closed int // of the worker, or a test that waits for it
	closeErr       error
}

func (w *target) open(context.Context) (io.WriteCloser, error) { w.opened++; return w, nil }
func (w *target) Close() error                                 { w.closed++; return w.closeErr }

func texts(parts ...string) flux.Flux[[]byte] {
	return flux.FromSlice(parts).Map(func(s string) []byte { return []byte(s) })
}

func TestWrite(t *testing.T) {
	var out bytes.Buffer
	w := &target{Writer: &out}
	n, err := bytestream.Write(texts("ab", "", "cde"), w.open).Block(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, 5, n)
	assert.Equal(t, "abcde", out.String())
	assert.Equal(t, 1, w.closed)

	n, err = bytestream.Write(texts(), w.open).Block(t.Context())
	require.NoError(t, err)
	assert.Zero(t, n)
	assert.Equal(t, 2, w.closed)
}

func TestWriteToAFileAndBack(t *testing.T) {
	name := filepath.Join(t.TempDir(), "copy")
	const text = "one\ntwo\nthree\n"
	_, err := bytestream.Write(bytestream.Chunks(from(text), 4), bytestream.NewFile(name), bytestream.Prefetch(3)).Block(t.Context())
	require.NoError(t, err)
	lines, err := bytestream.Lines(bytestream.File(name)).Collect(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"one", "two", "three"}, lines)
}

type writeFunc func([]byte) (int, error)

func (f writeFunc) Write(p []byte) (int, error) { return f(p) }

func TestWriteFails(t *testing.T) {
	for _, c := range []struct {
		write writeFunc
		src   flux.Flux[[]byte]
		close error
		want  string
	}{
		{func(p []byte) (int, error) { return 1, errBoom }, texts("ab"), nil, "reactor: bytestream.write: write failed: at byte 1: boom"},
		{func(p []byte) (int, error) { return 1, nil }, texts("ab"), nil, "reactor: bytestream.write: write failed: at byte 1: short write"},
		{func(p []byte) (int, error) { return -1, nil }, texts("ab"), nil, "reactor: bytestream.write: write failed: at byte 0: *bytestream_test.target wrote -1 of 2 bytes"},
		{func(p []byte) (int, error) { return len(p), nil }, texts("ab"), errBoom, "reactor: bytestream.write: close failed: after 2 bytes: boom"},
		{func(p []byte) (int, error) { return len(p), nil }, texts("ab").ConcatWith(flux.Error[[]byte](errBoom)), nil, "boom"},
		{func(p []byte) (int, error) { panic(errBoom) }, texts("ab"), nil, "reactor: bytestream.write: panic: boom"},
	} {
		w := &target{Writer: c.write, closeErr: c.close}
		_, err := bytestream.Write(c.src, w.open).Block(t.Context())
		assert.ErrorIs(t, err, cmpErr(c.want, errBoom, err))
		assert.EqualError(t, err, c.want)
		assert.Equal(t, 1, w.closed, c.want)
	}
	_, err := bytestream.Write(texts("a"), func(context.Context) (io.WriteCloser, error) { return nil, errBoom }).Block(t.Context())
	assert.ErrorIs(t, err, errBoom)
	_, err = bytestream.Write(texts("a"), func(context.Context) (io.WriteCloser, error) { return nil, nil }).Block(t.Context())
	assert.ErrorContains(t, err, "returned no writer and no error")
}

// cmpErr is boom if the text ends in it, else whatever it was.
func cmpErr(text string, boom, err error) error {
	if strings.HasSuffix(text, "boom") {
		return boom
	}
	return err
}

func TestWriteHoldsTheSourceUp(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		r, w := io.Pipe()
		src := reactortest.NewTestPublisher[[]byte](t)
		s := reactortest.Subscribe(t, bytestream.Write(src, bytestream.To(w)))
		synctest.Wait()
		src.AssertRequested(1)
		src.Next([]byte("ab"))
		synctest.Wait()
		src.AssertRequested(2) // one ahead of the one that is being written
		src.Next([]byte("cd"))
		synctest.Wait()
		src.AssertRequested(2)
		buf := make([]byte, 2)
		_, err := io.ReadFull(r, buf)
		require.NoError(t, err)
		synctest.Wait()
		src.AssertRequested(3)
		s.Cancel()
		synctest.Wait()
		src.AssertCancelled(1)
		_, err = r.Read(buf)
		assert.Equal(t, io.EOF, err, "closed")
		assert.Zero(t, schedulers.BoundedElastic().Stats().Busy)
	})
}

func TestWriteWithALargePrefetch(t *testing.T) {
	var out bytes.Buffer
	n, err := bytestream.Write(flux.Just([]byte("ab"), []byte("c")), bytestream.To(&out), bytestream.Prefetch(math.MaxInt)).Block(t.Context())
	assert.NoError(t, err)
	assert.Equal(t, int64(3), n)
	assert.Equal(t, "abc", out.String())
}

// Without a stage in between chunks are read and written in turn, on one goroutine, unless Prefetch
// or On say otherwise.
func TestWriteInStep(t *testing.T) {
	for name, c := range map[string]struct {
		copy  func(open bytestream.Opener, to bytestream.WriteOpener) mono.Mono[int64]
		reads int32 // while the first chunk is being written
	}{
		"plain": {func(open bytestream.Opener, to bytestream.WriteOpener) mono.Mono[int64] {
			return bytestream.Write(bytestream.Chunks(open, 2), to)
		}, 1},
		"prefetch": {func(open bytestream.Opener, to bytestream.WriteOpener) mono.Mono[int64] {
			return bytestream.Write(bytestream.Chunks(open, 2), to, bytestream.Prefetch(1))
		}, 2},
		"written on": {func(open bytestream.Opener, to bytestream.WriteOpener) mono.Mono[int64] {
			return bytestream.Write(bytestream.Chunks(open, 2), to, bytestream.On(schedulers.BoundedElastic()))
		}, 2},
		"read on": {func(open bytestream.Opener, to bytestream.WriteOpener) mono.Mono[int64] {
			return bytestream.Write(bytestream.Chunks(open, 2, bytestream.On(schedulers.BoundedElastic())), to)
		}, 2},
		"a stage": {func(open bytestream.Opener, to bytestream.WriteOpener) mono.Mono[int64] {
			return bytestream.Write(bytestream.Chunks(open, 2).Map(bytes.Clone), to)
		}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			reactortest.Bubble(t, func(t *testing.T) {
				src := text("abcdefg")
				r, w := io.Pipe()
				s := reactortest.Subscribe(t, flux.From(c.copy(src.open, bytestream.To(w))))
				synctest.Wait()
				assert.Equal(t, c.reads, src.reads.Load())
				got, err := io.ReadAll(r)
				require.NoError(t, err)
				assert.Equal(t, "abcdefg", string(got))
				s.ExpectNext(7)
				s.ExpectComplete()
				synctest.Wait()
				src.check(t)
				assert.Zero(t, schedulers.BoundedElastic().Stats().Busy)
			})
		})
	}
}

func TestWriteInStepFails(t *testing.T) {
	for name, c := range map[string]struct {
		src  *tracked
		to   writeFunc
		want string
	}{
		"read":  {then("ab", errBoom), func(p []byte) (int, error) { return len(p), nil }, "reactor: bytestream.chunks: read failed: at byte 2: boom"},
		"write": {text("abcd"), func([]byte) (int, error) { return 0, errBoom }, "reactor: bytestream.write: write failed: at byte 0: boom"},
		"panic": {text("abcd"), func([]byte) (int, error) { panic("boom") }, "reactor: bytestream.write: panic: boom"},
	} {
		_, err := bytestream.Write(bytestream.Chunks(c.src.open, 2), bytestream.To(c.to)).Block(t.Context())
		assert.EqualError(t, err, c.want, name)
		c.src.check(t)
		assert.EqualValues(t, 1, c.src.closed.Load())
	}
}

// A cancellation frees the reader, and the writer, wherever the turn is.
func TestWriteInStepIsCancelled(t *testing.T) {
	for name, c := range map[string]func() (io.Reader, io.Writer, func() error){
		"while reading": func() (io.Reader, io.Writer, func() error) { r, _ := io.Pipe(); return r, io.Discard, r.Close },
		"while writing": func() (io.Reader, io.Writer, func() error) { _, w := io.Pipe(); return strings.NewReader("ab"), w, nil },
	} {
		t.Run(name, func(t *testing.T) {
			reactortest.Bubble(t, func(t *testing.T) {
				r, w, closes := c()
				src := &tracked{Reader: r, onClose: func() {
					if closes != nil {
						closes()
					}
				}}
				s := reactortest.Subscribe(t, flux.From(bytestream.Write(bytestream.Chunks(src.open, 2), bytestream.To(w))))
				synctest.Wait()
				assert.EqualValues(t, 1, src.opened.Load())
				s.Cancel()
				synctest.Wait()
				src.check(t)
				assert.EqualValues(t, 1, src.closed.Load())
				assert.Zero(t, schedulers.BoundedElastic().Stats().Busy)
			})
		})
	}
}

func TestNewReader(t *testing.T) {
	require.NoError(t, iotest.TestReader(bytestream.NewReader(t.Context(), texts("ab", "", "cde", "fgh")), []byte("abcdefgh")))
	require.NoError(t, iotest.TestReader(bytestream.NewReader(t.Context(), texts()), nil))
	r := bytestream.NewReader(t.Context(), texts("ab").ConcatWith(flux.Error[[]byte](errBoom)))
	got, err := io.ReadAll(r)
	assert.Equal(t, "ab", string(got))
	assert.ErrorIs(t, err, errBoom)
	require.NoError(t, r.Close())
	_, err = r.Read(make([]byte, 1))
	assert.ErrorIs(t, err, io.ErrClosedPipe)
}

func TestNewReaderIsClosed(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		src := reactortest.NewTestPublisher[[]byte](t)
		r := bytestream.NewReader(t.Context(), src)
		assert.Zero(t, src.Subscriptions(), "not before the first Read")
		errs := make(chan error, 1)
		go func() {
			_, err := r.Read(make([]byte, 8))
			errs <- err
		}()
		synctest.Wait()
		src.AssertRequested(1)
		_, err := r.Read(make([]byte, 8))
		assert.ErrorContains(t, err, "two calls of Read")
		require.NoError(t, r.Close())
		assert.Equal(t, io.ErrClosedPipe, <-errs)
		src.AssertCancelled(1)
	})
	reactortest.Bubble(t, func(t *testing.T) {
		src := reactortest.NewTestPublisher[[]byte](t)
		r := bytestream.NewReader(t.Context(), src)
		_, err := r.Read(nil)
		require.NoError(t, err)
		src.Next([]byte("abc"))
		n, err := r.Read(make([]byte, 2))
		require.NoError(t, err)
		assert.Equal(t, 2, n)
		require.NoError(t, r.Close())
		src.AssertCancelled(1)
	})
	r := bytestream.NewReader(t.Context(), texts("a"))
	require.NoError(t, r.Close(), "never read")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errBoom)
	_, err := bytestream.NewReader(ctx, flux.Never[[]byte]()).Read(make([]byte, 1))
	assert.ErrorIs(t, err, errBoom)
}

// What was there when the context ended can still be read, and is discarded by Close.
func TestNewReaderWhoseContextEnds(t *testing.T) {
	for name, c := range map[string]struct {
		reads     int
		last      error
		discarded []any
	}{
		"closed":          {1, nil, []any{[]byte("b")}},
		"read to the end": {3, errBoom, nil},
	} {
		t.Run(name, func(t *testing.T) {
			reactortest.Bubble(t, func(t *testing.T) {
				var discarded []any
				ctx, cancel := context.WithCancelCause(reactor.WithHooks(t.Context(), reactor.Hooks{
					Discard: func(_ context.Context, v any) { discarded = append(discarded, v) },
				}))
				src := reactortest.NewTestPublisher[[]byte](t)
				r := bytestream.NewReader(ctx, src, bytestream.Prefetch(2))
				_, err := r.Read(nil)
				require.NoError(t, err)
				src.Next([]byte("a"), []byte("b"))
				cancel(errBoom)
				synctest.Wait()
				src.AssertCancelled(1)
				for range c.reads {
					_, err = r.Read(make([]byte, 1))
				}
				assert.Equal(t, c.last, err)
				assert.Empty(t, discarded)
				require.NoError(t, r.Close())
				assert.Equal(t, c.discarded, discarded)
			})
		})
	}
}

func TestToLeavesWhatCanNotBeClosedOpen(t *testing.T) {
	var out strings.Builder
	for range 2 {
		_, err := bytestream.Write(texts("ab"), bytestream.To(&out)).Block(t.Context())
		require.NoError(t, err)
	}
	assert.Equal(t, "abab", out.String())
	_, err := bytestream.Write(texts("ab"), bytestream.NewFile(filepath.Join(t.TempDir(), "no", "such"))).Block(t.Context())
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// Elements that are held, since another goroutine takes them, do not share their memory, also
// where their stream was told to.
func TestReuseOfWhatIsHeld(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		const text = "aaa bbb ccc ddd eee fff ggg hhh "
		for name, src := range map[string]func() flux.Flux[[]byte]{
			"chunks": func() flux.Flux[[]byte] { return bytestream.Chunks(from(text), 4, bytestream.Reuse()) },
			"records": func() flux.Flux[[]byte] {
				return bytestream.Records(bytestream.From(iotest.OneByteReader(strings.NewReader(text))), bufio.ScanBytes, bytestream.Reuse())
			},
		} {
			var out bytes.Buffer
			slow := &target{Writer: writeFunc(func(p []byte) (int, error) {
				time.Sleep(time.Second)
				return out.Write(p)
			})}
			_, err := bytestream.Write(src(), slow.open, bytestream.Prefetch(2)).Block(t.Context())
			require.NoError(t, err)
			assert.Equal(t, text, out.String(), "%s that are written", name)

			r := bytestream.NewReader(t.Context(), src())
			out.Reset()
			for buf := make([]byte, 2); ; time.Sleep(time.Second) {
				n, err := r.Read(buf)
				if out.Write(buf[:n]); err == io.EOF {
					break
				}
			}
			assert.Equal(t, text, out.String(), "%s that are read", name)
		}
	})
}

// A writer that waits for its source leaves it the lane.
func TestWriteLeavesTheLaneToItsSource(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		lane, err := schedulers.NewBoundedElastic(1, 100, "lane")
		require.NoError(t, err)
		defer lane.Dispose()
		for name, src := range map[string]flux.Flux[[]byte]{
			"subscribed there": flux.Just([]byte("ab"), []byte("c")).SubscribeOn(lane),
			"published there":  flux.Interval(time.Second).Take(3).PublishOn(lane).Map(func(n int64) []byte { return []byte{'a' + byte(n)} }),
			"read there":       bytestream.Chunks(bytestream.From(strings.NewReader("abc")), 2, bytestream.On(lane)),
			"a stage between":  bytestream.Lines(bytestream.From(strings.NewReader("a\nbc")), bytestream.On(lane)).Map(func(s string) []byte { return []byte(s) }),
		} {
			var out bytes.Buffer
			w := &target{Writer: &out}
			n, err := bytestream.Write(src, w.open, bytestream.On(lane)).Timeout(time.Minute).Block(t.Context())
			require.NoError(t, err, name)
			assert.EqualValues(t, 3, n, name)
			assert.Equal(t, "abc", out.String(), name)
			assert.Equal(t, 1, w.closed, name)
		}
		// Many more copies than there are lanes, none of which was told where to run.
		all := flux.Range(0, 2*schedulers.BoundedElastic().Stats().Capacity).FlatMap(func(int) mono.Mono[int64] {
			src := bytestream.Lines(bytestream.From(strings.NewReader("a\nbc"))).Map(func(s string) []byte { return []byte(s) })
			return bytestream.Write(src, bytestream.To(io.Discard))
		})
		copied, err := all.Timeout(time.Minute).Collect(t.Context())
		require.NoError(t, err)
		assert.Len(t, copied, 2*schedulers.BoundedElastic().Stats().Capacity)
	})
}
