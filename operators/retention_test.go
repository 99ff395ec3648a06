package operators

import (
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// weighty is what a test would like to see collected.
type weighty struct{ _ [256]byte }

func (*weighty) Error() string { return "weighty" }

// letGo hands what it makes to use, and reports whether nothing keeps it then.
func letGo(use func(*weighty)) bool {
	ref := func() weak.Pointer[weighty] {
		v := new(weighty)
		use(v)
		return weak.Make(v)
	}()
	for range 3 {
		runtime.GC()
	}
	return ref.Value() == nil
}

// A stage that goes on keeps nothing of a buffer that it has sent, also if no other one is opened.
func TestBufferWhenLetsGoOfWhatItHasSent(t *testing.T) {
	src, open, closer := &puppet[*weighty]{}, &puppet[int]{}, &puppet[int]{}
	buffers := BufferWhen(src, open, func(int) reactor.Publisher[int] { return closer })
	p := run(Map(buffers, func(b []*weighty) int { return len(b) }))
	open.last().OnNext(1)
	assert.True(t, letGo(func(v *weighty) {
		src.last().OnNext(v)
		closer.last().OnComplete()
		p.Open(t, 1)
	}))
	p.Cancel()
}

// The failure of a round is not kept for as long as the next one lasts.
func TestRetryLetsGoOfTheFailure(t *testing.T) {
	for name, policy := range map[string]RetryPolicy{
		"function":  RetryFrom(func(f reactor.Publisher[RetrySignal]) reactor.Publisher[RetrySignal] { return f }),
		"at once":   RetryMax(3),
		"callbacks": RetryMax(3).DoBeforeRetry(func(RetrySignal) {}).DoAfterRetry(func(RetrySignal) {}),
		"gates":     RetryMax(3).DoAfterRetryAsync(func(RetrySignal) reactor.Publisher[int] { return Empty[int]() }),
	} {
		src := &puppet[int]{}
		p := run(RetryWhen(src, policy))
		assert.True(t, letGo(func(v *weighty) { src.last().OnError(v) }), name)
		assert.Equal(t, 2, src.count(), name)
		p.Cancel()
	}
}
