package env

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestReader(t *testing.T) {
	env := map[string]string{
		"N": "7", "BELOW": "0", "WORD": "many", "D": "2s", "PAST": "-1s", "BARE": "3", "EMPTY": "",
	}
	r := New("p", func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	n, d := 1, time.Minute
	for _, name := range []string{"MISSING", "BELOW", "WORD", "EMPTY"} {
		r.Int(name, 1, &n)
		assert.Equal(t, 1, n, name)
	}
	r.Int("N", 1, &n)
	assert.Equal(t, 7, n)
	for _, name := range []string{"MISSING", "PAST", "BARE"} {
		r.Duration(name, &d)
		assert.Equal(t, time.Minute, d, name)
	}
	r.Duration("D", &d)
	assert.Equal(t, 2*time.Second, d)
	assert.EqualError(t, r.Err(), `p: BELOW=0 must be at least 1, using 1
p: WORD="many" is not a decimal number, using 1
p: EMPTY="" is not a decimal number, using 1
p: PAST=-1s must not be negative, using 1m0s
p: BARE="3" is not a duration such as 5s, using 1m0s`)
	assert.NoError(t, New("p", func(string) (string, bool) { return "", false }).Err())

	r = New("p", nil)
	r.Int("N", 1, &n)
	assert.EqualError(t, r.Err(), "p: LoadConfig: lookup is nil: illegal argument")
}

func TestReaderOfNumbersThatNoIntHolds(t *testing.T) {
	r := New("p", func(name string) (string, bool) { return name + "9999999999999999999", true })
	n := 1
	r.IntWithin("", 1, 100, &n)
	r.IntWithin("-", 1, 100, &n)
	assert.Equal(t, 1, n)
	assert.EqualError(t, r.Err(), `p: =9999999999999999999 must be at most 100, using 1
p: -=-9999999999999999999 must be at least 1, using 1`)
}

func TestReaderOfTimesThatNoDurationHolds(t *testing.T) {
	env := map[string]string{
		"LONG": "2562048h", "DIGITS": "99999999999999999999s", "SUM": "2562047h48m", "PAST": "-99999999999999999999s", "UNIT": "99999999999999999999y",
		"LAST": "2562047h47m16.854775807s",
	}
	r := New("p", func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	d := time.Second
	for _, name := range []string{"LONG", "DIGITS", "SUM", "PAST", "UNIT"} {
		r.Duration(name, &d)
		assert.Equal(t, time.Second, d, name)
	}
	r.Duration("LAST", &d)
	assert.Equal(t, time.Duration(math.MaxInt64), d)
	assert.EqualError(t, r.Err(), `p: LONG=2562048h must be at most 2562047h47m16.854775807s, using 1s
p: DIGITS=99999999999999999999s must be at most 2562047h47m16.854775807s, using 1s
p: SUM=2562047h48m must be at most 2562047h47m16.854775807s, using 1s
p: PAST=-99999999999999999999s must not be negative, using 1s
p: UNIT="99999999999999999999y" is not a duration such as 5s, using 1s`)
}

// handler is a slog.Handler that is a function.
type handler func(slog.Record)

func (h handler) Enabled(context.Context, slog.Level) bool      { return true }
func (h handler) Handle(_ context.Context, r slog.Record) error { h(r); return nil }
func (h handler) WithAttrs([]slog.Attr) slog.Handler            { return h }
func (h handler) WithGroup(string) slog.Handler                 { return h }

// TestOnceForTheHandlerOfTheLog: who sends records on with a scheduler needs the settings that the record is about.
func TestOnceForTheHandlerOfTheLog(t *testing.T) {
	get := Once("p", "P_", []string{"P_SIZE"}, func(lookup Lookup) (int, error) {
		n := 1
		r := New("p", lookup)
		r.Int("P_SIZE", 1, &n)
		return n, r.Err()
	}, Environment{
		Lookup:  func(string) (string, bool) { return "x", true },
		Environ: func() []string { return nil },
	})
	old := slog.Default()
	defer slog.SetDefault(old)
	var logged []string
	slog.SetDefault(slog.New(handler(func(r slog.Record) {
		logged = append(logged, r.Message)
		got := make(chan int, 1)
		go func() { got <- get() }()
		select {
		case n := <-got:
			assert.Equal(t, 1, n)
		case <-time.After(10 * time.Second):
			t.Error("the settings wait for the log, which waits for them")
		}
	})))
	assert.Equal(t, 1, get())
	assert.Equal(t, 1, get())
	assert.Equal(t, []string{"p: settings ignored"}, logged)
}

func TestOnce(t *testing.T) {
	var out bytes.Buffer
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&out, nil)))
	defer slog.SetDefault(old)
	calls := 0
	get := Once("p", "P_", []string{"P_SIZE", "P_COUNT"}, func(lookup Lookup) (int, error) {
		calls++
		n := 1
		r := New("p", lookup)
		r.Int("N", 1, &n)
		return n, r.Err()
	}, Environment{
		Lookup:  func(string) (string, bool) { return "x", true },
		Environ: func() []string { return []string{"P_SIZE=1", "P_CONT=1", "P_=", "Q_SIZE=1"} },
	})
	assert.Zero(t, calls)
	assert.Equal(t, 1, get())
	assert.Equal(t, 1, get())
	assert.Equal(t, 1, calls)
	assert.Contains(t, out.String(), `p: settings ignored`)
	assert.Contains(t, out.String(), "there is no setting P_CONT, did you mean P_COUNT?")
	assert.Contains(t, out.String(), "there is no setting P_, did you mean P_SIZE?")
	assert.Equal(t, 2, strings.Count(out.String(), "there is no setting"))
}
