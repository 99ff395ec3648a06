package cron_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/executors/cron"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestC31_ErrorsSayWhereAndWhy(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `cron: "": an expression has 6 fields, separated by spaces, but there are 0`},
		{"* * * * *", `cron: "* * * * *": an expression has 6 fields, separated by spaces, but there are 5: unlike in a crontab the second comes first`},
		{"* * * * * * *", `cron: "* * * * * * *": an expression has 6 fields, separated by spaces, but there are 7: unlike with Quartz there is none for the year`},
		{"* * * * * * * *", `cron: "* * * * * * * *": an expression has 6 fields, separated by spaces, but there are 8`},
		{"CRON_TZ=UTC 0 3 * * *", `cron: "CRON_TZ=UTC 0 3 * * *": a zone is no part of an expression: it is given to Lenient, Fixed or InZone`},
		{"TZ=Asia/Tokyo 0 0 3 * * *", `cron: "TZ=Asia/Tokyo 0 0 3 * * *": a zone is no part of an expression: it is given to Lenient, Fixed or InZone`},
		{"0\t0 0 * * *", `cron: "0\t0 0 * * *": an expression has 6 fields, separated by spaces, but there are 5: tabs and the like separate none`},
		{"0 61 * * * *", `cron: "0 61 * * * *": minute: "61" at position 2: must be from 0 to 59`},
		{"60 * * * * *", `cron: "60 * * * * *": second: "60" at position 0: must be from 0 to 59`},
		{"0 0 24 * * *", `cron: "0 0 24 * * *": hour: "24" at position 4: must be from 0 to 23`},
		{"0 0 0 0 * *", `cron: "0 0 0 0 * *": day of month: "0" at position 6: must be from 1 to 31`},
		{"0 0 0 32 * *", `cron: "0 0 0 32 * *": day of month: "32" at position 6: must be from 1 to 31`},
		{"0 0 0 * 13 *", `cron: "0 0 0 * 13 *": month: "13" at position 8: must be from 1 to 12`},
		{"0 0 0 * 0 *", `cron: "0 0 0 * 0 *": month: "0" at position 8: must be from 1 to 12`},
		{"0 0 0 * * 8", `cron: "0 0 0 * * 8": day of week: "8" at position 10: must be from 0 to 7`},
		{"0 0 0 * * MONDAY", `cron: "0 0 0 * * MONDAY": day of week: "MONDAY" at position 10: must be a number or one of the names MON, …`},
		{"0 0 0 * * ONT", `cron: "0 0 0 * * ONT": day of week: "ONT" at position 10: must be a number or one of the names MON, …`},
		{"0 0 0 * JANUARY *", `cron: "0 0 0 * JANUARY *": month: "JANUARY" at position 8: must be a number or one of the names JAN, …`},
		{"0 0 0 * * FRI-MON", `cron: "0 0 0 * * FRI-MON": day of week: "FRI-MON" at position 10: the range must not go down`},
		{"0 30-10 * * * *", `cron: "0 30-10 * * * *": minute: "30-10" at position 2: the range must not go down`},
		{"0 1,,3 * * * *", `cron: "0 1,,3 * * * *": minute: "" at position 4: a value is missing`},
		{"0 1, * * * *", `cron: "0 1, * * * *": minute: "" at position 4: a value is missing`},
		{"0 */0 * * * *", `cron: "0 */0 * * * *": minute: "0" at position 4: the step must be a number from 1`},
		{"0 */ * * * *", `cron: "0 */ * * * *": minute: "" at position 4: the step must be a number from 1`},
		{"0 */-1 * * * *", `cron: "0 */-1 * * * *": minute: "-1" at position 4: the step must be a number from 1`},
		{"0 1-2-3 * * * *", `cron: "0 1-2-3 * * * *": minute: "2-3" at position 4: must be a number`},
		{"0 +1 * * * *", `cron: "0 +1 * * * *": minute: "+1" at position 2: must be a number`},
		{"0 1- * * * *", `cron: "0 1- * * * *": minute: "" at position 4: a value is missing`},
		{"? * * * * *", `cron: "? * * * * *": second: "?" at position 0: ? is for the day fields`},
		{"0 0 0 ?,1 * *", `cron: "0 0 0 ?,1 * *": day of month: "?" at position 6: must be a number`},
		{"0 0 0 ?/2 * *", `cron: "0 0 0 ?/2 * *": day of month: "?" at position 6: must be a number`},
		{"0 0 0 L-0 * *", `cron: "0 0 0 L-0 * *": day of month: "L-0" at position 6: the days before the last must be from 1 to 30`},
		{"0 0 0 1,L-31 * *", `cron: "0 0 0 1,L-31 * *": day of month: "L-31" at position 8: the days before the last must be from 1 to 30`},
		{"0 0 0 W * *", `cron: "0 0 0 W * *": day of month: "W" at position 6: W is used as in 15W, the weekday nearest to that day, and in LW, the last one`},
		{"0 0 0 LW-2 * *", `cron: "0 0 0 LW-2 * *": day of month: "LW-2" at position 6: W is used as in 15W, the weekday nearest to that day, and in LW, the last one`},
		{"0 0 0 1,L-3W * *", `cron: "0 0 0 1,L-3W * *": day of month: "L-3W" at position 8: W is used as in 15W, the weekday nearest to that day, and in LW, the last one`},
		{"0 0 0 1-5W * *", `cron: "0 0 0 1-5W * *": day of month: "1-5W" at position 6: W is used as in 15W, the weekday nearest to that day, and in LW, the last one`},
		{"0 0 0 5L * *", `cron: "0 0 0 5L * *": day of month: "5L" at position 6: L is used as in L, the last day, and L-3, the third before it`},
		{"0 0 0 32W * *", `cron: "0 0 0 32W * *": day of month: "32" at position 6: must be from 1 to 31`},
		{"0 0 0 * * L", `cron: "0 0 0 * * L": day of week: "L" at position 10: L comes behind a day of the week, as in FRIL, the last Friday of the month`},
		{"0 0 0 * * L5", `cron: "0 0 0 * * L5": day of week: "L5" at position 10: L comes behind a day of the week, as in FRIL, the last Friday of the month`},
		{"0 0 0 * * FRI#", `cron: "0 0 0 * * FRI#": day of week: "FRI#" at position 10: # comes between a day of the week and a number, as in FRI#2, the second Friday`},
		{"0 0 0 * * FRI#0", `cron: "0 0 0 * * FRI#0": day of week: "0" at position 14: must be from 1 to 5`},
		{"0 0 0 * * FRI#6", `cron: "0 0 0 * * FRI#6": day of week: "6" at position 14: must be from 1 to 5`},
		{"0 0 0 * * #1", `cron: "0 0 0 * * #1": day of week: "#1" at position 10: # comes between a day of the week and a number, as in FRI#2, the second Friday`},
		{"0 0 0 1#1 * *", `cron: "0 0 0 1#1 * *": day of month: "1#1" at position 6: # is for the day of week, as in FRI#2`},
		{"0 0 0 * * 1W", `cron: "0 0 0 * * 1W": day of week: "1W" at position 10: W is for the day of month, as in 15W`},
		{"@reboot", `cron: "@reboot": no such macro; there are @yearly, @annually, @monthly, @weekly, @daily, @midnight and @hourly`},
		{"@every 5m", `cron: "@every 5m": no such macro; there are @yearly, @annually, @monthly, @weekly, @daily, @midnight and @hourly; for an interval use AtFixedRate or WithFixedDelay`},
	} {
		e, err := cron.Parse(c.text)
		assert.Nil(t, e)
		assert.EqualError(t, err, c.want)
		wrong, ok := errors.AsType[*cron.ParseError](err)
		require.True(t, ok)
		assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
		if wrong.Field != "" {
			assert.True(t, strings.HasPrefix(c.text[wrong.Position:], wrong.Value), c.text)
		}
	}
	assert.Panics(t, func() { cron.MustParse("x") })
	_, err := cron.Parse("@daily", nil)
	assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
}

func TestC32_C36_TheSame(t *testing.T) {
	from := time.Date(2024, 2, 27, 3, 4, 5, 0, time.UTC)
	for _, same := range [][]string{
		{"0 0 0 * * 0", "0 0 0 * * 7", "0 0 0 * * SUN", "0  0   0 * * sun", " 0 0 0 ? * Sun ", "@weekly", " @WEEKLY "},
		{"0 0 0 1 1 *", "@yearly", "@annually", "0 0 0 1 JAN ?"},
		{"0 0 0 * * *", "@daily", "@midnight", "0 0 0 1-31 1-12 0-7", "0 0 0 * * SUN-SUN"},
		{"0 0 * * * *", "@hourly", "0 0 0-23 * * *", "0 0 */1 * * *", "0 0 0/1 * * *"},
		{"0 0 0 1 * *", "@monthly"},
		{"0 0/20 * * * *", "0 0,20,40 * * * *", "0 */20 * * * *", "0 0-59/20 * * * *"},
		{"0 59/7 * * * *", "0 59 * * * *", "0 59/1000 * * * *"},
		{"0 0 0 1 * *", "0 0 0 */31 * *", "0 0 0 */9223372036854775807 * *"},
		{"0 0 0 * * 0#2", "0 0 0 * * 7#2", "0 0 0 * * SUN#2"},
		{"0 0 0 * * 0L", "0 0 0 * * 7L", "0 0 0 * * SUNL"},
		{"0 0 0 * * 7-2", "0 0 0 * * SUN-TUE", "0 0 0 * * 0-2", "0 0 0 * * 0,1,2"},
		{"0 0 0 * * 5-7", "0 0 0 * * FRI-SUN"},
	} {
		want := following(cron.MustParse(same[0]), from, 12)
		for _, text := range same[1:] {
			assert.Equal(t, want, following(cron.MustParse(text), from, 12), "%s and %s", same[0], text)
		}
	}
	assert.Equal(t, " @WEEKLY ", cron.MustParse(" @WEEKLY ").String())
}

func TestC30_Disabled(t *testing.T) {
	e, err := cron.Parse(" - ")
	assert.NoError(t, err)
	assert.Same(t, cron.Disabled, e)
	_, ok := e.Next(time.Now())
	assert.False(t, ok)
	_, ok = cron.Fixed(e, nil).Next(executors.TriggerContext{Now: time.Now()})
	assert.False(t, ok)
}

func TestC22_CronTriggers(t *testing.T) {
	e := cron.MustParse("0 * * * * *")
	at := func(m, s int) time.Time { return time.Date(2024, 1, 1, 0, m, s, 0, time.UTC) }
	first := executors.TriggerContext{Now: at(10, 30)}
	overrun := executors.TriggerContext{Now: at(14, 20), LastScheduled: at(11, 0), LastStart: at(11, 0), LastEnd: at(14, 20)}
	for _, c := range []struct {
		name          string
		trigger       executors.Trigger
		first, second time.Time
	}{
		{"lenient", cron.Lenient(e, time.UTC), at(11, 0), at(15, 0)},
		{"fixed", cron.Fixed(e, time.UTC), at(11, 0), at(12, 0)},
		{"resume lenient", cron.ResumeLenient(e, time.UTC, at(5, 10)), at(6, 0), at(15, 0)},
		{"resume fixed", cron.ResumeFixed(e, time.UTC, at(5, 10)), at(6, 0), at(12, 0)},
	} {
		got, ok := c.trigger.Next(first)
		assert.True(t, ok)
		assert.Equal(t, c.first, got, c.name)
		got, ok = c.trigger.Next(overrun)
		assert.True(t, ok)
		assert.Equal(t, c.second, got, c.name)
	}
	assert.PanicsWithValue(t, "cron: Fixed: expression is nil", func() { cron.Fixed(nil, nil) })
}

// A timer that comes early, or a clock that was set back, must not meet a time twice.
func TestC23_EarlyFire(t *testing.T) {
	e := cron.MustParse("0 * * * * *")
	due := time.Date(2024, 1, 1, 0, 10, 0, 0, time.UTC)
	for _, trigger := range []executors.Trigger{cron.Lenient(e, time.UTC), cron.Fixed(e, time.UTC)} {
		for _, early := range []time.Duration{time.Nanosecond, time.Millisecond, 5 * time.Minute} {
			next, ok := trigger.Next(executors.TriggerContext{Now: due.Add(-early), LastScheduled: due, LastStart: due.Add(-early), LastEnd: due.Add(-early)})
			assert.True(t, ok)
			assert.Equal(t, due.Add(time.Minute), next)
		}
	}
}

// Whatever is parsed is not a crash, and what can be parsed advances.
func FuzzParse(f *testing.F) {
	for _, c := range nextTimes {
		f.Add(c.expression)
	}
	for _, text := range []string{"- - - - - -", "@", "0 0 0 L-,LW,1W * 1#1,5L", "*/99999999999999999999 * * * * *", "0 0 0 * * 7-7/7"} {
		f.Add(text)
	}
	loc := zone(f, "Europe/Amsterdam")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := cron.Parse(text)
		if err != nil {
			if wrong, ok := errors.AsType[*cron.ParseError](err); !ok || wrong.Error() == "" {
				t.Fatal(err)
			}
			return
		}
		at := time.Date(2024, 3, 30, 12, 0, 0, 5, loc)
		for range 5 {
			next, ok := e.Next(at)
			if !ok {
				return
			}
			if !next.After(at) || next.Nanosecond() != 0 || !e.Matches(next) {
				t.Fatalf("%q: %v after %v", text, next, at)
			}
			at = next
		}
	})
}

func TestParseNilOption(t *testing.T) {
	_, err := cron.Parse("0 0 3 * * *", nil)
	assert.ErrorContains(t, err, "an option is nil")
}
