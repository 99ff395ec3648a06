package cron

import (
	"math"
	"time"
)

// horizon is how far ahead Next looks. The 29th of February on a given day of the
// week may be 40 years away.
const horizon = 100 * 366 * secondsOfDay

const secondsOfDay = 24 * 60 * 60

// Next returns the earliest instant after t that matches, in the location of t and with
// whole seconds, or false if no instant within a hundred years matches.
//
// Between two changes of a zone's clocks local time is a calendar without gaps, so
// these stretches are searched one after the other.
func (e *Expression) Next(t time.Time) (time.Time, bool) {
	if e.never {
		return time.Time{}, false
	}
	loc := t.Location()
	from := t.Unix() + 1
	last := from + horizon
	for from <= last {
		here := time.Unix(from, 0).In(loc)
		_, shift := here.Zone()
		begin, end := here.ZoneBounds()
		until := int64(math.MaxInt64) - secondsOfDay
		if !end.IsZero() {
			until = end.Unix()
		}
		if until <= from {
			// The last day of a leap year beyond the table of the zone: there
			// ZoneBounds counts 365 days. No clock changes on that day.
			until = from + secondsOfDay - floorMod(from+int64(shift), secondsOfDay)
		}
		if e.vixie && !e.steady && !begin.IsZero() {
			_, before := begin.Add(-time.Second).Zone()
			at := begin.Unix()
			if shift > before && from <= at {
				if _, ok := e.nextLocal(at+int64(before), at+int64(shift)); ok {
					return begin, true
				}
			}
			from = max(from, at+int64(before-shift)) // clocks set back: local times that exist twice have matched the first time
		}
		if local, ok := e.nextLocal(from+int64(shift), min(until, last)+int64(shift)); ok {
			return time.Unix(local-int64(shift), 0).In(loc), true
		}
		from = until
	}
	return time.Time{}, false
}

// nextLocal returns the first match from local time from on and before until, both
// in seconds since 1970 on the wall.
func (e *Expression) nextLocal(from, until int64) (int64, bool) {
	day := floorDiv(from, secondsOfDay)
	second := int(from - day*secondsOfDay)
	for d := dateOf(day); day*secondsOfDay < until; second = 0 {
		if e.month>>d.month&1 == 0 {
			day += int64(d.length - d.day + 1)
			d = d.nextMonth()
			continue
		}
		if e.matchesDay(d, weekday(day)) {
			if s, ok := e.nextSecond(second); ok {
				at := day*secondsOfDay + int64(s)
				return at, at < until
			}
		}
		day++
		if d.day++; d.day > d.length {
			d = d.nextMonth()
		}
	}
	return 0, false
}

// nextSecond returns the first match in a day from a second on.
func (e *Expression) nextSecond(from int) (int, bool) {
	h, m, s := from/3600, from/60%60, from%60
	hour, ok := next(e.hour, h)
	for ; ok; hour, ok = next(e.hour, hour+1) {
		if hour > h {
			m, s = 0, 0
		}
		minute, found := next(e.minute, m)
		for ; found; minute, found = next(e.minute, minute+1) {
			if minute > m {
				s = 0
			}
			if second, found := next(e.second, s); found {
				return hour*3600 + minute*60 + second, true
			}
		}
		h = hour
		m, s = 0, 0
	}
	return 0, false
}

// date is a day in a month.
type date struct{ year, month, day, length int }

// matchesDay reports whether both day fields match.
func (e *Expression) matchesDay(d date, weekday int) bool {
	return (e.day>>d.day&1 == 1 || anyRule(e.days, d, weekday)) &&
		(e.dayOfWeek>>weekday&1 == 1 || anyRule(e.weekdays, d, weekday))
}

func anyRule(rules []dayRule, d date, weekday int) bool {
	for _, r := range rules {
		if r.matches(d, weekday) {
			return true
		}
	}
	return false
}

const (
	monday   = 1
	friday   = 5
	saturday = 6
)

func (r dayRule) matches(d date, weekday int) bool {
	switch r.kind {
	case lastDay:
		return d.day == d.length-r.n
	case lastWeekday:
		return weekday < saturday && (d.day == d.length || weekday == friday && d.day >= d.length-2)
	case nearestWeekday:
		switch {
		case r.d > d.length:
			return false
		case d.day == r.d:
			return weekday < saturday
		case d.day == r.d-1, r.d == d.length && d.day == r.d-2:
			return weekday == friday // if this is r.d-2, r.d is a Sunday, and its Monday is in the next month
		case d.day == r.d+1, r.d == 1 && d.day == 3:
			return weekday == monday
		}
		return false
	case lastOf:
		return weekday == r.d && d.day > d.length-7
	default:
		return weekday == r.d && (d.day-1)/7+1 == r.n
	}
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 { return a - b*floorDiv(a, b) }

// weekday returns 1 for Monday to 7 for Sunday. Day 0 was a Thursday.
func weekday(day int64) int { return int((day%7+7+3)%7) + 1 }

// dateOf returns the date of a day since 1970.
func dateOf(day int64) date {
	t := time.Unix(day*secondsOfDay, 0).UTC()
	d := date{year: t.Year(), month: int(t.Month()), day: t.Day()}
	d.length = d.monthLength()
	return d
}

func (d date) nextMonth() date {
	d.day = 1
	if d.month++; d.month > 12 {
		d.year, d.month = d.year+1, 1
	}
	d.length = d.monthLength()
	return d
}

func (d date) monthLength() int {
	switch d.month {
	case 2:
		if d.year%4 == 0 && (d.year%100 != 0 || d.year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// Matches reports whether the local time of t, in its location, matches all fields.
// Fractions of a second don't matter.
func (e *Expression) Matches(t time.Time) bool {
	if e.never {
		return false
	}
	d := date{year: t.Year(), month: int(t.Month()), day: t.Day()}
	d.length = d.monthLength()
	w := int(t.Weekday())
	if w == 0 {
		w = 7
	}
	h, m, s := t.Clock()
	return e.second>>s&1 == 1 && e.minute>>m&1 == 1 && e.hour>>h&1 == 1 && e.month>>d.month&1 == 1 && e.matchesDay(d, w)
}
