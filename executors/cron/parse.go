package cron

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/goreactor/reactor"
)

// Expression is a parsed expression. It is immutable; a comparison with == has no
// meaning.
type Expression struct {
	text                  string
	second, minute, hour  uint64 // bit i stands for value i
	day, month, dayOfWeek uint64 // of week: 1 is Monday, 7 Sunday
	days                  []dayRule
	weekdays              []dayRule
	steady                bool // the field of hours or that of minutes begins with *, which matters to Vixie
	vixie                 bool
	never                 bool
}

// Disabled is the expression "-", which never fires.
var Disabled = &Expression{text: "-", never: true}

// Option adjusts [Parse].
type Option func(*Expression)

// Vixie chooses the custom of Vixie cron for days on which clocks change: a time that
// is skipped matches when the clocks are set forward, and a time that exists twice
// matches only the first time. That holds for expressions that name hours and minutes.
// Expressions in which one of these two fields begins with *, as * and */n do, follow
// the local time, as they do without Vixie. As in Vixie cron the first item of a list
// decides: "*/30,5" begins with * and "5,*/30" does not.
func Vixie() Option { return func(e *Expression) { e.vixie = true } }

// ParseError says what is wrong with an expression, and where.
type ParseError struct {
	Expression string
	Field      string // for example "day of month", "" if it is not about one
	Position   int    // where Value begins in Expression, in bytes
	Value      string // the part that can't be used
	Reason     string
}

// Error returns for example `cron: "0 61 * * * *": minute: "61" at position 2: must
// be from 0 to 59`.
func (e *ParseError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("cron: %q: %s", e.Expression, e.Reason)
	}
	return fmt.Sprintf("cron: %q: %s: %q at position %d: %s", e.Expression, e.Field, e.Value, e.Position, e.Reason)
}

// Unwrap returns reactor.ErrIllegalArgument: a bad expression is refused as any other bad
// argument is.
func (e *ParseError) Unwrap() error { return reactor.ErrIllegalArgument }

var macros = map[string]string{
	"@YEARLY":   "0 0 0 1 1 *",
	"@ANNUALLY": "0 0 0 1 1 *",
	"@MONTHLY":  "0 0 0 1 * *",
	"@WEEKLY":   "0 0 0 * * 0",
	"@DAILY":    "0 0 0 * * *",
	"@MIDNIGHT": "0 0 0 * * *",
	"@HOURLY":   "0 0 * * * *",
}

// field describes one of the six fields.
type field struct {
	name     string
	min, max int // of a single value; min is where * begins
	lowest   int // of a single value: lower than min for Sunday as 0, else equal to min
	names    string
}

var fields = [6]field{
	{"second", 0, 59, 0, ""},
	{"minute", 0, 59, 0, ""},
	{"hour", 0, 23, 0, ""},
	{"day of month", 1, 31, 1, ""},
	{"month", 1, 12, 1, "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"},
	{"day of week", 1, 7, 0, "MONTUEWEDTHUFRISATSUN"},
}

const (
	minuteField    = 1
	hourField      = 2
	dayField       = 3
	dayOfWeekField = 5
)

// dayRule is what can't be said with a set of days.
type dayRule struct {
	kind ruleKind
	d, n int
}

type ruleKind uint8

const (
	lastDay        ruleKind = iota // n days before the last one
	lastWeekday                    // of the month
	nearestWeekday                 // to day d
	lastOf                         // the last d of the month
	nthOf                          // the n-th d of the month
)

// Parse parses an expression or macro. The error is a [*ParseError], which matches
// reactor.ErrIllegalArgument.
func Parse(text string, opts ...Option) (*Expression, error) {
	if strings.Trim(text, " ") == "-" {
		return Disabled, nil
	}
	e := &Expression{text: text}
	for _, o := range opts {
		if o == nil {
			return nil, &ParseError{Expression: text, Reason: "an option is nil"}
		}
		o(e)
	}
	p := parser{text: text, e: e}
	if strings.HasPrefix(strings.Trim(text, " "), "@") {
		full, ok := macros[upper(strings.Trim(text, " "))]
		if !ok {
			reason := "no such macro; there are @yearly, @annually, @monthly, @weekly, @daily, @midnight and @hourly"
			if strings.HasPrefix(upper(strings.Trim(text, " ")), "@EVERY") {
				reason += "; for an interval use AtFixedRate or WithFixedDelay"
			}
			return nil, &ParseError{Expression: text, Reason: reason}
		}
		p.text = full
	}
	if err := p.parse(); err != nil {
		err.Expression = text
		return nil, err
	}
	return e, nil
}

// MustParse is [Parse] for expressions that are part of the program: it panics with
// the error.
func MustParse(text string, opts ...Option) *Expression {
	e, err := Parse(text, opts...)
	if err != nil {
		panic(err)
	}
	return e
}

// String returns the text that was parsed.
func (e *Expression) String() string { return e.text }

type parser struct {
	text string
	e    *Expression
	f    *field // the field that is being parsed
	set  uint64 // the values of f so far
}

// part is a piece of the text.
type part struct {
	text string
	at   int
}

// cut splits a part at the first separator.
func (p part) cut(sep string) (before, after part, found bool) {
	b, a, found := strings.Cut(p.text, sep)
	return part{b, p.at}, part{a, p.at + len(b) + len(sep)}, found
}

func (p *parser) wrong(where part, format string, args ...any) *ParseError {
	return &ParseError{Field: p.f.name, Position: where.at, Value: where.text, Reason: fmt.Sprintf(format, args...)}
}

func (p *parser) parse() *ParseError {
	if strings.Contains(p.text, "TZ=") {
		return &ParseError{Reason: "a zone is no part of an expression: it is given to Lenient, Fixed or InZone"}
	}
	parts := splitFields(p.text)
	if len(parts) != len(fields) {
		reason := fmt.Sprintf("an expression has 6 fields, separated by spaces, but there are %d", len(parts))
		switch n := len(parts); {
		case strings.ContainsFunc(p.text, func(r rune) bool { return r != ' ' && unicode.IsSpace(r) }):
			reason += ": tabs and the like separate none"
		case n == len(fields)-1:
			reason += ": unlike in a crontab the second comes first"
		case n == len(fields)+1:
			reason += ": unlike with Quartz there is none for the year"
		}
		return &ParseError{Reason: reason}
	}
	sets := [6]*uint64{&p.e.second, &p.e.minute, &p.e.hour, &p.e.day, &p.e.month, &p.e.dayOfWeek}
	for i, text := range parts {
		p.f, p.set = &fields[i], 0
		if err := p.field(i, text); err != nil {
			return err
		}
		*sets[i] = p.set
	}
	return nil
}

// splitFields splits at runs of spaces.
func splitFields(text string) (parts []part) {
	for at := 0; at < len(text); {
		if text[at] == ' ' {
			at++
			continue
		}
		end := strings.IndexByte(text[at:], ' ')
		if end < 0 {
			end = len(text) - at
		}
		parts = append(parts, part{text[at : at+end], at})
		at += end
	}
	return parts
}

func (p *parser) field(i int, text part) *ParseError {
	if text.text == "?" {
		if i != dayField && i != dayOfWeekField {
			return p.wrong(text, "? is for the day fields")
		}
		text.text = "*"
	}
	if (i == minuteField || i == hourField) && strings.HasPrefix(text.text, "*") {
		p.e.steady = true
	}
	for more := true; more; {
		var item part
		item, text, more = text.cut(",")
		rule, special, err := p.rule(i, item)
		switch {
		case err != nil:
			return err
		case special && i == dayField:
			p.e.days = with(p.e.days, rule)
		case special:
			p.e.weekdays = with(p.e.weekdays, rule)
		default:
			if err := p.item(item); err != nil {
				return err
			}
		}
	}
	if i == dayOfWeekField && p.set&1 != 0 { // 0 is Sunday, and so is 7
		p.set = p.set&^1 | 1<<7
	}
	return nil
}

// with adds a rule unless it is there: Next asks each rule for each day, of a hundred years
// if there is no match.
func with(rules []dayRule, rule dayRule) []dayRule {
	if slices.Contains(rules, rule) {
		return rules
	}
	return append(rules, rule)
}

// rule parses an item that only the day fields have; special is false if item is none.
func (p *parser) rule(i int, item part) (rule dayRule, special bool, err *ParseError) {
	text := upper(item.text)
	if err := p.misplaced(i, item, text); err != nil {
		return rule, true, err
	}
	switch {
	case i == dayField && text == "LW":
		return dayRule{kind: lastWeekday}, true, nil
	case i == dayField && text == "L":
		return dayRule{kind: lastDay}, true, nil
	case i == dayField && strings.HasPrefix(text, "L-"):
		n, ok := number(text[2:])
		if !ok || n < 1 || n > 30 {
			return rule, true, p.wrong(item, "the days before the last must be from 1 to 30")
		}
		return dayRule{kind: lastDay, n: n}, true, nil
	case i == dayField && strings.HasSuffix(text, "W"):
		d, err := p.value(part{item.text[:len(text)-1], item.at})
		return dayRule{kind: nearestWeekday, d: d}, true, err
	case i == dayOfWeekField && strings.HasSuffix(text, "L"):
		d, err := p.value(part{item.text[:len(text)-1], item.at})
		return dayRule{kind: lastOf, d: sunday(d)}, true, err
	case i == dayOfWeekField && strings.Contains(text, "#"):
		day, nth, _ := item.cut("#")
		d, err := p.value(day)
		if err != nil {
			return rule, true, err
		}
		n, ok := number(nth.text)
		if !ok || n < 1 || n > 5 { // no month has a sixth Monday
			return rule, true, p.wrong(nth, "must be from 1 to 5")
		}
		return dayRule{kind: nthOf, d: sunday(d), n: n}, true, nil
	}
	return rule, false, nil
}

// misplaced returns the error if L, W or # is in a wrong place in item, or lacks what it belongs to, else nil.
func (p *parser) misplaced(i int, item part, text string) *ParseError {
	ofThem := strings.Trim(text, "LW-/0123456789") == "" // no name
	last, nearest := strings.Contains(text, "L"), strings.Contains(text, "W")
	switch {
	case i == dayField && strings.Contains(text, "#"):
		return p.wrong(item, "# is for the day of week, as in FRI#2")
	case i == dayField && ofThem && nearest && text != "LW" && (text == "W" || strings.ContainsAny(text, "L-/")):
		return p.wrong(item, "W is used as in 15W, the weekday nearest to that day, and in LW, the last one")
	case i == dayField && ofThem && last && text[0] != 'L':
		return p.wrong(item, "L is used as in L, the last day, and L-3, the third before it")
	case i == dayOfWeekField && ofThem && nearest:
		return p.wrong(item, "W is for the day of month, as in 15W")
	case i == dayOfWeekField && ofThem && last && (text == "L" || text[len(text)-1] != 'L'):
		return p.wrong(item, "L comes behind a day of the week, as in FRIL, the last Friday of the month")
	case i == dayOfWeekField && (strings.HasPrefix(text, "#") || strings.HasSuffix(text, "#")):
		return p.wrong(item, "# comes between a day of the week and a number, as in FRI#2, the second Friday")
	}
	return nil
}

// sunday is 7.
func sunday(d int) int {
	if d == 0 {
		return 7
	}
	return d
}

// item parses a value, a range, or every n-th of one.
func (p *parser) item(item part) *ParseError {
	span, step, stepped := item.cut("/")
	n := 1
	if stepped {
		var ok bool
		if n, ok = number(step.text); !ok || n < 1 {
			return p.wrong(step, "the step must be a number from 1")
		}
	}
	from, to, err := p.span(span, stepped)
	if err != nil {
		return err
	}
	for v := from; v <= to; v += n {
		p.set |= 1 << v
		if n > p.f.max {
			break
		}
	}
	return nil
}

// span parses what a step applies to.
func (p *parser) span(span part, stepped bool) (from, to int, err *ParseError) {
	if span.text == "*" {
		return p.f.min, p.f.max, nil
	}
	first, last, isRange := span.cut("-")
	if from, err = p.value(first); err != nil {
		return 0, 0, err
	}
	if (isRange || stepped) && p.f.lowest < p.f.min && from == p.f.max {
		from = p.f.lowest // the week begins with the Sunday
	}
	switch {
	case isRange:
		if to, err = p.value(last); err != nil {
			return 0, 0, err
		}
		if from > to {
			return 0, 0, p.wrong(span, "the range must not go down")
		}
	case stepped:
		to = p.f.max
	default:
		to = from
	}
	return from, to, nil
}

// value parses a number or name.
func (p *parser) value(v part) (int, *ParseError) {
	if v.text == "" {
		return 0, p.wrong(v, "a value is missing")
	}
	n, ok := number(v.text)
	if !ok && p.f.names != "" {
		n, ok = p.name(v.text)
	}
	switch {
	case !ok && p.f.names != "":
		return 0, p.wrong(v, "must be a number or one of the names %s, …", p.f.names[:3])
	case !ok:
		return 0, p.wrong(v, "must be a number")
	case n < p.f.lowest || n > p.f.max:
		return 0, p.wrong(v, "must be from %d to %d", p.f.lowest, p.f.max)
	}
	return n, nil
}

// name finds a name of three letters.
func (p *parser) name(text string) (int, bool) {
	if len(text) != 3 {
		return 0, false
	}
	at := strings.Index(p.f.names, upper(text))
	if at < 0 || at%3 != 0 {
		return 0, false
	}
	return at/3 + 1, true
}

// upper makes large letters of small ones. Those of other alphabets stay: some have a
// Latin letter or nothing at all on their other side, or one of another length.
func upper(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}

// number parses decimal digits. What fits 64 bits is a number on all platforms; where int is smaller, the largest int stands for all that
// are larger, which are out of range either way.
func number(text string) (int, bool) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return int(min(n, math.MaxInt)), err == nil
}

// next returns the first value in the set from v on.
func next(set uint64, v int) (int, bool) {
	set = set >> v << v
	return bits.TrailingZeros64(set), set != 0
}
