// Package env reads the defaults of a package from the environment. A setting that is
// missing, or can't be used, keeps its default; the errors say what was there.
package env

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"sync"
	"time"
)

// Lookup finds a setting by its name, as os.LookupEnv does.
type Lookup func(name string) (value string, ok bool)

// Reader reads settings and collects what is wrong with them.
type Reader struct {
	pkg    string
	lookup Lookup
	errs   []error
}

// New returns a Reader for the package of that name, which errors begin with.
func New(pkg string, lookup Lookup) *Reader { return &Reader{pkg: pkg, lookup: lookup} }

// Int reads a number of at least least.
func (r *Reader) Int(name string, least int, to *int) { r.IntWithin(name, least, math.MaxInt, to) }

// IntWithin reads a number from least to most.
func (r *Reader) IntWithin(name string, least, most int, to *int) {
	value, ok := r.lookup(name)
	if !ok {
		return
	}
	switch n, err := strconv.Atoi(value); {
	case err != nil:
		r.Refuse("%s=%q is not a decimal number, using %d", name, value, *to)
	case n < least:
		r.Refuse("%s=%d must be at least %d, using %d", name, n, least, *to)
	case n > most:
		r.Refuse("%s=%d must be at most %d, using %d", name, n, most, *to)
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
	case err != nil:
		r.Refuse("%s=%q is not a duration such as 5s, using %v", name, value, *to)
	case d < 0:
		r.Refuse("%s=%v must not be negative, using %v", name, d, *to)
	default:
		*to = d
	}
}

// Refuse notes a setting that can't be used.
func (r *Reader) Refuse(format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf(r.pkg+": "+format, args...))
}

// Err returns all that was wrong, or nil.
func (r *Reader) Err() error { return errors.Join(r.errs...) }

// Once returns a function that reads the environment when it is called for the first time,
// never earlier and never again, and logs what could not be used.
func Once[C any](pkg string, load func(Lookup) (C, error), lookup Lookup) func() C {
	return sync.OnceValue(func() C {
		c, err := load(lookup)
		if err != nil {
			slog.Warn(pkg+": settings ignored", "error", err)
		}
		return c
	})
}
