package reactortest

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/flux"
)

// A report shows the beginning of a long value, and so says in words where two of them differ behind it.
func TestReportSaysWhereLongValuesDiffer(t *testing.T) {
	long := strings.Repeat("x", 1000)
	numbers, others := make([]int, 500), make([]int, 500)
	others[499] = 7
	for name, c := range map[string]struct {
		fn   func(t testing.TB)
		says string
	}{
		"a string": {func(t testing.TB) {
			NewStepVerifier(t, flux.Just(long+"is")).ExpectNext(long + "was").VerifyComplete()
		}, `), at byte 1001 of which is …xxxxxxxxxxxxxxxxxxxxwas" and not …xxxxxxxxxxxxxxxxxxxxis", but onNext(`},
		"in the middle": {func(t testing.TB) {
			NewStepVerifier(t, flux.Just(long+"is"+long)).ExpectNext(long + "was" + long).VerifyComplete()
		}, `x…), at byte 1001 of which is …` + strings.Repeat("x", 20) + "was" + strings.Repeat("x", 37) + "… and not …"},
		"a slice": {func(t testing.TB) {
			NewStepVerifier(t, flux.Just(numbers)).ExpectNextSequence(func(yield func([]int) bool) { yield(others) }).VerifyComplete()
		}, `, at byte 999 of which is …0 0 0 0 0 0 0 0 0 0 7] and not …0 0 0 0 0 0 0 0 0 0 0], but onNext(`},
		"what one is the beginning of": {func(t testing.TB) {
			NewStepVerifier(t, flux.Just(long)).ExpectNext(long + long).VerifyComplete()
		}, `, at byte 1001 of which is …`},
		"of a subscriber": {func(t testing.TB) {
			Subscribe(t, flux.Just(long+"is")).ExpectNext(long + "was")
		}, `, at byte 1001 of which is …xxxxxxxxxxxxxxxxxxxxwas" and not`},
		"types, of a subscriber": {func(t testing.TB) {
			Subscribe(t, flux.Just[any](1)).ExpectNext(int64(1))
		}, "expected onNext(1), of type int64 and not int, but onNext(1) came"},
	} {
		assert.Contains(t, report(c.fn), c.says, name)
	}
}

// Of lists, too, a report shows the first values only.
func TestReportSaysWhereLongListsDiffer(t *testing.T) {
	all := func(n int) (items []any) {
		for i := range n {
			items = append(items, i)
		}
		return items
	}
	wrong := append(all(50), 99)
	wrong = append(wrong, all(100)[51:]...)
	none := flux.Range(0, 100).Filter(func(int) bool { return false })
	for _, c := range []struct {
		want []any
		says string
	}{
		{wrong, "… and 92 more; number 51: expected 99, got 50"},
		{all(101), "… and 92 more; number 101: expected 100, got nothing more"},
		{all(99), "… and 92 more; number 100: expected nothing more, got 99"},
		{append(all(99), int64(99)), "; number 100: expected 99, of type int64 and not int, got 99"},
	} {
		assert.Contains(t, report(func(t testing.TB) {
			NewStepVerifier(t, none).ExpectComplete().VerifyThenAssert().HasDiscardedExactly(c.want...)
		}), c.says)
	}
	assert.NotContains(t, report(func(t testing.TB) {
		NewStepVerifier(t, none).ExpectComplete().VerifyThenAssert().HasDiscardedExactly(7, 1)
	}), "number", "one sees it")
	assert.Contains(t, report(func(t testing.TB) {
		NewStepVerifier(t, flux.Range(0, 12)).Record().ExpectNextCount(12).ExpectRecorded(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 11).VerifyComplete()
	}), "; number 11: expected 11, got 10")
}

// What a loop has written is shown around the step that failed.
func TestReportOfALongScriptShowsWhereItFailed(t *testing.T) {
	got := report(func(t testing.TB) {
		v := NewStepVerifier(t, flux.Range(0, 3000))
		for i := range 3000 {
			v.ExpectNext(i + i/1500)
		}
		v.VerifyComplete()
	})
	script, _, _ := strings.Cut(got, "the signals")
	assert.Contains(t, script, "\n     … 1480 earlier ones\n  ✓ 1481  expect next 1480 ")
	assert.Contains(t, script, "\n  → 1501  expect next 1501 ")
	assert.Regexp(t, `\n    1521  expect next 1521  differ_test.go:\d+\n     … 1480 later ones\n`, script)
	assert.Less(t, strings.Count(script, "\n"), 60)
}

// A cut goes between two runes.
func TestReportsAreText(t *testing.T) {
	for n := range 5 {
		word := strings.Repeat("a", n) + strings.Repeat("€", 300)
		assert.True(t, utf8.ValidString(show(word)), n)
		assert.GreaterOrEqual(t, len(show(word)), longest, "at most one rune is left out for it")
		assert.True(t, utf8.ValidString(formatter(nil).unlike(word+"a", word+"ä")), n)
	}
	type bytes string
	assert.Len(t, show(bytes(strings.Repeat("\x80", 300))), longest-utf8.UTFMax+len("…"), "where no rune begins it is cut somewhere")
}

func TestHasDiscardedInAnyOrder(t *testing.T) {
	type pair struct{ p *int }
	one, too := 1, 1
	src := flux.Just[any](1, "a", 1, pair{&one}, int64(1), math.Inf(1), nil).Filter(func(any) bool { return false })
	discarded := func(items ...any) string {
		return report(func(t testing.TB) {
			NewStepVerifier(t, src).ExpectComplete().VerifyThenAssert().HasDiscarded(items...)
		})
	}
	assert.Empty(t, discarded(nil, math.Inf(1), pair{&too}, int64(1), "a", 1, 1), "what is deeply equal counts, as ever")
	assert.Contains(t, discarded(1, 1, 1), "expected 1 among them", "twice it was there")
	assert.Contains(t, discarded(pair{&too}, pair{&one}), "among them")
	assert.Contains(t, discarded(int32(1)), "among them")
	assert.Contains(t, discarded(math.NaN()), "among them")
	assert.Contains(t, discarded(nil, nil), "among them")
}

// The books of a test may be long: nothing is compared with everything.
func BenchmarkHasDiscarded(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			items := make([]any, n)
			for i := range items {
				items[i] = n - 1 - i
			}
			for b.Loop() {
				NewStepVerifier(b, flux.Range(0, n).Filter(func(int) bool { return false })).ExpectComplete().VerifyThenAssert().HasDiscarded(items...)
			}
		})
	}
}
