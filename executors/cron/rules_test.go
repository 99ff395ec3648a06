package cron_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goreactor/reactor/executors/cron"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// refused checks that texts are no expressions.
func refused(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		e, err := cron.Parse(text)
		assert.Nil(t, e, text)
		assert.Error(t, err, text)
	}
}

func TestC31_SixFieldsBetweenSpaces(t *testing.T) {
	for _, text := range []string{"0 0 0 1 1 0", "59 59 23 31 12 7", "  0   0 0 1  1 *  ", "0 0 0 1 jan mon", "0 0 0 1 Dec SUN", "0 0 0 31 DEC sat"} {
		_, err := cron.Parse(text)
		assert.NoError(t, err, text)
	}
	refused(t, "", " ", "0 0 0 1 1", "0 0 0 1 1 0 2024", "0\t0 0 1 1 0 0", "0\t0\t0\t1\t1\t0",
		"60 0 0 1 1 0", "0 60 0 1 1 0", "0 0 24 1 1 0", "0 0 0 0 1 0", "0 0 0 32 1 0", "0 0 0 1 0 0", "0 0 0 1 13 0", "0 0 0 1 1 8",
		"-1 0 0 1 1 0", "0 0 0 1 1 MONDAY", "0 0 0 1 1 MO", "0 0 0 1 JANUARY 0", "0 0 0 1 MON 0", "0 0 0 1 1 JAN",
		// The capital of ſ is S, and broken text has one of another length.
		"0 0 0 1 1 \u017fU", "0 0 0 1 1 \u017fUN", "0 0 0 1 \u017fe *", "0 0 0 1 1 \xe8L", "0 0 0 \xe8W * ?", "0 0 0 1 \xff\xff\xff *")
	_, err := cron.Parse("0 0 0 1 1")
	assert.ErrorContains(t, err, "6 fields")
	assert.ErrorContains(t, err, "there are 5")
}

func TestC32_Items(t *testing.T) {
	for _, c := range []struct {
		item string
		want []int
	}{
		{"7", []int{7}},
		{"07", []int{7}},
		{"7-9", []int{7, 8, 9}},
		{"7-7", []int{7}},
		{"*/20", []int{0, 20, 40}},
		{"50/4", []int{50, 54, 58}}, // to the maximum of the field
		{"59/1", []int{59}},
		{"10-20/5", []int{10, 15, 20}},
		{"10-20/100", []int{10}},
		{"1,58,3-5,30/15", []int{1, 3, 4, 5, 30, 45, 58}},
		{"4,2,2,4", []int{2, 4}},
	} {
		e := cron.MustParse(c.item + " * * * * *")
		var seconds []int
		for s := range 60 {
			if e.Matches(time.Date(2024, 1, 1, 0, 0, s, 0, time.UTC)) {
				seconds = append(seconds, s)
			}
		}
		assert.Equal(t, c.want, seconds, c.item)
	}
	for _, c := range []struct {
		item string
		want []time.Weekday
	}{
		{"SUN-TUE", []time.Weekday{0, 1, 2}}, // SUN and 7 begin a range at 0
		{"7-2", []time.Weekday{0, 1, 2}},
		{"0-2", []time.Weekday{0, 1, 2}},
		{"FRI-SUN", []time.Weekday{0, 5, 6}},
		{"5-7", []time.Weekday{0, 5, 6}},
		{"0-7", []time.Weekday{0, 1, 2, 3, 4, 5, 6}},
		{"?", []time.Weekday{0, 1, 2, 3, 4, 5, 6}},
		{"sat,0", []time.Weekday{0, 6}},
	} {
		e := cron.MustParse("0 0 0 ? * " + c.item)
		var days []time.Weekday
		for d := range 7 {
			if e.Matches(time.Date(2024, 1, 7+d, 0, 0, 0, 0, time.UTC)) { // the 7th is a Sunday
				days = append(days, time.Weekday(d))
			}
		}
		assert.Equal(t, c.want, days, c.item)
	}
	for _, seconds := range []string{",", "1,", ",1", "1,,2", "9-7", "-", "1-", "-1", "1-2-3", "*/0", "*/", "*/-1", "*/x", "/2", "1/2/3", "?", "?/2", "**", "1.5", "+1", "٣"} {
		refused(t, seconds+" * * * * *")
	}
	for _, field := range []string{"0 ? 0 * * *", "0 0 ? * * *", "0 0 0 * ? *", "0 0 0 ?,1 * *", "0 0 0 * * ?,1", "0 0 0 ?/2 * *", "0 0 0 ?L * *",
		"0 0 0 * * FRI-MON", "0 0 0 * DEC-JAN *", "0 0 0 * * 6-5"} {
		refused(t, field)
	}
}

// lastOfMonth is the number of the last day of the month of d.
func lastOfMonth(d time.Time) int {
	return time.Date(d.Year(), d.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// nearestWeekday is the weekday of the month of d that is nearest to its day n, 0
// if it has none.
func nearestWeekday(d time.Time, n int) int {
	if n > lastOfMonth(d) {
		return 0
	}
	switch time.Date(d.Year(), d.Month(), n, 0, 0, 0, 0, time.UTC).Weekday() {
	case time.Saturday:
		if n == 1 {
			return 3
		}
		return n - 1
	case time.Sunday:
		if n == lastOfMonth(d) {
			return n - 2 // the Monday after it is in another month, where Spring looks for it in vain
		}
		return n + 1
	}
	return n
}

// The forms of Quartz, against what they say, on every day of twelve years.
func TestC35_QuartzForms(t *testing.T) {
	day := func(n int) func(time.Time) bool { return func(d time.Time) bool { return d.Day() == n } }
	last := func(before int) func(time.Time) bool {
		return func(d time.Time) bool { return d.Day() == lastOfMonth(d)-before }
	}
	near := func(n int) func(time.Time) bool {
		return func(d time.Time) bool { return d.Day() == nearestWeekday(d, n) }
	}
	lastWeekday := func(d time.Time) bool {
		n := lastOfMonth(d)
		for {
			w := time.Date(d.Year(), d.Month(), n, 0, 0, 0, 0, time.UTC).Weekday()
			if w != time.Saturday && w != time.Sunday {
				return d.Day() == n
			}
			n--
		}
	}
	lastOf := func(w time.Weekday) func(time.Time) bool {
		return func(d time.Time) bool { return d.Weekday() == w && d.Day()+7 > lastOfMonth(d) }
	}
	nth := func(w time.Weekday, n int) func(time.Time) bool {
		return func(d time.Time) bool { return d.Weekday() == w && (d.Day()+6)/7 == n }
	}
	type wants = []func(time.Time) bool
	for _, c := range []struct {
		text string
		any  wants
	}{
		{"L * ?", wants{last(0)}},
		{"L-1 * ?", wants{last(1)}},
		{"L-27 * ?", wants{last(27)}},
		{"L-30 * ?", wants{last(30)}},
		{"LW * ?", wants{lastWeekday}},
		{"1W * ?", wants{near(1)}},
		{"15W * ?", wants{near(15)}},
		{"28W * ?", wants{near(28)}},
		{"29W * ?", wants{near(29)}},
		{"30W * ?", wants{near(30)}},
		{"31W * ?", wants{near(31)}},
		{"13,L * ?", wants{day(13), last(0)}},
		{"1W,10-11,LW,L-2 * ?", wants{near(1), day(10), day(11), lastWeekday, last(2)}},
		{"? * 5L", wants{lastOf(time.Friday)}},
		{"? * FRIL", wants{lastOf(time.Friday)}},
		{"? * 0L", wants{lastOf(time.Sunday)}},
		{"? * 7L", wants{lastOf(time.Sunday)}},
		{"? * MON#1", wants{nth(time.Monday, 1)}},
		{"? * 3#5", wants{nth(time.Wednesday, 5)}},
		{"? * SUN#2", wants{nth(time.Sunday, 2)}},
		{"? * 7#3", wants{nth(time.Sunday, 3)}},
		{"? * MON#1,TUE,5L", wants{nth(time.Monday, 1), func(d time.Time) bool { return d.Weekday() == time.Tuesday }, lastOf(time.Friday)}},
	} {
		e, err := cron.Parse("0 0 0 " + c.text)
		require.NoError(t, err, c.text)
		found := 0
		for d := time.Date(2019, 1, 1, 0, 0, 0, 0, time.UTC); d.Year() < 2031; d = d.AddDate(0, 0, 1) {
			want := slices.ContainsFunc(c.any, func(f func(time.Time) bool) bool { return f(d) })
			if want {
				found++
			}
			require.Equal(t, want, e.Matches(d), "%s on %s", c.text, d.Format(time.DateOnly))
			next, ok := e.Next(d.Add(-time.Second))
			require.Equal(t, want, ok && next.Equal(d), "%s before %s", c.text, d.Format(time.DateOnly))
		}
		assert.NotZero(t, found, c.text)
	}
	refused(t, "0 0 0 L-0 * ?", "0 0 0 L-31 * ?", "0 0 0 L-x * ?", "0 0 0 L-3W * ?", "0 0 0 WL * ?", "0 0 0 W * ?", "0 0 0 0W * ?", "0 0 0 32W * ?",
		"0 0 0 1-5W * ?", "0 0 0 L/2 * ?", "0 0 0 5L * ?", "0 0 0 ? * L", "0 0 0 ? * 8L", "0 0 0 ? * MON-FRIL", "0 0 0 ? * 1W", "0 0 0 ? * MON#0",
		"0 0 0 ? * MON#-1", "0 0 0 ? * MON#6", "0 0 0 ? * MON#5000000000", "0 0 0 ? * MON#", "0 0 0 ? * #1", "0 0 0 ? * MON#1#2", "0 0 0 1#1 * ?", "0 0 L * * ?", "0 0 0 * L ?")
}

// An expression from elsewhere may be very long and never match; it doesn't take long
// to say so.
func TestC35_LongLists(t *testing.T) {
	for _, c := range []struct{ before, item, after string }{
		{"", "31W", " 2 ?"}, {"", "L-30", " 2 ?"}, {"30,31 2 ", "MON#5", ""}, {"30,31 2 ", "FRIL", ""},
	} {
		long := strings.Repeat(c.item+",", 100_000) + c.item
		e := cron.MustParse("0 0 0 " + c.before + long + c.after)
		_, ok := e.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC))
		assert.False(t, ok, c.item)
	}
}

func TestC36_Macros(t *testing.T) {
	from := time.Date(2024, 2, 27, 3, 4, 5, 0, time.UTC)
	for macro, text := range map[string]string{
		"@yearly":   "0 0 0 1 1 *",
		"@annually": "0 0 0 1 1 *",
		"@monthly":  "0 0 0 1 * *",
		"@weekly":   "0 0 0 * * 0", // Sunday
		"@daily":    "0 0 0 * * *",
		"@midnight": "0 0 0 * * *",
		"@hourly":   "0 0 * * * *",
	} {
		want := following(cron.MustParse(text), from, 30)
		for _, spelled := range []string{macro, strings.ToUpper(macro), strings.ToUpper(macro[:3]) + macro[3:], "  " + macro + " "} {
			assert.Equal(t, want, following(cron.MustParse(spelled), from, 30), spelled)
		}
	}
	refused(t, "@", "@reboot", "@every 5m", "@secondly", "@ daily", "@daily x", "@daily @daily", "daily", "@@daily", "@dail", "@wee\u212aly")
}
