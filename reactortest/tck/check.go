package tck

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/goreactor/reactor/reactortest"
)

// check is one test of the kit.
type check struct {
	name string
	rule string // "§1.1"
	says string // what the rule demands, in a sentence
	run  func(*env)
}

// optional reports whether not keeping the rule is no failure.
func (c *check) optional() bool { return strings.HasPrefix(c.name, "optional_") }

// result is what came of a check.
type result struct {
	check  *check
	failed string // what was seen instead, "" if it has not failed
	skip   string // why it was not run or does not count
}

func (r result) String() string {
	return fmt.Sprintf("%s is broken: %s.\nSeen: %s", r.check.rule, r.check.says, r.failed)
}

// verify runs each check as a subtest of t.
func verify(t *testing.T, c config, checks []*check) {
	t.Helper()
	for _, ch := range checks {
		t.Run(ch.name, func(t *testing.T) {
			r := execute(t, c, ch)
			switch {
			case r.failed != "":
				t.Error(r.String())
			case r.skip != "":
				t.Skip(r.skip)
			}
		})
	}
}

// execute runs a check, in a bubble if c says so.
func execute(t *testing.T, c config, ch *check) (r result) {
	t.Helper()
	if !c.bubbles {
		return perform(c, ch)
	}
	defer watchBubble(ch)()
	performed := false
	defer func() {
		if !performed { // a panic of somebody else goes on
			return
		}
		// The bubble does not end while goroutines wait in it for ever, and says so by a panic.
		if p := recover(); p != nil && r.failed == "" {
			r.failed, r.skip = fmt.Sprintf("goroutines that were started still wait when all is over: %v", p), ""
		}
	}()
	reactortest.Bubble(t, func(*testing.T) {
		r = perform(c, ch)
		performed = true
	})
	return r
}

// longInBubble is how long a check may take in a bubble, where waiting takes no time.
const longInBubble = 20 * time.Second

// watchBubble says what is wrong, probably, if a check in a bubble does not end. Time stands still there as long as a
// goroutine waits for a lock, so the check itself can't find that out.
func watchBubble(ch *check) (stop func()) {
	timer := time.AfterFunc(longInBubble, func() {
		fmt.Fprintf(os.Stderr, "reactortest/tck: %s goes on for %v of real time. Something waits for a lock, probably, for which "+
			"the clock of a bubble does not move: without InBubbles, the test says what it is.\n", ch.name, longInBubble)
	})
	return func() { timer.Stop() }
}

// skipped and fatal are what a check panics with to come to an end.
type (
	skipped string
	fatal   string
)

func perform(c config, ch *check) (r result) {
	r.check = ch
	e := newEnv(c)
	defer e.end()
	defer func() {
		switch p := recover().(type) {
		case nil:
		case skipped:
			r.skip = string(p)
		case fatal:
			r.failed = string(p)
		default:
			r.failed = fmt.Sprintf("a panic: %v\n%s", p, debug.Stack())
		}
		if flops := e.flops(); len(flops) > 0 {
			r.failed = strings.Join(append(flops, r.failed), "\n")
			r.failed = strings.TrimSuffix(r.failed, "\n")
		}
		if r.failed == "" {
			return
		}
		r.failed += e.story()
		if ch.optional() {
			r.skip = "optional, and not kept: " + r.failed
			r.failed = ""
		}
	}()
	ch.run(e)
	return r
}
