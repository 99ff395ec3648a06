// Package env reads the defaults of a package from the environment. A setting that is
// missing, or can't be used, keeps its default; the errors say what was there.
package env

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
)

// Lookup finds a setting by its name, as os.LookupEnv does.
type Lookup func(name string) (value string, ok bool)

// Reader reads settings and collects what is wrong with them.
type Reader struct {
	pkg    string
	lookup Lookup
	errs   []error
}

// New returns a Reader for the package of that name, which errors begin with. Where lookup is nil it finds nothing, and
// that is an error.
func New(pkg string, lookup Lookup) *Reader {
	r := &Reader{pkg: pkg, lookup: lookup}
	if lookup == nil {
		r.lookup = func(string) (string, bool) { return "", false }
		r.Refuse("LoadConfig: lookup is nil: %w", reactor.ErrIllegalArgument)
	}
	return r
}

// Find returns the setting as it is.
func (r *Reader) Find(name string) (value string, ok bool) { return r.lookup(name) }

// Int reads a number of at least least.
func (r *Reader) Int(name string, least int, to *int) { r.IntWithin(name, least, math.MaxInt, to) }

// IntWithin reads a number from least to most.
func (r *Reader) IntWithin(name string, least, most int, to *int) {
	value, ok := r.lookup(name)
	if !ok {
		return
	}
	switch n, err := strconv.Atoi(value); {
	case err != nil && !errors.Is(err, strconv.ErrRange): // else n is the smallest or largest int
		r.Refuse("%s=%q is not a decimal number, using %d", name, value, *to)
	case n < least:
		r.Refuse("%s=%s must be at least %d, using %d", name, value, least, *to)
	case n > most || err != nil:
		r.Refuse("%s=%s must be at most %d, using %d", name, value, most, *to)
	default:
		*to = n
	}
}

// Duration reads a time as time.ParseDuration has it, which is not negative.
func (r *Reader) Duration(name string, to *time.Duration) {
	value, ok := r.lookup(name)
	if !ok {
		return
	}
	switch d, err := time.ParseDuration(value); {
	case err != nil && isDuration(value): // but no time.Duration holds it
		if strings.HasPrefix(value, "-") {
			r.Refuse("%s=%s must not be negative, using %v", name, value, *to)
		} else {
			r.Refuse("%s=%s must be at most %v, using %v", name, value, time.Duration(math.MaxInt64), *to)
		}
	case err != nil:
		r.Refuse("%s=%q is not a duration such as 5s, using %v", name, value, *to)
	case d < 0:
		r.Refuse("%s=%v must not be negative, using %v", name, d, *to)
	default:
		*to = d
	}
}

// isDuration reports whether value is written as a duration is, of whatever length: the error of time.ParseDuration does not
// tell one that is too long from what is none.
func isDuration(value string) bool {
	short := strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return '0'
		}
		return c
	}, value)
	_, err := time.ParseDuration(short)
	return err == nil && !strings.HasSuffix(short, "0") // which needs no unit, unlike what may have been there
}

// Refuse notes a setting that can't be used.
func (r *Reader) Refuse(format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf(r.pkg+": "+format, args...))
}

// Err returns all that was wrong, or nil.
func (r *Reader) Err() error { return errors.Join(r.errs...) }

// Environment is where settings are.
type Environment struct {
	Lookup  Lookup
	Environ func() []string // all there are, as os.Environ returns them
}

// Process is the environment of the process.
var Process = Environment{os.LookupEnv, os.Environ}

// Once returns a function that reads the environment when it is called for the first time,
// never earlier and never again, and logs what could not be used. That is also what begins with prefix and is none
// of the known settings.
func Once[C any](pkg, prefix string, known []string, load func(Lookup) (C, error), e Environment) func() C {
	read := sync.OnceValues(func() (C, error) {
		c, err := load(e.Lookup)
		return c, errors.Join(err, unknown(pkg, prefix, known, e.Environ()))
	})
	var told atomic.Bool
	return func() C {
		c, err := read()
		if err != nil && !told.Load() && !told.Swap(true) { // when they are there: the handler of the log may need them
			slog.Warn(pkg+": settings ignored", "error", err)
		}
		return c
	}
}

// unknown returns an error for each variable of the environment that looks like a setting and is none.
func unknown(pkg, prefix string, known, environ []string) error {
	var errs []error
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, prefix) || slices.Contains(known, name) {
			continue
		}
		nearest := slices.MinFunc(known, func(a, b string) int { return distance(name, a) - distance(name, b) })
		errs = append(errs, fmt.Errorf("%s: there is no setting %s, did you mean %s?", pkg, name, nearest))
	}
	return errors.Join(errs...)
}

// distance returns how many bytes must be put in, left out or replaced to make b
// of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // from a[:i] to each b[:j]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := before
			if a[i] != b[j] {
				replaced++
			}
			before = row[j+1]
			row[j+1] = min(replaced, row[j]+1, before+1)
		}
	}
	return row[len(b)]
}
