package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// The publisher of the end fails as those of elements do, whether it is known at once or not.
func TestFlatMapSignalGoesOnAfterTheFailureOfTheEnd(t *testing.T) {
	for name, last := range map[string]stream{"known": Error[int](errBoom), "hidden": Hide(Error[int](errBoom))} {
		t.Run(name, func(t *testing.T) {
			var got []error
			end := func() reactor.Publisher[int] { return last }
			src := FlatMapSignal(Range(1, 2), func(v int) reactor.Publisher[int] { return Just(v) }, nil, end)
			p := run(OnErrorContinue(src, func(err error, _ any) { got = append(got, err) }))
			p.Done(t, 1, 2)
			assert.Equal(t, []error{errBoom}, got)
		})
	}
}

// What the source is made of makes no difference: it may be known at once, as a slice of one element is.
func TestFlattenedPublishersFailBehindAKnownSource(t *testing.T) {
	for name, op := range map[string]func(stream, func(int) stream) stream{
		"flatMap":            func(s stream, fn func(int) stream) stream { return FlatMap(s, fn) },
		"flatMap, delayed":   func(s stream, fn func(int) stream) stream { return FlatMap(s, fn, DelayErrors()) },
		"concatMap":          func(s stream, fn func(int) stream) stream { return ConcatMap(s, fn) },
		"concatMap, delayed": func(s stream, fn func(int) stream) stream { return ConcatMap(s, fn, DelayErrors()) },
	} {
		for kind, inner := range map[string]stream{"known": Error[int](errBoom), "hidden": Hide(Error[int](errBoom))} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				for _, items := range [][]int{{1}, {1, 2}} {
					failed := 0
					p := run(OnErrorContinue(op(FromSlice(items), func(int) stream { return inner }), func(err error, _ any) {
						assert.Equal(t, errBoom, err)
						failed++
					}))
					p.Done(t)
					assert.Equal(t, len(items), failed)
				}
			})
		}
	}
}
