package reactortest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
)

func TestMarblesHotAndCold(t *testing.T) {
	m := NewMarbles(t)
	hot := m.Hot("ab^-c-d-|")
	cold := m.Cold("a-b-|")
	m.ExpectMarbles(flux.From(hot), "--c-d-|")
	m.ExpectMarbles(flux.From(hot).Filter(func(s string) bool { return s == "d" }), "----d-|")
	m.ExpectMarbles(flux.From(cold).ConcatWith(cold), "a-b-a-b-|")
	m.ExpectMarblesDuring(cold, "--^", "--a-b-|")
	m.ExpectMarblesDuring(hot, "---^-!", "----d")
	m.ExpectSubscriptions(cold, "^---!", "--^---!", "----^---!")
	m.ExpectSubscriptions(hot, "^-----!", "^-----!", "---^-!")
	m.Run()
	again := m.Cold("x|")
	m.ExpectMarbles(again, "x|")
}

// Who subscribes or cancels at the tick of an element does so before it, whatever the source.
func TestMarblesSubscriptionsComeBeforeElements(t *testing.T) {
	m := NewMarbles(t)
	hot, cold := m.Hot("a-b-c|"), m.Cold("a-b-c|")
	for _, src := range []*MarbleSource[string]{hot, cold} {
		m.ExpectMarbles(src, "a-b-c|")
		m.ExpectMarblesDuring(src, "^---!", "a-b")
	}
	m.ExpectMarblesDuring(hot, "--^", "--b-c|")
	m.ExpectMarblesDuring(cold, "--^", "--a-b-c|")
	m.ExpectSubscriptions(hot, "^----!", "^---!", "--^--!")
	m.Run()
}

func TestMarblesValuesErrorsAndGroups(t *testing.T) {
	m := NewMarbles(t, Tick(10*time.Millisecond))
	numbers := Values[int]{'a': 1, 'b': 20, 'c': 300}
	src := m.ColdOf("a-(bc)-#", numbers).FailingWith(errBoom)
	double := flux.From(src).Map(func(v int) int { return 2 * v })
	m.ExpectMarbles(double, "a-(bc)-#", Values[int]{'a': 2, 'b': 40, 'c': 600})
	m.ExpectMarbles(flux.Interval(20*time.Millisecond), "--0-1-2")
	m.ExpectMarbles(flux.From(src).OnErrorReturn(7), "a-(bc)-(d|)", Values[int]{'a': 1, 'b': 20, 'c': 300, 'd': 7})
	m.ExpectMarbles(flux.Just(1).DelayElements(2*time.Second), " 2s (1|)")
	m.ExpectMarbles(flux.Never[int](), "----------")
	m.ExpectMarbles(flux.Empty[int](), "|")
	m.ExpectMarbles(flux.Error[int](errBoom), "#")
	m.ExpectMarbles(m.Cold("a 90ms b|"), "a---------b|")
	assert.Same(t, InstalledVirtualTime(), m.Clock())
}

func TestMarblesDemand(t *testing.T) {
	m := NewMarbles(t)
	cold := m.Cold("abc|")
	sub := NewTestSubscriber[string](t, InitialRequest(1))
	m.begin = append(m.begin, func() { cold.Subscribe(t.Context(), sub) })
	m.Run()
	sub.ExpectNext("a")
	sub.ExpectNothing()
	sub.Request(5)
	sub.ExpectNext("b", "c")
	sub.ExpectComplete()
	hot := m.Hot("ab")
	slow := NewTestSubscriber[string](t, InitialRequest(1))
	m.begin = append(m.begin, func() { hot.Subscribe(t.Context(), slow) })
	m.Run()
	slow.ExpectNext("a")
	slow.ExpectErrorIs(reactor.ErrOverflow)
}

// Who subscribes while the test is set up is there when it begins.
func TestMarblesSubscribedBeforeTheRun(t *testing.T) {
	report := report(func(t testing.TB) {
		m := NewMarbles(t)
		for range 2 {
			src := m.Hot("--a-|")
			m.ExpectMarbles(flux.From(src).Publish().AutoConnect(0), "--a-|")
			m.ExpectSubscriptions(src, "^---!")
			m.Run()
		}
	})
	assert.Empty(t, report)
}

func TestMarblesOnAClockOfTheirOwn(t *testing.T) {
	t.Parallel()
	clock := NewVirtualTime()
	m := NewMarbles(t, OnClock(clock))
	m.ExpectMarbles(flux.Interval(2*time.Millisecond, flux.On(clock)).Take(2), "--0-(1|)")
}

func TestMarblesReports(t *testing.T) {
	for want, fn := range map[string]func(m *Marbles){
		"differ at 4ms\n  expected  --a---c-|\n  got       --a-b-c-|\nthe signals\n         2ms  onNext(\"a\")\n  →      4ms  onNext(\"b\")": func(m *Marbles) {
			m.ExpectMarbles(m.Cold("--a-b-c-|"), "--a---c-|")
		},
		"expected  a-|\n  got       a--\nthe signals\n          0s  onNext(\"a\")\n  → nothing more came": func(m *Marbles) { m.ExpectMarbles(m.Cold("a"), "a-|") },
		"expected  a-|\n  got       a-#":                     func(m *Marbles) { m.ExpectMarbles(m.Cold("a-#"), "a-|") },
		"expected  a\n  got       (ab)":                      func(m *Marbles) { m.ExpectMarbles(m.Cold("(ab)"), "a") },
		"expected  x\n  got       (?|)":                      func(m *Marbles) { m.ExpectMarbles(flux.Just(12), "x") },
		"expected  \"^--!\", \"^\"\n  got       \"^-!\"":     func(m *Marbles) { s := m.Cold("a-|"); m.ExpectMarbles(s, "a-|"); m.ExpectSubscriptions(s, "^--!", "^") },
		"expected  \"^\"\n  got       none":                  func(m *Marbles) { m.ExpectSubscriptions(m.Cold("|"), "^") },
		"expected  \"^---!\"\n  got       \"(^!)\"":          func(m *Marbles) { s := m.Cold("|"); m.ExpectMarbles(s, "|"); m.ExpectSubscriptions(s, "^---!") },
		`the marbles "a(b" are wrong at column 2: the group`: func(m *Marbles) { m.Cold("a(b") },
		`wrong at column 3: a group in a group`:              func(m *Marbles) { m.Cold("(a(b))") },
		`wrong at column 2: no group has begun`:              func(m *Marbles) { m.Cold("a)") },
		`wrong at column 3: no time passes in a group`:       func(m *Marbles) { m.Cold("(a-b)") },
		`wrong at column 2: a second ^`:                      func(m *Marbles) { m.Hot("^^") },
		`wrong at column 2: only blanks`:                     func(m *Marbles) { m.Hot("a\tb") },
		`"1.5s" are wrong`:                                   func(m *Marbles) { m.tick = time.Second; m.Hot("1.5s") },
		`the marbles "a|b" go on after their end`:            func(m *Marbles) { m.Hot("a|b") },
		`have a 'b', for which there is no value`:            func(m *Marbles) { m.HotOf("ab", Values[int]{'a': 1}) },
		"→       0s  onError(<nil>)": func(m *Marbles) {
			m.ExpectMarbles(broken(func(_ context.Context, s reactor.Subscriber[int]) {
				s.OnSubscribe(hollow{})
				s.OnError(nil)
			}), "#")
		},
		"expected  a 10ms \n  got       a--b": func(m *Marbles) { m.ExpectMarbles(m.Cold("a--b"), "a 10ms ") },
		"expected  \"^\"\n  got       \"^-----!\"": func(m *Marbles) {
			s := m.Cold("a")
			shared := flux.From(s).Publish().RefCount(1, flux.Grace(5*time.Millisecond), flux.On(m.Clock()))
			m.ExpectMarblesDuring(shared, "^!", "a")
			m.ExpectSubscriptions(s, "^-------") // longer than anything else
		},
		`the marbles "---" are no subscription: there is no ^`: func(m *Marbles) {
			s := m.Cold("a")
			m.ExpectMarblesDuring(s, "^", "a--")
			m.ExpectSubscriptions(s, "---")
		},
		`the marbles "^-|" are no subscription: only ^ and !`: func(m *Marbles) { m.ExpectSubscriptions(m.Cold("a"), "^-|") },
		`the marbles "!-^" are no subscription: the ! is`:     func(m *Marbles) { m.ExpectMarblesDuring(m.Cold("a"), "!-^", "") },
		"reactortest: x: marbles of marbles_test.go:":         func(m *Marbles) { m.name = "x"; m.ExpectMarbles(m.Cold("a"), "b") },
	} {
		got := report(func(t testing.TB) {
			m := NewMarbles(t, OnClock(NewVirtualTime()))
			fn(m)
			m.Run()
		})
		assert.Contains(t, got, want)
	}
	assert.Panics(t, func() { Tick(0) })
}

func TestMarblesParseAndDraw(t *testing.T) {
	for _, text := range []string{"a", "--a--b|", "(ab|)", "--(ab)-c#", "|", "#", ""} {
		d, err := parseMarbles(text, time.Millisecond)
		require.NoError(t, err)
		got, ok := draw(d.marks, time.Millisecond)
		assert.True(t, ok)
		assert.Equal(t, text, got)
	}
	d, err := parseMarbles("a 2s b", time.Millisecond)
	require.NoError(t, err)
	_, ok := draw(d.marks, time.Millisecond)
	assert.False(t, ok, "too long")
}

// A source that sends as long as it is asked does so while the clock stands still.
func TestMarblesStopWhatGoesOnForEver(t *testing.T) {
	const endless = 10_000
	sent := 0
	got := report(func(t testing.TB) {
		m := NewMarbles(t, OnClock(NewVirtualTime()))
		m.ExpectMarbles(flux.Range(1, endless).Map(func(int) string { sent++; return "a" }), "a")
		m.Run()
	})
	assert.Contains(t, got, "differ at 0s")
	assert.Less(t, sent, endless)
}
