package cron_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the same zones on every machine

	"github.com/goreactor/reactor/executors/cron"
	"github.com/goreactor/reactor/internal/testkit/awake"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nextTimes are expressions, and what they mean in a zone. The times were found by
// another program, which looks at every quarter of an hour; the first nineteen rows
// agree with what Spring says, but for
// nW where day n is a Sunday and ends the month, which Spring passes by.
var nextTimes = []struct {
	expression, zone, from string
	want                   []string
}{
	{"0 30 2 * * *", "Europe/Amsterdam", "2021-03-27T12:00:00+01:00", []string{"2021-03-29T02:30:00+02:00", "2021-03-30T02:30:00+02:00"}},
	{"0 30 2 * * *", "Europe/Amsterdam", "2021-10-30T12:00:00+02:00", []string{"2021-10-31T02:30:00+02:00", "2021-10-31T02:30:00+01:00", "2021-11-01T02:30:00+01:00"}},
	{"0 */30 * * * *", "Europe/Amsterdam", "2021-10-31T01:45:00+02:00", []string{"2021-10-31T02:00:00+02:00", "2021-10-31T02:30:00+02:00", "2021-10-31T02:00:00+01:00", "2021-10-31T02:30:00+01:00", "2021-10-31T03:00:00+01:00"}},
	{"0 */30 * * * *", "Europe/Amsterdam", "2021-03-28T01:15:00+01:00", []string{"2021-03-28T01:30:00+01:00", "2021-03-28T03:00:00+02:00", "2021-03-28T03:30:00+02:00"}},
	{"0 0 0 * * *", "Africa/Cairo", "2025-04-24T12:00:00+02:00", []string{"2025-04-26T00:00:00+03:00", "2025-04-27T00:00:00+03:00"}},
	{"0 0 */2 * * ?", "Africa/Cairo", "2025-04-24T22:00:00+02:00", []string{"2025-04-25T02:00:00+03:00", "2025-04-25T04:00:00+03:00", "2025-04-25T06:00:00+03:00"}},
	{"0 15 1 * * *", "America/New_York", "2024-11-02T12:00:00-04:00", []string{"2024-11-03T01:15:00-04:00", "2024-11-03T01:15:00-05:00", "2024-11-04T01:15:00-05:00"}},
	{"0 5 0 * * *", "Europe/Amsterdam", "2019-10-27T01:05:00+02:00", []string{"2019-10-28T00:05:00+01:00", "2019-10-29T00:05:00+01:00"}},
	{"0 0 0 31W * *", "UTC", "2024-01-01T00:00:00Z", []string{"2024-01-31T00:00:00Z", "2024-03-29T00:00:00Z", "2024-05-31T00:00:00Z", "2024-07-31T00:00:00Z", "2024-08-30T00:00:00Z"}},
	{"0 0 0 1W * *", "UTC", "2024-05-20T00:00:00Z", []string{"2024-06-03T00:00:00Z", "2024-07-01T00:00:00Z", "2024-08-01T00:00:00Z", "2024-09-02T00:00:00Z"}},
	{"0 0 0 L-3 * *", "UTC", "2024-01-01T00:00:00Z", []string{"2024-01-28T00:00:00Z", "2024-02-26T00:00:00Z", "2024-03-28T00:00:00Z", "2024-04-27T00:00:00Z"}},
	{"0 0 0 LW * *", "UTC", "2024-01-01T00:00:00Z", []string{"2024-01-31T00:00:00Z", "2024-02-29T00:00:00Z", "2024-03-29T00:00:00Z", "2024-04-30T00:00:00Z"}},
	{"0 0 0 15W,L * *", "UTC", "2024-01-20T00:00:00Z", []string{"2024-01-31T00:00:00Z", "2024-02-15T00:00:00Z", "2024-02-29T00:00:00Z", "2024-03-15T00:00:00Z"}},
	{"0 0 0 ? * MON#5", "UTC", "2024-01-01T00:00:00Z", []string{"2024-01-29T00:00:00Z", "2024-04-29T00:00:00Z", "2024-07-29T00:00:00Z", "2024-09-30T00:00:00Z"}},
	{"0 0 0 ? * MON#1,5L", "UTC", "2024-01-02T00:00:00Z", []string{"2024-01-26T00:00:00Z", "2024-02-05T00:00:00Z", "2024-02-23T00:00:00Z", "2024-03-04T00:00:00Z"}},
	{"0 0 0 29 2 WED", "UTC", "2012-02-29T01:00:00Z", []string{"2040-02-29T00:00:00Z", "2068-02-29T00:00:00Z", "2096-02-29T00:00:00Z", "2108-02-29T00:00:00Z"}},
	{"5/15 * * * * *", "UTC", "2024-01-01T00:00:50Z", []string{"2024-01-01T00:01:05Z", "2024-01-01T00:01:20Z", "2024-01-01T00:01:35Z"}},
	{"3-57 13-28 17,18 1,15 3-12 6#1", "UTC", "2022-09-15T17:44:11Z", []string{"2022-10-01T17:13:03Z", "2022-10-01T17:13:04Z", "2022-10-01T17:13:05Z"}},
	{"*/28 56 22 */6 * *", "UTC", "2022-02-27T08:00:42Z", []string{"2022-03-01T22:56:00Z", "2022-03-01T22:56:28Z", "2022-03-01T22:56:56Z", "2022-03-07T22:56:00Z"}},
	{"0 45 1 * * *", "Australia/Lord_Howe", "2024-04-06T12:00:00+11:00", []string{"2024-04-07T01:45:00+11:00", "2024-04-07T01:45:00+10:30", "2024-04-08T01:45:00+10:30"}},
	{"0 */15 1 * * *", "Australia/Lord_Howe", "2024-04-06T12:00:00+11:00", []string{"2024-04-07T01:00:00+11:00", "2024-04-07T01:15:00+11:00", "2024-04-07T01:30:00+11:00", "2024-04-07T01:45:00+11:00", "2024-04-07T01:30:00+10:30", "2024-04-07T01:45:00+10:30", "2024-04-08T01:00:00+10:30", "2024-04-08T01:15:00+10:30"}},
	{"0 15 2 * * *", "Australia/Lord_Howe", "2024-10-05T12:00:00+10:30", []string{"2024-10-07T02:15:00+11:00", "2024-10-08T02:15:00+11:00"}},
	{"0 0 2 * * *", "Australia/Lord_Howe", "2024-10-05T12:00:00+10:30", []string{"2024-10-07T02:00:00+11:00", "2024-10-08T02:00:00+11:00"}},
	{"0 30 2 * * *", "Australia/Lord_Howe", "2024-10-05T12:00:00+10:30", []string{"2024-10-06T02:30:00+11:00", "2024-10-07T02:30:00+11:00"}},
	{"0 0 * * * *", "Australia/Lord_Howe", "2024-10-06T00:30:00+10:30", []string{"2024-10-06T01:00:00+10:30", "2024-10-06T03:00:00+11:00", "2024-10-06T04:00:00+11:00", "2024-10-06T05:00:00+11:00"}},
	{"0 0/10 2 * * SUN", "Australia/Lord_Howe", "2024-10-06T01:00:00+10:30", []string{"2024-10-06T02:30:00+11:00", "2024-10-06T02:40:00+11:00", "2024-10-06T02:50:00+11:00", "2024-10-13T02:00:00+11:00"}},
	{"0 30 2 * * *", "Australia/Sydney", "2024-10-05T12:00:00+10:00", []string{"2024-10-07T02:30:00+11:00", "2024-10-08T02:30:00+11:00"}},
	{"0 30 2 * * *", "Australia/Sydney", "2024-04-06T12:00:00+11:00", []string{"2024-04-07T02:30:00+11:00", "2024-04-07T02:30:00+10:00", "2024-04-08T02:30:00+10:00"}},
	{"0 0 0 * * *", "America/Santiago", "2024-09-07T12:00:00-04:00", []string{"2024-09-09T00:00:00-03:00", "2024-09-10T00:00:00-03:00"}},
	{"0 30 23 * * *", "America/Santiago", "2024-04-06T12:00:00-03:00", []string{"2024-04-06T23:30:00-03:00", "2024-04-06T23:30:00-04:00", "2024-04-07T23:30:00-04:00"}},
	{"0 0 3 * * *", "Pacific/Auckland", "2024-09-28T12:00:00+12:00", []string{"2024-09-29T03:00:00+13:00", "2024-09-30T03:00:00+13:00"}},
	{"0 45 2 * * *", "Pacific/Auckland", "2024-04-06T12:00:00+13:00", []string{"2024-04-07T02:45:00+13:00", "2024-04-07T02:45:00+12:00", "2024-04-08T02:45:00+12:00"}},
	{"0 0 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00:00-03:00", []string{"2018-11-05T00:00:00-02:00", "2018-11-06T00:00:00-02:00"}},
	{"0 30 23 * * *", "America/Sao_Paulo", "2019-02-16T12:00:00-02:00", []string{"2019-02-16T23:30:00-02:00", "2019-02-16T23:30:00-03:00", "2019-02-17T23:30:00-03:00"}},
	{"0 0 2 * * *", "America/Asuncion", "2023-03-25T12:00:00-03:00", []string{"2023-03-26T02:00:00-04:00", "2023-03-27T02:00:00-04:00"}},
	{"0 30 0 * * *", "Atlantic/Azores", "2024-10-26T12:00:00Z", []string{"2024-10-27T00:30:00Z", "2024-10-27T00:30:00-01:00", "2024-10-28T00:30:00-01:00"}},
	{"0 30 0 * * *", "Atlantic/Azores", "2024-03-30T12:00:00-01:00", []string{"2024-04-01T00:30:00Z", "2024-04-02T00:30:00Z"}},
	{"0 0 12 * * *", "Pacific/Apia", "2011-12-28T13:00:00-10:00", []string{"2011-12-29T12:00:00-10:00", "2011-12-31T12:00:00+14:00", "2012-01-01T12:00:00+14:00"}},
	{"0 45 2 * * *", "Pacific/Chatham", "2024-09-28T12:00:00+12:45", []string{"2024-09-30T02:45:00+13:45", "2024-10-01T02:45:00+13:45", "2024-10-02T02:45:00+13:45"}},
	{"0 15 3 * * *", "Pacific/Chatham", "2024-04-06T12:00:00+13:45", []string{"2024-04-07T03:15:00+13:45", "2024-04-07T03:15:00+12:45", "2024-04-08T03:15:00+12:45"}},
	{"0 30 2 10 3 *", "America/New_York", "2023-03-01T00:00:00-05:00", []string{"2023-03-10T02:30:00-05:00", "2025-03-10T02:30:00-04:00"}},
	{"0 30 1 * 11 SUN#1", "America/New_York", "2023-12-01T00:00:00-05:00", []string{"2024-11-03T01:30:00-04:00", "2024-11-03T01:30:00-05:00", "2025-11-02T01:30:00-04:00"}},
	{"0 30 1 * 10 SUNL", "Europe/London", "2024-01-01T00:00:00Z", []string{"2024-10-27T01:30:00+01:00", "2024-10-27T01:30:00Z", "2025-10-26T01:30:00+01:00", "2025-10-26T01:30:00Z"}},
	{"0 0 9 * * MON-FRI", "Europe/London", "2024-03-29T09:00:00Z", []string{"2024-04-01T09:00:00+01:00", "2024-04-02T09:00:00+01:00", "2024-04-03T09:00:00+01:00"}},
	{"0 30 2 * * *", "Africa/Casablanca", "2024-03-09T12:00:00+01:00", []string{"2024-03-10T02:30:00+01:00", "2024-03-10T02:30:00Z", "2024-03-11T02:30:00Z"}},
	{"0 0 0 1 1 ?", "Asia/Kathmandu", "2024-06-01T00:00:00+05:45", []string{"2025-01-01T00:00:00+05:45", "2026-01-01T00:00:00+05:45"}},
	{"0 0 0 29 2 ?", "Asia/Kolkata", "2023-01-01T00:00:00+05:30", []string{"2024-02-29T00:00:00+05:30", "2028-02-29T00:00:00+05:30", "2032-02-29T00:00:00+05:30"}},
	{"0 0 6 29 FEB *", "UTC", "2095-01-01T00:00:00Z", []string{"2096-02-29T06:00:00Z", "2104-02-29T06:00:00Z"}},
	{"0 0 0 13 * FRI", "UTC", "2024-01-01T00:00:00Z", []string{"2024-09-13T00:00:00Z", "2024-12-13T00:00:00Z", "2025-06-13T00:00:00Z", "2026-02-13T00:00:00Z"}},
	{"0 0 0 L 2 *", "UTC", "2023-01-01T00:00:00Z", []string{"2023-02-28T00:00:00Z", "2024-02-29T00:00:00Z", "2025-02-28T00:00:00Z"}},
	{"0 0 0 L-30 * *", "UTC", "2024-01-01T00:00:00Z", []string{"2024-03-01T00:00:00Z", "2024-05-01T00:00:00Z", "2024-07-01T00:00:00Z", "2024-08-01T00:00:00Z"}},
	{"0 0 12 LW 2 *", "UTC", "2024-01-01T00:00:00Z", []string{"2024-02-29T12:00:00Z", "2025-02-28T12:00:00Z", "2026-02-27T12:00:00Z"}},
	{"0 0 0 30W * *", "UTC", "2024-01-31T00:00:00Z", []string{"2024-03-29T00:00:00Z", "2024-04-30T00:00:00Z", "2024-05-30T00:00:00Z", "2024-06-28T00:00:00Z"}},
	{"0 0 8 1W,15W,LW * ?", "UTC", "2024-06-01T00:00:00Z", []string{"2024-06-03T08:00:00Z", "2024-06-14T08:00:00Z", "2024-06-28T08:00:00Z", "2024-07-01T08:00:00Z", "2024-07-15T08:00:00Z"}},
	{"0 0 0 * * */2", "UTC", "2024-01-07T12:00:00Z", []string{"2024-01-08T00:00:00Z", "2024-01-10T00:00:00Z", "2024-01-12T00:00:00Z", "2024-01-14T00:00:00Z", "2024-01-15T00:00:00Z"}},
	{"0 0 0 * * 0/2", "UTC", "2024-01-07T12:00:00Z", []string{"2024-01-09T00:00:00Z", "2024-01-11T00:00:00Z", "2024-01-13T00:00:00Z", "2024-01-14T00:00:00Z", "2024-01-16T00:00:00Z"}},
	{"0 0 0 * * 7/2", "UTC", "2024-01-07T12:00:00Z", []string{"2024-01-09T00:00:00Z", "2024-01-11T00:00:00Z", "2024-01-13T00:00:00Z", "2024-01-14T00:00:00Z", "2024-01-16T00:00:00Z"}},
	{"0 0 0 * * SUN/2", "UTC", "2024-01-07T12:00:00Z", []string{"2024-01-09T00:00:00Z", "2024-01-11T00:00:00Z", "2024-01-13T00:00:00Z", "2024-01-14T00:00:00Z", "2024-01-16T00:00:00Z"}},
	{"0 0 0 * * SUN-TUE", "UTC", "2024-01-03T12:00:00Z", []string{"2024-01-07T00:00:00Z", "2024-01-08T00:00:00Z", "2024-01-09T00:00:00Z", "2024-01-14T00:00:00Z"}},
	{"0 0 0 * * 7-1", "UTC", "2024-01-03T12:00:00Z", []string{"2024-01-07T00:00:00Z", "2024-01-08T00:00:00Z", "2024-01-14T00:00:00Z", "2024-01-15T00:00:00Z"}},
	{"0 0 0 * * FRI-SUN", "UTC", "2024-01-01T12:00:00Z", []string{"2024-01-05T00:00:00Z", "2024-01-06T00:00:00Z", "2024-01-07T00:00:00Z", "2024-01-12T00:00:00Z"}},
	{"0 0 0 * * 0", "UTC", "2024-01-01T12:00:00Z", []string{"2024-01-07T00:00:00Z", "2024-01-14T00:00:00Z"}},
	{"0 0 0 * * mon,Wed,FRI", "UTC", "2024-01-01T00:00:00Z", []string{"2024-01-03T00:00:00Z", "2024-01-05T00:00:00Z", "2024-01-08T00:00:00Z", "2024-01-10T00:00:00Z"}},
	{"0 0 0 ? jan-MAR/2 FRI#2", "UTC", "2024-01-01T00:00:00Z", []string{"2024-01-12T00:00:00Z", "2024-03-08T00:00:00Z", "2025-01-10T00:00:00Z", "2025-03-14T00:00:00Z"}},
	{"0 0 10 ? * WEDL", "UTC", "2024-01-01T00:00:00Z", []string{"2024-01-31T10:00:00Z", "2024-02-28T10:00:00Z", "2024-03-27T10:00:00Z"}},
	{"0 0 10 ? * 0L", "UTC", "2024-01-01T00:00:00Z", []string{"2024-01-28T10:00:00Z", "2024-02-25T10:00:00Z", "2024-03-31T10:00:00Z"}},
	{"0 0 10 ? * SUN#5", "UTC", "2024-01-01T00:00:00Z", []string{"2024-03-31T10:00:00Z", "2024-06-30T10:00:00Z", "2024-09-29T10:00:00Z"}},
	{"59 59 23 31 12 *", "UTC", "2023-12-31T23:59:58Z", []string{"2023-12-31T23:59:59Z", "2024-12-31T23:59:59Z"}},
	{"0 0/20 8-9 * * *", "UTC", "2024-02-28T09:30:00Z", []string{"2024-02-28T09:40:00Z", "2024-02-29T08:00:00Z", "2024-02-29T08:20:00Z", "2024-02-29T08:40:00Z"}},
	{"0 0 0 31 * *", "UTC", "2024-01-31T00:00:00Z", []string{"2024-03-31T00:00:00Z", "2024-05-31T00:00:00Z", "2024-07-31T00:00:00Z", "2024-08-31T00:00:00Z"}},
	{"0 0 0 1,15-17/2,L * *", "UTC", "2024-02-10T00:00:00Z", []string{"2024-02-15T00:00:00Z", "2024-02-17T00:00:00Z", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z", "2024-03-15T00:00:00Z"}},
	{"@yearly", "Europe/Paris", "2024-01-01T00:00:00+01:00", []string{"2025-01-01T00:00:00+01:00", "2026-01-01T00:00:00+01:00"}},
	{"@MONTHLY", "Europe/Paris", "2024-01-31T12:00:00+01:00", []string{"2024-02-01T00:00:00+01:00", "2024-03-01T00:00:00+01:00"}},
	{"  @weekly ", "Europe/Paris", "2024-03-30T12:00:00+01:00", []string{"2024-03-31T00:00:00+01:00", "2024-04-07T00:00:00+02:00"}},
	{"@daily", "Asia/Beirut", "2024-03-30T12:00:00+02:00", []string{"2024-04-01T00:00:00+03:00", "2024-04-02T00:00:00+03:00"}},
	{"@midnight", "Africa/Cairo", "2024-10-30T12:00:00+03:00", []string{"2024-10-31T00:00:00+03:00", "2024-11-01T00:00:00+02:00", "2024-11-02T00:00:00+02:00"}},
	{"@hourly", "America/St_Johns", "2024-11-02T23:30:00-02:30", []string{"2024-11-03T00:00:00-02:30", "2024-11-03T01:00:00-02:30", "2024-11-03T01:00:00-03:30", "2024-11-03T02:00:00-03:30", "2024-11-03T03:00:00-03:30", "2024-11-03T04:00:00-03:30"}},
	{"0 0 4 * * *", "Antarctica/Troll", "2024-03-30T12:00:00Z", []string{"2024-03-31T04:00:00+02:00", "2024-04-01T04:00:00+02:00"}},
	{"0 30 1 * * *", "Antarctica/Troll", "2024-10-26T12:00:00+02:00", []string{"2024-10-27T01:30:00+02:00", "2024-10-27T01:30:00Z", "2024-10-28T01:30:00Z", "2024-10-29T01:30:00Z"}},
}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	require.NoError(t, err)
	return loc
}

func parseTime(t testing.TB, zoneName, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return at.In(zone(t, zoneName))
}

func following(e *cron.Expression, from time.Time, n int) (list []string) {
	for range n {
		next, ok := e.Next(from)
		if !ok {
			return append(list, "never")
		}
		list = append(list, next.Format(time.RFC3339))
		from = next
	}
	return list
}

func TestC38_NextTimes(t *testing.T) {
	require.GreaterOrEqual(t, len(nextTimes), 60)
	for _, c := range nextTimes {
		e, err := cron.Parse(c.expression)
		require.NoError(t, err)
		assert.Equal(t, c.want, following(e, parseTime(t, c.zone, c.from), len(c.want)), "%s in %s", c.expression, c.zone)
	}
}

func TestC37_StrictlyAfterAndWholeSeconds(t *testing.T) {
	e := cron.MustParse("* * * * * *")
	at := time.Date(2024, 1, 1, 0, 0, 0, 999_999_999, time.UTC)
	next, ok := e.Next(at)
	assert.True(t, ok)
	assert.Equal(t, time.Date(2024, 1, 1, 0, 0, 1, 0, time.UTC), next)
	next, ok = e.Next(next)
	assert.True(t, ok)
	assert.Equal(t, time.Date(2024, 1, 1, 0, 0, 2, 0, time.UTC), next)
	old := time.Date(1901, 2, 3, 4, 5, 6, 7, time.UTC) // before 1970
	next, ok = e.Next(old)
	assert.True(t, ok)
	assert.Equal(t, time.Date(1901, 2, 3, 4, 5, 7, 0, time.UTC), next)
}

func TestC37_HorizonAndNever(t *testing.T) {
	e := cron.MustParse("0 0 0 29 2 MON") // 2072, then 40 years
	assert.Equal(t, []string{"2112-02-29T00:00:00Z"}, following(e, time.Date(2072, 3, 1, 0, 0, 0, 0, time.UTC), 1))
	clock := awake.Watch(t)
	for _, text := range []string{
		"0 0 0 30 2 *", "0 0 0 31 6 ?", "0 0 0 31 2,4,6,9,11 *", "0 0 0 L-30 2 *", "0 0 0 30W 2 *", "-",
	} {
		start := clock.Now()
		for _, name := range []string{"UTC", "Europe/Amsterdam"} {
			_, ok := cron.MustParse(text).Next(time.Date(2024, 1, 1, 0, 0, 0, 0, zone(t, name)))
			assert.False(t, ok, text)
		}
		assert.Less(t, clock.Since(start), time.Second)
	}
	// A time that the clocks always skip: the last Sunday of March, half past one.
	_, ok := cron.MustParse("0 30 1 * 3 7L").Next(time.Date(2024, 1, 1, 0, 0, 0, 0, zone(t, "Europe/London")))
	assert.False(t, ok)
}

// Beyond the table of a zone the bounds of its last stretch of a year are one day
// short in leap years.
func TestC37_LastDayOfALeapYear(t *testing.T) {
	at := time.Date(2040, 12, 30, 12, 0, 0, 0, zone(t, "Europe/Amsterdam"))
	assert.Equal(t, []string{"2040-12-31T00:00:00+01:00", "2040-12-31T12:00:00+01:00", "2041-01-01T00:00:00+01:00"},
		following(cron.MustParse("0 0 0,12 * * *"), at, 3))
	assert.Equal(t, []string{"2041-03-31T03:00:00+02:00"}, following(cron.MustParse("0 0 3 31 3 *"), at, 1))
}

func TestC33_StepsOfTheWeekCountFromMonday(t *testing.T) {
	e := cron.MustParse("0 0 0 * * */2")
	at := time.Date(2024, 1, 7, 12, 0, 0, 0, time.UTC)
	var days []time.Weekday
	for range 4 {
		at, _ = e.Next(at)
		days = append(days, at.Weekday())
	}
	assert.Equal(t, []time.Weekday{time.Monday, time.Wednesday, time.Friday, time.Sunday}, days)
}

func TestC34_DaysAreAnded(t *testing.T) {
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for range 10 {
		at, _ = cron.MustParse("0 0 0 13 * FRI").Next(at)
		assert.Equal(t, 13, at.Day())
		assert.Equal(t, time.Friday, at.Weekday())
	}
}

// In the months of L-30 the day must advance: Spring stays at one date for ever.
func TestC39_StrictAdvance(t *testing.T) {
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for range 20 {
		next, ok := cron.MustParse("0 0 0 L-30 * *").Next(at)
		require.True(t, ok)
		require.True(t, next.After(at))
		require.Equal(t, 1, next.Day())
		at = next
	}
	_, err := cron.Parse("0 0 0 L-31 * *")
	assert.Error(t, err)
}

// The oracle of C38, second by second, around changes of clocks.
func TestC40_AgainstBruteForce(t *testing.T) {
	rounds := 40
	if testing.Short() {
		rounds = 15
	}
	zones := []struct{ name, around string }{
		{"Europe/Amsterdam", "2024-03-31T01:00:00Z"}, {"Europe/Amsterdam", "2024-10-27T01:00:00Z"},
		{"America/New_York", "2024-03-10T07:00:00Z"}, {"America/New_York", "2024-11-03T06:00:00Z"},
		{"Australia/Lord_Howe", "2024-04-06T15:00:00Z"}, {"Australia/Lord_Howe", "2024-10-05T15:30:00Z"},
		{"Australia/Sydney", "2024-10-05T16:00:00Z"}, {"Africa/Cairo", "2024-04-25T22:00:00Z"},
		{"Atlantic/Azores", "2024-10-27T01:00:00Z"}, {"America/Santiago", "2024-09-08T04:00:00Z"},
		{"Pacific/Apia", "2011-12-30T10:00:00Z"}, {"Antarctica/Troll", "2024-10-27T01:00:00Z"},
	}
	rnd := rand.New(rand.NewPCG(1, 38))
	field := func(lo, hi int) string {
		switch rnd.IntN(5) {
		case 0:
			return "*"
		case 1:
			return fmt.Sprintf("*/%d", 1+rnd.IntN(20))
		case 2:
			a := lo + rnd.IntN(hi-lo)
			return fmt.Sprintf("%d-%d", a, a+rnd.IntN(hi-a+1))
		}
		return fmt.Sprintf("%d,%d", lo+rnd.IntN(hi-lo+1), lo+rnd.IntN(hi-lo+1))
	}
	for range rounds {
		z := zones[rnd.IntN(len(zones))]
		loc := zone(t, z.name)
		around := parseTime(t, z.name, z.around)
		text := fmt.Sprintf("%d %s %s * * *", 30*rnd.IntN(2), field(0, 59), field(0, 4))
		e := cron.MustParse(text)
		from := around.Add(-time.Duration(rnd.IntN(5*3600)) * time.Second)
		limit := from.Add(8 * time.Hour)
		var want time.Time
		for at := from.Truncate(time.Second).Add(time.Second); at.Before(limit); at = at.Add(time.Second) {
			if e.Matches(at.In(loc)) {
				want = at
				break
			}
		}
		got, ok := e.Next(from)
		if want.IsZero() {
			assert.True(t, !ok || !got.Before(limit), "%s in %s after %v: %v", text, z.name, from, got)
			continue
		}
		assert.True(t, got.Equal(want), "%s in %s after %v: %v, want %v", text, z.name, from, got, want)
	}
}

func TestC41_Vixie(t *testing.T) {
	for _, c := range []struct {
		expression, zone, from string
		want                   []string
	}{
		{"0 30 2 * * *", "Europe/Amsterdam", "2021-03-27T12:00:00+01:00", []string{"2021-03-28T03:00:00+02:00", "2021-03-29T02:30:00+02:00"}},
		{"0 10,30 2 * * *", "Europe/Amsterdam", "2021-03-27T12:00:00+01:00", []string{"2021-03-28T03:00:00+02:00", "2021-03-29T02:10:00+02:00"}},
		{"0 30 2 * * *", "Europe/Amsterdam", "2021-10-30T12:00:00+02:00", []string{"2021-10-31T02:30:00+02:00", "2021-11-01T02:30:00+01:00"}},
		{"0 */30 * * * *", "Europe/Amsterdam", "2021-10-31T01:45:00+02:00", []string{"2021-10-31T02:00:00+02:00", "2021-10-31T02:30:00+02:00", "2021-10-31T02:00:00+01:00"}},
		{"0 45 1 * * *", "Australia/Lord_Howe", "2024-04-06T12:00:00+11:00", []string{"2024-04-07T01:45:00+11:00", "2024-04-08T01:45:00+10:30"}},
		{"0 15 2 * * *", "Australia/Lord_Howe", "2024-10-05T12:00:00+10:30", []string{"2024-10-06T02:30:00+11:00", "2024-10-07T02:15:00+11:00"}},
		{"0 0 0 * * *", "Africa/Cairo", "2025-04-24T12:00:00+02:00", []string{"2025-04-25T01:00:00+03:00", "2025-04-26T00:00:00+03:00"}},
		{"0 30 1 * 3 7L", "Europe/London", "2024-01-01T00:00:00Z", []string{"2024-03-31T02:00:00+01:00", "2025-03-30T02:00:00+01:00"}},
		{"0 30 2 * * *", "Europe/Amsterdam", "2021-10-31T02:40:00+02:00", []string{"2021-11-01T02:30:00+01:00"}},
		{"0 30 2 * * *", "Europe/Amsterdam", "2021-10-31T02:10:00+01:00", []string{"2021-11-01T02:30:00+01:00"}},
	} {
		e := cron.MustParse(c.expression, cron.Vixie())
		assert.Equal(t, c.want, following(e, parseTime(t, c.zone, c.from), len(c.want)), "%s in %s", c.expression, c.zone)
	}
}

func BenchmarkNext(b *testing.B) {
	for _, text := range []string{"0 */5 * * * *", "0 30 2 * * MON-FRI", "0 0 0 29 2 WED", "0 0 0 30 2 *"} {
		b.Run(strings.ReplaceAll(text, " ", "_"), func(b *testing.B) {
			e, at := cron.MustParse(text), time.Date(2024, 1, 1, 0, 0, 0, 0, zone(b, "Europe/Amsterdam"))
			b.ReportAllocs()
			for b.Loop() {
				e.Next(at)
			}
		})
	}
}
