package operators

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

func TestErrorSources(t *testing.T) {
	n := 0
	src := ErrorFrom[int](func() error { n++; return errBoom })
	run(src).Failed(t, errBoom)
	run(src).Failed(t, errBoom)
	assert.Equal(t, 2, n)
	run(ErrorFrom[int](func() error { panic(errOther) })).Failed(t, errOther)
	assert.Panics(t, func() { ErrorFrom[int](nil) })

	p := probeOf[int](0)
	ErrorOnRequest[int](errBoom).Subscribe(context.Background(), p)
	p.Open(t)
	p.Request(1)
	p.Request(1)
	p.Failed(t, errBoom)
	p = probeOf[int](0)
	ErrorOnRequest[int](errBoom).Subscribe(context.Background(), p)
	p.Cancel()
	p.Request(1)
	p.Open(t)
}

// A failure of something downstream unwinds through the handler's OnNext and is none
// of its business.
func TestErrorHandlersDoNotCatchWhatFailsDownstream(t *testing.T) {
	for name, stage := range onErrorStages() {
		t.Run(name, func(t *testing.T) {
			p := run(Map(stage(FromSlice([]int{1, 2, 3})), func(v int) int {
				if v == 2 {
					panic(errBoom)
				}
				return v
			}))
			p.Failed(t, errBoom, 1)
		})
	}
}

func TestErrorHandlersAndGoexitDownstream(t *testing.T) {
	for name, stage := range onErrorStages() {
		t.Run(name, func(t *testing.T) {
			p := probeOf[int](reactor.Unbounded)
			done := make(chan struct{})
			go func() {
				defer close(done)
				Map(stage(FromSlice([]int{1, 2, 3})), func(v int) int {
					if v == 2 {
						runtime.Goexit()
					}
					return v
				}).Subscribe(context.Background(), p)
			}()
			<-done
			p.Failed(t, reactor.ErrGoexit, 1)
		})
	}
}

func TestErrorHandlersCatchWhatFailsUpstream(t *testing.T) {
	upstream := Map(FromSlice([]int{1, 2, 3}), func(v int) int {
		if v == 2 {
			panic(errBoom)
		}
		return v
	})
	run(OnErrorReturn(upstream, 9)).Done(t, 1, 9)
	run(OnErrorComplete(upstream)).Done(t, 1)
	run(OnErrorMap(upstream, func(error) error { return errOther })).Failed(t, errOther, 1)
	run(ConcatDelayError(upstream, Just(7))).Failed(t, errBoom, 1, 7)
	run(Retry(upstream, Times(1))).Failed(t, errBoom, 1, 1)
}

func TestErrorFilterNil(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: onErrorMap: the error filter is nil", func() {
		OnErrorMap(Just(1), func(err error) error { return err }, nil)
	})
	assert.PanicsWithValue(t, "reactor: whenError: the predicate is nil", func() { WhenError(nil) })
	assert.PanicsWithValue(t, "reactor: onErrorResume: the fallback function is nil", func() {
		OnErrorResume[int, reactor.Publisher[int]](Just(1), nil)
	})
}

func TestError(t *testing.T) {
	p := probeOf[int](0)
	Error[int](errBoom).Subscribe(t.Context(), p)
	p.Failed(t, errBoom)
	run(Error[int](nil)).Failed(t, reactor.ErrNilError)
	_, err := Block(t.Context(), Error[int](nil))
	assert.EqualError(t, err, "reactor: error: a failure was reported with a nil error")
}
