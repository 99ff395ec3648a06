package operators

import (
	"context"
	"io"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestOnErrorResume(t *testing.T) {
	var seen error
	fallback := func(err error) reactor.Publisher[int] { seen = err; return FromSlice([]int{8, 9}) }
	run(OnErrorResume(failing(1, 2), fallback)).Done(t, 1, 2, 8, 9)
	assert.Equal(t, errBoom, seen)
	run(OnErrorResume(failing(1), func(error) reactor.Publisher[int] { return failing(5) })).Failed(t, errBoom, 1, 5)
	run(OnErrorResume(failing(1), fallback, WhenError(func(err error) bool { return false }))).Failed(t, errBoom, 1)
	run(OnErrorResume(Error[int](&strconv.NumError{Err: io.EOF}), fallback, WhenAs[*strconv.NumError]())).Done(t, 8, 9)
	run(OnErrorResume(failing(1), fallback, WhenAs[*strconv.NumError]())).Failed(t, errBoom, 1)
}

func TestOnErrorResumeAsksTheFallbackForWhatIsOpen(t *testing.T) {
	src, fallback := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](5)
	OnErrorResume(src, func(error) *puppet[int] { return fallback }).Subscribe(context.Background(), p)
	src.last().OnNext(1)
	src.last().OnNext(2)
	p.Request(4)
	assert.Equal(t, int64(9), src.last().requested.Load())
	src.last().OnError(errBoom)
	assert.Equal(t, int64(7), fallback.last().requested.Load())
	p.Request(1)
	assert.Equal(t, int64(8), fallback.last().requested.Load())
	assert.Equal(t, int64(9), src.last().requested.Load(), "it has ended")
	p.Cancel()
	assert.Equal(t, int64(1), fallback.last().cancels.Load())
	assert.Zero(t, src.last().cancels.Load())
}

func TestOnErrorResumeAfterCancellation(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := probeOf[int](1)
	OnErrorResume(src, func(error) reactor.Publisher[int] { t.Error("called"); return Never[int]() }).Subscribe(ctx, p)
	p.Cancel()
	src.last().OnError(errBoom)
	p.Open(t)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}

func TestOnErrorResumeWithNilPublisher(t *testing.T) {
	p := run(OnErrorResume(failing(1), func(error) reactor.Publisher[int] { return nil }))
	p.Failed(t, errBoom, 1)
	var pe *reactor.PanicError
	assert.ErrorAs(t, p.Failure(), &pe)
}
