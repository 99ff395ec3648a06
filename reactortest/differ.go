package reactortest

import (
	"fmt"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/goreactor/reactor"
)

// beside says how the element that came differs from want, if a report shows the same of both.
func beside[T any](f formatter, want T, got signal[T]) string {
	if got.kind == reactor.KindNext && f.show(got.value) == f.show(want) {
		return f.unlike(want, got.value)
	}
	return ""
}

// unlike says how two values differ that look the same in a report.
func (f formatter) unlike(want, got any) string {
	if reflect.TypeOf(want) != reflect.TypeOf(got) {
		return fmt.Sprintf(", of type %T and not %T", want, got)
	}
	w, g := f.write(want), f.write(got)
	if w == g {
		return fmt.Sprintf(", a %T that differs", want)
	}
	// They differ behind what a report shows of them.
	at := 0
	for at < min(len(w), len(g)) && w[at] == g[at] {
		at++
	}
	return fmt.Sprintf(", at byte %d of which is %s and not %s", at, around(w, at), around(g, at))
}

// around writes what surrounds a place of a text that is longer than a report shows.
func around(s string, at int) string {
	const before, behind = 20, 40
	from, to := runeStart(s, max(0, at-before)), runeStart(s, min(len(s), at+behind))
	text := s[from:to]
	if from > 0 {
		text = "…" + text
	}
	if to < len(s) {
		text += "…"
	}
	return text
}

// runeStart returns the place at or shortly before i where a rune of s begins: a half one is no text, and terminals and CI systems
// make of a report with it what they like.
func runeStart(s string, i int) int {
	for back := 0; back < utf8.UTFMax && i > 0 && i < len(s); back++ {
		if utf8.RuneStart(s[i]) {
			return i
		}
		i--
	}
	return i
}

// apart says where two lists differ, if that is not among what a report shows of them.
func apart[T any](f formatter, want, got []T) string {
	at := 0
	for at < min(len(want), len(got)) && reflect.DeepEqual(want[at], got[at]) {
		at++
	}
	if at < mostListed && list(f, want) != list(f, got) {
		return ""
	}
	item := func(items []T) string {
		if at == len(items) {
			return "nothing more"
		}
		return f.show(items[at])
	}
	w, g := item(want), item(got)
	if w == g && at < min(len(want), len(got)) {
		w += f.unlike(want[at], got[at])
	}
	return fmt.Sprintf("; number %d: expected %s, got %s", at+1, w, g)
}

// bag is values in no order. Those of basic kinds, for which == says what [reflect.DeepEqual] does, are found at once: a test that
// keeps books on thousands of elements would compare each with each.
type bag struct {
	basic map[any]int
	other []any
}

func newBag(items []any) *bag {
	b := &bag{basic: map[any]int{}}
	for _, item := range items {
		if isBasic(item) {
			b.basic[item]++
		} else {
			b.other = append(b.other, item)
		}
	}
	return b
}

// take removes one value that is equal to v, and reports whether there was one.
func (b *bag) take(v any) bool {
	if isBasic(v) {
		if b.basic[v] == 0 {
			return false
		}
		b.basic[v]--
		return true
	}
	i := slices.IndexFunc(b.other, func(other any) bool { return reflect.DeepEqual(other, v) })
	if i < 0 {
		return false
	}
	b.other = slices.Delete(b.other, i, i+1)
	return true
}

func isBasic(v any) bool {
	kind := reflect.ValueOf(v).Kind()
	return kind > reflect.Invalid && kind <= reflect.Complex128 || kind == reflect.String
}
