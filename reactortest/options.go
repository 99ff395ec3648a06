package reactortest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/goreactor/reactor"
)

// Option adjusts a [StepVerifier], a [TestSubscriber] or [Marbles]. An option that has no
// meaning for its receiver panics, and the panic names the option.
type Option func(*config)

type config struct {
	demand   int64
	ctx      context.Context // nil for that of the test
	clock    *VirtualTime    // nil for the one that is installed, if any
	patience time.Duration
	name     string
	tick     time.Duration // of marble diagrams
	lenient  bool          // a script may expect more than it requests
	format   formatter     // of values in reports
	given    []string      // options that are not for everybody
}

// defaultPatience is how long a test waits for a signal, on the wall clock or that
// of its bubble.
const defaultPatience = 5 * time.Second

// newConfig applies opts for the function by, to which those in meaningless mean nothing.
func newConfig(by string, opts []Option, meaningless ...string) config {
	c := config{demand: reactor.Unbounded, patience: defaultPatience, tick: time.Millisecond}
	for _, o := range opts {
		if o == nil {
			panic("reactortest: " + by + ": an option is nil")
		}
		o(&c)
	}
	for _, name := range c.given {
		if slices.Contains(meaningless, name) {
			panic("reactortest: " + by + ": the option " + name + " means nothing here")
		}
	}
	return c
}

// limited returns an option that is not for everybody.
func limited(name string, apply Option) Option {
	return func(c *config) {
		apply(c)
		c.given = append(c.given, name)
	}
}

func (c *config) context(t testing.TB) context.Context {
	if c.ctx != nil {
		return c.ctx
	}
	return t.Context()
}

// InitialRequest sets what is requested when the subscription comes; 0 for nothing.
// The default is reactor.Unbounded. It can't be used for [Marbles], which request
// everything.
func InitialRequest(n int64) Option {
	if n < 0 {
		panic("reactortest: InitialRequest: the demand is negative")
	}
	return limited("InitialRequest", func(c *config) { c.demand = n })
}

// AllowUnderRequest lets the script of a [StepVerifier] expect more elements than it has
// requested by then; without this option such a script fails before it begins. Use it to see a
// publisher send without demand, or when the demand comes from elsewhere.
func AllowUnderRequest() Option {
	return limited("AllowUnderRequest", func(c *config) { c.lenient = true })
}

// InContext subscribes with ctx instead of the context of the test. It can't be used for
// [NewTestSubscriber], which does not subscribe.
func InContext(ctx context.Context) Option {
	if ctx == nil {
		panic("reactortest: InContext: the context is nil")
	}
	return limited("InContext", func(c *config) { c.ctx = ctx })
}

// OnClock makes a test move clock where time has to pass, and read it for the times in its
// reports. It is for pipelines that were given clock as their scheduler; a clock that is
// installed for the whole process is used without this option. It can't be used for
// [WithVirtualTime], which has a clock of its own.
func OnClock(clock *VirtualTime) Option {
	if clock == nil {
		panic("reactortest: OnClock: the clock is nil")
	}
	return limited("OnClock", func(c *config) { c.clock = clock })
}

// Patience sets how long the test waits for a signal that does not come; by default 5 s. The
// time is that of the wall clock, or in a bubble that of the bubble's clock, and never that of
// a virtual clock. It can't be used for [Marbles], which wait for nothing.
func Patience(d time.Duration) Option {
	if d <= 0 {
		panic("reactortest: Patience: " + d.String() + " is not positive")
	}
	return limited("Patience", func(c *config) { c.patience = d })
}

// Named gives the test a name that its reports begin with.
func Named(name string) Option { return func(c *config) { c.name = name } }
