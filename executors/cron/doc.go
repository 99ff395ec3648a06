// Package cron parses cron expressions of six fields, as Spring has them, and finds the
// times that they mean.
//
//	┌──────────── second        0–59
//	│ ┌────────── minute        0–59
//	│ │ ┌──────── hour          0–23
//	│ │ │ ┌────── day of month  1–31
//	│ │ │ │ ┌──── month         1–12 or JAN–DEC
//	│ │ │ │ │ ┌── day of week   0–7 or MON–SUN; 0 and 7 are Sunday
//	* * * * * *
//
// A field is a list, separated by commas, of
//
//	a       a value
//	a-b     a range, a ≤ b; a range that begins with Sunday begins the week,
//	        so SUN-SUN, from one Sunday to the next, is every day
//	*       every value; ? means the same for a whole day field
//	x/n     every n-th value of x; a/n goes on to the end of the field, and from
//	        Sunday through the week that begins with it, so SUN/2 is Sunday,
//	        Tuesday, Thursday, Saturday (Spring has that for 0/2; SUN/2 and
//	        7/2 are the Sunday alone there)
//
// and in the day fields also of
//
//	L       the last day of the month; L-n the n-th before it
//	LW      the last weekday of the month
//	nW      the weekday of the month nearest to day n, in months that have one
//	dL      the last d of the month: 5L, FRIL
//	d#n     the n-th d of the month, n from 1 to 5: MON#1
//
// Quartz numbers the days of the week from Sunday, which is 1 there: expressions from
// Quartz mean another day here, unless they use names.
//
// Steps of the day of week count from Monday: */2 is Monday, Wednesday, Friday,
// Sunday. Both day fields must match: "0 0 0 13 * FRI" is Friday the thirteenth.
//
// Macros stand for whole expressions: @yearly or @annually, @monthly, @weekly,
// @daily or @midnight, @hourly.
//
// # Zones
//
// An expression means the local time in some zone. The next time is the earliest
// instant whose local time matches all fields. So where clocks are set forward, times
// that don't exist are left out; where clocks are set back, times that exist twice
// match twice. [Vixie] chooses another custom.
package cron
